"""Personal tokens: made and revoked on the account page, and what they open."""

import hashlib
import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from booookweb.models import ApiToken, Role, User
from booookweb.services.api_tokens import MOST_TOKENS, make_token
from tests.api.clients import Program, program
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def ask(secret, path="/api/v1/me/", **options):
    return Client(headers={"authorization": f"Bearer {secret}"}, **options).get(path)


def make_on_page(client, **fields):
    return client.post(reverse("token-add"), {"name": "notebook", "last_day": "", **fields})


def test_a_token_is_made_shown_once_and_opens_the_api_in_its_owners_name(client):
    researcher = make_user(Role.RESEARCHER, "rita")
    client.force_login(researcher)
    answer = make_on_page(client)
    assert answer["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    (secret,) = re.findall(r"booook_[\w-]{43}", answer.content.decode())
    token = ApiToken.objects.get()
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert ask(secret).json() == {
        "username": "rita",
        "role": "researcher",
        "token": {
            "name": "notebook",
            "read_only": False,
            "created_at": token.created_at.isoformat().replace("+00:00", "Z"),
            "expires_at": None,
        },
    }
    page = client.get(reverse("account")).content.decode()
    assert "notebook" in page
    assert secret not in page
    assert secret[7:15] not in page

    assert client.post(reverse("token-revoke", args=[token.pk]), follow=True).status_code == 200
    assert ask(secret).status_code == 401
    assert ask(secret).json()["code"] == "token"
    assert not ApiToken.objects.exists()


def test_a_name_stands_for_one_token_and_there_are_so_many_at_most(client):
    user = make_user(Role.ADMIN)
    client.force_login(user)
    make_on_page(client)
    answer = make_on_page(client)
    assert answer.status_code == 400
    assert "You have a token named “notebook” already" in unescape(answer.content.decode())
    assert make_on_page(client, name="  ").status_code == 400
    assert make_on_page(client, name="old", last_day="2020-01-01").status_code == 400
    assert make_on_page(client, name="far", last_day="9999-12-31").status_code == 400
    for number in range(MOST_TOKENS - 1):
        make_token(user=user, name=str(number), read_only=True)
    assert "the most there can be" in make_on_page(client, name="one more").content.decode()
    assert user.api_tokens.count() == MOST_TOKENS


def test_nobody_revokes_the_token_of_somebody_else(client):
    other = program("researcher")
    client.force_login(make_user(Role.ADMIN))
    client.post(reverse("token-revoke", args=[other.token.pk]))
    assert other.get("me/")["username"] == other.user.username


def test_annotators_have_no_tokens(client):
    client.force_login(make_user())
    assert "Tokens for programs" not in client.get(reverse("account")).content.decode()
    assert make_on_page(client).status_code == 403


def test_a_token_opens_nothing_once_it_expired(client):
    client.force_login(make_user(Role.RESEARCHER))
    today = timezone.now().date()
    make_on_page(client, last_day=today.isoformat())
    token = ApiToken.objects.get()
    assert token.last_day == today
    assert token.expires_at.date() == today + timedelta(days=1)
    soon, secret = make_token(
        user=make_user("researcher"), name="x", read_only=True, expires_at=timezone.now() + timedelta(hours=1)
    )
    assert ask(secret).status_code == 200
    ApiToken.objects.filter(pk=soon.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert ask(secret).status_code == 401


def test_a_token_has_its_owners_role_of_now_and_never_more():
    owner = program("admin")
    owner.post("jobs/summarize/", status=400)
    User.objects.filter(pk=owner.user.pk).update(role="researcher")
    assert "role" in owner.post("jobs/summarize/", status=403)["detail"]
    owner.get("books/")
    User.objects.filter(pk=owner.user.pk).update(role="annotator")
    owner.get("books/", status=401)
    User.objects.filter(pk=owner.user.pk).update(role="admin", is_active=False)
    owner.get("books/", status=401)
    User.objects.filter(pk=owner.user.pk).update(is_active=True, must_change_password=True)
    assert owner.get("books/", status=403)["code"] == "password"


def test_a_token_that_only_reads_changes_nothing():
    reader = program("admin", read_only=True)
    assert reader.get("studies/")["count"] == 0
    for send in (reader.post, reader.patch):
        assert send("studies/", status=403, name="pilot")["code"] == "read-only"
    reader.upload("books/", status=403)
    assert reader.delete("studies/x/members/", status=403)["code"] == "read-only"


def test_a_token_opens_no_page():
    owner = program("admin")
    for page in ("home", "account", "summarizer:books", "api-docs"):
        answer = owner.client.get(reverse(page))
        assert answer.status_code == 302
        assert answer["Location"].startswith(reverse("login"))


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer x", "bearer \xff", "Bearer " + "x" * 5000])
def test_what_is_no_token_opens_nothing(header):
    answer = Client(headers={"authorization": header}).get("/api/v1/me/")
    assert answer.status_code == 401
    assert set(answer.json()) == {"detail", "code"}
    assert answer["WWW-Authenticate"] == "Bearer"


def test_a_wrong_token_is_refused_beside_a_session_and_another_scheme_is_left_to_the_session(client):
    client.force_login(make_user("researcher"))
    assert client.get("/api/v1/me/", headers={"authorization": "Bearer wrong"}).status_code == 401
    answer = client.get("/api/v1/me/", headers={"authorization": "Basic eDp5"})  # of a proxy in front
    assert answer.json()["token"] is None


def test_a_session_needs_the_csrf_token_and_a_program_does_not():
    owner = program("researcher")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner.user)
    assert browser.post("/api/v1/studies/", {"name": "a"}, content_type="application/json").status_code == 403
    by_token = Client(enforce_csrf_checks=True, headers={"authorization": f"Bearer {owner.secret}"})
    assert by_token.post("/api/v1/studies/", {"name": "a"}, content_type="application/json").status_code == 201


def test_wrong_tokens_are_throttled_and_good_ones_from_the_same_address_are_not():
    owner = program("researcher")
    assert [ask("booook_wrong").status_code for _ in range(21)] == [401] * 20 + [429]
    refused = ask("booook_wrong")
    assert refused.json()["code"] == "throttled"
    assert refused["Retry-After"] == "900"
    owner.get("me/")


def test_last_use_is_noted_to_the_minute():
    owner = Program(make_user("researcher"))
    owner.get("me/")
    noted = ApiToken.objects.get().last_used_at
    assert timezone.now() - noted < timedelta(seconds=30)
    owner.get("me/")
    assert ApiToken.objects.get().last_used_at == noted
    ApiToken.objects.update(last_used_at=noted - timedelta(minutes=2))
    owner.get("me/")
    assert ApiToken.objects.get().last_used_at >= noted


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("get", "/api/v1/nothing/", 404),
        ("post", "/api/v1/jobs/explode/", 404),
        ("get", "/api/v1/studies/nothing/", 404),
        ("get", "/api/v2/me/", 404),
        ("get", "/api/", 404),
        ("get", "/api/v1/%00/", 404),
        ("delete", "/api/v1/me/", 405),
        ("get", "/api/v1/me/?x=1", 400),
        ("post", "/api/v1/jobs/judge/", 403),
    ],
)
def test_every_error_is_of_one_form_and_kept_by_nobody(method, address, status):
    """Also where no view is: an address that is nothing today may be something tomorrow."""
    answer = getattr(program("researcher").client, method)(address)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/json")
    assert set(answer.json()) == {"detail", "code"}
    assert "no-store" in answer["Cache-Control"]
    assert "no-store" in ask("booook_wrong")["Cache-Control"]
