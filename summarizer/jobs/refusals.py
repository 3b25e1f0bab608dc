"""Refused calls of items that stopped for another reason: what a retry by hand does about them.

An item that goes on by itself meets a refusal again without another request. Where a refusal fails the item, a person
who chooses Try again would only meet it again too, so these calls are then made anew, and the page says so before.
"""

from collections.abc import Collection, Mapping

from django.db.models import Count, Exists, OuterRef, QuerySet

from summarizer.jobs.kinds import job_kind
from summarizer.models import Job, LLMAttempt, LLMCall
from summarizer.providers.base import FailureKind

_REFUSALS = (FailureKind.REFUSED, FailureKind.FILTERED)


def refused_by_item(job: Job) -> Mapping[int, int]:
    """How many calls of each item a retry makes anew because the model refused them: {item: calls}."""
    counted = _refused(job).order_by().values("item").annotate(number=Count("pk"))
    return {row["item"]: row["number"] for row in counted}


def reopen_refused(job: Job, item_ids: Collection[int]) -> None:
    """Let the refused calls of these items be made anew."""
    refused = list(_refused(job).filter(item__in=item_ids).values_list("pk", flat=True))
    LLMCall.objects.filter(pk__in=refused).update(state=LLMCall.State.OPEN)


def _refused(job: Job) -> QuerySet[LLMCall]:
    failed = LLMCall.objects.filter(item__job=job, state=LLMCall.State.FAILED)
    if not job_kind(job.kind).refusal_fails:
        return failed.none()
    return failed.filter(Exists(LLMAttempt.objects.filter(call=OuterRef("pk"), failure_kind__in=_REFUSALS)))
