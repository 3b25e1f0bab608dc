"""Jobs take hardly longer than the official client alone, or than their critical path (ratios of one run).

`make benchmark` measures at full size and holds the results against the budgets; the ordinary run makes small ones,
which only show that the measurements work.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from django.db import connection

from annotation.judge.judges import judge_parameters
from annotation.judge.launch_plan import judged_summary
from annotation.judge.services import launch_judge_job
from annotation.judge.strategy import sentence_prompt
from summarizer.jobs import queue
from summarizer.jobs.runner import run_item
from summarizer.jobs.selectors import job_progress
from summarizer.models import Book, Endpoint, Job, Summary
from summarizer.selectors.chunks import source_chunks
from summarizer.services.books import add_book
from summarizer.services.launch import launch_summaries, plan_launch
from summarizer.services.prompt_sets import load_prompt_set, prompt_files
from summarizer.services.systems import SystemParameters
from summarizer.strategies.asking import words_for
from summarizer.strategies.levels import INIT
from summarizer.tokens import encode
from tests.benchmarks.bare_client import LATENCY, scripted_server, seconds_of_bare_client
from tests.benchmarks.test_chunking_speed import novel
from tests.factories import make_summary

pytestmark = pytest.mark.django_db(transaction=True)

IN_FLIGHT = 64
#: Tokens of the novel that the budgets speak of.
NOVEL_TOKENS = 161_000


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with scripted_server() as url:
        yield url


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "send", lambda items: None)


def endpoint(base_url: str, concurrency: int) -> Endpoint:
    return Endpoint.objects.create(
        name="scripted", base_url=base_url, model="test-1", context_window=8192, concurrency=concurrency
    )


def seconds_of_job(job: Job) -> float:
    """Wall time of a worker with sixteen threads for all items, from the claim of the first to the end of the last."""

    def work(item_id: int) -> None:
        try:
            run_item(item_id)
        finally:
            connection.close()

    items = list(job.items.order_by("index").values_list("pk", flat=True))
    with ThreadPoolExecutor(16) as pool:
        start = time.perf_counter()
        for running in [pool.submit(work, item) for item in items]:
            running.result()
        seconds = time.perf_counter() - start
    progress = job_progress(job)
    assert progress.state == "done", [item.error for item in progress.items]
    assert progress.spent.attempts == progress.planned
    return seconds


@dataclass
class Round:
    bare: float
    ours: float


def best(rounds: int, bare: Callable[[], float], ours: Callable[[int], float]) -> Round:
    """The fastest of several rounds of both, which take turns in going first."""
    times: list[Round] = []
    for number in range(rounds):
        if number % 2:
            ours_seconds = ours(number)
            times.append(Round(bare(), ours_seconds))
        else:
            bare_seconds = bare()
            times.append(Round(bare_seconds, ours(number)))
    return Round(min(each.bare for each in times), min(each.ours for each in times))


# --- judging --------------------------------------------------------------------------------------------------------


def judging(base_url: str, sentences: int, per_summary: int, rounds: int) -> Round:
    text = novel(sentences * 400)
    summaries: list[Summary] = []
    made = make_summary(text.replace("\n\n", " "))
    all_sentences = [made.text[each.start : each.end] for each in made.sentences.order_by("index")][:sentences]
    for start in range(0, sentences, per_summary):
        summaries.append(make_summary(" ".join(all_sentences[start : start + per_summary])))
    assert sum(summary.sentences.count() for summary in summaries) == sentences
    prompts = load_prompt_set("default")
    scripted = endpoint(base_url, IN_FLIGHT)
    judged = [judged_summary(summary, summary.sentences.order_by("index")) for summary in summaries]
    files = prompt_files(prompts)
    questions = [sentence_prompt(each, files, index) for each in judged for index in range(len(each.sentences))]

    def ours(number: int) -> float:
        parameters = judge_parameters(endpoint=scripted, prompt_set=prompts, repeat=number + 1)
        job = launch_judge_job(parameters=parameters, summaries=summaries).job
        assert job is not None
        return seconds_of_job(job)

    return best(rounds, lambda: seconds_of_bare_client(base_url, questions, IN_FLIGHT, 256), ours)


@pytest.mark.benchmark
def test_judging_927_sentences(base_url: str) -> None:
    found = judging(base_url, 927, 46, rounds=3)
    budget = 1.4 if connection.vendor == "postgresql" else 1.2
    ratio = found.ours / found.bare
    print(f"\njudging 927 sentences: {ratio:.2f} x the bare client ({found.ours:.2f} s, {found.bare:.2f} s)")
    assert ratio <= budget


def test_judging_a_few_sentences(base_url: str) -> None:
    found = judging(base_url, 60, 20, rounds=1)
    # One after the other they would take 60 times as long as one.
    assert found.ours < 60 * LATENCY


# --- summarizing ----------------------------------------------------------------------------------------------------


def book_of(tokens: int, number: int) -> Book:
    text = novel(tokens * 5)
    while (count := len(encode(text))) > tokens * 1.002:
        text = text[: int(len(text) * tokens / count)]
    return add_book(data=f"Book {number}.\n\n{text}".encode(), filename="book.txt", title=f"Book {number}")


@dataclass
class Shape:
    """What a job is made of: calls in all, and those of the longest chain of which each needs the one before."""

    calls: int
    chain: int
    prompts: list[str]


@dataclass
class Bare:
    """What no engine can undercut: seconds of the critical path, and of a call at the bare client's full rate.

    On the path, a book is made into chunks, its chunks are asked about at once, then one merge after the other.
    """

    path: float
    call: float


def summarizing(base_url: str, books: list[Book], concurrency: int, rounds: int) -> tuple[float, Bare, Shape]:
    """Seconds of the job, the bare client's figures in the same rounds, and what the job is made of."""
    prompts = load_prompt_set("default")
    scripted = endpoint(base_url, concurrency)

    def parameters(number: int) -> SystemParameters:
        # Another temperature is another system, so each round is made anew.
        return SystemParameters(scripted, prompts, chunk_size=2048, temperature=0.5 + number / 100)

    plans = plan_launch(parameters=parameters(0), books=books).books
    words = str(words_for(plans[0].limits[0]))
    files = prompt_files(prompts)
    questions = [files.render(INIT, text=chunk.text, words=words) for chunk in source_chunks(books[0], 2048)]
    times: list[tuple[float, Bare]] = []
    for number in range(rounds):
        job = launch_summaries(parameters=parameters(number), books=books)
        seconds = seconds_of_job(job)
        items = list(job.items.all())
        merges = max(item.calls_done - entry.chunks for item, entry in zip(items, plans, strict=True))
        shape = Shape(sum(item.calls_done for item in items), 1 + merges, questions)
        times.append((seconds, bare_figures(base_url, books[0], shape, concurrency)))
    best_bare = Bare(min(bare.path for _, bare in times), min(bare.call for _, bare in times))
    return min(seconds for seconds, _ in times), best_bare, shape


