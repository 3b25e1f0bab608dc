"""The rule baseline: a judge without an LLM, so that every judge has a control that it must beat.

Two rules, both on the surface of the text:

* **Duplication**: at least `REPEATED_SHARE` of the sentence's word trigrams stand in one earlier sentence, or the
  sentence has the very words of an earlier one.
* **Entity omission**: the sentence is the first to mention a name that at most `MENTIONS` sentences mention, and
  nothing beside the name says who or what it is (`names.is_introduced`). Leading characters, who are mentioned more
  often, count as introduced by what the summary tells of them.

It answers in the form that an LLM is asked for, so everything behind it is the same.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from annotation.judge.names import is_introduced, names_in
from annotation.judge.strategy import JudgedSummary, SentenceMaterial
from summarizer.providers.base import CompletionRequest, FailureKind, ProviderFailure, Reply, Usage

REPEATED_SHARE = 0.4
#: Shorter sentences share half of their trigrams by chance.
LEAST_TRIGRAMS = 4
MENTIONS = 4
#: Characters of a name that a question quotes.
LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class _Finding:
    question: str
    type: str


class RuleProvider:
    """Answers a judge's steps from their material by the two rules, without network and at once."""

    async def complete(self, request: CompletionRequest) -> Reply:
        """The answer in two lines. Raises `ProviderFailure` for a request that is not about a sentence to judge."""
        material = request.material
        if not isinstance(material, SentenceMaterial):
            raise ProviderFailure(FailureKind.PERMANENT, "The rule baseline can only judge the sentences of a summary.")
        # No LLM read or wrote anything, so there are no tokens to pay.
        return Reply(answers(material.summary)[material.index], usage=Usage(0, 0, 0))

    async def close(self) -> None:
        """Nothing is open."""


@lru_cache(maxsize=64)
def answers(summary: JudgedSummary) -> tuple[str, ...]:
    """The answer in two lines about every sentence of `summary`, in order."""
    sentences = [summary.sentence(index) for index in range(len(summary.sentences))]
    findings = defaultdict(list, _unintroduced_names(sentences))
    for index, finding in _repeats(sentences).items():
        findings[index].append(finding)
    return tuple(_answer(findings[index]) for index in range(len(sentences)))


def _answer(findings: list[_Finding]) -> str:
    questions = " ".join(finding.question for finding in findings) or "no confusion"
    types = ", ".join(dict.fromkeys(finding.type for finding in findings)) or "no confusion"
    return f"Questions: {questions}\nTypes: {types}"


def _repeats(sentences: list[str]) -> dict[int, _Finding]:
    """Sentences that tell again what one earlier sentence told, with the first such sentence."""
    found: dict[int, _Finding] = {}
    said: dict[tuple[str, ...], int] = {}
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for index, sentence in enumerate(sentences):
        words = tuple(re.findall(r"\w+", sentence.lower()))
        trigrams = set(zip(words, words[1:], words[2:], strict=False))
        earlier = said.get(words) if words else None
        if earlier is None:
            earlier = _first_that_shares(trigrams, holders)
            said[words] = index
            for trigram in trigrams:
                holders[trigram].append(index)
        if earlier is not None:
            found[index] = _Finding(f"Was this not told before, in sentence {earlier + 1}?", "duplication")
    return found


def _first_that_shares(
    trigrams: Collection[tuple[str, ...]], holders: Mapping[tuple[str, ...], list[int]]
) -> int | None:
    """The first earlier sentence that holds enough of `trigrams`; `holders` says which sentences hold which."""
    if len(trigrams) < LEAST_TRIGRAMS:
        return None
    shared = Counter(holder for trigram in trigrams for holder in holders.get(trigram, ()))
    return min((each for each, count in shared.items() if count >= REPEATED_SHARE * len(trigrams)), default=None)


def _unintroduced_names(sentences: list[str]) -> dict[int, list[_Finding]]:
    """The names that a sentence is the first to mention and leaves unexplained, by the rule above."""
    names = names_in(sentences)
    mentions = Counter(word for each in names for word in {word for name in each for word in name.words})
    known: set[str] = set()
    found: dict[int, list[_Finding]] = {}
    for index, each in enumerate(names):
        for name in each:
            is_new = known.isdisjoint(name.words)
            known.update(name.words)
            is_minor = max(mentions[word] for word in name.words) <= MENTIONS
            if is_new and is_minor and not is_introduced(sentences[index], name):
                question = f"Who or what is {' '.join(sentences[index][name.start : name.end].split())[:LONGEST_NAME]}?"
                found.setdefault(index, []).append(_Finding(question, "entity omission"))
    return found
