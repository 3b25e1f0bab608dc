"""Each role at each route: what the table says, and nothing that it does not say."""

import uuid
from copy import deepcopy

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from booookweb.access import CHANGES, ROUTES
from booookweb.models import Role
from tests.factories import make_user
from tests.world import all_routes, make_task, make_world

ALL = all_routes()

#: Everything that an annotator may reach: the ways in, and their own tasks. Think twice before adding to it.
FOR_ANNOTATORS = {
    "home",
    "login",
    "logout",
    "health",
    "join",
    "account",
    "annotation:tasks",
    "annotation:guidelines",
    "annotation:annotate",
    "annotation:review",
    "annotation:begin",
    "annotation:training",
    "annotation:qualification",
    "annotation:withdraw",
    "annotation-api:marks",
    "annotation-api:mark",
    "annotation-api:marks-submit",
    "annotation-api:marks-skip",
    "annotation-api:marks-reopen",
    "annotation-api:marks-active-time",
    "annotation-api:review",
    "annotation-api:review-decision",
    "annotation-api:review-submit",
    "annotation-api:review-active-time",
    "annotation:compare",
    "annotation:review-guesses",
    "annotation-api:comparison",
    "annotation-api:comparison-answer",
    "annotation-api:comparison-submit",
    "annotation-api:comparison-reopen",
    "annotation-api:comparison-active-time",
    "annotation:fine",
    "annotation:coarse",
    "annotation:coarse-together",
    "annotation:example-fine",
    "annotation:example-coarse",
    "annotation:example-coarse-together",
    "annotation-api:fine",
    "annotation-api:fine-hints",
    "annotation-api:fine-submit",
    "annotation-api:fine-reopen",
    "annotation-api:fine-judgement",
    "annotation-api:fine-active-time",
    "annotation-api:coarse",
    "annotation-api:coarse-rating",
    "annotation-api:coarse-submit",
    "annotation-api:coarse-reopen",
    "annotation-api:coarse-active-time",
    "annotation-api:coarse-together",
    "annotation-api:coarse-recalibration",
}
OWN_TASK_ROUTES = [route for route in ALL if "key" in route.arguments and route.name in FOR_ANNOTATORS]
METHODS = ("get", "post", "put", "delete")


@pytest.fixture(scope="module")
def made_world(shared_rows):
    return make_world()


@pytest.fixture
def world(db, made_world):
    return deepcopy(made_world)


def by_name(route):
    return route.name


def test_every_route_is_in_the_table_and_the_table_names_no_other():
    assert {route.name for route in ALL} == set(ROUTES)


def test_annotators_reach_their_tasks_and_nothing_else():
    reachable = {name for name, roles in ROUTES.items() if roles is None or Role.ANNOTATOR in roles}
    assert reachable == FOR_ANNOTATORS


def test_whoever_may_change_something_may_read_it():
    assert all(roles <= ROUTES[name] for name, roles in CHANGES.items())


def test_an_admin_may_do_whatever_a_researcher_may():
    assert [
        name for name, roles in ROUTES.items() if roles and Role.RESEARCHER in roles and Role.ADMIN not in roles
    ] == []


def send_all(client, route, address):
    """Each method in turn, with its answer; what it changed is taken back."""
    for method in METHODS if route.is_api else METHODS[:2]:
        as_json = {"content_type": "application/json"} if route.is_api and method != "get" else {}
        with transaction.atomic():
            yield method, getattr(client, method)(address, **as_json)
            transaction.set_rollback(True)


@pytest.mark.once
@pytest.mark.parametrize("route", ALL, ids=by_name)
def test_a_role_gets_what_the_table_says(world, route):
    for role in (None, *Role):
        assert_gets_what_the_table_says(Client(), world, route, role)


def assert_gets_what_the_table_says(client, world, route, role):
    roles = ROUTES[route.name]
    user = make_user(role or Role.ADMIN)
    address = world.address(route, user)
    if role:
        client.force_login(user)
    for sent, response in send_all(client, route, address):
        method = f"{role}: {sent}"
        if roles is None:
            assert response.status_code in (200, 302, 405), method
        elif role is None:
            assert_asked_to_log_in(response, route)
        elif role not in (roles if sent == "get" else CHANGES.get(route.name, roles)):
            assert response.status_code == 403, method
            assert "Your role does not include this page." in response.content.decode()
        else:
            assert response.status_code in (200, 201, 204, 302, 400, 405, 409, 415), (method, response.content[:300])
            assert "?next=" not in response.headers.get("Location", "")


def assert_asked_to_log_in(response, route):
    if route.is_api:
        assert response.status_code == 401
        assert "log in" in response.json()["detail"].lower()
    else:
        assert response.status_code == 302
        assert response.headers["Location"].startswith(f"{reverse('login')}?next=")


@pytest.mark.parametrize("route", OWN_TASK_ROUTES, ids=by_name)
def test_somebody_elses_task_is_to_everybody_like_one_that_does_not_exist(client, world, route):
    owner = make_user()
    make_task(owner, "annotate", world.study)
    address = world.address(route, owner)
    nowhere = address.replace(str(world.task_key(route, owner)), str(uuid.uuid4()))
    for role in Role:
        client.force_login(make_user(role))
        for (method, response), (_, elsewhere) in zip(
            send_all(client, route, address), send_all(client, route, nowhere), strict=True
        ):
            assert response.status_code in (400, 404, 405), (role, method)
            assert (response.status_code, response.content) == (elsewhere.status_code, elsewhere.content), (
                role,
                method,
            )
    client.force_login(owner)
    # Nothing to ask, no training to tell about, or no second look to take, leads on to the task.
    leads_on = route.name in (
        "annotation:begin",
        "annotation:training",
        "annotation:qualification",
        "annotation:coarse-together",
    )
    expected = {302} if leads_on else {200, 204, 400}
    assert {response.status_code for _, response in send_all(client, route, address)} & expected


@pytest.mark.parametrize("address", ["/admin/", "/nothing/", "/static/../booookweb/settings.py", "/api/v1/nothing/"])
def test_an_address_that_does_not_exist_is_not_found(client, db, address):
    client.force_login(make_user(Role.ADMIN))
    assert client.get(address).status_code == 404


def test_a_route_that_nobody_listed_is_refused_even_for_admins(client, db, monkeypatch):
    monkeypatch.delitem(ROUTES, "annotation:studies")
    client.force_login(make_user(Role.ADMIN))
    assert client.get(reverse("annotation:studies")).status_code == 403
