"""Launching summaries: what the page and the command share. The plan comes first, then the job."""

import hashlib
import json
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.core.cache import cache
from django.db import transaction
from django.db.models import Q

from summarizer.jobs.launch_keys import LaunchKey, launched_with
from summarizer.jobs.services import launch_job
from summarizer.models import Book, Job, JobItem, Summary, System
from summarizer.selectors.books import included_ranges
from summarizer.selectors.chunks import source_chunks
from summarizer.services.books import lock_books
from summarizer.services.systems import (
    SystemParameters,
    check_parameters,
    existing_system,
    free_name,
    system_for,
)
from summarizer.strategies import incremental
from summarizer.strategies.base import Strategy
from summarizer.strategies.cleaning import made_and_cleaned, only_cleaned
from summarizer.strategies.fit import DoesNotFit
from summarizer.strategies.plan import Plan, plan, total
from summarizer.strategies.records import SourceChunk

SUMMARIZE = "summarize"


@dataclass(frozen=True, slots=True)
class BookPlan:
    """One book of a launch: its plan, or the `problem` that keeps it out.

    `limits` are the token limits of each level's summaries, from the lowest to the top. `most` is the plan if every
    update runs over and is compressed (incremental updating). Where the book is read at once, `source_tokens_read` of
    its `source_tokens` fit.
    """

    book: Book
    plan: Plan | None = None
    chunks: int = 0
    limits: tuple[int, ...] = ()
    most: Plan | None = None
    source_tokens: int | None = None
    source_tokens_read: int | None = None
    problem: str = ""
    #: Not worked out yet, for lack of time.
    pending: bool = False
    #: The summary that is there already, where that is the problem.
    summary: Summary | None = None
    #: The uncleaned summary that is there already, so that only its cleaning is left to do.
    uncleaned: Summary | None = None

    @property
    def source_cut(self) -> bool:
        return self.source_tokens != self.source_tokens_read


class LaunchRefused(Exception):
    """A launch that cannot be; the message names every book that stands in the way, and why."""

    @classmethod
    def because_of(cls, problems: Sequence[BookPlan]) -> "LaunchRefused":
        return cls(" ".join(f"{entry.book.title}: {entry.problem}" for entry in problems))


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """What a launch would do and cost, as shown before it."""

    parameters: SystemParameters
    system: System | None
    system_name: str
    books: list[BookPlan]
    total: Plan
    run: str = Job.Run.DIRECT

    @property
    def most(self) -> Plan | None:
        """The plan if every update is compressed; None where nothing is."""
        plans = [entry.most or entry.plan for entry in self.books if entry.plan]
        most = total(plan for plan in plans if plan)
        return most if most.calls > self.total.calls else None

    @property
    def by_batch(self) -> bool:
        return self.run == Job.Run.BATCH

    @property
    def seconds(self) -> float | None:
        """None by batch: the server takes the time it wants, up to a day a round."""
        return None if self.by_batch else self.total.seconds(self.parameters.endpoint)

    @property
    def problems(self) -> list[BookPlan]:
        return [entry for entry in self.books if entry.problem]

    @property
    def pending(self) -> list[BookPlan]:
        return [entry for entry in self.books if entry.pending]

    @property
    def cut(self) -> list[BookPlan]:
        return [entry for entry in self.books if entry.plan and entry.source_cut]

    @property
    def to_clean(self) -> list[BookPlan]:
        return [entry for entry in self.books if entry.uncleaned]

    @property
    def can_launch(self) -> bool:
        return bool(self.books) and not self.problems and not self.pending

    @property
    def digest(self) -> str:
        """Changes with anything that the person was shown; sent back with the launch."""
        content = [self.system_name, self.parameters.endpoint.pk, self.parameters.endpoint.model, self.as_json()]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """What is kept with the job. `items` has the books in the job's order."""
        items = [
            {
                "book": entry.book.pk,
                "calls": entry.plan.calls,
                "chunks": entry.chunks,
                "limits": list(entry.limits),
                "cost_usd": entry.plan.as_json()["cost_usd"],
            }
            for entry in self.books
            if entry.plan
        ]
        seconds = None if self.seconds is None else round(self.seconds)
        return {**self.total.as_json(), "run": str(self.run), "seconds": seconds, "items": items}


