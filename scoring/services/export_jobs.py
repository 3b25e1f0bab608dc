"""Exports that a worker makes, so that no browser waits. The database is the truth and messages are wake-ups."""

import logging
import tempfile
import threading
import zlib
from collections.abc import Iterator
from datetime import timedelta
from typing import IO

from celery import current_app
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from kombu.exceptions import KombuError

from annotation.access import Login, id_of, require_not_blind
from annotation.models import Study, Withdrawal
from annotation.services.seen import reveal_study
from scoring.exports.formats import FORMATS, write_study
from scoring.models import ExportPiece, StudyExport
from scoring.services.exporting import ExportRefused, require_exportable

logger = logging.getLogger(__name__)

MAKE_EXPORT = "scoring.make_export"
KEPT_FOR = timedelta(days=7)
PIECE_BYTES = 1024 * 1024
#: How often a worker may begin an export that no worker ever finished.
MOST_CLAIMS = 3
SENT_AGAIN_AFTER = timedelta(seconds=10)
WORKER_LOST = (
    "The worker that made it ended three times. Make it again; if that fails too, ask an admin to look at the worker."
)
BROKE = "It could not be made because of an error, which is in the log of the worker. Make it again, or tell an admin."


def request_export(*, study: Study, form: str, with_source: bool, by: Login) -> StudyExport:
    """Have a worker make a file. The same one, asked for again while it is under way, is not made twice.

    Raises Blinded where the person must not see who marked what, and ExportRefused for what can't be.
    """
    require_not_blind(by, study=study)
    require_exportable(study)
    if form not in FORMATS:
        raise ExportRefused("Choose one of the formats.")
    with_source = with_source and FORMATS[form].takes_source
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        wanted = {"study": study, "form": form, "with_source": with_source, "requested_by_id": id_of(by)}
        if found := StudyExport.objects.filter(**wanted, state__in=StudyExport.UNFINISHED).first():
            return found
        export = StudyExport.objects.create(**wanted)
        transaction.on_commit(lambda: wake(export.pk))
    return export


def wake(export_id: int) -> None:
    """Tell a worker. A broker that can't be reached is no loss: the sweep of the workers finds what waits."""
    try:
        current_app.send_task(MAKE_EXPORT, args=[export_id], ignore_result=True, retry=False)
    except (KombuError, OSError, ValueError) as error:
        logger.warning("No wake-up could be sent for an export (%s); the workers will find it themselves.", error)


def make_export(export_id: int) -> None:
    """Make the file of an export that waits. A message that comes twice makes nothing twice."""
    now = timezone.now()
    claimed = StudyExport.objects.filter(pk=export_id, state=StudyExport.State.QUEUED).update(
        state=StudyExport.State.RUNNING, heartbeat_at=now, read_at=now, claims=F("claims") + 1, records=0
    )
    if not claimed:
        return
    export = StudyExport.objects.select_related("study").get(pk=export_id)
    try:
        require_exportable(export.study)
        with tempfile.TemporaryFile() as file:
            with _Progress(export_id) as progress:
                form = FORMATS[export.form]
                write_study(export.study, file, form=form, with_source=export.with_source, progress=progress.at)
            _store(export, file, progress)
    except ExportRefused as error:
        _end(export, StudyExport.State.FAILED, problem=str(error))
    except Exception:
        logger.exception("Export %s could not be made.", export_id)
        _end(export, StudyExport.State.FAILED, problem=BROKE)


def _store(export: StudyExport, file: IO[bytes], progress: "_Progress") -> None:
    size = file.tell()
    file.seek(0)
    with transaction.atomic():
        own = StudyExport.objects.select_for_update().filter(pk=export.pk, claims=export.claims)
        if not own.filter(state=StudyExport.State.RUNNING).exists():
            return  # another worker took it over, or it was deleted
        export.pieces.all().delete()
        for number, piece in enumerate(iter(lambda: file.read(PIECE_BYTES), b"")):
            ExportPiece.objects.create(export=export, number=number, data=zlib.compress(piece))
        _end(export, StudyExport.State.DONE, size=size, records=progress.done, expires_at=timezone.now() + KEPT_FOR)


def _end(export: StudyExport, state: str, **changes: object) -> None:
    """Unless somebody else took it over meanwhile."""
    own = StudyExport.objects.filter(pk=export.pk, state=StudyExport.State.RUNNING, claims=export.claims)
    own.update(state=state, ended_at=timezone.now(), **changes)


class _Progress:
    """Writes once a second, from a thread and connection of its own, how far an export is and that it is alive."""

    def __init__(self, export_id: int) -> None:
        self.done = 0
        self._export_id = export_id
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="export progress", daemon=True)

    def at(self, done: int) -> None:
        self.done = done

    def __enter__(self) -> "_Progress":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._ended.wait(1):
                StudyExport.objects.filter(pk=self._export_id).update(records=self.done, heartbeat_at=timezone.now())
        finally:
            connection.close()


def sweep_exports() -> None:
    """One round of a worker: send again what waits, give back what lost its worker, delete what expired."""
    now = timezone.now()
    silent = now - timedelta(seconds=2 * settings.JOB_LEASE_SECONDS)
    lost = StudyExport.objects.filter(state=StudyExport.State.RUNNING, heartbeat_at__lt=silent)
    lost.filter(claims__gte=MOST_CLAIMS).update(state=StudyExport.State.FAILED, problem=WORKER_LOST, ended_at=now)
    lost.update(state=StudyExport.State.QUEUED)
    StudyExport.objects.filter(expires_at__lt=now).delete()
    waiting = StudyExport.objects.filter(state=StudyExport.State.QUEUED, created_at__lt=now - SENT_AGAIN_AFTER)
    for export_id in waiting.values_list("pk", flat=True):
        wake(export_id)


def with_outdated(exports: QuerySet[StudyExport]) -> QuerySet[StudyExport]:
    """`outdated`: somebody withdrew after the file's state was read, so that it may hold what they did."""
    return exports.annotate(outdated=Exists(_later_withdrawals()))


def is_outdated(export: StudyExport) -> bool:
    """Such a file never leaves any more."""
    return StudyExport.objects.filter(Exists(_later_withdrawals()), pk=export.pk).exists()


def _later_withdrawals() -> QuerySet[Withdrawal]:
    read_at = Coalesce(OuterRef("read_at"), OuterRef("created_at"))
    return Withdrawal.objects.filter(study=OuterRef("study"), at__gte=read_at)


def open_export(*, export: StudyExport, by: Login) -> Iterator[bytes]:
    """The bytes of a finished file, a piece at a time. Whoever downloads it has seen the marks of the study.

    Raises Blinded where the person must not see who marked what, and ExportRefused for a file that is not there.
    """
    require_not_blind(by, study=export.study)
    if is_outdated(export):
        export.delete()
        raise ExportRefused(
            "Somebody withdrew from the study since this file was made, so it is deleted. Make it again."
        )
    if export.state != StudyExport.State.DONE or (export.expires_at and export.expires_at < timezone.now()):
        raise ExportRefused("This file is not there: it is not ready yet, failed, or has expired. Make it again.")
    reveal_study(user=by, study=export.study)
    return _pieces(export)


def _pieces(export: StudyExport) -> Iterator[bytes]:
    numbers = list(export.pieces.order_by("number").values_list("number", flat=True))
    for number in numbers:
        yield zlib.decompress(bytes(export.pieces.values_list("data", flat=True).get(number=number)))
