"""Names stand on two pages, for those who must know whom to write to, and in the API; all else has pseudonyms."""

import pytest
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import Annotator
from annotation.services.studies import add_member
from annotation.services.unblinding import unblind
from booookweb.access import ROUTES
from booookweb.models import Role, User
from scoring.report import build_report
from scoring.report.writing import report_json, report_text
from tests.factories import make_marks, make_user
from tests.world import all_routes, make_task, make_world

pytestmark = pytest.mark.django_db

#: Where a researcher or an admin finds out who somebody is.
NAMES_PEOPLE = {"people", "annotation:study-members", "rest-api:study-members"}
#: Routes about the one person whom a name in the address or a form stands for.
ABOUT_ONE_PERSON = ("person-",)


@pytest.fixture
def world():
    """Anna is a member, left a summary out and has a review to do."""
    world = make_world()
    anna = make_user(name="anna.identity")
    annotator = annotator_of(anna)
    add_member(study=world.study, annotator=annotator, compares=True)
    make_marks(world.summary, annotator, study=world.study, state="skipped")
    make_task(anna, "review", world.study)
    return world


def pages_for(role):
    return [route for route in all_routes() if role in (ROUTES.get(route.name) or ())]


def test_researchers_and_admins_read_a_name_on_the_pages_of_people_alone(client, world):
    client.force_login(make_user(Role.ADMIN))
    for route in pages_for(Role.ADMIN):
        if route.name.startswith(ABOUT_ONE_PERSON):
            continue
        shown = client.get(world.address(route, world.person))
        if shown.status_code == 200:
            content = b"".join(shown.streaming_content) if shown.streaming else shown.content
            assert (route.name, b"anna.identity" in content) == (route.name, route.name in NAMES_PEOPLE)


def test_annotators_read_no_name_but_their_own(client, world):
    reader = make_user(name="reader")
    client.force_login(reader)
    for route in pages_for(Role.ANNOTATOR):
        shown = client.get(world.address(route, reader))
        text = shown.content.decode()
        for user in User.objects.exclude(pk=reader.pk):
            assert user.username not in text
        for pseudonym in Annotator.objects.filter(kind="person").values_list("pseudonym", flat=True):
            assert pseudonym not in text


def test_the_report_names_nobody(world):
    grace = make_user(Role.RESEARCHER, "grace.identity")
    world.study.unblinding.delete()
    unblind(study=world.study, user=grace, reason="All is in.", accept_unfinished=True)
    report = build_report(world.study)
    for written in (str(report_json(report)), report_text(report)):
        assert "identity" not in written
        assert annotator_of(grace).pseudonym in written


def test_the_comparison_round_lists_pseudonyms(client, world):
    client.force_login(make_user(Role.RESEARCHER))
    asked_in = world.study.comparison_rounds.get()
    shown = client.get(reverse("annotation:comparison-round", args=[world.study.name, asked_in.pk])).content.decode()
    assert Annotator.objects.get(user__username="anna.identity").pseudonym in shown
