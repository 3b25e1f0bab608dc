"""The words that rules `changes-1` know. They are part of the rules: a change of a list gives the rules a new name."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: They begin with a capital and are no names of somebody or something in the story.
NO_NAMES = frozenset(
    _words(
        "I I'm I've I'll I'd Mr Mrs Ms Miss Dr St Sir Lady Lord Monday Tuesday Wednesday Thursday Friday Saturday "
        "Sunday January February March April May June July August September October November December"
    )
)
#: "One" and "first" are left out: they are more often no numbers.
NUMBER_WORDS = {
    "two": "five",
    "three": "seven",
    "four": "nine",
    "five": "two",
    "six": "three",
    "seven": "four",
    "eight": "three",
    "nine": "five",
    "ten": "twenty",
    "eleven": "six",
    "twelve": "thirty",
    "fifteen": "forty",
    "twenty": "fifty",
    "thirty": "sixty",
    "forty": "ninety",
    "fifty": "twenty",
    "hundred": "thousand",
    "thousand": "hundred",
}
#: "Not" after them denies what is said. Left out: "has" and "have", which are mostly not auxiliaries in summaries.
AUXILIARIES = _words("is are was were will would could should must did does")
_PAIRS = (
    "accepts refuses, accepted refused, after before, alive dead, always never, aunt uncle, begins ends, began ended, "
    "brother sister, buys sells, bought sold, early late, east west, enemies friends, enemy friend, everybody nobody, "
    "everyone nobody, father mother, finds loses, found lost, first last, girl boy, happy unhappy, hate love, "
    "hated loved, hates loves, husband wife, inside outside, leaves reaches, left reached, less more, likes dislikes, "
    "man woman, men women, morning evening, day night, new old, young old, older younger, north south, poor rich, "
    "daughter son, remembers forgets, remembered forgot, same different, succeeds fails, succeeded failed, "
    "survives dies, survived died, true false, with without, won lost, wins loses"
)


def _opposites() -> dict[str, str]:
    """Both ways; of a word in several pairs the first one holds."""
    found: dict[str, str] = {}
    for pair in _PAIRS.split(", "):
        one, other = pair.split()
        found.setdefault(one, other)
        found.setdefault(other, one)
    return found


OPPOSITES = _opposites()
