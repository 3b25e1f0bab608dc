"""Rows that tests start from. Each function makes what it needs around the row it returns."""

import hashlib
import itertools
import re
import uuid
from collections.abc import Sequence
from functools import cache
from typing import Any

from django.contrib.auth.hashers import make_password

from annotation.error_types import ensure_error_types
from annotation.faithfulness.plans import create_plan
from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    ComparisonRound,
    ComparisonSheet,
    ErrorType,
    FaithfulnessPlan,
    SampledUnit,
    Span,
    Study,
    StudyMember,
    UnitSample,
)
from annotation.services.comparison_rounds import add_pair, create_round, open_round
from annotation.services.studies import add_member, add_summaries, create_study
from booookweb.models import Role, User
from summarizer.models import Book, Sentence, Summary, System

_numbers = itertools.count(1)


def make_user(role: str = Role.ANNOTATOR, name: str = "") -> User:
    """A login with the password "secret"."""
    return User.objects.create(username=name or f"person{next(_numbers)}", password=_hashed("secret"), role=role)


@cache
def _hashed(password: str) -> str:
    """Hashing is slow by design; once a run is enough."""
    return make_password(password)


def make_annotator(user: User | None = None) -> Annotator:
    """Under a pseudonym with a 0, which no random one has: none is part of another."""
    user = user or make_user()
    return Annotator.objects.create(kind=Annotator.Kind.PERSON, pseudonym=f"P-{next(_numbers):05}", user=user)


def make_summary(text: str = "Emma left. Rolf stayed.", title: str = "The Mill") -> Summary:
    """A summary of a new book by an imported system; a sentence ends with a mark and the white space after it."""
    number = next(_numbers)
    book = Book.objects.create(title=title, source_format=Book.Format.NO_TEXT)
    # Padded, so that names sort as they were made.
    system = System.objects.create(name=f"system {number:05}", strategy=System.Strategy.IMPORTED)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    summary = Summary.objects.create(
        book=book, system=system, text=text, text_sha256=sha256, tokens=len(text.split()), splitter="test"
    )
    stretches = [match.span() for match in re.finditer(r"\S.*?(?:[.!?]+”?(?=\s|$)|$)", text, re.DOTALL)]
    Sentence.objects.bulk_create(
        Sentence(summary=summary, index=index, start=start, end=end) for index, (start, end) in enumerate(stretches)
    )
    return summary


def make_annotate_task(
    text: str = "Emma left. Rolf stayed.", *, annotator: Annotator | None = None, title: str = "The Mill"
) -> Assignment:
    """An open annotate task on a new summary, in a study that is annotating and has its annotator as a member."""
    ensure_error_types()
    number = next(_numbers)
    study = Study.objects.create(name=f"study-{number}", title="A study", phase=Study.Phase.ANNOTATING)
    summary = make_summary(text, title)
    study.summaries.add(summary)
    annotator = annotator or make_annotator()
    StudyMember.objects.create(study=study, annotator=annotator, reviews=False)
    return Assignment.objects.create(
        key=uuid.uuid4(),
        study=study,
        annotator=annotator,
        task=Assignment.Task.ANNOTATE,
        summary=summary,
    )


def make_pair(first: str = "Emma left.", second: str = "Rolf stayed.", *, title: str = "The Mill") -> list[Summary]:
    """Two summaries of one new book by two new systems, in the order of the systems' names."""
    one, other = make_summary(first, title), make_summary(second, title)
    unused, other.book = other.book, one.book
    other.save()
    unused.delete()
    return [one, other]


def make_round(*pairs: Sequence[Summary], overlap: int = 1, members: Sequence[Annotator] = ()) -> ComparisonRound:
    """A round in setup on these pairs with the usual questions, in a study of them in which the members compare."""
    study = create_study(name=f"comparing-{next(_numbers)}", review_overlap=0)
    add_summaries(study=study, summaries=[summary for pair in pairs for summary in pair])
    for annotator in members:
        add_member(study=study, annotator=annotator, annotates=False, reviews=False, compares=True)
    asked_in = create_round(study=study, name="formal", overlap=overlap)
    for one, other in pairs:
        add_pair(asked_in=asked_in, one=one, other=other)
    return asked_in


