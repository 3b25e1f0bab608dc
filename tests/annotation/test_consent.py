"""Before a task: the consent text as it is now, and the question about the book. No page or API goes around it."""

import re
import uuid

import pytest
from django.urls import reverse

from annotation.models import BookKnowledge, Consent, ConsentText, Study
from annotation.services.consent import ConsentError, accept_consent, answer_about_book, change_consent_text
from annotation.services.marks import annotation_set_of
from annotation.services.studies import create_study
from annotation.services.withdrawals import withdraw
from tests.factories import make_annotate_task, make_annotator, make_compare_task, make_summary, make_user
from tests.world import make_study, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(client):
    assignment = make_annotate_task(title="The Tide Clerk")
    client.force_login(assignment.annotator.user)
    return assignment


def ask_consent(task, text="You take part freely.", base=0):
    return change_consent_text(study=task.study, text=text, base=base)


def ask_about_book(task):
    Study.objects.filter(pk=task.study_id).update(asks_about_book=True)


def address(name, task, *arguments):
    return reverse(f"annotation{name}", args=[task.key, *arguments])


def begin(task):
    return address(":begin", task)


def body(response):
    assert response.status_code == 200
    return response.content.decode()


def every_way_in(client, task):
    """The answers of all pages and calls of an annotate task."""
    mark = {
        "base_version": 0,
        "questions": "Who?",
        "error_types": [],
        "spans": [{"start": 0, "end": 4, "quote": "Emma"}],
    }
    json = {"content_type": "application/json"}
    return {
        "page": client.get(address(":annotate", task)),
        "guidelines": client.get(address(":guidelines", task)),
        "read": client.get(address("-api:marks", task)),
        "mark": client.put(address("-api:mark", task, uuid.uuid4()), mark, **json),
        "delete": client.delete(address("-api:mark", task, uuid.uuid4()) + "?base_version=1"),
        "submit": client.post(address("-api:marks-submit", task), {"nothing_found": True}, **json),
        "skip": client.post(address("-api:marks-skip", task), {}, **json),
        "reopen": client.post(address("-api:marks-reopen", task), {}, **json),
        "time": client.post(address("-api:marks-active-time", task), {"known_seconds": 0, "total_seconds": 1}, **json),
    }


def assert_all_refused(answers, task, code):
    pages = answers.keys() & {"page", "guidelines"}
    for name in pages:
        assert (answers[name].status_code, answers[name].get("Location")) == (302, begin(task))
    for name in answers.keys() - pages:
        assert (name, answers[name].status_code, answers[name].json()["code"]) == (name, 403, code)


def test_a_study_without_a_text_asks_nothing(client, task):
    assert client.get(address(":annotate", task)).status_code == 200
    assert client.get(begin(task))["Location"] == address(":annotate", task)


def test_nothing_of_a_task_is_given_before_consent(client, task):
    text = ask_consent(task)
    assert_all_refused(every_way_in(client, task), task, "consent")
    assert not task.study.annotation_sets.exists()
    listed = body(client.get(reverse("annotation:tasks")))
    assert "The Tide Clerk" not in listed
    assert begin(task) in listed
    shown = body(client.get(begin(task)))
    assert "You take part freely." in shown
    assert client.post(begin(task), {"text": text.pk, "agree": "on"}, follow=True).redirect_chain[-1][0] == address(
        ":annotate", task
    )
    consent = Consent.objects.get()
    assert (consent.text, consent.annotator, consent.withdrawn_at) == (text, task.annotator, None)
    assert "The Tide Clerk" in body(client.get(reverse("annotation:tasks")))
    assert {
        name: each.status_code for name, each in every_way_in(client, task).items() if name in ("page", "mark")
    } == {
        "page": 200,
        "mark": 201,
    }


