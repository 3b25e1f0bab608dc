"""Attention checks: hidden among the other tasks and marks, paid, and in no figure."""

import json
import re
import uuid
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.access import blinded_summary_ids
from annotation.known import Found, PlacesError, compare_with_known, read_places
from annotation.models import (
    Annotation,
    AnnotationSet,
    Assignment,
    ErrorType,
    KnownSummary,
    OriginGuess,
    PlantedMark,
    ReviewDecision,
    ReviewItem,
    Study,
)
from annotation.selectors.known import check_results
from annotation.selectors.pay import pay_of_people, study_cost
from annotation.selectors.progress import progress_of
from annotation.services.known import add_known_summary, add_known_text, plant_mark
from annotation.services.marks import annotation_set_of
from annotation.services.studies import (
    StudyError,
    add_judge,
    add_member,
    add_summaries,
    close_study,
    create_study,
    open_annotating,
    open_review,
    update_study,
)
from annotation.services.withdrawals import withdraw
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.factories import make_annotator, make_judge, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db

#: Three sentences; "She slept" (12 to 21) is a known place, and so is the last sentence.
KNOWN = "Ada waited. [[She slept]] by night. [[He sang to nobody.]]"


@pytest.fixture
def study():
    """Two people annotate three summaries, two each, and a third person reviews."""
    study = create_study(name="pilot", title="The pilot", seed=5, annotation_overlap=2)
    add_summaries(study=study, summaries=[make_summary(title=f"Book {number}") for number in (1, 2, 3)])
    for _ in range(2):
        add_member(study=study, annotator=make_annotator(), reviews=False)
    add_member(study=study, annotator=make_annotator(), annotates=False)
    return study


@pytest.fixture
def researcher(client):
    user = make_user("researcher", "rosa")
    client.force_login(user)
    return user


def address(name, study, *arguments):
    return reverse(f"annotation:{name}", args=[study.name, *arguments])


def add_check(study):
    return add_known_text(study=study, title="The Ferry", text=KNOWN)


def check_task(study, annotator):
    return Assignment.all_purposes.get(study=study, annotator=annotator, purpose="check")


def annotators_of(study):
    return [member.annotator for member in study.members.filter(annotates=True).order_by("pk")]


def submit(task, *places):
    """Mark these places of the task's summary and hand it in."""
    annotation_set = annotation_set_of(task)
    AnnotationSet.all_purposes.filter(pk=annotation_set.pk).update(state="submitted", active_seconds=1800)
    for start, end in places:
        mark = Annotation.objects.create(annotation_set=annotation_set, client_key=uuid.uuid4(), questions="Who?")
        mark.error_types.add(ErrorType.objects.first())
        mark.spans.create(start=start, end=end, quote=task.summary.text[start:end])
    Assignment.all_purposes.filter(pk=task.pk).update(state="submitted", ended_at="2026-01-01T00:00Z")


def body(response):
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


# --- places in a text -----------------------------------------------------------------------------------------------


def test_places_are_read_from_double_brackets():
    text, places = read_places("Emma [[went away]]. [[ 🙂 Rolf\n]]stayed.")
    assert text == "Emma went away.  🙂 Rolf\nstayed."
    assert [text[start:end] for start, end in places] == ["went away", "🙂 Rolf"]


@pytest.mark.parametrize("text", ["Emma [[left.", "Emma left]].", "a [[b]] c]]", "Emma [[ ]] left."])
def test_brackets_that_do_not_fit_are_refused(text):
    with pytest.raises(PlacesError):
        read_places(text)


def test_marks_beside_known_places():
    # One place from 10 to 20; sentences [0, 9), [10, 25), [26, 40). The second mark is a relation with one end there.
    found = compare_with_known([(10, 20)], [[(20, 30)], [(0, 4), (19, 22)], [(3, 6)]], [(0, 9), (10, 25), (26, 40)])
    assert found == Found(touched=(True,), marks_elsewhere=2, sentences_elsewhere=2)
    assert compare_with_known([(10, 20)], [[(0, 10)]], [(0, 9)]).touched == (False,)


# --- setting them up ------------------------------------------------------------------------------------------------


