"""Marks in a review as they were marked, or snapped to their sentences; and swapped sources that change no byte."""

import json
import uuid

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from annotation.access import annotator_of
from annotation.models import Annotation, Assignment, OriginGuess, ReviewDecision, ReviewItem, Span, Study
from annotation.services.studies import (
    StudyError,
    add_judge,
    add_member,
    add_summaries,
    create_study,
    open_annotating,
    open_review,
    update_study,
)
from booookweb.models import User
from tests.factories import make_annotator, make_judge, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db

TEXT = "Emma left. Rolf stayed.\n\nThe lamp went out, and nobody lit it again."
WHOLE = [(0, 10), (11, 23), (25, 68)]


def make_task(spans, *, shown_as="snapped"):
    """A review task on marks of a person, all of them with the same question."""
    number = Study.objects.count()
    study = Study.objects.create(name=f"blind-{number}", title="Blind", phase="reviewing", review_shown_as=shown_as)
    summary = make_summary(TEXT)
    study.summaries.add(summary)
    marks = make_marks(summary, make_annotator(), study=study, spans=spans)
    for order, mark in enumerate(marks.annotations.order_by("pk")):
        ReviewItem.objects.create(key=uuid.UUID(int=1000 * number + order), study=study, annotation=mark, order=order)
    return Assignment.objects.create(
        key=uuid.uuid4(), study=study, summary=summary, annotator=annotator_of(make_user()), task="review"
    )


def client_of(task):
    client = Client()
    client.force_login(task.annotator.user)
    return client


def api(task, *parts):
    return "".join([reverse("annotation-api:review", args=[task.key]), *parts])


def shown(task):
    return [item["spans"] for item in client_of(task).get(api(task)).json()["items"]]


def put(client, task, item, **answer):
    return client.put(api(task, f"marks/{item.key}/"), json.dumps(answer), content_type="application/json")


SPANS = [[(0, 4)], [(5, 12)], [(26, 30), (12, 16)], [(0, 10)]]


def test_marks_are_shown_as_marked_or_as_the_sentences_they_touch():
    assert shown(make_task(SPANS, shown_as="marked")) == [[[0, 4]], [[5, 12]], [[12, 16], [26, 30]], [[0, 10]]]
    assert shown(make_task(SPANS)) == [[[0, 10]], [[0, 23]], [[11, 23], [25, 68]], [[0, 10]]]


def test_snapped_no_byte_tells_where_in_its_sentences_a_mark_was(monkeypatch):
    monkeypatch.setattr("django.middleware.csrf._get_new_csrf_string", lambda: "a" * 32)
    monkeypatch.setattr("django.middleware.csrf._mask_cipher_secret", lambda secret: "b" * 32 + secret)
    task = make_task([[(0, 4)], [(5, 12)], [(26, 30), (12, 16)]])
    before = everything_sent(task)
    ReviewDecision.objects.all().delete()
    OriginGuess.objects.all().delete()
    Assignment.objects.update(state="open", ended_at=None)
    for span in Span.objects.all():
        start, end = (0, 23) if (span.start, span.end) == (5, 12) else sentence_of(span.start)
        Span.objects.filter(pk=span.pk).update(start=start, end=end, quote=TEXT[start:end])
    assert everything_sent(task) == before


def sentence_of(place):
    return next((start, end) for start, end in WHOLE if start <= place < end)


def test_a_decision_stores_how_its_mark_was_shown():
    for shown_as in ("marked", "snapped"):
        task = make_task([[(0, 4)]], shown_as=shown_as)
        assert put(client_of(task), task, task.study.review_items.get(), agreement="agree").status_code == 200
        assert ReviewDecision.objects.get(item__study=task.study).shown_as == shown_as


def test_how_marks_are_shown_is_fixed_when_the_review_opens():
    study = create_study(name="pilot")
    update_study(study=study, review_shown_as="snapped")
    add_summaries(study=study, summaries=[make_summary(TEXT)])
    add_member(study=study, annotator=make_annotator(), reviews=False)
    add_member(study=study, annotator=make_annotator(), annotates=False)
    judge = make_judge()
    make_marks(study.summaries.get(), judge)
    add_judge(study=study, judge=judge)
    open_annotating(study=study)
    update_study(study=study, review_shown_as="marked")
    update_study(study=study, review_shown_as="snapped")
    open_review(study=study, accept_incomplete=True)
    with pytest.raises(StudyError, match="review shown as"):
        update_study(study=study, review_shown_as="marked")
    study.refresh_from_db()
    assert study.review_shown_as == "snapped"


