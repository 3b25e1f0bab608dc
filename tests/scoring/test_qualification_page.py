"""Groups of people in a qualification test, as researchers see and save them."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import StudyMember
from annotation.services.invitations import make_invitation, use_invitation
from booookweb.models import Role
from scoring.selectors.qualification import groups_of_people
from tests.annotation.faithfulness.tested_studies import (
    STATEMENTS,
    begin,
    body,
    do_test,
    make_tested_study,
    own_task,
    people_of,
)
from tests.factories import make_annotator, make_user

pytestmark = pytest.mark.django_db

SECOND = list(STATEMENTS)[1]


def address(study):
    return reverse("scoring:qualification", args=[study.name])


def attempted_study(client):
    """Of three people one is right throughout, one wrong once (and right later), one has not begun."""
    study = make_tested_study(people=3, overlap=2)
    for person, attempts in zip(people_of(study), [[()], [(SECOND,), ()]], strict=False):
        client.force_login(person.user)
        for wrong in attempts:
            do_test(client, begin(client, own_task(study, person)), *wrong)
    client.force_login(make_user(Role.RESEARCHER))
    return study


def figures_of(study):
    return {
        each.name: (each.figures.people, each.figures.passed, each.figures.answers, each.figures.accuracy.figure.value)
        for each in groups_of_people(study)
    }


def test_first_attempts_count_by_group(client):
    study = attempted_study(client)
    assert figures_of(study) == {"Everybody": (2, 1, 8, 0.875), "Added by researchers": (2, 1, 8, 0.875)}
    shown = body(client.get(address(study)))
    assert "87.5" in shown
    assert "75.0 to 100.0" in shown
    # All three other statements agree: (3/4 - 34/64) / (30/64), and 2 * 3/4 - 1.
    assert "0.467" in shown
    assert "0.500" in shown
    csv = client.get(reverse("scoring:table", args=[study.name, "qualification", "groups", "csv"]))
    assert csv.status_code == 200
    assert csv.content.decode().splitlines()[1].startswith("Everybody,2,1,8,0.875")

    # Labels make groups; without one, the invitation by which people came.
    one, other = study.members.order_by("pk")[:2]
    invitation, _ = make_invitation(
        study=study, kind="link", note="Spring course", maximum_uses=5, expires_at=timezone.now() + timedelta(days=3)
    )
    newcomer = make_annotator()
    use_invitation(invitation=invitation, annotator=newcomer)
    assert StudyMember.objects.get(annotator=newcomer).invitation == invitation
    StudyMember.objects.filter(pk=other.pk).update(invitation=invitation)
    shown = body(client.post(address(study), {f"label-{one.pk}": " Teachers "}, follow=True))
    assert "Saved." in shown
    assert figures_of(study) == {
        "Everybody": (2, 1, 8, 0.875),
        "Invitation: Spring course": (1, 0, 4, 0.75),
        "Teachers": (1, 1, 4, 1.0),
    }
    assert "Only one person." in shown
    assert "No unit was judged by two people." in shown
    long = body(client.post(address(study), {f"label-{one.pk}": "x" * 101}, follow=True))
    assert "at most 100 characters" in long
    assert StudyMember.objects.get(pk=one.pk).label == "Teachers"


def test_before_anybody_is_done_there_is_no_figure(client):
    study = make_tested_study()
    client.force_login(make_user(Role.RESEARCHER))
    assert groups_of_people(study) == []
    assert "Nobody has submitted the test yet" in body(client.get(address(study)))
