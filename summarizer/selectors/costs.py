"""What making summaries cost: of one summary, of a system, of a book. Known and possible cost apart, see `Spent`."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import QuerySet

from summarizer.jobs.spent import Spent, spent_by, total_spent
from summarizer.models import Book, JobItem, LLMAttempt, Summary, System


@dataclass(frozen=True, slots=True)
class SummaryCost:
    """`planned_usd` is the estimate from before the launch; None where there was none."""

    spent: Spent
    planned_usd: Decimal | None


def cost_of_summary(summary: Summary) -> SummaryCost | None:
    """None for a summary that was not made here, or without an LLM."""
    item = summary.job_item
    if item is None or not item.job.endpoint.is_llm:
        return None
    return SummaryCost(_sum(LLMAttempt.objects.filter(call__item=item)), _planned(item))


def cost_of_system(system: System) -> Spent:
    """Of all jobs that made summaries by `system`, also of items that failed."""
    return _sum(
        LLMAttempt.objects.filter(call__item__job__kind="summarize", call__item__job__parameters__system=system.pk)
    )


def cost_of_book(book: Book) -> Spent:
    """Of all summaries of `book`, also of items that failed."""
    return _sum(LLMAttempt.objects.filter(call__item__job__kind="summarize", call__item__book=book))


def _sum(attempts: QuerySet[LLMAttempt]) -> Spent:
    return total_spent(spent_by("call__item", attempts).values())


def _planned(item: JobItem) -> Decimal | None:
    planned = item.job.plan.get("items", [])
    cost = planned[item.index].get("cost_usd") if item.index < len(planned) else None
    return None if cost is None else Decimal(str(cost))
