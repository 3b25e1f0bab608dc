"""Deadlines and pay: what people see, what they still may do, and what they are owed."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.access import annotator_of
from annotation.deadlines import end_of
from annotation.models import AnnotationSet, Assignment, Payment, Study
from annotation.pay import Amounts, Rates, Work, amounts
from annotation.services.marks import annotation_set_of, submit_annotation_set
from annotation.services.studies import (
    StudyError,
    add_member,
    add_summaries,
    create_study,
    open_annotating,
    open_review,
    remove_member,
    update_study,
)
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.factories import make_annotator, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db

YESTERDAY = timedelta(days=2)  # over everywhere, whatever the hour


@pytest.fixture
def study():
    """Two people annotate two summaries, one each, and a third one only reviews."""
    study = create_study(name="pilot", title="The pilot", seed=1)
    add_summaries(study=study, summaries=[make_summary(title="Book 1"), make_summary(title="Book 2")])
    for _ in range(2):
        add_member(study=study, annotator=make_annotator(), reviews=False)
    add_member(study=study, annotator=make_annotator(), annotates=False)
    open_annotating(study=study)
    return Study.objects.get()


def page(name):
    return reverse(f"annotation:{name}", args=["pilot"])


def text(response):
    assert response.status_code == 200
    return response.content.decode()


def submit(task, *, marks=1, seconds=0):
    made = make_marks(task.summary, task.annotator, study=task.study, spans=[[(0, 4)]] * marks)
    AnnotationSet.objects.filter(pk=made.pk).update(active_seconds=seconds)
    finish(task)


def finish(task):
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at=task.created_at)


# --- deadlines ------------------------------------------------------------------------------------------------------


def test_a_day_is_over_when_it_is_over_twelve_hours_west_of_greenwich():
    assert end_of(date(2026, 3, 31)) == datetime(2026, 4, 1, 12, 0, tzinfo=UTC)


def test_people_see_the_last_day_and_later_that_their_work_still_counts(client, study):
    task = study.assignments.first()
    client.force_login(task.annotator.user)
    update_study(study=study, annotate_by=date(2099, 5, 1))
    assert "Please submit by the end of" in text(client.get(reverse("annotation:tasks")))
    Study.objects.update(annotate_by=timezone.now().date() - YESTERDAY)
    assert "What you submit now is still saved and counts." in text(client.get(reverse("annotation:tasks")))
    submit_annotation_set(annotation_set=annotation_set_of(task), nothing_found=True)
    task.refresh_from_db()
    assert task.state == "submitted"


def test_after_the_last_day_nobody_gets_a_new_task_until_the_day_is_moved(client, researcher, study):
    leaver = study.assignments.first().annotator
    update_study(study=study, annotate_by=timezone.now().date() - YESTERDAY)
    filled = remove_member(study=study, member=study.members.get(annotator=leaver))
    assert (filled.given, filled.free) == (0, 1)
    refused = client.post(page("study-members"), {"action": "fill"}, follow=True)
    assert "no new tasks are given out. Choose a later day" in text(refused)
    update_study(study=study, annotate_by=date(2099, 5, 1))
    client.post(page("study-members"), {"action": "fill"})
    assert study.assignments.filter(state="open").count() == 2


def test_researchers_see_who_is_overdue(client, researcher, study):
    late, punctual = study.assignments.all()
    submit(punctual)
    update_study(study=study, annotate_by=date(2024, 2, 29))
    shown = " ".join(text(client.get(page("study"))).split())
    assert f"Annotating was due on 29 February 2024. 1 task is overdue: {late.annotator.pseudonym} 1." in shown


def test_annotating_does_not_open_after_its_last_day():
    study = create_study(name="late", review_overlap=0, annotate_by=date(2024, 2, 29))
    add_summaries(study=study, summaries=[make_summary()])
    add_member(study=study, annotator=make_annotator())
    with pytest.raises(StudyError, match="The last day for annotating was 29 February 2024"):
        open_annotating(study=study)


# --- pay ------------------------------------------------------------------------------------------------------------


def test_the_published_review_of_ten_summaries_with_forty_marks():
    """10 x $1.70 + 40 x $0.15 = $23.00, and two comparisons at $15."""
    rates = Rates(reviewed_summary=Decimal("1.70"), reviewed_mark=Decimal("0.15"), comparison=Decimal(15))
    assert amounts(Work(reviewed=10, marks=40, compared=2), rates) == Amounts(
        annotating=Decimal(0), reviewing=Decimal("23.00"), comparing=Decimal("30.00")
    )


def test_hours_are_paid_to_the_second_and_rounded_to_the_cent():
    """50 minutes and 3 seconds at $20.00: 3003 / 3600 x 20 = 16.6833."""
    assert amounts(Work(annotated=2, seconds=3003), Rates(hour=Decimal(20))).total == Decimal("16.68")


def test_pay_is_set_on_its_page_and_by_the_summary_or_the_hour_only(client, researcher, study):
    both = client.post(page("study-terms"), {"pay_per_summary": "5", "pay_per_hour": "20"})
    assert "not both" in text(both)
    assert 'placeholder="1.70"' in text(client.get(page("study-terms")))
    client.post(page("study-terms"), {"pay_per_summary": "5", "review_by": "2099-05-01"})
    study.refresh_from_db()
    assert (study.pay_per_summary, study.pay_per_hour, study.review_by) == (Decimal(5), None, date(2099, 5, 1))


@pytest.fixture
def reviewed(study):
    """3 marks by the first, 1 by the second; the third has reviewed both summaries: 2 x 1.70 + 4 x 0.15 = 4.00."""
    first, second = study.assignments.order_by("annotator")
    submit(first, marks=3, seconds=5400)
    submit(second, marks=1, seconds=1800)
    update_study(
        study=study,
        pay_per_summary=Decimal("12.50"),
        pay_per_reviewed_summary=Decimal("1.70"),
        pay_per_reviewed_mark=Decimal("0.15"),
    )
    open_review(study=study)
    for task in study.assignments.filter(task="review"):
        finish(task)
    return study


def test_the_payout_table_and_its_csv_add_up(client, researcher, reviewed):
    shown = client.get(page("study-payouts"))
    assert [each.earned.total for each in shown.context["people"]] == [Decimal("12.50"), Decimal("12.50"), Decimal("4")]
    assert shown.context["cost"].so_far.total == Decimal("29.00")
    assert shown.context["cost"].at_completion == Decimal("29.00")
    rows = list(csv.DictReader(io.StringIO(text(client.get(page("study-payouts-csv"))))))
    first, _, reviewer = rows
    assert (first["summaries_annotated"], first["active_hours"], first["total_usd"]) == ("1", "1.50", "12.50")
    assert (reviewer["summaries_reviewed"], reviewer["marks_reviewed"], reviewer["due_usd"]) == ("2", "4", "4.00")
    names = set(reviewed.members.values_list("annotator__user__username", flat=True))
    assert not names & {row["pseudonym"] for row in rows}


def test_a_payment_is_noted_once_with_its_date_and_can_be_taken_back(client, researcher, reviewed):
    person = client.get(page("study-payouts")).context["people"][0]
    form = {"person": person.annotator.pk, "amount": str(person.due)}
    client.post(page("study-payouts"), form)
    again = client.post(page("study-payouts"), form, follow=True)
    assert "Nothing is due to this person any more" in text(again)
    payment = Payment.objects.get()
    assert (payment.amount, payment.noted_by, payment.undone_at) == (Decimal("12.50"), researcher, None)
    client.post(page("study-payouts"), {"undo": payment.pk})
    person = client.get(page("study-payouts")).context["people"][0]
    assert (person.paid, person.due) == (0, Decimal("12.50"))
    payment.refresh_from_db()
    assert payment.undone_at is not None


def test_an_amount_that_changed_meanwhile_is_not_noted(client, researcher, reviewed):
    person = client.get(page("study-payouts")).context["people"][0]
    update_study(study=reviewed, pay_per_summary=Decimal("13"))
    stale = {"person": person.annotator.pk, "amount": "12.50"}
    assert "no longer $12.50" in text(client.post(page("study-payouts"), stale, follow=True))
    assert not Payment.objects.exists()


def test_a_person_who_left_is_still_owed_what_they_submitted(client, researcher, reviewed):
    member = reviewed.members.order_by("pk").first()
    remove_member(study=reviewed, member=member)
    people = client.get(page("study-payouts")).context["people"]
    assert next(each.due for each in people if each.annotator == member.annotator) == Decimal("12.50")


def test_the_cost_at_completion_goes_by_what_the_study_asks_for(client, researcher, study):
    """Two summaries for one person each at $12.50; by the hour: one took half an hour, so two take one, at $20."""
    update_study(study=study, pay_per_summary=Decimal("12.50"))
    assert client.get(page("study")).context["cost"].at_completion == Decimal("25.00")
    update_study(study=study, pay_per_summary=None, pay_per_hour=Decimal(20))
    assert client.get(page("study")).context["cost"].unknown == "The hours are known once summaries are submitted."
    submit(study.assignments.first(), seconds=1800)
    cost = client.get(page("study")).context["cost"]
    assert (cost.so_far.total, cost.at_completion) == (Decimal("10.00"), Decimal("20.00"))


def test_the_report_has_the_cost_of_people_beside_that_of_calls(reviewed):
    costs = report_json(build_report(Study.objects.get(), with_texts=False))["costs"]
    assert costs["people"] == {
        "annotating_usd": 25.0,
        "reviewing_usd": 4.0,
        "comparing_usd": None,
        "checking_usd": None,
        "total_usd": 29.0,
        "active_hours": 2.0,
    }


def test_whoever_still_reviews_sees_no_pay_that_counts_marks(client, researcher, study):
    add_member(study=study, annotator=annotator_of(researcher), annotates=False)
    update_study(study=study, pay_per_reviewed_mark=Decimal("0.15"), review_overlap=2)
    for task in study.assignments.all():
        submit(task)
    open_review(study=study)
    assert client.get(page("study-payouts")).status_code == 403
    assert client.get(page("study-payouts-csv")).status_code == 403
    assert client.get(page("study")).context["cost"] is None


def test_annotators_reach_none_of_it(client, study):
    client.force_login(make_user())
    for name in ("study-terms", "study-payouts", "study-payouts-csv"):
        assert client.get(page(name)).status_code == 403
