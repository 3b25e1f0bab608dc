"""manage.py add_person NAME --role admin|researcher|annotator [--study NAME]"""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.access import annotator_of
from annotation.models import Study
from annotation.services.studies import StudyError, add_member
from booookweb.models import Role, User
from booookweb.services.people import PersonError, add_person


class Command(BaseCommand):
    help = "Add a person who can log in. Prints the name and a random password, once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="the name to log in with")
        parser.add_argument("--role", required=True, choices=Role.values)
        parser.add_argument("--study", metavar="NAME", help="make the person a member who annotates and reviews")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with transaction.atomic():
                person, password = add_person(name=options["name"], role=options["role"])
                if options["study"]:
                    _join(person, options["study"])
        except (PersonError, StudyError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps({"person": person.username, "password": password}))


def _join(person: User, name: str) -> None:
    study = Study.objects.filter(name=name).first()
    if study is None:
        raise CommandError(f"There is no study named {name}. Nobody was added.")
    add_member(study=study, annotator=annotator_of(person))
