"""Make the tables of the models in an empty database, and note all migrations as done: `python -m tests.tables`.

In a tenth of the time that migrations take, which build every model anew for each of their steps. That the migrations
make the same tables is a test of its own (`tests/browser/test_whole_way.py`), where a system starts for the first time.
"""

import os

import django


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "booookweb.settings"
    django.setup()
    from django.apps import apps
    from django.core.management import call_command
    from django.test import override_settings

    # Those of Django itself run: they make a number of another size than its models say.
    call_command("migrate", "auth", interactive=False, verbosity=0)
    others = {app.label: None for app in apps.get_app_configs() if app.label not in ("auth", "contenttypes")}
    with override_settings(MIGRATION_MODULES=others):
        call_command("migrate", run_syncdb=True, interactive=False, verbosity=0)
    call_command("migrate", fake=True, interactive=False, verbosity=0)


if __name__ == "__main__":
    main()
