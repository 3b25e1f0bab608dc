"""Where faithfulness figures lead, and where else than on their page they stand."""

import re

import pytest
from django.urls import reverse

from annotation.models import Annotator, Comparison, ComparisonAnswer
from scoring.models import Report
from scoring.study_report.content import pseudonyms_of
from summarizer.models import System
from tests.factories import make_annotator, make_pair
from tests.scoring.test_faithfulness import TEXT, judged, planned, rated
from tests.scoring.test_pages import drawing
from tests.scoring.test_report import strict

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Two people judge the units of two summaries, and lie further apart on the second, by beta; one person rates."""
    one, other = make_pair(TEXT, TEXT, title="The Mill")
    for name, summary in (("alpha", one), ("beta", other)):
        System.objects.filter(pk=summary.system_id).update(name=name)
    study = planned(one, other)
    ada, ben = make_annotator(), make_annotator()
    judged(study, one, ada, (True, True, True), seconds=(30, 20, 10))
    judged(study, one, ben, (True, True, False))
    judged(study, other, ada, (True, True, True))
    judged(study, other, ben, (False, False, False))
    rated(study, one, make_annotator(), 4)
    return study


def listed(client, address):
    """Systems of the listed summaries, in their order."""
    page = client.get(address).content.decode()
    return re.findall(r">(alpha|beta)</td>", page[page.index('id="summaries"') :])


def test_bars_lead_to_summaries_and_these_to_what_people_answered(researcher, study):
    page = researcher.get(reverse("scoring:faithfulness", args=["own"]))
    assert listed(researcher, reverse("scoring:faithfulness", args=["own"])) == ["alpha", "beta"]
    bars = {row["name"]: row["url"] for row in drawing(page, "faithfulness-scores")}
    assert listed(researcher, bars["alpha"]) == ["alpha"]
    assert listed(researcher, bars["beta"]) == ["beta"]
    for chart in ("faithfulness-spread", "faithfulness-agreement"):
        [*rows] = drawing(page, chart)
        assert {tuple(listed(researcher, row["url"])) for row in rows} == {("beta", "alpha")}
    summary = study.summaries.first()
    address = reverse("scoring:summary-faithfulness", args=["own", summary.pk])
    assert address in researcher.get(bars["alpha"]).content.decode()


def paper(client):
    page = client.get(reverse("scoring:report-version", args=["own", 1])).content.decode()
    return page[page.index('<article class="paper"') : page.index("</article>")]


def test_a_frozen_report_has_it_and_names_nobody(researcher, study):
    """alpha: units supported 100 and 75 % (the last of four places), beta 100 and 0; the rating 4 of 5 is 80."""
    live = researcher.get(reverse("scoring:study-report", args=["own"])).content.decode()
    for words in ("Do people agree on faithfulness?", "How much checking is enough?", "87.5", "80.0"):
        assert words in live, words
    assert "Judgements of units</dt><dd>12" in live
    assert "Ratings</dt><dd>1" in live
    assert "Scores of each system" not in live  # nobody marked
    researcher.post(reverse("scoring:study-report", args=["own"]), {"note": "as submitted"})
    content = Report.objects.get().content
    assert "Faithfulness of each system" in content
    assert {key for key in strict(content)["charts"] if key.startswith("faithfulness-")} >= {
        "faithfulness-scores",
        "faithfulness-spread",
        "faithfulness-agreement",
        "faithfulness-summaries",
    }
    for pseudonym in Annotator.objects.values_list("pseudonym", flat=True):
        assert pseudonym not in content
    before = paper(researcher)
    rated(study, study.summaries.first(), make_annotator(), 0)
    assert paper(researcher) == before


def test_whoever_compared_stands_under_a_number_too(study):
    first, second = study.summaries.order_by("pk")
    pair = Comparison.objects.create(study=study, first=first, second=second)
    person = make_annotator()
    ComparisonAnswer.objects.create(comparison=pair, annotator=person, question="detail", answer="first")
    assert person.pseudonym in pseudonyms_of(study)