def make_compare_task(
    first: str = "Emma left.",
    second: str = "Rolf stayed.",
    *,
    annotator: Annotator | None = None,
    first_is_a: bool = True,
) -> Assignment:
    """An open comparison of two new summaries."""
    annotator = annotator or make_annotator()
    open_round(asked_in=make_round(make_pair(first, second), members=[annotator]))
    task = Assignment.objects.get(annotator=annotator, comparison__first__text=first, state="open")
    ComparisonSheet.objects.filter(assignment=task).update(first_is_a=first_is_a)
    return task


def make_judge(name: str = "") -> Annotator:
    return Annotator.objects.create(kind=Annotator.Kind.JUDGE, pseudonym=name or f"judge {next(_numbers)}")


def make_marks(
    summary: Summary,
    annotator: Annotator,
    *,
    spans: Sequence[Sequence[tuple[int, int]]] = (((0, 4),),),
    study: Study | None = None,
    questions: str = "Who is Emma?",
    types: Sequence[str] = ("entity omission",),
    state: str = AnnotationSet.State.SUBMITTED,
) -> AnnotationSet:
    """A set with one mark for each entry of `spans`: one span, or two for a relation. A judge's set has no study."""
    ensure_error_types()
    annotation_set = AnnotationSet.objects.create(
        study=study if annotator.kind == Annotator.Kind.PERSON else None,
        annotator=annotator,
        summary=summary,
        state=state,
    )
    for places in spans:
        mark = Annotation.objects.create(annotation_set=annotation_set, client_key=uuid.uuid4(), questions=questions)
        mark.error_types.set(ErrorType.objects.filter(key__in=types))
        for position, (start, end) in enumerate(places):
            quote = summary.text[start:end]
            Span.objects.create(annotation=mark, position=position, start=start, end=end, quote=quote)
    return annotation_set


def make_plan(*summaries: Summary, state: str = FaithfulnessPlan.State.SETUP, **settings: Any) -> FaithfulnessPlan:
    """A plan with units by the rule, in a new study of these summaries in setup."""
    study = create_study(name=f"faithful-{next(_numbers)}", review_overlap=0)
    add_summaries(study=study, summaries=summaries or [make_summary()])
    plan = create_plan(study=study, **settings)
    FaithfulnessPlan.objects.filter(pk=plan.pk).update(state=state)
    return FaithfulnessPlan.objects.get(pk=plan.pk)


def make_fine_task(
    *summaries: Summary, annotator: Annotator | None = None, hints_shown: bool = True, **settings: Any
) -> Assignment:
    """An open task to judge all units of the first of these summaries, in a study of them whose plan is open."""
    task = _make_checking_task(Assignment.Task.FINE, *summaries, annotator=annotator, **settings)
    units = task.study.faithfulness.units.filter(summary=task.summary, same_as=None).order_by("index")
    UnitSample.objects.create(assignment=task, seed="test", hints_shown=hints_shown)
    SampledUnit.objects.bulk_create(
        SampledUnit(assignment=task, unit=unit, position=position) for position, unit in enumerate(units)
    )
    return task


def make_coarse_task(*summaries: Summary, annotator: Annotator | None = None, **settings: Any) -> Assignment:
    """An open task to rate the first of these summaries, in a study of them whose plan is open."""
    return _make_checking_task(Assignment.Task.COARSE, *summaries, annotator=annotator, **settings)


def _make_checking_task(task: str, *summaries: Summary, annotator: Annotator | None, **settings: Any) -> Assignment:
    plan = make_plan(*summaries, state=FaithfulnessPlan.State.OPEN, **settings)
    annotator = annotator or make_annotator()
    fine = task == Assignment.Task.FINE
    StudyMember.objects.create(
        study=plan.study, annotator=annotator, annotates=False, reviews=False, judges_units=fine, rates=not fine
    )
    summary = summaries[0] if summaries else plan.study.summaries.get()
    return Assignment.objects.create(
        key=uuid.uuid4(), study=plan.study, annotator=annotator, task=task, summary=summary
    )
