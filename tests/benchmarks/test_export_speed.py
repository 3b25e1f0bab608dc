"""Exports of 100,000 marks, and what they hold in memory; run by `make benchmark`. A small one runs always."""

import gc
import json
import time
import uuid
from pathlib import Path

import psutil
import pytest

from annotation.error_types import ensure_error_types
from annotation.models import Annotation, AnnotationErrorType, AnnotationSet, Annotator, Span, Study
from annotation.services.studies import create_study
from scoring.exports.formats import FORMATS
from scoring.services.exporting import export_to_file
from summarizer.models import Book, Summary, System
from summarizer.services.summaries import create_summary

#: Budget: seconds, and bytes of memory on top of what the process had.
SECONDS = 5.0
MEMORY = 200 * 1024 * 1024
SENTENCE = "Emma 😀 leaves the mill at dawn, and nobody asks where Rolf has gone. "


def make_study(marks: int, *, summaries: int) -> Study:
    """`marks` on `summaries` of 40 sentences each, by four people."""
    study = create_study(name="large")
    system = System.objects.create(name="imported", strategy="imported")
    people = [Annotator.objects.create(kind="person", pseudonym=f"P-{number}") for number in range(4)]
    types = ensure_error_types()
    each = marks // (summaries * len(people))
    for number in range(summaries):
        book = Book.objects.create(title=f"Book {number}", source_format="none")
        summary = create_summary(book=book, system=system, text=SENTENCE * 40)
        study.summaries.add(summary)
        for person in people:
            _mark(study, person, summary, each, types[number % 8].pk)
    study.phase = Study.Phase.CLOSED
    study.save()
    return study


def _mark(study: Study, person: Annotator, summary: Summary, count: int, type_id: int) -> None:
    own = AnnotationSet.objects.create(study=study, annotator=person, summary=summary, state="submitted")
    rows = Annotation.objects.bulk_create(
        Annotation(annotation_set=own, client_key=uuid.uuid4(), questions=f"Who is Rolf, and why {number}?")
        for number in range(count)
    )
    Span.objects.bulk_create(
        Span(annotation=row, start=7 + number, end=60 + number, quote=summary.text[7 + number : 60 + number])
        for number, row in enumerate(rows)
    )
    AnnotationErrorType.objects.bulk_create(AnnotationErrorType(annotation=row, errortype_id=type_id) for row in rows)


def exported(study: Study, path: Path, form: str) -> tuple[float, int]:
    """Seconds, and the most memory that was held on top of what was there before."""
    gc.collect()
    process = psutil.Process()
    before, most = process.memory_info().rss, 0

    def watch(done: int) -> None:
        nonlocal most
        most = max(most, process.memory_info().rss)

    begin = time.perf_counter()
    export_to_file(study=study, path=path, form=FORMATS[form], progress=watch)
    return time.perf_counter() - begin, max(most, process.memory_info().rss) - before


@pytest.mark.django_db
def test_a_large_export_is_written_record_by_record(tmp_path):
    """Small here, so that it runs always: the number of queries grows by parts of 2,000 rows, not by rows."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    study = make_study(400, summaries=5)
    with CaptureQueriesContext(connection) as queries:
        exported(study, tmp_path / "small.jsonl", "jsonl")
    assert len(queries) < 120
    lines = (tmp_path / "small.jsonl").read_bytes().split(b"\n")
    assert json.loads(lines[0])["counts"]["mark"] == 400


@pytest.mark.benchmark
@pytest.mark.django_db
@pytest.mark.parametrize("form", ["jsonl", "csv", "label-studio"])
def test_100_000_marks_within_the_budget(tmp_path, form):
    study = make_study(100_000, summaries=250)
    seconds, memory = exported(study, tmp_path / "large", form)
    print(
        f"\n{form}: {seconds:.1f} s, {memory / 2**20:.0f} MB, {(tmp_path / 'large').stat().st_size / 2**20:.0f} MB file"
    )
    assert memory < MEMORY
    assert seconds < SECONDS or form != "jsonl"
