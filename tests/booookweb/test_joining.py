"""Joining a study by a link, with a name and a password."""

import re
import uuid
from datetime import date, timedelta
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.access import annotator_of
from annotation.models import Assignment, FaithfulnessPlan, Invitation, StudyMember
from annotation.services.invitations import make_invitation, revoke_invitation
from annotation.services.studies import (
    StudyError,
    add_member,
    add_summaries,
    close_study,
    create_study,
    open_annotating,
)
from annotation.services.withdrawals import withdraw
from booookweb.models import Role, User
from tests.annotation.test_marks_concurrency import sent as from_browsers
from tests.factories import make_annotator, make_plan, make_summary, make_user

pytestmark = pytest.mark.django_db

TOMORROW = timedelta(days=1)
PASSWORD = "swallows-in-may"


@pytest.fixture(autouse=True)
def _an_address_of_its_own(monkeypatch):
    """Failures of other tests don't count here: they came from other addresses."""
    address = uuid.uuid4().hex
    monkeypatch.setattr("booookweb.throttle.get_client_ip_address", lambda _: address)


@pytest.fixture
def study():
    """Two people annotate each of its summaries; one place is free."""
    study = create_study(name="pilot", title="The <pilot>", review_overlap=0, annotation_overlap=2)
    add_summaries(study=study, summaries=[make_summary(title="The Mill")])
    for _ in range(2):
        add_member(study=study, annotator=make_annotator())
    open_annotating(study=study)
    study.refresh_from_db()
    study.annotation_overlap = 3
    study.save()
    return study


def link(study, **fields):
    fields = {"expires_at": timezone.now() + TOMORROW, "maximum_uses": 5, "reviews": False} | fields
    invitation, token = make_invitation(study=study, **fields)
    return invitation, reverse("join", args=[token])


def join(client, address, name="mara", password=PASSWORD, again=None):
    fields = {"name": name, "password": password, "again": password if again is None else again}
    return client.post(address, fields, follow=True)


def text(response):
    return response.content.decode()


def test_an_invited_person_chooses_a_name_and_a_password_and_has_tasks(client, study):
    invitation, address = link(study)
    shown = client.get(address)
    assert "The &lt;pilot&gt;" in text(shown)
    assert "no-store" in shown["Cache-Control"]
    told = join(client, address)
    assert told.redirect_chain[-1][0] == reverse("annotation:tasks")
    assert "The Mill" in text(told)
    mara = User.objects.get(username="mara")
    assert (mara.role, mara.must_change_password) == (Role.ANNOTATOR, False)
    member = StudyMember.objects.get(annotator__user=mara)
    assert (member.annotates, member.reviews, member.compares) == (True, False, False)
    invitation.refresh_from_db()
    assert invitation.uses == 1
    client.logout()
    assert client.login(username="mara", password=PASSWORD)


def test_people_are_invited_to_check_faithfulness(client):
    """Offered where the study has a plan; who joins has tasks at once if it is open."""
    plan = make_plan(make_summary(title="The Mill"), fine_overlap=2)
    StudyMember.objects.create(
        study=plan.study, annotator=make_annotator(), annotates=False, reviews=False, judges_units=True
    )
    FaithfulnessPlan.objects.filter(pk=plan.pk).update(state="open")
    client.force_login(make_user("researcher"))
    page = reverse("annotation:study-invitations", args=[plan.study.name])
    fields = {"kind": "link", "maximum_uses": 2, "last_day": date.today() + TOMORROW, "role": "judges_units"}
    made = text(client.post(page, fields | {"action": "make"}))
    address = urlsplit(re.search(r'id="link" value="([^"]+)"', made).group(1)).path
    client.logout()
    told = text(client.get(address))
    assert "Check statements of summaries" in told
    assert "has not begun yet" not in told
    assert "The Mill" in text(join(client, address))
    member = StudyMember.objects.get(annotator__user__username="mara")
    assert (member.annotates, member.reviews, member.judges_units, member.rates) == (False, False, True, False)
    assert Assignment.objects.get(annotator=member.annotator).task == "fine"
    client.force_login(make_user("researcher"))
    other = reverse("annotation:study-invitations", args=[create_study(name="marks-only", title="Marks").name])
    assert "Judge units only" not in text(client.get(other))
    client.post(other, fields | {"action": "make"})
    assert Invitation.objects.count() == 1


def test_who_joins_before_the_study_begins_is_not_told_of_tasks_below(client, study):
    _, address = link(create_study(name="later", title="The next one"))
    told = text(join(client, address))
    assert "You take part in “The next one”. Your tasks appear here as soon as it begins." in told
    assert "Below are your tasks" not in told


def test_a_token_is_stored_hashed_only(study):
    _, address = link(study)
    token = address.split("/")[-2]
    assert token not in str(Invitation.objects.values().get())


@pytest.mark.parametrize(
    ("name", "password", "again", "said"),
    [
        ("MARA", PASSWORD, None, "There is a person named MARA already"),
        ("two words", PASSWORD, None, "Enter a valid username"),
        ("new", "12345678", None, "too common"),
        ("new", PASSWORD, "other", "The two passwords differ."),
    ],
)
def test_a_bad_name_or_password_stores_nothing_and_takes_no_place(client, study, name, password, again, said):
    make_user(name="mara")
    invitation, address = link(study)
    people = User.objects.count()
    assert said in text(join(client, address, name, password, again))
    invitation.refresh_from_db()
    assert (User.objects.count(), invitation.uses) == (people, 0)


