"""Every figure of a report, intervals too, is the same in another database, in whatever order its ids are."""

import uuid
from random import Random

import pytest

from annotation.error_types import ensure_error_types
from annotation.models import (
    Annotation,
    Annotator,
    Comparison,
    ComparisonAnswer,
    ReviewDecision,
    ReviewItem,
    Study,
    UnitVerdict,
    Verdict,
)
from scoring.models import MetricValue
from scoring.report import build_report
from scoring.report.writing import report_json
from summarizer.models import Book, Section, Summary, System
from summarizer.services.references import add_reference
from summarizer.services.summaries import create_summary
from summarizer.text import text_sha256
from tests.factories import make_marks
from tests.scoring.exports.test_dataset_and_script import recomputed
from tests.scoring.exports.test_round_trip import bring_in, export, records
from tests.scoring.exports.whole_study import empty_database
from tests.scoring.test_faithfulness import judged, planned, rated, same_faithfulness
from tests.scoring.test_unit_judges import make_unit_judge

pytestmark = pytest.mark.django_db

#: Neither in the order in which they are made.
BOOKS, SYSTEMS = "CAFBED", ("middle", "alpha", "zeta")
NAMES = ("Emma", "Rolf", "Mia", "Zoe", "Ida")


def summary_texts(lot):
    return " ".join(f"{lot.choice(NAMES)} left {lot.choice(NAMES)} and {lot.choice(NAMES)} stayed." for _ in range(4))


def made(lot):
    """Six books, of which two share a title, by three systems."""
    systems = [System.objects.create(name=name, strategy="imported") for name in SYSTEMS]
    found = []
    for name in BOOKS:
        text = summary_texts(lot) * 3
        book = Book.objects.create(
            title="The Mill" if name in "AE" else f"Book {name}",
            source_name=f"{name}.epub",
            source_format="text",
            text=text,
            text_sha256=text_sha256(text),
        )
        Section.objects.create(book=book, index=0, start=0, end=len(text))
        add_reference(book=book, text=summary_texts(lot))
        found += [create_summary(book=book, system=system, text=summary_texts(lot)) for system in systems]
    return found


def many_answers():
    """Three people, one of them on half of the books alone, two judges and one of units; answers are drawn."""
    lot = Random(5)
    summaries = made(lot)
    study = planned(*summaries, fine_overlap=2, coarse_overlap=2, hints="randomised")
    Study.objects.filter(pk=study.pk).update(seed=11)
    people = [Annotator.objects.create(kind="person", pseudonym=f"P-{name}") for name in "CAB"]
    judges = [
        Annotator.objects.create(kind="judge", pseudonym=f"judge {name}", model=f"m{name}", mode="sentence")
        for name in "BA"
    ]
    study.judges.set(judges)
    of_units = make_unit_judge()
    for number, summary in enumerate(summaries):
        sentences = list(summary.sentences.values_list("start", "end"))
        for person in people if number % 6 < 3 else people[:2]:
            chosen = lot.sample(sentences, lot.randint(0, 3))
            make_marks(summary, person, study=study, spans=[[each] for each in chosen], types=["salience"])
            judged(
                study, summary, person, lot.choices((True, False), k=20), seconds=range(9, 29), hints=lot.random() < 0.5
            )
            rated(study, summary, person, lot.randint(0, 5))
        for judge in judges:
            judge_marks(judge, summary, lot)
        for unit in study.faithfulness.units.filter(summary=summary, same_as=None):
            state = lot.choice(("supported", "unsupported"))
            UnitVerdict.objects.create(annotator=of_units, unit=unit, state=state, rule="bm25 1")
        MetricValue.objects.create(summary=summary, name="BLANC", value=lot.random())
    for first, second in zip(summaries[::3], summaries[1::3], strict=True):
        comparison = Comparison.objects.create(study=study, first=first, second=second)
        for person in people:
            answer = lot.choice(("first", "second", "draw"))
            ComparisonAnswer.objects.create(
                comparison=comparison, annotator=person, question="preference", answer=answer
            )
    for order, mark in enumerate(Annotation.objects.order_by("pk")):
        item = ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=mark, order=order)
        agreement = lot.choice(("agree", "agree", "partial", "disagree"))
        ReviewDecision.objects.create(item=item, reviewer=lot.choice(people), agreement=agreement)


def judge_marks(judge, summary, lot):
    sentences = list(summary.sentences.all())
    confused = [each for each in sentences if lot.random() < 0.5]
    marks = make_marks(summary, judge, spans=[[(each.start, each.end)] for each in confused], types=["language"])
    of_sentence = dict(zip(confused, marks.annotations.order_by("pk"), strict=True))
    for each in sentences:
        state = "confused" if each in of_sentence else "clean"
        Verdict.objects.create(annotation_set=marks, sentence=each, state=state, annotation=of_sentence.get(each))


def start_with_others_first(lines):
    """What the import finds here already, made in the opposite order; the books have no texts yet."""
    ensure_error_types()  # an export has those alone that marks have
    rows = {kind: [each for each in reversed(lines) if each["record"] == kind] for kind in ("book", "system")}
    for book in rows["book"]:
        Book.objects.create(
            title=book["title"],
            source_name=book["source_name"],
            source_format="none",
            absent_text_sha256=book["text_sha256"],
        )
    for system in rows["system"]:
        System.objects.create(name=system["name"], strategy=system["strategy"])
    for each in reversed(lines):
        if each["record"] == "annotator" and each["endpoint"] is None:
            fields = {name: each[name] for name in ("kind", "pseudonym", "model", "mode")}
            Annotator.objects.create(**fields)


def figures():
    return without_ids(report_json(build_report(Study.objects.get(name="own"))))


def without_ids(value):
    if isinstance(value, dict):
        return {key: without_ids(each) for key, each in value.items() if key != "summary"}
    return [without_ids(each) for each in value] if isinstance(value, list) else value


def intervals(value):
    if isinstance(value, dict):
        own = sum(key.startswith("ci95") and isinstance(each, list) for key, each in value.items())
        return own + sum(map(intervals, value.values()))
    return sum(map(intervals, value)) if isinstance(value, list) else 0


def order_of_ids():
    return [list(model.objects.order_by("pk").values_list(name, flat=True)) for model, name in ORDERED]


ORDERED = ((Book, "source_name"), (System, "name"), (Annotator, "pseudonym"), (Summary, "text"))


def test_the_whole_report_is_the_same_where_ids_are_in_another_order(tmp_path):
    many_answers()
    first, ids = figures(), order_of_ids()
    assert intervals(first) > 200
    data = export("own", tmp_path / "own.jsonl", "--with-source")
    empty_database()
    start_with_others_first(records(data))
    bring_in(tmp_path / "own.jsonl", "own")
    assert all(own != others for own, others in zip(ids, order_of_ids(), strict=True))
    assert figures() == first
    same_scores(recomputed("own", tmp_path), first)


def same_scores(theirs, ours):
    """What the script found beside the report."""
    for again, system in zip(theirs["systems"], ours["systems"], strict=True):
        assert again["human"] == {key: pytest.approx(system["human"][key]) for key in again["human"]}
        for found, judge in zip(again["judges"], system["judges"], strict=True):
            assert [found[key] for key in ("score", "n", "ci95")] == [
                pytest.approx(judge[key]) for key in ("score", "n", "ci95")
            ]
    for again, source in zip(theirs["precision"], ours["precision"], strict=True):
        assert again["ci95"] == pytest.approx(source["ci95"])
    same_faithfulness(theirs["faithfulness"], ours["faithfulness"])
