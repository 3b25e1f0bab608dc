"""Importing a release as the command line does, and what there is afterwards."""

import json
from io import StringIO

from django.apps import apps
from django.core.management import call_command


def import_release(folder, study="small", absent="published", **options):
    output = StringIO()
    call_command("import_release", str(folder), study=study, absent=absent, stdout=output, **options)
    return json.loads(output.getvalue())


def scores(study="small"):
    """{(system, judge, mode): (score, n)} of the report."""
    output = StringIO()
    call_command("report", study, stdout=output)
    return {
        (system["system"], judge["judge"], judge["mode"]): (judge["score"], judge["n"])
        for system in json.loads(output.getvalue())["systems"]
        for judge in system["judges"]
    }


def counts():
    models = [model for app in ("summarizer", "annotation") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: model.objects.count() for model in models}
