"""The gold set: researchers decide about the marks on a summary, over HTTP as the page does."""

import json
import uuid
from io import StringIO
from itertools import chain

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import (
    Annotation,
    AnnotationSet,
    GoldDecision,
    GoldEvent,
    GoldSet,
    GoldSource,
    MarksSeen,
    Study,
)
from annotation.services.withdrawals import withdraw
from booookweb.models import Role
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.at_once import at_once
from tests.factories import make_annotator, make_judge, make_marks, make_summary, make_user
from tests.world import make_study, make_task

pytestmark = pytest.mark.django_db

TEXT = "Emma left 🙂. Rolf stayed behind."
EMMA = {"start": 0, "end": 4, "quote": "Emma"}
ROLF = {"start": 13, "end": 17, "quote": "Rolf"}


class Place:
    """A closed study with two people's marks on its one summary, seen by a researcher."""

    def __init__(self, client):
        self.summary = make_summary(TEXT)
        self.study = make_study(self.summary, phase="closed")
        self.first = make_marks(self.summary, make_annotator(), study=self.study, spans=[[(0, 4)], [(13, 17)]])
        self.second = make_marks(self.summary, make_annotator(), study=self.study, spans=[[(0, 9)]], questions="Who?")
        self.user = make_user(Role.RESEARCHER, "rosa")
        self.client = client
        client.force_login(self.user)
        self.page = reverse("scoring:summary-gold", args=[self.study.name, self.summary.pk])
        self.api = reverse("annotation-api:summary-gold", args=[self.study.name, self.summary.pk])

    def marks(self):
        return [mark.pk for each in (self.first, self.second) for mark in each.annotations.order_by("pk")]

    def put(self, key=None, base_version=0, client=None, **content):
        content = {"outcome": "mark", "spans": [EMMA], "questions": "Who is Emma?"} | content
        address = f"{self.api}{key or uuid.uuid4()}/"
        body = {"base_version": base_version, **content}
        return (client or self.client).put(address, body, content_type="application/json")

    def reject(self, *marks, reason="Answered later", **others):
        return self.put(outcome="rejected", spans=[], questions="", sources=marks, reason=reason, **others)

    def post(self, act):
        return self.client.post(f"{self.api}{act}/", {}, content_type="application/json")

    def state(self):
        return self.client.get(self.api).json()


@pytest.fixture
def place(client):
    return Place(client)


def test_accept_merge_reject_and_add_then_finish(place):
    emma, rolf, whole = place.marks()
    merged = place.put(sources=[emma, whole], error_types=["entity omission", "salience"])
    assert merged.status_code == 200
    assert merged.json()["sources"] == [emma, whole]
    assert place.post("finish").json() == {
        "detail": "1 mark waits for a decision. Accept or reject what is left, then finish.",
        "code": "incomplete",
    }
    assert place.reject(rolf).status_code == 200
    assert place.put(spans=[ROLF, EMMA], questions="How do they know each other?").status_code == 200
    finished = place.post("finish").json()
    assert (finished["state"], finished["editable"]) == ("finished", False)
    assert [(event["act"], event["by"]) for event in finished["events"]] == [("finished", "rosa")] + [
        ("decided", "rosa")
    ] * 3
    assert place.put().status_code == 409
    assert place.post("reopen").json()["editable"] is True
    assert place.put().status_code == 200
    assert [decision["outcome"] for decision in place.state()["decisions"]] == ["mark", "rejected", "mark", "mark"]


def test_a_repeated_send_changes_nothing_and_an_older_one_is_refused_with_what_is_there(place):
    key = uuid.uuid4()
    first = place.put(key)
    assert place.put(key).json() == first.json()
    changed = place.put(key, first.json()["version"], questions="Who is she?")
    assert changed.json()["version"] == first.json()["version"] + 1
    late = place.put(key, first.json()["version"], questions="Who is he?")
    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    assert late.json()["current"]["questions"] == "Who is she?"
    assert [event.act for event in GoldEvent.objects.order_by("version")] == ["decided", "changed"]


def test_take_back_frees_the_marks_and_can_be_undone(place):
    emma, *_ = place.marks()
    key = uuid.uuid4()
    version = place.put(key, sources=[emma]).json()["version"]
    assert place.client.delete(f"{place.api}{key}/?base_version={version + 7}").status_code == 409
    assert place.client.delete(f"{place.api}{key}/?base_version={version}").status_code == 204
    assert place.client.delete(f"{place.api}{key}/?base_version={version}").status_code == 204
    assert not GoldSource.objects.exists()
    assert place.put(key, sources=[emma]).status_code == 200
    assert [event["act"] for event in place.state()["events"]] == ["decided", "taken back", "decided"]


