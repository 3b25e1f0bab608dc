"""Calls as rows: the key that makes a call itself, what is already answered, and what is to be sent."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from summarizer.ledger.costs import prices_of, worst_cost, worst_prompt_tokens
from summarizer.models import Endpoint, LLMAttempt, LLMCall
from summarizer.providers.base import CompletionRequest, FailureKind, parameters_asked
from summarizer.strategies.base import Answer, Failure, Outcome, Step
from summarizer.tokens import count_tokens

#: Failures that belong to the prompt: a strategy that is played again meets them again, without another request.
REPLAYED_FAILURES = frozenset(
    {
        FailureKind.TRUNCATED,
        FailureKind.EMPTY,
        FailureKind.REFUSED,
        FailureKind.FILTERED,
        FailureKind.CONTEXT_TOO_LONG,
    }
)
#: Rows in one query; well below SQLite's limit on parameters.
GROUP = 500


@dataclass(frozen=True, slots=True)
class Call:
    """A call to make: its row, its request and the number of its next attempt."""

    id: int
    step: str
    request: CompletionRequest
    number: int
    #: Prompt and answer at most, for limits on tokens a minute.
    tokens: int
    worst_cost: Decimal | None
    #: The parameters that its row says were sent.
    recorded_parameters: Mapping[str, Any]

    @property
    def is_first_try(self) -> bool:
        return is_first_try(self.step)

    @property
    def names(self) -> Collection[str]:
        """Names of the parameters that are asked for, whatever takes their place."""
        asked = parameters_asked(self.request.max_tokens, self.request.temperature, self.request.response_format)
        return asked.keys()

    def again(self) -> "Call":
        """The same call with the next attempt's number."""
        return replace(self, number=self.number + 1)

    def with_replacements(self, replacements: Mapping[str, str | None]) -> "Call":
        """The same call with the parameters that the server was found to take."""
        return replace(self, request=replace(self.request, replacements=replacements))


def step_stem(step: str) -> str:
    """What a step asks, whichever try it is: "level 0, chunk 12" for "level 0, chunk 12, try 2"."""
    return step.rpartition(", try ")[0] or step


def is_first_try(step: str) -> bool:
    return step_stem(step) == step or step.endswith(", try 1")


def call_key(*, item_id: int, step: str, prompt: str, model: str, parameters: Mapping[str, Any]) -> str:
    """SHA-256 over all that affects a call's output. Parameters count as asked for, not as a server takes them."""
    stated = [item_id, step, sha256(prompt), model, sorted(parameters.items())]
    return sha256(json.dumps(stated, ensure_ascii=False))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def prepare(item_id: int, endpoint: Endpoint, steps: Sequence[Step]) -> list[Outcome | Call]:
    """For each step its outcome, where the ledger has it, else the call to make.

    Raises ValueError if two steps have the same name.
    """
    if len({step.name for step in steps}) < len(steps):
        raise ValueError("Two steps of a batch have the same name.")
    try:
        return _prepare(item_id, endpoint, steps)
    except IntegrityError:
        # A worker that was given up for dead wrote the same calls in the same moment: they are known now.
        return _prepare(item_id, endpoint, steps)


def _prepare(item_id: int, endpoint: Endpoint, steps: Sequence[Step]) -> list[Outcome | Call]:
    keys = [_key(item_id, endpoint, step) for step in steps]
    with transaction.atomic():
        known = _calls(item_id, keys)
        rows = known | _create_missing(item_id, endpoint, steps, keys, known)
        outcomes = _known_outcomes(list(known.values()))
        numbers = _last_attempts([row.pk for row in known.values() if row.pk not in outcomes])
    return [
        outcomes[row.pk] if row.pk in outcomes else _call(row, numbers.get(row.pk, 0) + 1, endpoint, step)
        for row, step in zip((rows[key] for key in keys), steps, strict=True)
    ]


def recover(item_id: int) -> None:
    """Bring the ledger of an item in order that was just claimed, perhaps from a worker that died.

    Requests that left and got no recorded answer become unknown, may be billed; those in a batch still wait. Calls that
    failed for reasons outside the prompt may be made again.
    """
    LLMAttempt.objects.filter(call__item=item_id, state=LLMAttempt.State.SENT, batch=None).update(
        state=LLMAttempt.State.UNKNOWN,
        failure_kind=FailureKind.TRANSIENT,
        failure="The worker ended before the answer was recorded.",
        ended_at=timezone.now(),
    )
    failed = LLMCall.objects.filter(item=item_id, state=LLMCall.State.FAILED)
    failed.exclude(attempts__failure_kind__in=REPLAYED_FAILURES).update(state=LLMCall.State.OPEN)


def has_calls(item_id: int) -> bool:
    """Whether an item was worked on before."""
    return LLMCall.objects.filter(item=item_id).exists()


def answered_questions(item_id: int) -> int:
    """Questions of an item that have an answer, however many tries it took."""
    steps = LLMCall.objects.filter(item=item_id, state=LLMCall.State.DONE).values_list("step", flat=True)
    return len({step_stem(step) for step in steps})


