"""Print the report of a study."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.access import Blinded, require_unsealed
from annotation.models import Study
from annotation.services.studies import StudyError
from annotation.services.unblinding import unblind
from scoring.report import build_report
from scoring.report.writing import report_json, report_text


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

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(name=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("name").values_list("name", flat=True)) or "none"
            raise CommandError(f"There is no study named {options['study']}. Studies here: {known}.")
        if options["unblind"] is not None:
            _unblind(study, options["unblind"], options["end_unfinished"])
        try:
            require_unsealed(study)
        except Blinded as error:
            raise CommandError(f"{error} Here: --unblind REASON.") from error
        report = build_report(study)
        if options["format"] == "text":
            self.stdout.write(report_text(report))
        else:
            self.stdout.write(json.dumps(report_json(report), ensure_ascii=False, indent=2, allow_nan=False))


def _unblind(study: Study, reason: str, end_unfinished: bool) -> None:
    try:
        unblind(study=study, user=None, reason=reason, accept_unfinished=end_unfinished)
    except StudyError as error:
        raise CommandError(str(error)) from error
