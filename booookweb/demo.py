"""The demo: three stories with baseline summaries, a finished study of sample data, and first studies to work in.

Every part is added where it is missing and never changed where it is there, so running it again loses nothing.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypedDict
from uuid import NAMESPACE_URL, uuid5

from django.conf import settings
from django.db import transaction

from annotation.access import annotator_of
from annotation.judge.judges import judge_parameters
from annotation.judge.services import launch_judge_job
from annotation.models import AnnotationSet, Annotator, Assignment, ReviewDecision, Study
from annotation.services.comparison_rounds import add_pairs_of_systems, create_round, open_round
from annotation.services.marks import annotation_set_of, save_annotation, submit_annotation_set
from annotation.services.review import decide, submit_review
from annotation.services.spans import SpanInput
from annotation.services.studies import (
    add_judge,
    add_member,
    add_summaries,
    close_study,
    create_study,
    open_annotating,
    open_review,
)
from booookweb.models import Role, User
from booookweb.services.people import add_person
from summarizer.jobs.runner import run_item
from summarizer.models import Book, Job, Summary
from summarizer.services.books import add_book
from summarizer.services.endpoints import endpoint_named
from summarizer.services.launch import launch_summaries
from summarizer.services.prompt_sets import load_prompt_set
from summarizer.services.systems import SystemParameters, existing_system
from summarizer.text import canonical_text, text_sha256

DATA = Path(__file__).parent / "demo_data"
PEOPLE = [
    ("admin", Role.ADMIN),
    ("researcher", Role.RESEARCHER),
    ("annotator1", Role.ANNOTATOR),
    ("annotator2", Role.ANNOTATOR),
    ("annotator3", Role.ANNOTATOR),
]
#: The two systems of the demo differ in how much of a story one chunk holds, in tokens.
CHUNK_SIZES = (512, 1024)
MAX_SUMMARY_TOKENS = 320
#: Of assignments and shuffles in the demo's studies.
SEED = 1
SAMPLE_STUDY = "sample"
FIRST_STUDY = "first-study"
COMPARISON_STUDY = "first-comparison"
SAMPLE_READERS = ("Sample reader A", "Sample reader B")
SAMPLE_REVIEWER = "Sample reviewer"


class Login(TypedDict):
    role: str
    name: str
    password: str


def add_demo() -> list[Login]:
    """Add what is missing of the demo. Returns the logins, with the password in words where it is no longer known."""
    logins = _add_people()
    books = [_add_story(path) for path in sorted((DATA / "stories").glob("*.txt"))]
    summaries = [summary for size in CHUNK_SIZES for summary in _summarize(books, size)]
    judge = _judge(summaries)
    if not Study.objects.filter(name=SAMPLE_STUDY).exists():
        _make_sample_study(summaries, judge)
    if not Study.objects.filter(name=FIRST_STUDY).exists():
        _make_first_study(summaries[: len(books)], judge)
    if not Study.objects.filter(name=COMPARISON_STUDY).exists():
        _make_comparison_study(summaries)
    return logins


def _add_people() -> list[Login]:
    """The logins. First passwords are kept in var/logins.json, which only the owner of the folder can read."""
    file = settings.VAR_DIR / "logins.json"
    passwords: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    for name, role in PEOPLE:
        if not User.objects.filter(username=name).exists():
            _, passwords[name] = add_person(name=name, role=role)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(passwords, stream, indent=1)
    return [Login(role=role, name=name, password=_shown(name, passwords)) for name, role in PEOPLE]


def _shown(name: str, passwords: dict[str, str]) -> str:
    password = passwords.get(name, "")
    known = bool(password) and User.objects.get(username=name).check_password(password)
    return password if known else "(its password was changed)"


def _add_story(path: Path) -> Book:
    data = path.read_bytes()
    text, _ = canonical_text(data.decode())
    if book := Book.objects.filter(text_sha256=text_sha256(text)).first():
        return book
    return add_book(data=data, filename=path.name)


def _summarize(books: list[Book], chunk_size: int) -> list[Summary]:
    """The summaries of `books` by the extractive baseline, in the order of the books."""
    parameters = SystemParameters(
        endpoint=endpoint_named("extractive"),
        prompt_set=load_prompt_set("default"),
        chunk_size=chunk_size,
        max_summary_tokens=MAX_SUMMARY_TOKENS,
    )
    made = Summary.objects.filter(system=existing_system(parameters), book__in=books)
    if missing := [book for book in books if not made.filter(book=book).exists()]:
        _run(launch_summaries(parameters=parameters, books=missing))
    system = existing_system(parameters)
    return [Summary.objects.get(system=system, book=book) for book in books]


def _judge(summaries: list[Summary]) -> Annotator:
    parameters = judge_parameters(endpoint=endpoint_named("rules"), prompt_set=None)
    launch = launch_judge_job(parameters=parameters, summaries=summaries)
    if launch.job:
        _run(launch.job)
    return launch.judge


def _run(job: Job) -> None:
    """Work off a job here and now; a worker that gets its messages later finds nothing left to do."""
    for item in job.items.order_by("index"):
        run_item(item.pk)


@transaction.atomic
def _make_first_study(summaries: list[Summary], judge: Annotator) -> None:
    study = create_study(name=FIRST_STUDY, title="First study", seed=SEED)
    _set_up(study, summaries, judge)
    for name in ("annotator1", "annotator2"):
        add_member(study=study, annotator=annotator_of(User.objects.get(username=name)))
    open_annotating(study=study)


@transaction.atomic
def _make_comparison_study(summaries: list[Summary]) -> None:
    """The two systems compared on each story, by somebody who has no other task on these stories."""
    study = create_study(name=COMPARISON_STUDY, title="First comparison", review_overlap=0, seed=SEED)
    add_summaries(study=study, summaries=summaries)
    person = annotator_of(User.objects.get(username="annotator3"))
    add_member(study=study, annotator=person, annotates=False, reviews=False, compares=True)
    asked_in = create_round(study=study, name="first")
    add_pairs_of_systems(asked_in=asked_in, one=summaries[0].system, other=summaries[-1].system)
    open_round(asked_in=asked_in)


@transaction.atomic
def _make_sample_study(summaries: list[Summary], judge: Annotator) -> None:
    """A study from start to end: sample readers mark, a sample reviewer reviews. All of it is labelled as samples."""
    study = create_study(name=SAMPLE_STUDY, title="Sample study: three stories", is_sample=True, seed=SEED)
    _set_up(study, summaries, judge)
    for pseudonym in SAMPLE_READERS:
        add_member(study=study, annotator=_sample_person(pseudonym), reviews=False)
    add_member(study=study, annotator=_sample_person(SAMPLE_REVIEWER), annotates=False)
    open_annotating(study=study)
    marks = json.loads((DATA / "sample_marks.json").read_text())
    for assignment in study.assignments.filter(task=Assignment.Task.ANNOTATE):
        _mark(annotation_set_of(assignment), marks)
    open_review(study=study)
    for assignment in study.assignments.filter(task=Assignment.Task.REVIEW):
        _review(assignment)
    close_study(study=study)


def _set_up(study: Study, summaries: Iterable[Summary], judge: Annotator) -> None:
    add_summaries(study=study, summaries=summaries)
    add_judge(study=study, judge=judge)


def _sample_person(pseudonym: str) -> Annotator:
    person, _ = Annotator.objects.get_or_create(
        pseudonym=pseudonym, defaults={"kind": Annotator.Kind.PERSON, "is_sample": True}
    )
    return person


def _mark(annotation_set: AnnotationSet, marks: list[dict[str, Any]]) -> None:
    """Write the sample marks whose quotes stand in the set's summary, and submit the set."""
    text = annotation_set.summary.text
    for number, mark in enumerate(marks):
        quotes = mark["quotes"]
        if not all(quote in text for quote in quotes):
            continue
        save_annotation(
            annotation_set=annotation_set,
            client_key=uuid5(NAMESPACE_URL, f"sample mark {annotation_set.pk} {number}"),
            base_version=0,
            questions=mark["questions"],
            error_type_keys=mark["types"],
            spans=[_span(text, quote) for quote in quotes],
        )
    submit_annotation_set(annotation_set=annotation_set, nothing_found=True)


def _span(text: str, quote: str) -> SpanInput:
    start = text.index(quote)
    return SpanInput(start=start, end=start + len(quote), quote=quote)


def _review(assignment: Assignment) -> None:
    """Decisions of the sample reviewer: of every six marks four agreed with, one partially, one not."""
    items = assignment.study.review_items.filter(annotation__annotation_set__summary=assignment.summary)
    # In the order of the marks, not of the shuffle, so that every installation shows the same figures.
    for number, item in enumerate(items.order_by("annotation")):
        agreement, reasons = SAMPLE_DECISIONS[number % len(SAMPLE_DECISIONS)]
        decide(assignment=assignment, item_key=item.key, agreement=agreement, reasons=reasons)
    submit_review(assignment=assignment)


SAMPLE_DECISIONS: list[tuple[str, list[str]]] = [
    (ReviewDecision.Agreement.AGREE, []),
    (ReviewDecision.Agreement.AGREE, []),
    (ReviewDecision.Agreement.PARTIAL, [ReviewDecision.Reason.DOES_NOT_MATTER]),
    (ReviewDecision.Agreement.AGREE, []),
    (ReviewDecision.Agreement.DISAGREE, []),
    (ReviewDecision.Agreement.AGREE, []),
]
