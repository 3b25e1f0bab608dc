"""A study of any size, written in bulk: what the dashboard and its pages are measured on."""

import itertools
import uuid
from dataclasses import dataclass

from annotation.error_types import ensure_error_types
from annotation.models import (
    Annotation,
    AnnotationErrorType,
    AnnotationSet,
    Annotator,
    ReviewDecision,
    ReviewItem,
    Span,
    Study,
    Verdict,
)
from annotation.services.studies import create_study
from summarizer.models import Book, Sentence, Summary, System

SENTENCES = 45
SENTENCE = "Emma leaves the mill at dawn, and nobody asks where Rolf went. "
TEXT = SENTENCE * SENTENCES
#: Marks of a person on a summary, and of a judge: with two of each, 40 marks a summary.
OF_PERSON, OF_JUDGE = 12, 8
LOTS = {"batch_size": 5000}


@dataclass(frozen=True)
class Sources:
    people: list[Annotator]
    judges: list[Annotator]


def large_study(*, books: int, systems: int, name: str = "large", people_on_each: int = 2) -> Study:
    """`books` x `systems` summaries of 45 sentences, each with 12 marks of every person and 8 of every judge.

    Marks lie in different places from summary to summary; every tenth summary is reviewed. The study is closed.
    """
    study = create_study(name=name)
    summaries = _summaries(study, books, systems)
    people = Annotator.objects.bulk_create(
        Annotator(kind="person", pseudonym=f"P-{name}-{number:03}") for number in range(2 * people_on_each)
    )
    judges = Annotator.objects.bulk_create(
        Annotator(kind="judge", pseudonym=f"judge {name} {letter}", model=f"model {letter}", mode="sentence")
        for letter in "AB"
    )
    study.judges.set(judges)
    marks = [
        *_people(study, summaries, people, people_on_each),
        *_judges(summaries, judges),
    ]
    types = ensure_error_types()
    AnnotationErrorType.objects.bulk_create(
        (AnnotationErrorType(annotation=mark, errortype=types[number % 8]) for number, mark in enumerate(marks)), **LOTS
    )
    _review(study, people[0], [mark for mark in marks if mark.annotation_set.summary_id % 10 == 0])
    study.phase = Study.Phase.CLOSED
    study.save()
    return study


def _summaries(study: Study, books: int, systems: int) -> list[Summary]:
    made_by = System.objects.bulk_create(
        System(name=f"{study.name} system {number:02}", strategy="imported") for number in range(systems)
    )
    about = Book.objects.bulk_create(Book(title=f"Book {number:04}", source_format="none") for number in range(books))
    summaries = Summary.objects.bulk_create(
        (
            Summary(book=book, system=system, text=TEXT, text_sha256="0" * 64, tokens=700 + place, splitter="test")
            for (number, book), (place, system) in itertools.product(enumerate(about), enumerate(made_by))
        ),
        **LOTS,
    )
    Sentence.objects.bulk_create(
        (
            Sentence(summary=each, index=at, start=at * len(SENTENCE), end=(at + 1) * len(SENTENCE) - 1)
            for each in summaries
            for at in range(SENTENCES)
        ),
        **LOTS,
    )
    study.summaries.add(*summaries)
    return summaries


def _people(study: Study, summaries: list[Summary], people: list[Annotator], each: int) -> list[Annotation]:
    sets = AnnotationSet.objects.bulk_create(
        (
            AnnotationSet(
                study=study, annotator=people[(number + turn) % len(people)], summary=summary, state="submitted"
            )
            for number, summary in enumerate(summaries)
            for turn in range(each)
        ),
        **LOTS,
    )
    marks = _annotations(sets, OF_PERSON)
    _spans((mark, _place(number), 10 + number % 80) for number, mark in enumerate(marks))
    return marks


def _judges(summaries: list[Summary], judges: list[Annotator]) -> list[Annotation]:
    sets = AnnotationSet.objects.bulk_create(
        (
            AnnotationSet(annotator=judge, summary=summary, state="submitted")
            for judge in judges
            for summary in summaries
        ),
        **LOTS,
    )
    marks = _annotations(sets, OF_JUDGE)
    _spans(
        (mark, _place(number // 3) // len(SENTENCE) * len(SENTENCE), len(SENTENCE) - 1)
        for number, mark in enumerate(marks)
    )
    sentences: dict[int, list[int]] = {}
    for pk, summary in Sentence.objects.order_by("summary", "index").values_list("pk", "summary_id"):
        sentences.setdefault(summary, []).append(pk)
    of_set: dict[int, list[Annotation]] = {}
    for mark in marks:
        of_set.setdefault(mark.annotation_set_id, []).append(mark)
    Verdict.objects.bulk_create(
        (
            Verdict(
                annotation_set=own,
                sentence_id=sentence,
                state="confused" if at % 5 == 0 and at // 5 < OF_JUDGE else "clean",
                annotation=of_set[own.pk][at // 5] if at % 5 == 0 and at // 5 < OF_JUDGE else None,
            )
            for own in sets
            for at, sentence in enumerate(sentences[own.summary_id])
        ),
        **LOTS,
    )
    return marks


def _place(number: int) -> int:
    """Somewhere in the text, the same on every run and nowhere twice in a row."""
    return (number * 7919) % (len(TEXT) - 100)


def _annotations(sets: list[AnnotationSet], count: int) -> list[Annotation]:
    return Annotation.objects.bulk_create(
        (
            Annotation(annotation_set=own, client_key=uuid.uuid4(), questions="Where did Rolf go?")
            for own in sets
            for _ in range(count)
        ),
        **LOTS,
    )


def _spans(places) -> None:
    Span.objects.bulk_create(
        (
            Span(annotation=mark, start=start, end=start + length, quote=TEXT[start : start + length])
            for mark, start, length in places
        ),
        **LOTS,
    )


def _review(study: Study, reviewer: Annotator, marks: list[Annotation]) -> None:
    items = ReviewItem.objects.bulk_create(
        (ReviewItem(key=uuid.uuid4(), study=study, annotation=mark, order=order) for order, mark in enumerate(marks)),
        **LOTS,
    )
    ReviewDecision.objects.bulk_create(
        (
            ReviewDecision(item=item, reviewer=reviewer, agreement=("agree", "partial", "agree", "disagree")[at % 4])
            for at, item in enumerate(items)
        ),
        **LOTS,
    )
