"""Training: nobody gets to a real task before it, everybody is told what was expected, and no figure knows of it."""

import json
import uuid

import pytest
from django.urls import reverse

from annotation.models import (
    Annotation,
    AnnotationSet,
    Assignment,
    ErrorType,
    KnownSummary,
    Training,
    TrainingAttempt,
    TrainingPass,
)
from annotation.selectors.pay import pay_of_people
from annotation.selectors.progress import progress_of
from annotation.services.consent import change_consent_text
from annotation.services.known import add_known_text
from annotation.services.marks import annotation_set_of
from annotation.services.studies import (
    StudyError,
    add_member,
    add_summaries,
    close_study,
    create_study,
    open_annotating,
    open_review,
    update_study,
)
from annotation.services.training import TrainingError, begin_training, let_pass, passes, set_training
from annotation.services.withdrawals import withdraw
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.factories import make_annotator, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db

#: "She slept" is [12, 21) and "nobody" [43, 49) of three sentences.
FERRY = "Ada waited. [[She slept]] by night. He sang to [[nobody]]."
BELL = "[[It rang.]] Everybody woke."
JSON = {"content_type": "application/json"}


def make_study(*texts, overlap=1, people=2, **settings):
    """Two summaries; people annotate, and one more reviews. Asks for training on these texts."""
    study = create_study(name="pilot", title="The pilot", seed=3, annotation_overlap=overlap)
    add_summaries(study=study, summaries=[make_summary(title=f"Book {number}") for number in (1, 2)])
    for _ in range(people):
        add_member(study=study, annotator=make_annotator(), reviews=False)
    add_member(study=study, annotator=make_annotator(), annotates=False)
    for number, text in enumerate(texts):
        add_known_text(study=study, title=f"Training {number}", text=text, purpose="training")
    set_training(study=study, asks=True, **settings)
    open_annotating(study=study)
    return study


def annotators_of(study):
    return [member.annotator for member in study.members.filter(annotates=True).order_by("pk")]


def address(name, task, *arguments):
    return reverse(f"annotation{name}", args=[task.key, *arguments])


def body(response):
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def mark(client, task, start, quote):
    sent = {
        "base_version": 0,
        "questions": "Why there?",
        "error_types": [ErrorType.objects.first().key],
        "spans": [{"start": start, "end": start + len(quote), "quote": quote}],
    }
    return client.put(address("-api:mark", task, uuid.uuid4()), sent, **JSON)


def train(client, task, *places):
    """Begin the training from a real task's page, mark these places and submit; returns the training task."""
    answer = client.post(address(":begin", task), {"train": "1"})
    training = Assignment.all_purposes.get(key=answer["Location"].split("/")[2], purpose="training")
    for start, quote in places:
        assert mark(client, training, start, quote).status_code == 201
    sent = client.post(address("-api:marks-submit", training), {"nothing_found": not places}, **JSON)
    assert sent.status_code == 200
    return training


def own_task(study, annotator):
    return study.assignments.filter(annotator=annotator, task="annotate").first()


# --- the gate -------------------------------------------------------------------------------------------------------


def test_no_page_or_call_of_a_real_task_goes_around_the_training(client):
    study = make_study(FERRY)
    person = annotators_of(study)[0]
    task = own_task(study, person)
    client.force_login(person.user)
    annotation_set_of(task)  # as if it had been begun
    for name in (":annotate", ":guidelines"):
        answer = client.get(address(name, task))
        assert (answer.status_code, answer["Location"]) == (302, address(":begin", task))
    calls = [
        client.get(address("-api:marks", task)),
        mark(client, task, 0, "Emma"),
        client.post(address("-api:marks-submit", task), {"nothing_found": True}, **JSON),
        client.post(address("-api:marks-skip", task), {}, **JSON),
        client.post(address("-api:marks-active-time", task), {"known_seconds": 0, "total_seconds": 1}, **JSON),
    ]
    assert [(call.status_code, call.json()["code"]) for call in calls] == [(403, "training")] * 5
    page = body(client.get(reverse("annotation:tasks")))
    assert "you work through a training" in page
    assert "Book 1" not in page
    assert "Book 2" not in page
    assert not Annotation.objects.exists()


