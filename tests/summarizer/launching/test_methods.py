"""Every strategy from launch to stored summary, over HTTP: bad answers at each step, what a retry asks, cleaning."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from summarizer.jobs.services import retry_job
from summarizer.models import Book, Job, JobItem, LLMAttempt, PromptSet, Summary, System
from summarizer.services import launch as launch_service
from summarizer.services.launch import LaunchRefused, launch_summaries, plan_launch
from summarizer.services.prompt_sets import load_prompt_set
from summarizer.services.systems import ParametersRefused, SystemParameters, system_for
from summarizer.strategies.asking import tokens_for
from summarizer.strategies.plan import expected_text
from summarizer.tokens import count_tokens
from tests.llm_server import NAMED, LLMServer, Request, Scripted
from tests.summarizer.launching.conftest import launch_form, run
from tests.summarizer.launching.test_pages import words

pytestmark = pytest.mark.django_db(transaction=True)

#: 40 words: within 20 % of what compressions of the tests ask for, see `Script`.
GOOD = " ".join(["Emma rows to Rolf."] * 10)


@pytest.fixture(autouse=True)
def _no_plans_from_other_tests() -> None:
    cache.clear()


@pytest.fixture
def incremental(parameters: SystemParameters) -> SystemParameters:
    """G = 100 tokens: 65 words; updates run up to 150 tokens."""
    return replace(parameters, strategy="incremental", max_summary_tokens=100)


@pytest.fixture
def one_pass(parameters: SystemParameters) -> SystemParameters:
    return replace(parameters, strategy="one-pass")


def step_of(request: Request) -> str:
    """What a prompt of the default set is for."""
    marks = {"to shorten:\n": "compression", "next part": "update", "first part": "first", "these traces": "cleaning"}
    return next((step for mark, step in marks.items() if mark in request.prompt), "summary")


def asked_words(request: Request) -> int:
    return int(re.findall(r"(?:about|at most) (\d+) words", request.prompt)[-1])


class Script:
    """Answers every step well, but the first ones of `step` with `bad`; updates of the given numbers run over."""

    def __init__(self, step: str = "", bad: list[Scripted | str] | None = None, long_updates: tuple[int, ...] = ()):
        self.step, self.bad, self.long_updates = step, bad or [], long_updates
        self.steps: list[str] = []

    def __call__(self, request: Request) -> Scripted | str:
        step = step_of(request)
        self.steps.append(step)
        if step == self.step and self.bad:
            return self.bad.pop(0)
        if step == "compression":
            return " ".join(["story"] * asked_words(request)) + "."
        if step == "cleaning":
            return GOOD
        if self.steps.count("update") in self.long_updates and step == "update":
            return expected_text(120)
        return GOOD


# --- the plan and what is done ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["hierarchical", "incremental", "one-pass"])
@pytest.mark.parametrize("cleaned", [False, True])
def test_the_plan_is_what_is_really_asked(
    llm_server: LLMServer, book: Book, parameters: SystemParameters, strategy: str, cleaned: bool
) -> None:
    parameters = replace(parameters, strategy=strategy, cleaned=cleaned, max_summary_tokens=150)
    planned = plan_launch(parameters=parameters, books=[book])

    def answer(request: Request) -> str:
        if step_of(request) == "cleaning":
            return expected_text(150)
        return expected_text(min(request.max_tokens, tokens_for(asked_words(request)), 150))

    llm_server.script(answer)
    run(launch_summaries(parameters=parameters, books=[book]))
    assert Summary.objects.filter(system__cleaned=cleaned).count() == 1
    assert llm_server.calls == planned.total.calls
    if strategy != "hierarchical":
        assert sum(map(count_tokens, llm_server.prompts)) == planned.total.prompt_tokens


def test_the_plan_of_the_most_is_what_is_asked_when_every_update_runs_over(
    llm_server: LLMServer, book: Book, incremental: SystemParameters
) -> None:
    planned = plan_launch(parameters=incremental, books=[book])
    script = Script(long_updates=tuple(range(1, 100)))
    llm_server.script(lambda request: expected_text(120) if step_of(request) == "first" else script(request))
    run(launch_summaries(parameters=incremental, books=[book]))
    assert planned.most is not None
    assert llm_server.calls == planned.most.calls == 2 * planned.total.calls


# --- incremental ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["first", "update", "compression"])
@pytest.mark.parametrize("bad", ["length", "empty", "null", "too long"])
def test_a_bad_answer_at_any_step_is_asked_for_again(
    llm_server: LLMServer, book: Book, incremental: SystemParameters, step: str, bad: str
) -> None:
    script = Script(step, [expected_text(151) if bad == "too long" else NAMED[bad]()], long_updates=(2,))
    llm_server.script(script)
    run(launch_summaries(parameters=incremental, books=[book]))
    summary = Summary.objects.get()
    chunks = plan_launch(parameters=replace(incremental, temperature=1.0), books=[book]).books[0].chunks
    kinds = [node.kind for node in summary.nodes.all()]
    assert (kinds.count("update"), kinds.count("compression")) == (chunks, 1)
    assert len(script.steps) == chunks + 1 + 1
    assert all(node.tokens <= 100 for node in summary.nodes.filter(kind="compression"))
    assert "leaves and Rolf" not in summary.text


def test_a_compression_that_never_serves_fails_and_nothing_over_the_limit_is_stored(
    llm_server: LLMServer, book: Book, incremental: SystemParameters
) -> None:
    """The second update runs over and its compression never fits; a retry asks for that compression alone, then on."""
    script = Script("compression", [expected_text(101)] * 6, long_updates=(1,))
    llm_server.script(script)
    job = launch_summaries(parameters=incremental, books=[book])
    run(job)
    item = job.items.get()
    assert (item.state, item.error_kind) == (JobItem.State.FAILED, "truncated")
    assert "compression after update 2 of" in item.error
    assert script.steps == ["first", "update", *["compression"] * 6]
    assert not Summary.objects.exists()
    script.steps.clear()
    script.long_updates = ()
    retry_job(job=job)
    run(job)
    chunks = job.plan["items"][0]["chunks"]
    assert script.steps[0] == "compression"
    assert len(script.steps) == 1 + chunks - 2
    assert Summary.objects.get().nodes.filter(kind="compression").count() == 1


def test_a_retry_after_a_refused_update_makes_only_the_missing_calls(
    llm_server: LLMServer, book: Book, incremental: SystemParameters
) -> None:
    script = Script("update", [GOOD, GOOD, NAMED["refusal"]()])
    llm_server.script(script)
    job = launch_summaries(parameters=incremental, books=[book])
    run(job)
    assert job.items.get().state == JobItem.State.FAILED
    assert script.steps == ["first", "update", "update", "update"]
    script.steps.clear()
    retry_job(job=job)
    run(job)
    assert len(script.steps) == job.plan["items"][0]["chunks"] - 3
    assert Summary.objects.count() == 1


def test_the_steps_are_shown_in_order_with_what_each_compression_took_out(
    admin: Client,
    llm_server: LLMServer,
    book: Book,
    incremental: SystemParameters,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    llm_server.script(Script(long_updates=(1, 3)))
    run(launch_summaries(parameters=incremental, books=[book]))
    summary = Summary.objects.get()
    with django_assert_max_num_queries(8):
        page = admin.get(f"/summaries/{summary.pk}/tree/")
    names = re.findall(r'<span class="tree-name">([^<]+)</span>', page.content.decode())
    count = summary.nodes.filter(kind="update").count()
    assert names[:6] == [
        f"First summary, chunk 1 of {count}",
        f"Update 2 of {count}",
        "Compression",
        f"Update 3 of {count}",
        f"Update 4 of {count}",
        "Compression",
    ]
    assert "<del>" in page.content.decode()
    first, second = summary.nodes.filter(level=1)
    assert f"{first.tokens} → {second.tokens} tokens" in words(page)


# --- one pass ---------------------------------------------------------------------------------------------------------


def test_a_book_that_does_not_fit_is_cut_and_says_so_everywhere(
    admin: Client, llm_server: LLMServer, make_book: Callable[..., Book], one_pass: SystemParameters
) -> None:
    book = make_book(sentences=200)
    plan = words(admin.post("/jobs/launch/plan/", launch_form(book, one_pass, chunk_size="")))
    assert "1 of 1 book does not fit the window of 2,000 tokens and will be cut" in plan
    llm_server.script(lambda request: GOOD)
    admin.post("/jobs/launch/", launch_form(book, one_pass, chunk_size=""))
    job = Job.objects.get()
    run(job)
    summary = Summary.objects.get()
    assert summary.system.name == "scripted-one-pass-300t"
    assert summary.source_cut
    assert summary.source_tokens is not None
    assert summary.source_tokens_read is not None
    badge = f"Source cut: first {summary.source_tokens_read:,} of {summary.source_tokens:,} tokens"
    assert badge in words(admin.get(f"/summaries/{summary.pk}/"))
    assert badge in words(admin.get(f"/jobs/{job.pk}/"))
    node = summary.nodes.get()
    assert node.chunk_end is not None
    assert book.text[: node.chunk_end].endswith("harbour of Rolf.")
    assert count_tokens(book.text[: node.chunk_end]) == summary.source_tokens_read
    assert book.text[: node.chunk_end] in llm_server.prompts[0]


def test_the_chunk_size_makes_no_other_one_pass_system(one_pass: SystemParameters) -> None:
    assert system_for(parameters=one_pass) == system_for(parameters=replace(one_pass, chunk_size=777))


# --- cleaning ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def cleaned(incremental: SystemParameters) -> SystemParameters:
    return replace(incremental, cleaned=True)


def test_both_versions_are_stored_and_lead_to_each_other(
    admin: Client, llm_server: LLMServer, book: Book, cleaned: SystemParameters
) -> None:
    raw = "In this part, Emma rows to Rolf. " * 5 + "Then Emma sails home."
    clean = raw.replace("In this part, Emma", "Emma", 1)
    llm_server.script(lambda request: clean if step_of(request) == "cleaning" else raw)
    job = launch_summaries(parameters=cleaned, books=[book])
    run(job)
    second = Summary.objects.get(system__cleaned=True)
    first = Summary.objects.get(system__cleaned=False)
    assert (first.text, second.text, second.cleaned_from) == (raw, clean, first)
    assert (second.system.name, first.system.name) == ("scripted-200-inc-100t-cleaned", "scripted-200-inc-100t")
    assert admin.get(f"/summaries/{second.pk}/tree/")["Location"] == f"/summaries/{first.pk}/tree/"
    assert second.job_item == job.items.get()
    assert first.nodes.filter(kind="update").exists()
    assert [node.kind for node in second.nodes.all()] == ["cleaning"]
    for page, other in ((first, second), (second, first)):
        content = admin.get(f"/summaries/{page.pk}/").content.decode()
        assert f'href="/summaries/{other.pk}/"' in content
        assert "<del>In this part, </del>" in content


def test_a_cleaning_that_fails_keeps_the_uncleaned_summary_and_a_retry_only_cleans(
    admin: Client, llm_server: LLMServer, book: Book, cleaned: SystemParameters
) -> None:
    script = Script("cleaning", ["Emma rows.", NAMED["empty"](), NAMED["length"]()])
    llm_server.script(script)
    job = launch_summaries(parameters=cleaned, books=[book])
    run(job)
    item = job.items.get()
    assert item.state == JobItem.State.FAILED
    assert "The uncleaned summary is kept with the book" in item.error
    kept = Summary.objects.get()
    assert (kept.text, kept.system.cleaned) == (GOOD, False)
    assert script.steps[-3:] == ["cleaning"] * 3
    script.steps.clear()
    retry_job(job=job)
    run(job)
    assert script.steps == ["cleaning"]
    assert Summary.objects.get(system__cleaned=True).cleaned_from == kept


def test_a_summary_that_is_there_already_is_cleaned_with_one_call(
    admin: Client, llm_server: LLMServer, book: Book, cleaned: SystemParameters
) -> None:
    script = Script()
    llm_server.script(script)
    run(launch_summaries(parameters=cleaned.uncleaned, books=[book]))
    script.steps.clear()
    planned = plan_launch(parameters=cleaned, books=[book])
    assert (planned.total.calls, planned.most) == (1, None)
    assert "only its cleaning is left to do" in words(
        admin.post("/jobs/launch/plan/", launch_form(book, cleaned, cleaned="on"))
    )
    run(launch_summaries(parameters=cleaned, books=[book]))
    assert script.steps == ["cleaning"]


def test_a_book_is_not_made_and_cleaned_by_two_jobs_at_once(book: Book, cleaned: SystemParameters) -> None:
    job = launch_summaries(parameters=cleaned, books=[book])
    for parameters in (cleaned, cleaned.uncleaned):
        with pytest.raises(LaunchRefused, match=f"Job {job.pk} is making this summary already"):
            launch_summaries(parameters=parameters, books=[book])


def test_the_baseline_makes_all_kinds(book: Book, baseline: SystemParameters) -> None:
    for strategy in ("hierarchical", "incremental", "one-pass"):
        run(launch_summaries(parameters=replace(baseline, strategy=strategy, cleaned=True), books=[book]))
    assert Summary.objects.filter(system__cleaned=True).count() == 3
    assert all(summary.system.is_baseline for summary in Summary.objects.all())
    assert LLMAttempt.objects.filter(prompt_tokens__gt=0).count() == 0


# --- prompt sets ------------------------------------------------------------------------------------------------------


def test_the_simple_set_mends_answers_and_shows_what_was_taken_out(
    admin: Client, llm_server: LLMServer, make_book: Callable[..., Book], parameters: SystemParameters
) -> None:
    llm_server.script(lambda request: NAMED["length"]() if llm_server.calls == 1 else "Summary: Emma left. Rolf was")
    simple = replace(parameters, prompt_set=load_prompt_set("simple"))
    run(launch_summaries(parameters=simple, books=[make_book(sentences=3)]))
    summary = Summary.objects.get()
    # "Emma leaves and Rolf" has no sentence end, so it is asked for again.
    assert (summary.text, llm_server.calls) == ("Emma left.", 2)
    assert summary.nodes.get().removed == "Summary:\nRolf was"
    assert "Taken out of the answer" in words(admin.get(f"/summaries/{summary.pk}/tree/"))
    replies = list(LLMAttempt.objects.order_by("pk").values_list("reply", flat=True))
    assert replies == ["Emma leaves and Rolf", "Summary: Emma left. Rolf was"]
    with pytest.raises(ParametersRefused, match=r"simple can't be used for incremental updating\. It lacks "):
        plan_launch(parameters=replace(simple, strategy="incremental"), books=[])


def test_a_system_depends_only_on_the_prompt_files_it_uses(
    book: Book, parameters: SystemParameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changed(**files: str) -> SystemParameters:
        files = {path.replace("__", "/") + ".txt": text for path, text in files.items()}
        prompt_set = PromptSet.objects.create(
            name="default",
            content_sha256=str(PromptSet.objects.count()),
            placeholders="named",
            files={**parameters.prompt_set.files, **files},
        )
        return replace(parameters, prompt_set=prompt_set)

    system = system_for(parameters=parameters)
    plan_launch(parameters=parameters, books=[book])
    other_file = changed(get_summaries_inc__init="Begin: {text}")
    assert system_for(parameters=other_file) == system
    # Nor is the plan worked out anew.
    monkeypatch.setattr(launch_service, "_computed", None)
    assert plan_launch(parameters=other_file, books=[book]).can_launch
    assert system_for(parameters=changed(get_summaries_hier__init="Part: {text}")) != system
    incremental = replace(parameters, strategy="incremental")
    assert system_for(parameters=incremental) != system_for(parameters=replace(other_file, strategy="incremental"))
    cleaned = system_for(parameters=replace(parameters, cleaned=True))
    assert system_for(parameters=replace(other_file, cleaned=True)) == cleaned
    assert system_for(parameters=replace(changed(remove_artifacts="Clean: {summary}"), cleaned=True)) != cleaned
    assert System.objects.count() == 6
