"""The example of docs/api.md really runs, against a live server."""

import os
import subprocess
import sys
import threading

import pytest
from django.conf import settings
from django.db import connection

from annotation.models import Study
from scoring.services import export_jobs
from summarizer.jobs import queue
from summarizer.jobs.runner import run_item
from summarizer.models import Book, Job
from tests.api.clients import program

NOVEL = "The mill begins. " + " ".join(f"On day {day} Emma rowed the old boat to the harbour." for day in range(120))


@pytest.fixture
def workers(monkeypatch):
    """What is sent to workers is done at once, by a thread of its own."""
    threads = []

    def start(work, *ids):
        def run():
            try:
                for each in ids:
                    work(each)
            finally:
                connection.close()

        threads.append(threading.Thread(target=run))
        threads[-1].start()

    monkeypatch.setattr(queue, "send", lambda ids: start(run_item, *ids))
    monkeypatch.setattr(export_jobs, "wake", lambda pk: start(export_jobs.make_export, pk))
    yield
    for thread in threads:
        thread.join(30)


@pytest.mark.django_db(transaction=True)
def test_the_example_runs_and_makes_nothing_twice(live_server, workers, tmp_path):
    (tmp_path / "mill.txt").write_text(NOVEL)
    script = settings.BASE_DIR / "docs" / "api_example.py"
    command = [sys.executable, "-I", "-S", str(script), live_server.url, "mill.txt"]
    environment = {**os.environ, "BOOOOK_TOKEN": program("admin").secret}

    def run():
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = run()
    assert "1 summaries" in first
    made = (Book.objects.count(), Job.objects.count(), Study.objects.count())
    assert made == (1, 2, 1)
    export = tmp_path / f"api-example-{Book.objects.get().pk}.jsonl"
    assert export.read_text().count('"record":"verdict"') + export.read_text().count('"record": "verdict"') >= 1
    assert "1 summaries" in run()
    assert (Book.objects.count(), Job.objects.count(), Study.objects.count()) == made
