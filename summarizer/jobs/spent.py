"""What calls took: tokens and cost, summed over the ledger's attempts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from django.db.models import Count, Q, QuerySet, Sum

from summarizer.models import LLMAttempt


@dataclass(frozen=True, slots=True)
class Spent:
    """What the ledger counts. Costs in USD; None where the endpoint has no prices.

    `cost_usd` is known; `possible_usd` is what lost answers and calls in flight may cost at most on top of it.
    """

    calls: int = 0
    attempts: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: Decimal | None = None
    possible_usd: Decimal | None = None
    #: Attempts whose answer was lost.
    unknown: int = 0
    #: Requests of their own whose answers are still to come.
    under_way: int = 0
    #: {kind of failure: attempts}
    failures: dict[str, int] = field(default_factory=dict)


def spent_by(group: str, attempts: QuerySet[LLMAttempt]) -> dict[int, Spent]:
    """Sums of `attempts` for each value of `group`, in two queries."""
    failures: dict[int, dict[str, int]] = {}
    for key, kind, number in (
        attempts.exclude(failure_kind="").order_by().values_list(group, "failure_kind").annotate(number=Count("pk"))
    ):
        failures.setdefault(key, {})[kind] = number
    sums = (
        attempts.order_by()
        .values(group)
        .annotate(
            calls=Count("call", distinct=True),
            attempts=Count("pk"),
            prompt=Sum("prompt_tokens"),
            cached=Sum("cached_tokens"),
            completion=Sum("completion_tokens"),
            cost=Sum("cost_usd"),
            possible=Sum("possible_cost_usd", filter=Q(cost_usd=None)),
            priced=Count("possible_cost_usd"),
            unknown=Count("pk", filter=Q(state=LLMAttempt.State.UNKNOWN)),
            under_way=Count("pk", filter=Q(state=LLMAttempt.State.SENT, batch=None)),
        )
    )
    return {
        row[group]: Spent(
            calls=row["calls"],
            attempts=row["attempts"],
            prompt_tokens=row["prompt"] or 0,
            cached_tokens=row["cached"] or 0,
            completion_tokens=row["completion"] or 0,
            cost_usd=(row["cost"] or Decimal(0)) if row["priced"] else None,
            possible_usd=(row["possible"] or Decimal(0)) if row["priced"] else None,
            unknown=row["unknown"],
            under_way=row["under_way"],
            failures=failures.get(row[group], {}),
        )
        for row in sums
    }


def total_spent(parts: Iterable[Spent]) -> Spent:
    """The sum of several; a cost is None only if no part has one."""
    parts = list(parts)
    failures: dict[str, int] = {}
    for part in parts:
        for kind, number in part.failures.items():
            failures[kind] = failures.get(kind, 0) + number
    known = [part.cost_usd for part in parts if part.cost_usd is not None]
    possible = [part.possible_usd for part in parts if part.possible_usd is not None]
    return Spent(
        calls=sum(part.calls for part in parts),
        attempts=sum(part.attempts for part in parts),
        prompt_tokens=sum(part.prompt_tokens for part in parts),
        cached_tokens=sum(part.cached_tokens for part in parts),
        completion_tokens=sum(part.completion_tokens for part in parts),
        cost_usd=sum(known, Decimal(0)) if known else None,
        possible_usd=sum(possible, Decimal(0)) if possible else None,
        unknown=sum(part.unknown for part in parts),
        under_way=sum(part.under_way for part in parts),
        failures=failures,
    )
