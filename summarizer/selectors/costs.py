"""What making summaries cost: of one summary, of a system, of a book. Known and possible cost apart, see `Spent`."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Q, QuerySet

from summarizer.jobs.spent import Spent, spent_by, total_spent
from summarizer.models import Book, Endpoint, Job, JobItem, LLMAttempt, Summary, System


@dataclass(frozen=True, slots=True)
class SummaryCost:
    """`planned_usd` is the estimate from before the launch; None where there was none."""

    spent: Spent
    planned_usd: Decimal | None


def cost_of_summary(summary: Summary) -> SummaryCost | None:
    """None for a summary that was not made here, or without an LLM."""
    items = items_that_made(Summary.objects.filter(pk=summary.pk))
    items = items.filter(job__endpoint__provider=Endpoint.Provider.OPENAI)
    return _cost(items) if items.exists() else None


def cost_of_system(system: System) -> SummaryCost:
    """Of all jobs that made summaries by `system`, also of items that failed."""
    by_it = Q(job__parameters__system=system.pk) | Q(job__parameters__uncleaned=system.pk)
    return _cost(JobItem.objects.filter(by_it, job__kind="summarize", calls__isnull=False))


def items_that_made(summaries: QuerySet[Summary]) -> QuerySet[JobItem]:
    """The job items that made `summaries`. One that made a cleaned summary made the uncleaned one beside it too."""
    made = Q(summary_made__in=summaries)
    beside: dict[int, list[int]] = defaultdict(list)
    for system, book in summaries.filter(job_item=None, system__endpoint__isnull=False).values_list("system", "book"):
        beside[system].append(book)
    for system, books in beside.items():
        made |= Q(job__kind="summarize", job__parameters__uncleaned=system, book__in=books)
    return JobItem.objects.filter(made)


def planned_cost(items: QuerySet[JobItem]) -> Decimal | None:
    """The estimates from before the launch, summed. None where there are no items, or one has none."""
    places = set(items.order_by().values_list("pk", "job", "index"))
    plans = dict(Job.objects.filter(pk__in={job for _, job, _ in places}).values_list("pk", "plan"))
    return _all_known(_planned_of(plans[job], index) for _, job, index in places)


def cost_of_book(book: Book) -> SummaryCost | None:
    """Of all summaries of `book`, also of items that failed. None where no LLM was asked."""
    items = JobItem.objects.filter(book=book, job__kind="summarize", calls__isnull=False)
    items = items.filter(job__endpoint__provider=Endpoint.Provider.OPENAI)
    return _cost(items) if items.exists() else None


def _cost(items: QuerySet[JobItem]) -> SummaryCost:
    attempts = LLMAttempt.objects.filter(call__item__in=items.order_by().values("pk"))
    return SummaryCost(_sum(attempts), planned_cost(items))


def _sum(attempts: QuerySet[LLMAttempt]) -> Spent:
    return total_spent(spent_by("call__item", attempts).values())


def _planned_of(plan: dict[str, Any], index: int) -> Decimal | None:
    planned = plan.get("items", [])
    cost = planned[index].get("cost_usd") if index < len(planned) else None
    return None if cost is None else Decimal(str(cost))


def _all_known(amounts: Iterable[Decimal | None]) -> Decimal | None:
    total: Decimal | None = None
    for amount in amounts:
        if amount is None:
            return None
        total = (total or Decimal(0)) + amount
    return total
