"""A program of somebody who is blind learns no more than the person: every address of the API, in every way.

That routes which name a study refuse the blind is tested with the pages (`tests/annotation/test_blinding.py`).
"""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from annotation.models import Annotation, Study, Unblinding
from annotation.services.studies import create_study
from scoring.models import MetricValue
from tests.annotation.test_blinding import SHOWS_NO_MARKS
from tests.api.clients import Program
from tests.factories import make_user
from tests.world import all_routes, make_task, make_world

pytestmark = pytest.mark.django_db

#: The document is the same for everybody.
REST = [route for route in all_routes() if route.name.startswith("rest-api:") and route.name != "rest-api:schema"]
#: What tells of marks: their questions, who made them, and what was decided.
TELLING = ("sentinel", "Who is Emma?", '"confused"', "Rule baseline")
#: Names of judges are no secret: a study says which it has, and a launch how a judge is called.
NAMES_JUDGES = {"rest-api:study", "rest-api:launch-judge"}


@pytest.fixture
def world():
    return make_world()


def answers(program, address):
    """What an address says to each method, in words; what was changed is taken back."""
    for method in ("get", "post", "patch", "delete"):
        body = {} if method == "get" else {"content_type": "application/json"}
        with transaction.atomic():
            response = getattr(program.client, method)(address, **body)
            content = b"".join(response) if response.streaming else response.content
            transaction.set_rollback(True)
        yield response.status_code, content.decode()


@pytest.mark.parametrize("task", ["annotate", "review"])
@pytest.mark.parametrize("role", ["researcher", "admin"])
def test_no_address_tells_a_blind_person_of_marks(world, role, task):
    owner = Program(make_user(role))
    make_task(owner.user, task, world.study)
    Study.objects.filter(pk=world.study.pk).update(phase="reviewing" if task == "review" else "annotating")
    told = []
    for route in REST:
        for status, content in answers(owner, world.address(route, owner.user)):
            words = [each for each in TELLING if each in content]
            if words and not (words == ["Rule baseline"] and route.name in NAMES_JUDGES):
                told.append((route.name, words))
            if "slug" in route.arguments and route.name not in SHOWS_NO_MARKS and status not in (405, 415):
                assert (status, "stay hidden from you" in content) == (403, True), route.name
    assert told == []


def test_a_study_under_review_is_sealed_for_everybody(world):
    Unblinding.objects.all().delete()
    owner = Program(make_user("admin"))
    refused = 0
    for route in REST:
        if "slug" in route.arguments and route.name not in SHOWS_NO_MARKS | {"rest-api:study-unblind": ""}:
            status, content = next(answers(owner, world.address(route, owner.user)))
            assert (status, "under blind review" in content) == (403, True), route.name
            refused += 1
    assert refused >= 8


def test_the_same_addresses_tell_whoever_is_not_blind(world):
    """So that the tests above can fail."""
    owner = Program(make_user("researcher"))
    Annotation.objects.filter(questions="Who is the sentinel?").update(questions="Who is the sentinel of the mill?")
    shown = owner.get(f"studies/{world.study.name}/annotations/")
    assert "sentinel" in str(shown)


def test_a_guessed_figure_is_not_confirmed_to_the_blind(world):
    """Neither by the counts of an import, nor through the page of another study."""
    summary = world.summary
    MetricValue.objects.create(summary=summary, name="BLANC", value=0.125)
    create_study(name="other")
    owner = Program(make_user("researcher"))
    make_task(owner.user, "annotate", world.study)
    told = set()
    for value in ("0.125", "0.5"):
        line = f"{summary.book.title},{summary.system.name},BLANC,{value}"
        data = f"book,system,name,value\n{line}\n".encode()
        refused = owner.upload("imports/metrics/", status=403, file=SimpleUploadedFile("x.csv", data))
        assert refused["code"] == "blind"
        browser = Client()
        browser.force_login(owner.user)
        page = browser.post("/studies/other/metrics/", {"file": SimpleUploadedFile("x.csv", data)})
        assert page.status_code == 403
        told.add((refused["detail"], page.content))
    assert len(told) == 1
    assert MetricValue.objects.get().value == 0.125
