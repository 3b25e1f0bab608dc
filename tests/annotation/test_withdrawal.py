"""Withdrawing from a study: everything that a person did goes, and no figure remembers them."""

import json
import uuid
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import (
    AnnotationSet,
    Assignment,
    BookKnowledge,
    Comparison,
    ComparisonAnswer,
    Consent,
    OriginGuess,
    Payment,
    ReviewDecision,
    ReviewItem,
    Study,
    Withdrawal,
)
from annotation.selectors.pay import pay_of
from annotation.services.consent import accept_consent, answer_about_book, change_consent_text
from annotation.services.known import add_known_summary, add_known_text
from annotation.services.marks import annotation_set_of, submit_annotation_set
from annotation.services.studies import StudyError, add_member, add_summaries, create_study, open_annotating
from annotation.services.training import begin_training, set_training
from annotation.services.withdrawals import WithdrawalError, withdraw
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.factories import make_annotator, make_marks, make_pair, make_summary, make_user
from tests.world import make_task

pytestmark = pytest.mark.django_db


def done(study, annotator, task, summary, **fields):
    return Assignment.objects.create(
        key=uuid.uuid4(),
        study=study,
        annotator=annotator,
        task=task,
        summary=summary,
        state="submitted",
        ended_at=study.created_at,
        **fields,
    )


def mark(study, annotator, summary, order):
    """A submitted set with one mark, in the review at this place."""
    done(study, annotator, "annotate", summary)
    made = make_marks(summary, annotator, study=study).annotations.get()
    return ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=made, order=order)


def compared(study, annotator, pair, answer):
    ComparisonAnswer.objects.create(
        comparison=Comparison.objects.get_or_create(study=study, round="formal", first=pair[0], second=pair[1])[0],
        annotator=annotator,
        question="preference",
        answer=answer,
    )


class Reviewed:
    """A study under review. Ann marked the mill and Rob, who reviewed it, prefers the first of two summaries."""

    def __init__(self):
        self.pair = make_pair(title="The Pair")
        self.mill, self.port = make_summary(title="The Mill"), make_summary(title="The Port")
        self.study = create_study(name="pilot", annotation_overlap=2, pay_per_reviewed_mark=Decimal("0.15"))
        add_summaries(study=self.study, summaries=[self.mill, self.port, *self.pair])
        Study.objects.update(phase="reviewing")
        self.study.refresh_from_db()
        self.ann, self.rob = make_annotator(), make_annotator()
        self.item = mark(self.study, self.ann, self.mill, 0)
        self.review = done(self.study, self.rob, "review", self.mill)
        ReviewDecision.objects.create(item=self.item, reviewer=self.rob, agreement="agree")
        OriginGuess.objects.create(assignment=self.review, item=self.item, order=0, guess="person")
        compared(self.study, self.rob, self.pair, "first")

    def figures(self):
        figures = report_json(build_report(self.study))
        figures["costs"].pop("people")  # what is paid for done work stays, see below
        return json.dumps(figures)

    def takes_part(self, person):
        """The person does everything that one can do in a study, and others react to it."""
        study = self.study
        add_member(study=study, annotator=person, annotates=True, reviews=True, compares=True)
        item = mark(study, person, self.mill, 1)
        mark(study, person, self.port, 2)
        ReviewDecision.objects.create(item=item, reviewer=self.rob, agreement="disagree")
        OriginGuess.objects.create(assignment=self.review, item=item, order=1, guess="llm")
        own = done(study, person, "review", self.mill)
        ReviewDecision.objects.create(item=self.item, reviewer=person, agreement="disagree")
        OriginGuess.objects.create(assignment=own, item=self.item, order=0, guess="llm")
        compared(study, person, self.pair, "second")
        Payment.objects.create(study=study, annotator=person, amount=Decimal("0.10"))
        answer_about_book(annotator_id=person.pk, book_id=self.mill.book_id, answer="yes")


@pytest.fixture
def reviewed():
    return Reviewed()


def test_every_figure_is_as_if_the_person_had_never_taken_part(reviewed, researcher):
    person = make_annotator()
    before = reviewed.figures()
    reviewed.takes_part(person)
    assert reviewed.figures() != before
    log = withdraw(study=reviewed.study, annotator=person, by=researcher)
    assert reviewed.figures() == before
    assert log.removed == {
        "tasks": 3,
        "summaries": 2,
        "marks": 2,
        "decisions_on_marks": 1,
        "decisions": 1,
        "guesses": 1,
        "comparisons": 1,
        "units": 0,
        "ratings": 0,
        "books": 1,
        "active_minutes": 0,
    }
    assert (log.by, log.by_themselves) == (researcher, False)
    for rows in (
        AnnotationSet.objects.filter(annotator=person),
        Assignment.objects.filter(annotator=person),
        ReviewDecision.objects.filter(reviewer=person),
        ComparisonAnswer.objects.filter(annotator=person),
        BookKnowledge.objects.filter(annotator=person),
        Payment.objects.filter(annotator=person),
        reviewed.study.members.filter(annotator=person),
        ReviewItem.objects.exclude(pk=reviewed.item.pk),
    ):
        assert not rows.exists()
    # One mark reviewed, $0.15, of which $0.10 was paid.
    assert (log.paid, log.due) == (Decimal("0.10"), Decimal("0.20"))