def test_a_text_of_ones_own_keeps_its_places_and_shows_no_bracket(client, study, researcher):
    answer = client.post(address("study-checks", study), {"title": "The Ferry", "text": KNOWN})
    known = KnownSummary.objects.get()
    assert answer["Location"] == address("known-summary", study, known.pk)
    assert known.summary.text == "Ada waited. She slept by night. He sang to nobody."
    assert list(known.places.values_list("start", "end", "quote")) == [
        (12, 21, "She slept"),
        (32, 50, "He sang to nobody."),
    ]
    page = body(client.get(answer["Location"]))
    assert "<mark>She slept</mark>" in page
    assert "2 known places" in body(client.get(address("study-checks", study)))


def test_sentences_are_ticked_and_unticked(client, study, researcher):
    summary = make_summary("Emma left. Rolf stayed. Ada came.", title="The Ferry")
    known = add_known_summary(study=study, summary=summary, places=[(0, 4)])
    page = address("known-summary", study, known.pk)
    client.post(page, {"keep": [known.places.get().pk], "sentence": ["0", "2"]})
    assert list(known.places.values_list("quote", flat=True)) == ["Emma", "Ada came."]
    client.post(page, {"sentence": ["1"]})
    assert list(known.places.values_list("quote", flat=True)) == ["Rolf stayed."]


def test_a_book_of_the_study_is_refused_on_both_sides(client, study, researcher):
    other = make_summary(title="book 1")
    page = client.post(address("study-checks", study), {"choose": other.pk}, follow=True)
    assert "The study has a summary of “book 1” itself" in body(page)
    page = client.post(address("study-checks", study), {"title": "Book 2", "text": "[[A.]]"})
    assert "The study has a summary of “Book 2” itself" in body(page)
    assert not KnownSummary.objects.exists()
    known = add_check(study)
    with pytest.raises(StudyError, match="as an attention check"):
        add_summaries(study=study, summaries=[known.summary])


def test_known_summaries_stay_as_they_are_once_tasks_are_given_out(client, study, researcher):
    known = add_check(study)
    open_annotating(study=study)
    client.post(address("known-summary", study, known.pk), {"sentence": ["0"]})
    client.post(address("study-checks", study), {"remove": known.pk})
    assert KnownSummary.objects.get().places.count() == 2
    assert "they can be added only" not in body(client.get(address("study-checks", study)))


def test_whoever_has_tasks_in_the_study_does_not_see_which_are_checks(client, study, researcher):
    member = make_annotator(researcher)
    known = add_check(study)
    add_member(study=study, annotator=member, reviews=False)
    pages = [address("study-checks", study), address("known-summary", study, known.pk)]
    assert [client.get(page).status_code for page in pages] == [403, 403]
    open_annotating(study=study)
    first = annotators_of(study)[0]
    submit(check_task(study, first), (12, 21))
    for task in study.assignments.filter(annotator=member):
        submit(task)
    # Only the check is left, and it hides as a task does.
    assert known.summary_id in blinded_summary_ids(researcher)
    assert [client.get(page).status_code for page in pages] == [403, 403]
    assert "Attention checks by person" not in body(client.get(address("study", study)))
    submit(check_task(study, member))
    assert "Attention checks by person" in body(client.get(address("study", study)))


# --- among the tasks ------------------------------------------------------------------------------------------------


def test_everybody_who_annotates_gets_each_check_once_among_the_others(study):
    add_check(study)
    add_known_text(study=study, title="Without places", text="Nothing known.")
    open_annotating(study=study)
    for annotator in annotators_of(study):
        tasks = Assignment.all_purposes.filter(study=study, annotator=annotator).order_by("order")
        assert [task.order for task in tasks] == [0, 1, 2, 3]
        assert sorted(task.summary.book.title for task in tasks) == ["Book 1", "Book 2", "Book 3", "The Ferry"]
    reviewer = study.members.get(annotates=False).annotator
    assert not Assignment.all_purposes.filter(annotator=reviewer).exists()


