"""Blind review: what a reviewer gets, may answer, and must not learn."""

import json
import re
import uuid
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import (
    Annotation,
    AnnotationSet,
    Assignment,
    OriginGuess,
    ReviewDecision,
    ReviewItem,
    Span,
    Study,
    Verdict,
)
from annotation.services.review import decide
from annotation.services.studies import add_member, close_study, remove_member
from tests.at_once import at_once
from tests.factories import make_annotator, make_judge, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db

TEXT = "Emma left. Rolf stayed.\n\nThe lamp went out, and nobody lit it again."
PARTIAL = {"agreement": "partial", "reasons": ["answered"], "comment": ""}


@pytest.fixture
def reviewer():
    return make_user(name="rev1")


@pytest.fixture
def task(reviewer):
    """A review task on two marks of equal form, one of a person and one of a judge."""
    study = Study.objects.create(name="gpt-4-against-human", title="gpt-4 against human", phase="reviewing")
    summary = make_summary(TEXT)
    study.summaries.add(summary)
    person, judge = make_annotator(make_user(name="anno1")), make_judge("gpt-4 judge")
    study.judges.add(judge)
    sets = [
        make_marks(summary, person, study=study, spans=[[(0, 10)]], questions="Who is Emma?\r\n\r\n  Why did she go? "),
        make_marks(summary, judge, spans=[[(11, 23)]], questions="- Who is Rolf?\n- Where did he stay?"),
    ]
    for order, marks in enumerate(sets):
        ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=marks.annotations.get(), order=1 - order)
    sentence = summary.sentences.all()[1]
    Verdict.objects.create(
        annotation_set=sets[1], sentence=sentence, state="confused", annotation=sets[1].annotations.get()
    )
    return review_task(study, summary, annotator_of(reviewer))


def review_task(study, summary, annotator, **fields):
    add_member(study=study, annotator=annotator)
    study.assignments.filter(annotator=annotator).delete()
    return Assignment.objects.create(
        key=uuid.uuid4(), study=study, summary=summary, annotator=annotator, task="review", **fields
    )


@pytest.fixture
def reviewing(client, reviewer):
    client.force_login(reviewer)
    return client


def api(task, *parts):
    return "".join([reverse("annotation-api:review", args=[task.key]), *parts])


def put(client, task, item, **answer):
    return client.put(api(task, f"marks/{item}/"), json.dumps(answer), content_type="application/json")


def keys(task):
    return [str(key) for key in task.study.review_items.order_by("order").values_list("key", flat=True)]


# --- what a reviewer gets -------------------------------------------------------------------------------------------


def test_a_reviewer_gets_text_spans_and_questions_in_the_stored_order(reviewing, task):
    first, second = keys(task)
    assert reviewing.get(api(task)).json() == {
        "text": TEXT,
        "items": [
            {
                "key": first,
                "spans": [[11, 23]],
                "questions": ["Who is Rolf?", "Where did he stay?"],
                "types": [],
                "decision": None,
            },
            {
                "key": second,
                "spans": [[0, 10]],
                "questions": ["Who is Emma?", "Why did she go?"],
                "types": [],
                "decision": None,
            },
        ],
    }


def test_error_types_are_shown_only_where_the_study_says_so(reviewing, task):
    Study.objects.update(types_shown_in_review=True)
    assert [item["types"] for item in reviewing.get(api(task)).json()["items"]] == [["Entity omission"]] * 2


def test_a_relation_has_its_two_places_in_the_order_of_the_text(reviewing, task):
    judge = make_judge()
    marks = make_marks(task.summary, judge, spans=[[(11, 23), (0, 4)]])
    ReviewItem.objects.create(key=uuid.uuid4(), study=task.study, annotation=marks.annotations.get(), order=2)
    assert reviewing.get(api(task)).json()["items"][2]["spans"] == [[0, 4], [11, 23]]


