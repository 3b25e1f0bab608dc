"""Freezing the report of a study: a dated, numbered version that never changes."""

import hashlib
import json

from django.db import transaction

from annotation.access import Login, annotator_of, id_of, require_not_blind, require_unsealed
from annotation.models import Study
from annotation.services.unblinding import COMMAND_LINE
from scoring.exports.snapshot import snapshot
from scoring.models import Report
from scoring.report.agreement.structure import AgreementOptions
from scoring.study_report.content import read_at, report_content


class ReportRefused(Exception):
    """Why no version was made; the message is for the user."""


def freeze_report(*, study: Study, by: Login | None, note: str, options: AgreementOptions | None = None) -> Report:
    """Store the study's report as it is now, as its next version; `by`: None for a command.

    Raises Blinded where the person must not see its figures, or nobody, and ReportRefused without a note.
    """
    if by is None:
        require_unsealed(study)
    else:
        require_not_blind(by, study=study)
    if not note.strip():
        raise ReportRefused("Say what this version is for, for example “as submitted”; it stands on the report.")
    with snapshot():
        content = report_content(study, options)
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        before = Report.objects.filter(study=study).order_by("-number").values_list("number", flat=True).first()
        return Report.objects.create(
            study=study,
            number=(before or 0) + 1,
            note=note.strip()[:1000],
            content=text,
            content_sha256=hashlib.sha256(text.encode()).hexdigest(),
            by_id=id_of(by) if by else None,
            pseudonym=annotator_of(by).pseudonym if by else COMMAND_LINE,
            created_at=read_at(content),
        )
