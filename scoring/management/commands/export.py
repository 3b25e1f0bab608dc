"""Write a study to a file."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Study
from scoring.exports.formats import FORMATS
from scoring.services.exporting import ExportRefused, export_to_file


class Command(BaseCommand):
    help = "Write a study to a file, with everybody under their pseudonyms."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")
        parser.add_argument("--format", choices=list(FORMATS), default="jsonl")
        parser.add_argument(
            "--output", type=Path, required=True, help="the file to write; one that is there is replaced"
        )
        parser.add_argument(
            "--with-source", action="store_true", help="with the books' texts and what quotes from them"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(name=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("name").values_list("name", flat=True)) or "none"
            raise CommandError(f"There is no study named {options['study']}. Studies here: {known}.")
        try:
            size = export_to_file(
                study=study,
                path=options["output"],
                form=FORMATS[options["format"]],
                with_source=options["with_source"],
            )
        except ExportRefused as error:
            raise CommandError(str(error)) from error
        written = {"study": study.name, "format": options["format"], "file": str(options["output"]), "bytes": size}
        self.stdout.write(json.dumps(written, ensure_ascii=False))