def test_places_of_checks_differ_between_people():
    study = create_study(name="many", title="Many", seed=1, review_overlap=0, annotation_overlap=12)
    add_summaries(study=study, summaries=[make_summary(title=f"Book {number}") for number in (1, 2, 3)])
    for _ in range(12):
        add_member(study=study, annotator=make_annotator(), reviews=False)
    add_check(study)
    open_annotating(study=study)
    orders = Assignment.all_purposes.filter(study=study, purpose="check").values_list("order", flat=True)
    assert len(orders) == 12
    assert len(set(orders)) > 1


def test_a_check_is_told_apart_by_nothing_that_is_sent(client, study):
    add_check(study)
    open_annotating(study=study)
    annotator = annotators_of(study)[0]
    client.force_login(annotator.user)
    check = check_task(study, annotator)
    real = study.assignments.filter(annotator=annotator).first()
    assert "0 of 4 done" in body(client.get(reverse("annotation:tasks")))

    def shown(task):
        """The page with what every task has of its own (key, title, text, place in the list) taken out."""
        page = body(client.get(reverse("annotation:annotate", args=[task.key])))
        page = page.replace(str(task.key), "KEY").replace(task.summary.book.title, "TITLE")
        page = page.replace(task.summary.text, "TEXT")
        page = re.sub(r"Summary \d of 4", "Summary n of 4", page)
        page = re.sub(r"/tasks/[0-9a-f-]{36}/annotate/", "/NEXT/", page)
        page = re.sub(r'data-characters="\d+"', "", page)
        page = re.sub(r'"sentences": \[\[.*?\]\]', "", page)
        return re.sub(r'csrfmiddlewaretoken" value="\w+"|nonce="\w+"', "", page)

    assert shown(check) == shown(real)
    answers = [client.get(reverse("annotation-api:marks", args=[task.key])) for task in (check, real)]
    assert answers[0].content == answers[1].content
    assert answers[0].headers == answers[1].headers


def test_a_check_is_worked_on_like_any_task_and_its_result_shows(client, study):
    add_check(study)
    open_annotating(study=study)
    first, second = annotators_of(study)
    client.force_login(first.user)
    task = check_task(study, first)
    kind = ErrorType.objects.first().key
    for start, quote in ((0, "Ada"), (16, "slept by")):
        mark = {
            "base_version": 0,
            "questions": "Who?",
            "error_types": [kind],
            "spans": [{"start": start, "end": start + len(quote), "quote": quote}],
        }
        url = reverse("annotation-api:mark", args=[task.key, uuid.uuid4()])
        assert client.put(url, mark, content_type="application/json").status_code == 201
    send = {"data": {"nothing_found": False}, "content_type": "application/json"}
    assert client.post(reverse("annotation-api:marks-submit", args=[task.key]), **send).status_code == 200
    assert client.post(reverse("annotation-api:marks-reopen", args=[task.key])).json()["state"] == "draft"
    assert client.post(reverse("annotation-api:marks-submit", args=[task.key]), **send).json()["state"] == "submitted"
    client.force_login(second.user)
    skip = reverse("annotation-api:marks-skip", args=[check_task(study, second).key])
    assert client.post(skip, {}, content_type="application/json").status_code == 200
    # Of the two known places one is touched; the only sentence without one holds a mark: 100 of 100.
    one, other = sorted(check_results(study), key=lambda person: person.left_out)
    assert (one.pseudonym, one.touched, one.places, one.summaries) == (first.pseudonym, 1, 2, 1)
    assert (one.per_hundred, one.sentences_elsewhere) == (100, 1)
    assert (other.pseudonym, other.left_out, other.summaries, other.per_hundred) == (second.pseudonym, 1, 0, None)
    client.force_login(make_user("researcher"))
    page = body(client.get(address("study", study)))
    assert '1 of 2 <span class="muted">in 1 summary</span>' in page
    assert '100.0 <span class="muted">n = 1</span>' in page


def test_the_review_and_the_end_of_the_study_end_open_checks(study):
    add_check(study)
    open_annotating(study=study)
    for task in study.assignments.all():
        submit(task, (0, 4))
    open_review(study=study)
    ended = Assignment.all_purposes.filter(study=study, purpose="check").values_list("state", flat=True)
    assert set(ended) == {"skipped"}
    close_study(study=study)
    assert [person.left_out for person in check_results(study)] == [1, 1]


# --- planted in the review ------------------------------------------------------------------------------------------


