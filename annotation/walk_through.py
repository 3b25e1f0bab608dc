"""What a walk-through shows: made-up marks to review, with questions of nobody, and two summaries to compare."""

from itertools import pairwise
from typing import Any
from uuid import uuid4

from annotation.comparison_questions import DEFAULT_QUESTIONS
from annotation.models import Assignment, ErrorType, Study
from annotation.models.studies import ShownAs
from annotation.selectors.comparing import AskedQuestion, as_asked
from summarizer.models import Summary

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


def example_pair(study: Study) -> tuple[Summary, Summary] | None:
    """The first pair of the study's newest round with pairs, or else two summaries of one of its books."""
    pairs = study.comparisons.exclude(asked_in=None).select_related("first__book", "second")
    if pair := pairs.order_by("-asked_in", "pk").first():
        return pair.first, pair.second
    summaries = study.summaries.select_related("book").order_by("book", "pk")
    for one, other in pairwise(summaries):
        if one.book_id == other.book_id and one.system_id != other.system_id:
            return one, other
    return None


def example_questions(study: Study) -> list[AskedQuestion]:
    """Those of the round that `example_pair` is from, or else those that a round begins with."""
    pair = study.comparisons.exclude(asked_in=None).order_by("-asked_in", "pk").first()
    asked_in = pair.asked_in if pair else study.comparison_rounds.order_by("-pk").first()
    return as_asked(asked_in.questions.order_by("order") if asked_in else DEFAULT_QUESTIONS)
