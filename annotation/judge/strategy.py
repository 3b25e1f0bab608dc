"""Judging a summary sentence by sentence (BooookScore, section 4.1), as a pure strategy.

One step a sentence, all in one batch. Everything goes by the sentence's index, never by its text: a summary may say the
same twice. An answer that cannot be read is asked for again a bounded number of times and then stays unparsed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotation.judge.parsing import State, parse_answer
from summarizer.prompts import PromptFiles
from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Failure, Outcome, Step, Strategy, StrategyFailed

PROMPT_FILE = "get_annotations.txt"
BATCH_PROMPT_FILE = "get_annotations_v2.txt"
#: How often one sentence is asked about in all: once, and twice again when the answer cannot be read.
TRIES = 3
#: Tokens of a usual answer, for the plan.
EXPECTED_ANSWER_TOKENS = 30
#: Added to the prompt when the answer before could not be read. It says nothing about the verdict.
REMINDER = (
    "\n\nGive your answer in exactly two lines and nothing else. The first begins with “Questions:”, the second with "
    "“Types:”; both say “no confusion” if the sentence confuses nobody."
)

#: What another try in other words may cure.
ASKED_AGAIN = frozenset({FailureKind.TRUNCATED, FailureKind.EMPTY})
#: What says something about this sentence alone; the runner has retried malformed answers already. Every other failure
#: means that the endpoint cannot judge at all.
_ONE_SENTENCE = ASKED_AGAIN | {FailureKind.REFUSED, FailureKind.FILTERED, FailureKind.MALFORMED}

_TAG = re.compile(r"<(?=/?\s*(?:summary|sentence)\s*/?>)", re.IGNORECASE)
_ANSWER_KEY = re.compile(r"\b(?:questions?|types?)\b[*_`\s]*:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class JudgedSummary:
    """What is judged: the text and its sentences as `[start, end)` in code points, in order."""

    text: str
    sentences: tuple[tuple[int, int], ...]

    def sentence(self, index: int) -> str:
        start, end = self.sentences[index]
        return self.text[start:end]


@dataclass(frozen=True, slots=True)
class SentenceMaterial:
    """What a step is about, for the rule baseline."""

    summary: JudgedSummary
    index: int


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """`max_answer_tokens` is for one sentence. `batch_size`: sentences a call in batch mode, None in sentence mode."""

    prompts: PromptFiles
    temperature: float
    max_answer_tokens: int
    batch_size: int | None = None

    @property
    def prompt_file(self) -> str:
        return PROMPT_FILE if self.batch_size is None else BATCH_PROMPT_FILE

    @property
    def has_tags(self) -> bool:
        """Whether the template has tags around the texts, as our own does."""
        return "<summary>" in self.prompts.files[self.prompt_file]


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """The verdict on sentence `index`; `call_id` is the ledger's row of the answer that counted."""

    index: int
    state: State
    questions: str = ""
    types: tuple[str, ...] = ()
    problem: str = ""
    call_id: int | None = None


def judge_sentences(summary: JudgedSummary, settings: JudgeSettings) -> Strategy[list[SentenceVerdict]]:
    """One verdict for every sentence, in order.

    Raises `StrategyFailed` for a failure that says nothing about the sentence (the key is refused, the server is down,
    the prompt does not fit), and when the endpoint never gave an answer in the protocol's form.
    """
    verdicts: dict[int, SentenceVerdict] = {}
    failures: dict[int, Failure] = {}
    waiting = list(range(len(summary.sentences)))
    for attempt in range(TRIES):
        steps = [_step(summary, settings, index, attempt, failures.get(index)) for index in waiting]
        outcomes = yield steps
        require_an_endpoint_that_can_judge(steps, outcomes)
        for index, step, outcome in zip(waiting, steps, outcomes, strict=True):
            verdicts[index] = _verdict(summary, index, step, outcome)
            failures.pop(index, None)
            if isinstance(outcome, Failure):
                failures[index] = outcome
        waiting = [index for index in waiting if _worth_another_try(verdicts[index], failures.get(index))]
        if not waiting:
            break
    _require_an_endpoint_that_answers(verdicts, failures)
    return [verdicts[index] for index in range(len(summary.sentences))]


