"""Units as researchers see them: summary by summary, and one summary with every word at which it could be cut."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.faithfulness.units import cuts_of, tokens_of
from annotation.models import FaithfulnessPlan, Unit
from annotation.models.marks import TextSpan
from summarizer.models import Sentence, Summary


def summaries_with_units(plan: FaithfulnessPlan) -> QuerySet[Summary]:
    """The study's summaries by book, with `unit_count`, `repeat_count` and `by_hand_count`."""
    units = Unit.objects.filter(plan=plan, summary=OuterRef("pk")).order_by()
    summaries = plan.study.summaries.select_related("book", "system").defer("text", "book__text")
    return summaries.annotate(
        unit_count=_count(units),
        repeat_count=_count(units.exclude(same_as=None)),
        by_hand_count=_count(units.filter(by_hand=True)),
    ).order_by("book__title", "book", "system__name", "pk")


def missing_units(plan: FaithfulnessPlan) -> list[Summary]:
    """The study's summaries that are not cut yet."""
    return list(plan.study.summaries.exclude(pk__in=plan.units.values("summary")).defer("text").order_by("pk"))


def units_of(plan: FaithfulnessPlan, summary: Summary) -> list[Unit]:
    return list(plan.units.filter(summary=summary).select_related("same_as").order_by("index"))


def neighbours_of(plan: FaithfulnessPlan, summary: Summary) -> tuple[int | None, int | None]:
    """The summaries before and after this one in the list."""
    keys = list(summaries_with_units(plan).values_list("pk", flat=True))
    at = keys.index(summary.pk)
    return (keys[at - 1] if at else None), (keys[at + 1] if at + 1 < len(keys) else None)


def words_and_cuts(summary: Summary, units: Sequence[Unit]) -> dict[str, Any]:
    """What `words_and_cuts_of` has of the summary's units, and `repeats_in` them."""
    return words_and_cuts_of(summary, units) | {"repeats": repeats_in(units)}


def repeats_in(units: Iterable[Unit]) -> list[tuple[int, int]]:
    """Of each unit that says the same as an earlier one: its start, and the number of that one, counted from 1."""
    return [(unit.start, unit.same_as.index + 1) for unit in units if unit.same_as]


def words_and_cuts_of(summary: Summary, units: Iterable[TextSpan]) -> dict[str, Any]:
    """Each sentence as [offset, word or mark, what stands between it and the next]; and where units begin inside."""
    text = summary.text
    places = list(Sentence.objects.filter(summary=summary).order_by("index").values_list("start", "end"))
    ends = [start for start, _ in places[1:]] + [len(text)]
    sentences = []
    for (start, end), until in zip(places, ends, strict=True):
        tokens = tokens_of(text, start, end)
        gaps = [text[one.end : other.start] for one, other in pairwise(tokens)] + [text[end:until]]
        sentences.append([[token.start, token.text, gap] for token, gap in zip(tokens, gaps, strict=True)])
    return {"sentences": sentences, "cuts": cuts_of([(unit.start, unit.end) for unit in units], places)}


def _count(units: QuerySet[Unit]) -> Coalesce:
    return Coalesce(Subquery(units.values("summary").annotate(number=Count("pk")).values("number")), 0)