def test_consent_is_asked_before_the_training(client):
    study = make_study(FERRY)
    change_consent_text(study=study, text="You take part freely.", base=0)
    task = own_task(study, annotators_of(study)[0])
    client.force_login(task.annotator.user)
    page = body(client.get(address(":begin", task)))
    assert "You take part freely." in page
    assert "Begin the training" not in page


def test_a_study_without_training_asks_for_none(client):
    study = make_study(FERRY)
    Training.objects.all().delete()
    task = own_task(study, annotators_of(study)[0])
    client.force_login(task.annotator.user)
    assert client.get(address(":annotate", task)).status_code == 200


# --- training without a pass mark -----------------------------------------------------------------------------------


def test_the_training_is_the_real_page_and_its_feedback_leads_to_the_tasks(client):
    study = make_study(FERRY)
    known = KnownSummary.objects.get()
    place = known.places.get(quote="nobody")
    place.explanation = "Nobody is <named> before."
    place.save()
    place.error_types.set(ErrorType.objects.filter(key="entity omission"))
    person = annotators_of(study)[0]
    task = own_task(study, person)
    client.force_login(person.user)
    assert "marks a summary" not in body(client.get(address(":begin", task)))
    begun = client.post(address(":begin", task), {"train": "1"})
    training = Assignment.all_purposes.get(purpose="training")
    assert begun["Location"] == address(":annotate", training)
    assert client.post(address(":begin", task), {"train": "1"})["Location"] == address(":annotate", training)
    page = body(client.get(address(":annotate", training)))
    assert "Training</span>" in page
    assert address(":training", training) in page
    assert client.get(address(":training", training))["Location"] == address(":annotate", training)
    assert client.post(address("-api:marks-skip", training), {}, **JSON).status_code == 409

    train(client, task, (12, "She"), (0, "Ada"))
    feedback = body(client.get(address(":training", training)))
    assert "You are done with the training." in feedback
    # One of two places; the one sentence without a place has a mark.
    told = "You touched 1 of 2 known places, and made 1 mark elsewhere, in 1 other sentence (100.0 per 100)."
    assert told in feedback
    assert "He sang to <mark>nobody</mark>." in feedback
    assert "Nobody is &lt;named&gt; before." in feedback
    assert "You marked nothing here." in feedback
    assert feedback.index("“She”") < feedback.index("Where you marked something else") < feedback.index("“Ada”")
    assert client.get(address(":annotate", training))["Location"] == address(":training", training)
    assert client.post(address("-api:marks-reopen", training)).status_code == 409
    assert address(":begin", task) in feedback
    assert client.get(address(":begin", task))["Location"] == address(":annotate", task)
    assert "Summary 1 of 1" in body(client.get(address(":annotate", task)))
    assert mark(client, task, 0, "Emma").status_code == 201


def test_all_training_summaries_come_before_the_tasks_where_nobody_can_fail(client):
    study = make_study(FERRY, BELL)
    person = annotators_of(study)[0]
    task = own_task(study, person)
    client.force_login(person.user)
    first = train(client, task)
    assert "1 training summary is left." in body(client.get(address(":training", first)))
    assert client.get(address(":annotate", task)).status_code == 302
    second = train(client, task)
    assert first.summary != second.summary
    assert client.get(address(":annotate", task)).status_code == 200


# --- qualification --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("touched", "elsewhere", "passed"),
    [(1, 0, False), (2, 0, True), (3, 1, True), (3, 2, False), (2, 1, True)],
)
def test_the_pass_mark_counts_both_bounds_in(touched, elsewhere, passed):
    # At least 50 % of 4 places, and at most 20 marks per 100 of 5 sentences: 2 places, 1 mark.
    attempt = TrainingAttempt(places=4, touched=touched, marks_elsewhere=elsewhere, sentences_elsewhere=5)
    assert passes(attempt, Training(qualifies=True, pass_percent=50, marks_allowed=20)) is passed
    assert passes(attempt, Training(qualifies=True, pass_percent=50)) is (touched >= 2)