def spoil(invitation, how):
    {
        "revoked": lambda: revoke_invitation(study=invitation.study, invitation_id=invitation.pk),
        "expired": lambda: Invitation.objects.update(expires_at=timezone.now() - TOMORROW),
        "full": lambda: Invitation.objects.update(uses=5),
        "closed": lambda: close_study(study=invitation.study),
    }[how]()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("revoked", "withdrawn by those who made it"),
        ("expired", "has expired"),
        ("full", "All places of this link are taken"),
        ("closed", "has ended"),
    ],
)
def test_a_link_that_is_over_says_so(client, study, how, said):
    invitation, address = link(study)
    spoil(invitation, how)
    for answer in (client.get(address), join(client, address)):
        assert (answer.status_code, said in text(answer)) == (410, True)
    assert not User.objects.filter(username="mara").exists()
    client.force_login(make_user(name="rolf"))
    assert client.post(address).status_code == 410


def test_somebody_with_an_account_joins_with_it_and_takes_one_place(client, study):
    invitation, address = link(study)
    client.force_login(make_user(name="rolf"))
    assert "Take part as rolf" in text(client.get(address))
    assert "You take part now." in text(client.post(address, follow=True))
    assert "already" in text(client.post(address, follow=True))
    invitation.refresh_from_db()
    assert invitation.uses == 1


def test_who_withdrew_does_not_come_back_by_a_link(client, study):
    invitation, address = link(study)
    rolf = make_user(name="rolf")
    add_member(study=study, annotator=annotator_of(rolf))
    withdraw(study=study, annotator=annotator_of(rolf), by=rolf)
    client.force_login(rolf)
    assert "withdrew from this study" in text(client.post(address))
    invitation.refresh_from_db()
    assert invitation.uses == 0


def test_tries_are_throttled(client, study):
    _, address = link(study)
    wrong = reverse("join", args=["wrong"])
    assert [client.get(wrong).status_code for _ in range(21)] == [404] * 20 + [429]
    assert "Wait 15 minutes" in text(client.get(address))


def test_trying_out_names_is_throttled_and_choosing_a_password_is_not(client, study):
    make_user(name="taken")
    _, address = link(study)
    for _ in range(20):
        assert join(client, address, "new", "12345678").status_code == 200
    assert [join(client, address, "taken").status_code for _ in range(21)] == [200] * 20 + [429]


def test_nobody_makes_a_link_that_nobody_can_use(study):
    for fields in ({"maximum_uses": 0}, {"maximum_uses": 10_001}, {"expires_at": timezone.now()}):
        with pytest.raises(StudyError):
            link(study, **fields)
    close_study(study=study)
    with pytest.raises(StudyError, match="closed"):
        link(study)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_take_the_last_place_at_once_one_gets_it(study):
    invitation, address = link(study, maximum_uses=1)
    before = User.objects.count()

    def comes(name):
        def call(client):
            client.logout()
            return client.post(address, {"name": name, "password": PASSWORD, "again": PASSWORD})

        return call

    answers = from_browsers([comes(f"reader{number}") for number in range(3)], make_user(name="nobody"))
    assert sorted(answer.status_code for answer in answers) == [302, 410, 410]
    invitation.refresh_from_db()
    assert invitation.uses == 1
    assert User.objects.count() == before + 2  # "nobody", and the one who came in
    assert study.members.count() == 3


# --- the researchers' page ------------------------------------------------------------------------------------------


def make(client, **fields):
    day = (timezone.now() + timedelta(days=7)).date().isoformat()
    fields = {"action": "make", "kind": "link", "maximum_uses": 3, "last_day": day, "role": "both"} | fields
    return client.post(reverse("annotation:study-invitations", args=["pilot"]), fields)


def test_a_researcher_makes_a_link_sees_it_once_and_revokes_it(client, study):
    client.force_login(make_user(Role.RESEARCHER))
    made = text(make(client, note="Course A"))
    address = re.search(r'value="(http://testserver/join/[^"]+)"', made).group(1)
    page = reverse("annotation:study-invitations", args=["pilot"])
    shown = text(client.get(page))
    assert address not in shown
    assert "Course A" in shown
    assert "0 of 3" in shown
    assert Client().get(address).status_code == 200
    client.post(page, {"action": "revoke", "invitation": Invitation.objects.get().pk})
    assert Client().get(address).status_code == 410
    assert "Revoked" in text(client.get(page))


def test_a_platforms_link_has_the_places_for_its_ids(client, study):
    client.force_login(make_user(Role.RESEARCHER))
    made = text(make(client, kind="platform"))
    assert "?PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID={{%SESSION_ID%}}" in made


def test_the_link_back_is_https_only(client, study):
    client.force_login(make_user(Role.RESEARCHER))
    page = reverse("annotation:study-invitations", args=["pilot"])
    for address in ("http://app.example/", "javascript:alert(1)", "app.example"):
        answer = client.post(page, {"action": "completion", "completion_code": "C", "completion_url": address})
        assert "begins with https://" in text(answer)
    client.post(page, {"action": "completion", "completion_code": "C", "completion_url": "https://app.example/"})
    study.refresh_from_db()
    assert (study.completion_code, study.completion_url) == ("C", "https://app.example/")


def test_annotators_make_no_links(client, study):
    client.force_login(make_user())
    assert make(client).status_code == 403
    assert not Invitation.objects.exists()
