"""All charts of a study, in the order of their pages."""

from scoring.charts import differences, error_types, length, precision, preferences, scores, summaries
from scoring.charts.faithfulness import agreement, hints, learning, metrics, partial, spread
from scoring.charts.faithfulness import scores as faithfulness_scores
from scoring.charts.faithfulness import summaries as faithfulness_summaries
from scoring.charts.faithfulness import unit_judges as faithfulness_judges

#: Those of the dashboard, from a `Report`.
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

#: Those of the page "Faithfulness", from a `FaithfulnessReport`.
FAITHFULNESS_CHARTS = {
    chart.key: chart
    for chart in (
        faithfulness_scores.CHART,
        spread.CHART,
        agreement.CHART,
        faithfulness_summaries.CHART,
        metrics.CHART,
        partial.CHART,
        learning.CHART,
        hints.CHART,
        faithfulness_judges.CHART,
    )
}
