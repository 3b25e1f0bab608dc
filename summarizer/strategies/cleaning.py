"""Cleaning (BooookScore, appendix M.3): a second version of a summary, without traces of its stepwise making and
without what comes from non-narrative parts of the book."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from summarizer.strategies.asking import Question, ask
from summarizer.strategies.base import Strategy, StrategyFailed
from summarizer.strategies.fit import WINDOW_MARGIN, DoesNotFit
from summarizer.strategies.incremental import word_count
from summarizer.strategies.records import CleaningMaterial, Node, SummaryResult, SummarySettings
from summarizer.tokens import count_tokens

REMOVE_ARTIFACTS = "remove_artifacts.txt"
PROMPT_FILES = (REMOVE_ARTIFACTS,)

CLEANING_TRIES = 3
#: It is to remove phrases, and perhaps a passage; what loses more words than this has been written anew or cut.
MOST_LOST_PERCENT = 30


@dataclass(frozen=True, slots=True)
class CleanedResult:
    """The cleaned version, and the summary it was made from if that was made in the same run."""

    node: Node
    made: SummaryResult | None = None


def check_fit(settings: SummarySettings) -> None:
    """Raises `DoesNotFit` unless the longest summary fits the window twice beside the cleaning prompt."""
    prompt = count_tokens(settings.prompts.render(REMOVE_ARTIFACTS, summary=""))
    longest = (settings.window - WINDOW_MARGIN - prompt) // 2
    if settings.max_summary_tokens > longest:
        raise DoesNotFit(
            f"The window of {settings.window:,} tokens is too small to clean summaries of up to "
            f"{settings.max_summary_tokens:,} tokens. The longest summary that works is {max(0, longest):,} tokens."
        )


def clean(summary: str, settings: SummarySettings) -> Strategy[Node]:
    """The cleaned `summary`. An answer that is empty, cut off, longer than the summary could be or has lost more than
    `MOST_LOST_PERCENT` of its words is refused and asked again. Raises `StrategyFailed` after `CLEANING_TRIES`."""
    tokens, words = count_tokens(summary), word_count(summary)
    #: A little more than it has: taking out half a sentence may need a word or two of mending.
    limit = max(tokens, min(settings.max_summary_tokens, tokens * 11 // 10 + 16))

    def fault(text: str) -> str:
        left = word_count(text)
        if 100 * left >= (100 - MOST_LOST_PERCENT) * words:
            return ""
        return f"Of {words:,} words {left:,} are left: more than {MOST_LOST_PERCENT} % were lost, which is no cleaning."

    prompt = settings.prompts.render(REMOVE_ARTIFACTS, summary=summary)
    question = Question(
        name="cleaning",
        prompt=lambda _: prompt,
        limit=limit,
        temperature=settings.temperature,
        texts=(summary,),
        expected=tokens,
        material=lambda _: CleaningMaterial(summary),
        fault=fault,
    )
    (answer,) = yield from ask([question], CLEANING_TRIES)
    return Node(kind="cleaning", level=0, index=0, text=answer.text, tokens=answer.tokens, call_id=answer.call_id)


def made_and_cleaned(
    making: Strategy[SummaryResult],
    settings: SummarySettings,
    keep: Callable[[SummaryResult], str] = lambda made: "",
) -> Strategy[CleanedResult]:
    """Both versions of a new summary. Whether the cleaning fits is looked at before anything is asked.

    Where the cleaning does not come to its end, `keep` gets what was made, and says what became of it.
    """
    check_fit(settings)
    made = yield from making
    try:
        node = yield from clean(made.text, settings)
    except StrategyFailed as failed:
        message = f"{failed.failure.message} {keep(made)}".strip()
        raise StrategyFailed(failed.step, replace(failed.failure, message=message)) from failed
    except GeneratorExit:
        keep(made)
        raise
    return CleanedResult(node, made)


def only_cleaned(summary: str, settings: SummarySettings) -> Strategy[CleanedResult]:
    """The cleaned version of a summary that is there already."""
    check_fit(settings)
    node = yield from clean(summary, settings)
    return CleanedResult(node)
