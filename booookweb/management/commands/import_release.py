"""Import the public release of the BooookScore study, or a folder laid out like it."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Annotator
from annotation.release.files import ReleaseError
from annotation.services.release import import_release
from annotation.services.studies import StudyError


class Command(BaseCommand):
    help = "Take over summaries, judgements, marks, reviews and preferences of a public release into a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that holds summaries/ and annotations/")
        parser.add_argument("--study", required=True, help="name of the study; made if there is none")
        parser.add_argument(
            "--absent",
            required=True,
            choices=Annotator.AbsentRule.values,
            help="what a book that a judge's file lacks means",
        )
        parser.add_argument(
            "--ambiguous",
            choices=["first", "queue"],
            default="first",
            help="marks whose text occurs more than once: take the first, or flag them to be placed by hand too",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = import_release(
                folder=options["folder"],
                study_name=options["study"],
                absent=options["absent"],
                ambiguous=options["ambiguous"],
            )
        except (ReleaseError, StudyError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False))
