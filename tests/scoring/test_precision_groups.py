"""Precision by form of the mark, by how it was shown and by reviewer."""

import uuid

import pytest
from django.urls import reverse

from annotation.models import Assignment, ReviewDecision, ReviewItem, Study, StudyMember
from annotation.services.studies import remove_member
from booookweb.models import Role
from scoring.report import build_report
from scoring.report.writing import report_json, report_text
from tests.factories import make_annotator, make_judge, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db

TEXT = "Emma left. Rolf stayed. Ada came."
#: Of people: a part, a whole sentence, several, a relation. The last has both places in one sentence.
PEOPLE = [[(0, 4)], [(0, 10)], [(5, 15)], [(0, 4), (11, 15)], [(0, 4), (5, 9)]]


@pytest.fixture
def study():
    study = Study.objects.create(name="own", title="Own", phase="closed")
    summary = make_summary(TEXT)
    study.summaries.add(summary)
    judge = make_judge("the judge")
    study.judges.add(judge)
    sets = (
        make_marks(summary, make_annotator(), study=study, spans=PEOPLE),
        make_marks(summary, judge, spans=[[(11, 23)], [(24, 33)]]),
    )
    marks = [mark for each in sets for mark in each.annotations.order_by("pk")]
    for order, mark in enumerate(marks):
        ReviewItem.objects.create(key=uuid.UUID(int=order), study=study, annotation=mark, order=order)
    return study


def decide(study, reviewer, answers, shown_as="marked"):
    for item, agreement in zip(study.review_items.order_by("order"), answers, strict=False):
        ReviewDecision.objects.create(item=item, reviewer=reviewer, agreement=agreement, shown_as=shown_as)


def counts(groups):
    return {name: (group["agree"], group["partial"], group["disagree"]) for name, group in groups.items()}


def test_decisions_are_counted_by_form_by_how_shown_and_by_reviewer(study):
    one, other = make_annotator(), make_annotator()
    decide(study, one, ["agree", "agree", "disagree", "partial", "disagree", "agree", "disagree"])
    decide(study, other, ["disagree", "agree"], shown_as="snapped")
    people, judge = report_json(build_report(study))["precision"]
    assert counts(people["by_form"]) == {
        "part": (1, 0, 1),
        "sentence": (2, 0, 0),
        "several": (0, 0, 1),
        "relation": (0, 1, 1),
    }
    assert counts(people["by_shown"]) == {"marked": (2, 1, 2), "snapped": (1, 0, 1)}
    assert counts(people["by_reviewer"]) == {one.pseudonym: (2, 1, 2), other.pseudonym: (1, 0, 1)}
    assert counts(judge["by_form"]) == {"sentence": (1, 0, 1)}
    assert counts(judge["by_shown"]) == {"marked": (1, 0, 1)}
    part = people["by_form"]["part"]
    assert (part["n"], part["precision"], part["strict"]) == (2, 0.5, 0.5)
    # Wilson for 1 of 2: the centre is 1/2, half the width is z / (2 sqrt(2 + z^2)) with z = 1.959964.
    assert part["wilson95"] == pytest.approx([0.094531, 0.905469], abs=1e-6)
    assert (people["n"], people["undecided"]) == (7, 0)


def test_the_groups_stand_in_the_text_and_on_the_dashboard(client, study):
    decide(study, make_annotator(), ["agree", "agree", "disagree", "partial", "disagree", "agree", "disagree"])
    text = report_text(build_report(study))
    assert (
        "  by form     part 100.0 (n = 1), sentence 100.0 (n = 1), several 0.0 (n = 1), relation 50.0 (n = 2)" in text
    )
    client.force_login(make_user(Role.RESEARCHER))
    page = client.get(reverse("scoring:dashboard", args=["own"])).content.decode()
    for words in ("What reviewers uphold", "Part of a sentence", "Relation of two places", "Shown as marked"):
        assert words in page
    assert "Shown snapped" not in page


def test_what_a_reviewer_submitted_stays_when_they_leave_and_the_rest_does_not_count(study):
    Study.objects.update(phase="reviewing")
    study.refresh_from_db()
    reviewer = make_annotator()
    decide(study, reviewer, ["agree"] * 7)
    member = StudyMember.objects.create(study=study, annotator=reviewer, annotates=False)
    task = Assignment.objects.create(
        key=uuid.uuid4(), study=study, annotator=reviewer, task="review", summary=study.summaries.get()
    )
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at=task.created_at)
    remove_member(study=study, member=member)
    assert report_json(build_report(study))["precision"][0]["agree"] == 5
    Assignment.objects.filter(pk=task.pk).update(state="skipped")  # left in the middle
    people, judge = report_json(build_report(study))["precision"]
    assert (people["n"], people["undecided"], people["by_reviewer"], judge["n"]) == (0, 5, {}, 0)
