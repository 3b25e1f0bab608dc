"""PostgreSQL that dies and comes back in the middle of a job.

The server of the run serves other tests at the same time, so this one is run again in a process of its own, on a
server of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from summarizer.jobs.selectors import job_progress
from summarizer.models import LLMAttempt, Summary
from tests import services
from tests.llm_server import LLMServer
from tests.workers import PROJECT, WorkerProcess, wait_until

OWN_SERVER = "BOOOOKWEB_TEST_OWN_POSTGRES"


@pytest.mark.long
@pytest.mark.skipif(OWN_SERVER in os.environ, reason="this is the inner run")
def test_postgresql_is_restarted_in_mid_job(tmp_path: Path) -> None:
    with services.postgres() as address:
        environment = {**os.environ, "DATABASE_URL": address, OWN_SERVER: address, "BOOOOKWEB_VAR": str(tmp_path)}
        test = f"{__file__}::test_a_worker_goes_on"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
        run = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 passed" in run.stdout


@pytest.mark.skipif(OWN_SERVER not in os.environ, reason="needs a server of its own: see the test above")
@pytest.mark.django_db(transaction=True)
def test_a_worker_goes_on(llm_server: LLMServer, endpoint, launch, tmp_path: Path) -> None:
    from django.db import connection

    endpoint.concurrency = 3
    endpoint.save()
    llm_server.latency = 0.4
    job = launch(endpoint, books=2, chunks=12, merge=True)
    kinds = {"BOOOOKWEB_TEST_KINDS": "tests.summarizer.engine.kind"}
    # The lease outlasts the time away: a shorter one would let calls in flight be made again.
    worker = WorkerProcess(tmp_path, WORKER_CONCURRENCY="4", JOB_LEASE_SECONDS="20", **kinds)
    worker.start()
    try:
        worker.send(job.items.values_list("pk", flat=True))
        llm_server.wait_for_calls(7, seconds=60)
        connection.close()
        services.restart_postgres(os.environ[OWN_SERVER], seconds_away=2.0)
        wait_until(lambda: job_progress(job).ended, seconds=90)
    finally:
        worker.kill()
    log = worker.log.read_text()
    assert job_progress(job).state == "done", log
    # Answers that came while the database was away were kept until they could be written: none was asked for twice.
    assert llm_server.calls == 26, log
    assert set(LLMAttempt.objects.values_list("state", "number")) == {("answered", 1)}
    assert Summary.objects.count() == 2
