"""Figures that were computed elsewhere, by system."""

from dataclasses import dataclass

from django.db.models import Avg, Count

from annotation.models import Study
from scoring.models import MetricValue


@dataclass(frozen=True)
class SystemMetrics:
    """`cells`: for each name in `MetricTable.names` the mean and how many summaries have it, or None."""

    system: str
    summaries: int
    cells: list[tuple[float, int] | None]


@dataclass(frozen=True)
class MetricTable:
    names: list[str]
    rows: list[SystemMetrics]


def metric_table(study: Study) -> MetricTable:
    """Plain means over the study's summaries that have the figure; two queries."""
    systems = study.summaries.order_by().values_list("system__name").annotate(count=Count("pk"))
    grouped = (
        MetricValue.objects.filter(summary__studies=study)
        .order_by()
        .values_list("summary__system__name", "name")
        .annotate(mean=Avg("value"), count=Count("pk"))
    )
    found = {(system, name): (mean, count) for system, name, mean, count in grouped}
    names = sorted({name for _, name in found})
    rows = [
        SystemMetrics(system, count, [found.get((system, name)) for name in names]) for system, count in sorted(systems)
    ]
    return MetricTable(names, rows)


def metric_values(study: Study) -> dict[str, dict[int, float]]:
    """Name -> summary -> figure, by name; one query."""
    found: dict[str, dict[int, float]] = {}
    rows = MetricValue.objects.filter(summary__studies=study).order_by("name", "summary")
    for name, summary, value in rows.values_list("name", "summary_id", "value"):
        found.setdefault(name, {})[summary] = value
    return found
