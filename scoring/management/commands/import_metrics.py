"""Store figures about summaries that were computed elsewhere."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.imports import ImportRefused
from scoring.imports.metrics import import_metrics


class Command(BaseCommand):
    help = "Store figures per summary (ROUGE, BLANC, SUPERT, any) from CSV with book, system, name and value."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the CSV file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = import_metrics(data=options["file"].read_bytes())
        except OSError as error:
            raise CommandError(f"{options['file']} can't be read: {error.strerror}.") from error
        except ImportRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result))