def test_a_second_attempt_is_on_another_summary_and_opens_the_tasks(client):
    study = make_study(FERRY, BELL, qualifies=True, pass_percent=100)
    person = annotators_of(study)[0]
    task = own_task(study, person)
    client.force_login(person.user)
    page = body(client.get(address(":begin", task)))
    assert "at least 100 % of the known places" in page
    assert "You have 2 attempts" in page
    failed = train(client, task, (12, "She"))
    assert "You did not pass yet. 1 attempt is left." in body(client.get(address(":training", failed)))
    assert "1 attempt is left." in body(client.get(address(":begin", task)))
    passed = train(client, task, (0, "It"))
    assert "You passed." in body(client.get(address(":training", passed)))
    assert client.get(address(":annotate", task)).status_code == 200
    assert list(TrainingAttempt.objects.values_list("touched", "places", "passed")) == [(1, 2, False), (1, 1, True)]


def test_who_used_all_attempts_gets_no_task_and_others_get_them(client):
    study = make_study(BELL, qualifies=True, pass_percent=50)
    one, other = annotators_of(study)
    task = own_task(study, one)
    client.force_login(one.user)
    training = train(client, task)
    assert "You did not pass, and there are no attempts left." in body(client.get(address(":training", training)))
    assert own_task(study, one) is None
    assert study.assignments.filter(annotator=other, state="open").count() == 2
    assert client.get(address(":annotate", task)).status_code == 404
    page = body(client.get(reverse("annotation:tasks")))
    assert "you did not pass the training" in page
    # Whoever joins later is dealt nothing that the person could have had again.
    add_member(study=study, annotator=make_annotator(), reviews=False)
    assert own_task(study, one) is None


def test_a_researcher_lets_a_person_pass_and_the_reason_is_kept(client):
    study = make_study(BELL, overlap=2, qualifies=True, pass_percent=50)
    person = annotators_of(study)[0]
    client.force_login(person.user)
    train(client, own_task(study, person))
    assert progress_of(study).annotate.free == 2
    researcher = make_user("researcher", "rosa")
    client.force_login(researcher)
    page = reverse("annotation:study-training", args=[study.name])
    assert "Not passed" in body(client.get(page))
    fill = client.post(reverse("annotation:study-members", args=[study.name]), {"action": "fill"}, follow=True)
    assert "1 person did not pass the training" in body(fill)
    client.post(page, {"pass": person.pk, "reason": " "})
    assert not TrainingPass.objects.exists()
    client.post(page, {"pass": person.pk, "reason": "The text was unclear."})
    made = TrainingPass.objects.get()
    assert (made.annotator, made.by, made.reason) == (person, researcher, "The text was unclear.")
    assert "The text was unclear." in body(client.get(page))
    assert progress_of(study).annotate.free == 0
    client.force_login(person.user)
    assert client.get(address(":annotate", own_task(study, person))).status_code == 200


def test_who_did_not_pass_reviews_nothing(client):
    study = create_study(name="pilot", title="The pilot")
    add_summaries(study=study, summaries=[make_summary(title="Book 1")])
    one, other, third = (add_member(study=study, annotator=make_annotator()).annotator for _ in range(3))
    add_known_text(study=study, title="Training", text=BELL, purpose="training")
    set_training(study=study, asks=True)
    open_annotating(study=study)
    task = study.assignments.get()
    make_marks(task.summary, task.annotator, study=study)
    Assignment.objects.update(state="submitted", ended_at="2026-01-01T00:00Z")
    with pytest.raises(StudyError, match="no eligible reviewer"):
        open_review(study=study)
    ready = next(person for person in (one, other, third) if person != task.annotator)
    let_pass(study=study, annotator=ready, reason="Did it elsewhere.", by_id=make_user("researcher").pk)
    open_review(study=study)
    assert study.assignments.get(task="review").annotator == ready


# --- setting it up --------------------------------------------------------------------------------------------------


