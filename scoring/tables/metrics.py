"""Other measures beside the scores, as tables."""

from collections.abc import Sequence

from annotation.models import Study
from scoring.report.structure import PEOPLE, MetricFigures
from scoring.selectors.metrics import MetricTable, metric_table
from scoring.tables.cells import NOTHING, count_cell, number_cell, text_cell
from scoring.tables.table import Cell, Described, Table

RULE = "Plain means over the summaries of a system that have the figure, with their number."
TOGETHER = (
    "Correlation over all summaries, of whatever system, that have both the figure and a score: of people by sentence, "
    "or of the judge."
)


def metrics_tables(study: Study) -> dict[str, Described]:
    """For files, by key."""
    found = metric_table(study)
    return {"metrics": metrics_described(found)} if found.names else {}


def metrics_described(found: MetricTable) -> Described:
    rows = [[text_cell(row.system), *(_cell(cell, row.summaries) for cell in row.cells)] for row in found.rows]
    summaries = sum(row.summaries for row in found.rows)
    n = "1 summary" if summaries == 1 else f"{summaries:,} summaries"
    return Described("metrics", "Figures by system", RULE, n, "metrics", Table(["System", *found.names], rows))


def means_table(metrics: Sequence[MetricFigures], systems: Sequence[tuple[str, int]]) -> Table:
    """`systems`: name, and how many summaries it has."""
    rows = [
        [text_cell(system), *(_cell(each.systems.get(system), summaries) for each in metrics)]
        for system, summaries in systems
    ]
    return Table(["System", *(each.name for each in metrics)], rows if metrics else [])


def correlations_table(metrics: Sequence[MetricFigures]) -> Table:
    rows = [
        [
            text_cell(metric.name),
            text_cell("people" if each.source == PEOPLE else each.source),
            count_cell(each.n),
            number_cell(each.pearson),
            number_cell(each.spearman),
        ]
        for metric in metrics
        for each in metric.correlations
    ]
    return Table(["Figure", "Scores of", "Summaries", "Pearson's r", "Spearman's rho"], rows)


def _cell(cell: tuple[float, int] | None, summaries: int) -> Cell:
    if cell is None:
        return NOTHING
    mean, n = cell
    of = "" if n == summaries else f" of {summaries}"
    return Cell(f"{mean:.4f}", note=f"n = {n}{of}", value=mean, beside={"n": n})
