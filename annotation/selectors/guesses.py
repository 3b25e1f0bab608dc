"""The marks whose origin a reviewer guesses, as they were shown in the review."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.db.models import Prefetch

from annotation.models import Assignment, OriginGuess, Span
from annotation.places import Form, Place, form_of, snapped
from annotation.selectors.review import items_of, places_shown, question_lines

#: A stretch of text, and whether it is marked.
Piece = tuple[str, bool]


@dataclass(frozen=True)
class MarkToGuess:
    key: str
    #: The sentences around each place of the mark.
    passages: list[list[Piece]]
    questions: list[str]
    guess: str


def guesses_asked(assignment: Assignment) -> bool:
    """Whether the task is its reviewer's last in the study: guessing earlier would set them looking for sources."""
    return not (
        Assignment.objects.filter(
            study=assignment.study_id,
            annotator=assignment.annotator_id,
            task=Assignment.Task.REVIEW,
            state=Assignment.State.OPEN,
        )
        .exclude(pk=assignment.pk)
        .exists()
    )


def guesses_missing(assignment: Assignment) -> bool:
    guesses = OriginGuess.objects.filter(assignment=assignment)
    return not guesses.exists() or guesses.filter(guess="").exists()


def forms_shown(assignment: Assignment) -> dict[int, Form]:
    """Place of each mark in the review's order -> the form that the reviewer saw."""
    places, sentences = places_shown(assignment), _sentences(assignment)
    items = items_of(assignment).prefetch_related("annotation__spans")
    return {item.order: form_of(places(_spans(item.annotation.spans.all())), sentences) for item in items}


def marks_to_guess(assignment: Assignment) -> list[MarkToGuess]:
    """The drawn marks in their stored order; what it depends on is only what was marked, asked and guessed."""
    places, sentences = places_shown(assignment), _sentences(assignment)
    guesses = (
        OriginGuess.objects.filter(assignment=assignment)
        .order_by("order")
        .prefetch_related(Prefetch("item__annotation__spans", queryset=Span.objects.order_by("start", "end")))
    )
    return [
        MarkToGuess(
            key=str(guess.item.key),
            passages=passages(
                assignment.only_summary.text, places(_spans(guess.item.annotation.spans.all())), sentences
            ),
            questions=question_lines(guess.item.annotation.questions),
            guess=guess.guess,
        )
        for guess in guesses.select_related("item__annotation")
    ]


def passages(text: str, spans: Sequence[Place], sentences: Sequence[Place]) -> list[list[Piece]]:
    """The whole sentences that the spans touch, each stretch in pieces that are marked or not."""
    found = []
    for start, end in snapped(spans, sentences):
        inside = [(max(start, first), min(end, last)) for first, last in spans if first < end and start < last]
        edges = sorted({start, end, *(edge for span in inside for edge in span)})
        found.append(
            [(text[one:other], any(first <= one < last for first, last in inside)) for one, other in pairwise(edges)]
        )
    return found


def _sentences(assignment: Assignment) -> list[Place]:
    return list(assignment.only_summary.sentences.order_by("start").values_list("start", "end"))


def _spans(spans: Iterable[Span]) -> list[Place]:
    return [(span.start, span.end) for span in spans]
