"""Summaries that people left out, and why. Never for people who are blind to them (`blinded_summary_ids`)."""

from collections.abc import Collection

from annotation.models import AnnotationSet, Annotator, Study
from summarizer.models import Summary


def left_out(study: Study, *, summary: Summary | None = None, hidden: Collection[int] = ()) -> list[AnnotationSet]:
    """The sets of people that ended without being submitted: left out, or ended by a researcher.

    With their `skip_reason`, of the whole study or of one summary, without the summaries in `hidden`.
    """
    sets = study.annotation_sets.filter(state=AnnotationSet.State.SKIPPED, annotator__kind=Annotator.Kind.PERSON)
    if summary is not None:
        sets = sets.filter(summary=summary)
    sets = sets.exclude(summary__in=hidden).select_related("annotator", "summary__book", "summary__system")
    return list(sets.defer("summary__text", "summary__book__text").order_by("summary__book__title", "pk"))
