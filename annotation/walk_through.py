"""Made-up marks for the review of a walk-through: places of the study's first summary, with questions of nobody."""

from typing import Any
from uuid import uuid4

from annotation.models import Assignment, ErrorType
from annotation.models.studies import ShownAs

EXAMPLES = (
    "An example of a question: who is this?",
    "An example of a question: why does this happen?",
    "An example of a question: how do these two places go together?",
)


def example_items(task: Assignment) -> list[dict[str, Any]]:
    """Up to three marks as the review page gets them: part of a sentence, a sentence, and two places together."""
    sentences = [list(each) for each in task.only_summary.sentences.order_by("index").values_list("start", "end")]
    if not sentences:
        return []
    first, last = sentences[0], sentences[-1]
    part = first if task.study.review_shown_as == ShownAs.SNAPPED else [first[0], _half(task.only_summary.text, *first)]
    places = [[part], [sentences[len(sentences) // 2]], [first, last]][: len(sentences)]
    types = list(ErrorType.objects.filter(retired=False).values_list("name", flat=True)[:1])
    return [
        {
            "key": str(uuid4()),
            "spans": spans,
            "questions": [question],
            "types": types if task.study.types_shown_in_review else [],
            "decision": None,
        }
        for spans, question in zip(places, EXAMPLES, strict=False)
    ]


def _half(text: str, start: int, end: int) -> int:
    """The end of the word in the middle of a stretch."""
    space = text.find(" ", (start + end) // 2, end)
    return space if space > start else end
