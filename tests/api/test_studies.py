"""Studies over the API: making one, its settings, what and who is in it, and its phases."""

import pytest

from annotation.access import annotator_of
from annotation.models import Annotator, Study
from annotation.services.studies import default_guidelines
from tests.annotation.staged_studies import annotate_everything, study_with
from tests.api.clients import program
from tests.factories import make_annotator, make_summary, make_user

pytestmark = pytest.mark.django_db


def test_a_study_is_set_up_opened_and_closed():
    owner = program("researcher")
    summary, other = make_summary(), make_summary()
    study = owner.post("studies/", status=201, name="pilot", title="The pilot", review_overlap=0)
    assert (study["phase"], study["guidelines"]) == ("setup", default_guidelines())
    assert Study.objects.get().created_by == owner.user
    assert owner.post("studies/pilot/summaries/", add=[summary.pk, other.pk]) == {"summaries": 2}
    assert owner.post("studies/pilot/summaries/", remove=[other.pk]) == {"summaries": 1}
    assert [each["id"] for each in owner.get("studies/pilot/summaries/")["results"]] == [summary.pk]
    assert owner.get("studies/pilot/phase/")["problems"] != []
    assert owner.post("studies/pilot/phase/", status=409, phase="annotating")["code"] == "study"
    person = make_user(name="anna")
    member = owner.post("studies/pilot/members/", username="anna", reviews=False)
    pseudonym = annotator_of(person).pseudonym
    assert member == {
        "pseudonym": pseudonym,
        "username": "anna",
        "annotates": True,
        "reviews": False,
        "compares": False,
        "judges_units": False,
        "rates": False,
    }
    assert owner.get("studies/pilot/members/")["results"] == [member]
    rating = {**member, "compares": True, "rates": True}
    assert owner.post("studies/pilot/members/", username="anna", reviews=False, compares=True, rates=True) == rating
    assert owner.post("studies/pilot/members/", username="anna", reviews=False) == rating
    assert owner.patch("studies/pilot/", annotation_overlap=1, title="Renamed")["title"] == "Renamed"
    assert owner.get("studies/pilot/phase/") == {"phase": "setup", "problems": [], "gaps": []}
    assert owner.post("studies/pilot/phase/", phase="annotating")["phase"] == "annotating"
    assert owner.get("studies/pilot/")["annotate"] == {"submitted": 0, "open": 1, "free": 0}
    assert "no longer be changed" in owner.patch("studies/pilot/", status=409, annotation_overlap=2)["detail"]
    assert owner.post("studies/pilot/summaries/", status=409, add=[other.pk])["code"] == "study"
    owner.delete(f"studies/pilot/members/?pseudonym={pseudonym}")
    assert owner.get("studies/pilot/members/")["count"] == 0
    owner.delete(f"studies/pilot/members/?pseudonym={pseudonym}")
    assert owner.post("studies/pilot/phase/", phase="closed")["phase"] == "closed"
    assert owner.get("studies/", phase="closed")["results"][0]["name"] == "pilot"
    assert owner.get("studies/", phase="setup")["count"] == 0


def test_the_review_is_opened_with_what_is_there_and_unblinded_with_a_reason():
    owner = program("researcher")
    study = study_with(summaries=1, people=3, annotation_overlap=1)
    owner.post("studies/pilot/phase/", phase="annotating")
    phase = owner.get("studies/pilot/phase/")
    assert "1 annotation task is not submitted" in phase["gaps"][0]
    annotate_everything(study)
    assert owner.get("studies/pilot/phase/")["gaps"] == []
    owner.post("studies/pilot/phase/", phase="reviewing")
    owner.post("studies/pilot/unblind/", status=400)
    assert "not submitted" in owner.post("studies/pilot/unblind/", status=409, reason="It is enough.")["detail"]
    unblinded = owner.post("studies/pilot/unblind/", reason="It is enough.", accept_unfinished=True)
    assert unblinded["unblinded_at"]


@pytest.mark.parametrize(
    ("path", "values", "status"),
    [
        ("studies/", {"name": "new"}, 409),
        ("studies/", {"name": "a b"}, 400),
        ("studies/", {"name": "pilot"}, 409),
        ("studies/", {"name": "x", "title": "a\0"}, 400),
        ("studies/", {"name": "x", "annotation_overlap": 10**12}, 400),
        ("studies/", {"name": "x", "annotation_overlap": 0}, 400),
        ("studies/pilot/summaries/", {"add": [987654321]}, 404),
        ("studies/pilot/summaries/", {"add": ["x"]}, 400),
        ("studies/pilot/summaries/", {"add": 5}, 400),
        ("studies/pilot/members/", {"username": "nobody"}, 404),
        ("studies/pilot/members/", {"username": "a", "annotates": "perhaps"}, 400),
        ("studies/pilot/members/", {"username": "both", "judges_units": True, "rates": True}, 409),
        ("studies/pilot/phase/", {"phase": "setup"}, 400),
        ("studies/pilot/phase/", {"phase": "reviewing"}, 409),
        ("studies/nothing/phase/", {"phase": "closed"}, 404),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(path, values, status):
    Study.objects.create(name="pilot", title="The pilot")
    make_annotator(make_user(name="both"))
    before = Annotator.objects.count()
    refused = program().post(path, status=status, **values)
    assert set(refused) == {"detail", "code"}
    assert Study.objects.count() == 1
    assert Annotator.objects.count() == before


def test_who_has_no_open_account_becomes_no_member():
    Study.objects.create(name="pilot", title="The pilot")
    person = make_annotator()
    person.user.is_active = False
    person.user.save()
    program().post("studies/pilot/members/", status=404, username=person.user.username)
    assert not Study.objects.get().members.exists()
