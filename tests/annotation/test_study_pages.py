"""The pages of studies and tasks: what a researcher sets up, and what an annotator finds."""

import re

import pytest
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import Assignment, Study, StudyMember
from annotation.services.guidelines import change_guidelines
from annotation.services.marks import annotation_set_of, skip_annotation_set
from annotation.services.studies import (
    add_judge,
    add_member,
    add_summaries,
    create_study,
    open_annotating,
    open_review,
)
from annotation.views.study_content import PAGE_SIZE
from summarizer.models import Book, Summary, System
from tests.factories import make_annotator, make_judge, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(researcher):
    return create_study(name="pilot", title="The pilot", seed=1)


def page(name, *args):
    return reverse(f"annotation:{name}", args=args)


def text(response):
    assert response.status_code == 200
    return response.content.decode()


def many_summaries(count, system="many"):
    system = System.objects.create(name=system, strategy="imported")
    books = Book.objects.bulk_create(Book(title=f"Book {number:03}", source_format="none") for number in range(count))
    Summary.objects.bulk_create(
        Summary(book=book, system=system, text="A.", text_sha256="x", tokens=1, splitter="test") for book in books
    )
    return system


# --- studies --------------------------------------------------------------------------------------------------------


def test_an_empty_list_says_what_a_study_is_and_offers_the_first(client, researcher):
    body = text(client.get(page("studies")))
    assert "No studies yet" in body
    assert page("study-add") in body


def test_a_study_is_made_with_a_name_from_its_title(client, researcher):
    sent = {"title": "River & Mill", "annotation_overlap": 2, "review_overlap": 1, "guidelines": "Read."}
    assert client.post(page("study-add"), sent).headers["Location"] == page("study", "river-mill")
    study = Study.objects.get()
    assert (study.title, study.annotation_overlap, study.guidelines, study.created_by) == (
        "River & Mill",
        2,
        "Read.",
        researcher,
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "pilot"}, "already a study named"),
        ({"name": "new"}, "used in addresses"),
        ({"name": "a b"}, "letters, digits, hyphens and underscores, no spaces"),
        ({"annotation_overlap": 0}, "greater than or equal to 1"),
        ({"title": " "}, "This field is required"),
    ],
)
def test_a_bad_form_says_why_and_makes_nothing(client, study, change, words):
    sent = {"title": "T", "name": "t", "annotation_overlap": 1, "review_overlap": 1} | change
    assert words in text(client.post(page("study-add"), sent))
    assert Study.objects.count() == 1


def test_the_page_of_a_new_study_is_a_checklist(client, study):
    body = text(client.get(page("study", "pilot")))
    assert "The study has no summaries yet. Choose some." in body
    assert page("study-open-annotating", "pilot") not in body


def test_the_page_names_summaries_without_an_eligible_reviewer_and_offers_no_opening(client, study):
    add_summaries(study=study, summaries=[make_summary(title="The Mill")])
    add_member(study=study, annotator=make_annotator())
    for name in ("study", "study-members"):
        assert "1 summary has no eligible reviewer: The Mill" in text(client.get(page(name, "pilot")))
    assert page("study-open-annotating", "pilot") not in text(client.get(page("study", "pilot")))
    refused = client.post(page("study-open-annotating", "pilot"))
    assert refused.status_code == 409
    assert "no eligible reviewer" in refused.content.decode()
    assert not Assignment.objects.exists()


def test_opening_asks_first_and_then_gives_out_tasks(client, study):
    add_summaries(study=study, summaries=[make_summary(), make_summary()])
    for _ in range(2):
        add_member(study=study, annotator=make_annotator())
    assert "What happens" in text(client.get(page("study-open-annotating", "pilot")))
    assert not Assignment.objects.exists()
    done = client.post(page("study-open-annotating", "pilot"), follow=True)
    assert "0 of 2 tasks submitted" in text(done)
    assert client.post(page("study-open-annotating", "pilot")).status_code == 409
    assert Assignment.objects.count() == 2


