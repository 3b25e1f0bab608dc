"""Active time of reviews and comparisons: measured, shown to researchers, and paid by the hour where a study does."""

import csv
import io
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import Assignment, ComparisonSheet, Study
from annotation.pay import Amounts, Rates, Work, amounts
from annotation.services.studies import update_study
from tests.factories import make_compare_task, make_summary, make_user
from tests.world import make_study, make_task

pytestmark = pytest.mark.django_db


def test_every_kind_of_work_can_be_paid_by_the_hour():
    """At $20, $30 and $12: one hour, 50 minutes and 3 seconds (3003 / 3600 x 30 = 25.025), half an hour."""
    work = Work(
        annotated=2, seconds=3600, reviewed=5, marks=9, review_seconds=3003, compared=1, comparison_seconds=1800
    )
    rates = Rates(hour=Decimal(20), review_hour=Decimal(30), comparison_hour=Decimal(12))
    assert amounts(work, rates) == Amounts(Decimal("20.00"), Decimal("25.03"), Decimal("6.00"))
    assert amounts(work, Rates(comparison=Decimal(15))).total == Decimal("15.00")


@pytest.fixture
def task(client):
    user = make_user()
    client.force_login(user)
    return make_task(user, "review", make_study(make_summary()))


def send(client, task, known, total):
    address = reverse("annotation-api:review-active-time", args=[task.key])
    return client.post(address, {"known_seconds": known, "total_seconds": total}, content_type="application/json")


def test_the_time_of_a_review_grows_once_with_each_send(client, task):
    assert send(client, task, 0, 30).json() == {"active_seconds": 30}
    assert send(client, task, 0, 30).json() == {"active_seconds": 30}
    assert send(client, task, 0, 90).json() == {"active_seconds": 30}  # another window was first
    assert send(client, task, 30, 75).json() == {"active_seconds": 75}
    assert send(client, task, 75, 10).json()["detail"] == "Active time can only grow."
    page = client.get(reverse("annotation:review", args=[task.key])).content.decode()
    assert '"active_seconds": 75' in page


def test_a_submitted_review_takes_no_more_time(client, task):
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at=task.created_at, active_seconds=40)
    assert send(client, task, 40, 70).json() == {"active_seconds": 40}


@pytest.fixture
def comparison(client):
    """A submitted comparison that took half an hour, in a study that a researcher looks at."""
    task = make_compare_task()
    ComparisonSheet.objects.filter(assignment=task).update(active_seconds=1800)
    client.force_login(make_user("researcher"))
    return task


def submitted(task):
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at=task.created_at)


def test_researchers_see_the_hours_of_comparisons_and_pay_by_them(client, comparison):
    study = comparison.study
    update_study(study=study, pay_per_comparison_hour=Decimal(30))
    payouts = reverse("annotation:study-payouts", args=[study.name])
    page = reverse("annotation:study", args=[study.name])
    assert client.get(page).context["cost"].unknown == "The hours are known once comparisons are submitted."
    submitted(comparison)
    (person,) = client.get(payouts).context["people"]
    assert (person.work.comparison_hours, person.earned.comparing) == (0.5, Decimal("15.00"))
    assert "0.50" in client.get(payouts).content.decode()
    (row,) = csv.DictReader(
        io.StringIO(client.get(reverse("annotation:study-payouts-csv", args=[study.name])).content.decode())
    )
    assert (row["active_comparison_hours"], row["comparing_usd"]) == ("0.50", "15.00")
    assert client.get(page).context["cost"].at_completion == Decimal("15.00")


def test_the_hours_of_a_review_are_shown_and_paid(client, task):
    Assignment.objects.filter(pk=task.pk).update(active_seconds=5400)
    submitted(task)
    Study.objects.update(pay_per_review_hour=Decimal(20))
    client.force_login(make_user("researcher"))
    (person,) = client.get(reverse("annotation:study-payouts", args=[task.study.name])).context["people"]
    assert (person.annotator, person.work.review_hours) == (annotator_of(task.annotator.user), 1.5)
    assert person.due == Decimal("30.00")


@pytest.mark.parametrize(
    ("both", "says"),
    [
        ({"pay_per_reviewed_mark": "1", "pay_per_review_hour": "20"}, "summary and mark or by the hour, not both"),
        ({"pay_per_comparison": "1", "pay_per_comparison_hour": "20"}, "comparison or by the hour, not both"),
    ],
)
def test_by_the_hour_takes_the_place_of_other_pay(client, comparison, both, says):
    terms = reverse("annotation:study-terms", args=[comparison.study.name])
    assert says in client.post(terms, both).content.decode()
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.update(**both)


def test_the_payouts_have_a_button_that_prints(client, comparison):
    submitted(comparison)
    page = client.get(reverse("annotation:study-payouts", args=[comparison.study.name])).content.decode()
    assert "data-print" in page
    assert "js/print.js" in page


@pytest.mark.parametrize(("kind", "address"), [("annotate", "marks"), ("review", "review"), ("compare", "comparison")])
def test_nobody_claims_more_than_a_hundred_hours_on_one_task(client, kind, address):
    task = make_compare_task() if kind == "compare" else make_task(make_user(), kind, make_study(make_summary()))
    client.force_login(task.annotator.user)
    url = reverse(f"annotation-api:{address}-active-time", args=[task.key])

    def claim(seconds):
        sent = {"known_seconds": 0, "total_seconds": seconds}
        return client.post(url, sent, content_type="application/json").status_code

    assert [claim(360_001), claim(360_000)] == [400, 200]