def test_review_tasks_wait_for_consent_too(client):
    reviewer = make_annotator()
    task = make_task(reviewer.user, "review", make_study(make_summary()))
    ask_consent(task)
    client.force_login(reviewer.user)
    assert client.get(address(":review", task))["Location"] == begin(task)
    assert client.get(address("-api:review", task)).json()["code"] == "consent"
    decision = address("-api:review-decision", task, uuid.uuid4())
    assert client.put(decision, {"agreement": "agree"}, content_type="application/json").status_code == 403
    assert client.post(address("-api:review-submit", task)).status_code == 403


def test_the_guesses_at_the_end_of_a_review_wait_for_consent_too(client):
    reviewer = make_annotator()
    task = make_task(reviewer.user, "review", make_study(make_summary()))
    ask_consent(task)
    client.force_login(reviewer.user)
    for answer in (client.get(address(":review-guesses", task)), client.post(address(":review-guesses", task))):
        assert (answer.status_code, answer["Location"]) == (302, begin(task))


@pytest.mark.parametrize(("ask", "code"), [(ask_consent, "consent"), (ask_about_book, "book")])
def test_comparisons_wait_too(client, ask, code):
    task = make_compare_task(annotator=make_annotator())
    ask(task)
    client.force_login(task.annotator.user)
    answer = {"base_version": 0, "answer": "a", "comment": ""}
    assert client.get(address(":compare", task))["Location"] == begin(task)
    for response in (
        client.get(address("-api:comparison", task)),
        client.put(address("-api:comparison-answer", task, "detail"), answer, content_type="application/json"),
        client.post(address("-api:comparison-submit", task)),
        client.post(address("-api:comparison-reopen", task)),
        client.post(address("-api:comparison-active-time", task), {"known_seconds": 0, "total_seconds": 1}),
    ):
        assert (response.status_code, response.json()["code"]) == (403, code)
    agreed = {"text": ConsentText.objects.get().pk, "agree": "on"} if code == "consent" else {"answer": "no"}
    shown = client.post(begin(task), agreed, follow=True)
    assert shown.redirect_chain[-1][0] == address(":compare", task)


def test_a_box_that_is_not_ticked_is_no_consent(client, task):
    text = ask_consent(task)
    answer = client.post(begin(task), {"text": text.pk}, follow=True)
    assert "Tick the box" in body(answer)
    assert not Consent.objects.exists()


def test_a_changed_text_asks_again_and_in_the_middle_of_work(client, task):
    first = ask_consent(task)
    accept_consent(study_id=task.study_id, annotator_id=task.annotator_id, text_id=first.pk)
    assert client.get(address(":annotate", task)).status_code == 200
    annotation_set_of(task)  # begun
    second = ask_consent(task, "You take part freely, and are paid.", base=1)
    assert "has changed since you accepted it" in body(client.get(begin(task)))
    assert_all_refused(every_way_in(client, task), task, "consent")
    stale = client.post(begin(task), {"text": first.pk, "agree": "on"}, follow=True)
    assert "changed while you read it" in body(stale)
    client.post(begin(task), {"text": second.pk, "agree": "on"})
    client.post(begin(task), {"text": second.pk, "agree": "on"})  # sent twice
    assert list(Consent.objects.values_list("text__number", flat=True)) == [1, 2]
    assert client.get(address(":annotate", task)).status_code == 200
    ask_consent(task, "   ", base=2)  # taken away
    other = make_annotate_task(annotator=make_annotator())
    assert ConsentText.objects.filter(text="").count() == 1
    client.force_login(other.annotator.user)
    assert client.get(address(":annotate", other)).status_code == 200


def test_who_reads_it_for_the_first_time_is_told_of_no_change(client, task):
    first = ask_consent(task)
    accept_consent(study_id=task.study_id, annotator_id=make_annotator().pk, text_id=first.pk)
    ask_consent(task, "You take part freely, and are paid.", base=1)
    shown = body(client.get(begin(task)))
    assert "and are paid" in shown
    assert "changed" not in shown


@pytest.mark.parametrize("sent", ["", "x", "0", "9" * 30])
def test_only_the_text_that_was_shown_can_be_accepted(client, task, sent):
    ask_consent(task)
    client.post(begin(task), {"text": sent, "agree": "on"})
    assert not Consent.objects.exists()


