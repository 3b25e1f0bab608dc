"""The units of summaries: made by the rule, and changed by researchers until the plan opens."""

from collections.abc import Collection, Iterable, Sequence

from django.db import transaction

from annotation.faithfulness.locking import asked_of_judges, locked_in_setup, require_no_judge
from annotation.faithfulness.units import (
    UNIT_RULE,
    Place,
    cut_into_units,
    cuts_of,
    first_with_same_text,
    units_between,
)
from annotation.models import FaithfulnessPlan, SampledUnit, Unit
from annotation.services.studies import StudyError
from summarizer.models import Sentence, Summary


class UnitsConflict(StudyError):
    """Somebody else changed the units meanwhile; `cuts` are those that are stored."""

    def __init__(self, cuts: Sequence[int]) -> None:
        super().__init__("Somebody changed these units meanwhile. Reload the page to see them as they are now.")
        self.cuts = cuts


@transaction.atomic
def make_units(*, plan: FaithfulnessPlan, summaries: Iterable[Summary] | None = None) -> int:
    """Cut summaries by the rule anew, by default all of the study; returns how many units there are of them.

    What researchers changed in them is lost. Units of summaries that left the study go too, but for those about which
    a judge was asked.
    Raises StudyError once the plan was opened, or any of them was judged.
    """
    plan = _changeable(plan)
    of_study = plan.study.summaries.order_by("pk")
    chosen = list(of_study if summaries is None else of_study.filter(pk__in=[each.pk for each in summaries]))
    require_no_judge(plan, summaries=chosen)
    plan.units.exclude(summary__in=of_study.values("pk")).exclude(summary__in=asked_of_judges(plan)).delete()
    plan.units.filter(summary__in=chosen).delete()
    units = [
        unit
        for summary in chosen
        for unit in _rows(plan, summary, cut_into_units(summary.text, sentences_of(summary)), by_rule=None)
    ]
    store_units(units)
    if plan.unit_rule != UNIT_RULE and summaries is None:
        FaithfulnessPlan.objects.filter(pk=plan.pk).update(unit_rule=UNIT_RULE)
    return len(units)


@transaction.atomic
def set_cuts(*, plan: FaithfulnessPlan, summary: Summary, was: Collection[int], cuts: Collection[int]) -> list[Unit]:
    """Cut a summary at these places (see `units_between`), where it was cut at others; returns its units.

    Raises UnitsConflict if it was not (any more), and StudyError once the plan was opened or a judge was asked about
    them, or for no place to cut.
    """
    plan = _changeable(plan)
    require_no_judge(plan, summaries=[summary])
    sentences = sentences_of(summary)
    stored = cuts_of(plan.units.filter(summary=summary).order_by("index").values_list("start", "end"), sentences)
    if sorted(was) != stored:
        raise UnitsConflict(stored)
    try:
        places = units_between(summary.text, sentences, cuts)
    except ValueError as error:
        raise StudyError(str(error)) from error
    plan.units.filter(summary=summary).delete()
    by_rule = set(cut_into_units(summary.text, sentences))
    units = _rows(plan, summary, places, by_rule=by_rule)
    store_units(units)
    return units


def sentences_of(summary: Summary) -> list[Place]:
    return list(Sentence.objects.filter(summary=summary).order_by("index").values_list("start", "end"))


def _changeable(plan: FaithfulnessPlan) -> FaithfulnessPlan:
    asked = "People were asked about these units, so they stay as they are."
    current = locked_in_setup(plan, asked)
    if SampledUnit.objects.filter(unit__plan=current).exists():
        raise StudyError(asked)
    return current


def _rows(
    plan: FaithfulnessPlan, summary: Summary, places: Sequence[Place], *, by_rule: Collection[Place] | None
) -> list[Unit]:
    """Not saved. `by_rule` are those that the rule makes, where these may be others."""
    units = [
        Unit(
            plan=plan,
            summary=summary,
            index=index,
            start=start,
            end=end,
            quote=summary.text[start:end],
            by_hand=by_rule is not None and (start, end) not in by_rule,
        )
        for index, (start, end) in enumerate(places)
    ]
    for unit, first in zip(units, first_with_same_text([unit.quote for unit in units]), strict=True):
        unit.same_as = None if first is None else units[first]
    return units


def store_units(units: Sequence[Unit]) -> None:
    """First ones first: repeated ones refer to their rows."""
    Unit.objects.bulk_create([unit for unit in units if unit.same_as is None])
    repeats = [unit for unit in units if unit.same_as is not None]
    for unit in repeats:
        unit.same_as_id = unit.same_as.pk if unit.same_as else None
    Unit.objects.bulk_create(repeats)
