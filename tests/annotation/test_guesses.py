"""At the end of the last review task: which marks are drawn, what is stored, and what it shows of the blinding."""

import json
import uuid
from collections import Counter

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotation.access import annotator_of
from annotation.drawing import draw
from annotation.models import Annotation, Assignment, OriginGuess, ReviewDecision, ReviewItem, Study
from annotation.places import Form
from annotation.selectors.guesses import passages
from scoring.report import build_report
from scoring.report.writing import report_json, report_text
from tests.factories import make_annotator, make_judge, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db

TEXT = "Emma left. Rolf stayed. Ada <b>came</b>."


@pytest.fixture
def study():
    return Study.objects.create(name="blind", title="Blind", phase="reviewing")


def make_task(study, reviewer, *, people=6, judge=6, order=0):
    summary = make_summary(TEXT)
    study.summaries.add(summary)
    sets = [
        make_marks(summary, make_annotator(), study=study, spans=[[(11, 23)]] * people, questions="Who is Rolf?"),
        make_marks(summary, make_judge(), spans=[[(11, 23)]] * judge, questions="Who is Rolf?"),
    ]
    first = study.review_items.count()
    for place, mark in enumerate(mark for each in sets for mark in each.annotations.order_by("pk")):
        ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=mark, order=first + place)
    return Assignment.objects.create(
        key=uuid.uuid4(), study=study, summary=summary, annotator=annotator_of(reviewer), task="review", order=order
    )


def decide_all(task):
    for item in task.study.review_items.filter(annotation__annotation_set__summary=task.summary):
        ReviewDecision.objects.create(item=item, reviewer=task.annotator, agreement="agree")


def page(task):
    return reverse("annotation:review-guesses", args=[task.key])


def submit(client, task):
    return client.post(reverse("annotation-api:review-submit", args=[task.key]))


def keys(task):
    return [str(key) for key in OriginGuess.objects.filter(assignment=task).values_list("item__key", flat=True)]


@pytest.fixture
def reviewer(client):
    user = make_user()
    client.force_login(user)
    return user


def test_the_last_task_is_submitted_with_ten_guesses_which_are_stored(client, reviewer, study):
    first, last = make_task(study, reviewer, people=1, judge=1), make_task(study, reviewer, order=1)
    for task in (first, last):
        decide_all(task)
    assert client.get(page(first)).status_code == 302  # another one is open: not asked yet
    assert submit(client, first).status_code == 204
    refused = submit(client, last)
    assert (refused.status_code, refused.json()["code"]) == (400, "guesses")
    shown = client.get(page(last)).content.decode()
    assert shown.count("<legend>") == 10
    drawn = keys(last)
    assert len(drawn) == 10
    assert client.get(page(last)).content.decode().count("<legend>") == 10
    assert keys(last) == drawn
    part = client.post(page(last), {drawn[0]: "person"}).content.decode()
    assert "Some marks have no guess yet" in part
    assert OriginGuess.objects.filter(guess="person").count() == 1
    answers = {**dict.fromkeys(drawn[1:9], "llm"), drawn[9]: "unknown"}
    assert client.post(page(last), answers).status_code == 302
    last.refresh_from_db()
    assert last.state == "submitted"
    assert Counter(OriginGuess.objects.values_list("guess", flat=True)) == {"person": 1, "llm": 8, "unknown": 1}
    client.post(page(last), {drawn[0]: "llm"})
    assert OriginGuess.objects.filter(guess="person").count() == 1


def test_a_task_with_fewer_marks_asks_for_all_and_nothing_is_drawn_before_all_have_an_answer(client, reviewer, study):
    task = make_task(study, reviewer, people=2, judge=1)
    assert client.get(page(task)).headers["Location"] == reverse("annotation:review", args=[task.key])
    assert not OriginGuess.objects.exists()
    decide_all(task)
    client.get(page(task))
    assert len(keys(task)) == 3
    client.post(page(task), {**dict.fromkeys(keys(task), "robot"), str(uuid.uuid4()): "llm"})
    assert set(OriginGuess.objects.values_list("guess", flat=True)) == {""}