def test_giving_to_others_says_why_nobody_may_take_a_task_and_counts_what_is_left_out(client, study):
    add_summaries(study=study, summaries=[make_summary(title="The Mill"), make_summary(title="The Dam")])
    for _ in range(2):
        add_member(study=study, annotator=make_annotator())
    open_annotating(study=study)
    mill = study.assignments.get(summary__book__title="The Mill")
    skip_annotation_set(annotation_set=annotation_set_of(mill))
    body = text(client.get(page("study", "pilot")))
    assert "0 of 2 tasks submitted" in body
    assert "1 task that nobody has" in body
    for name in ("studies", "home"):
        address = reverse("home") if name == "home" else page(name)
        assert re.search(r"\b0 of 2\b", text(client.get(address)))
    told = text(client.post(page("study-members", "pilot"), {"action": "fill"}, follow=True))
    assert "No task given out. 1 task has nobody: The Mill (" in told
    assert "1 person gave it back; 1 person must stay free to review the marks on the book" in told
    assert "Add people who annotate." in told
    add_member(study=study, annotator=make_annotator())
    told = text(client.post(page("study-members", "pilot"), {"action": "fill"}, follow=True))
    assert "No task given out. Every task has somebody." in told


def test_who_left_out_what_and_why_is_for_those_who_are_not_blind_to_it(client, study, researcher):
    add_summaries(study=study, summaries=[make_summary(title="The Mill")])
    for _ in range(2):
        add_member(study=study, annotator=make_annotator())
    open_annotating(study=study)
    task = study.assignments.get()
    skip_annotation_set(annotation_set=annotation_set_of(task), reason="I <b>wrote</b> it.")
    one_summary = reverse("scoring:summary-marks", args=["pilot", task.summary_id])
    for address in (page("study", "pilot"), one_summary):
        body = text(client.get(address))
        assert "I &lt;b&gt;wrote&lt;/b&gt; it." in body
        assert task.annotator.pseudonym in body
        assert task.annotator.user.username not in body
    add_member(study=study, annotator=annotator_of(researcher), annotates=False)
    assert "wrote" not in text(client.get(page("study", "pilot")))
    assert client.get(one_summary).status_code == 403


def test_a_review_with_gaps_opens_only_with_the_box_ticked(client, study):
    add_summaries(study=study, summaries=[make_summary(), make_summary()])
    for _ in range(2):
        add_member(study=study, annotator=make_annotator())
    open_annotating(study=study)
    task = study.assignments.first()
    make_marks(task.summary, task.annotator, study=study)
    assert "2 annotation tasks are not submitted" in text(client.get(page("study-open-review", "pilot")))
    assert client.post(page("study-open-review", "pilot")).status_code == 409
    assert client.post(page("study-open-review", "pilot"), {"accept": "on"}).status_code == 302
    study.refresh_from_db()
    assert study.phase == "reviewing"


def test_settings_that_answers_depend_on_can_not_be_changed_by_hand_made_posts(client, study):
    Study.objects.update(phase="annotating")
    sent = {"title": "New", "guidelines": "g", "annotation_overlap": 9, "review_overlap": 2}
    assert client.post(page("study-settings", "pilot"), sent).status_code == 302
    study.refresh_from_db()
    assert (study.title, study.annotation_overlap, study.review_overlap) == ("New", 1, 2)


def test_guidelines_are_shown_without_anything_that_could_run_or_load(client, study):
    change_guidelines(
        study=study,
        base=1,
        text="# Hi\n\n<script>alert(1)</script> <img src=x onerror=alert(1)> [go](javascript:alert(1)) **bold**",
    )
    body = text(client.get(page("study-guidelines", "pilot")))
    assert "<strong>bold</strong>" in body
    preview = body.split("How annotators see the guidelines")[1]
    for danger in ("<script>alert", "<img src=x", "javascript:", "onerror"):
        assert danger not in preview


