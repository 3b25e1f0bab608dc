"""Files that a worker makes: asked for on a page, made once, downloaded by whom may see them, gone in time."""

from datetime import timedelta
from html import unescape
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.access import annotator_of
from annotation.models import Annotator, Assignment, MarksSeen, Study, Withdrawal
from scoring.models import ExportPiece, StudyExport
from scoring.services import export_jobs
from scoring.services.export_jobs import make_export, sweep_exports
from tests.factories import make_user
from tests.scoring.exports.test_round_trip import export as by_command
from tests.scoring.exports.whole_study import whole_study


@pytest.fixture
def sent(monkeypatch):
    """The exports that workers were woken for; no message leaves."""
    sent = []
    monkeypatch.setattr(export_jobs, "wake", sent.append)
    return sent


@pytest.fixture
def researcher(client, db):
    user = make_user("researcher")
    client.force_login(user)
    return user


def ask(client, **data):
    return client.post(reverse("scoring:exports", args=["whole"]), {"form": "jsonl", **data}, follow=True)


def download(client, export):
    return client.get(reverse("scoring:export-file", args=["whole", export.pk]), follow=True)


@pytest.mark.django_db(transaction=True)  # progress is written through a connection of its own
def test_a_file_is_asked_for_made_and_downloaded(client, researcher, sent, tmp_path, monkeypatch):
    study = whole_study()
    monkeypatch.setattr(export_jobs, "PIECE_BYTES", 1000)
    assert "Waiting" in ask(client).content.decode()
    ask(client)  # a double click
    export = StudyExport.objects.get()
    assert sent == [export.pk]
    make_export(export.pk)
    make_export(export.pk)  # a message that comes twice
    export.refresh_from_db()
    assert (export.state, export.claims) == ("done", 1)
    assert export.pieces.count() == -(-export.size // 1000)
    page = unescape(client.get(reverse("scoring:exports", args=["whole"])).content.decode())
    assert "Ready" in page
    response = download(client, export)
    content = b"".join(response.streaming_content)
    assert response["Content-Disposition"] == 'attachment; filename="whole.jsonl"'
    assert len(content) == export.size
    assert content == by_command("whole", tmp_path / "same.jsonl")
    # Whoever has the file knows who marked what.
    seen = MarksSeen.objects.filter(user=researcher).values_list("summary", flat=True)
    assert set(seen) == set(study.summaries.values_list("pk", flat=True))


@pytest.mark.django_db
def test_the_blind_get_neither_page_nor_file(client, researcher, sent):
    study = whole_study()
    ask(client)
    export = StudyExport.objects.get()
    make_open_task(researcher, study)
    for name, arguments in (("exports", []), ("exports-list", []), ("export-file", [export.pk])):
        assert client.get(reverse(f"scoring:{name}", args=["whole", *arguments])).status_code == 403
    assert ask(client, form="csv").status_code == 403
    assert StudyExport.objects.count() == 1


def make_open_task(user, study):
    summary = study.summaries.first()
    Assignment.objects.create(
        key=uuid4(), study=study, summary=summary, annotator=annotator_of(user), task="annotate", state="open"
    )


@pytest.mark.django_db
def test_a_review_that_opened_meanwhile_keeps_the_file_from_being_made_and_got(client, researcher, sent):
    study = whole_study()
    ask(client)
    export = StudyExport.objects.get()
    study.unblinding.delete()
    Study.objects.update(phase="reviewing")
    make_export(export.pk)
    export.refresh_from_db()
    assert (export.state, "is under blind review" in export.problem) == ("failed", True)
    assert download(client, export).status_code == 403


@pytest.mark.django_db
def test_a_withdrawal_takes_earlier_files_away(client, researcher, sent):
    study = whole_study()
    export = StudyExport.objects.create(study=study, form="jsonl", state="done", size=0, read_at=timezone.now())
    Withdrawal.objects.create(study=study, annotator=Annotator.objects.get(pseudonym="P-BBB333"), by_themselves=True)
    assert "Outdated" in client.get(reverse("scoring:exports", args=["whole"])).content.decode()
    assert "Somebody withdrew" in unescape(download(client, export).content.decode())
    assert not StudyExport.objects.exists()


@pytest.mark.django_db
def test_a_file_that_is_not_ready_or_expired_is_not_there(client, researcher, sent):
    study = whole_study()
    ask(client)
    waiting = StudyExport.objects.get()
    assert "This file is not there" in unescape(download(client, waiting).content.decode())
    old = StudyExport.objects.create(
        study=study, form="csv", state="done", size=0, expires_at=timezone.now() - timedelta(seconds=1)
    )
    assert "This file is not there" in unescape(download(client, old).content.decode())
    other = client.get(reverse("scoring:export-file", args=["another", waiting.pk]))
    assert other.status_code == 404


@pytest.mark.django_db
def test_the_sweep_wakes_gives_back_gives_up_and_deletes(sent):
    study = whole_study()
    long_ago = timezone.now() - timedelta(hours=1)
    running = {"study": study, "form": "csv", "state": "running", "heartbeat_at": long_ago}
    lost = StudyExport.objects.create(**running, claims=1)
    hopeless = StudyExport.objects.create(**running, claims=3)
    alive = StudyExport.objects.create(**{**running, "heartbeat_at": timezone.now()}, claims=1)
    expired = StudyExport.objects.create(study=study, form="csv", state="done", expires_at=long_ago)
    ExportPiece.objects.create(export=expired, number=0, data=b"x")
    StudyExport.objects.update(created_at=long_ago)
    sweep_exports()
    assert sent == [lost.pk]
    states = dict(StudyExport.objects.values_list("pk", "state"))
    assert states == {lost.pk: "queued", hopeless.pk: "failed", alive.pk: "running"}
    assert not ExportPiece.objects.exists()