def plant(study, summary, expected="disagree", place=(0, 4)):
    kind = ErrorType.objects.first()
    return plant_mark(
        study=study, summary=summary, place=place, question="Who is it?", error_type=kind, expected=expected
    )


def test_a_mark_is_planted_on_words_of_a_sentence(client, study, researcher):
    summary = study.summaries.first()  # Emma left. Rolf stayed.
    page = address("summary-plant", study, summary.pk)
    mark = {
        "sentence": "1",
        "words": "Emma",
        "question": "Who stayed?",
        "error_type": ErrorType.objects.first().pk,
        "expected": "disagree",
    }
    assert "These words don’t stand exactly once" in body(client.post(page, mark))
    client.post(page, {**mark, "words": "Rolf"})
    planted = PlantedMark.objects.get()
    assert planted.annotation.spans.get().quote == "Rolf"
    assert "Who stayed?" in body(client.get(address("study-checks", study)))
    client.post(address("study-checks", study), {"unplant": planted.pk})
    assert not PlantedMark.objects.exists()
    assert not Annotation.objects.exists()


def reviewed(study):
    """Everything annotated, marks planted, and the review opened. Each summary has two marks of people."""
    open_annotating(study=study)
    for task in Assignment.all_purposes.filter(study=study):
        submit(task, (0, 4))
    summary = study.summaries.order_by("pk").first()
    plant(study, summary, "disagree")
    plant(study, summary, "agree")
    plant(study, summary, "agree")
    open_review(study=study)
    return study.assignments.get(task="review", summary=summary)


def items(client, task):
    return client.get(reverse("annotation-api:review", args=[task.key])).json()["items"]


def test_planted_marks_are_items_like_others(client, study):
    task = reviewed(study)
    client.force_login(task.annotator.user)
    found = items(client, task)
    assert len(found) == 5
    planted = set(map(str, ReviewItem.with_planted.filter(planted=True).values_list("key", flat=True)))
    # Two marks of equal form and question, one planted: nothing but the random key differs.
    shapes = {json.dumps({**item, "key": "", "questions": []}) for item in found}
    assert len(shapes) == 1
    assert len(planted & {item["key"] for item in found}) == 3
    assert "0 of 5" in body(client.get(reverse("annotation:tasks")))


def test_planted_marks_are_answered_drawn_and_counted_apart(client, study):
    task = reviewed(study)
    client.force_login(task.annotator.user)
    expected = dict(ReviewItem.with_planted.filter(planted=True).values_list("key", "annotation__planted__expected"))
    given = iter(["disagree", "partial", "disagree"])  # disagree is right, agree half right, agree wrong
    answers = {str(key): next(given) for key, _ in sorted(expected.items(), key=lambda item: item[1], reverse=True)}
    for item in items(client, task):
        url = reverse("annotation-api:review-decision", args=[task.key, item["key"]])
        answer = answers.get(item["key"], "agree")
        reasons = ["answered"] if answer == "partial" else []
        sent = {"agreement": answer, "reasons": reasons, "comment": ""}
        assert client.put(url, sent, content_type="application/json").status_code == 200
    assert check_results(study) == []
    assert client.post(reverse("annotation-api:review-submit", args=[task.key])).status_code == 204
    result = check_results(study)[0]
    assert (result.planted, result.as_expected, result.partly, result.opposite) == (3, 1, 1, 1)
    client.force_login(make_user("researcher"))
    assert '1 of 3 <span class="muted">(1 partly, 1 the opposite)</span>' in body(client.get(address("study", study)))


def test_no_mark_is_planted_once_the_review_is_open(client, study, researcher):
    task = reviewed(study)
    with pytest.raises(StudyError, match="no mark can be planted"):
        plant(study, task.summary)
    client.post(address("study-checks", study), {"unplant": PlantedMark.objects.first().pk})
    assert PlantedMark.objects.count() == 3


def test_a_summary_is_not_reviewed_for_planted_marks_alone(study):
    open_annotating(study=study)
    one, *others = study.summaries.order_by("pk")
    for task in study.assignments.all():
        submit(task, *([] if task.summary == one else [(0, 4)]))
    plant(study, one)
    open_review(study=study)
    assert not ReviewItem.with_planted.filter(planted=True).exists()
    assert set(study.assignments.filter(task="review").values_list("summary", flat=True)) == {
        each.pk for each in others
    }