def plan_launch(
    *,
    parameters: SystemParameters,
    books: Sequence[Book],
    seconds: float = math.inf,
    run: str = Job.Run.DIRECT,
) -> LaunchPlan:
    """The plan for summarizing `books`, with what will not work for which of them.

    What is worked out is kept for a day. After `seconds` the remaining books are left pending: planning again goes on
    from there. Nothing is stored in the database. Raises `ParametersRefused` for parameters that work with no book.
    """
    check_parameters(parameters)
    system = existing_system(parameters)
    uncleaned = existing_system(parameters.uncleaned)
    made = _summaries(system, books)
    to_clean = _summaries(uncleaned, books) if parameters.cleaned else {}
    running = _running(books, system, uncleaned)
    deadline = time.monotonic() + seconds
    entries = [
        _taken(book, made.get(book.pk), running.get(book.pk))
        or _plan_book(book, parameters, to_clean.get(book.pk), deadline)
        for book in books
    ]
    if run == Job.Run.BATCH:
        entries = [_by_batch(entry) for entry in entries]
    return LaunchPlan(
        parameters=parameters,
        system=system,
        system_name=system.name if system else free_name(parameters),
        books=entries,
        total=total(entry.plan for entry in entries if entry.plan),
        run=run,
    )


def launch_summaries(
    *,
    parameters: SystemParameters,
    books: Sequence[Book],
    budget_usd: Decimal | None = None,
    launched_by: AbstractBaseUser | None = None,
    launch_key: LaunchKey | None = None,
    planned_as: str | None = None,
    run: str = Job.Run.DIRECT,
) -> Job:
    """Launch one job that summarizes `books`. The same launch sent again, under its `launch_key`, returns its job.

    `planned_as` is the digest of the plan that was shown: if prices, sections or the endpoint have changed since, so
    that the plan is another one, nothing is launched. Nor is it when the choice of sections changes while the plan is
    worked out, or another launch is quicker: the books are locked, as by `choose_sections`. Raises `LaunchRefused`,
    `ParametersRefused` or `JobError`; then nothing is stored.
    """
    if launched := launched_with(launch_key, launched_by):
        return launched
    sections = _included(books)
    planned = plan_launch(parameters=parameters, books=books, run=run)
    if planned.problems:
        # The first of two clicks may have launched in the meantime, and be the very problem.
        if launched := launched_with(launch_key, launched_by):
            return launched
        raise LaunchRefused.because_of(planned.problems)
    if planned_as and planned_as != planned.digest:
        raise LaunchRefused("The plan is no longer the one that was shown. Look at the new one, then launch.")
    with transaction.atomic():
        lock_books([book.pk for book in books])
        if launched := launched_with(launch_key, launched_by):
            return launched
        _refuse_other_sections(books, sections)
        system = system_for(parameters=parameters)
        uncleaned = system_for(parameters=parameters.uncleaned) if parameters.cleaned else None
        _refuse_taken(books, system, uncleaned)
        job_parameters = {"system": system.pk}
        if uncleaned:
            job_parameters["uncleaned"] = uncleaned.pk
        return launch_job(
            kind=SUMMARIZE,
            endpoint=parameters.endpoint,
            subjects=list(books),
            parameters=job_parameters,
            plan=planned.as_json(),
            budget_usd=budget_usd,
            launched_by=launched_by,
            launch_key=launch_key,
            run=run,
        )


def _included(books: Sequence[Book]) -> dict[int, list[tuple[int, int]]]:
    return {book.pk: included_ranges(book) for book in books}


def _refuse_other_sections(books: Sequence[Book], planned: dict[int, list[tuple[int, int]]]) -> None:
    now = _included(books)
    if changed := [book.title for book in books if now[book.pk] != planned[book.pk]]:
        raise LaunchRefused(
            f"The choice of sections of {', '.join(changed)} changed while the plan was worked out, so nothing was "
            "launched. Look at the new plan, then launch."
        )


def _refuse_taken(books: Sequence[Book], system: System, uncleaned: System | None) -> None:
    """What another launch has begun or ended while this one was planned."""
    made, running = _summaries(system, books), _running(books, system, uncleaned)
    taken = [_taken(book, made.get(book.pk), running.get(book.pk)) for book in books]
    if problems := [entry for entry in taken if entry]:
        raise LaunchRefused.because_of(problems)


