"""Print the report of a study."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.access import Blinded, require_unsealed
from annotation.models import Study
from annotation.services.studies import StudyError
from annotation.services.unblinding import unblind
from scoring.report import build_report
from scoring.report.agreement.structure import AgreementOptions
from scoring.report.writing import report_json, report_text
from scoring.statistics.alternative import EPSILON


class Command(BaseCommand):
    help = "Print the scores, agreement, precision and preferences of a study."

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
        report = build_report(study, options=chosen)
        if options["format"] == "text":
            self.stdout.write(report_text(report))
        else:
            self.stdout.write(json.dumps(report_json(report), ensure_ascii=False, indent=2, allow_nan=False))


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
