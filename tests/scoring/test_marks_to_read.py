"""From a bar of a chart to the sentences behind it in two clicks; and one book with all its systems."""

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.error_types import ensure_error_types
from annotation.models import Annotation, Annotator, ErrorType, MarksSeen, ReviewDecision, ReviewItem, Span, Study
from summarizer.models import Summary
from tests.factories import make_annotator, make_marks, make_pair
from tests.scoring.test_pages import drawing
from tests.scoring.test_report import add_judge, add_set, add_verdicts, make_study

pytestmark = pytest.mark.django_db

TEXT = "One. Two. Three. Four."


@pytest.fixture
def study():
    """A person marked sentences 1 and 3, the judge sentence 2; a reviewer agrees with the first, not with the last."""
    study, [summary] = make_study(TEXT)
    add_set(study, summary, [(0, 3), (10, 15)])
    judge = add_judge(study, model="m", mode="sentence")
    add_verdicts(judge, summary, ["clean", "confused", "clean", "clean"])
    ensure_error_types()
    first, third, second = Annotation.objects.order_by("pk")
    Span.objects.create(annotation=second, start=5, end=9, quote="Two.")
    first.error_types.add(ErrorType.objects.get(key="language"))
    second.error_types.add(ErrorType.objects.get(key="salience"))
    reviewer = make_annotator()
    for order, (mark, agreement) in enumerate(((first, "agree"), (second, "disagree"), (third, ""))):
        item = ReviewItem.objects.create(key=uuid4(), study=study, annotation=mark, order=order)
        if agreement:
            ReviewDecision.objects.create(item=item, reviewer=reviewer, agreement=agreement, comment="Because.")
    return study


def read(client, **query):
    """The sentences of the list."""
    response = client.get(reverse("scoring:marks", args=["own"]), query)
    assert response.status_code == 200
    return re.findall(r'<p class="reading">([^<]*)</p>', response.content.decode())


def test_marks_of_people_and_of_a_judge(researcher, study):
    judge = study.judges.get()
    assert read(researcher) == ["One.", "Three."]
    assert read(researcher, source=judge.pk) == ["Two."]
    assert read(researcher, type="language") == ["One."]
    assert read(researcher, source=judge.pk, type="language") == []
    system = study.summaries.get().system_id
    assert (read(researcher, system=system), read(researcher, system=system + 1)) == (["One.", "Three."], [])
    assert researcher.get(reverse("scoring:marks", args=["own"]), {"source": "0"}).status_code == 404


def test_marks_by_what_reviewers_decided(researcher, study):
    judge = study.judges.get()
    assert read(researcher, decision="reviewed") == ["One.", "Three."]
    assert read(researcher, decision="agree") == ["One."]
    assert read(researcher, decision="undecided") == ["Three."]
    assert read(researcher, source=judge.pk, decision="disagree") == ["Two."]
    page = researcher.get(reverse("scoring:marks", args=["own"]), {"decision": "agree"}).content.decode()
    assert "Because." in page


def test_marks_of_judges_that_are_known_from_the_review_alone(researcher, study):
    """One of the model of the study's judge, which counts with it; one of another model, which has its own bar."""
    summary = study.summaries.get()
    for order, (model, place) in enumerate({"m": (16, 21), "other": (0, 4)}.items(), start=3):
        outside = Annotator.objects.create(kind="judge", pseudonym=f"{model} (review)", model=model)
        [mark] = make_marks(summary, outside, spans=[[place]], state="skipped").annotations.all()
        item = ReviewItem.objects.create(key=uuid4(), study=study, annotation=mark, order=order)
        ReviewDecision.objects.create(item=item, reviewer=make_annotator(), agreement="partial")
    judge = study.judges.get()
    assert read(researcher, source=judge.pk) == ["Two."]
    assert read(researcher, source=judge.pk, decision="reviewed") == ["Two.", "Four."]
    rows = drawing(researcher.get(reverse("scoring:dashboard", args=["own"])), "precision")
    [bar] = [row for row in rows if row["source"] == "other"]
    assert re.findall(r'<p class="reading">([^<]*)</p>', researcher.get(bar["url"]).content.decode()) == ["One."]
    assert read(researcher, source="review:other", decision="disagree") == []
    for unknown in ("review:m", "review:", "review:none"):
        assert researcher.get(reverse("scoring:marks", args=["own"]), {"source": unknown}).status_code == 404


def test_drafts_are_not_in_the_list(researcher, study):
    add_set(study, study.summaries.get(), [(16, 20)], annotator=make_annotator(), state="draft")
    assert read(researcher) == ["One.", "Three."]


