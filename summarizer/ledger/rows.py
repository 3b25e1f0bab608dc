"""The statements of the ledger thread. Called inside its transaction; one statement for all rows of a kind.

Each statement lets other threads have the interpreter, and while calls are under way it takes long to get it back.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import DecimalField, IntegerField, Model, Q, Sum
from django.db.models.functions import Coalesce

from summarizer.ledger.calls import is_first_answer
from summarizer.ledger.records import End, Permission, Start
from summarizer.models import Job, JobItem, LLMAttempt, LLMCall

_ENDED = (
    "state",
    "failure_kind",
    "failure",
    "reply",
    "finish_reason",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "cost_usd",
    "latency_ms",
    "ended_at",
)


@dataclass(frozen=True, slots=True)
class _Item:
    """What decides whether the calls of an item may leave."""

    id: int
    job_id: int
    lease: UUID | None
    state: str
    cancelled_at: datetime | None
    paused_at: datetime | None
    budget_usd: Decimal | None


def write_starts(starts: Sequence[Start]) -> list[Permission]:
    """Decide for each whether it may leave, and write those that may as sent."""
    if not starts:
        return []
    permissions = _permissions(starts)
    going = [start for start, permission in zip(starts, permissions, strict=True) if permission is Permission.GO]
    # One that is there already was written by this very group, in a transaction whose end the database did not confirm.
    _insert(
        LLMAttempt,
        ("call_id", "number", "started_at", "possible_cost_usd"),
        [(start.call_id, start.number, start.at, start.worst_cost) for start in going],
    )
    return permissions


def write_ends(ends: Sequence[End]) -> None:
    """Complete attempts, and close or keep open their calls."""
    if not ends:
        return
    # A late end by a worker that was given up for dead still records its answer, but never overwrites one.
    _update(
        LLMAttempt,
        keys=("call_id", "number"),
        assigned=_ENDED,
        rows=[(end.call_id, end.number, *_ended_values(end)) for end in ends],
        condition="state IN ('sent', 'unknown')",
    )
    done = [end.call_id for end in ends if end.call_ended and end.state == LLMAttempt.State.ANSWERED]
    failed = [end.call_id for end in ends if end.call_ended and end.state != LLMAttempt.State.ANSWERED]
    LLMCall.objects.filter(pk__in=done).update(state=LLMCall.State.DONE)
    if failed:
        LLMCall.objects.filter(pk__in=failed, state=LLMCall.State.OPEN).update(state=LLMCall.State.FAILED)


def write_progress(ends: Sequence[End], going: Sequence[Start]) -> None:
    """Add the questions that have their first answer now to the progress of their items, and name the latest steps.

    Failures add nothing. A worker that lost its lease changes nothing: the new holder counts for itself.
    """
    answered = Counter((end.item_id, end.lease) for end in ends if _is_progress(end))
    steps = {(start.item_id, start.lease): start.step[:200] for start in going}
    table = connection.ops.quote_name(JobItem._meta.db_table)
    _update(
        JobItem,
        keys=("id", "lease"),
        assigned=("calls_done", "step"),
        rows=[(*key, answered[key], steps.get(key, "")) for key in sorted({*answered, *steps}, key=str)],
        changes={
            "calls_done": f"{table}.calls_done + {{value}}",
            "step": f"CASE {{value}} WHEN '' THEN {table}.step ELSE {{value}} END",
        },
    )


def _is_progress(end: End) -> bool:
    if not end.call_ended or end.state != LLMAttempt.State.ANSWERED:
        return False
    return end.counts or is_first_answer(end.call_id)


def _permissions(starts: Sequence[Start]) -> list[Permission]:
    items = {
        row[0]: _Item(*row)
        for row in JobItem.objects.filter(pk__in={start.item_id for start in starts})
        .order_by()
        .values_list("pk", "job", "lease", "state", "job__cancelled_at", "job__paused_at", "job__budget_usd")
    }
    spent = _spent({item.job_id for item in items.values() if item.budget_usd is not None})
    return [_permission(start, items.get(start.item_id), spent) for start in starts]


def _permission(start: Start, item: _Item | None, spent: dict[int, Decimal]) -> Permission:
    if item is None or item.lease != start.lease or item.state != JobItem.State.RUNNING:
        return Permission.LEASE_LOST
    if item.cancelled_at is not None:
        return Permission.CANCELLED
    if item.paused_at is not None:
        return Permission.PAUSED
    budget = item.budget_usd
    if budget is not None:
        # Without a price nothing can be promised, so nothing is sent.
        if start.worst_cost is None or spent[item.job_id] + start.worst_cost > budget:
            return Permission.OVER_BUDGET
        spent[item.job_id] += start.worst_cost
    return Permission.GO


def _spent(job_ids: set[int]) -> dict[int, Decimal]:
    """What jobs have cost and may have cost so far, under a lock until the transaction ends: {job: USD}."""
    if not job_ids:
        return {}
    list(Job.objects.select_for_update().filter(pk__in=job_ids).order_by("pk").values_list("pk"))
    sums = (
        LLMAttempt.objects.filter(call__item__job__in=job_ids)
        .order_by()
        .values_list("call__item__job")
        .annotate(
            known=Coalesce(Sum("cost_usd"), Decimal(0)),
            possible=Coalesce(Sum("possible_cost_usd", filter=Q(cost_usd=None)), Decimal(0)),
        )
    )
    return dict.fromkeys(job_ids, Decimal(0)) | {job_id: known + possible for job_id, known, possible in sums}


def _ended_values(end: End) -> tuple[Any, ...]:
    usage = end.usage
    return (
        end.state,
        end.failure_kind or "",
        end.failure,
        end.reply,
        end.finish_reason[:50],
        usage.prompt_tokens,
        usage.cached_tokens,
        usage.completion_tokens,
        end.cost_usd,
        end.latency_ms,
        end.at,
    )


def _insert(model: type[Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert many rows in one statement, leaving out those that are there already.

    A row of `rows` holds the values of `columns`; the other columns get their defaults. The ORM's `bulk_create` takes
    several times as long.
    """
    if not rows:
        return
    quote = connection.ops.quote_name
    given = _given(model, columns)
    others = [field for field in model._meta.concrete_fields if field.attname not in given and not field.primary_key]
    defaults = {field.attname: field.get_default() for field in others if field.get_default() is not None}
    into = ", ".join(quote(name) for name in (*given, *defaults))
    chosen = ", ".join([*(_typed(field, value) for field, value in given.values()), *["%s"] * len(defaults)])
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quote(model._meta.db_table)} ({into}) SELECT {chosen} FROM {_places(rows)} WHERE TRUE "  # noqa: S608
            "ON CONFLICT DO NOTHING",
            [*defaults.values(), *_prepared(given, rows)],
        )


