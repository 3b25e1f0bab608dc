"""Marks planted in a review, and that no figure knows of them or of known summaries, but pay does."""

import json
import re
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.models import (
    Annotation,
    AnnotationSet,
    Assignment,
    ErrorType,
    OriginGuess,
    PlantedMark,
    ReviewDecision,
    ReviewItem,
    Study,
)
from annotation.selectors.known import check_results
from annotation.selectors.pay import pay_of_people, study_cost
from annotation.selectors.progress import progress_of
from annotation.selectors.studies import summaries_without_annotator
from annotation.services.studies import (
    StudyError,
    add_judge,
    close_study,
    open_annotating,
    open_review,
    update_study,
)
from annotation.services.withdrawals import withdraw
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.annotation.checked_studies import (
    add_check,
    address,
    annotators_of,
    body,
    make_checked_study,
    plant,
    submit,
)
from tests.factories import make_judge, make_marks, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_checked_study()


# --- planted in the review ------------------------------------------------------------------------------------------


def test_a_mark_is_planted_on_words_of_a_sentence(client, study, researcher):
    summary = study.summaries.first()  # Emma left. Rolf stayed.
    page = address("summary-plant", study, summary.pk)
    mark = {
        "sentence": "1",
        "words": "Emma",
        "question": "Who stayed?",
        "error_type": ErrorType.objects.first().pk,
        "expected": "disagree",
    }
    assert "These words don’t stand exactly once" in body(client.post(page, mark))
    client.post(page, {**mark, "words": "Rolf"})
    planted = PlantedMark.objects.get()
    assert planted.annotation.spans.get().quote == "Rolf"
    # Sent twice, as by a double click: reviewers would meet it twice.
    assert "This mark is planted already" in body(client.post(page, {**mark, "words": "Rolf"}))
    assert PlantedMark.objects.count() == 1
    assert "Who stayed?" in body(client.get(address("study-checks", study)))
    client.post(address("study-checks", study), {"unplant": planted.pk})
    assert not PlantedMark.objects.exists()
    assert not Annotation.objects.exists()


def reviewed(study):
    """Everything annotated, marks planted, and the review opened. Each summary has two marks of people."""
    open_annotating(study=study)
    for task in Assignment.all_purposes.filter(study=study):
        submit(task, (0, 4))
    summary = study.summaries.order_by("pk").first()
    plant(study, summary, "disagree")
    plant(study, summary, "agree")
    plant(study, summary, "agree")
    open_review(study=study)
    return study.assignments.get(task="review", summary=summary)


def items(client, task):
    return client.get(reverse("annotation-api:review", args=[task.key])).json()["items"]


def test_planted_marks_are_items_like_others(client, study):
    task = reviewed(study)
    client.force_login(task.annotator.user)
    found = items(client, task)
    assert len(found) == 5
    planted = set(map(str, ReviewItem.with_planted.filter(planted=True).values_list("key", flat=True)))
    # Two marks of equal form and question, one planted: nothing but the random key differs.
    shapes = {json.dumps({**item, "key": "", "questions": []}) for item in found}
    assert len(shapes) == 1
    assert len(planted & {item["key"] for item in found}) == 3
    assert "0 of 5" in body(client.get(reverse("annotation:tasks")))


def test_planted_marks_are_answered_drawn_and_counted_apart(client, study):
    task = reviewed(study)
    client.force_login(task.annotator.user)
    expected = dict(ReviewItem.with_planted.filter(planted=True).values_list("key", "annotation__planted__expected"))
    given = iter(["disagree", "partial", "disagree"])  # disagree is right, agree half right, agree wrong
    answers = {str(key): next(given) for key, _ in sorted(expected.items(), key=lambda item: item[1], reverse=True)}
    for item in items(client, task):
        url = reverse("annotation-api:review-decision", args=[task.key, item["key"]])
        answer = answers.get(item["key"], "agree")
        reasons = ["answered"] if answer == "partial" else []
        sent = {"agreement": answer, "reasons": reasons, "comment": ""}
        assert client.put(url, sent, content_type="application/json").status_code == 200
    assert check_results(study) == []
    assert client.post(reverse("annotation-api:review-submit", args=[task.key])).status_code == 204
    result = check_results(study)[0]
    assert (result.planted, result.as_expected, result.partly, result.opposite) == (3, 1, 1, 1)
    client.force_login(make_user("researcher"))
    assert '1 of 3 <span class="muted">(1 partly, 1 the opposite)</span>' in body(client.get(address("study", study)))


def test_no_mark_is_planted_once_the_review_is_open(client, study, researcher):
    task = reviewed(study)
    with pytest.raises(StudyError, match="no mark can be planted"):
        plant(study, task.summary)
    client.post(address("study-checks", study), {"unplant": PlantedMark.objects.first().pk})
    assert PlantedMark.objects.count() == 3


