"""Comparing two summaries: what a person gets, may answer and take back, and what reaches the figures."""

import json
import uuid

import pytest
from django.urls import reverse

from annotation.access import annotator_of, blinded_summary_ids
from annotation.comparison_questions import Question, stored_answer
from annotation.models import Assignment, ComparisonAnswer, ComparisonSheet, MarksSeen, Study
from annotation.services.comparing import submit_comparison
from annotation.services.comparison_rounds import add_pair, close_round, create_round, open_round, set_questions
from annotation.services.studies import close_study, remove_member
from scoring.selectors.preferences import AnswerCount, preference_counts
from tests.at_once import at_once
from tests.factories import make_annotator, make_compare_task, make_pair, make_round, make_user

pytestmark = pytest.mark.django_db

ANSWERS = {
    "detail": "a",
    "structure": "b",
    "logic": "draw",
    "contradiction": "no",
    "omission-a": "yes",
    "omission-b": "no",
    "preference": "a",
}


@pytest.fixture
def user():
    return make_user(name="reader")


@pytest.fixture
def task(user):
    return make_compare_task(annotator=annotator_of(user))


@pytest.fixture
def comparing(client, user):
    client.force_login(user)
    return client


def api(task, path=""):
    return reverse("annotation-api:comparison", args=[task.key]) + path


def put(client, task, slot, answer="", comment="", base_version=0):
    body = {"base_version": base_version, "answer": answer, "comment": comment}
    return client.put(api(task, f"answers/{slot}/"), json.dumps(body), content_type="application/json")


def answer_all(client, task, answers=ANSWERS):
    for slot, answer in answers.items():
        assert put(client, task, slot, answer).status_code == 200


def submit(client, task):
    return client.post(api(task, "submit/"), content_type="application/json")


def reopen(client, task):
    return client.post(api(task, "reopen/"), content_type="application/json")


# --- what a person gets ---------------------------------------------------------------------------------------------


def test_the_page_shows_two_texts_and_no_system(comparing, task):
    page = comparing.get(reverse("annotation:compare", args=[task.key])).content.decode()
    assert page.index("Emma left.") < page.index("Rolf stayed.")
    for system in (task.comparison.first.system, task.comparison.second.system):
        assert system.name not in page
    assert task.study.name not in page
    assert "formal" not in page


def test_left_and_right_change_nothing_but_the_place_of_the_texts(comparing, task, monkeypatch):
    monkeypatch.setattr("django.middleware.csrf._get_new_csrf_string", lambda: "a" * 32)
    monkeypatch.setattr("django.middleware.csrf._mask_cipher_secret", lambda secret: "b" * 32 + secret)
    address = reverse("annotation:compare", args=[task.key])
    one = comparing.get(address).content.decode()
    ComparisonSheet.objects.update(first_is_a=False)
    other = comparing.get(address).content.decode()
    assert one != other
    swapped = other.replace("Emma left.", "@@").replace("Rolf stayed.", "Emma left.").replace("@@", "Rolf stayed.")
    assert swapped == one


def test_the_task_stands_in_the_list_with_the_guidelines(comparing, task):
    page = comparing.get(reverse("annotation:tasks")).content.decode()
    assert reverse("annotation:compare", args=[task.key]) in page
    assert reverse("annotation:guidelines", args=[task.key]) in page


def test_the_guidelines_of_a_comparison_say_how_to_compare_and_can_be_read_before_any_question(comparing, task):
    Study.objects.filter(pk=task.study_id).update(asks_about_book=True)
    assert "/begin/" in comparing.get(reverse("annotation:compare", args=[task.key])).headers["Location"]
    page = comparing.get(reverse("annotation:guidelines", args=[task.key])).content.decode()
    assert "Read both summaries from beginning to end" in page
    assert f'href="{reverse("annotation:compare", args=[task.key])}">Back to the comparison' in page
    assert "The kinds of error" not in page


def test_somebody_elses_comparison_does_not_exist(client, task):
    client.force_login(make_user("admin"))
    assert client.get(api(task)).status_code == 404
    assert put(client, task, "detail", "a").status_code == 404


# --- answers --------------------------------------------------------------------------------------------------------


def test_an_answer_is_kept_with_its_version_and_a_repeat_changes_nothing(comparing, task):
    first = {"slot": "detail", "answer": "a", "comment": "more names", "version": 1}
    assert put(comparing, task, "detail", "a", "more names").json() == first
    assert put(comparing, task, "detail", "a", "more names").json() == first
    changed = put(comparing, task, "detail", "draw", "more names", base_version=1).json()
    assert changed == {**first, "answer": "draw", "version": 2}
    assert comparing.get(api(task)).json() == {"state": "open", "active_seconds": 0, "answers": [changed]}


def test_a_change_to_what_another_window_changed_is_refused_with_what_is_there(comparing, task):
    put(comparing, task, "detail", "a")
    refused = put(comparing, task, "detail", "b")
    assert refused.status_code == 409
    assert refused.json()["code"] == "conflict"
    assert refused.json()["current"] == {"slot": "detail", "answer": "a", "comment": "", "version": 1}


