"""From a bar of preferences, and from a count of choices, to the answers behind it."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Comparison, ComparisonAnswer, ComparisonTally, MarksSeen, Study
from tests.factories import make_annotator, make_pair
from tests.scoring.test_pages import drawing
from tests.scoring.test_report import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def compared():
    """Ada chose the first for detail and said that it left something out; Ben, in another round, called it a draw."""
    study, _ = make_study()
    one, other = make_pair()
    study.summaries.set([one, other])
    ada, ben = make_annotator(), make_annotator()
    formal = Comparison.objects.create(study=study, round="formal", first=one, second=other)
    later = Comparison.objects.create(study=study, round="later", first=one, second=other)
    for pair, person, question, answer, comment in (
        (formal, ada, "detail", "first", "More of the journey."),
        (formal, ada, "omission-first", "yes", "No word of Rolf."),
        (formal, ada, "omission-second", "no", ""),
        (later, ben, "detail", "draw", "Alike."),
        (later, ben, "logic", "second", ""),
    ):
        ComparisonAnswer.objects.create(
            comparison=pair, annotator=person, question=question, answer=answer, comment=comment
        )
    return study


def systems(study):
    return [summary.system.name for summary in study.summaries.order_by("pk")]


def read(client, address="", **query):
    """The answers of the list: (person, answer)."""
    response = client.get(address or reverse("scoring:answers", args=["own"]), query)
    assert response.status_code == 200
    page = response.content.decode()
    people = re.findall(r'class="mark-head"><strong>([^<]*)', page)
    return list(zip(people, re.findall(r"<p><strong>([^<]*)</strong></p>", page), strict=True))


def test_answers_with_their_pairs_and_comments(researcher, compared):
    one, other = systems(compared)
    ada, ben = sorted({each.annotator.pseudonym for each in ComparisonAnswer.objects.all()})
    expected = [(ada, one), (ada, "Yes"), (ada, "No"), (ben, "Draw"), (ben, other)]
    assert read(researcher) == expected
    page = researcher.get(reverse("scoring:answers", args=["own"])).content.decode()
    assert "More of the journey." in page
    assert reverse("scoring:book-marks", args=["own", compared.summaries.first().book_id]) in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"question": "detail"}, [0, 3]),
        ({"question": "omission"}, [1, 2]),
        ({"answer": "chosen"}, [0, 4]),
        ({"answer": "chosen", "system": "one"}, [0]),
        ({"answer": "chosen", "system": "other", "beside": "one"}, [4]),
        ({"answer": "no", "system": "one"}, []),
        ({"answer": "no", "system": "other"}, [2]),
        ({"answer": "draw", "system": "other", "beside": "one"}, [3]),
        ({"system": "one", "round": "later"}, [3, 4]),
        ({"person": "ben", "question": "detail"}, [3]),
        ({"system": "one", "beside": "one"}, []),
        ({"question": "\0"}, [0, 1, 2, 3, 4]),
    ],
)
def test_the_list_is_narrowed(researcher, compared, query, expected):
    one, other = systems(compared)
    _, ben = sorted({each.annotator.pseudonym for each in ComparisonAnswer.objects.all()})
    names = {"one": one, "other": other, "ben": ben}
    everything = read(researcher)
    assert read(researcher, **{key: names.get(value, value) for key, value in query.items()}) == [
        everything[index] for index in expected
    ]


def test_every_bar_and_every_count_leads_to_as_many_answers_as_it_stands_for(researcher, compared):
    dashboard = researcher.get(reverse("scoring:dashboard", args=["own"]))
    rows = drawing(dashboard, "preferences")
    assert [(row["question"].split(":")[0], row["answer"]) for row in rows if row["count"]] != []
    for row in rows:
        assert len(read(researcher, row["url"])) == row["count"] == 1
    cells = re.findall(r'<a href="([^"]*/answers/[^"]*)">(\d+)</a>', dashboard.content.decode())
    # Detail over all rounds and in each (1 + 1 choices, 1 + 1 draws), logic; then the same by person.
    assert len(cells) == 4 + 1 + 3
    for address, count in cells:
        assert len(read(researcher, address.replace("&amp;", "&"))) == int(count) == 1


def test_what_is_known_as_counts_alone_is_said(researcher, compared):
    system = compared.summaries.first().system
    ComparisonTally.objects.create(
        study=compared, round="pilot", annotator=make_annotator(), question="detail", system=system, count=7
    )
    address = reverse("scoring:answers", args=["own"])
    page = researcher.get(address, {"round": "pilot"}).content.decode()
    assert "Known as counts alone" in page
    assert ">7<" in page
    assert "No such answer" not in page
    assert "Known as counts alone" not in researcher.get(address, {"answer": "draw"}).content.decode()


def test_an_empty_list_says_why(researcher, compared):
    assert (
        "No such answer"
        in researcher.get(reverse("scoring:answers", args=["own"]), {"person": "P-nobody"}).content.decode()
    )
    ComparisonAnswer.objects.all().delete()
    page = researcher.get(reverse("scoring:answers", args=["own"])).content.decode()
    assert "Nobody has compared anything yet" in page


def test_whoever_reads_it_has_seen_what_people_think_of_both(researcher, compared):
    read(researcher, round="no such round")
    assert not MarksSeen.objects.exists()
    read(researcher, answer="draw")
    assert {each.summary_id for each in MarksSeen.objects.all()} == set(compared.summaries.values_list("pk", flat=True))


def test_it_is_sealed_under_blind_review(researcher, compared):
    Study.objects.filter(pk=compared.pk).update(phase="reviewing")
    assert researcher.get(reverse("scoring:answers", args=["own"])).status_code == 403


def test_pages_and_queries(researcher, compared):
    def queries():
        read(researcher)
        with CaptureQueriesContext(connection) as captured:
            read(researcher)
        return len(captured)

    before = queries()
    pair = compared.comparisons.first()
    ComparisonAnswer.objects.bulk_create(
        ComparisonAnswer(comparison=pair, annotator=make_annotator(), question="logic", answer="first")
        for _ in range(21)
    )
    assert queries() <= before
    assert len(read(researcher)) == 25
    assert len(read(researcher, page="2")) == 1
