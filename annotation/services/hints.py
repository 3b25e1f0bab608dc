"""Hints for the units of a summary: made once, when the first person is to see them, and then the same for all."""

from annotation.models import Assignment, SampledUnit, Unit, UnitHints
from annotation.selectors.faithfulness_source import SearchableSource, searchable_source, sentences_for
from annotation.services.faithfulness_errors import FaithfulnessError
from summarizer.models import Book, Summary

#: The most hints for one unit.
MOST_HINTS = 10


def hints_of(assignment: Assignment) -> dict[str, list[list[int]]]:
    """For every unit of a FINE task, by its position: places `[start, end)` of the book's text, the likeliest first.

    Raises FaithfulnessError where the person is not shown hints.
    """
    if not assignment.unit_sample.hints_shown:
        raise FaithfulnessError("This task is done without hints.")
    sampled = list(SampledUnit.objects.filter(assignment=assignment).select_related("unit__hints"))
    if any(_outdated(each.unit) for each in sampled):
        _make(assignment.only_summary.pk, [each.unit for each in sampled])
    stored = UnitHints.objects.filter(unit__sampled__assignment=assignment)
    places = dict(stored.values_list("unit", "places"))
    return {str(each.position): places.get(each.unit_id, []) for each in sampled}


def _outdated(unit: Unit) -> bool:
    hints = getattr(unit, "hints", None)
    return hints is None or hints.asked != unit.quote


def _make(summary_id: int, units: list[Unit]) -> None:
    """Whoever comes second finds the hints of the first."""
    summary = Summary.objects.get(pk=summary_id)
    source = searchable_source(Book.objects.defer("text").get(pk=summary.book_id))
    sentences = list(summary.sentences.order_by("index").values_list("start", "end"))
    UnitHints.objects.filter(unit__in=[unit for unit in units if _outdated(unit)]).delete()
    UnitHints.objects.bulk_create(
        (
            UnitHints(
                unit=unit, asked=unit.quote, rule=source.rule, places=_ranked(unit, summary.text, sentences, source)
            )
            for unit in units
            if _outdated(unit)
        ),
        ignore_conflicts=True,
    )


def _ranked(unit: Unit, text: str, sentences: list[tuple[int, int]], source: SearchableSource) -> list[list[int]]:
    numbers = sentences_for((unit.start, unit.end), text, sentences, source, MOST_HINTS)
    return [list(source.places[number]) for number in numbers]
