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
from dataclasses import dataclass
from functools import lru_cache

from annotation.judge.names import is_introduced, names_in
from annotation.judge.strategy import JudgedSummary, SentenceMaterial
from summarizer.providers.base import CompletionRequest, FailureKind, ProviderFailure, Reply

REPEATED_SHARE = 0.4
#: Shorter sentences share half of their trigrams by chance.
LEAST_TRIGRAMS = 4
MENTIONS = 4


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
        return Reply(answers(material.summary)[material.index])

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
    said = [re.findall(r"\w+", sentence.lower()) for sentence in sentences]
    grams = [set(zip(each, each[1:], each[2:], strict=False)) for each in said]
    found: dict[int, _Finding] = {}
    for index in range(1, len(sentences)):
        for earlier in range(index):
            shared = len(grams[index] & grams[earlier])
            enough = len(grams[index]) >= LEAST_TRIGRAMS and shared >= REPEATED_SHARE * len(grams[index])
            if enough or (said[index] and said[index] == said[earlier]):
                found[index] = _Finding(f"Was this not told before, in sentence {earlier + 1}?", "duplication")
                break
    return found


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
                question = f"Who or what is {' '.join(sentences[index][name.start : name.end].split())}?"
                found.setdefault(index, []).append(_Finding(question, "entity omission"))
    return found