def test_whoever_reads_it_has_seen_the_marks(researcher, study):
    read(researcher, decision="partial")
    assert not MarksSeen.objects.exists()
    read(researcher)
    assert [each.summary_id for each in MarksSeen.objects.all()] == [study.summaries.get().pk]


def test_queries_do_not_grow_with_the_list(researcher, study):
    def queries():
        read(researcher)
        with CaptureQueriesContext(connection) as captured:
            read(researcher)
        return len(captured)

    before = queries()
    for _ in range(10):
        add_set(study, study.summaries.get(), [(0, 3)], annotator=make_annotator())
    assert queries() == before


@pytest.mark.parametrize(
    ("chart", "expected"),
    [
        ("summaries", ["One.", "Two.", "Three."]),
        ("length", ["One.", "Two.", "Three."]),
        ("differences", ["One.", "Three."]),
        ("error-types", ["One."]),
        ("precision", ["One.", "Three."]),
    ],
)
def test_a_bar_leads_to_its_sentences(researcher, study, chart, expected):
    """The first row with something in it, as a click on it would."""
    rows = drawing(researcher.get(reverse("scoring:dashboard", args=["own"])), chart)
    url = next(row for row in rows if row.get("share") != 0)["url"]
    page = researcher.get(url).content.decode()
    found = re.findall(r'class="reading">([^<]*)<', page)
    if "summary-marks" in page or "line-item" in page:
        found = re.findall(r'<summary>.*?class="reading">([^<]*)<', page)
    assert found == expected


def test_a_bar_of_scores_leads_to_the_summaries_and_these_to_their_sentences(researcher, study):
    [row, *_] = drawing(researcher.get(reverse("scoring:dashboard", args=["own"])), "scores")
    page = researcher.get(row["url"]).content.decode()
    listed = page[page.index('id="summaries"') :]
    [address] = set(re.findall(r'href="([^"]+/summaries/\d+/)"', listed))
    assert "Three." in researcher.get(address).content.decode()


# --- one book with all its systems -----------------------------------------------------------------------------------


@pytest.fixture
def pair():
    study, _ = make_study()
    one, other = make_pair("Emma left. Rolf stayed.", "Rolf stayed on. Snow fell.")
    study.summaries.set([one, other])
    ada, ben = make_annotator(), make_annotator()
    add_set(study, one, [(0, 4)], annotator=ada)
    add_set(study, one, [(11, 15)], annotator=ben)
    add_set(study, other, [(16, 20)], annotator=ben)
    return study


def book_page(client, study):
    book = study.summaries.first().book_id
    return client.get(reverse("scoring:book-marks", args=["own", book])).content.decode()


def test_a_source_has_the_same_letter_beside_every_summary(researcher, pair):
    page = book_page(researcher, pair)
    marked = re.findall(r'data-state="marked" data-kind="person" title="(\w): ', page)
    assert marked == ["A", "B", "B"]
    assert "2 of 2 summaries" in page
    assert "1 of 2 summaries" in page
    assert len(re.findall(r'id="system-\d+-s\d"', page)) == len(set(re.findall(r'id="system-\d+-s\d"', page))) == 4


def test_it_is_found_from_the_dashboard_and_from_a_summary(researcher, pair):
    book = pair.summaries.first().book_id
    address = reverse("scoring:book-marks", args=["own", book])
    assert address in researcher.get(reverse("scoring:dashboard", args=["own"])).content.decode()
    summary = reverse("scoring:summary-marks", args=["own", pair.summaries.first().pk])
    assert address in researcher.get(summary).content.decode()


def test_whoever_opens_it_has_seen_the_marks_of_all(researcher, pair):
    book_page(researcher, pair)
    assert {each.summary_id for each in MarksSeen.objects.all()} == set(pair.summaries.values_list("pk", flat=True))


def test_a_book_of_another_study_is_not_found(researcher, pair):
    other = Summary.objects.exclude(studies=pair).first() or make_pair()[0]
    assert researcher.get(reverse("scoring:book-marks", args=["own", other.book_id])).status_code == 404


def test_it_is_sealed_under_blind_review(researcher, pair):
    Study.objects.filter(pk=pair.pk).update(phase="reviewing")
    book = pair.summaries.first().book_id
    assert researcher.get(reverse("scoring:book-marks", args=["own", book])).status_code == 403


def test_one_system_and_nobody_who_looked(researcher):
    study, [summary] = make_study("Emma left.")
    page = book_page(researcher, study)
    assert "Nobody has marked these summaries yet" in page
    assert "Scroll all texts together" not in page
    assert (
        "Beside other systems"
        not in researcher.get(reverse("scoring:summary-marks", args=["own", summary.pk])).content.decode()
    )
