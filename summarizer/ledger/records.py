"""What the event loop tells the ledger: that a request is about to leave, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from uuid import UUID

from summarizer.models import LLMAttempt
from summarizer.providers.base import FailureKind, Usage


class Permission(Enum):
    """Whether a request may leave, decided in the transaction that writes it as sent."""

    GO = "go"
    CANCELLED = "cancelled"
    PAUSED = "paused"
    LEASE_LOST = "lease lost"
    OVER_BUDGET = "over budget"


@dataclass(frozen=True, slots=True)
class Start:
    """A request that wants to leave: attempt `number` of a call, for an item held under `lease`."""

    call_id: int
    number: int
    item_id: int
    lease: UUID
    step: str
    worst_cost: Decimal | None
    at: datetime


@dataclass(frozen=True, slots=True)
class End:
    """What became of an attempt. `call_ended` says whether the call is over with it.

    `counts` says that the call is the first try of its question: its answer adds to the item's progress, that of a
    further try only where no other try has one.
    """

    call_id: int
    number: int
    item_id: int
    lease: UUID
    state: LLMAttempt.State
    at: datetime
    latency_ms: int | None
    usage: Usage
    cost_usd: Decimal | None
    reply: str = ""
    finish_reason: str = ""
    failure_kind: FailureKind | None = None
    failure: str = ""
    call_ended: bool = True
    counts: bool = False
