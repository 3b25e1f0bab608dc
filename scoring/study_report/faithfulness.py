"""Faithfulness in the report of a study: which charts and tables stand in which part."""

from dataclasses import replace

from scoring.report.faithfulness.structure import FaithfulnessReport
from scoring.tables import Described
from scoring.tables.faithfulness import page_tables

#: Title, keys of charts, keys of tables.
Part = tuple[str, tuple[str, ...], list[Described]]

_PARTS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("Faithfulness", ("faithfulness-scores",), ("systems",)),
    (
        "Do people agree on faithfulness?",
        ("faithfulness-spread", "faithfulness-agreement", "faithfulness-summaries"),
        ("spread", "units"),
    ),
    (
        "How much checking is enough?",
        ("faithfulness-partial", "faithfulness-learning", "faithfulness-hints"),
        ("hints",),
    ),
    ("Faithfulness beside metrics", ("faithfulness-metrics",), ()),
    ("Judges of units", ("faithfulness-judges",), ("judge_scores", "judges", "judge_systems")),
)


def faithfulness_parts(report: FaithfulnessReport | None, study: str) -> list[Part]:
    """Nothing of a study that does not ask for it. Without the tables that have a row for each person or summary."""
    if report is None:
        return []
    # A table's key is its own in the whole report.
    tables = {key: replace(each, key=f"faithfulness-{key}") for key, each in page_tables(report, study).items()}
    return [(title, charts, [tables[key] for key in keys if key in tables]) for title, charts, keys in _PARTS]


def faithfulness_facts(report: FaithfulnessReport | None) -> dict[str, int]:
    if report is None:
        return {}
    return {
        "Units": report.units,
        "Judgements of units": report.judgements,
        "Ratings": sum(each.coarse.people for each in report.summaries if each.coarse),
    }
