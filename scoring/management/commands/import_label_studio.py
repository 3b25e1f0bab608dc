"""Read marks that were made in Label Studio."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Study
from scoring.imports import ImportRefused
from scoring.imports.label_studio import import_label_studio


class Command(BaseCommand):
    help = "Take the annotations of a Label Studio export (JSON) into a study that has its texts as summaries."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the JSON file")
        parser.add_argument("--study", required=True, help="name of the study")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(name=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study named {options['study']}.")
        path: Path = options["file"]
        try:
            result = import_label_studio(data=path.read_bytes(), filename=str(path), study=study)
        except OSError as error:
            raise CommandError(f"{path} can't be read: {error.strerror}.") from error
        except ImportRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2))