def test_a_mark_is_decided_about_once(place):
    emma, rolf, _ = place.marks()
    assert place.put(sources=[emma]).status_code == 200
    twice = place.reject(emma, rolf)
    assert (twice.status_code, twice.json()["code"]) == (400, "decided")
    assert "rosa has decided" in twice.json()["detail"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"outcome": "rejected", "spans": [], "questions": "", "sources": [1], "reason": " "}, "Say why"),
        ({"outcome": "rejected", "spans": [], "questions": "", "reason": "x"}, "marks that somebody made"),
        ({"outcome": "maybe"}, "into the gold set or rejects"),
        ({"reason": "x"}, "Only a rejection"),
        ({"spans": []}, "one span"),
        ({"spans": [EMMA, EMMA]}, "two different spans"),
        ({"spans": [{**ROLF, "quote": "Emma"}]}, "is 'Rolf', not 'Emma'"),
        ({"spans": [{**ROLF, "end": 700}]}, "beyond the text"),
        ({"error_types": ["no such type"]}, "no error type"),
        ({"sources": [999_999]}, "not submitted any more"),
    ],
)
def test_what_cannot_be_stored_is_refused_in_words_and_leaves_nothing(place, content, says):
    refused = place.put(**content)
    assert refused.status_code == 400
    assert says in refused.json()["detail"]
    assert not GoldSet.objects.exists()


def test_drafts_and_marks_of_other_summaries_are_no_sources(place):
    AnnotationSet.objects.filter(pk=place.second.pk).update(state="draft")
    elsewhere = make_marks(make_summary(), make_annotator(), study=place.study).annotations.get()
    stranger = make_marks(place.summary, make_judge()).annotations.get()
    for mark in (place.marks()[2], elsewhere.pk, stranger.pk):
        assert place.put(sources=[mark]).status_code == 400
    assert place.second.annotator.pseudonym not in place.client.get(place.page).content.decode()


def test_a_judges_marks_are_shown_if_chosen_and_need_no_decision(place):
    judge = make_judge("j-one")
    place.study.judges.add(judge)
    mark = make_marks(place.summary, judge, questions="Who is the sentinel?").annotations.get()
    assert "sentinel" not in place.client.get(place.page).content.decode()
    assert "sentinel" in place.client.get(f"{place.page}?judge={judge.pk}&judge=x").content.decode()
    assert place.reject(*place.marks()).status_code == 200
    assert place.post("finish").status_code == 200
    assert place.post("reopen").status_code == 200
    assert place.put(sources=[mark.pk]).status_code == 200


def test_a_mark_that_changed_since_is_told_apart(place):
    emma = place.marks()[0]
    place.put(sources=[emma])
    Annotation.objects.filter(pk=emma).update(version=9)
    assert place.state()["decisions"][0]["versions"] == {str(emma): 1}
    document = export(place.study.name)
    assert document["summaries"][0]["marks"][0]["sources"][0]["changed_since"] is True


def test_looking_is_remembered_and_makes_no_gold_set(place):
    assert place.client.get(place.page).status_code == 200
    assert place.state()["decisions"] == []
    assert MarksSeen.objects.filter(user=place.user, summary=place.summary).exists()
    assert not GoldSet.objects.exists()


def test_whoever_still_has_to_mark_the_summary_sees_and_decides_nothing(place):
    elsewhere = Study.objects.create(name="elsewhere", title="Elsewhere")
    elsewhere.summaries.add(place.summary)
    make_task(place.user, "annotate", elsewhere)
    file = reverse("scoring:gold-file", args=[place.study.name])
    for address in (place.page, place.api, file, reverse("scoring:gold", args=[place.study.name])):
        assert place.client.get(address).status_code == 403
    assert place.put().status_code == 403
    assert place.post("finish").status_code == 403
    assert not GoldSet.objects.exists()


def test_no_figure_knows_of_gold_sets(place):
    def figures():
        return json.dumps(report_json(build_report(place.study)), sort_keys=True)

    before = figures()
    place.put(sources=place.marks()[:1])
    place.put(spans=[ROLF])
    place.reject(*place.marks()[1:])
    place.post("finish")
    assert figures() == before


def export(study):
    out = StringIO()
    call_command("gold", study, stdout=out)
    return json.loads(out.getvalue())


