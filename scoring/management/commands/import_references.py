"""Store reference summaries of books."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.imports import ImportRefused
from scoring.imports.references import import_references


class Command(BaseCommand):
    help = "Store reference summaries from JSON {book: reference}, or from JSONL or CSV with book and summary."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="ends in .json, .jsonl or .csv")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            result = import_references(data=path.read_bytes(), filename=path.name)
        except OSError as error:
            raise CommandError(f"{path} can't be read: {error.strerror}.") from error
        except ImportRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2))
