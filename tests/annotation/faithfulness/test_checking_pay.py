"""What people are paid for judging units and rating summaries. Amounts worked out by hand."""

import csv
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.models import Assignment, FaithfulnessPlan, Rating, UnitJudgement
from annotation.selectors.pay import pay_of_people, study_cost
from annotation.services.studies import StudyError, update_study
from booookweb.models import Role
from tests.factories import make_coarse_task, make_fine_task, make_summary, make_user

pytestmark = pytest.mark.django_db

#: Four different units, and one that is the same as the first.
TEXT = "Emma left. Rolf stayed. Emma left. Mia sailed. Nobody came."


def submit(task, *, seconds=60):
    """Answer everything in a task, in so many seconds each."""
    for sampled in task.sampled_units.all():
        UnitJudgement.objects.create(sampled=sampled, supported=True, active_seconds=seconds)
    if task.task == "coarse":
        Rating.objects.create(assignment=task, value=4, active_seconds=seconds)
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at=task.created_at)


def test_units_are_paid_each_and_the_rest_is_foreseen():
    task = make_fine_task(make_summary(TEXT), make_summary(TEXT), fine_overlap=2)
    study = update_study(study=task.study, pay_per_unit=Decimal("0.25"))
    submit(task)
    (person,) = pay_of_people(study)
    assert (person.work.units, person.work.unit_seconds, person.earned.checking) == (4, 240, Decimal("1.00"))
    # Two people on four units of each of two summaries: 16 judgements.
    assert study_cost(study, [person]).at_completion == Decimal("4.00")


def test_hours_are_paid_to_the_second_and_taken_to_go_on():
    task = make_fine_task(make_summary(TEXT), fine_overlap=2)
    study = update_study(study=task.study, pay_per_unit_hour=Decimal(15))
    assert study_cost(study, []).unknown == "The hours are known once summaries are checked."
    submit(task, seconds=90)
    (person,) = pay_of_people(study)
    assert person.earned.total == Decimal("1.50")  # 6 minutes
    assert study_cost(study, [person]).at_completion == Decimal("3.00")


def test_ratings_are_paid_each_or_by_the_hour_not_both():
    task = make_coarse_task(make_summary(TEXT), fine_overlap=0, coarse_overlap=3)
    study = update_study(study=task.study, pay_per_rating=Decimal(2))
    submit(task)
    (person,) = pay_of_people(study)
    assert (person.work.ratings, person.earned.checking) == (1, Decimal("2.00"))
    assert study_cost(study, [person]).at_completion == Decimal("6.00")
    with pytest.raises(StudyError):
        update_study(study=study, pay_per_rating_hour=Decimal(20))


def test_open_tasks_and_imported_judgements_are_not_paid():
    task = make_fine_task(make_summary(TEXT))
    update_study(study=task.study, pay_per_unit=Decimal(1))
    UnitJudgement.objects.create(sampled=task.sampled_units.first(), supported=True)
    assert pay_of_people(task.study) == []
    task.sampled_units.first().judgement.delete()
    submit(task)
    FaithfulnessPlan.objects.update(unit_rule="imported")
    assert pay_of_people(task.study) == []


def test_payouts_show_what_was_checked(client):
    task = make_fine_task(make_summary(TEXT))
    update_study(study=task.study, pay_per_unit=Decimal("0.25"))
    submit(task)
    client.force_login(make_user(Role.RESEARCHER))
    page = client.get(reverse("annotation:study-payouts", args=[task.study.name])).content.decode()
    assert "4 statements" in page
    table = client.get(reverse("annotation:study-payouts-csv", args=[task.study.name])).content.decode()
    (row,) = csv.DictReader(table.splitlines())
    assert (row["units_judged"], row["active_checking_hours"], row["checking_usd"]) == ("4", "0.07", "1.00")