def test_training_is_set_up_on_its_page(client):
    client.force_login(make_user("researcher"))
    study = create_study(name="pilot", title="The pilot")
    add_summaries(study=study, summaries=[make_summary(title="Book 1")])
    add_member(study=study, annotator=make_annotator(), reviews=False)
    page = reverse("annotation:study-training", args=["pilot"])
    client.post(page, {"settings": "1", "asks": "on", "qualifies": "on", "pass_percent": "60", "marks_allowed": "5"})
    training = Training.objects.get()
    assert (training.qualifies, training.pass_percent, training.marks_allowed) == (True, 60, 5)
    with pytest.raises(StudyError, match="has no training summary"):
        open_annotating(study=study)
    places = client.post(page, {"title": "The Ferry", "text": FERRY})["Location"]
    known = KnownSummary.objects.get()
    assert known.purpose == "training"
    first, second = known.places.all()
    kind = ErrorType.objects.first()
    sent = {"keep": [first.pk, second.pk], f"explanation-{first.pk}": "Who is she?", f"types-{first.pk}": [kind.pk]}
    client.post(places, sent)
    assert known.places.get(pk=first.pk).explanation == "Who is she?"
    assert list(first.error_types.all()) == [kind]
    assert "Who is she?" in body(client.get(places))
    assert "passed with 60 % of the known places" in body(client.get(reverse("annotation:study", args=["pilot"])))
    study.members.update(reviews=True)
    add_member(study=study, annotator=make_annotator(), annotates=False)
    open_annotating(study=study)
    client.post(page, {"settings": "1"})
    assert Training.objects.exists()
    assert "Each summary below is one attempt." in body(client.get(page))


# --- in no figure ---------------------------------------------------------------------------------------------------


def test_every_figure_is_the_same_with_and_without_training(client):
    study = make_study(FERRY, BELL, qualifies=True, pass_percent=50)
    update_study(study=study, pay_per_summary=10)
    for person in annotators_of(study):
        client.force_login(person.user)
        task = own_task(study, person)
        train(client, task, (0, "Ada"))
        train(client, task, (0, "It"))
        annotation_set_of(task)
        assert mark(client, task, 0, "Emma").status_code == 201
        assert client.post(address("-api:marks-submit", task), {"nothing_found": False}, **JSON).status_code == 200
    open_review(study=study)
    close_study(study=study)
    client.force_login(make_user("researcher"))

    def figures():
        pages = ("scoring:dashboard", "scoring:report", "scoring:people", "annotation:study-payouts")
        sent = [client.get(reverse(page, args=["pilot"])) for page in pages]
        assert {answer.status_code for answer in sent} == {200}
        tokens = [answer.context["csrf_token"] if answer.context else "-" for answer in sent]
        texts = [answer.content.decode().replace(str(token), "") for answer, token in zip(sent, tokens, strict=True)]
        paid = [(person.annotator, person.earned) for person in pay_of_people(study)]
        return json.dumps(report_json(build_report(study)), sort_keys=True), texts, progress_of(study), paid

    before = figures()
    assert TrainingAttempt.objects.count() == 4
    TrainingAttempt.objects.all().delete()
    AnnotationSet.all_purposes.filter(purpose="training").delete()
    Assignment.all_purposes.filter(purpose="training").delete()
    Training.objects.all().delete()
    assert figures() == before


def test_a_withdrawal_removes_the_training_too(client):
    study = make_study(BELL, qualifies=True)
    person = annotators_of(study)[0]
    client.force_login(person.user)
    train(client, own_task(study, person))
    let_pass(study=study, annotator=person, reason="Known.", by_id=person.user_id)
    withdraw(study=study, annotator=person, by=person.user)
    assert not TrainingAttempt.objects.exists()
    assert not TrainingPass.objects.exists()
    assert not AnnotationSet.all_purposes.exists()
    # Sent from another window, which was open before.
    with pytest.raises(TrainingError, match="no longer annotate"):
        begin_training(study=study, annotator_id=person.pk)


def test_a_training_that_is_begun_twice_is_one_task():
    study = make_study(BELL)
    person = annotators_of(study)[0]
    tasks = {begin_training(study=study, annotator_id=person.pk).pk for _ in range(2)}
    assert len(tasks) == 1
