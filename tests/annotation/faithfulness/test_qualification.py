"""Doing a qualification test: no task before it, whoever fails gives the tasks away, and no figure knows of it."""

import json

import pytest
from django.urls import reverse

from annotation.faithfulness.plans import close_plan, reopen_plan
from annotation.faithfulness.qualifying import QualificationError, begin_test, let_qualify
from annotation.models import (
    Assignment,
    Qualification,
    QualificationAttempt,
    QualificationPass,
    SampledUnit,
    Unit,
    UnitJudgement,
)
from annotation.selectors.pay import pay_of_people
from annotation.selectors.progress import progress_of
from annotation.selectors.qualification import must_qualify
from annotation.services.consent import change_consent_text
from annotation.services.fine import submit_judgements
from annotation.services.studies import add_member, update_study
from annotation.services.withdrawals import withdraw
from booookweb.models import Role
from booookweb.selectors.overview import overview_for
from scoring.exports.selection import Selection
from scoring.report import build_report
from scoring.report.writing import report_json
from scoring.selectors.faithfulness import study_faithfulness
from tests.annotation.faithfulness.tested_studies import (
    JSON,
    STATEMENTS,
    answer,
    api,
    begin,
    body,
    do_test,
    judge,
    make_tested_study,
    own_task,
    page,
    people_of,
)
from tests.at_once import at_once
from tests.factories import make_annotator, make_user

pytestmark = pytest.mark.django_db

FIRST, SECOND = "Ada waited by the river.", "Bela came at dawn with Ada."


def tasks_page(client):
    return body(client.get(reverse("annotation:tasks")))


@pytest.fixture
def study():
    return make_tested_study()


@pytest.fixture
def person(study, client):
    person = people_of(study)[0]
    client.force_login(person.user)
    return person


# --- the gate -------------------------------------------------------------------------------------------------------


def test_no_page_or_call_of_a_task_goes_around_the_test(client, study, person):
    task = own_task(study, person)
    for name in ("fine", "guidelines"):
        response = client.get(page(name, task))
        assert (response.status_code, response["Location"]) == (302, page("begin", task))
    sent = {"base_version": 0, "supported": False, "comment": "", "evidence": []}
    calls = [
        client.get(api("fine", task)),
        client.get(api("fine-hints", task)),
        client.put(api("fine-judgement", task, 0), sent, **JSON),
        client.post(api("fine-submit", task), {}, **JSON),
        client.post(api("fine-reopen", task), {}, **JSON),
    ]
    assert [(call.status_code, call.json()["code"]) for call in calls] == [(403, "qualification")] * 5
    shown = tasks_page(client)
    assert "you do a short test" in shown
    assert task.summary.book.title not in shown
    assert not UnitJudgement.objects.exists()


def test_people_who_rate_do_the_same_test(client):
    study = make_tested_study(people=1, rating=1)
    rater = people_of(study)[1]
    client.force_login(rater.user)
    task = own_task(study, rater)
    assert task.task == "coarse"
    assert client.get(page("coarse", task)).status_code == 302
    do_test(client, begin(client, task))
    assert client.get(page("coarse", task)).status_code == 200


def test_consent_is_asked_before_the_test(client, study, person):
    change_consent_text(study=study, text="You take part freely.", base=0)
    shown = body(client.get(page("begin", own_task(study, person))))
    assert "You take part freely." in shown
    assert "Begin the test" not in shown


def test_a_study_without_a_test_asks_for_none(client, study, person):
    Qualification.objects.all().delete()
    assert client.get(page("fine", own_task(study, person))).status_code == 200
    assert not must_qualify(study_id=study.pk, annotator_id=person.pk)


# --- doing it -------------------------------------------------------------------------------------------------------


def test_the_test_is_the_page_of_units_and_whoever_passes_works(client, study, person):
    task = own_task(study, person)
    shown = body(client.get(page("begin", task)))
    assert "at least 85 % right. You have 2 attempts" in shown
    test = begin(client, task)
    asked = SampledUnit.objects.filter(assignment=test).order_by("position")
    assert list(asked.values_list("unit__quote", flat=True)) == list(STATEMENTS)
    shown = body(client.get(page("fine", test)))
    assert "Test, attempt 1 of 2" in shown
    assert "you pass with 85 % of the 4 statements" in shown
    assert "at noon" not in shown  # what was changed is nowhere
    assert "expected" not in client.get(api("fine", test)).content.decode()
    do_test(client, test)
    answer = client.get(page("fine", test))
    assert (answer.status_code, answer["Location"]) == (302, page("qualification", test))
    shown = body(client.get(page("qualification", test)))
    assert "You passed." in shown
    assert "4 of 4 statements were right" in shown
    assert page("begin", task) in shown
    assert client.get(page("fine", task)).status_code == 200
    assert "Summary 1 of" in body(client.get(page("fine", task)))


