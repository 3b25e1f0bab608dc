"""manage.py demo"""

import json
from typing import Any

from django.core.management.base import BaseCommand

from booookweb.demo import add_demo


class Command(BaseCommand):
    help = "Add the demo data where it is missing. Prints the logins."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(json.dumps({"logins": add_demo()}))