def test_reviewers_keep_their_pay_for_marks_that_were_withdrawn(reviewed, researcher):
    person = make_annotator()
    assert pay_of(reviewed.study, reviewed.rob.pk).earned.reviewing == Decimal("0.15")
    reviewed.takes_part(person)
    assert pay_of(reviewed.study, reviewed.rob.pk).earned.reviewing == Decimal("0.30")
    withdraw(study=reviewed.study, annotator=person, by=researcher)
    assert pay_of(reviewed.study, reviewed.rob.pk).earned.reviewing == Decimal("0.30")


def test_a_review_with_nothing_left_to_review_goes(reviewed, researcher):
    person, other = make_annotator(), make_annotator()
    mark(reviewed.study, person, reviewed.port, 1)
    kept = make_open(reviewed.study, other, reviewed.mill)
    gone = make_open(reviewed.study, other, reviewed.port)
    withdraw(study=reviewed.study, annotator=person, by=researcher)
    assert list(Assignment.objects.filter(pk__in=[kept.pk, gone.pk])) == [kept]


def make_open(study, annotator, summary):
    return Assignment.objects.create(key=uuid.uuid4(), study=study, annotator=annotator, task="review", summary=summary)


def test_what_the_person_did_elsewhere_stays(reviewed, researcher):
    person = make_annotator()
    reviewed.takes_part(person)
    other = create_study(name="other", asks_about_book=True)
    add_summaries(study=other, summaries=[reviewed.mill])
    add_member(study=other, annotator=person)
    make_marks(reviewed.mill, person, study=other)
    withdraw(study=reviewed.study, annotator=person, by=researcher)
    assert AnnotationSet.objects.get(annotator=person).study == other
    assert BookKnowledge.objects.get(annotator=person).answer == "yes"  # the other study asks about the book too
    assert other.members.filter(annotator=person).exists()
    with pytest.raises(WithdrawalError, match="already"):
        withdraw(study=reviewed.study, annotator=person, by=researcher)
    with pytest.raises(WithdrawalError, match="never taken part"):
        withdraw(study=reviewed.study, annotator=make_annotator(), by=researcher)


def test_tasks_go_to_others_and_the_person_can_not_come_back(researcher):
    study = create_study(name="pilot", review_overlap=0)
    add_summaries(study=study, summaries=[make_summary()])
    person, other = make_annotator(), make_annotator()
    add_member(study=study, annotator=person)
    open_annotating(study=study)
    study.refresh_from_db()
    add_member(study=study, annotator=other)
    text = change_consent_text(study=study, text="Freely.", base=0)
    accept_consent(study_id=study.pk, annotator_id=person.pk, text_id=text.pk)
    withdraw(study=study, annotator=person, by=researcher)
    assert study.assignments.get().annotator == other
    assert Consent.objects.get().withdrawn_at is not None
    with pytest.raises(StudyError, match="withdrew from this study"):
        add_member(study=study, annotator=person)


# --- pages ----------------------------------------------------------------------------------------------------------


def test_a_person_withdraws_on_their_own_after_being_asked(client):
    person = make_user(name="mara")
    study = create_study(name="pilot", title="A <pilot>")
    add_summaries(study=study, summaries=[make_summary()])
    task = make_task(person, "annotate", study)
    annotation_set_of(task)
    client.force_login(person)
    address = reverse("annotation:withdraw", args=[task.key])
    assert address in client.get(reverse("account")).content.decode()
    asked = client.get(address).content.decode()
    assert "A &lt;pilot&gt;" in asked
    assert "1 summary read" in asked
    assert "tick the box" in client.post(address).content.decode()
    assert AnnotationSet.objects.exists()
    told = client.post(address, {"sure": "on"}, follow=True).content.decode()
    assert "You have withdrawn" in told
    assert not AnnotationSet.objects.exists()
    log = Withdrawal.objects.get()
    assert (log.by, log.by_themselves) == (None, True)
    assert client.get(address).status_code == 404
    assert address not in client.get(reverse("account")).content.decode()