@pytest.mark.parametrize("count", [3, 12])
def test_pages_take_as_many_queries_for_many_as_for_few(client, study, count, django_assert_max_num_queries):
    many_summaries(count)
    add_summaries(study=study, summaries=Summary.objects.all())
    for _ in range(count):
        add_member(study=study, annotator=make_annotator())
        create_study(name=f"other-{Study.objects.count()}")
    for name, args, limit in (
        ("studies", (), 10),
        ("study", ("pilot",), 53),
        ("study-members", ("pilot",), 25),
        ("study-summaries", ("pilot",), 16),
        ("study-judges", ("pilot",), 8),
    ):
        with django_assert_max_num_queries(limit):
            text(client.get(page(name, *args)))


# --- summaries ------------------------------------------------------------------------------------------------------


def test_all_summaries_of_a_system_are_added_also_those_on_other_pages(client, study):
    system = many_summaries(PAGE_SIZE + 7)
    make_summary()
    address = f"{page('study-summaries', 'pilot')}?system={system.pk}"
    assert f"Add all {PAGE_SIZE + 7} of many" in text(client.get(address))
    for query in ("", "&page=2"):
        assert client.post(address + query, {"add_all": "1"}).status_code == 302
    assert study.summaries.count() == PAGE_SIZE + 7
    assert set(study.summaries.values_list("system", flat=True)) == {system.pk}


def test_a_search_limits_what_add_all_takes(client, study):
    many_summaries(11)
    assert "Add all 1 that match “Book 010”" in text(client.get(f"{page('study-summaries', 'pilot')}?q=Book 010"))
    client.post(f"{page('study-summaries', 'pilot')}?q=book 010", {"add_all": "1"})
    assert list(study.summaries.values_list("book__title", flat=True)) == ["Book 010"]


def test_single_summaries_are_added_and_taken_out(client, study):
    first, second = make_summary(), make_summary()
    client.post(page("study-summaries", "pilot"), {"summary": [first.pk, second.pk]})
    assert study.summaries.count() == 2
    client.post(page("study-summaries", "pilot"), {"summary": [first.pk], "remove": "1"})
    assert list(study.summaries.all()) == [second]
    assert Summary.objects.count() == 2


@pytest.mark.parametrize(
    ("query", "words"),
    [
        *[(query, "Book 000") for query in ("?page=999", "?page=x", "?system=x", "?q=%00")],
        ("?system=999", "No other summary matches."),
    ],
)
def test_odd_addresses_of_the_list_show_a_list(client, study, query, words):
    many_summaries(2)
    assert words in text(client.get(page("study-summaries", "pilot") + query))


def test_a_baseline_is_labelled_where_summaries_are_chosen(client, study):
    from summarizer.services.endpoints import endpoint_named

    summary = make_summary()
    System.objects.filter(pk=summary.system_id).update(endpoint=endpoint_named("extractive"))
    assert "No LLM: extractive baseline" in text(client.get(page("study-summaries", "pilot")))


# --- people and judges ----------------------------------------------------------------------------------------------


def test_people_of_any_role_are_added_with_what_they_do(client, study, researcher):
    ann, ada = make_user(name="ann"), make_user("admin", "ada")
    body = text(client.get(page("study-members", "pilot")))
    assert "ada (admin)" in body
    sent = {"action": "add", "people": [ann.pk, ada.pk, researcher.pk], "role": "reviews"}
    assert client.post(page("study-members", "pilot"), sent).status_code == 302
    members = StudyMember.objects.values_list("annotator__user__username", "annotates", "reviews")
    assert sorted(members) == [("ada", False, True), ("ann", False, True), ("rosa", False, True)]


def test_adding_nobody_says_so(client, study):
    make_user(name="ann")
    response = client.post(page("study-members", "pilot"), {"action": "add", "role": "both"})
    assert "Choose at least one person." in text(response)


def test_what_a_member_does_is_changed_and_a_member_taken_out(client, study):
    member = add_member(study=study, annotator=make_annotator())
    client.post(page("study-members", "pilot"), {"action": "change", "member": member.pk, "reviews": "on"})
    member.refresh_from_db()
    assert (member.annotates, member.reviews) == (False, True)
    neither = client.post(page("study-members", "pilot"), {"action": "change", "member": member.pk}, follow=True)
    assert "annotate, review or compare" in text(neither)
    client.post(page("study-members", "pilot"), {"action": "remove", "member": member.pk})
    assert not study.members.exists()