def test_a_failed_attempt_gives_no_answer_away_and_another_one_asks_anew(client, study, person):
    task = own_task(study, person)
    first = begin(client, task)
    do_test(client, first, SECOND)  # 3 of 4 is 75 %
    shown = body(client.get(page("qualification", first)))
    assert "You did not pass yet. 1 attempt is left." in shown
    assert "3 of 4 statements were right" in shown
    assert not [statement for statement in STATEMENTS if statement in shown]
    assert client.get(page("fine", task)).status_code == 302
    assert "Your last attempt: 3 of 4 right" in body(client.get(page("begin", task)))
    second = begin(client, task)
    assert second.pk != first.pk
    positions = SampledUnit.objects.filter(assignment=second)
    assert set(positions.values_list("unit__quote", flat=True)) == set(STATEMENTS)
    assert second.unit_sample.seed != first.unit_sample.seed
    do_test(client, second)
    numbers = QualificationAttempt.objects.values_list("number", "correct", "total", "passed")
    assert list(numbers) == [(1, 3, 4, False), (2, 4, 4, True)]
    assert "You passed." in body(client.get(page("qualification", second)))
    assert client.get(page("fine", task)).status_code == 200


def test_the_pass_mark_itself_passes(client):
    study = make_tested_study(pass_percent=75)
    person = people_of(study)[0]
    client.force_login(person.user)
    do_test(client, begin(client, own_task(study, person)), FIRST)
    assert QualificationAttempt.objects.get().passed


def test_a_second_begin_gives_the_same_and_a_submitted_test_stays(client, study, person):
    task = own_task(study, person)
    test = begin(client, task)
    assert "Go on with the test" in body(client.get(page("begin", task)))
    assert begin(client, task).pk == test.pk
    do_test(client, test)
    assert client.post(api("fine-submit", test), {}, **JSON).status_code == 200
    assert QualificationAttempt.objects.count() == 1
    assert client.post(api("fine-reopen", test), {}, **JSON).status_code == 409
    sent = {"base_version": 1, "supported": False, "comment": "", "evidence": []}
    assert client.put(api("fine-judgement", test, 0), sent, **JSON).json()["code"] == "submitted"
    state = client.get(api("fine", test)).json()
    assert (state["state"], state["editable"], state["reopenable"]) == ("submitted", False, False)


@pytest.mark.django_db(transaction=True)
def test_two_windows_make_one_attempt(client):
    """Whatever they do at once: begin, submit, begin the last attempt, submit that."""
    study = make_tested_study(attempts=2)
    person = people_of(study)[0]
    client.force_login(person.user)
    for attempt in (1, 2):
        at_once([lambda: begin_test(study=study, annotator_id=person.pk)] * 2)
        test = Assignment.all_purposes.get(purpose="qualify", state="open")
        answer(client, test, FIRST)
        at_once([lambda test=test: submit_judgements(assignment=test)] * 2)
        assert list(QualificationAttempt.objects.values_list("number", flat=True)) == list(range(1, attempt + 1))
    with pytest.raises(QualificationError, match="all attempts"):
        begin_test(study=study, annotator_id=person.pk)


def test_an_attempt_asks_for_every_statement(client, study, person):
    test = begin(client, own_task(study, person))
    answer = client.post(api("fine-submit", test), {}, **JSON)
    assert (answer.status_code, answer.json()["missing"]) == (400, ["0", "1", "2", "3"])
    assert not QualificationAttempt.objects.exists()


def test_an_attempt_that_ended_with_the_plan_goes_on_when_it_opens_again(client, study, person):
    test = begin(client, own_task(study, person))
    close_plan(plan=study.faithfulness)
    assert client.get(page("fine", test)).status_code == 404
    with pytest.raises(QualificationError, match="The time for this test is over"):
        begin_test(study=study, annotator_id=person.pk)
    reopen_plan(plan=study.faithfulness)
    assert begin(client, own_task(study, person)).pk == test.pk
    do_test(client, test)
    assert QualificationAttempt.objects.get().number == 1


# --- who did not pass -----------------------------------------------------------------------------------------------


def test_whoever_fails_gives_the_tasks_to_others(client, study, person):
    before = study.assignments.count()
    task = own_task(study, person)
    for _ in range(2):
        test = begin(client, task)
        do_test(client, test, FIRST, SECOND)
    shown = body(client.get(page("qualification", test)))
    assert "You did not pass, and there are no attempts left." in shown
    assert "There are no tasks for you in this study" in shown
    assert not study.assignments.filter(annotator=person).exists()
    assert study.assignments.filter(annotator=people_of(study)[1], state="open").count() == before == 2
    assert "you did not pass the test" in tasks_page(client)
    with pytest.raises(QualificationError, match="all attempts"):
        begin_test(study=study, annotator_id=person.pk)


