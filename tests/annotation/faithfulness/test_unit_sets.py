"""Plans and the units of their summaries, as researchers make and change them."""

import pytest
from django.db import IntegrityError, transaction

from annotation.faithfulness.plans import create_plan, delete_plan, update_plan
from annotation.faithfulness.unit_sets import UnitsConflict, make_units, set_cuts
from annotation.models import FaithfulnessPlan, SampledUnit, Study, Unit
from annotation.services.studies import StudyError, close_study
from tests.factories import make_annotator, make_fine_task, make_plan, make_summary

pytestmark = pytest.mark.django_db

TEXT = "Emma left the mill early, and Rolf stayed behind with the horses. He died. Emma left the mill early."


def quotes(plan):
    return [(unit.quote, unit.same_as and unit.same_as.index) for unit in plan.units.order_by("summary", "index")]


def test_a_plan_cuts_the_summaries_of_its_study_and_notes_what_repeats():
    plan = make_plan(make_summary(TEXT), make_summary("Rolf stayed."))
    assert (plan.unit_rule, plan.share, plan.units_per_summary) == ("clauses-1", 1.0, None)
    assert quotes(plan) == [
        ("Emma left the mill early,", None),
        ("and Rolf stayed behind with the horses.", None),
        ("He died.", None),
        ("Emma left the mill early.", 0),
        ("Rolf stayed.", None),
    ]
    for unit in plan.units.all():
        assert unit.summary.text[unit.start : unit.end] == unit.quote
        assert not unit.by_hand


def test_units_are_cut_by_hand_and_made_anew():
    summary = make_summary(TEXT)
    plan = make_plan(summary)
    units = set_cuts(plan=plan, summary=summary, was=[26], cuts=[26, 69])
    assert [(unit.quote, unit.by_hand) for unit in units] == [
        ("Emma left the mill early,", False),
        ("and Rolf stayed behind with the horses.", False),
        ("He", True),
        ("died.", True),
        ("Emma left the mill early.", False),
    ]
    assert quotes(plan)[4] == ("Emma left the mill early.", 0)
    with pytest.raises(UnitsConflict) as conflict:  # somebody who still sees the first ones
        set_cuts(plan=plan, summary=summary, was=[26], cuts=[])
    assert conflict.value.cuts == [26, 69]
    with pytest.raises(StudyError, match="begins with a word"):
        set_cuts(plan=plan, summary=summary, was=[26, 69], cuts=[27])
    assert plan.units.count() == 5
    assert make_units(plan=plan, summaries=[summary]) == 4
    assert not plan.units.filter(by_hand=True).exists()


def test_units_stay_once_people_were_asked_about_them():
    task = make_fine_task(make_summary(TEXT))
    plan = task.study.faithfulness
    assert [each.unit.quote for each in task.sampled_units.all()][2:] == ["He died."]
    for change in (
        lambda: make_units(plan=plan),
        lambda: set_cuts(plan=plan, summary=task.summary, was=[26], cuts=[]),
    ):
        with pytest.raises(StudyError, match="were asked about these units"):
            change()
    FaithfulnessPlan.objects.update(state="setup")
    with pytest.raises(StudyError, match="were asked about these units"):
        make_units(plan=plan)


def test_a_study_with_judgements_can_be_deleted_whole():
    task = make_fine_task()
    task.study.delete()
    assert not Unit.objects.exists()
    assert not SampledUnit.objects.exists()


def test_settings_are_changed_until_the_plan_opens():
    plan = make_plan()
    plan = update_plan(plan=plan, units_per_summary=10, coarse_overlap=2, scale="0-100")
    assert (plan.share, plan.units_per_summary, plan.coarse_overlap) == (None, 10, 2)
    plan = update_plan(plan=plan, share=0.5)
    assert (plan.share, plan.units_per_summary) == (0.5, None)
    for wrong, words in (
        ({"share": 0.0}, "Share"),
        ({"share": 1.5}, "Share"),
        ({"units_per_summary": 0}, "Units per summary"),
        ({"share": 0.5, "units_per_summary": 3}, "a share or a number"),
        ({"scale": "0-7"}, "Scale"),
        ({"fine_overlap": 1001}, "at most 1000 people"),
    ):
        with pytest.raises(StudyError, match=words):
            update_plan(plan=plan, **wrong)
    FaithfulnessPlan.objects.update(state="open")
    with pytest.raises(StudyError, match="has been opened"):
        update_plan(plan=plan, share=1.0)


def test_a_plan_is_deleted_with_its_units_while_nobody_was_asked():
    plan = make_plan()
    plan.study.members.create(annotator=make_annotator(), rates=True)
    delete_plan(plan=plan)
    assert not Unit.objects.exists()
    assert not plan.study.members.filter(rates=True).exists()
    plan = make_plan(state="open")
    with pytest.raises(StudyError, match="stays"):
        delete_plan(plan=plan)


def test_one_plan_a_study_and_none_in_a_closed_one():
    plan = make_plan()
    with pytest.raises(StudyError, match="already"):
        create_plan(study=plan.study)
    Study.objects.filter(pk=plan.study_id).update(phase="annotating")
    study = close_study(study=plan.study)
    with pytest.raises(StudyError, match="closed"):
        make_units(plan=plan)
    with pytest.raises(StudyError, match="closed"):
        create_plan(study=study)


def test_the_database_refuses_what_contradicts_itself():
    plan = make_plan()
    for wrong in ({"share": None}, {"units_per_summary": 3}, {"share": 1.1}, {"scale": "0-7"}, {"hints": "?"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            FaithfulnessPlan.objects.filter(pk=plan.pk).update(**wrong)
    member = plan.study.members.create(annotator=make_annotator(), judges_units=True)
    member.rates = True
    with pytest.raises(IntegrityError), transaction.atomic():
        member.save()
