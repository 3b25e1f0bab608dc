"""manage.py create_study NAME [--title T]"""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.services.studies import StudyError, create_study


class Command(BaseCommand):
    help = "Make a study. Prints its name; summaries, people and judges are added to it afterwards."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="short name for addresses and commands, for example pilot-1")
        parser.add_argument("--title", default="", help="title that people see; the name if left out")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = create_study(name=options["name"], title=options["title"])
        except StudyError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps({"study": study.name}))