@pytest.fixture
def fixed_tokens(monkeypatch):
    """CSRF tokens are random by design; here they are equal, so that responses can be compared byte by byte."""
    monkeypatch.setattr("django.middleware.csrf._get_new_csrf_string", lambda: "a" * 32)
    monkeypatch.setattr("django.middleware.csrf._mask_cipher_secret", lambda secret: "b" * 32 + secret)


def everything_sent(client, task):
    """Status, headers and bytes of all that a reviewer of this task can get, answers and refusals included."""
    first, second, *_ = keys(task)
    requests = [
        lambda: client.get(reverse("annotation:tasks")),
        lambda: client.get(reverse("annotation:guidelines", args=[task.key])),
        lambda: client.get(reverse("annotation:review", args=[task.key])),
        lambda: client.get(api(task)),
        lambda: client.head(reverse("annotation:review", args=[task.key])),
        lambda: client.options(api(task)),
        lambda: put(client, task, first, agreement="agree", comment="yes"),
        lambda: put(client, task, first, agreement="partial"),
        lambda: put(client, task, second, **PARTIAL),
        lambda: put(client, task, uuid.UUID(int=4), agreement="agree"),
        lambda: client.get(reverse("annotation:tasks")),
        lambda: client.get(reverse("annotation:review", args=[task.key])),
        lambda: client.get(api(task)),
        lambda: client.post(api(task, "submit/")),
        lambda: client.get(reverse("annotation:review-guesses", args=[task.key])),
        lambda: client.post(reverse("annotation:review-guesses", args=[task.key]), {first: "person"}),
        lambda: client.post(reverse("annotation:review-guesses", args=[task.key]), dict.fromkeys(keys(task), "llm")),
        lambda: client.get(api(task)),
        lambda: put(client, task, first, agreement="disagree"),
        lambda: client.get(reverse("annotation:review", args=[task.key])),
    ]
    responses = [request() for request in requests]
    return [
        (response.status_code, sorted(response.headers.items()), cookies(response), response.content)
        for response in responses
    ]


def cookies(response):
    return {name: morsel.value for name, morsel in response.cookies.items()}


def start_again(task):
    ReviewDecision.objects.all().delete()
    OriginGuess.objects.all().delete()
    Assignment.objects.filter(pk=task.pk).update(state="open", ended_at=None)


def swap_sources(task):
    """The two marks change places: each now belongs to the other's set."""
    one, other = Annotation.objects.order_by("pk")
    one.annotation_set, other.annotation_set = other.annotation_set, one.annotation_set
    one.save()
    other.save()
    Verdict.objects.update(annotation=one)


@pytest.mark.parametrize("types_shown", [False, True])
def test_swapping_the_sources_of_two_marks_changes_no_byte_sent_to_the_reviewer(
    reviewing, task, fixed_tokens, types_shown
):
    Study.objects.update(types_shown_in_review=types_shown)
    before = everything_sent(reviewing, task)
    assert [status for status, *_ in before] == [
        200, 200, 200, 200, 200, 200, 200, 400, 200, 404, 200, 200, 200, 400, 200, 200, 302, 409, 409, 200
    ]  # fmt: skip
    start_again(task)
    swap_sources(task)
    assert everything_sent(reviewing, task) == before


def test_the_comparison_of_bytes_would_notice_a_changed_mark(reviewing, task, fixed_tokens):
    before = everything_sent(reviewing, task)
    start_again(task)
    Annotation.objects.filter(questions__contains="Rolf").update(questions="Who is Ralf?")
    assert everything_sent(reviewing, task) != before