def test_somebody_elses_page_does_not_exist(client, reviewer, study):
    task = make_task(study, make_user())
    assert client.get(page(task)).status_code == 404


def test_swapped_sources_change_no_byte_of_the_page(client, reviewer, study, monkeypatch):
    """Not even before the draw: it depends on what reviewers see, so every mark is as likely drawn as its like."""
    monkeypatch.setattr("django.middleware.csrf._get_new_csrf_string", lambda: "a" * 32)
    monkeypatch.setattr("django.middleware.csrf._mask_cipher_secret", lambda secret: "b" * 32 + secret)
    task = make_task(study, reviewer, people=9, judge=3)
    decide_all(task)

    def sent():
        refused = submit(client, task)
        got, incomplete = client.get(page(task)), client.post(page(task), {})
        return [(each.status_code, sorted(each.headers.items()), each.content) for each in (refused, got, incomplete)]

    before = sent()
    OriginGuess.objects.all().delete()
    people, judge = task.summary.annotation_sets.order_by("pk")
    moved = Annotation.objects.filter(annotation_set=people).order_by("pk")[:3]
    others = list(Annotation.objects.filter(annotation_set=judge).values_list("pk", flat=True))
    for mark in list(moved):
        mark.annotation_set = judge
        mark.client_key = uuid.uuid4()
        mark.save()
    Annotation.objects.filter(pk__in=others).update(annotation_set=people)
    assert sent() == before
    for word in (b"gpt", b"judge", b"pseudonym", people.annotator.pseudonym.encode()):
        assert word not in before[1][2]


def test_the_report_has_how_often_guesses_were_right(client, reviewer, study):
    task = make_task(study, reviewer, people=3, judge=2)
    decide_all(task)
    assert report_json(build_report(study))["origin_guesses"]["rate"] is None
    client.get(page(task))
    origin = {
        str(guess.item.key): guess.item.annotation.annotation_set.annotator.kind for guess in OriginGuess.objects.all()
    }
    people = [key for key, kind in origin.items() if kind == "person"]
    judges = [key for key, kind in origin.items() if kind == "judge"]
    guesses = dict(zip([*people, *judges], ["person", "llm", "unknown", "llm", "llm"], strict=True))
    client.post(page(task), guesses)
    found = report_json(build_report(study))["origin_guesses"]
    assert found == {
        "right": 3,
        "n": 4,
        "unknown": 1,
        "rate": 0.75,
        "commoner": 0.5,
        "wilson95": pytest.approx([0.300642, 0.954413], abs=1e-6),  # published tables: 3 of 4
        "person": {"person": 1, "llm": 1, "unknown": 1},
        "llm": {"person": 0, "llm": 2, "unknown": 0},
    }
    assert "origin guessed rightly: 75.0 (3 of 4; 1 could not tell; always the commoner origin 50.0)" in report_text(
        build_report(study)
    )
    json.dumps(found)


# --- the draw -------------------------------------------------------------------------------------------------------


@given(st.dictionaries(st.integers(0, 99), st.sampled_from(list(Form)), max_size=40), st.text(max_size=5))
def test_the_draw_takes_each_form_in_turn_and_repeats_itself(marks, seed):
    drawn = draw(marks, seed=seed)
    assert len(drawn) == len(set(drawn)) == min(10, len(marks))
    assert set(drawn) <= set(marks)
    assert draw(dict(sorted(marks.items())), seed=seed) == drawn
    taken, there = Counter(marks[place] for place in drawn), Counter(marks.values())
    for form, count in taken.items():
        # No form has two more than another that still had some left.
        assert all(count <= taken[other] + 1 or taken[other] == there[other] for other in there), form


def test_a_mark_is_shown_within_its_sentences():
    sentences = [(0, 10), (11, 23), (24, 40)]
    assert passages(TEXT, [(0, 4)], sentences) == [[("Emma", True), (" left.", False)]]
    assert passages(TEXT, [(5, 15), (28, 31)], sentences) == [
        [("Emma ", False), ("left. Rolf", True), (" stayed.", False)],
        [("Ada ", False), ("<b>", True), ("came</b>.", False)],
    ]
