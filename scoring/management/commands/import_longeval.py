"""Store articles and their summaries as the LongEval release has them."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.imports import ImportRefused
from scoring.imports.longeval import import_longeval


class Command(BaseCommand):
    help = "Store the articles of a LongEval JSONL file, and the summaries of each of its systems, in a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="JSONL with article, and a summary under the name of each system")
        parser.add_argument("--study", required=True, help="a study that is being set up; made if it is not here")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            result = import_longeval(data=path.read_bytes(), filename=path.name, study_name=options["study"])
        except OSError as error:
            raise CommandError(f"{path} can't be read: {error.strerror}.") from error
        except ImportRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2))