def is_first_answer(call_id: int) -> bool:
    """Whether no other try of the same question is answered."""
    call = LLMCall.objects.only("item", "step").get(pk=call_id)
    stem = step_stem(call.step)
    others = LLMCall.objects.filter(item=call.item_id, state=LLMCall.State.DONE, step__startswith=stem)
    return all(step_stem(step) != stem for step in others.exclude(pk=call_id).values_list("step", flat=True))


def reopen(item_id: int, steps: Sequence[str]) -> None:
    """Let a retry by hand ask the questions `steps` anew: no answer to them, if any came, could be used.

    All other questions keep their outcomes. A cut-off answer that was mended served too, though its call failed.
    """
    unserved = {step_stem(step) for step in steps}
    ended = LLMCall.objects.filter(item=item_id).exclude(state=LLMCall.State.OPEN).values_list("pk", "step")
    again = [pk for pk, step in ended if step_stem(step) in unserved]
    for start in range(0, len(again), GROUP):
        LLMCall.objects.filter(pk__in=again[start : start + GROUP]).update(state=LLMCall.State.OPEN)


def _parameters(step: Step) -> dict[str, Any]:
    return parameters_asked(step.max_tokens, step.temperature, step.response_format)


def with_sent(asked: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """What a call's row keeps: the parameters asked for, and under "sent" those really sent where they differ."""
    kept = {name: value for name, value in asked.items() if name != "sent"}
    return kept if kept == sent else {**kept, "sent": dict(sent)}


def _key(item_id: int, endpoint: Endpoint, step: Step) -> str:
    return call_key(
        item_id=item_id,
        step=step.name,
        prompt=step.prompt,
        model=endpoint.model or endpoint.provider,
        parameters=_parameters(step),
    )


def _create_missing(
    item_id: int, endpoint: Endpoint, steps: Sequence[Step], keys: Sequence[str], known: Mapping[str, LLMCall]
) -> dict[str, LLMCall]:
    """Make the rows of the calls that are not `known`; returns them by key. Raises IntegrityError (see `prepare`)."""
    rows = LLMCall.objects.bulk_create(
        [
            LLMCall(
                item_id=item_id,
                step=step.name,
                key=key,
                endpoint=endpoint,
                model=endpoint.model,
                prompt_sha256=sha256(step.prompt),
                parameters=with_sent(_parameters(step), _request(endpoint, step).parameters()),
            )
            for key, step in zip(keys, steps, strict=True)
            if key not in known
        ],
        batch_size=GROUP,
    )
    return {row.key: row for row in rows}


def _calls(item_id: int, keys: Sequence[str]) -> dict[str, LLMCall]:
    return {
        call.key: call
        for start in range(0, len(keys), GROUP)
        for call in LLMCall.objects.filter(item=item_id, key__in=keys[start : start + GROUP]).only(
            "key", "state", "parameters"
        )
    }


def _known_outcomes(calls: Sequence[LLMCall]) -> dict[int, Outcome]:
    ended = [call.pk for call in calls if call.state != LLMCall.State.OPEN]
    done = {call.pk for call in calls if call.state == LLMCall.State.DONE}
    outcomes: dict[int, Outcome] = {}
    for start in range(0, len(ended), GROUP):
        for attempt in LLMAttempt.objects.filter(call__in=ended[start : start + GROUP]).order_by("call", "number"):
            if attempt.call_id in done:
                if attempt.state == LLMAttempt.State.ANSWERED:
                    outcomes[attempt.call_id] = Answer(attempt.reply, attempt.call_id)
            elif attempt.failure_kind in REPLAYED_FAILURES:
                kind = FailureKind(attempt.failure_kind)
                outcomes[attempt.call_id] = Failure(kind, attempt.failure, attempt.reply, attempt.call_id)
    return outcomes


def _last_attempts(call_ids: Sequence[int]) -> dict[int, int]:
    """The number of each call's last attempt; calls without one are left out."""
    return {
        call_id: last
        for start in range(0, len(call_ids), GROUP)
        for call_id, last in LLMAttempt.objects.filter(call__in=call_ids[start : start + GROUP])
        .order_by()
        .values_list("call")
        .annotate(last=Max("number"))
    }


def _call(row: LLMCall, number: int, endpoint: Endpoint, step: Step) -> Call:
    prices = prices_of(endpoint)
    needs_tokens = endpoint.is_llm and (endpoint.tokens_per_minute is not None or prices.prompt is not None)
    prompt_tokens = worst_prompt_tokens(count_tokens(step.prompt)) if needs_tokens else 0
    return Call(
        id=row.pk,
        step=step.name,
        request=_request(endpoint, step),
        number=number,
        tokens=prompt_tokens + step.max_tokens,
        worst_cost=worst_cost(prompt_tokens, step.max_tokens, prices),
        recorded_parameters=row.parameters.get("sent", _parameters(step)),
    )


def _request(endpoint: Endpoint, step: Step) -> CompletionRequest:
    return CompletionRequest(
        prompt=step.prompt,
        model=endpoint.model,
        max_tokens=step.max_tokens,
        temperature=step.temperature,
        material=step.material,
        response_format=step.response_format,
        replacements=endpoint.parameter_replacements,
    )
