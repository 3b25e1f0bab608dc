"""Joining a study by a link of a platform, which sends people with ids of its own."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, ExternalId, Invitation
from annotation.services.studies import (
    close_study,
    create_study,
    update_study,
)
from booookweb.models import Role, User
from booookweb.services.people import deactivate, delete_person, reset_password
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.annotation.test_marks_concurrency import sent as from_browsers
from tests.booookweb.test_joining import _an_address_of_its_own, link, study, text
from tests.factories import make_user

pytestmark = pytest.mark.django_db

#: Fixtures that both files share.
__all__ = ["_an_address_of_its_own", "study"]

PLATFORM_ID, SESSION = "5f1e0c9a7b3d", "60aa11bb22cc"


@pytest.fixture
def platform(study):
    return link(study, kind=Invitation.Kind.PLATFORM)[1]


def sent(client, address, person=PLATFORM_ID, session=SESSION, study="s1"):
    """Opens the platform's link and goes on."""
    query = {"PROLIFIC_PID": person, "STUDY_ID": study, "SESSION_ID": session}
    shown = client.get(address, query)
    if shown.status_code != 200:
        return shown
    hidden = dict(re.findall(r'type="hidden" name="([A-Z_]+)" value="([^"]+)"', text(shown)))
    return client.post(address, hidden, follow=True)


def who(client):
    return client.session.get("_auth_user_id")


def test_the_same_person_comes_back_by_the_same_link_alone(client, study, platform):
    told = sent(client, platform)
    assert "The Mill" in text(told)
    guest = ExternalId.objects.get(value=PLATFORM_ID).user
    assert PLATFORM_ID not in guest.username
    assert not guest.has_usable_password()
    Invitation.objects.update(uses=5, expires_at=timezone.now() - timedelta(days=1))
    again = Client()
    sent(again, platform)
    assert who(again) == who(client) == str(guest.pk)
    other = Client()
    refused = sent(other, platform, session="somebody-elses")
    assert (refused.status_code, who(other)) == (410, None)
    assert "in another session" in text(refused)
    assert ExternalId.objects.count() == 1


def test_an_account_with_a_password_is_never_opened_by_a_link(client, platform):
    sent(client, platform)
    guest = ExternalId.objects.get().user
    given = reset_password(person=guest, by=make_user(Role.RESEARCHER))
    other = Client()
    refused = sent(other, platform)
    assert (refused.status_code, who(other)) == (403, None)
    assert "account with a password" in text(refused)
    assert other.login(username=guest.username, password=given)
    User.objects.update(must_change_password=False)
    assert sent(other, platform, session="a-new-session").status_code == 200
    assert who(other) == str(guest.pk)


def test_the_person_is_found_again_in_another_study(client, platform):
    sent(client, platform)
    second = create_study(name="second", review_overlap=0)
    _, address = link(second, kind=Invitation.Kind.PLATFORM)
    other = Client()
    sent(other, address, session="another-session")
    assert who(other) == who(client)
    assert second.members.get().annotator.user.pk == int(who(client))


@pytest.mark.parametrize(
    "query", [{}, {"person": ""}, {"session": ""}, {"person": "<b>"}, {"person": "x" * 65}, {"session": "{{%X%}}"}]
)
def test_a_link_without_ids_makes_nobody(client, platform, query):
    answer = client.get(platform) if not query else sent(client, platform, **query)
    assert answer.status_code == 410
    assert "not complete" in text(answer)
    assert not ExternalId.objects.exists()


def test_opening_a_link_makes_nobody_yet(client, platform):
    client.get(platform, {"PROLIFIC_PID": PLATFORM_ID, "SESSION_ID": SESSION})
    assert not ExternalId.objects.exists()


def test_closed_and_deleted_accounts_are_not_opened(client, platform):
    sent(client, platform)
    guest, admin = ExternalId.objects.get().user, make_user(Role.ADMIN)
    deactivate(person=guest, by=admin)
    other = Client()
    assert "is closed" in text(sent(other, platform))
    assert who(other) is None
    delete_person(person=guest, by=admin)
    assert not ExternalId.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_one_person_who_comes_twice_at_once_is_one(study, platform):
    def comes(client):
        client.logout()
        return client.post(platform, {"PROLIFIC_PID": PLATFORM_ID, "SESSION_ID": SESSION})

    answers = from_browsers([comes] * 4, make_user(name="nobody"))
    assert [answer.status_code for answer in answers] == [302] * 4
    assert ExternalId.objects.count() == 1
    assert Invitation.objects.get().uses == 1


def test_the_code_is_shown_once_everything_is_submitted(client, study, platform):
    update_study(study=study, completion_code="C0DE-77", completion_url="https://app.example/complete?cc=C0DE-77")
    sent(client, platform)
    tasks = reverse("annotation:tasks")
    assert "C0DE-77" not in text(client.get(tasks))
    own = Assignment.objects.filter(annotator__user=who(client))
    own.update(state="submitted", ended_at=timezone.now())
    shown = text(client.get(tasks))
    assert "C0DE-77" in shown
    assert 'href="https://app.example/complete?cc=C0DE-77"' in shown
    close_study(study=study)
    assert "C0DE-77" in text(client.get(tasks))
    member = Assignment.objects.exclude(annotator__user=who(client)).first().annotator
    Assignment.objects.update(state="submitted", ended_at=timezone.now())
    client.force_login(member.user)  # came by no platform
    assert "C0DE-77" not in text(client.get(tasks))


def test_the_platforms_id_stands_beside_the_name_and_nowhere_else(client, study, platform):
    sent(client, platform)
    for page in (reverse("annotation:tasks"), reverse("account")):
        assert PLATFORM_ID not in text(client.get(page))
    assert PLATFORM_ID not in str(report_json(build_report(study)))
    client.force_login(make_user(Role.RESEARCHER))
    assert PLATFORM_ID in text(client.get(reverse("annotation:study-members", args=["pilot"])))
    for page in ("study", "study-consent", "study-payouts", "study-invitations"):
        assert PLATFORM_ID not in text(client.get(reverse(f"annotation:{page}", args=["pilot"])))