def _update(
    model: type[Model],
    *,
    keys: Sequence[str],
    assigned: Sequence[str],
    rows: Sequence[Sequence[Any]],
    condition: str = "TRUE",
    changes: Mapping[str, str] | None = None,
) -> None:
    """Update many rows, each with values of its own, in one statement.

    A row of `rows` holds the values of the columns `keys`, which find it, and of the columns `assigned`. `changes` has
    an expression with a "{value}" for columns that are not simply set. The ORM's `bulk_update` takes far longer.
    """
    if not rows:
        return
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    given = _given(model, (*keys, *assigned))
    values = {name: _typed(field, value) for name, (field, value) in given.items()}
    setting = ", ".join(
        f"{quote(name)} = {(changes or {}).get(name, '{value}').format(value=values[name])}" for name in assigned
    )
    finding = " AND ".join(f"{table}.{quote(name)} = {given[name][1]}" for name in keys)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} SET {setting} FROM {_places(rows)} WHERE {finding} AND {condition}",  # noqa: S608
            _prepared(given, rows),
        )


def _given(model: type[Model], columns: Sequence[str]) -> dict[str, tuple[Any, str]]:
    """By column its field, and the name of its value in `_places`."""
    return {
        name: (model._meta.get_field(name.removesuffix("_id")), f"given.column{place}")
        for place, name in enumerate(columns, start=1)
    }


def _places(rows: Sequence[Sequence[Any]]) -> str:
    row = f"({', '.join(['%s'] * len(rows[0]))})"
    return f"(VALUES {', '.join([row] * len(rows))}) AS given"


def _prepared(given: Mapping[str, tuple[Any, str]], rows: Sequence[Sequence[Any]]) -> list[Any]:
    fields = [field for field, _ in given.values()]
    return [field.get_db_prep_save(value, connection) for row in rows for field, value in zip(fields, row, strict=True)]


def _typed(field: Any, value: str) -> str:
    """PostgreSQL takes a column of nothing but NULL for text."""
    if isinstance(field, DecimalField):
        return f"CAST({value} AS numeric)"
    return f"CAST({value} AS integer)" if isinstance(field, IntegerField) else value