@pytest.mark.parametrize(
    ("slot", "answer"),
    [("detail", "yes"), ("contradiction", "a"), ("omission", "yes"), ("nothing", "a"), ("detail", "first")],
)
def test_what_no_question_asks_for_is_refused(comparing, task, slot, answer):
    refused = put(comparing, task, slot, answer)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert ComparisonSheet.objects.get().answers == {}


def test_submit_asks_for_what_is_missing(comparing, task):
    answer_all(comparing, task, {"detail": "a", "omission-a": "no"})
    refused = submit(comparing, task)
    assert refused.status_code == 400
    assert refused.json() == {
        "detail": "5 questions have no answer yet.",
        "code": "incomplete",
        "missing": ["structure", "logic", "contradiction", "omission-b", "preference"],
    }
    assert not ComparisonAnswer.objects.exists()


def test_answers_name_the_summaries_whatever_side_they_stood_on(comparing, user):
    task = make_compare_task(annotator=annotator_of(user), first_is_a=False)
    answer_all(comparing, task)
    put(comparing, task, "preference", "a", "It flows.", base_version=1)
    assert submit(comparing, task).json()["state"] == "submitted"
    stored = {row.question: (row.answer, row.comment) for row in ComparisonAnswer.objects.all()}
    assert stored == {
        "detail": ("second", ""),
        "structure": ("first", ""),
        "logic": ("draw", ""),
        "contradiction": ("no", ""),
        "omission-second": ("yes", ""),
        "omission-first": ("no", ""),
        "preference": ("second", "It flows."),
    }
    assert ComparisonAnswer.objects.get(question="preference").words == "Which summary do you prefer overall?"
    assert ComparisonAnswer.objects.get(question="preference").guidelines.number == 1


def test_a_second_submit_changes_nothing_and_answers_are_locked(comparing, task):
    answer_all(comparing, task)
    assert submit(comparing, task).status_code == 200
    assert submit(comparing, task).status_code == 200
    assert ComparisonAnswer.objects.count() == 7
    locked = put(comparing, task, "detail", "b", base_version=1)
    assert (locked.status_code, locked.json()["code"]) == (409, "submitted")


def test_a_submission_is_taken_back_and_counts_nowhere_until_it_is_submitted_again(comparing, task):
    answer_all(comparing, task)
    submit(comparing, task)
    assert reopen(comparing, task).json()["state"] == "open"
    assert not ComparisonAnswer.objects.exists()
    assert put(comparing, task, "detail", "b", base_version=1).status_code == 200
    submit(comparing, task)
    assert ComparisonAnswer.objects.get(question="detail").answer == "second"


def test_after_the_round_or_the_study_closes_nothing_is_taken_back(comparing, task):
    answer_all(comparing, task)
    submit(comparing, task)
    close_round(asked_in=task.comparison.asked_in)
    assert reopen(comparing, task).status_code == 404
    assert ComparisonAnswer.objects.count() == 7


def test_closing_the_study_ends_open_comparisons(comparing, task):
    put(comparing, task, "detail", "a")
    close_study(study=task.study)
    assert put(comparing, task, "logic", "a").status_code == 404
    task.refresh_from_db()
    assert task.state == "skipped"
    assert not ComparisonAnswer.objects.exists()


def test_who_saw_marks_or_left_takes_nothing_back(comparing, task, user):
    answer_all(comparing, task)
    submit(comparing, task)
    seen = MarksSeen.objects.create(user=user, summary=task.comparison.second)
    assert reopen(comparing, task).json()["code"] == "seen"
    seen.delete()
    remove_member(study=task.study, member=task.study.members.get())
    assert reopen(comparing, task).json()["code"] == "left"


def test_active_time_grows_from_what_the_page_last_heard(comparing, task):
    def send(known, total):
        body = json.dumps({"known_seconds": known, "total_seconds": total})
        return comparing.post(api(task, "active-time/"), body, content_type="application/json")

    assert send(0, 30).json() == {"active_seconds": 30}
    assert send(0, 30).json() == {"active_seconds": 30}
    assert send(30, 45).json() == {"active_seconds": 45}
    assert send(45, 40).status_code == 400


@pytest.mark.django_db(transaction=True)
def test_two_submits_at_once_store_each_answer_once(client, user):
    task = make_compare_task(annotator=annotator_of(user))
    client.force_login(user)
    answer_all(client, task)

    def send():
        return submit_comparison(assignment=Assignment.objects.get(pk=task.pk)).state

    assert at_once([send] * 2) == ["submitted", "submitted"]
    assert ComparisonAnswer.objects.count() == 7


# --- blindness and figures ------------------------------------------------------------------------------------------


def test_an_open_comparison_makes_blind_to_both_summaries(comparing, task, user):
    both = {task.comparison.first_id, task.comparison.second_id}
    assert blinded_summary_ids(user) == both
    answer_all(comparing, task)
    submit(comparing, task)
    task.study.phase = "annotating"  # a study in setup stays hidden from its members
    task.study.save()
    assert blinded_summary_ids(user) == set()


