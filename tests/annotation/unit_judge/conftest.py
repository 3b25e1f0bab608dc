"""A study with units and a book's text, an endpoint, and launches. All calls go to the scripted server over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from annotation.judge.services import JudgeLaunch
from annotation.models import FaithfulnessPlan, UnitVerdict
from annotation.unit_judge.judges import unit_judge_parameters
from annotation.unit_judge.services import launch_unit_job
from summarizer.engine import retries
from summarizer.jobs import queue
from summarizer.models import Endpoint, Summary
from summarizer.services.prompt_sets import load_prompt_set
from tests.factories import make_plan
from tests.llm_server import LLMServer, judged_unit
from tests.sources import SOURCE, checked_summary

#: Five units: the fourth says the same as the first.
TEXT = (
    "Emma left the mill at dawn, and Rolf stayed behind in the boathouse. Snow fell on the mill. "
    "Emma left the mill at dawn. Ida sang in the mill."
)
LEFT, STAYED, SNOW, SANG = (
    "Emma left the mill at dawn,",
    "and Rolf stayed behind in the boathouse.",
    "Snow fell on the mill.",
    "Ida sang in the mill.",
)
YES, NO = '{"supported": true}', '{"supported": false}'

Launch = Callable[..., JudgeLaunch]


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
def summary(db: None) -> Summary:
    return checked_summary(TEXT, SOURCE)


@pytest.fixture
def plan(summary: Summary) -> FaithfulnessPlan:
    return make_plan(summary)


@pytest.fixture
def launch(endpoint: Endpoint, plan: FaithfulnessPlan, summary: Summary) -> Launch:
    def make(prompts: str = "default", **kwargs: Any) -> JudgeLaunch:
        asked = {name: kwargs.pop(name) for name in ("repeat", "passages", "max_answer_tokens") if name in kwargs}
        parameters = unit_judge_parameters(endpoint=endpoint, prompt_set=load_prompt_set(prompts), **asked)
        values = {"plan": plan, "summaries": [summary], **kwargs}
        return launch_unit_job(parameters=parameters, **values)

    return make


def answer(llm_server: LLMServer, others: Any = YES, **by_unit: Any) -> None:
    """`by_unit`: answers about the units LEFT, STAYED, SNOW and SANG by these names in lower case."""
    texts = {"left": LEFT, "stayed": STAYED, "snow": SNOW, "sang": SANG}
    answers = {texts[name]: said for name, said in by_unit.items()}
    llm_server.script(lambda request: answers.get(judged_unit(request.prompt), others))


def states() -> list[str]:
    return list(UnitVerdict.objects.order_by("annotator", "unit__index").values_list("state", flat=True))
