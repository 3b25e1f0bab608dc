"""Print the report of a study."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.access import Blinded, require_unsealed
from annotation.models import Study
from annotation.services.studies import StudyError
from annotation.services.unblinding import unblind
from scoring.models import Report
from scoring.report import build_report
from scoring.report.agreement.structure import AgreementOptions
from scoring.report.writing import report_json, report_text
from scoring.services.reports import ReportRefused, freeze_report
from scoring.statistics.alternative import EPSILON


class Command(BaseCommand):
    help = "Print the scores, agreement, precision and preferences of a study, or freeze them."

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        """`--version` is that of the report here, in place of Django's."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **options)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--format", choices=["json", "text"], default="json")
        parser.add_argument(
            "--unblind",
            metavar="REASON",
            help="a study under blind review: open its sources for everybody, as its page does; all decisions become "
            "final, and the reason stands in the report",
        )
        parser.add_argument(
            "--end-unfinished",
            action="store_true",
            help="with --unblind: end review tasks that are not submitted; they don't count",
        )
        parser.add_argument(
            "--epsilon", type=float, default=EPSILON, help="of the alternative annotator test (default: %(default)s)"
        )
        parser.add_argument(
            "--difference", type=float, help="of two systems, as a share of 1: how many books a study needs to find it"
        )
        parser.add_argument(
            "--freeze",
            metavar="NOTE",
            help="store the report as the study's next version, which never changes; the note says what it is for",
        )
        parser.add_argument("--version", type=int, metavar="N", help="print a frozen version as it was stored")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(name=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("name").values_list("name", flat=True)) or "none"
            raise CommandError(f"There is no study named {options['study']}. Studies here: {known}.")
        chosen = _options(options["epsilon"], options["difference"])
        if options["unblind"] is not None:
            _unblind(study, options["unblind"], options["end_unfinished"])
        try:
            require_unsealed(study)
        except Blinded as error:
            raise CommandError(f"{error} Here: --unblind REASON.") from error
        self.stdout.write(_answer(study, chosen, options))


def _answer(study: Study, chosen: AgreementOptions, options: dict[str, Any]) -> str:
    as_text = options["format"] == "text"
    if options["freeze"] is not None:
        return _frozen(study, options["freeze"], chosen)
    if options["version"] is not None:
        return _stored(study, options["version"], as_text=as_text)
    report = build_report(study, options=chosen)
    if as_text:
        return report_text(report)
    return json.dumps(report_json(report), ensure_ascii=False, indent=2, allow_nan=False)


def _frozen(study: Study, note: str, chosen: AgreementOptions) -> str:
    try:
        frozen = freeze_report(study=study, by=None, note=note, options=chosen)
    except ReportRefused as error:
        raise CommandError(str(error)) from error
    made = {"version": frozen.number, "at": frozen.created_at.isoformat(), "sha256": frozen.content_sha256}
    return json.dumps({"study": study.name, **made}, indent=2)


def _stored(study: Study, number: int, *, as_text: bool) -> str:
    """The stored JSON as it is, to the letter; or the text of its figures."""
    frozen = Report.objects.filter(study=study, number=number).first()
    if frozen is None:
        known = ", ".join(map(str, Report.objects.filter(study=study).values_list("number", flat=True))) or "none"
        raise CommandError(f"{study.name} has no report of version {number}. Versions: {known}.")
    return str(json.loads(frozen.content)["text"]) if as_text else frozen.content


def _unblind(study: Study, reason: str, end_unfinished: bool) -> None:
    try:
        unblind(study=study, user=None, reason=reason, accept_unfinished=end_unfinished)
    except StudyError as error:
        raise CommandError(str(error)) from error


def _options(epsilon: float, difference: float | None) -> AgreementOptions:
    if not 0 <= epsilon < 1:
        raise CommandError("--epsilon must be at least 0 and below 1.")
    if difference is not None and not 0 < difference <= 1:
        raise CommandError("--difference must be above 0 and at most 1, for example 0.05.")
    return AgreementOptions(epsilon=epsilon, difference=difference)
