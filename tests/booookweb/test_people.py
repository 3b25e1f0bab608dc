"""People: who may manage them, and what adding, new passwords and closing accounts do."""

import json
import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import StudyMember
from annotation.services.studies import create_study
from booookweb.models import Role, User
from booookweb.services.people import PersonError, add_person, deactivate, random_password
from tests.factories import make_user

pytestmark = pytest.mark.django_db

READABLE = re.compile(r"[a-hjkmnp-z2-9]{4}(-[a-hjkmnp-z2-9]{4}){2}")


@pytest.fixture
def admin(client):
    person = make_user(Role.ADMIN, "ada")
    client.force_login(person)
    return person


def test_passwords_are_long_random_and_readable():
    passwords = {random_password() for _ in range(200)}
    assert len(passwords) == 200
    assert all(READABLE.fullmatch(password) for password in passwords)


def test_a_new_person_logs_in_with_the_password_shown_once(client, admin):
    response = client.post(reverse("person-add"), {"name": " mara ", "role": "annotator"})
    password = READABLE.search(response.content.decode()).group()
    assert "no-store" in response["Cache-Control"]
    assert password not in client.get(reverse("people")).content.decode()
    assert User.objects.get(username="mara").role == Role.ANNOTATOR
    client.logout()
    assert client.login(username="mara", password=password)


def test_a_password_is_stored_hashed_only():
    person, password = add_person(name="mara", role="annotator")
    row = User.objects.values().get(pk=person.pk)
    assert password not in str(row)


def test_names_differ_by_more_than_case(client, admin):
    response = client.post(reverse("person-add"), {"name": "ADA", "role": "admin"})
    assert "There is a person named ADA already" in response.content.decode()
    assert User.objects.count() == 1


@pytest.mark.parametrize("name", ["two words", "a/b", "<b>"])
def test_an_unusable_name_is_refused_and_nothing_stored(client, admin, name):
    response = client.post(reverse("person-add"), {"name": name, "role": "annotator"})
    assert response.status_code == 200
    assert "valid username" in response.content.decode()
    assert User.objects.count() == 1


def test_an_unknown_role_is_refused():
    with pytest.raises(PersonError, match="no role 'boss'"):
        add_person(name="mara", role="boss")
    assert not User.objects.exists()


def test_a_new_password_ends_the_old_one_and_its_logins(client, admin, django_user_model):
    mara, old = add_person(name="mara", role="annotator")
    other = type(client)()
    assert other.login(username="mara", password=old)
    response = client.post(reverse("person-reset-password", args=[mara.pk]))
    new = READABLE.search(response.content.decode()).group()
    assert other.get(reverse("account")).status_code == 302  # logged out
    assert not other.login(username="mara", password=old)
    assert other.login(username="mara", password=new)


def test_new_password_needs_a_post(client, admin):
    mara = make_user(name="mara")
    before = mara.password
    assert client.get(reverse("person-reset-password", args=[mara.pk])).status_code == 405
    mara.refresh_from_db()
    assert mara.password == before


def test_a_closed_account_is_logged_out_at_once_and_can_be_opened_again(client, admin):
    mara, password = add_person(name="mara", role="annotator")
    other = type(client)()
    other.login(username="mara", password=password)
    client.post(reverse("person-deactivate", args=[mara.pk]))
    assert other.get(reverse("account")).status_code == 302
    assert not other.login(username="mara", password=password)
    client.post(reverse("person-reactivate", args=[mara.pk]))
    assert other.login(username="mara", password=password)


def test_nobody_closes_their_own_account(client, admin):
    response = client.post(reverse("person-deactivate", args=[admin.pk]), follow=True)
    assert "close your own account" in response.content.decode()
    admin.refresh_from_db()
    assert admin.is_active


def test_the_last_admin_stays():
    last, former = make_user(Role.ADMIN, "last"), make_user(Role.ADMIN, "former")
    deactivate(person=former, by=last)
    with pytest.raises(PersonError, match="only admin"):
        deactivate(person=last, by=former)


def test_search_and_pages(client, admin):
    for number in range(60):
        make_user(name=f"reader-{number:02}")
    first = client.get(reverse("people"), {"q": "READER"}).content.decode()
    assert "50 of 60" in first
    assert 'href="?q=READER&amp;page=2"' in first
    second = client.get(reverse("people"), {"q": "READER", "page": 2}).content.decode()
    assert "reader-59" in second
    assert "reader-49" not in second
    assert "Nobody is called that" in client.get(reverse("people"), {"q": "nobody"}).content.decode()


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ANNOTATOR])
def test_accounts_are_made_and_closed_by_admins_only(client, role):
    client.force_login(make_user(role))
    target = make_user(name="target")
    assert client.get(reverse("people")).status_code == (200 if role == Role.RESEARCHER else 403)
    assert client.get(reverse("person-add")).status_code == 403
    for route in ("person-deactivate", "person-reactivate", "person-delete"):
        assert client.post(reverse(route, args=[target.pk])).status_code == 403
    assert client.post(reverse("person-add"), {"name": "x", "role": "admin"}).status_code == 403
    target.refresh_from_db()
    assert target.is_active
    assert not User.objects.filter(username="x").exists()


def run(*arguments):
    out = StringIO()
    call_command("add_person", *arguments, stdout=out)
    return json.loads(out.getvalue())


def test_command_adds_a_member_of_a_study(client):
    study = create_study(name="pilot", title="Pilot")
    answer = run("mara", "--role", "annotator", "--study", "pilot")
    assert answer.keys() == {"person", "password"}
    assert client.login(username="mara", password=answer["password"])
    assert StudyMember.objects.get(study=study).annotator.user.username == "mara"


def test_command_with_an_unknown_study_adds_nobody():
    with pytest.raises(CommandError, match="no study named pilot"):
        run("mara", "--role", "annotator", "--study", "pilot")
    assert not User.objects.exists()


def test_command_with_a_taken_name_says_so():
    run("mara", "--role", "annotator")
    with pytest.raises(CommandError, match="already"):
        run("mara", "--role", "annotator")
