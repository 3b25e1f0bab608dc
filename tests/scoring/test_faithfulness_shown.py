"""Where faithfulness figures lead, and where else than on their page they stand."""

import re

import pytest
from django.urls import reverse

from summarizer.models import System
from tests.factories import make_annotator, make_pair, make_user
from tests.scoring.test_faithfulness import TEXT, judged, planned, rated
from tests.scoring.test_pages import drawing

pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher(client):
    client.force_login(make_user("researcher"))
    return client


@pytest.fixture
def study():
    """Two people judge the units of two summaries, and lie further apart on the second, by beta; one person rates."""
    one, other = make_pair(TEXT, TEXT, title="The Mill")
    for name, summary in (("alpha", one), ("beta", other)):
        System.objects.filter(pk=summary.system_id).update(name=name)
    study = planned(one, other)
    ada, ben = make_annotator(), make_annotator()
    judged(study, one, ada, (True, True, True))
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
