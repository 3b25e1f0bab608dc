"""Known summaries as attention checks: hidden among the other tasks, with a result for each person."""

import re
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.access import blinded_summary_ids
from annotation.known import Found, PlacesError, compare_with_known, read_places
from annotation.models import (
    Assignment,
    ErrorType,
    GoldDecision,
    GoldErrorType,
    GoldSet,
    GoldSpan,
    KnownSummary,
)
from annotation.selectors.known import check_results
from annotation.services.known import add_known_summary, add_known_text
from annotation.services.studies import (
    StudyError,
    add_member,
    add_summaries,
    close_study,
    create_study,
    open_annotating,
    open_review,
)
from tests.annotation.checked_studies import (
    KNOWN,
    add_check,
    address,
    annotators_of,
    body,
    check_task,
    make_checked_study,
    submit,
)
from tests.factories import make_annotator, make_summary, make_user
from tests.world import make_study, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_checked_study()


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
    filled = {"title": "The Ferry", "author": " Ida Lund ", "text": KNOWN}
    answer = client.post(address("study-checks", study), filled)
    known = KnownSummary.objects.get()
    assert answer["Location"] == address("known-summary", study, known.pk)
    assert known.summary.book.author == "Ida Lund"
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
    # A pasted text has a book of its own, so it is the title that tells.
    with pytest.raises(StudyError, match="known summary of “The Ferry”"):
        add_summaries(study=study, summaries=[make_summary(title="The ferry")])
    assert study.summaries.count() == 3


def test_known_summaries_stay_as_they_are_once_tasks_are_given_out(client, study, researcher):
    known = add_check(study)
    open_annotating(study=study)
    client.post(address("known-summary", study, known.pk), {"sentence": ["0"]})
    client.post(address("study-checks", study), {"remove": known.pk})
    assert KnownSummary.objects.get().places.count() == 2
    assert "they can be added only" not in body(client.get(address("study-checks", study)))


def test_places_are_taken_from_a_finished_gold_set(client):
    client.force_login(make_user("researcher"))
    study = create_study(name="pilot", title="The pilot")
    summary = make_summary("Emma left. Rolf stayed.", title="The Ferry")
    known = add_known_summary(study=study, summary=summary, purpose="training", places=[(0, 4)])
    gold_set = GoldSet.objects.create(study=create_study(name="earlier", title="An earlier one"), summary=summary)
    kind = ErrorType.objects.first()
    for places in ([(0, 4)], [(5, 9), (11, 15)]):  # one place that is known already, and a relation
        mark = GoldDecision.objects.create(
            gold_set=gold_set, client_key=uuid.uuid4(), outcome="mark", questions="Who?", version=1, at=timezone.now()
        )
        GoldErrorType.objects.create(decision=mark, errortype=kind)
        for position, (start, end) in enumerate(places):
            quote = summary.text[start:end]
            GoldSpan.objects.create(decision=mark, position=position, start=start, end=end, quote=quote)
    page = reverse("annotation:known-summary", args=["pilot", known.pk])
    assert "An earlier one" not in body(client.get(page))
    assert client.post(page, {"gold": gold_set.pk}).status_code == 404
    GoldSet.objects.update(state="finished")
    assert "An earlier one" in body(client.get(page))
    assert "2 places taken" in body(client.post(page, {"gold": gold_set.pk}, follow=True))
    assert [place.quote for place in known.places.all()] == ["Emma", "left", "Rolf"]
    assert all(list(place.error_types.all()) == [kind] and not place.explanation for place in known.places.all())


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


def test_known_places_are_hidden_from_whoever_has_the_summary_to_mark_in_another_study(client, study, researcher):
    summary = make_summary(title="The Ferry")
    known = add_known_summary(study=study, summary=summary, places=[(0, 4)])
    page = address("known-summary", study, known.pk)
    assert "<mark>Emma</mark>" in body(client.get(page))
    task = make_task(researcher, "annotate", make_study(summary))
    for answer in (client.get(page), client.post(page, {"sentence": ["0"]})):
        assert answer.status_code == 403
        assert "Emma" not in answer.content.decode()
    submit(task)
    assert "<mark>Emma</mark>" in body(client.get(page))


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
