"""The researcher's pages: what is asked and what that takes, units and their editor, people, opening and closing."""

import json

import pytest
from django.urls import reverse

from annotation.models import Assignment, FaithfulnessPlan
from annotation.services.studies import add_member, add_members, create_study
from booookweb.models import Role
from tests.annotation.faithfulness.test_dealing import checkers, with_text
from tests.factories import make_annotator, make_coarse_task, make_fine_task, make_plan, make_summary, make_user

pytestmark = pytest.mark.django_db

TEXT = "Emma left the mill early, and Rolf stayed behind with the horses. He died. Emma left the mill early."
ASKED = {
    "fine_overlap": 2,
    "share_percent": 50,
    "units_per_summary": "",
    "hints": "randomised",
    "coarse_overlap": 1,
    "scale": "0-100",
}


@pytest.fixture
def researcher(client):
    client.force_login(make_user(Role.RESEARCHER))
    return client


def page(study):
    return reverse("annotation:study-faithfulness", args=[study.name])


def text(response):
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def act(client, study, **data):
    return text(client.post(page(study), data, follow=True))


def test_a_study_begins_with_cutting_its_summaries(researcher):
    study = create_study(name="mill")
    study.summaries.add(make_summary(TEXT))
    assert "Set up faithfulness" in text(researcher.get(reverse("annotation:study", args=["mill"])))
    assert "Cut the summaries into units" in text(researcher.get(page(study)))
    body = act(researcher, study, action="make")
    assert "The summaries are cut into units." in body
    assert '4 <span class="muted">in 1 summary, 4.0 each; 1 repeats another</span>' in body
    assert "already" in act(researcher, study, action="make")
    assert "3 people on the units of each summary, being set up" in text(
        researcher.get(reverse("annotation:study", args=["mill"]))
    )


def test_settings_say_what_they_take_before_they_are_stored(researcher):
    plan = make_plan(make_summary(TEXT), make_summary(TEXT))
    checkers(plan, fine=2)
    work = text(researcher.get(reverse("annotation:faithfulness-work", args=[plan.study.name]), ASKED))
    # Half of three different units is 2, of 2 summaries, by 2 people: 8 judgements of 41 s are 5.5 min.
    assert "<dt>Judgements</dt><dd>8 " in work
    assert "<dd>about 5 min " in work
    assert "Each of the 2 who judge</dt><dd>about 3 min" in work
    assert "<dt>Ratings</dt><dd>2 " in work
    assert "at least 3 <span" in work
    assert FaithfulnessPlan.objects.get().share == 1.0
    both = text(
        researcher.get(
            reverse("annotation:faithfulness-work", args=[plan.study.name]), ASKED | {"units_per_summary": 3}
        )
    )
    assert "Give a share or a number of units" in both


def test_settings_are_stored(researcher):
    plan = make_plan(make_summary(TEXT))
    assert "Saved." in act(researcher, plan.study, action="settings", **ASKED)
    plan.refresh_from_db()
    assert (plan.fine_overlap, plan.share, plan.units_per_summary, plan.coarse_overlap) == (2, 0.5, None, 1)
    assert (plan.hints, plan.scale, plan.evidence_required) == ("randomised", "0-100", False)
    both = act(researcher, plan.study, action="settings", **ASKED | {"units_per_summary": 3})
    assert "Give a share or a number of units" in both
    act(researcher, plan.study, action="settings", **ASKED | {"units_per_summary": 3, "share_percent": ""})
    plan.refresh_from_db()
    assert (plan.share, plan.units_per_summary) == (None, 3)


def test_people_are_chosen_and_the_plan_is_opened_and_closed(researcher):
    plan = make_plan(*with_text(make_summary(TEXT)), fine_overlap=1, coarse_overlap=1)
    study = plan.study
    one, other = make_annotator(), make_annotator()
    for annotator in (one, other):
        add_member(study=study, annotator=annotator, annotates=False, reviews=False, compares=True)
    assert "Nobody is chosen to judge units." in text(researcher.get(page(study)))
    act(researcher, study, action="people", **{f"role-{one.pk}": "fine", f"role-{other.pk}": "coarse"})
    assert list(study.members.order_by("pk").values_list("judges_units", "rates")) == [(True, False), (False, True)]
    body = act(researcher, study, action="open")
    assert "everybody finds their tasks" in body
    assert "0 of 1 tasks submitted" in body
    assert "1 person judges all units of each summary." in body
    assert "can’t change sides" in act(researcher, study, action="people", **{f"role-{one.pk}": "coarse"})
    assert "What was submitted stays." in act(researcher, study, action="close")
    assert set(Assignment.objects.values_list("state", flat=True)) == {"skipped"}
    assert "It is open again. 2 tasks given out." in act(researcher, study, action="reopen")
    assert set(Assignment.objects.values_list("state", flat=True)) == {"open"}
    study_page = text(researcher.get(reverse("annotation:study", args=[study.name])))
    assert "Judging units" in study_page
    assert "Close the study" in study_page