def test_the_export_has_marks_rejections_and_log_without_names(place):
    emma, rolf, whole = place.marks()
    key = uuid.uuid4()
    place.put(key, sources=[emma, whole], error_types=["salience"])
    place.reject(rolf)
    document = export(place.study.name)
    assert document == place.client.get(reverse("scoring:gold-file", args=[place.study.name])).json()
    (found,) = document["summaries"]
    (mark,) = found["marks"]
    assert (mark["decision"], mark["questions"], mark["error_types"]) == (str(key), "Who is Emma?", ["salience"])
    assert mark["spans"] == [EMMA]
    assert [source["annotator"] for source in mark["sources"]] == [
        place.first.annotator.pseudonym,
        place.second.annotator.pseudonym,
    ]
    assert [(each["reason"], each["by"]) for each in found["rejected"]] == [
        ("Answered later", annotator_of(place.user).pseudonym)
    ]
    assert [(each["version"], each["act"]) for each in found["log"]] == [(1, "decided"), (2, "decided")]
    assert "rosa" not in json.dumps(document)
    assert place.first.annotator.user.username not in json.dumps(document)
    with pytest.raises(CommandError, match="no study named nowhere"):
        export("nowhere")


def test_withdrawing_removes_what_was_decided_about_the_persons_marks(place):
    emma, rolf, whole = place.marks()
    merged = place.put(sources=[emma, whole], questions="Joined").json()["key"]
    gone = place.put(sources=[rolf], spans=[ROLF], questions="Words of the person who leaves").json()
    added = place.put(questions="Added by the researcher").json()["key"]
    withdraw(study=place.study, annotator=place.first.annotator, by=place.user)
    state = place.state()
    assert [(each["key"], each["sources"]) for each in state["decisions"]] == [
        (merged, [whole]),
        (added, []),
    ]
    assert gone["key"] not in [each["key"] for each in state["decisions"]]
    assert "Words of the person who leaves" not in json.dumps([state, export(place.study.name)])
    assert len(state["events"]) == 3


def test_withdrawing_empties_the_log_of_a_mark_that_a_later_change_left_out(place):
    _, rolf, whole = place.marks()
    said = "Words of the person who leaves"
    first = place.put(sources=[rolf, whole], questions=said).json()
    changed = place.put(first["key"], first["version"], sources=[whole], questions="Who?")
    assert changed.status_code == 200
    withdraw(study=place.study, annotator=place.first.annotator, by=place.user)
    assert said not in json.dumps([place.state(), export(place.study.name)])
    assert [event.content.get("questions") for event in GoldEvent.objects.order_by("version")] == [None, "Who?"]


def test_the_list_says_how_far_each_summary_is(place):
    listed = reverse("scoring:gold", args=[place.study.name])
    assert "2" in place.client.get(listed).content.decode()
    place.reject(*place.marks())
    place.post("finish")
    page = place.client.get(listed).content.decode()
    assert "1 of 1 finished" in page
    assert "3 of 3" in page
    AnnotationSet.objects.update(state="draft")
    GoldSet.objects.all().delete()
    assert "Nobody has submitted a summary yet" in place.client.get(listed).content.decode()


def test_empty_states(place):
    AnnotationSet.objects.filter(pk=place.second.pk).update(state="draft")
    assert "there is nobody to agree with yet" in place.client.get(place.page).content.decode()
    AnnotationSet.objects.update(state="draft")
    assert "Nobody has submitted this summary yet" in place.client.get(place.page).content.decode()
    assert place.post("finish").json()["code"] == "incomplete"
    Annotation.objects.all().delete()
    AnnotationSet.objects.update(state="submitted")
    assert "Whoever looked marked nothing" in place.client.get(place.page).content.decode()
    assert place.post("finish").json()["state"] == "finished"


@pytest.mark.django_db(transaction=True)
def test_two_researchers_at_once_lose_nothing(client):
    """Both decide about the same mark and each about one of their own: one gets the shared one, none gets an error."""
    place = Place(client)
    emma, rolf, whole = place.marks()

    def deciding(name, own):
        colleague = Client()
        colleague.force_login(make_user(Role.RESEARCHER, name))
        return lambda: [place.put(client=colleague, sources=sources).status_code for sources in ([emma], [own])]

    answers = at_once([deciding("ada", rolf), deciding("ben", whole)])
    assert sorted(chain.from_iterable(answers)) == [200, 200, 200, 400]
    assert GoldDecision.objects.count() == 3
    assert list(GoldEvent.objects.order_by("version").values_list("version", flat=True)) == [1, 2, 3]
    assert GoldSet.objects.get().version == 3
