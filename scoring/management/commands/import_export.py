"""Read back what `export` wrote as JSONL."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.imports import ImportRefused, import_export


class Command(BaseCommand):
    help = "Read a study back from a JSONL export: all of it or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the JSONL file")
        parser.add_argument("--study", required=True, help="name of the new study")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = import_export(path=options["file"], study_name=options["study"])
        except ImportRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2))