def test_a_summary_is_not_reviewed_for_planted_marks_alone(study):
    open_annotating(study=study)
    one, *others = study.summaries.order_by("pk")
    for task in study.assignments.all():
        submit(task, *([] if task.summary == one else [(0, 4)]))
    plant(study, one)
    open_review(study=study)
    assert not ReviewItem.with_planted.filter(planted=True).exists()
    assert set(study.assignments.filter(task="review").values_list("summary", flat=True)) == {
        each.pk for each in others
    }


# --- in no figure, but paid -----------------------------------------------------------------------------------------

PAY = {
    "pay_per_summary": Decimal(10),
    "pay_per_reviewed_summary": Decimal("1.70"),
    "pay_per_reviewed_mark": Decimal("0.15"),
}


@pytest.fixture
def finished(study):
    """A study with checks and planted marks in which everything is submitted, with pay."""
    add_check(study)
    add_judge(study=study, judge=(judge := make_judge()))
    for summary in study.summaries.all():
        make_marks(summary, judge, spans=[[(5, 10)]])
    update_study(study=study, **PAY)
    reviewed(study)
    for task in study.assignments.filter(task="review"):
        for item in ReviewItem.with_planted.filter(annotation__annotation_set__summary=task.summary, study=study):
            ReviewDecision.with_planted.create(item=item, reviewer=task.annotator, agreement="disagree")
            OriginGuess.objects.create(assignment=task, item=item, order=item.order, guess="person")
        submit_review_task(task)
    close_study(study=study)
    return Study.objects.get(pk=study.pk)


def submit_review_task(task):
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at="2026-01-01T00:00Z")


def every_figure(client, study):
    """The report, and every page, chart and table of the study's figures, as sent."""
    client.force_login(make_user("researcher"))
    report = json.dumps(report_json(build_report(study)), sort_keys=True)
    pages = [
        reverse("scoring:report", args=[study.name]),
        reverse("scoring:dashboard", args=[study.name]),
        *(reverse("scoring:summary-marks", args=[study.name, each.pk]) for each in study.summaries.all()),
    ]
    sent = [client.get(page) for page in pages]
    assert {answer.status_code for answer in sent} == {200}
    clean = [re.sub(r'csrf\w*" value="\w+"|rosa|person\d+', "", answer.content.decode()) for answer in sent]
    return report, clean, progress_of(study)


def remove_all_checks(study):
    OriginGuess.objects.filter(item__planted=True).delete()
    ReviewDecision.with_planted.filter(item__planted=True).delete()
    ReviewItem.with_planted.filter(planted=True).delete()
    AnnotationSet.all_purposes.exclude(purpose="study").delete()
    Assignment.all_purposes.exclude(purpose="study").delete()
    study.known_summaries.all().delete()


def test_every_figure_is_the_same_with_and_without_checks(client, finished):
    assert len(check_results(finished)) == 3
    with_checks = every_figure(client, finished)
    remove_all_checks(finished)
    assert check_results(finished) == []
    assert every_figure(client, finished) == with_checks


def test_checks_are_paid_like_the_rest(finished):
    # Each of two people: three summaries and a check at $10. The reviewer: three summaries at $1.70, and on each two
    # marks of people and one of the judge, with three planted ones on the first, at $0.15: 5.10 + 12 * 0.15.
    earned = sorted(person.earned.total for person in pay_of_people(finished))
    assert earned == [Decimal("6.90"), Decimal(40), Decimal(40)]
    cost = study_cost(finished, pay_of_people(finished))
    assert (cost.so_far.total, cost.at_completion) == (Decimal("86.90"), Decimal("86.90"))
    # The report says what the study's results cost: without the checks.
    people = report_json(build_report(finished))["costs"]["people"]
    assert (people["annotating_usd"], people["reviewing_usd"]) == (60, 6.45)


def test_a_withdrawal_removes_the_work_on_checks_too(client, finished):
    person = annotators_of(finished)[0]
    reviewer = finished.members.get(annotates=False).annotator
    researcher = make_user("researcher")
    for each in (person, reviewer):
        withdraw(study=finished, annotator=each, by=researcher)
        assert not Assignment.all_purposes.filter(annotator=each).exists()
    assert not AnnotationSet.all_purposes.filter(annotator=person).exists()
    assert not ReviewDecision.with_planted.filter(reviewer=reviewer).exists()
    assert [result.pseudonym for result in check_results(finished)] == [annotators_of(finished)[0].pseudonym]


def test_a_planted_mark_does_not_stand_in_for_the_person_who_did_not_annotate(study):
    """Else the review would open without a summary, and nobody would be told."""
    open_annotating(study=study)
    one, *_ = study.summaries.order_by("pk")
    for task in study.assignments.all():
        submit(task, (0, 4))
    left_out = study.assignments.filter(summary=one).first()
    AnnotationSet.objects.filter(annotator=left_out.annotator, summary=one).update(state="skipped")
    Assignment.objects.filter(pk=left_out.pk).update(state="skipped")
    assert summaries_without_annotator(study) == [one.pk]
    plant(study, one)
    assert summaries_without_annotator(study) == [one.pk]
    with pytest.raises(StudyError, match="1 summary has fewer than 2 people"):
        open_review(study=study)
