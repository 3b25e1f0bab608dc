"""The Celery application. Tasks live in each app's `tasks.py` and are only wake-ups: the database is the truth."""

import os

from celery import Celery

from scoring.bootstep import ExportsStep
from summarizer.jobs.bootstep import JobsStep

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "booookweb.settings")
# Django's checks load every page of the web server; `migrate` and `up` make them, a worker starts in half the time.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("booookweb")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Also in threads other than the one that imported this: web servers answer requests in threads.
app.set_default()
app.steps["worker"].add(JobsStep)
app.steps["worker"].add(ExportsStep)