def test_nobody_withdraws_somebody_else(client):
    task = make_task(make_user(), "annotate", create_with_summary())
    client.force_login(make_user())
    assert client.post(reverse("annotation:withdraw", args=[task.key]), {"sure": "on"}).status_code == 404
    assert client.post(reverse("annotation:study-withdraw", args=["pilot"])).status_code == 403
    assert Assignment.objects.filter(pk=task.pk).exists()


def create_with_summary():
    study = create_study(name="pilot")
    add_summaries(study=study, summaries=[make_summary()])
    return study


def test_a_researcher_types_the_pseudonym(client, reviewed, researcher):
    person = make_annotator()
    reviewed.takes_part(person)
    Study.objects.update(phase="closed")
    page = reverse("annotation:study-withdraw", args=["pilot"])
    assert "Nobody called P-NONE" in client.get(page, {"person": "P-NONE"}).content.decode()
    assert "2 marks" in client.get(page, {"person": person.pseudonym.lower()}).content.decode()
    wrong = client.post(page, {"person": person.pseudonym, "typed": "P-OTHER"})
    assert (wrong.status_code, Withdrawal.objects.exists()) == (400, False)
    told = client.post(page, {"person": person.pseudonym, "typed": f" {person.pseudonym} "}, follow=True)
    body = told.content.decode()
    assert told.redirect_chain[-1][0] == reverse("annotation:study-consent", args=["pilot"])
    assert person.pseudonym in body
    assert "2 marks" in body
    assert "rosa" in body
    assert "already" in client.get(page, {"person": person.pseudonym}).content.decode()


def test_whoever_is_blind_can_withdraw_somebody_and_sees_no_count(client, reviewed, researcher):
    person = make_annotator()
    reviewed.takes_part(person)  # the study is under review, which hides counts from everybody
    page = reverse("annotation:study-withdraw", args=["pilot"])
    assert "2 marks" not in client.get(page, {"person": person.pseudonym}).content.decode()
    body = client.post(page, {"person": person.pseudonym, "typed": person.pseudonym}, follow=True).content.decode()
    assert person.pseudonym in body
    assert "2 marks" not in body
    assert Withdrawal.objects.get().removed["marks"] == 2


def test_a_judge_does_not_withdraw(reviewed, researcher):
    judge = annotator_of(make_user())
    type(judge).objects.filter(pk=judge.pk).update(kind="judge", user=None)
    judge.refresh_from_db()
    with pytest.raises(WithdrawalError, match="is a judge"):
        withdraw(study=reviewed.study, annotator=judge, by=researcher)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_answers_about_the_books_of_checks_and_training_go_too(researcher, elsewhere):
    """They stay where another study of the person showed them the same book."""
    person, study, other = make_annotator(), create_study(name="pilot"), create_study(name="other")
    add_summaries(study=study, summaries=[make_summary()])
    add_member(study=study, annotator=person)
    books = [study.summaries.get().book]
    for number, purpose in enumerate(("check", "training")):
        known = add_known_text(study=study, title=f"Known {number}", text="[[It rang.]]", purpose=purpose)
        books.append(known.summary.book)
    if elsewhere:
        add_member(study=other, annotator=person)
        for known in study.known_summaries.all():
            add_known_summary(study=other, summary=known.summary)
    for book in books:
        answer_about_book(annotator_id=person.pk, book_id=book.pk, answer="yes")
    withdraw(study=study, annotator=person, by=researcher)
    assert list(BookKnowledge.objects.values_list("book", flat=True)) == (
        [books[1].pk, books[2].pk] if elsewhere else []
    )


def test_who_did_not_pass_the_training_can_withdraw(client):
    study = create_study(name="pilot", title="The pilot", review_overlap=0)
    add_summaries(study=study, summaries=[make_summary()])
    known = add_known_text(study=study, title="The Bell", text="[[It rang.]] Ada woke.", purpose="training")
    person = make_annotator()
    add_member(study=study, annotator=person)
    set_training(study=study, asks=True, qualifies=True, pass_percent=50)
    open_annotating(study=study)
    submit_annotation_set(
        annotation_set=annotation_set_of(begin_training(study=study, annotator_id=person.pk)), nothing_found=True
    )
    assert not Assignment.objects.exists()  # given back: nobody else is there
    client.force_login(person.user)
    page = client.get(reverse("account")).content.decode()
    address = reverse("annotation:withdraw", args=[Assignment.all_purposes.get(summary=known.summary).key])
    assert address in page
    assert "1 summary read" in client.get(address).content.decode()
    client.post(address, {"sure": "on"})
    assert not AnnotationSet.all_purposes.exists()
    assert not study.training_attempts.exists()