def without_keys(sent):
    """Opaque keys are random: now and then one has the digits of a year."""
    return re.sub(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", b"key", sent)


def test_nothing_that_is_sent_names_a_source_an_id_or_a_time(reviewing, task, fixed_tokens):
    """Ids and times are made such that they can't be in the page by chance."""
    study = task.study
    marks = make_marks(task.summary, make_judge(), spans=[])
    mark = Annotation.objects.create(
        pk=700_000_001, client_key=uuid.UUID(int=700_000_002), annotation_set=marks, questions="Why?"
    )
    Span.objects.create(pk=700_000_003, annotation=mark, start=0, end=4, quote="Emma")
    ReviewItem.objects.create(pk=700_000_004, key=uuid.uuid4(), study=study, annotation=mark, order=2)
    ReviewDecision.objects.create(
        pk=700_000_005, item_id=700_000_004, reviewer=make_annotator(), agreement="disagree", comment="not mine"
    )
    old = datetime(2019, 3, 4, 5, 6, tzinfo=UTC)  # as a number 1551675960
    for model in (Annotation, AnnotationSet, ReviewDecision):
        model.objects.update(created_at=old)
    page, content = everything_sent(reviewing, task)[2:4]
    sent = without_keys(b"".join(body + str(rest).encode() for *rest, body in (page, content))).lower()
    assert sent.count(b"why?") == 2
    for word in (b"gpt-4", b"human", b"judge", b"anno1", b"2019", b"15516", b"70000000", b'disagree"', b"not mine"):
        assert word not in sent.replace(b'data-agreement="disagree"', b""), word
    for word in (b"model", b"source", b"person", b"machine", b"llm", study.name.encode()):
        assert word not in sent, word


# --- answers --------------------------------------------------------------------------------------------------------


def test_an_answer_is_stored_and_comes_back_after_a_reload(reviewing, task):
    first, _ = keys(task)
    sent = {"agreement": "partial", "reasons": ["other", "answered"], "comment": "  It is said later. "}
    assert put(reviewing, task, first, **sent).json() == {
        "agreement": "partial",
        "reasons": ["answered", "other"],
        "comment": "  It is said later. ",
    }
    assert reviewing.get(api(task)).json()["items"][0]["decision"]["reasons"] == ["answered", "other"]


def test_the_same_answer_sent_twice_and_then_changed_is_one_row(reviewing, task):
    first, _ = keys(task)
    for answer in ({"agreement": "agree"}, {"agreement": "agree"}, {"agreement": "disagree"}):
        assert put(reviewing, task, first, **answer).status_code == 200
    assert ReviewDecision.objects.get().agreement == "disagree"


def test_reasons_belong_to_partial_agreement_alone(reviewing, task):
    first, _ = keys(task)
    assert put(reviewing, task, first, agreement="agree", reasons=["answered"]).json()["reasons"] == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"agreement": "maybe"}, "agree, partially agree or disagree"),
        ({"agreement": "partial"}, "Choose what is wrong"),
        ({"agreement": "partial", "reasons": ["boring"]}, "no reason boring"),
        ({"agreement": "partial", "reasons": ["other"], "comment": " "}, "Say in the comment"),
        ({}, "agreement"),
        ({"agreement": 1}, "agreement"),
        ({"agreement": "agree", "comment": "x" * 5001}, "comment"),
        ({"agreement": "partial", "reasons": "answered"}, "reasons"),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused_in_words_and_not_stored(reviewing, task, answer, words):
    response = put(reviewing, task, keys(task)[0], **answer)
    assert response.status_code == 400
    assert words in response.json()["detail"]
    assert response.json()["code"] == "invalid"
    assert not ReviewDecision.objects.exists()


def test_a_review_is_submitted_once_all_marks_have_an_answer_and_then_locked(reviewing, task):
    first, second = keys(task)
    put(reviewing, task, first, agreement="agree")
    early = reviewing.post(api(task, "submit/"))
    assert (early.status_code, early.json()) == (400, {"detail": "1 mark has no answer yet.", "code": "incomplete"})
    put(reviewing, task, second, agreement="agree")
    assert reviewing.post(api(task, "submit/")).json()["code"] == "guesses"
    guesses = reverse("annotation:review-guesses", args=[task.key])
    reviewing.get(guesses)
    assert reviewing.post(guesses, {first: "person", second: "unknown"}).status_code == 302
    assert reviewing.post(api(task, "submit/")).status_code == 204
    late = put(reviewing, task, first, agreement="disagree")
    assert (late.status_code, late.json()["code"]) == (409, "locked")
    assert set(ReviewDecision.objects.values_list("agreement", flat=True)) == {"agree"}


