"""The Celery application. Tasks live in each app's `tasks.py` and are only wake-ups: the database is the truth."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "booookweb.settings")

app = Celery("booookweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
