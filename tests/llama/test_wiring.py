"""Summarizing and judging through the command line and a real worker, against a real llama.cpp server.

What the tiny model says means nothing, so it is neither held against anything nor shown: these tests ask whether calls
go out as such a server takes them, and whether what it sends back is stored as it should be.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.llama.server import MODEL, SLOTS, WINDOW, llama_server
from tests.running import PROJECT, RunningSystem, running_system

pytestmark = [pytest.mark.llama, pytest.mark.timeout(900)]

#: An invented story of about 400 tokens.
STORY = """Chapter 1

Emma Holt kept the lighthouse at Grey Point. One evening her brother Rolf came up the stairs with a wet letter. It \
said that the old ferry would be sold in the spring. Emma read it twice and put it under the lamp.

In the morning they rowed to the harbour. Captain Brandt sat on the quay and mended a net. He told them that a man \
from the city had bought every boat but one. The last one was the ferry, and nobody wanted it.

Chapter 2

Rolf counted their money on the kitchen table. It was not enough. Emma remembered the silver clock of their mother, \
which had not struck for ten years. She carried it to the watchmaker, and he opened it with a small knife.

Inside the clock lay a key. The watchmaker did not know it, but Captain Brandt did. It belonged to the cabin of the \
ferry. They went on board together while it rained.

Chapter 3

