"""One summary unit by unit: what people answered, and what is true of its units."""

import pytest
from django.urls import reverse

from annotation.models import FaithfulnessPlan, MarksSeen, Study, UnitJudgement
from tests.scoring.test_faithfulness import figures, page, people, planned, study, summaries

pytestmark = pytest.mark.django_db

#: Fixtures that this file shares.
__all__ = ["people", "study", "summaries"]


def test_accuracy_against_what_is_true(researcher, study, summaries):
    """Of the first summary unit 1 is supported and 2 is not: Ada, with hints, is right once, Ben, without, twice."""
    one, two, _ = study.faithfulness.units.filter(summary=summaries[0], same_as=None).order_by("index")
    address = reverse("scoring:summary-truths", args=["own", summaries[0].pk])
    before = figures()
    response = researcher.post(address, {f"unit-{one.pk}": "yes", f"unit-{two.pk}": "no", "unit-0": "yes"})
    assert response.headers["Location"] == reverse("scoring:summary-faithfulness", args=["own", summaries[0].pk])
    found = figures()
    assert (found["accuracy"]["right"], found["accuracy"]["n"], found["accuracy"]["share"]) == (3, 4, 0.75)
    assert [each["accuracy"]["share"] for each in found["people"]] == [0.5, 1]
    assert found["hints"]["accuracy"]["difference"]["value"] == -0.5
    assert found["systems"] == before["systems"]
    body = page(researcher)
    assert "1 of 2" in body
    assert "as a researcher found: not supported" in page(researcher, "summary-faithfulness", summaries[0].pk)
    body = page(researcher, "summary-truths", summaries[0].pk)
    assert f'name="unit-{two.pk}" value="no" checked' in body
    researcher.post(address, {f"unit-{one.pk}": "", f"unit-{two.pk}": "nonsense"})
    assert figures()["accuracy"]["n"] == 2


def test_what_is_true_is_said_of_units_that_stay(researcher, summaries):
    study = planned(*summaries)
    FaithfulnessPlan.objects.update(state="setup")
    unit = study.faithfulness.units.filter(summary=summaries[0])[0]
    address = reverse("scoring:summary-truths", args=["own", summaries[0].pk])
    assert "cut anew" in page(researcher, "summary-truths", summaries[0].pk)
    researcher.post(address, {f"unit-{unit.pk}": "yes"})
    unit.refresh_from_db()
    assert unit.expected is None


def test_one_summary_unit_by_unit(researcher, study, summaries):
    judgement = UnitJudgement.objects.get(
        sampled__assignment__annotator__pseudonym=study.assignments.first().annotator.pseudonym,
        sampled__assignment__summary=summaries[0],
        sampled__position=1,
    )
    UnitJudgement.objects.filter(pk=judgement.pk).update(comment="Chapter 2 says so", hints_viewed=2)
    judgement.evidence.create(start=10, end=20, quote="she did so", hint_rank=2)
    body = page(researcher, "summary-faithfulness", summaries[0].pk)
    for words in (
        "Chapter 2 says so",
        "she did so",
        "(hint 2)",
        "2 hints seen",
        "3 supported, 1 not; with hints",
        "(40 of 100; 5 at first)",
        "The same as",
    ):
        assert words in body, words
    assert MarksSeen.objects.filter(summary=summaries[0]).count() == 1


def test_the_units_of_a_study_that_does_not_ask(researcher, summaries):
    Study.objects.create(name="own", title="Our own").summaries.set(summaries)
    assert "Nobody has checked this summary yet" in page(researcher, "summary-faithfulness", summaries[0].pk)
    assert not MarksSeen.objects.exists()
