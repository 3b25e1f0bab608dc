"""What no form of ours sends: every page and API call answers in words, never with a fault of the server."""

import json
from copy import deepcopy

import pytest
from django.db import connection, transaction
from django.urls import reverse

from annotation.faithfulness.qualifications import create_qualification
from annotation.models import Study
from annotation.services.known import add_known_text
from annotation.services.studies import add_member, create_study
from annotation.services.training import set_training
from booookweb.access import PUBLIC, ROUTES
from tests.annotation.faithfulness.tested_studies import ferry, make_study_to_test
from tests.factories import make_annotator, make_user
from tests.world import all_routes, make_world

#: Names that pages and forms read, and what a stranger may put there.
FIELDS = (
    *("q", "page", "system", "study", "summary", "offered", "book", "books", "base_version", "theme", "scope"),
    *("add", "remove", "add_all", "action", "member", "people", "role", "included", "budget_usd", "endpoint"),
    *("client_key", "prompt_set", "temperature", "repeat", "title", "name", "guidelines", "annotation_overlap"),
)
VALUES = ("9" * 30, "9" * 5000, "-1", "\0", "١", "1e400", "nan", "<b>", "é" * 3000)
#: Read as a number, refused or shown again before any database is asked.
NEVER_STORED = ("9" * 5000, "١", "<b>")
#: Whatever is sent with it.
METHOD_REFUSED = 405
BODIES = (
    b"",
    b"null",
    b"[",
    b"NaN",
    b"\xff\xfe",
    b'"\\ud800"',
    b"[" * 100_000,
    b'{"questions":' * 100_000,
    b" " * 3_000_000,
    json.dumps({"base_version": 10**30, "spans": [{"start": -1, "end": 1e400}]}).encode(),
)
CLOSED_ROUTES = [route for route in all_routes() if ROUTES[route.name] is not PUBLIC and route.name != "logout"]
REST_ROUTES = [route for route in CLOSED_ROUTES if route.name.startswith("rest-api:")]
ROUTES_TRIED = [route for route in CLOSED_ROUTES if route not in REST_ROUTES]


@pytest.fixture(scope="module")
def made_world(shared_rows):
    return make_world()


@pytest.fixture
def world(db, made_world):
    return deepcopy(made_world)


@pytest.mark.parametrize("route", ROUTES_TRIED, ids=lambda route: route.name)
def test_no_value_in_an_address_or_a_form_is_a_fault_of_the_server(client, world, route):
    try_values(client, world, route, log_in(client))


@pytest.mark.parametrize("route", [route for route in ROUTES_TRIED if route.is_api], ids=lambda route: route.name)
def test_no_body_is_a_fault_of_the_server(client, world, route):
    try_bodies(client, world, route, log_in(client))


def test_no_program_meets_a_fault_of_the_server(client, world):
    """Both, for all routes of the REST API in one world: most of the time goes into making worlds."""
    admin = log_in(client)
    for route in REST_ROUTES:
        try_values(client, world, route, admin)
        try_bodies(client, world, route, admin)


def log_in(client):
    admin = make_user("admin")
    client.force_login(admin)
    return admin


def try_values(client, world, route, admin):
    address = world.address(route, admin)
    for send in (client.get, client.post, client.delete):
        for value in tried():
            with transaction.atomic():
                response = send(address, dict.fromkeys(FIELDS, value))
                assert response.status_code < 500, route.name
                transaction.set_rollback(True)
            if response.status_code == METHOD_REFUSED:
                break


def tried():
    """All on one database; on the other what it may see."""
    return VALUES if connection.vendor == "sqlite" else [value for value in VALUES if value not in NEVER_STORED]


def try_bodies(client, world, route, admin):
    address = world.address(route, admin)
    for send in (client.put, client.post):
        for body in BODIES:
            with transaction.atomic():
                response = send(address, body, content_type="application/json")
                assert response.status_code < 500, route.name
                transaction.set_rollback(True)
            if response.status_code >= 400:
                assert set(response.json()) >= {"detail", "code"}, route.name
            if response.status_code == METHOD_REFUSED:
                break


@pytest.mark.django_db
@pytest.mark.parametrize("value", VALUES)
def test_no_value_in_the_forms_of_training_checks_and_unblinding_is_a_fault_of_the_server(client, value):
    """These forms are there in some phases only."""
    client.force_login(make_user("admin"))
    study = create_study(name="pilot", title="The pilot")
    person = make_annotator()
    add_member(study=study, annotator=person)
    known = add_known_text(study=study, title="The Bell", text="[[It rang.]] Ada woke.", purpose="training")
    set_training(study=study, asks=True)
    place = known.places.get()
    training = reverse("annotation:study-training", args=["pilot"])
    unblind = reverse("annotation:study-unblind", args=["pilot"])
    chosen = reverse("annotation:known-summary", args=["pilot", known.pk])
    said = {"keep": place.pk, f"explanation-{place.pk}": value, f"types-{place.pk}": value}
    sent = [
        (client.get, training, {"q": value}),
        (client.get, reverse("annotation:study-checks", args=["pilot"]), {"q": value}),
        (client.post, chosen, said),
        (client.post, chosen, said | {f"types-{place.pk}": "987654321"}),
        (client.post, training, {"pass": person.pk, "reason": value}),
    ]
    for send, address, fields in sent:
        with transaction.atomic():
            assert send(address, fields).status_code < 500
            transaction.set_rollback(True)
    Study.objects.update(phase="reviewing")
    assert client.post(unblind, {"reason": value, "accept": "on"}).status_code < 500


@pytest.mark.django_db
@pytest.mark.parametrize("value", VALUES)
def test_no_value_in_the_forms_of_a_qualification_test_is_a_fault_of_the_server(client, value):
    client.force_login(make_user("admin"))
    study = make_study_to_test()
    page = reverse("annotation:study-qualification", args=[study.name])
    begun = [
        (client.get, page, {"q": value}),
        (client.post, page, {"action": "choose", "summary": value}),
        (client.post, page, {"action": "write", "book": value, "text": value}),
        (client.post, page, {"action": value}),
    ]
    _send(begun)
    qualification = create_qualification(plan=study.faithfulness, original=ferry())
    unit = qualification.statements.get(index=0).pk
    made = [
        (client.post, page, {"action": action, "unit": value, "text": value})
        for action in ("accept", "drop", "change", "leave-out", "ask", "pass")
    ]
    made += [
        (client.post, page, {"action": "change", "unit": unit, "text": value}),
        (client.post, page, {"action": "settings", "pass_percent": value, "attempts": value, "units_asked": value}),
        (client.post, page, {"action": "pass", "person": value, "reason": value}),
        (client.post, reverse("scoring:qualification", args=[study.name]), {"label-1": value}),
    ]
    _send(made)


def _send(requests):
    for send, address, fields in requests:
        with transaction.atomic():
            assert send(address, fields).status_code < 500
            transaction.set_rollback(True)