In the cabin stood a box with the papers of the ferry. It had belonged to their mother all the time. The man from \
the city read the papers, folded them and went away. Rolf painted the ferry white, and in the spring Emma steered \
it across the bay for the first time.
"""

#: The built-in prompt of the judge alone is larger than the window.
JUDGE_PROMPT = """Here is a summary of a story:
---
{summary}
---
Here is one sentence of it: {sentence}
Does a reader of the summary understand this sentence? If so, answer: No confusion. Else answer in two lines, \
"Questions:" with the reader's question and "Types:" with the kind of error.
"""

#: What the ledger holds of one job, and the verdicts of all; run inside the system, on its own database.
LEDGER = """
import json
from annotation.models import Verdict
from summarizer.models import LLMAttempt, Summary
attempts = LLMAttempt.objects.filter(call__item__job={job}).order_by("pk")
fields = ("state", "finish_reason", "prompt_tokens", "completion_tokens", "failure_kind")
print(json.dumps({{
    "attempts": list(attempts.values(*fields)),
    "replies": attempts.exclude(reply="").count(),
    "calls": attempts.values("call").distinct().count(),
    "verdicts": list(Verdict.objects.order_by("sentence").values_list("sentence", flat=True)),
    "summaries": list(Summary.objects.exclude(text="").values_list("pk", flat=True)),
}}))
"""


@dataclass(frozen=True)
class Printed:
    """The JSON document of a command, its exit code and its last line on standard error."""

    document: Any
    code: int
    error: str


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("llama")) as address:
        yield address


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory, llama: str) -> Iterator[RunningSystem]:
    with running_system(tmp_path_factory.mktemp("system")) as system:
        system.command("endpoint", "llama", *address(llama, WINDOW), "--concurrency", str(SLOTS))
        yield system


@pytest.fixture(scope="module")
def book(system: RunningSystem, tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("book") / "ferry.txt"
    path.write_text(STORY)
    return str(system.command("add_book", str(path), "--title", "The Ferry")["book"])


def address(base_url: str, window: int) -> list[str]:
    return ["--base-url", base_url, "--model", MODEL, "--context-window", str(window)]


def launch(system: RunningSystem, *arguments: str) -> Printed:
    """A command that launches a job and waits for it: it prints its document also when the job fails."""
    result = subprocess.run(
        [sys.executable, "manage.py", *arguments, "--wait"],
        cwd=PROJECT,
        env=system.environment,
        capture_output=True,
        text=True,
    )
    lines = result.stderr.strip().splitlines() or [""]
    assert result.stdout, result.stderr
    print(f"\n{' '.join(arguments[:1])}: {_without_verdicts(json.loads(result.stdout))}", lines[-1])
    return Printed(json.loads(result.stdout), result.returncode, lines[-1])


def _without_verdicts(document: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in document.items() if name != "summaries"})


def ledger(system: RunningSystem, job: int) -> Any:
    return system.command("shell", "--verbosity", "0", "--command", LEDGER.format(job=job))


def check_ledger(stored: Any, printed: Any) -> None:
    """Every attempt has its outcome with what the server said about it, and the printed figures are their sums."""
    attempts = stored["attempts"]
    assert len(attempts) == printed["attempts"] > 0
    assert stored["calls"] == printed["calls"]
    for attempt in attempts:
        assert attempt["finish_reason"] in ("stop", "length"), attempt
        assert (attempt["failure_kind"] == "") == (attempt["state"] == "answered"), attempt
        assert attempt["prompt_tokens"] > 0, attempt
        assert attempt["completion_tokens"] > 0, attempt
    assert sum(attempt["prompt_tokens"] for attempt in attempts) == printed["prompt_tokens"]
    assert sum(attempt["completion_tokens"] for attempt in attempts) == printed["completion_tokens"]
    assert stored["replies"] > 0


def test_the_connection_test_tells_model_and_window(system: RunningSystem, llama: str) -> None:
    found = system.command("endpoint", "llama", "--test")["connection"]
    assert (found["context_window"], found["context_window_is_maximum"]) == (WINDOW, False)
    assert found["other_models"] == []
    takes, *keeps = found["parameters"]
    assert takes == "Takes max_tokens and temperature."
    assert keeps in (["Keeps answers to a JSON schema."], [])  # a slow machine may not find it out in time
    assert not found["context_window_too_large"]
    larger = system.command("endpoint", "too-large", *address(llama, WINDOW + 1), "--test")["connection"]
    assert larger["context_window_too_large"]


def test_summarizing_ends_with_a_summary_or_says_why_not(system: RunningSystem, book: str) -> None:
    sizes = ["--chunk-size", "128", "--max-summary-tokens", "60", "--temperature", "0"]
    printed = launch(system, "summarize", "--book", book, "--endpoint", "llama", "--prompts", "simple", *sizes)
    (row,) = printed.document["summaries"]
    stored = ledger(system, printed.document["job"])
    check_ledger(stored, printed.document)
    if printed.document["state"] == "done":
        assert printed.code == 0
        assert stored["summaries"] == [row["summary"]]
        assert 0 < row["tokens"] <= 60
    else:
        assert (printed.document["state"], printed.code) == ("failed", 1)
        assert "No usable answer within" in printed.error
        assert (stored["summaries"], row["summary"]) == ([], None)


def test_judging_stores_one_verdict_a_sentence(system: RunningSystem, book: str, tmp_path: Path) -> None:
    """Of a summary by the baseline, which is there whatever the model made of the book."""
    made = launch(system, "summarize", "--book", book, "--endpoint", "extractive", "--max-summary-tokens", "60")
    (row,) = made.document["summaries"]
    (tmp_path / "get_annotations.txt").write_text(JUDGE_PROMPT)
    arguments = ["judge", "--summary", str(row["summary"]), "--endpoint", "llama", "--prompts", str(tmp_path)]
    # The model hardly ever ends by itself, and each try may be twice as long as the one before.
    arguments += ["--max-answer-tokens", "32"]
    printed = launch(system, *arguments)
    (judged,) = printed.document["summaries"]
    assert (printed.document["state"], printed.code) == ("done", 0), printed.error
    # An answer that can't be read is asked for again, up to three times in all; each is a call.
    assert 1 < judged["sentences"] <= printed.document["calls"] <= 3 * judged["sentences"]
    stored = ledger(system, printed.document["job"])
    check_ledger(stored, printed.document)
    assert len(stored["verdicts"]) == len(set(stored["verdicts"])) == judged["sentences"]
    again = launch(system, *arguments)
    assert (again.document["job"], again.document["calls"]) == (None, 0)
    assert ledger(system, printed.document["job"])["verdicts"] == stored["verdicts"]
