"""Print the gold sets of a study."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.access import Blinded, require_unsealed
from annotation.models import Study
from annotation.selectors.gold import gold_document


class Command(BaseCommand):
    help = "Print the gold sets of a study: marks, rejections, and who decided what when."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="name of the study")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(name=options["study"]).first()
        if study is None:
            known = ", ".join(Study.objects.order_by("name").values_list("name", flat=True)) or "none"
            raise CommandError(f"There is no study named {options['study']}. Studies here: {known}.")
        try:
            require_unsealed(study)
        except Blinded as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(gold_document(study), ensure_ascii=False, indent=2))
