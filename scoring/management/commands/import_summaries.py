"""Store summaries that were made elsewhere."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Study
from scoring.imports import ImportRefused
from scoring.imports.summaries import import_summaries


class Command(BaseCommand):
    help = "Store summaries from JSON {book: summary}, or from JSONL or CSV with book and summary."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="ends in .json, .jsonl or .csv")
        parser.add_argument("--system", required=True, help="name of the system that made them")
        parser.add_argument("--study", help="name of a study that is being set up, to put them into")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        study = None
        if options["study"] and (study := Study.objects.filter(name=options["study"]).first()) is None:
            raise CommandError(f"There is no study named {options['study']}.")
        try:
            data = path.read_bytes()
            result = import_summaries(data=data, filename=path.name, system_name=options["system"], study=study)
        except OSError as error:
            raise CommandError(f"{path} can't be read: {error.strerror}.") from error
        except ImportRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2))
