"""What people are told about the scales of whole-summary ratings, and what counts as correct. Pure."""

from dataclasses import dataclass
from typing import Any

from annotation.faithfulness.scales import SCALES

#: What counts as correct, for both kinds of tasks.
SUPPORTED = (
    "The source says it, or it follows from what the source says without guessing.",
    "Other words for the same are fine; a different name, number, time, order or reason is not.",
    "What is true in the world but is not in the source is not supported.",
    "If one part of it is wrong, it is not supported.",
)
CORRECT = (
    "A summary is correct as far as everything it says is supported by the source.",
    "A statement is not correct if the source contradicts it, or if the source does not say it at all.",
    "Only what the summary says counts: not what it leaves out, and not how well it is written.",
)

_SHARES = ("Nothing", "A little", "Less than half", "More than half", "Almost all", "All")
_SHARES_FROM_1 = ("Almost nothing", "Less than half", "About half", "Almost all", "All")


@dataclass(frozen=True)
class Step:
    value: int
    words: str


#: By scale, the lowest first; 0-100 is a number between the first and the last.
STEPS = {
    "0-5": tuple(Step(value, words) for value, words in enumerate(_SHARES, SCALES["0-5"].lowest)),
    "1-5": tuple(Step(value, words) for value, words in enumerate(_SHARES_FROM_1, SCALES["1-5"].lowest)),
    "0-100": (Step(0, "Nothing is correct"), Step(100, "All is correct")),
}


def scale_shown(scale: str) -> dict[str, Any]:
    """What a page shows of a scale (templates/annotation/faithfulness/_rating.html), and what counts as correct."""
    return {"steps": STEPS[scale], "by_number": scale == "0-100", "correct": CORRECT}