def bare_figures(base_url: str, book: Book, shape: Shape, concurrency: int) -> Bare:
    start = time.perf_counter()
    source_chunks(book, 2048)
    path = time.perf_counter() - start
    path += seconds_of_bare_client(base_url, shape.prompts, len(shape.prompts), 600)
    path += seconds_of_bare_client(base_url, shape.prompts[: shape.chain - 1], 1, 600)
    repeated = [*shape.prompts] * max(1, min(shape.calls, 860) // len(shape.prompts))
    return Bare(path, seconds_of_bare_client(base_url, repeated, concurrency, 600) / len(repeated))


@pytest.mark.benchmark
def test_the_hierarchical_summary_of_a_novel(base_url: str) -> None:
    seconds, bare, shape = summarizing(base_url, [book_of(NOVEL_TOKENS, 1)], 128, rounds=3)
    ratio = seconds / bare.path
    print(f"\na novel, {shape.calls} calls: {ratio:.2f} x its critical path ({seconds:.2f} s, {bare.path:.2f} s)")
    assert 79 <= len(shape.prompts) <= 82
    assert ratio <= 1.3


@pytest.mark.benchmark
def test_ten_novels_at_once(base_url: str) -> None:
    books = [book_of(NOVEL_TOKENS, number) for number in range(10)]
    seconds, bare, shape = summarizing(base_url, books, IN_FLIGHT, rounds=3)
    by_rate = shape.calls * bare.call
    ratio = seconds / max(bare.path, by_rate)
    print(
        f"\nten novels, {shape.calls} calls: {ratio:.2f} x the longer of critical path and bare rate "
        f"({seconds:.2f} s; {bare.path:.2f} s, {by_rate:.2f} s)"
    )
    assert ratio <= 1.2


def test_a_short_book(base_url: str) -> None:
    seconds, bare, shape = summarizing(base_url, [book_of(12_000, 1)], 128, rounds=1)
    assert shape.calls > shape.chain > 1
    # Not one after the other: that would take at least so long.
    assert seconds < shape.calls * LATENCY + 5
    assert bare.path >= shape.chain * LATENCY
