"""Pages of a study with 1,000 summaries and 40,000 marks: seconds and queries; run by `make benchmark`.

A small study runs always, and shows that the number of queries does not depend on the size.
"""

import time

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Study
from tests.benchmarks.large_study import large_study
from tests.factories import make_user

#: Budget of the dashboard: seconds of server time.
SECONDS = 0.5


def pages(study: Study) -> dict[str, str]:
    summary = study.summaries.select_related("system").first()
    dashboard = reverse("scoring:dashboard", args=[study.name])
    differences = reverse("scoring:differences", args=[study.name])
    return {
        "dashboard": dashboard,
        "summaries of a system": f"{dashboard}?system={summary.system.name}",
        "one summary": reverse("scoring:summary-marks", args=[study.name, summary.pk]),
        "people compared": reverse("scoring:people", args=[study.name]),
        "judge and people": reverse("scoring:judge-and-people", args=[study.name]),
        "where they differ": differences,
    }


def served(client: Client, address: str) -> tuple[float, int]:
    """Seconds of the process for one answer, the best of three, and its queries."""
    best, queries = 1e9, 0
    for _ in range(3):
        with CaptureQueriesContext(connection) as captured:
            begin = time.process_time()
            assert client.get(address).status_code == 200
            best, queries = min(best, time.process_time() - begin), len(captured)
    return best, queries


@pytest.mark.django_db
def test_the_number_of_queries_does_not_depend_on_the_size(client):
    client.force_login(make_user("researcher"))
    # Of twelve summaries and more, some are reviewed.
    small, larger = (large_study(books=books, systems=2, name=name) for books, name in ((6, "small"), (16, "larger")))
    counts = {}
    for study in (small, larger):
        for name, address in pages(study).items():
            client.get(address)  # the first request notes that the marks were seen
            with CaptureQueriesContext(connection) as captured:
                assert client.get(address).status_code == 200
            counts.setdefault(name, []).append(len(captured))
    assert {name: each[0] for name, each in counts.items()} == {name: each[1] for name, each in counts.items()}
    assert max(max(each) for each in counts.values()) < 50


@pytest.mark.benchmark
@pytest.mark.django_db
def test_pages_of_a_large_study_within_the_budget(client):
    study = large_study(books=100, systems=10)
    client.force_login(make_user("researcher"))
    found = {name: served(client, address) for name, address in pages(study).items()}
    for name, (seconds, queries) in found.items():
        print(f"\n{name}: {seconds:.2f} s, {queries} queries", end="")
    assert found["dashboard"][0] < SECONDS
