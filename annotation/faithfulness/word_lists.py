"""The words that rule `clauses-1` knows. They are part of the rule: a change of a list gives the rule a new name."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COORDINATING = _words("and or but nor")
SUBORDINATING = _words(
    "because although though while whilst whereas when whenever where wherever until till unless if since before after"
)
#: Left out: "that", because what stands before it says nothing alone; "for", "so", "yet", "as" and "once", which are
#: more often something else, and follow a comma where they join clauses.
CONJUNCTIONS = COORDINATING | SUBORDINATING
#: They belong to a conjunction after them.
BEFORE_CONJUNCTIONS = _words("even only just especially")

AUXILIARIES = _words(
    "am is are was were be been being has have had having do does did will would can could may might must shall "
    "should isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't can't cannot "
    "couldn't mustn't shouldn't"
)
#: Past forms that do not end in "ed".
IRREGULAR = _words(
    "became began begun bore bought bound bred broke brought built burnt came caught chose clung crept cut dealt "
    "drank drew drove dug ate fell felt fled flew forbade forgave forgot fought found froze gave got grew heard held "
    "hid hung kept knelt knew laid led left lent let lost made meant met paid put ran rode rose said sang sank sat "
    "saw sent shook shot slept slid sold spent spoke sprang stole stood stuck struck swam swore taken taught threw "
    "thought told took tore understood wept went woke won wore wove written wrote"
)
#: Present forms as summaries have them, of verbs that are hardly ever the plural of a noun.
PRESENT = _words(
    "abandons accepts accuses admits agrees allows appears arranges arrives asks attempts avoids becomes befriends "
    "begins believes belongs betrays blames brings buys carries catches chooses comes confesses confronts consists "
    "contains continues convinces decides declares demands denies describes destroys dies discovers eats embarks "
    "encounters ends enters escapes establishes examines exists explains explores expresses faces fails falls feels "
    "finds flees follows forces forgives gets gives goes grows hears helps hides ignores includes informs insists "
    "intends invites involves joins keeps kills knows lacks learns leaves lets lies lives loses makes manages marries "
    "means meets moves murders obtains occurs offers opens persuades plans plays possesses prepares prevents promises "
    "proposes protects proves provides puts reaches realises realizes receives recognises recognizes recovers refuses "
    "rejects relates remains remembers represents rescues returns reunites reveals runs saves says seeks seems sees "
    "sells sends sets shows sits speaks spends stands starts stays stops struggles succeeds suffers suggests survives "
    "suspects takes teaches tells thinks threatens travels tries turns understands visits waits wants warns watches "
    "wins wishes works writes"
)
VERBS = AUXILIARIES | IRREGULAR | PRESENT
#: A word that ends in "s" after one of these is taken for a verb; so it is after a capitalised word.
SUBJECTS = _words("he she it who which one nobody everybody everyone someone somebody this that")