def test_who_was_added_to_annotate_is_let_only_check(researcher):
    plan = make_plan(*with_text(make_summary(TEXT)), fine_overlap=1)
    study = plan.study
    one, other = make_annotator(), make_annotator()
    add_members(study=study, annotators=[one, other])
    assert "2 people annotate or review in this study, as everybody does who is added" in text(
        researcher.get(page(study))
    )
    body = act(researcher, study, action="people", **{f"role-{one.pk}": "fine"})
    assert "1 of them judges units or rates: take annotating and reviewing from them, here or" in body
    assert "1 does neither" in body
    body = act(researcher, study, action="only-checking")
    assert "1 person only checks summaries now." in body
    assert "only-checking" not in body
    assert list(study.members.order_by("pk").values_list("annotates", "reviews", "judges_units")) == [
        (False, False, True),
        (True, True, False),
    ]
    act(researcher, study, action="people", **{f"role-{one.pk}": "fine", f"role-{other.pk}": "fine"})
    act(researcher, study, action="only-checking")
    assert "everybody finds their tasks" in act(researcher, study, action="open")


def test_people_find_their_tasks(client):
    for make, task, title, begin in (
        (make_fine_task, "fine", "Check statements against the book", "0 of 3"),
        (make_coarse_task, "coarse", "Rate summaries against the book", "To do"),
    ):
        assignment = make(make_summary(TEXT))
        client.force_login(assignment.annotator.user)
        body = text(client.get(reverse("annotation:tasks")))
        assert title in body
        assert begin in body
        assert reverse(f"annotation:{task}", args=[assignment.key]) in body


def test_what_cannot_be_done_is_said(researcher):
    plan = make_plan(make_summary(TEXT))
    assert "has not been opened" in act(researcher, plan.study, action="close")
    assert "incomplete" in act(researcher, plan.study, action="?")
    plan.units.all().delete()
    assert "1 summary cut into units." in act(researcher, plan.study, action="cut")
    assert plan.units.count() == 4
    assert "into 4 units" in act(researcher, plan.study, action="cut-anew")
    assert "are deleted" in act(researcher, plan.study, action="delete")
    assert "was deleted meanwhile" in act(researcher, plan.study, action="settings", **ASKED)


def test_annotators_reach_none_of_it(client):
    plan = make_plan(make_summary(TEXT))
    client.force_login(make_user(Role.ANNOTATOR))
    units = [plan.study.name, plan.study.summaries.get().pk]
    for address in (page(plan.study), reverse("annotation:summary-units", args=units)):
        assert client.get(address).status_code == 403
    assert client.put(reverse("annotation-api:summary-units", args=units), {}).status_code == 403


# --- the editor -----------------------------------------------------------------------------------------------------


def test_the_editor_has_every_word_with_its_offset(researcher):
    summary = make_summary("Emma 🐎 left.  He died.")
    plan = make_plan(summary)
    response = researcher.get(reverse("annotation:summary-units", args=[plan.study.name, summary.pk]))
    assert response.context["page_data"] == {
        "sentences": [
            [[0, "Emma", " "], [5, "🐎", " "], [7, "left", ""], [11, ".", "  "]],
            [[14, "He", " "], [17, "died", ""], [21, ".", ""]],
        ],
        "cuts": [],
        "repeats": [],
    }
    assert "Cut anew by the rule" in text(response)


def put(client, plan, summary, **data):
    address = reverse("annotation-api:summary-units", args=[plan.study.name, summary.pk])
    response = client.put(address, json.dumps(data), content_type="application/json")
    return response.status_code, response.json()


def test_cuts_are_stored_unless_they_changed_meanwhile(researcher):
    summary = make_summary(TEXT)
    plan = make_plan(summary)
    assert put(researcher, plan, summary, was=[26], cuts=[]) == (
        200,
        {"cuts": [], "units": 3, "repeated": 0, "repeats": []},
    )
    status, answer = put(researcher, plan, summary, was=[26], cuts=[26])
    assert (status, answer["code"], answer["current"]) == (409, "conflict", [])
    status, answer = put(researcher, plan, summary, was=[], cuts=[1])
    assert (status, answer["code"]) == (409, "refused")
    assert put(researcher, plan, summary, was=[], cuts=["x"])[0] == 400
    # "Emma left the mill early" says the same as "Emma left the mill early,".
    assert put(researcher, plan, summary, was=[], cuts=[26])[1]["repeats"] == [[75, 1]]
    assert put(researcher, plan, summary, was=[26], cuts=[])[0] == 200
    assert plan.units.count() == 3
    researcher.post(reverse("annotation:summary-units", args=[plan.study.name, summary.pk]))
    assert plan.units.count() == 4


def test_units_that_people_were_asked_about_are_shown_alone(researcher):
    task = make_fine_task(make_summary(TEXT))
    plan = task.study.faithfulness
    body = text(researcher.get(reverse("annotation:summary-units", args=[task.study.name, task.summary_id])))
    assert "so they stay as they are" in body
    assert "Cut anew" not in body
    assert "says the same as 1" in body
    assert put(researcher, plan, task.summary, was=[26], cuts=[])[0] == 409


def test_a_summary_of_another_study_has_no_units_here(researcher):
    plan = make_plan(make_summary(TEXT))
    other = make_summary(TEXT)
    assert researcher.get(reverse("annotation:summary-units", args=[plan.study.name, other.pk])).status_code == 404
    assert put(researcher, plan, other, was=[], cuts=[])[0] == 404


def test_the_plans_page_takes_as_many_queries_for_many_as_for_few(researcher, django_assert_max_num_queries):
    plan = make_plan(*(make_summary(TEXT) for _ in range(9)), fine_overlap=2)
    checkers(plan, fine=6)
    with django_assert_max_num_queries(44):
        researcher.get(page(plan.study))
