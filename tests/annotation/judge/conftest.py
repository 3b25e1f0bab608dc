"""Summaries, endpoints and runs of judge jobs. All calls go over real HTTP to the scripted server."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.judge.judges import judge_parameters
from annotation.judge.services import JudgeLaunch, launch_judge_job
from summarizer.engine import retries
from summarizer.jobs import queue
from summarizer.jobs.runner import run_item
from summarizer.models import Endpoint, Job, Summary, System
from summarizer.services.endpoints import endpoint_named
from summarizer.services.prompt_sets import load_prompt_set
from tests.factories import make_summary
from tests.llm_server import LLMServer


@pytest.fixture(autouse=True)
def _no_broker_and_short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "send", lambda items: None)
    monkeypatch.setattr(retries, "FIRST_WAIT_SECONDS", 0.01)


@pytest.fixture
def endpoint(llm_server: LLMServer) -> Endpoint:
    return Endpoint.objects.create(
        name="scripted", base_url=llm_server.base_url, model="judge-1", concurrency=8, context_window=16_000
    )


@pytest.fixture
def rules(db: None) -> Endpoint:
    return endpoint_named("rules")


@pytest.fixture
def summary(db: None) -> Summary:
    """Four sentences, of which the first and the third are the same."""
    return make_summary("Emma left. Rolf stayed. Emma left. Snow fell.")


@pytest.fixture
def system(summary: Summary) -> System:
    return summary.system


@pytest.fixture
def launch() -> Callable[..., JudgeLaunch]:
    def make(endpoint: Endpoint, *summaries: Summary, prompts: str = "default", **kwargs: Any) -> Any:
        prompt_set = load_prompt_set(prompts) if endpoint.is_llm else None
        asked = {name: kwargs.pop(name) for name in ("repeat", "mode", "batch_size") if name in kwargs}
        parameters = judge_parameters(endpoint=endpoint, prompt_set=prompt_set, **asked)
        return launch_judge_job(parameters=parameters, summaries=summaries, **kwargs)

    return make


def run(job: Job) -> None:
    """Run the items of a job one after the other, in this thread."""
    for item in job.items.order_by("index"):
        run_item(item.pk)
