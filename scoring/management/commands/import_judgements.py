"""Store what people elsewhere judged of units of summaries, or how they rated them."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import FaithfulnessPlan, Study
from scoring.imports import ImportRefused
from scoring.imports.judgements import import_judgements


class Command(BaseCommand):
    help = "Store FINE or COARSE results from CSV: book, system, annotator, and unit and supported, or rating."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the CSV file")
        parser.add_argument("--study", required=True, help="a study with the summaries, which asks nobody here")
        parser.add_argument(
            "--scale",
            choices=FaithfulnessPlan.Scale.values,
            help="of ratings; if left out that of those that are here, or 0-5",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(name=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study named {options['study']}.")
        try:
            result = import_judgements(data=options["file"].read_bytes(), study=study, scale=options["scale"])
        except OSError as error:
            raise CommandError(f"{options['file']} can't be read: {error.strerror}.") from error
        except ImportRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result))
