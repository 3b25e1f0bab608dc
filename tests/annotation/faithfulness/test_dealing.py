"""Who judges units of which summary and who rates it, when a plan is opened, closed, opened again, or people change."""

from collections import defaultdict

import pytest

from annotation.access import NoSuchTask, blinded_summary_ids, own_assignment
from annotation.assignment import Item, Person, deal_annotation, order_by_book
from annotation.faithfulness.plans import close_plan, create_plan, open_plan, reopen_plan, set_checkers, update_plan
from annotation.faithfulness.sampling import Amount, sample
from annotation.faithfulness.selectors import plan_problems, planned_work
from annotation.models import (
    Assignment,
    BookKnowledge,
    FaithfulnessPlan,
    MarksSeen,
    SampledUnit,
    Study,
    UnitJudgement,
    UnitSample,
)
from annotation.selectors.free_tasks import free_tasks_explained
from annotation.selectors.progress import free_places, progress_of
from annotation.services.studies import (
    StudyError,
    add_member,
    add_summaries,
    close_study,
    create_study,
    remove_member,
    remove_summaries,
)
from annotation.services.withdrawals import withdraw
from tests.factories import make_annotate_task, make_annotator, make_pair, make_plan, make_summary

pytestmark = pytest.mark.django_db

TEXT = "Emma left. Rolf stayed. Emma left. Mia sailed. Nobody came."


def with_text(*summaries):
    """Their books get a text."""
    for summary in summaries:
        summary.book.text, summary.book.text_sha256 = f"The book {summary.book_id}.", f"{summary.book_id:064}"
        summary.book.save()
    return list(summaries)


def checkers(plan, *, fine=0, coarse=0):
    """New members who judge units or rate; as two lists."""
    people = [make_annotator() for _ in range(fine + coarse)]
    for at, annotator in enumerate(people):
        roles = {"judges_units": at < fine, "rates": at >= fine}
        add_member(study=plan.study, annotator=annotator, annotates=False, reviews=False, **roles)
    return people[:fine], people[fine:]


def dealt(study):
    rows = study.assignments.exclude(state="skipped").order_by("annotator", "task", "order")
    return list(rows.values_list("task", "annotator", "summary__book", "summary"))


# --- the strategy ---------------------------------------------------------------------------------------------------


