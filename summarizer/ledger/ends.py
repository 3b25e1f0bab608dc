"""What became of a request, as the ledger records it: state and cost from a reply or a failure."""

from decimal import Decimal
from uuid import UUID

from django.utils import timezone

from summarizer.ledger.costs import Prices, cost
from summarizer.ledger.records import End
from summarizer.models import LLMAttempt
from summarizer.providers.base import FailureKind, ProviderFailure, Reply


def end_of(
    result: Reply | ProviderFailure,
    *,
    call_id: int,
    number: int,
    item_id: int,
    lease: UUID,
    prices: Prices,
    latency_ms: int | None,
    call_ended: bool,
    counts: bool,
) -> End:
    """The end of an attempt that was made at `prices`; for the rest see `End`."""
    answered = isinstance(result, Reply)
    lost = isinstance(result, ProviderFailure) and result.lost
    spent = cost(result.usage, prices)
    if spent is None and not answered and not lost and prices.prompt is not None and prices.completion is not None:
        # Servers do not bill requests that they turned down.
        spent = Decimal(0)
    return End(
        call_id=call_id,
        number=number,
        item_id=item_id,
        lease=lease,
        state=_state(result),
        at=timezone.now(),
        latency_ms=latency_ms,
        usage=result.usage,
        cost_usd=spent,
        reply=result.text if isinstance(result, Reply) else result.partial_text,
        finish_reason=result.finish_reason,
        failure_kind=None if isinstance(result, Reply) else result.kind,
        failure="" if isinstance(result, Reply) else result.message,
        call_ended=call_ended,
        counts=counts,
    )


def _state(result: Reply | ProviderFailure) -> LLMAttempt.State:
    if isinstance(result, Reply):
        return LLMAttempt.State.ANSWERED
    if result.lost and result.kind is FailureKind.TRANSIENT:
        return LLMAttempt.State.UNKNOWN
    return LLMAttempt.State.FAILED