# --- in no figure, but paid -----------------------------------------------------------------------------------------

PAY = {
    "pay_per_summary": Decimal(10),
    "pay_per_reviewed_summary": Decimal("1.70"),
    "pay_per_reviewed_mark": Decimal("0.15"),
}


@pytest.fixture
def finished(study):
    """A study with checks and planted marks in which everything is submitted, with pay."""
    add_check(study)
    add_judge(study=study, judge=(judge := make_judge()))
    for summary in study.summaries.all():
        make_marks(summary, judge, spans=[[(5, 10)]])
    update_study(study=study, **PAY)
    reviewed(study)
    for task in study.assignments.filter(task="review"):
        for item in ReviewItem.with_planted.filter(annotation__annotation_set__summary=task.summary, study=study):
            ReviewDecision.with_planted.create(item=item, reviewer=task.annotator, agreement="disagree")
            OriginGuess.objects.create(assignment=task, item=item, order=item.order, guess="person")
        submit_review_task(task)
    close_study(study=study)
    return Study.objects.get(pk=study.pk)


def submit_review_task(task):
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at="2026-01-01T00:00Z")


def every_figure(client, study):
    """The report, and every page, chart and table of the study's figures, as sent."""
    client.force_login(make_user("researcher"))
    report = json.dumps(report_json(build_report(study)), sort_keys=True)
    pages = [
        reverse("scoring:report", args=[study.name]),
        reverse("scoring:dashboard", args=[study.name]),
        *(reverse("scoring:summary-marks", args=[study.name, each.pk]) for each in study.summaries.all()),
    ]
    sent = [client.get(page) for page in pages]
    assert {answer.status_code for answer in sent} == {200}
    clean = [re.sub(r'csrf\w*" value="\w+"|rosa|person\d+', "", answer.content.decode()) for answer in sent]
    return report, clean, progress_of(study)


def remove_all_checks(study):
    OriginGuess.objects.filter(item__planted=True).delete()
    ReviewDecision.with_planted.filter(item__planted=True).delete()
    ReviewItem.with_planted.filter(planted=True).delete()
    AnnotationSet.all_purposes.exclude(purpose="study").delete()
    Assignment.all_purposes.exclude(purpose="study").delete()
    study.known_summaries.all().delete()


def test_every_figure_is_the_same_with_and_without_checks(client, finished):
    assert len(check_results(finished)) == 3
    with_checks = every_figure(client, finished)
    remove_all_checks(finished)
    assert check_results(finished) == []
    assert every_figure(client, finished) == with_checks


def test_checks_are_paid_like_the_rest(finished):
    # Each of two people: three summaries and a check at $10. The reviewer: three summaries at $1.70, and on each two
    # marks of people and one of the judge, with three planted ones on the first, at $0.15: 5.10 + 12 * 0.15.
    earned = sorted(person.earned.total for person in pay_of_people(finished))
    assert earned == [Decimal("6.90"), Decimal(40), Decimal(40)]
    cost = study_cost(finished, pay_of_people(finished))
    assert (cost.so_far.total, cost.at_completion) == (Decimal("86.90"), Decimal("86.90"))
    # The report says what the study's results cost: without the checks.
    people = report_json(build_report(finished))["costs"]["people"]
    assert (people["annotating_usd"], people["reviewing_usd"]) == (60, 6.45)


def test_a_withdrawal_removes_the_work_on_checks_too(client, finished):
    person = annotators_of(finished)[0]
    reviewer = finished.members.get(annotates=False).annotator
    researcher = make_user("researcher")
    for each in (person, reviewer):
        withdraw(study=finished, annotator=each, by=researcher)
        assert not Assignment.all_purposes.filter(annotator=each).exists()
    assert not AnnotationSet.all_purposes.filter(annotator=person).exists()
    assert not ReviewDecision.with_planted.filter(reviewer=reviewer).exists()
    assert [result.pseudonym for result in check_results(finished)] == [annotators_of(finished)[0].pseudonym]
