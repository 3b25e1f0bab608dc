"""The Celery application. Tasks live in each app's `tasks.py` and are only wake-ups: the database is the truth."""

import os

from celery import Celery

from summarizer.jobs.bootstep import JobsStep

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "booookweb.settings")

app = Celery("booookweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Also in threads other than the one that imported this: web servers answer requests in threads.
app.set_default()
app.steps["worker"].add(JobsStep)
