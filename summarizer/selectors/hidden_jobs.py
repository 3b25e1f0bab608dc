"""Jobs whose figures a person may not see yet."""

from collections.abc import Iterable

from summarizer.jobs.kinds import Viewer, summaries_hidden_from
from summarizer.models import Job, JobItem


def jobs_hidden_from(viewer: Viewer, jobs: Iterable[Job]) -> set[int]:
    """Ids of those of `jobs` whose tokens and cost would tell the viewer what they found on a hidden summary.

    One hidden summary hides the figures of its whole job: they could be worked out from the total and the others.
    """
    by_kind: dict[str, list[int]] = {}
    for job in jobs:
        by_kind.setdefault(job.kind, []).append(job.pk)
    hidden: set[int] = set()
    for kind, ids in by_kind.items():
        if summaries := summaries_hidden_from(viewer, kind):
            items = JobItem.objects.filter(job__in=ids, summary__in=summaries).order_by()
            hidden.update(items.values_list("job", flat=True))
    return hidden
