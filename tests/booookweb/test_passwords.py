"""Passwords that somebody else made: who may make one for whom, and that its owner has to choose another."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.services.invitations import make_invitation
from annotation.services.studies import create_study
from booookweb.models import Role, User
from tests.factories import make_annotate_task, make_user

pytestmark = pytest.mark.django_db

READABLE = re.compile(r"[a-hjkmnp-z2-9]{4}(-[a-hjkmnp-z2-9]{4}){2}")


def reset(client, person):
    return client.post(reverse("person-reset-password", args=[person.pk]))


@pytest.mark.parametrize(
    ("by", "person", "allowed"),
    [
        (Role.RESEARCHER, Role.ANNOTATOR, True),
        (Role.RESEARCHER, Role.RESEARCHER, False),
        (Role.RESEARCHER, Role.ADMIN, False),
        (Role.ADMIN, Role.ANNOTATOR, True),
        (Role.ADMIN, Role.RESEARCHER, True),
        (Role.ADMIN, Role.ADMIN, True),
        (Role.ANNOTATOR, Role.ANNOTATOR, False),
    ],
)
def test_who_may_make_a_new_password_for_whom(client, by, person, allowed):
    target = make_user(person, "target")
    client.force_login(make_user(by))
    before = target.password
    assert reset(client, target).status_code == (200 if allowed else 403)
    target.refresh_from_db()
    assert (target.password != before) is allowed
    if by != Role.ANNOTATOR:
        offered = reverse("person-reset-password", args=[target.pk]) in client.get(reverse("people")).content.decode()
        assert offered is allowed


def test_researchers_are_offered_no_act_of_admins(client):
    make_user(name="target")
    client.force_login(make_user(Role.RESEARCHER))
    shown = client.get(reverse("people")).content.decode()
    for words in ("Close account", "Delete", "Add a person"):
        assert words not in shown


def test_a_one_time_password_must_be_changed_before_anything_else(client):
    task = make_annotate_task()
    mara = task.annotator.user
    client.force_login(make_user(Role.RESEARCHER))
    given = READABLE.search(reset(client, mara).content.decode()).group()
    assert given not in str(User.objects.values().get(pk=mara.pk))
    client.logout()
    assert client.login(username=mara.username, password=given)
    for route in ("home", "annotation:tasks"):
        assert client.get(reverse(route))["Location"] == reverse("account")
    page = reverse("annotation:annotate", args=[task.key])
    assert client.get(page)["Location"] == reverse("account")
    refused = client.get(reverse("annotation-api:marks", args=[task.key]))
    assert (refused.status_code, refused.json()["code"]) == (403, "password")
    fragment = client.get(page, headers={"HX-Request": "true"})
    assert fragment["HX-Redirect"] == reverse("account")

    study = create_study(name="another")
    _, token = make_invitation(study=study, expires_at=timezone.now() + timedelta(days=1), maximum_uses=1)
    assert client.post(reverse("join", args=[token]))["Location"] == reverse("account")
    assert not study.members.exists()

    assert "Choose a password of your own" in client.get(reverse("account")).content.decode()
    same = {"old_password": given, "new_password1": given, "new_password2": given}
    assert "other than the present one" in client.post(reverse("account"), same).content.decode()
    own = same | {"new_password1": "swallows-in-may", "new_password2": "swallows-in-may"}
    assert client.post(reverse("account"), own)["Location"] == reverse("home")
    assert client.get(page).status_code == 200
    client.logout()
    assert not client.login(username=mara.username, password=given)
    assert client.login(username=mara.username, password="swallows-in-may")
    assert client.get(page).status_code == 200


def test_a_password_shown_to_an_admin_at_the_start_is_a_one_time_one_too(client):
    client.force_login(make_user(Role.ADMIN))
    client.post(reverse("person-add"), {"name": "mara", "role": "annotator"})
    assert User.objects.get(username="mara").must_change_password
