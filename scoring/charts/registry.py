"""All charts of a study, in the order of the dashboard."""

from scoring.charts import differences, error_types, length, precision, preferences, scores, summaries

CHARTS = {
    chart.key: chart
    for chart in (
        scores.CHART,
        precision.CHART,
        differences.CHART,
        summaries.CHART,
        error_types.CHART,
        length.CHART,
        preferences.CHART,
    )
}
