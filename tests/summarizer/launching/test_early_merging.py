"""Merging begins before the last chunk is summarized, and what happens when that chunk fails or the worker stops."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import takewhile

import pytest
from django.db import connection

from summarizer.engine.loop import LEAD
from summarizer.jobs.runner import run_item
from summarizer.jobs.services import retry_job
from summarizer.models import Book, JobItem, LLMAttempt, Summary
from summarizer.selectors.chunks import source_chunks
from summarizer.services.books import add_book
from summarizer.services.launch import launch_summaries, plan_launch
from summarizer.services.systems import SystemParameters
from summarizer.strategies.asking import tokens_for
from summarizer.strategies.plan import expected_text
from tests.llm_server import NAMED, LLMServer, Request, Scripted, completion
from tests.summarizer.launching.conftest import run
from tests.summarizer.launching.test_methods import asked_words, step_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_merging_begins_while_the_last_chunk_is_still_being_summarized(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    parameters.endpoint.context_window = 700
    parameters.endpoint.save()
    parameters = replace(parameters, chunk_size=64, max_summary_tokens=100)
    planned = plan_launch(parameters=parameters, books=[book])
    last = source_chunks(book, 64)[-1].text

    def rule(request: Request) -> Scripted | str:
        answer = completion(expected_text(tokens_for(asked_words(request)) - 2))
        return replace(answer, wait=2.0) if last in request.prompt and step_of(request) == "summary" else answer

    llm_server.script(rule)
    run(launch_summaries(parameters=parameters, books=[book]))
    merges = [request for request in llm_server.requests if "story story" in request.prompt]
    slow = next(request for request in llm_server.requests if last in request.prompt)
    assert merges[0].at < slow.at + 2.0
    assert llm_server.calls == planned.total.calls
    assert JobItem.objects.get().calls_planned == planned.total.calls
    assert set(LLMAttempt.objects.values_list("number", "state")) == {(1, "answered")}


def test_books_take_turns_and_what_a_book_waits_for_goes_first(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    parameters.endpoint.context_window = 700
    parameters.endpoint.concurrency = 1
    parameters.endpoint.save()
    parameters = replace(parameters, chunk_size=64, max_summary_tokens=100)
    other = add_book(data=book.text.replace("the", "that").encode(), filename="other.txt", title="The other one")
    books = [book, other]
    chunks = [{chunk.text for chunk in source_chunks(each, 64)} for each in books]
    llm_server.script(
        lambda request: replace(completion(expected_text(tokens_for(asked_words(request)) - 2)), wait=0.02)
    )
    job = launch_summaries(parameters=parameters, books=books)
    with ThreadPoolExecutor(2) as pool:
        for running in [pool.submit(run_in_thread, item) for item in job.items.values_list("pk", flat=True)]:
            running.result()
    asked = [
        next((number for number, texts in enumerate(chunks) if any(text in request.prompt for text in texts)), None)
        for request in llm_server.requests
    ]
    of_chunks = [number for number in asked if number is not None]
    assert len(of_chunks) == sum(map(len, chunks))
    # The other one catches up with the first but for its lead; from then on each asks in its turn.
    first = of_chunks[0]
    asked_last = len(of_chunks) - of_chunks[::-1].index(first)
    leads = [2 * of_chunks[:place].count(first) - place for place in range(1, asked_last)]
    in_turn = list(takewhile(lambda lead: abs(lead - LEAD) <= 1, reversed(leads)))
    assert len(in_turn) > 8
    # Merges (None) do not wait for the chunks that are still to come.
    assert asked.index(None) < len(asked) - 1 - asked[::-1].index(of_chunks[-1]) - 4


def run_in_thread(item_id: int) -> None:
    try:
        run_item(item_id)
    finally:
        connection.close()


def test_a_chunk_that_fails_after_merging_began_fails_the_book_and_a_retry_asks_only_what_is_missing(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    parameters.endpoint.context_window = 700
    parameters.endpoint.save()
    parameters = replace(parameters, chunk_size=64, max_summary_tokens=100)
    planned = plan_launch(parameters=parameters, books=[book])
    last = source_chunks(book, 64)[-1].text
    refused = True

    def rule(request: Request) -> Scripted | str:
        if refused and last in request.prompt:
            return replace(NAMED["refusal"](), wait=0.5)
        return expected_text(tokens_for(asked_words(request)) - 2)

    llm_server.script(rule)
    job = launch_summaries(parameters=parameters, books=[book])
    run(job)
    assert JobItem.objects.get().state == "failed"
    assert not Summary.objects.exists()
    made = llm_server.calls
    refused = False
    retry_job(job=job)
    run(job)
    assert JobItem.objects.get().state == "done"
    assert llm_server.calls == planned.total.calls + 1
    assert llm_server.calls > made