def test_a_researcher_lets_pass_and_says_why(client):
    study = make_tested_study(people=2, overlap=2, attempts=1)
    person = people_of(study)[0]
    client.force_login(person.user)
    do_test(client, begin(client, own_task(study, person)), FIRST)
    assert progress_of(study).fine.free == 2
    researcher = make_user(Role.RESEARCHER)
    client.force_login(researcher)
    address = reverse("annotation:study-qualification", args=[study.name])
    shown = body(client.post(address, {"action": "pass", "person": person.pk, "reason": " "}, follow=True))
    assert "Say why you let this person pass" in shown
    assert not QualificationPass.objects.exists()
    shown = body(client.post(address, {"action": "pass", "person": person.pk, "reason": "Slip of a key"}, follow=True))
    assert "Passed by hand" in shown
    assert "Slip of a key" in shown
    made = QualificationPass.objects.get()
    assert (made.by, made.annotator) == (researcher, person)
    assert study.assignments.filter(annotator=person, state="open").count() == 2
    client.force_login(person.user)
    assert client.get(page("fine", own_task(study, person))).status_code == 200


def test_whoever_was_let_pass_keeps_the_tasks_whatever_an_attempt_gives(client):
    study = make_tested_study(attempts=1)
    person = people_of(study)[0]
    client.force_login(person.user)
    task = own_task(study, person)
    test = begin(client, task)
    let_qualify(study=study, annotator=person, reason="Known to us", by_id=None)
    do_test(client, test, FIRST, SECOND)
    assert own_task(study, person) == task
    assert "The researchers let you pass." in body(client.get(page("qualification", test)))


def test_nobody_else_can_be_let_pass(study):
    other = make_annotator()
    with pytest.raises(QualificationError, match="does not check summaries"):
        let_qualify(study=study, annotator=other, reason="A friend", by_id=None)


@pytest.mark.parametrize(("shown_to", "wrong"), [(True, [FIRST, SECOND]), (False, [FIRST, SECOND]), (True, [])])
def test_what_was_expected_is_shown_to_whoever_is_done_if_the_study_says_so(client, shown_to, wrong):
    study = make_tested_study(attempts=1, answers_shown=shown_to)
    person = people_of(study)[0]
    client.force_login(person.user)
    test = begin(client, own_task(study, person))
    do_test(client, test, *wrong)
    shown = body(client.get(page("qualification", test)))
    assert ("What was expected" in shown) is shown_to
    assert (FIRST in shown) is shown_to


# --- outside of everything ------------------------------------------------------------------------------------------


def test_tests_are_in_no_figure_no_pay_and_no_export(client, study, person):
    """All is the same before and after a failed and a passed attempt, in a study with somebody's judgements."""
    update_study(study=study, pay_per_unit=1)
    other = people_of(study)[1]
    let_qualify(study=study, annotator=other, reason="Known to us", by_id=None)
    client.force_login(other.user)
    work = own_task(study, other)
    judge(client, work, [True, False])
    assert client.post(api("fine-submit", work), {}, **JSON).status_code == 200

    def everything():
        report = json.dumps(report_json(build_report(study)), sort_keys=True)
        exported = Selection(study, with_source=True).counts
        return report, progress_of(study), list(pay_of_people(study)), exported, overview_for(other.user).own_tasks

    before = everything()
    client.force_login(person.user)
    for wrong in ([FIRST, SECOND], []):
        do_test(client, begin(client, own_task(study, person)), *wrong)
    assert everything() == before
    assert UnitJudgement.objects.count() == 2 + 4 + 4
    found = study_faithfulness(study)
    assert [task.judged for each in found.summaries for task in each.fine] != []
    assert sum(each.units for each in found.summaries) == study.faithfulness.units.count() == 4
    assert Unit.all_purposes.filter(plan=study.faithfulness, purpose="qualify").count() == 4
    counts = before[3]
    assert (counts["summary"], counts["unit"], counts["task"], counts["judgement"]) == (2, 4, 2, 2)
    assert "Ferry" not in tasks_page(client)


def test_a_withdrawal_removes_attempts_and_passes(client, study, person):
    do_test(client, begin(client, own_task(study, person)), FIRST)
    let_qualify(study=study, annotator=person, reason="Slip of a key", by_id=None)
    withdraw(study=study, annotator=person, by=person.user)
    assert not QualificationAttempt.objects.exists()
    assert not QualificationPass.objects.exists()
    assert not Assignment.all_purposes.filter(annotator=person).exists()


def test_whoever_stops_checking_has_no_test(client, study, person):
    test = begin(client, own_task(study, person))
    add_member(study=study, annotator=person, annotates=True, judges_units=False)
    assert client.get(page("fine", test)).status_code == 404
    with pytest.raises(QualificationError, match="no longer check summaries"):
        begin_test(study=study, annotator_id=person.pk)