def sentence_prompt(summary: JudgedSummary, prompts: PromptFiles, index: int) -> str:
    """The prompt about one sentence. In a template with tags around the texts, the texts cannot hold such tags."""
    texts: Mapping[str, str] = {"summary": summary.text, "sentence": summary.sentence(index)}
    if "<summary>" in prompts.files[PROMPT_FILE]:
        texts = {name: _without_tags(text) for name, text in texts.items()}
    return prompts.render(PROMPT_FILE, **texts)


def is_demonstration(text: str, settings: JudgeSettings) -> bool:
    """Whether the prompt shows this summary as a demonstration (white space aside)."""
    wanted = one_line(text)
    return bool(wanted) and wanted in _template_in_one_line(settings.prompts.files[settings.prompt_file])


def _step(
    summary: JudgedSummary, settings: JudgeSettings, index: int, attempt: int, last_failure: Failure | None
) -> Step:
    cut_off = last_failure is not None and last_failure.kind is FailureKind.TRUNCATED
    name = f"sentence {index + 1}"
    return Step(
        name=name if attempt == 0 else f"{name}, try {attempt + 1}",
        prompt=sentence_prompt(summary, settings.prompts, index) + (REMINDER if attempt else ""),
        max_tokens=settings.max_answer_tokens * (2**attempt if cut_off else 1),
        temperature=settings.temperature,
        material=SentenceMaterial(summary, index),
        expected_tokens=min(EXPECTED_ANSWER_TOKENS, settings.max_answer_tokens),
    )


def _verdict(summary: JudgedSummary, index: int, step: Step, outcome: Outcome) -> SentenceVerdict:
    if isinstance(outcome, Failure):
        problem = f"{outcome.kind.capitalize()}: {outcome.message}"
        return SentenceVerdict(index, State.UNPARSED, problem=problem, call_id=outcome.call_id)
    if is_echo(outcome.text, step.prompt, summary):
        problem = "The reply repeats the prompt."
        return SentenceVerdict(index, State.UNPARSED, problem=problem, call_id=outcome.call_id)
    parsed = parse_answer(_without_quoted_answer(outcome.text, summary.sentence(index)))
    return SentenceVerdict(index, parsed.state, parsed.questions, parsed.types, parsed.problem, outcome.call_id)


def _worth_another_try(verdict: SentenceVerdict, failure: Failure | None) -> bool:
    return verdict.state is State.UNPARSED and (failure is None or failure.kind in ASKED_AGAIN)


def require_an_endpoint_that_can_judge(steps: Sequence[Step], outcomes: Sequence[Outcome]) -> None:
    """Raises `StrategyFailed` with all steps whose failures say nothing about their sentences."""
    fatal = [
        (step.name, outcome)
        for step, outcome in zip(steps, outcomes, strict=True)
        if isinstance(outcome, Failure) and outcome.kind not in _ONE_SENTENCE
    ]
    if fatal:
        raise StrategyFailed(*fatal[0], [name for name, _ in fatal[1:]])


def _require_an_endpoint_that_answers(verdicts: Mapping[int, SentenceVerdict], failures: Mapping[int, Failure]) -> None:
    malformed = [index for index, failure in failures.items() if failure.kind is FailureKind.MALFORMED]
    if malformed and len(failures) == len(verdicts):
        raise StrategyFailed(f"sentence {malformed[0] + 1}", failures[malformed[0]])


def _without_tags(text: str) -> str:
    return _TAG.sub("‹", text)


def is_echo(reply: str, prompt: str, summary: JudgedSummary) -> bool:
    """Whether the reply gives back the prompt, its beginning, or the whole summary (of several sentences)."""
    said = one_line(reply)
    if said and one_line(prompt[: 2 * len(reply)]).startswith(said):
        return True
    if len(reply) >= len(prompt) // 2 and one_line(prompt) in said:
        return True
    return len(summary.sentences) > 1 and _as_shown(summary.text) in said.replace("<", "‹")


@lru_cache(maxsize=64)
def _as_shown(text: str) -> str:
    return one_line(_without_tags(text)).replace("<", "‹")


def _without_quoted_answer(reply: str, sentence: str) -> str:
    """The reply without the sentence under test, where that sentence itself reads like an answer."""
    if not _ANSWER_KEY.search(sentence):
        return reply
    quoted = r"\s+".join(map(re.escape, sentence.split()))
    return re.sub(quoted, " ", reply)


@lru_cache(maxsize=16)
def _template_in_one_line(template: str) -> str:
    return one_line(template)


def one_line(text: str) -> str:
    return " ".join(text.split())