def test_an_answer_can_be_taken_back_until_the_task_is_submitted():
    task = make_task([[(0, 4)]])
    client, item = client_of(task), task.study.review_items.get()
    address = api(task, f"marks/{item.key}/")
    put(client, task, item, agreement="agree")
    other = make_task([[(0, 4)]])
    assert client.delete(api(task, f"marks/{other.study.review_items.get().key}/")).status_code == 204
    assert ReviewDecision.objects.exists()
    assert [client.delete(address).status_code for _ in range(2)] == [204, 204]
    assert not ReviewDecision.objects.exists()
    Assignment.objects.update(state="submitted", ended_at=task.created_at)
    ReviewDecision.objects.create(item=item, reviewer=task.annotator, agreement="agree")
    assert client.delete(address).status_code == 409
    assert ReviewDecision.objects.count() == 1


def everything_sent(task):
    """Status, headers and bytes of all that the reviewer of a task gets, answers and refusals included."""
    client = client_of(task)
    items = list(task.study.review_items.order_by("order"))
    page = reverse("annotation:review", args=[task.key])
    requests = [
        lambda: client.get(reverse("annotation:tasks")),
        lambda: client.get(page),
        lambda: client.get(api(task)),
        lambda: client.post(api(task, "submit/")),
        *(lambda item=item: put(client, task, item, agreement="partial") for item in items),
        *(lambda item=item: put(client, task, item, agreement="agree") for item in items),
        lambda: client.delete(api(task, f"marks/{items[0].key}/")),
        lambda: put(client, task, items[0], agreement="disagree"),
        lambda: client.get(page),
        lambda: client.get(api(task)),
        lambda: client.post(api(task, "submit/")),
        lambda: client.get(f"{page}guesses/"),
        lambda: client.post(f"{page}guesses/", {str(item.key): "llm" for item in items}),
        lambda: client.get(page),
        lambda: put(client, task, items[0], agreement="agree"),
    ]
    return [
        (response.status_code, sorted(response.headers.items()), response.content)
        for response in (request() for request in requests)
    ]


@settings(
    max_examples=5, deadline=None, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(marks=st.lists(st.tuples(st.sampled_from(WHOLE), st.booleans()), min_size=2, max_size=6), data=st.data())
def test_who_made_which_whole_sentence_mark_changes_no_byte(monkeypatch, marks, data):
    """From the opening of the review on: its order is made of the marks, whoever made them."""
    monkeypatch.setattr("django.middleware.csrf._get_new_csrf_string", lambda: "a" * 32)
    monkeypatch.setattr("django.middleware.csrf._mask_cipher_secret", lambda secret: "b" * 32 + secret)
    sent = []
    for by_judge in ([judged for _, judged in marks], data.draw(st.permutations([judged for _, judged in marks]))):
        keys = iter(uuid.UUID(int=number) for number in range(1, 1000))
        monkeypatch.setattr("annotation.services.studies.uuid4", lambda keys=keys: next(keys))
        task = make_reviewed_study([span for span, _ in marks], by_judge)
        Assignment.objects.filter(pk=task.pk).update(key=uuid.UUID(int=7))
        task.refresh_from_db()
        sent.append(everything_sent(task))
        task.study.review_items.all().delete()
        Assignment.objects.all().delete()
    assert sent[0] == sent[1]


def make_reviewed_study(spans, by_judge):
    study = create_study(name=f"s{Study.objects.count()}", title="A study", seed=4, guidelines="")
    summary = make_summary(TEXT)
    add_summaries(study=study, summaries=[summary])
    person, judge = make_annotator(), make_judge()
    reviewer = annotator_of(User.objects.filter(username="rev1").first() or make_user(name="rev1"))
    add_judge(study=study, judge=judge)
    add_member(study=study, annotator=person, reviews=False)
    add_member(study=study, annotator=reviewer, annotates=False)
    open_annotating(study=study)
    sets = {True: make_marks(summary, judge, spans=[]), False: make_marks(summary, person, study=study, spans=[])}
    for number, (span, judged) in enumerate(zip(spans, by_judge, strict=True)):
        mark = Annotation.objects.create(
            annotation_set=sets[judged], client_key=uuid.uuid4(), questions=f"Why number {number}?"
        )
        Span.objects.create(annotation=mark, start=span[0], end=span[1], quote=TEXT[slice(*span)])
    open_review(study=study, accept_incomplete=True)
    return study.assignments.get(task="review")
