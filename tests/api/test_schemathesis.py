"""Schemathesis, over the OpenAPI document, against the application in this process.

The same requests in every run, few of each kind; what they change is taken back. Once is enough, so not on both
databases: what depends on the database is tested by hand.
"""

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from booookweb import throttle
from booookweb.api.schema import document
from booookweb.wsgi import application
from summarizer.jobs import queue
from tests.api.clients import program
from tests.scoring.exports.whole_study import whole_study

SCHEMA = schemathesis.openapi.from_dict(document())
SCHEMA.app = application
OPERATIONS = [each.ok() for each in SCHEMA.get_all_operations()]
#: What they refuse depends on what is in a file, or on several fields together, which a schema does not say.
REFUSES_MORE = {
    "PATCH /api/v1/endpoints/{id}/",
    "POST /api/v1/books/",
    "POST /api/v1/endpoints/",
    "POST /api/v1/imports/articles/",
    "POST /api/v1/imports/export/",
    "POST /api/v1/imports/judgements/",
    "POST /api/v1/imports/label-studio/",
    "POST /api/v1/imports/metrics/",
    "POST /api/v1/imports/references/",
    "POST /api/v1/imports/release/",
    "POST /api/v1/imports/summaries/",
    "POST /api/v1/jobs/judge/",
    "POST /api/v1/jobs/summarize/",
    "POST /api/v1/jobs/{id}/action/",
    "POST /api/v1/prompt-sets/",
    "POST /api/v1/studies/{slug}/reports/",
}
EXAMPLES = {GenerationMode.POSITIVE: 4, GenerationMode.NEGATIVE: 4}
BOUNDED = settings(
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def made_owner(shared_rows):
    """An admin's program beside a study that has everything."""
    whole_study()
    return program("admin")


@pytest.fixture
def owner(db, made_owner, monkeypatch):
    """Requests leave the test's connection open."""
    monkeypatch.setattr(queue, "send", lambda ids: None)
    monkeypatch.setattr(throttle, "FAILURES", 1_000_000)
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield made_owner
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.once
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.label)
def test_an_operation_does_what_the_document_says(owner, operation):
    headers = {"Authorization": f"Bearer {owner.secret}", "Accept-Encoding": "identity"}
    excluded = [positive_data_acceptance] if operation.label in REFUSES_MORE else []
    for mode, examples in EXAMPLES.items():
        cases = operation.as_strategy(generation_mode=mode)

        @seed(1)
        @settings(BOUNDED, max_examples=examples)
        @given(case=cases)
        def run(case):
            with transaction.atomic():
                case.call_and_validate(headers=headers, excluded_checks=excluded)
                transaction.set_rollback(True)

        run()