def test_a_round_that_is_set_up_makes_those_who_compare_blind_to_its_pairs(user):
    pair, other = make_pair(), make_pair()
    asked_in = make_round(pair, members=[annotator_of(user)])
    asked_in.study.phase = "annotating"
    asked_in.study.save()
    asked_in.study.summaries.add(*other)
    assert blinded_summary_ids(user) == {summary.pk for summary in pair}


def test_drafts_reach_no_figure_and_submitted_answers_do_with_the_names_of_systems(client):
    """Three people, two pairs of the same systems; worked out by hand below."""
    one, other = make_pair(), make_pair()
    for old, new in zip(other, one, strict=True):
        old.system = new.system
        old.save()
    people = [make_annotator() for _ in range(3)]
    asked_in = make_round(one, other, overlap=3, members=people)
    open_round(asked_in=asked_in)
    first, second = one[0].system.name, one[1].system.name
    wanted = ["first", "first", "second", "draw", "first"]  # overall, of five of the six tasks
    for task, side in zip(Assignment.objects.order_by("pk")[:5], wanted, strict=True):
        client.force_login(task.annotator.user)
        sheet = ComparisonSheet.objects.get(assignment=task)
        letter = {"first": "ab", "second": "ba"}.get(side, "")
        chosen = "draw" if side == "draw" else letter[0 if sheet.first_is_a else 1]
        answer_all(client, task, {**ANSWERS, "preference": chosen, "logic": "draw"})
        submit(client, task)
    last = Assignment.objects.order_by("pk")[5]
    client.force_login(last.annotator.user)
    answer_all(client, last)  # and not submitted

    counts = preference_counts(asked_in.study)
    assert counts.pairs == {"formal": 5}
    found = {(each.question, each.system, each.answer): each.count for each in counts.answers}
    overall = {key: count for key, count in found.items() if key[0] == "preference"}
    assert overall == {
        ("preference", first, "chosen"): 3,
        ("preference", second, "chosen"): 1,
        ("preference", "", "draw"): 1,
    }
    assert found["logic", "", "draw"] == 5
    assert found["contradiction", "", "no"] == 5
    assert (
        sum(count for (question, _, answer), count in found.items() if (question, answer) == ("omission", "yes")) == 5
    )
    assert AnswerCount("formal", "contradiction", "", "no", 5) in counts.answers


def test_a_question_set_of_ones_own_is_asked_and_counted(client, user):
    pair = make_pair()
    asked_in = make_round(pair, members=[annotator_of(user)])
    own = [Question("fun", "Which is more fun?"), Question("sad", "Is it sad?", "each", False, False)]
    set_questions(asked_in=asked_in, questions=own)
    open_round(asked_in=asked_in)
    task = Assignment.objects.get()
    ComparisonSheet.objects.update(first_is_a=True)
    client.force_login(user)
    page = client.get(reverse("annotation:compare", args=[task.key])).content.decode()
    assert "Which is more fun?" in page
    assert put(client, task, "sad-a", "yes", "why").json()["detail"] == "This question takes no comment."
    put(client, task, "fun", "b")
    put(client, task, "sad-b", "yes")
    assert submit(client, task).status_code == 200
    counts = preference_counts(asked_in.study)
    assert counts.pairs == {"formal": 1}
    assert {(each.question, each.system, each.answer) for each in counts.answers} == {
        ("fun", pair[1].system.name, "chosen"),
        ("sad", pair[1].system.name, "yes"),
    }


def test_a_second_round_is_counted_beside_the_first(client, user):
    pair = make_pair()
    first = make_round(pair, members=[annotator_of(user)])
    open_round(asked_in=first)
    second = create_round(study=first.study, name="again")
    add_pair(asked_in=second, one=pair[0], other=pair[1])
    open_round(asked_in=second)
    client.force_login(user)
    for task in Assignment.objects.all():
        answer_all(client, task)
        submit(client, task)
    assert preference_counts(first.study).pairs == {"formal": 1, "again": 1}


@pytest.mark.parametrize(
    ("slot", "answer", "kind", "first_is_a", "stored"),
    [
        ("detail", "a", "choice", True, ("detail", "first")),
        ("detail", "a", "choice", False, ("detail", "second")),
        ("detail", "draw", "choice", False, ("detail", "draw")),
        ("clash", "no", "yes-no", False, ("clash", "no")),
        ("left-out-a", "yes", "each", True, ("left-out-first", "yes")),
        ("left-out-b", "yes", "each", False, ("left-out-first", "yes")),
    ],
)
def test_sides_become_summaries(slot, answer, kind, first_is_a, stored):
    assert stored_answer(slot, answer, kind=kind, first_is_a=first_is_a) == stored


def test_a_key_that_is_no_task(comparing):
    assert comparing.get(reverse("annotation:compare", args=[uuid.uuid4()])).status_code == 404
