"""Deleting a person's account: nobody is behind the pseudonym any more, and no figure changes."""

import json

import pytest
from axes.models import AccessAttempt
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import AnnotationSet, Annotator, ReviewDecision, Unblinding
from annotation.services.studies import add_member, add_summaries, create_study, open_annotating
from annotation.services.unblinding import unblind
from booookweb.models import Role, User
from booookweb.services.people import PersonError, add_person, delete_person
from scoring.report import build_report
from scoring.report.writing import report_json, report_text
from scoring.selectors.people import people_beside_others
from scoring.selectors.work import imported_sets, people_progress
from tests.factories import make_annotator, make_summary, make_user
from tests.world import make_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    person = make_user(Role.ADMIN, "ada")
    client.force_login(person)
    return person


def delete(client, person, typed=None):
    typed = person.username if typed is None else typed
    return client.post(reverse("person-delete", args=[person.pk]), {"typed": typed}, follow=True)


def test_every_figure_stays_byte_equal(client, admin):
    world = make_world()
    world.study.unblinding.delete()
    grace = make_user(Role.RESEARCHER, "grace")
    reviewer = make_annotator()
    ReviewDecision.objects.create(item=world.item, reviewer=reviewer, agreement="agree")
    unblind(study=world.study, user=grace, reason="All is in.")

    def figures():
        report = build_report(world.study)
        shown = [people_beside_others(world.study), people_progress(world.study), imported_sets(world.study)]
        return json.dumps(report_json(report)), report_text(report), repr(shown)

    before = figures()
    reader = AnnotationSet.objects.get(annotator__kind="person").annotator
    for person in (reader.user, reviewer.user, grace):
        assert delete(client, person).status_code == 200
    assert figures() == before
    assert not User.objects.exclude(pk__in=[admin.pk, world.person.pk]).exists()
    reader.refresh_from_db()
    assert (reader.user, reader.left_at is None) == (None, False)
    assert Unblinding.objects.get().by is None


def test_login_is_impossible_at_once_and_the_name_is_free(client, admin):
    mara, password = add_person(name="mara", role="annotator")
    pseudonym = annotator_of(mara).pseudonym
    other = type(client)()
    assert other.login(username="mara", password=password)
    AccessAttempt.objects.create(username="Mara", ip_address="10.0.0.1", failures_since_start=1)
    told = delete(client, mara).content.decode()
    assert f"The account of mara is deleted. Their work stays under {pseudonym}." in told
    assert other.get(reverse("account")).status_code == 302
    assert not other.login(username="mara", password=password)
    assert not AccessAttempt.objects.exists()
    again, _ = add_person(name="mara", role="annotator")
    assert annotator_of(again).pseudonym != pseudonym


def test_the_name_must_be_typed_and_the_page_says_what_stays(client, admin):
    person = make_annotator()
    asked = client.get(reverse("person-delete", args=[person.user.pk])).content.decode()
    assert person.pseudonym in asked
    assert delete(client, person.user, "somebody").status_code == 400
    assert User.objects.filter(pk=person.user.pk).exists()
    never = make_user(name="never")
    assert "never taken part" in client.get(reverse("person-delete", args=[never.pk])).content.decode()
    assert "is deleted." in delete(client, never).content.decode()


def test_open_tasks_go_to_others_and_none_come_back(admin):
    study = create_study(name="pilot", review_overlap=0)
    add_summaries(study=study, summaries=[make_summary()])
    person, other = make_annotator(), make_annotator()
    add_member(study=study, annotator=person)
    open_annotating(study=study)
    study.refresh_from_db()
    add_member(study=study, annotator=other)
    delete_person(person=person.user, by=admin)
    task = study.assignments.get(state="open")
    assert task.annotator == other
    study.annotation_overlap = 2
    study.save()
    add_member(study=study, annotator=other)  # asks for free tasks to be given out
    assert list(study.assignments.filter(state="open")) == [task]


def test_nobody_deletes_themselves_or_the_last_admin(client, admin):
    assert "your own account" in delete(client, admin).content.decode()
    former = make_user(Role.ADMIN, "former")
    User.objects.filter(pk=former.pk).update(is_active=False)
    with pytest.raises(PersonError, match="only admin"):
        delete_person(person=admin, by=former)


def test_only_admins_delete(client):
    target = make_user(name="target")
    for role in (Role.RESEARCHER, Role.ANNOTATOR):
        client.force_login(make_user(role))
        assert delete(client, target).status_code == 403
    assert User.objects.filter(pk=target.pk).exists()
    assert not Annotator.objects.filter(left_at__isnull=False).exists()