def test_a_member_of_another_study_can_not_be_changed_through_this_one(client, study):
    other = add_member(study=create_study(name="other"), annotator=make_annotator())
    assert client.post(page("study-members", "pilot"), {"action": "remove", "member": other.pk}).status_code == 404
    assert StudyMember.objects.filter(pk=other.pk).exists()


def test_judges_are_added_and_taken_out(client, study):
    judge = make_judge("a judge")
    client.post(page("study-judges", "pilot"), {"add": judge.pk})
    assert list(study.judges.all()) == [judge]
    client.post(page("study-judges", "pilot"), {"remove": judge.pk})
    assert not study.judges.exists()
    client.post(page("study-judges", "pilot"), {"add": make_annotator().pk})
    assert not study.judges.exists()


# --- my tasks -------------------------------------------------------------------------------------------------------


def test_somebody_without_tasks_is_told_what_the_page_is_for(client, db):
    client.force_login(make_user())
    assert "No tasks for you right now" in text(client.get(page("tasks")))


def test_a_person_sees_their_own_tasks_in_order_with_progress_and_the_next_one(client, study):
    summaries = [make_summary(title=f"Book {number}") for number in range(4)]
    add_summaries(study=study, summaries=summaries)
    ann, ben = make_user(name="ann"), make_user(name="ben")
    for user in (ann, ben):
        add_member(study=study, annotator=annotator_of(user))
    open_annotating(study=study)
    mine = list(study.assignments.filter(annotator__user=ann).order_by("order"))
    Assignment.objects.filter(pk=mine[0].pk).update(state="submitted", ended_at=mine[0].created_at)
    client.force_login(ann)
    body = text(client.get(page("tasks")))
    assert "1 of 2 done" in body
    assert body.index(page("annotate", mine[1].key)) < body.index(mine[0].summary.book.title)
    for other in study.assignments.exclude(annotator__user=ann):
        assert str(other.key) not in body
        assert other.summary.book.title not in body
    assert "pilot" not in body.replace("The pilot", "")


def test_review_tasks_appear_when_the_review_is_open_and_count_marks(client, study):
    add_summaries(study=study, summaries=[make_summary(title="The Mill")])
    judge = make_judge()
    add_judge(study=study, judge=judge)
    make_marks(study.summaries.get(), judge, spans=[[(0, 4)], [(5, 9)]])
    ann, ben = make_user(name="ann"), make_user(name="ben")
    for user in (ann, ben):
        add_member(study=study, annotator=annotator_of(user))
    open_annotating(study=study)
    task = study.assignments.get()
    reviewer = ben if task.annotator.user == ann else ann
    client.force_login(reviewer)
    assert "No tasks for you right now" in text(client.get(page("tasks")))
    make_marks(task.summary, task.annotator, study=study)
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at=task.created_at)
    open_review(study=study)
    body = text(client.get(page("tasks")))
    assert "0 of 3" in body
    assert page("review", study.assignments.get(task="review").key) in body
    client.force_login(task.annotator.user)
    assert "No tasks for you right now" in text(client.get(page("tasks")))


def test_the_list_of_tasks_takes_as_many_queries_for_many_as_for_one(client, db, django_assert_max_num_queries):
    user = make_user()
    for number in range(5):
        study = create_study(name=f"study-{number}")
        add_summaries(study=study, summaries=[make_summary(), make_summary()])
        add_member(study=study, annotator=annotator_of(user), reviews=False)
        add_member(study=study, annotator=make_annotator(), annotates=False)
        open_annotating(study=study)
    client.force_login(user)
    with django_assert_max_num_queries(8):
        assert text(client.get(page("tasks"))).count("Mark what confuses you") == 5


def test_deleting_a_login_keeps_what_the_person_did_under_the_pseudonym(study):
    person = make_annotator(make_user(name="ann"))
    add_member(study=study, annotator=person)
    marks = make_marks(make_summary(), person, study=study)
    person.user.delete()
    person.refresh_from_db()
    marks.refresh_from_db()
    assert (person.user, marks.annotator, marks.annotations.count()) == (None, person, 1)
