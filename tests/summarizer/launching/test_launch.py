"""Planning and launching: systems by their parameters, what is refused, and that the plan is what is really done."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest
from django.core.cache import cache

from summarizer.jobs.launch_keys import KeyTaken, LaunchKey
from summarizer.jobs.selectors import job_progress
from summarizer.jobs.services import JobError, retry_job
from summarizer.models import Book, Job, JobItem, PromptSet, Summary, SummaryNode, System
from summarizer.selectors.chunks import source_chunks
from summarizer.services.launch import LaunchRefused, launch_summaries, plan_launch
from summarizer.services.prompt_sets import load_prompt_set
from summarizer.services.systems import ParametersRefused, SystemParameters, parameters_of, system_for
from summarizer.strategies.plan import expected_text
from summarizer.tokens import count_tokens
from tests.llm_server import NAMED, LLMServer, Request, Scripted, completion
from tests.summarizer.launching.conftest import run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_plans_from_other_tests() -> None:
    cache.clear()


# --- systems ----------------------------------------------------------------------------------------------------------


def test_the_same_parameters_are_the_same_system(parameters: SystemParameters) -> None:
    assert system_for(parameters=parameters) == system_for(parameters=parameters)
    assert parameters_of(system_for(parameters=parameters)) == parameters


def test_names_say_what_differs(baseline: SystemParameters, parameters: SystemParameters) -> None:
    assert system_for(parameters=baseline).name == "extractive-200-hier"
    assert system_for(parameters=parameters).name == "scripted-200-hier-300t"
    warm = replace(parameters, temperature=1.0)
    assert system_for(parameters=warm).name == "scripted-200-hier-300t-temp1"
    parameters.endpoint.model = "test-2"
    parameters.endpoint.save()
    assert system_for(parameters=parameters).name == "scripted-200-hier-300t-2"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategy": "imported"}, r"'imported' can't be launched\. There are: hierarchical, incremental, one-pass"),
        ({"chunk_size": 10}, "chunk size must be at least 64"),
        ({"max_summary_tokens": 10}, "longest summary must be at least 50"),
        ({"temperature": 3.0}, "temperature must be between 0 and 2"),
    ],
)
def test_parameters_that_work_with_no_book(
    book: Book, parameters: SystemParameters, change: dict[str, object], message: str
) -> None:
    with pytest.raises(ParametersRefused, match=message):
        launch_summaries(parameters=replace(parameters, **change), books=[book])
    assert not Job.objects.exists()


def test_a_prompt_set_without_a_needed_file_is_refused(book: Book, parameters: SystemParameters) -> None:
    judging = PromptSet.objects.create(
        name="mine", content_sha256="x", placeholders="named", files={"get_annotations.txt": "{summary} {sentence}"}
    )
    with pytest.raises(ParametersRefused, match=r"mine can't be used .* It lacks get_summaries_hier/init\.txt, "):
        plan_launch(parameters=replace(parameters, prompt_set=judging), books=[book])


def test_a_system_whose_endpoint_now_has_another_model_is_refused(book: Book, parameters: SystemParameters) -> None:
    system = system_for(parameters=parameters)
    parameters.endpoint.model = "test-2"
    parameters.endpoint.save()
    with pytest.raises(ParametersRefused, match=r"made with the model test-1 .* now has test-2"):
        parameters_of(System.objects.get(pk=system.pk))


# --- the plan and what is done ----------------------------------------------------------------------------------------


def test_the_plan_is_what_is_really_asked(
    llm_server: LLMServer, make_book: Callable[..., Book], parameters: SystemParameters
) -> None:
    """With answers of full length, calls, prompt tokens and completion tokens are those of the plan."""
    books = [make_book("The Mill", 60), make_book("The Pond", 7)]
    planned = plan_launch(parameters=parameters, books=books)
    llm_server.script(lambda request: completion(expected_text(request.max_tokens)))
    job = launch_summaries(parameters=parameters, books=books)
    run(job)
    progress = job_progress(job)
    assert progress.state == "done"
    assert llm_server.calls == planned.total.calls == progress.spent.calls
    assert sum(map(count_tokens, llm_server.prompts)) == planned.total.prompt_tokens
    assert sum(request.max_tokens for request in llm_server.requests) == planned.total.completion_tokens
    assert planned.total.cost_usd == Decimal(
        planned.total.prompt_tokens * 10 + planned.total.completion_tokens * 20
    ) / Decimal(1_000_000)
    assert [item.calls_planned for item in job.items.all()] == [
        entry.plan.calls for entry in planned.books if entry.plan
    ]


def test_a_summary_comes_with_every_node(llm_server: LLMServer, book: Book, parameters: SystemParameters) -> None:
    llm_server.script(lambda request: f"Answer {request.number} tells of Emma and Rolf.")
    job = launch_summaries(parameters=parameters, books=[book])
    run(job)
    summary = Summary.objects.get(job_item__job=job)
    nodes = list(SummaryNode.objects.filter(summary=summary).prefetch_related("sources"))
    leaves = [node for node in nodes if node.level == 0]
    assert leaves[0].chunk_start == 0
    assert leaves[-1].chunk_end == len(book.text)
    assert all(left.chunk_end == right.chunk_start for left, right in pairwise(leaves))
    (top,) = [node for node in nodes if node.level == max(node.level for node in nodes)]
    assert top.text == summary.text
    assert all(node.call_id for node in nodes)
    assert {source.pk for node in nodes for source in node.sources.all()} == {node.pk for node in nodes} - {top.pk}
    assert summary.sentences.count() == 1


def test_the_baseline_makes_a_summary_without_an_llm(book: Book, baseline: SystemParameters) -> None:
    job = launch_summaries(parameters=baseline, books=[book])
    run(job)
    summary = Summary.objects.get()
    assert summary.system.is_baseline
    assert job_progress(job).spent.prompt_tokens == 0
    assert all(sentence in book.text for sentence in summary.text.split("\n\n")[0].split(". ")[:1])


def test_a_failed_chunk_stops_the_merge_and_a_retry_makes_only_what_is_missing(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    """Failure case 34: the third chunk is refused; after a fix, a retry asks for it and goes on to the merge."""
    chunks = plan_launch(parameters=parameters, books=[book]).books[0].chunks
    third = source_chunks(book, parameters.chunk_size)[2].text
    llm_server.script(lambda request: NAMED["refusal"]() if third in request.prompt else "Emma left.")
    job = launch_summaries(parameters=parameters, books=[book])
    run(job)
    item = job.items.get()
    assert item.state == JobItem.State.FAILED
    assert f"chunk 3 of {chunks}" in item.error
    assert llm_server.calls == chunks
    assert not Summary.objects.exists()
    llm_server.script(lambda request: "Emma left.")
    retry_job(job=job)
    run(job)
    assert llm_server.calls == chunks + 1 + 1
    assert Summary.objects.count() == 1


def test_a_retry_pays_nothing_that_another_job_is_at_or_has_done(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    llm_server.script(lambda request: NAMED["refusal"]())
    first = launch_summaries(parameters=parameters, books=[book])
    run(first)
    llm_server.script(lambda request: "Emma left.")
    second = launch_summaries(parameters=parameters, books=[book])
    with pytest.raises(JobError, match=f"Job {second.pk} is at the same work already"):
        retry_job(job=first)
    run(second)
    before = llm_server.calls
    retry_job(job=first)
    run(first)
    assert llm_server.calls == before
    assert "has a summary of" in first.items.get().error


def test_a_plan_that_takes_long_goes_on_where_it_stopped(
    make_book: Callable[..., Book], baseline: SystemParameters
) -> None:
    books = [make_book("The Mill"), make_book("The Pond")]
    first = plan_launch(parameters=baseline, books=books, seconds=-1)
    assert [entry.pending for entry in first.books] == [True, True]
    assert not first.can_launch
    plan_launch(parameters=baseline, books=books[:1])
    second = plan_launch(parameters=baseline, books=books, seconds=-1)
    assert [entry.pending for entry in second.books] == [False, True]


def test_a_retry_asks_all_questions_anew_whose_answers_did_not_serve(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    """Two chunks get six answers that are too long; one retry by hand asks both again, and nothing else."""
    chunks = source_chunks(book, parameters.chunk_size)
    unlucky = [chunks[0].text, chunks[2].text]
    too_long = expected_text(parameters.max_summary_tokens + 1)
    llm_server.script(lambda request: too_long if any(text in request.prompt for text in unlucky) else "Emma left.")
    job = launch_summaries(parameters=parameters, books=[book])
    run(job)
    assert job.items.get().state == JobItem.State.FAILED
    assert llm_server.calls == len(chunks) - 2 + 2 * 6
    llm_server.script(lambda request: "Emma left.")
    retry_job(job=job)
    run(job)
    assert llm_server.calls == len(chunks) - 2 + 2 * 6 + 2 + 1
    assert Summary.objects.count() == 1


def test_a_retry_does_not_ask_again_for_a_cut_off_answer_that_was_mended(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    """With the simple prompts "Emma left. Then Rolf" is cut at its last sentence end and serves; the third chunk is
    refused. Six tries that are cut off in mid-sentence each serve nothing: that question is asked anew too."""
    simple = replace(parameters, prompt_set=load_prompt_set("simple"))
    first, second, third = (chunk.text for chunk in source_chunks(book, simple.chunk_size)[:3])
    others = len(source_chunks(book, simple.chunk_size)) - 3

    def rule(request: Request) -> Scripted | str:
        if first in request.prompt:
            return completion("Emma left. Then Rolf", finish_reason="length")
        if second in request.prompt:
            return completion("Emma left and Rolf", finish_reason="length")
        return NAMED["refusal"]() if third in request.prompt else "Emma left."

    llm_server.script(rule)
    job = launch_summaries(parameters=simple, books=[book])
    run(job)
    assert job.items.get().state == JobItem.State.FAILED
    assert llm_server.calls == 1 + 6 + 1 + others
    llm_server.script(lambda request: "Emma left.")
    retry_job(job=job)
    run(job)
    asked_again = llm_server.prompts[1 + 6 + 1 + others :]
    assert not any(first in prompt for prompt in asked_again)
    assert len(asked_again) == 1 + 1 + 1
    assert Summary.objects.get().nodes.get(level=0, index=0).removed == "Then Rolf"


# --- what stands in the way -------------------------------------------------------------------------------------------


def test_books_that_have_the_summary_are_named(make_book: Callable[..., Book], baseline: SystemParameters) -> None:
    done, fresh = make_book("The Mill"), make_book("The Pond")
    run(launch_summaries(parameters=baseline, books=[done]))
    planned = plan_launch(parameters=baseline, books=[done, fresh])
    assert [entry.book for entry in planned.problems] == [done]
    with pytest.raises(LaunchRefused, match=r"^The Mill: There is a summary by this system already\.$"):
        launch_summaries(parameters=baseline, books=[done, fresh])
    assert Job.objects.count() == 1


def test_a_book_that_is_being_summarized_is_not_launched_again(book: Book, baseline: SystemParameters) -> None:
    job = launch_summaries(parameters=baseline, books=[book])
    with pytest.raises(LaunchRefused, match=f"Job {job.pk} is making this summary already"):
        launch_summaries(parameters=baseline, books=[book])


def test_what_does_not_fit_names_the_largest_chunk_that_would(book: Book, parameters: SystemParameters) -> None:
    parameters.endpoint.context_window = 700
    parameters.endpoint.save()
    tight = replace(parameters, chunk_size=600, max_summary_tokens=100)
    (entry,) = plan_launch(parameters=tight, books=[book]).books
    assert "The largest chunk size that fits is" in entry.problem
    largest = int(entry.problem.rsplit(" ", 1)[1].rstrip("."))
    assert not plan_launch(parameters=replace(tight, chunk_size=largest), books=[book]).problems


def test_books_without_text_or_sections_are_refused(book: Book, baseline: SystemParameters) -> None:
    empty = Book.objects.create(title="Imported", source_format=Book.Format.NO_TEXT)
    book.sections.update(included=False)
    problems = [entry.problem for entry in plan_launch(parameters=baseline, books=[empty, book]).books]
    assert problems[0].startswith("There is no text")
    assert problems[1].startswith("All its sections are left out")


def test_a_launch_without_books_is_refused(baseline: SystemParameters) -> None:
    with pytest.raises(JobError, match="Choose at least one book"):
        launch_summaries(parameters=baseline, books=[])
    assert not System.objects.exists()


def test_a_budget_needs_prices(book: Book, parameters: SystemParameters) -> None:
    parameters.endpoint.price_prompt = parameters.endpoint.price_completion = None
    parameters.endpoint.save()
    with pytest.raises(JobError, match="has no prices"):
        launch_summaries(parameters=parameters, books=[book], budget_usd=Decimal(1))
    assert not System.objects.exists()


def test_one_client_key_launches_once(book: Book, baseline: SystemParameters, sent: list[int]) -> None:
    key = LaunchKey.of(uuid.uuid4(), {"books": [book]})
    first = launch_summaries(parameters=baseline, books=[book], launch_key=key)
    assert launch_summaries(parameters=baseline, books=[book], launch_key=key) == first
    with pytest.raises(KeyTaken, match=f"launched job {first.pk} already"):
        launch_summaries(parameters=baseline, books=[book], launch_key=LaunchKey.of(key.key, {"books": []}))
    assert Job.objects.count() == 1
    assert sent == [first.items.get().pk]


def test_a_plan_that_has_changed_since_it_was_shown_is_not_launched(book: Book, parameters: SystemParameters) -> None:
    shown = plan_launch(parameters=parameters, books=[book]).digest
    parameters.endpoint.price_prompt = Decimal(1000)
    parameters.endpoint.save()
    with pytest.raises(LaunchRefused, match="no longer the one that was shown"):
        launch_summaries(parameters=parameters, books=[book], planned_as=shown)
    now = plan_launch(parameters=parameters, books=[book]).digest
    assert launch_summaries(parameters=parameters, books=[book], planned_as=now)


def test_an_endpoint_changed_after_the_launch_stops_the_job_in_plain_words(
    llm_server: LLMServer, book: Book, parameters: SystemParameters
) -> None:
    job = launch_summaries(parameters=parameters, books=[book])
    parameters.endpoint.model = "test-2"
    parameters.endpoint.save()
    run(job)
    item = job.items.get()
    assert item.state == JobItem.State.FAILED
    assert "was made with the model test-1" in item.error
    assert llm_server.calls == 0
