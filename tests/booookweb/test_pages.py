"""Login, start page, account and error pages."""

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client, RequestFactory
from django.urls import reverse

from annotation.access import NoSuchTask
from annotation.services.studies import create_study
from booookweb.models import Role
from booookweb.views import errors
from tests.factories import make_annotate_task, make_user

pytestmark = pytest.mark.django_db


def log_in(client, name, password):
    return client.post(reverse("login"), {"username": name, "password": password})


def test_a_wrong_password_is_said_in_plain_words(client):
    make_user(name="mara")
    response = log_in(client, "mara", "wrong")
    assert response.status_code == 200
    assert "Name and password do not belong together." in response.content.decode()


def test_login_is_throttled_per_name_and_address(client, settings):
    settings.AXES_ENABLED = True
    make_user(name="mara"), make_user(name="rolf")
    statuses = [log_in(client, "mara", "wrong").status_code for _ in range(10)]
    assert statuses == [200] * 9 + [429]
    locked = log_in(client, "mara", "secret")  # the right one comes too late
    assert locked.status_code == 429
    assert "Wait 15 minutes" in locked.content.decode()
    assert log_in(client, "rolf", "secret").status_code == 302


def test_a_new_password_lifts_the_throttle(client, settings):
    from booookweb.services.people import reset_password

    settings.AXES_ENABLED = True
    mara = make_user(name="mara")
    for _ in range(10):
        log_in(client, "mara", "wrong")
    assert log_in(client, "mara", reset_password(person=mara, by=make_user(Role.ADMIN))).status_code == 302


def test_after_login_one_lands_where_one_wanted_to_go(client):
    make_user(name="mara")
    wanted = reverse("account")
    assert client.get(wanted)["Location"] == f"{reverse('login')}?next={wanted}"
    response = client.post(reverse("login"), {"username": "mara", "password": "secret", "next": wanted})
    assert response["Location"] == wanted


def test_login_does_not_lead_to_another_host(client):
    make_user(name="mara")
    response = client.post(
        reverse("login"), {"username": "mara", "password": "secret", "next": "https://elsewhere.example/"}
    )
    assert response["Location"] == reverse("home")


def test_start_page_of_annotators_is_their_tasks(client):
    client.force_login(make_user(Role.ANNOTATOR))
    assert client.get(reverse("home"))["Location"] == reverse("annotation:tasks")


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_start_page_says_what_to_do_next(client, role):
    client.force_login(make_user(role))
    page = client.get(reverse("home")).content.decode()
    assert "Add books" in page
    assert "Plain text or EPUB." in page


def test_start_page_offers_no_link_that_the_role_may_not_follow(client):
    client.force_login(make_user(Role.RESEARCHER))
    page = client.get(reverse("home")).content.decode()
    assert reverse("person-add") not in page


def test_start_page_leads_to_the_study_in_which_people_work(client):
    client.force_login(make_user(Role.RESEARCHER))
    study = make_annotate_task().study
    create_study(name="newer", title="Newer, not open")
    page = client.get(reverse("home")).content.decode()
    link = f'href="{reverse("annotation:study", args=[study.name])}">Open the study'
    assert link in page


def test_start_page_makes_as_many_queries_with_many_studies(client, django_assert_num_queries):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.force_login(make_user(Role.ADMIN))
    create_study(name="one", title="One")
    with CaptureQueriesContext(
        connection,
    ) as queries:
        client.get(reverse("home"))
    for number in range(5):
        create_study(name=f"more-{number}", title="More")
    with django_assert_num_queries(len(queries)):
        client.get(reverse("home"))


def test_a_person_changes_their_own_password(client):
    mara = make_user(name="mara")
    client.force_login(mara)
    new = "a reading lamp 7"
    response = client.post(
        reverse("account"), {"old_password": "secret", "new_password1": new, "new_password2": new}, follow=True
    )
    assert "Your password is changed." in response.content.decode()
    assert client.get(reverse("account")).status_code == 200  # still logged in
    assert Client().login(username="mara", password=new)


@pytest.mark.parametrize(("new", "message"), [("short", "too short"), ("1357908642", "entirely numeric")])
def test_a_weak_password_is_refused(client, new, message):
    client.force_login(make_user(name="mara"))
    response = client.post(reverse("account"), {"old_password": "secret", "new_password1": new, "new_password2": new})
    assert message in response.content.decode()
    assert Client().login(username="mara", password="secret")


@pytest.mark.parametrize("role", list(Role))
def test_who_reaches_the_design_page(client, role):
    client.force_login(make_user(role))
    assert client.get(reverse("design")).status_code == (403 if role == Role.ANNOTATOR else 200)


def test_every_answer_carries_the_content_security_policy(client):
    client.force_login(make_user(Role.ADMIN))
    for address in (reverse("home"), "/nothing/", reverse("health"), "/static/css/tokens.css"):
        policy = client.get(address)["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "style-src 'self'" in policy
        assert "unsafe" not in policy


def test_unknown_address(client):
    response = client.get("/nothing/")
    assert response.status_code == 404
    assert "There is nothing at this address" in response.content.decode()
    assert client.get("/api/v1/nothing/").json() == {"detail": "There is nothing at this address.", "code": "not-found"}


def test_a_task_that_is_not_open_is_explained():
    response = errors.not_found(RequestFactory().get("/tasks/x/"), NoSuchTask("You have no such task."))
    assert response.status_code == 404
    assert "You have no such task." in response.content.decode()


def test_a_form_without_token_is_explained():
    client = Client(enforce_csrf_checks=True)
    response = client.post(reverse("login"), {"username": "a", "password": "b"})
    assert response.status_code == 403
    assert "too old to send from" in response.content.decode()


@pytest.mark.parametrize(
    ("view", "status", "heading"),
    [
        (errors.bad_request, 400, "This request can&#x27;t be read"),
        (errors.not_found, 404, "There is nothing at this address"),
        (errors.server_error, 500, "Something went wrong on the server"),
    ],
)
def test_error_pages_need_neither_person_nor_database(view, status, heading, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = view(RequestFactory().get("/"))
    assert response.status_code == status
    assert heading.replace("&#x27;", "'") in response.content.decode()


def test_a_refusal_gives_its_reason_on_pages_and_in_the_api():
    refusal = PermissionDenied("You have an open review of this summary.")
    page = errors.permission_denied(RequestFactory().get("/studies/x/"), refusal)
    assert "You have an open review of this summary." in page.content.decode()
    answer = errors.permission_denied(RequestFactory().get("/api/v1/x/"), refusal)
    assert answer.status_code == 403
    assert b'"detail": "You have an open review of this summary."' in answer.content


@pytest.mark.parametrize(("cookie", "expected"), [("dark", 'data-theme="dark"'), ('"><script>', None), ("", None)])
def test_the_chosen_colours_are_in_the_page_from_the_start(client, cookie, expected):
    client.cookies["theme"] = cookie
    page = client.get(reverse("login")).content.decode()
    assert ("data-theme=" in page.split("<head>")[0]) is (expected is not None)
    assert expected is None or expected in page
