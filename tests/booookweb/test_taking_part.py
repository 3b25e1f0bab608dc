"""What somebody who opens an invitation link is told before they join."""

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import AnnotationSet, Study, Training
from annotation.services.consent import change_consent_text
from annotation.services.invitations import make_invitation
from annotation.services.studies import create_study, update_study
from booookweb.models import Role
from summarizer.models import Summary
from tests.factories import make_annotator, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    study = Study.objects.create(name="pilot", title="The pilot", phase="annotating")
    study.summaries.add(make_summary())
    return study


def told(client, study, **fields):
    """The words of the page behind a new link."""
    fields = {"expires_at": timezone.now() + timedelta(days=1), "maximum_uses": 5, "reviews": False} | fields
    _, token = make_invitation(study=study, **fields)
    page = client.get(reverse("join", args=[token])).content.decode()
    about = page.split('aria-label="What it is about">')[1].split("</section>")[0]
    return " ".join(re.sub(r"<[^>]+>", "", about).split())


def test_the_page_says_what_is_asked_for_what_until_when_and_by_whom(client):
    study = create_study(name="asks", title="Asks", created_by=make_user(Role.RESEARCHER, "rosa"))
    update_study(
        study=study,
        annotate_by=date(2030, 12, 24),
        pay_per_summary=Decimal("5"),
        pay_per_reviewed_summary=Decimal("1.7"),
        pay_per_reviewed_mark=Decimal("0.15"),
    )
    change_consent_text(study=study, text="You agree.", base=0)
    shown = told(client, study, reviews=True)
    assert "Read summaries of books, and mark what confuses you." in shown
    assert "$5.00 for each summary. Until 24 December 2030." in shown
    assert "Review marks that were made" in shown
    assert "$1.70 for each summary and $0.15 for each mark in it." in shown
    assert "Before your first task you read what you agree to." in shown
    assert "It is run by rosa." in shown
    assert "has not begun yet" in shown
    assert "Compare" not in shown
    assert "training" not in shown


def test_what_is_not_known_is_not_said(client, study):
    shown = told(client, study)
    assert "$" not in shown
    assert "minute" not in shown
    assert "Until" not in shown
    assert "run by" not in shown
    assert "Review" not in shown


def test_how_long_it_takes_is_what_it_took_the_people_so_far(client, study):
    """The median of five: 20 minutes, not the mean of 30; those in which nothing was measured don't count."""
    summaries = [study.summaries.get(), *(make_summary() for _ in range(5))]
    for minutes, summary in zip([0, 10, 12, 20, 28, 80], summaries, strict=True):
        marks = make_marks(summary, make_annotator(), study=study)
        AnnotationSet.objects.filter(pk=marks.pk).update(active_seconds=60 * minutes)
    assert "So far people took about 20 minutes for one" in told(client, study)
    AnnotationSet.objects.filter(pk=marks.pk).update(state="draft")
    assert "minutes" not in told(client, study)


def test_it_says_how_long_the_summaries_are_and_that_there_is_a_training(client, study):
    Summary.objects.update(tokens=400)
    longer = make_summary()
    study.summaries.add(longer)
    Summary.objects.filter(pk=longer.pk).update(tokens=1500)
    Training.objects.create(study=study, qualifies=True)
    shown = told(client, study, compares=True)
    assert "Read summaries of books, about 300 to 1,100 words each, and mark" in shown
    assert "Compare two summaries of a book, about 300 to 1,100 words each" in shown
    assert "you work through a training, and get tasks if you pass it." in shown
    assert "training" not in told(client, study, annotates=False, compares=True)
