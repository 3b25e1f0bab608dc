"""Bringing what came of a batch into the ledger: once, however often and by however many workers it is tried."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from operator import methodcaller

from django.db import transaction
from django.utils import timezone

from summarizer.batches.lines import LineOutcome, NotRun, line_name, outcome_of_missing, outcomes
from summarizer.batches.remote import ask, delete_files
from summarizer.batches.rows import end, give_back_attempts
from summarizer.engine.lanes import REPLACEMENTS
from summarizer.engine.retries import STOPS_ITEM, TRIED_AGAIN
from summarizer.jobs.advice import BATCH_LOST, BATCH_REFUSED
from summarizer.ledger import rows
from summarizer.ledger.calls import GROUP, answered_questions, is_first_try
from summarizer.ledger.costs import batch_prices_of
from summarizer.ledger.ends import end_of
from summarizer.ledger.parameters import keep_replacement
from summarizer.ledger.records import End
from summarizer.models import JobItem, LLMAttempt, LLMBatch
from summarizer.providers.base import FailureKind, ProviderFailure, Reply
from summarizer.providers.openai_batches import NotThere, RemoteBatch

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Ended:
    """An attempt with what came of it."""

    attempt: LLMAttempt
    outcome: Reply | ProviderFailure

    @property
    def step(self) -> str:
        return self.attempt.call.step

    @property
    def lost(self) -> bool:
        return isinstance(self.outcome, ProviderFailure) and self.outcome.lost

    @property
    def replaced(self) -> str | None:
        """The parameter that the server refused and that something takes the place of."""
        failure = self.outcome
        if not isinstance(failure, ProviderFailure) or failure.kind is not FailureKind.UNSUPPORTED_PARAMETER:
            return None
        asked = self.attempt.call.parameters
        sent = asked.get("sent", asked)
        return failure.parameter if failure.parameter in REPLACEMENTS and failure.parameter in sent else None

    @property
    def stops_item(self) -> ProviderFailure | None:
        failure = self.outcome
        stops = isinstance(failure, ProviderFailure) and failure.kind in STOPS_ITEM and not self.replaced
        return failure if stops else None  # type: ignore[return-value]

    def end(self, batch: LLMBatch) -> End:
        again = isinstance(self.outcome, ProviderFailure) and self.outcome.kind in TRIED_AGAIN
        return end_of(
            self.outcome,
            call_id=self.attempt.call_id,
            number=self.attempt.number,
            item_id=batch.item_id,
            # No worker holds the item under a lease.
            lease=batch.key,
            prices=batch_prices_of(batch.endpoint),
            latency_ms=None,
            call_ended=not again and not self.replaced,
            counts=is_first_try(self.step),
        )


def collect(batch: LLMBatch, remote: RemoteBatch) -> None:
    """Record what came of each call of a batch that has ended on the server. Raises `ProviderFailure`.

    Lines are matched by their name, never by their place. Its files, which hold the texts, are deleted from the server
    then; the answers stay there if one of them could not be read.
    """
    if remote.status == "failed" and not remote.output_file_id:
        _refused(batch, remote)
        delete_files(batch.endpoint, batch.base_url, [remote.input_file_id])
        return
    try:
        found = _download(batch, remote)
    except NotThere as failure:
        lose(batch, f"The answers of the batch are no longer on the server. {failure}")
        return
    attempts = LLMAttempt.objects.filter(batch=batch, state=LLMAttempt.State.SENT).select_related("call")
    ended, not_run = [], []
    for attempt in attempts.order_by("pk"):
        outcome = found.get(line_name(attempt.call_id, attempt.number)) or outcome_of_missing(remote.status)
        if isinstance(outcome, NotRun):
            not_run.append(attempt.pk)
        else:
            ended.append(_Ended(attempt, outcome))
    _write(batch, ended, not_run)
    answers = [] if any(each.lost for each in ended) else [remote.output_file_id, remote.error_file_id]
    delete_files(batch.endpoint, batch.base_url, [remote.input_file_id, *answers])


def lose(batch: LLMBatch, problem: str) -> None:
    """Give up a batch that the server knows no more: its calls may have been billed."""
    attempts = LLMAttempt.objects.filter(batch=batch, state=LLMAttempt.State.SENT)
    with transaction.atomic():
        if end(batch, LLMBatch.State.LOST, problem):
            attempts.update(
                state=LLMAttempt.State.UNKNOWN,
                failure_kind=FailureKind.TRANSIENT,
                failure=problem,
                ended_at=timezone.now(),
            )
            _fail_item(batch, BATCH_LOST, problem, batch.first_step)


def _refused(batch: LLMBatch, remote: RemoteBatch) -> None:
    problem = remote.errors or "The server did not say why."
    with transaction.atomic():
        if end(batch, LLMBatch.State.REFUSED, problem):
            give_back_attempts(batch)
            _fail_item(batch, BATCH_REFUSED, f"The server refused the batch. {problem}", batch.first_step)


def _download(batch: LLMBatch, remote: RemoteBatch) -> Mapping[str, LineOutcome]:
    found: dict[str, LineOutcome] = {}
    for file_id in filter(None, (remote.output_file_id, remote.error_file_id)):
        content = ask(batch.endpoint, batch.base_url, methodcaller("content", file_id))
        found = {**outcomes(content), **found}
    return found


@transaction.atomic
def _write(batch: LLMBatch, ended: list[_Ended], not_run: list[int]) -> None:
    """All of a batch in one transaction: a worker that dies in it leaves the batch to be collected anew."""
    if not end(batch, LLMBatch.State.COLLECTED):
        return
    for start in range(0, len(not_run), GROUP):
        give_back_attempts(batch, not_run[start : start + GROUP])
    for start in range(0, len(ended), GROUP):
        rows.write_ends([each.end(batch) for each in ended[start : start + GROUP]])
    for parameter in {each.replaced for each in ended if each.replaced}:
        keep_replacement(endpoint_id=batch.endpoint_id, parameter=parameter, replacement=REPLACEMENTS[parameter])
    JobItem.objects.filter(pk=batch.item_id).update(calls_done=answered_questions(batch.item_id))
    for each in ended:
        if failure := each.stops_item:
            _fail_item(batch, failure.kind, failure.message, each.step)
            return


def _fail_item(batch: LLMBatch, kind: str, message: str, step: str) -> None:
    """Only one that waits: another is run by a worker, or was stopped."""
    JobItem.objects.filter(pk=batch.item_id, state=JobItem.State.IN_BATCH).update(
        state=JobItem.State.FAILED, error_kind=kind[:30], error=message, step=step[:200], ended_at=timezone.now()
    )
