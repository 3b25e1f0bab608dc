"""Sessions are read in our own way and end as Django's do."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from django.utils import timezone

from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_a_session_opens_pages_until_its_time_is_over(client):
    client.force_login(make_user())
    assert client.get(reverse("annotation:tasks")).status_code == 200
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    answer = client.get(reverse("annotation:tasks"))
    assert answer.status_code == 302
    assert answer.url.startswith(reverse("login"))


def test_a_session_that_was_changed_or_is_unknown_opens_nothing(client):
    client.force_login(make_user())
    Session.objects.update(session_data="changed:by:hand")
    assert client.get(reverse("annotation:tasks")).status_code == 302
    Session.objects.all().delete()
    assert client.get(reverse("annotation:tasks")).status_code == 302
