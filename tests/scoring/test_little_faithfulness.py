"""Faithfulness of studies that do not ask for it, or have little of it yet."""

import pytest
from django.urls import reverse

from annotation.models import Study
from tests.scoring.test_faithfulness import figures, judged, page, people, planned, rated, summaries

pytestmark = pytest.mark.django_db

#: Fixtures that this file shares.
__all__ = ["people", "summaries"]


def test_a_study_that_does_not_ask(researcher):
    Study.objects.create(name="own", title="Our own")
    assert figures() is None
    assert "does not ask for it yet" in page(researcher)
    assert reverse("scoring:faithfulness", args=["own"]) not in page(researcher, "dashboard")
    answer = researcher.get(reverse("scoring:chart", args=["own", "faithfulness-scores", "svg"]))
    assert answer.status_code == 404


def test_nothing_one_and_two_of_everything(researcher, summaries, people):
    study = planned(*summaries)
    assert "Nobody has submitted a task yet" in page(researcher)
    assert figures()["systems"][0]["fine"]["reason"] == "Nobody has scored a summary yet."
    judged(study, summaries[0], people[0], (True, False, True))
    body = page(researcher)
    assert "75.0" in body
    assert "An interval over people needs a summary that two of them scored." in body
    assert "No unit was judged by two people." in body
    judged(study, summaries[0], people[1], (True, True, True))
    assert "75.0 to 100.0" in page(researcher)
    rated(study, summaries[1], people[2], 3)
    rated(study, summaries[1], people[3], 3)
    assert "60.0 to 60.0" in page(researcher)


def test_only_ratings(researcher, summaries, people):
    study = planned(*summaries, fine_overlap=0, coarse_overlap=1, scale="1-5")
    rated(study, summaries[0], people[0], 4)
    body = page(researcher)
    assert "75.0" in body  # 25 x (4 - 1)
    assert "How much work is enough?" not in body
