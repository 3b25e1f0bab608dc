"""Studies whose people mark, compare, or check faithfulness, in each combination: stage, people, progress."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.faithfulness.plans import close_plan, open_plan
from annotation.models import ComparisonRound, FaithfulnessPlan, Study, StudyMember
from annotation.selectors.stage import stages
from annotation.services.comparison_rounds import add_pair, create_round, open_round
from annotation.services.studies import add_member
from tests.annotation.faithfulness.test_dealing import with_text
from tests.factories import make_annotator, make_pair, make_plan

pytestmark = pytest.mark.django_db

#: Phase, states of the rounds, state of the plan, and what the study is at.
COMBINATIONS = [
    ("setup", [], None, "Being set up"),
    ("setup", ["setup"], "setup", "Being set up"),
    ("setup", ["closed", "open"], None, "Comparing"),
    ("setup", [], "open", "Checking"),
    ("setup", ["open"], "open", "Comparing and checking"),
    ("setup", ["closed"], "open", "Checking"),
    ("setup", ["closed"], "setup", "Comparisons closed"),
    ("setup", [], "closed", "Checking closed"),
    ("setup", ["closed"], "closed", "Comparisons and checking closed"),
    ("annotating", [], None, "Annotating"),
    ("annotating", ["open"], "closed", "Annotating and comparing"),
    ("reviewing", ["closed"], "open", "Reviewing and checking"),
    ("closed", ["closed"], "closed", "Closed"),
]


def test_what_a_study_is_at():
    studies = []
    for number, (phase, rounds, plan, _) in enumerate(COMBINATIONS):
        study = Study.objects.create(name=f"study-{number}", title="A study", phase=phase)
        for index, state in enumerate(rounds):
            ComparisonRound.objects.create(study=study, name=f"round {index}", state=state)
        if plan:
            FaithfulnessPlan.objects.create(study=study, state=plan, share=1)
        studies.append(study)
    with CaptureQueriesContext(connection) as captured:
        found = stages(studies)
    assert [found[study.pk] for study in studies] == [words for *_, words in COMBINATIONS]
    assert len(captured) == 2


def checked(**roles):
    """A study of a pair in which one person checks."""
    plan = make_plan(
        *with_text(*make_pair()), coarse_overlap=int("rates" in roles), fine_overlap=int("judges_units" in roles)
    )
    Study.objects.filter(pk=plan.study_id).update(name="own")
    study = Study.objects.get(pk=plan.study_id)
    StudyMember.objects.create(study=study, annotator=make_annotator(), annotates=False, reviews=False, **roles)
    return study


def page(client, name):
    response = client.get(reverse(name, args=["own"]))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize(
    ("role", "does", "done"),
    [("judges_units", "1 who judges units", "judged by units"), ("rates", "1 who rates", "rated")],
)
def test_a_study_that_checks_faithfulness_alone(client, researcher, role, does, done):
    study = checked(**{role: True})
    told = page(client, "annotation:study")
    assert does in told
    assert "who annotate" not in told.replace("add people who annotate", "")
    assert "Everybody in this study only checks faithfulness so far." in told
    for words in ("Nobody annotates yet", ">Reviewing<", "Open annotating<"):
        assert words not in told, words
    assert "Nobody annotates yet" not in page(client, "annotation:study-members")
    open_plan(plan=study.faithfulness)
    told = page(client, "annotation:study")
    assert '<li aria-current="step">Checking</li>' in told
    assert "0 of 2 tasks submitted" in told
    for words in ("only checks", ">Annotated<", ">Reviewed<", ">Annotating<"):
        assert words not in told, words
    assert f"0 of 2 {done}" in page(client, "scoring:dashboard")
    close_plan(plan=study.faithfulness)
    assert '<li aria-current="step">Checking closed</li>' in page(client, "annotation:study")


def test_a_study_that_compares_and_checks(client, researcher):
    study = checked(judges_units=True)
    add_member(study=study, annotator=make_annotator(), annotates=False, reviews=False, compares=True)
    asked_in = create_round(study=study, name="formal")
    one, other = study.summaries.order_by("pk")
    add_pair(asked_in=asked_in, one=one, other=other)
    assert "only compares or checks faithfulness so far" in page(client, "annotation:study")
    open_round(asked_in=asked_in)
    open_plan(plan=study.faithfulness)
    told = page(client, "annotation:study")
    assert '<li aria-current="step">Comparing and checking</li>' in told
    assert "1 who compares, 1 who judges units" in told
    board = page(client, "scoring:dashboard")
    for words in ("0 of 1 compared", "0 of 2 judged by units", "No pair of summaries was compared yet"):
        assert words in board, words
    for words in ("annotated", "reviewed", "Error types"):
        assert words not in board, words


def test_whoever_marks_is_still_missing_where_somebody_reviews(client, researcher):
    study = checked(judges_units=True)
    StudyMember.objects.create(study=study, annotator=make_annotator(), annotates=False, reviews=True)
    told = page(client, "annotation:study")
    assert "Nobody annotates yet" in told
    assert "0 who annotate, 1 who reviews, 1 who judges units" in told
    assert ">Annotating<" in told
