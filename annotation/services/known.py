"""Setting up attention checks: known summaries for annotating, planted marks for the review."""

from collections.abc import Collection
from uuid import uuid4

from django.db import transaction

from annotation.known import PlacesError, read_places
from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    ErrorType,
    GoldDecision,
    GoldSet,
    KnownPlace,
    KnownSummary,
    PlantedMark,
    Purpose,
    Span,
    Study,
)
from annotation.places import Place
from annotation.services.studies import StudyError
from summarizer.models import Book, Summary, System
from summarizer.services.summaries import create_summary
from summarizer.text import canonical_text

#: The system whose summaries researchers wrote or changed to know where they confuse.
SYSTEM = "known summaries"
#: Whose marks planted ones are. It has no login, and its sets count in no figure.
PLANTER = "Planted marks"


@transaction.atomic
def add_known_summary(
    *,
    study: Study,
    summary: Summary,
    purpose: str = Purpose.CHECK,
    places: Collection[Place] = (),
    by_id: int | None = None,
) -> KnownSummary:
    """Raises StudyError once the study is open, or where people would meet the book in its own summaries too."""
    study = _in_setup(study)
    if study.summaries.filter(book__title__iexact=summary.book.title).exists():
        raise StudyError(
            f"The study has a summary of “{summary.book.title}” itself. Choose one of another book: whoever reads two "
            "summaries of a book finds the answers to one in the other."
        )
    if study.known_summaries.filter(summary__book__title__iexact=summary.book.title).exists():
        raise StudyError(f"There is a known summary of “{summary.book.title}” in this study already.")
    known = KnownSummary.objects.create(study=study, summary=summary, purpose=purpose, created_by_id=by_id)
    _add_places(known, places)
    return known


@transaction.atomic
def add_known_text(
    *, study: Study, title: str, text: str, author: str = "", purpose: str = Purpose.CHECK, by_id: int | None = None
) -> KnownSummary:
    """A summary made from a text in which `[[` and `]]` enclose the known places, of a book with this title
    (and author: without one it would stand out among books that have one).

    Raises StudyError as `add_known_summary` does, or where brackets do not fit.
    """
    try:
        plain, places = read_places(canonical_text(text)[0])
    except PlacesError as error:
        raise StudyError(str(error)) from error
    if not plain.strip() or not title.strip():
        raise StudyError("Give the title of the book and the text of the summary.")
    book = Book.objects.create(
        title=title.strip(), author=author.strip(), source_format=Book.Format.NO_TEXT, added_by_id=by_id
    )
    system, _ = System.objects.get_or_create(name=SYSTEM, defaults={"strategy": System.Strategy.IMPORTED})
    summary = create_summary(book=book, system=system, text=plain)
    return add_known_summary(study=study, summary=summary, purpose=purpose, places=places, by_id=by_id)


@transaction.atomic
def set_known_sentences(*, known: KnownSummary, sentences: Collection[int], kept: Collection[int]) -> None:
    """Make the sentences with these indices known places, and keep of the places there are those with these keys.

    A sentence in which a place is kept already makes no second one.
    """
    _in_setup(known.study)
    known.places.exclude(pk__in=kept).delete()
    places = list(known.places.values_list("start", "end"))
    chosen = known.summary.sentences.filter(index__in=sentences).values_list("start", "end")
    _add_places(
        known,
        [(start, end) for start, end in chosen if not any(first < end and start < last for first, last in places)],
    )


@transaction.atomic
def take_gold_set(*, known: KnownSummary, gold_set: GoldSet) -> int:
    """Make the marks of a finished gold set known places, with their kinds of error; returns how many places are new.

    What people asked stays behind: they may withdraw it. Explanations are the researchers' own.
    """
    _in_setup(known.study)
    if gold_set.summary_id != known.summary_id or gold_set.state != GoldSet.State.FINISHED:
        raise StudyError("This is no finished gold set of the summary.")
    new = 0
    marks = gold_set.decisions.filter(outcome=GoldDecision.Outcome.MARK).prefetch_related("spans", "error_types")
    for mark in marks:
        for span in mark.spans.all():
            place, created = KnownPlace.objects.get_or_create(
                known=known, start=span.start, end=span.end, defaults={"quote": span.quote}
            )
            place.error_types.add(*mark.error_types.all())
            new += created
    return new


@transaction.atomic
def remove_known_summary(*, known: KnownSummary) -> None:
    """Raises StudyError once the study is open. The summary itself stays."""
    _in_setup(known.study)
    known.delete()


@transaction.atomic
def plant_mark(
    *,
    study: Study,
    summary: Summary,
    place: Place,
    question: str,
    error_type: ErrorType,
    expected: str,
    by_id: int | None = None,
) -> PlantedMark:
    """A mark for the review of the study. Raises StudyError once the review is open, or where it is planted already."""
    study = _before_review(study)
    if not study.summaries.filter(pk=summary.pk).exists():
        raise StudyError("This summary is not in the study.")
    if not question.strip():
        raise StudyError("Write the question that reviewers get.")
    annotation_set, _ = AnnotationSet.all_purposes.get_or_create(
        study=study,
        annotator=_planter(),
        summary=summary,
        defaults={"purpose": Purpose.PLANTED, "state": AnnotationSet.State.SUBMITTED},
    )
    start, end = place
    if annotation_set.annotations.filter(questions=question, spans__start=start, spans__end=end).exists():
        raise StudyError("This mark is planted already. A reviewer who met it twice would know it for a planted one.")
    annotation = Annotation.objects.create(annotation_set=annotation_set, client_key=uuid4(), questions=question)
    annotation.error_types.add(error_type)
    Span.objects.create(annotation=annotation, start=start, end=end, quote=summary.text[start:end])
    return PlantedMark.objects.create(annotation=annotation, expected=expected, created_by_id=by_id)


@transaction.atomic
def remove_planted(*, study: Study, planted: PlantedMark) -> None:
    """Raises StudyError once the review is open."""
    _before_review(study)
    planted.annotation.delete()


def _planter() -> Annotator:
    planter, _ = Annotator.objects.get_or_create(pseudonym=PLANTER, defaults={"kind": Annotator.Kind.PERSON})
    return planter


def _add_places(known: KnownSummary, places: Collection[Place]) -> None:
    KnownPlace.objects.bulk_create(
        KnownPlace(known=known, start=start, end=end, quote=known.summary.text[start:end]) for start, end in places
    )


def _in_setup(study: Study) -> Study:
    study = Study.objects.select_for_update().get(pk=study.pk)
    if study.phase != Study.Phase.SETUP:
        raise StudyError("Tasks are given out, so the known summaries of this study stay as they are.")
    return study


def _before_review(study: Study) -> Study:
    study = Study.objects.select_for_update().get(pk=study.pk)
    if study.phase not in (Study.Phase.SETUP, Study.Phase.ANNOTATING):
        raise StudyError("The review has been opened, so no mark can be planted or taken out any more.")
    return study