def test_one_person_has_all_summaries_of_a_book_one_after_the_other():
    items = [Item(10 * book + each, book, weight=5) for book in range(1, 7) for each in range(3)]
    people = [Person(key, annotates=False, reviews=False, judges_units=True) for key in range(4)]
    tasks = deal_annotation(
        items,
        people,
        overlap=2,
        review_overlap=0,
        taken={},
        declined={},
        seed="s",
        may=Person.may_judge_units,
        together=True,
    )
    assert len(tasks) == len(set(tasks)) == 36
    books = defaultdict(set)
    for summary, person in tasks:
        books[summary // 10].add(person)
    assert all(len(each) == 2 for each in books.values())
    assert all(sum(person == key for _, person in tasks) == 9 for key in range(4))  # six books twice over four people
    order = order_by_book(tasks, {item.summary: item.book for item in items}, seed="s")
    assert sorted(order) == sorted(tasks)
    for key in range(4):
        own = [summary // 10 for summary, person in order if person == key]
        assert [own[at] == own[at + 1] for at in range(8)].count(False) == 2


def test_whoever_reads_the_book_meets_it_in_no_other_way_afterwards():
    person = Person(1, compares=True, judges_units=True, judged=frozenset({7}))
    assert person.may_judge_units(7)
    assert not any(may(person, 7) for may in (Person.may_annotate, Person.may_review, Person.may_compare))
    rater = Person(1, rates=True, judged=frozenset({7}))
    assert not rater.may_rate(7)
    assert rater.may_rate(8)
    assert not Person(1, judges_units=True, rated=frozenset({7})).may_judge_units(7)


@pytest.mark.parametrize("books", ["annotating", "comparing", "reviewed", "seen"])
def test_what_keeps_a_person_from_checking_a_book(books):
    person = Person(1, judges_units=True, rates=True, **{books: frozenset({7})})
    assert not any(may(person, 7) for may in (Person.may_judge_units, Person.may_rate))
    assert person.may_judge_units(8)
    assert person.may_rate(8)


def test_what_a_person_did_on_their_own_does_not():
    person = Person(1, judges_units=True, rates=True, annotated=frozenset({7}), compared=frozenset({7}))
    assert person.may_judge_units(7)
    assert person.may_rate(7)
    assert not Person(1, judges_units=True, away=True).may_judge_units(7)


# --- opening --------------------------------------------------------------------------------------------------------


def test_opening_gives_out_tasks_with_a_sample_for_each_person():
    summaries = with_text(*make_pair(TEXT, TEXT), make_summary(TEXT))
    plan = make_plan(*summaries, share=0.5, fine_overlap=2, coarse_overlap=1, hints="randomised")
    fine, coarse = checkers(plan, fine=3, coarse=2)
    open_plan(plan=plan)
    tasks = dealt(plan.study)
    assert [task[0] for task in tasks].count("fine") == 6
    assert [task[0] for task in tasks].count("coarse") == 3
    assert {annotator for task, annotator, *_ in tasks if task == "fine"} <= {each.pk for each in fine}
    assert {annotator for task, annotator, *_ in tasks if task == "coarse"} <= {each.pk for each in coarse}
    for task in Assignment.objects.filter(task="fine"):
        units = task.study.faithfulness.units.filter(summary=task.summary, same_as=None).order_by("index")
        asked = list(SampledUnit.objects.filter(assignment=task).order_by("position").values_list("unit", flat=True))
        assert len(asked) == 2  # half of four: the repeated one is not asked
        assert asked == sample(list(units.values_list("pk", flat=True)), Amount(share=0.5), seed=task.unit_sample.seed)
    of_summary = UnitSample.objects.filter(assignment__summary=summaries[0]).values_list("hints_shown", flat=True)
    assert sorted(of_summary) == [False, True]
    assert not UnitSample.objects.filter(assignment__task="coarse").exists()


@pytest.mark.parametrize(("hints", "shown"), [("always", {True}), ("never", {False})])
def test_hints_for_all_or_none(hints, shown):
    plan = make_plan(*with_text(make_summary(), make_summary()), fine_overlap=1, hints=hints)
    checkers(plan, fine=1)
    open_plan(plan=plan)
    assert set(UnitSample.objects.values_list("hints_shown", flat=True)) == shown


def test_summaries_stay_once_people_were_asked_about_them():
    plan = make_plan(*with_text(make_summary()), fine_overlap=1)
    checkers(plan, fine=1)
    open_plan(plan=plan)
    with pytest.raises(StudyError, match="these stay as they are"):
        add_summaries(study=plan.study, summaries=[make_summary()])
    with pytest.raises(StudyError, match="these stay as they are"):
        remove_summaries(study=plan.study, summaries=plan.study.summaries.all())


def test_what_a_plan_lacks_is_said_before_it_opens():
    plan = make_plan(make_summary(title="The Mill"), fine_overlap=2, coarse_overlap=0)
    text, nobody = plan_problems(plan)
    assert "1 book is here without text: The Mill." in text
    assert nobody == "Nobody is chosen to judge units. Choose who does."
    with_text(plan.study.summaries.get())
    checkers(plan, fine=1)
    assert plan_problems(plan)[0].startswith("1 summary has fewer than 2 people who may judge units: The Mill (")
    plan.units.all().delete()
    assert plan_problems(plan)[0].startswith("1 summary is not cut into units: The Mill (")
    with pytest.raises(StudyError, match="not cut into units"):
        open_plan(plan=plan)
    plan = update_plan(plan=plan, fine_overlap=0)
    assert plan_problems(plan)[0].startswith("Nobody is asked anything")
    add_member(study=plan.study, annotator=make_annotator())
    plan = update_plan(plan=plan, coarse_overlap=1)
    assert "open annotating first" in plan_problems(plan)[0]
    assert plan_problems(make_plan(make_summary("")))[0]
    plan.study.summaries.clear()
    assert plan_problems(plan) == ["The study has no summaries yet. Choose some."]


def test_enough_people_stay_free_to_review():
    study = create_study(name="both", review_overlap=1)
    add_summaries(study=study, summaries=with_text(make_summary()))
    first, second = make_annotator(), make_annotator()
    add_member(study=study, annotator=first, annotates=False, reviews=True, judges_units=True)
    add_member(study=study, annotator=second, annotates=True, reviews=False)
    Study.objects.filter(pk=study.pk).update(phase="annotating")
    plan = create_plan(study=study, fine_overlap=1)
    assert "too few people to review the marks on the book, which needs 1 reviewer" in plan_problems(plan)[0]
    add_member(study=study, annotator=make_annotator(), annotates=False, reviews=False, judges_units=True)
    assert plan_problems(plan) == []


def test_what_is_planned_in_numbers():
    plan = make_plan(make_summary(TEXT), make_summary("Emma left."), share=0.5, fine_overlap=3, coarse_overlap=2)
    work = planned_work(plan)
    assert (work.summaries, work.units, work.repeated, work.per_summary) == (2, 6, 1, 3.0)
    # Of four different units two, of one unit that one.
    assert (work.judgements, work.ratings, work.people) == (9, 4, 5)
    assert (work.time, work.time_of_each(3)) == ("6 min", "2 min")  # 9 * 41 s = 6.15 min


# --- people ---------------------------------------------------------------------------------------------------------


def test_nobody_does_both_or_changes_sides():
    plan = make_plan(*with_text(make_summary()), fine_overlap=1)
    (one, other), _ = checkers(plan, fine=2)
    with pytest.raises(StudyError, match="can’t do both"):
        set_checkers(plan=plan, fine=[one.pk], coarse=[one.pk, other.pk])
    with pytest.raises(StudyError, match="would do nothing"):
        set_checkers(plan=plan, fine=[one.pk], coarse=[])
    with pytest.raises(StudyError, match="in one study"):
        add_member(study=plan.study, annotator=one, annotates=False, reviews=False, rates=True)
    set_checkers(plan=plan, fine=[one.pk], coarse=[other.pk])
    assert plan.study.members.get(annotator=other).rates
    plan = open_plan(plan=plan)
    with pytest.raises(StudyError, match="can’t change sides"):
        set_checkers(plan=plan, fine=[other.pk], coarse=[one.pk])


def test_open_tasks_of_somebody_who_leaves_go_to_others():
    plan = make_plan(*with_text(make_summary()), fine_overlap=1)
    checkers(plan, fine=1)
    open_plan(plan=plan)
    remove_member(study=plan.study, member=plan.study.members.get())
    assert free_places(plan.study) == 1
    assert "1 task has nobody: The Mill" in free_tasks_explained(plan.study)
    assert "Add people who judge units." in free_tasks_explained(plan.study)
    (other,), _ = checkers(plan, fine=1)
    assert [task[1] for task in dealt(plan.study)] == [other.pk]
    assert progress_of(plan.study).fine.total == 1
    assert free_places(plan.study) == 0


def test_a_withdrawal_removes_judgements_and_frees_the_task():
    plan = make_plan(*with_text(make_summary(TEXT)), fine_overlap=1)
    (one,), _ = checkers(plan, fine=1)
    open_plan(plan=plan)
    task = Assignment.objects.get(task="fine")
    UnitJudgement.objects.create(sampled=task.sampled_units.first(), supported=True, active_seconds=90)
    UnitJudgement.objects.create(sampled=task.sampled_units.last(), active_seconds=30)
    log = withdraw(study=plan.study, annotator=one, by=one.user)
    assert (log.removed["tasks"], log.removed["units"], log.removed["active_minutes"]) == (1, 1, 2)
    assert not SampledUnit.objects.exists()
    assert free_places(plan.study) == 1


# --- who sees what --------------------------------------------------------------------------------------------------


def test_tasks_are_reached_by_their_person_alone():
    plan = make_plan(*with_text(make_summary()), fine_overlap=1, coarse_overlap=1)
    (judge,), (rater,) = checkers(plan, fine=1, coarse=1)
    assert blinded_summary_ids(judge.user) == blinded_summary_ids(rater.user) == {plan.study.summaries.get().pk}
    plan = open_plan(plan=plan)
    for who, task in ((judge, "fine"), (rater, "coarse")):
        key = Assignment.objects.get(task=task).key
        assert own_assignment(who.user, key, task).annotator == who
        for stranger in ({judge, rater} - {who}).pop().user, make_annotator().user:
            with pytest.raises(NoSuchTask):
                own_assignment(stranger, key, task)
    close_plan(plan=plan)
    key = Assignment.objects.get(task="fine").key
    assert own_assignment(judge.user, key, "fine").state == "skipped"  # to be looked at
    with pytest.raises(NoSuchTask):
        own_assignment(rater.user, key, "fine")
    close_study(study=plan.study)
    assert blinded_summary_ids(judge.user) == set()


def test_a_person_is_asked_about_the_book_before_and_not_for_the_training_of_annotators():
    plan = make_plan(*with_text(make_summary()), fine_overlap=1)
    Study.objects.update(asks_about_book=True)
    (judge,), _ = checkers(plan, fine=1)
    open_plan(plan=plan)
    task = Assignment.objects.get(task="fine")
    with pytest.raises(Exception, match="whether you have read the book") as refused:
        own_assignment(judge.user, task.key, "fine")
    assert refused.value.code == "book"
    BookKnowledge.objects.create(annotator=judge, book=task.summary.book, answer="no")
    assert own_assignment(judge.user, task.key, "fine") == task


# --- closing --------------------------------------------------------------------------------------------------------


def test_what_ended_at_the_closing_goes_back_to_its_people_at_the_reopening():
    plan = make_plan(*with_text(make_summary(TEXT), make_summary(TEXT), make_summary(TEXT)), fine_overlap=1)
    checkers(plan, fine=3)
    plan = open_plan(plan=plan)
    done, seen, open_task = Assignment.objects.order_by("pk")
    Assignment.objects.filter(pk=done.pk).update(state="submitted", ended_at=done.created_at)
    plan = close_plan(plan=plan)
    assert {task.state for task in Assignment.objects.all()} == {"submitted", "skipped"}
    MarksSeen.objects.create(user=seen.annotator.user, summary=seen.summary)
    filled = reopen_plan(plan=plan)
    assert filled.given == 2
    assert Assignment.objects.get(pk=open_task.pk).state == "open"
    assert Assignment.objects.get(pk=seen.pk).state == "skipped"
    assert Assignment.objects.get(summary=seen.summary, state="open").annotator != seen.annotator
    assert open_task.sampled_units.count() == 4
    with pytest.raises(StudyError, match="Only a closed plan"):
        reopen_plan(plan=plan)


def test_closing_the_study_closes_the_plan():
    plan = make_plan(*with_text(make_summary()), fine_overlap=1)
    with pytest.raises(StudyError, match="has not begun"):
        close_study(study=plan.study)
    checkers(plan, fine=1)
    plan = open_plan(plan=plan)
    close_study(study=plan.study)
    assert FaithfulnessPlan.objects.get().state == "closed"
    assert Assignment.objects.get().state == "skipped"
    with pytest.raises(StudyError, match="study is closed"):
        reopen_plan(plan=plan)


def test_annotating_comes_first():
    """Somebody who still annotates a summary of the book gets it to check once they have submitted."""
    task = make_annotate_task()
    with_text(task.summary)
    Study.objects.update(review_overlap=0)
    plan = create_plan(study=task.study, fine_overlap=1)
    set_checkers(plan=plan, fine=[task.annotator_id], coarse=[])
    assert "fewer than 1 person who may judge units" in plan_problems(plan)[0]
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at=task.created_at)
    open_plan(plan=plan)
    assert Assignment.objects.filter(task="fine", annotator=task.annotator_id).exists()