def _by_batch(entry: BookPlan) -> BookPlan:
    return replace(
        entry,
        plan=entry.plan.by_batch() if entry.plan else None,
        most=entry.most.by_batch() if entry.most else None,
    )


def _summaries(system: System | None, books: Sequence[Book]) -> dict[int, Summary]:
    if system is None:
        return {}
    return {summary.book_id: summary for summary in system.summaries.filter(book__in=books).defer("text")}


def _running(books: Sequence[Book], *systems: System | None) -> dict[int | None, int]:
    """Jobs by the book of which they are making a summary of one of `systems`, cleaned or not."""
    keys = [system.pk for system in systems if system]
    items = JobItem.objects.filter(
        Q(job__parameters__system__in=keys) | Q(job__parameters__uncleaned__in=keys),
        book__in=books,
        state__in=JobItem.UNFINISHED,
        job__kind=SUMMARIZE,
    )
    return dict(items.values_list("book_id", "job_id")) if keys else {}


def _taken(book: Book, made: Summary | None, running_job: int | None) -> BookPlan | None:
    if made:
        return BookPlan(book, problem="There is a summary by this system already.", summary=made)
    if running_job:
        return BookPlan(book, problem=f"Job {running_job} is making this summary already.")
    return None


def _plan_book(book: Book, parameters: SystemParameters, uncleaned: Summary | None, deadline: float) -> BookPlan:
    if not book.text_sha256:
        return BookPlan(book, problem="There is no text: the book came with an imported study.")
    if not included_ranges(book):
        return BookPlan(book, problem="All its sections are left out. Include at least one.")
    key = _cache_key(book, parameters, uncleaned)
    if (entry := cache.get(key)) is None:
        if time.monotonic() > deadline:
            return BookPlan(book, pending=True)
        entry = _cleaning(uncleaned, parameters) if uncleaned else _computed(book, parameters)
        cache.set(key, entry, timeout=24 * 3600)
    return BookPlan(book, uncleaned=uncleaned, **entry)


def _computed(book: Book, parameters: SystemParameters) -> dict[str, Any]:
    """The part of a `BookPlan` that takes time: it reads and counts the whole text."""
    chunks = source_chunks(book, parameters.piece_size)
    if not chunks:
        return {"problem": "Its included sections hold no text."}
    count = len(chunks) if parameters.method.is_chunked else 1
    try:
        planned = plan(_strategy(chunks, parameters), parameters.endpoint)
        most = None
        if parameters.strategy == System.Strategy.INCREMENTAL:
            most = plan(_strategy(chunks, parameters), parameters.endpoint, answer=incremental.longest_answer)
    except DoesNotFit as error:
        return {"problem": str(error), "chunks": count}
    made = planned.result.made if parameters.cleaned else planned.result
    return {
        "plan": planned.without_result(),
        "most": most.without_result() if most else None,
        "chunks": count,
        "limits": made.limits,
        "source_tokens": made.source_tokens,
        "source_tokens_read": made.source_tokens_read,
    }


def _cleaning(uncleaned: Summary, parameters: SystemParameters) -> dict[str, Any]:
    """The same where only the cleaning of a summary is left to do."""
    try:
        planned = plan(only_cleaned(uncleaned.text, parameters.settings()), parameters.endpoint)
    except DoesNotFit as error:
        return {"problem": str(error)}
    return {"plan": planned.without_result()}


def _strategy(chunks: Sequence[SourceChunk], parameters: SystemParameters) -> Strategy[Any]:
    making = parameters.method.run(chunks, parameters.settings())
    return made_and_cleaned(making, parameters.settings()) if parameters.cleaned else making


def _cache_key(book: Book, parameters: SystemParameters, uncleaned: Summary | None) -> str:
    """States all that a book's plan depends on, its own form included: what is kept may be older than this code."""
    endpoint = parameters.endpoint
    content = [
        [field.name for field in fields(Plan)],
        book.text_sha256,
        included_ranges(book),
        parameters.strategy,
        parameters.cleaned,
        uncleaned.text_sha256 if uncleaned else None,
        parameters.used_prompts,
        parameters.piece_size,
        parameters.max_summary_tokens,
        endpoint.provider,
        endpoint.context_window,
        endpoint.concurrency,
        str(endpoint.price_prompt),
        str(endpoint.price_completion),
    ]
    return "launch-plan-with-rounds:" + hashlib.sha256(json.dumps(content).encode()).hexdigest()
