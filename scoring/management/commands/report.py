"""Print the report of a study."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Study
from scoring.report import build_report
from scoring.report.writing import report_json, report_text


class Command(BaseCommand):
    help = "Print the scores, agreement, precision and preferences of a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--format", choices=["json", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(name=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("name").values_list("name", flat=True)) or "none"
            raise CommandError(f"There is no study named {options['study']}. Studies here: {known}.")
        report = build_report(study)
        if options["format"] == "text":
            self.stdout.write(report_text(report))
        else:
            self.stdout.write(json.dumps(report_json(report), ensure_ascii=False, indent=2, allow_nan=False))