def test_consent_is_each_persons_own(client, task):
    text = ask_consent(task)
    accept_consent(study_id=task.study_id, annotator_id=make_annotator().pk, text_id=text.pk)
    assert client.get(address(":annotate", task)).status_code == 302
    stranger = make_user()
    client.force_login(stranger)
    assert client.get(begin(task)).status_code == 404
    assert client.post(begin(task), {"text": text.pk, "agree": "on"}).status_code == 404


def test_the_book_is_asked_about_once(client, task):
    ask_about_book(task)
    answers = every_way_in(client, task)
    assert answers.pop("guidelines").status_code == 200  # they say nothing of the book
    assert_all_refused(answers, task, "book")
    assert "The Tide Clerk" in body(client.get(begin(task)))
    client.post(begin(task), {"answer": "maybe"})
    assert not BookKnowledge.objects.exists()
    assert client.post(begin(task), {"answer": "partly"}, follow=True).redirect_chain[-1][0] == address(
        ":annotate", task
    )
    client.post(begin(task), {"answer": "yes"})  # the first answer stays
    assert BookKnowledge.objects.get().answer == "partly"
    again = make_task(task.annotator.user, "review", make_study(task.summary))
    ask_about_book(again)
    assert client.get(address(":review", again)).status_code == 200  # the same book in another study


def test_the_book_is_asked_about_in_the_middle_of_work_if_a_study_begins_to_ask(client, task):
    annotation_set_of(task)
    ask_about_book(task)
    answers = every_way_in(client, task)
    assert answers.pop("guidelines").status_code == 200  # they say nothing of the book
    assert_all_refused(answers, task, "book")


def test_consent_comes_before_the_book(client, task):
    text = ask_consent(task)
    ask_about_book(task)
    assert "The Tide Clerk" not in body(client.get(begin(task)))
    shown = client.post(begin(task), {"text": text.pk, "agree": "on"}, follow=True)
    assert "Have you read this book?" in body(shown)


def test_researchers_write_the_text_and_see_who_accepted_it_under_pseudonyms(client, task):
    text = ask_consent(task)
    accept_consent(study_id=task.study_id, annotator_id=task.annotator_id, text_id=text.pk)
    answer_about_book(annotator_id=task.annotator_id, book_id=task.summary.book_id, answer="yes")
    client.force_login(make_user("researcher", "rosa"))
    page = reverse("annotation:study-consent", args=[task.study.name])
    shown = body(client.get(page))
    assert task.annotator.pseudonym in shown
    assert task.annotator.user.username not in shown
    assert "The Tide Clerk: Yes" in shown
    assert "older text" not in shown
    changed = body(client.post(page, {"text": "New.", "base": 1}, follow=True))
    assert "Version 2 is saved." in changed
    assert "older text" in changed
    stale = body(client.post(page, {"text": "Mine.", "base": 1}))
    assert "Version 2 was made while you wrote" in stale
    assert "Mine." in stale


def test_who_withdrew_accepts_nothing_that_was_open_in_another_window(task):
    text = ask_consent(task)
    withdraw(study=task.study, annotator=task.annotator, by=task.annotator.user)
    with pytest.raises(ConsentError, match="You have withdrawn"):
        accept_consent(study_id=task.study_id, annotator_id=task.annotator_id, text_id=text.pk)
    assert not Consent.objects.exists()


def test_a_closed_studys_text_stays(task):
    Study.objects.update(phase="closed")
    with pytest.raises(ConsentError, match="closed"):
        ask_consent(task)


def test_a_study_made_on_the_page_asks_about_books_unless_unticked(client):
    client.force_login(make_user("researcher"))
    shown = body(client.get(reverse("annotation:study-add")))
    assert "checked" in re.search(r'<input type="checkbox" name="asks_about_book"[^>]*>', shown).group()
    assert not create_study(name="by-command").asks_about_book