@pytest.mark.django_db(transaction=True)
def test_one_answer_sent_twice_at_once_is_one_row(task):
    first = uuid.UUID(keys(task)[0])
    agreements = ("agree", "disagree")
    at_once([lambda each=each: decide(assignment=task, item_key=first, agreement=each) for each in agreements])
    assert ReviewDecision.objects.get().agreement in agreements


def test_a_review_takes_as_many_queries_for_many_marks_as_for_few(reviewing, task, django_assert_max_num_queries):
    marks = make_marks(task.summary, make_judge(), spans=[[(0, 4)]] * 30)
    ReviewItem.objects.bulk_create(
        ReviewItem(key=uuid.uuid4(), study=task.study, annotation=mark, order=2 + order)
        for order, mark in enumerate(marks.annotations.all())
    )
    with django_assert_max_num_queries(12):
        assert len(reviewing.get(api(task)).json()["items"]) == 32


# --- what can't be reached ------------------------------------------------------------------------------------------


def reach(client, task):
    first = task.study.review_items.first()
    return {
        client.get(reverse("annotation:review", args=[task.key])).status_code,
        client.get(reverse("annotation:guidelines", args=[task.key])).status_code,
        client.get(api(task)).status_code,
        put(client, task, first.key, agreement="agree").status_code,
        client.post(api(task, "submit/")).status_code,
    }


@pytest.mark.parametrize("role", ["annotator", "researcher", "admin"])
def test_somebody_elses_review_does_not_exist_whatever_the_role(client, task, role):
    client.force_login(make_user(role))
    assert reach(client, task) == {404}


@pytest.mark.parametrize("phase", ["setup", "annotating", "closed"])
def test_a_review_that_is_not_open_does_not_exist(reviewing, task, phase):
    Study.objects.update(phase=phase)
    assert reach(reviewing, task) == {404}


def test_closing_the_study_ends_the_review(reviewing, task):
    close_study(study=task.study)
    assert reach(reviewing, task) == {404}
    assert not ReviewDecision.objects.exists()


def test_a_reviewer_who_left_reaches_it_no_more(reviewing, task):
    remove_member(study=task.study, member=task.study.members.get(annotator=task.annotator))
    assert reach(reviewing, task) == {404}


def test_a_mark_of_another_task_or_study_takes_no_answer(reviewing, task):
    other = make_summary()
    task.study.summaries.add(other)
    marks = make_marks(other, make_judge())
    item = ReviewItem.objects.create(key=uuid.uuid4(), study=task.study, annotation=marks.annotations.get(), order=2)
    assert put(reviewing, task, item.key, agreement="agree").status_code == 404
    assert not ReviewDecision.objects.exists()


def test_an_annotator_reaches_their_own_marks_no_more_once_the_review_is_open(client, task):
    author = AnnotationSet.objects.get(study=task.study).annotator
    own = Assignment.objects.create(
        key=uuid.uuid4(),
        study=task.study,
        summary=task.summary,
        annotator=author,
        task="annotate",
        state="submitted",
        ended_at=datetime.now(UTC),
    )
    client.force_login(author.user)
    assert client.get(reverse("annotation-api:marks", args=[own.key])).status_code == 404
    assert client.get(reverse("annotation:review", args=[own.key])).status_code == 404
    assert client.get(reverse("annotation:review", args=[task.key])).status_code == 404


def test_an_expired_login_gets_401_from_the_api_and_not_a_login_page(client, task):
    response = put(client, task, keys(task)[0], agreement="agree")
    assert response.status_code == 401
    assert response.headers["Content-Type"] == "application/json"
