"""The faithfulness section as plain values, and as lines of text."""

from dataclasses import asdict
from typing import Any

from scoring.report.agreement.writing import estimate_json, words
from scoring.report.faithfulness.structure import (
    COARSE,
    FINE,
    FaithfulnessReport,
    HintFigures,
    MetricRow,
    PartialFigures,
    PersonFigures,
    SummaryFaithfulness,
    SummaryScore,
    SystemFaithfulness,
    SystemScore,
)
from scoring.report.faithfulness.unit_judge_writing import (
    accuracy_json,
    unit_judge_lines,
    unit_judges_json,
    value_json,
)
from scoring.statistics.annotator_bootstrap import MetricCorrelation
from scoring.statistics.estimate import Estimate
from scoring.statistics.faithfulness import MeanSpread, UnitAgreement
from scoring.statistics.hints import Comparison
from scoring.statistics.learning import Learning
from scoring.statistics.partial_annotation import PartialAnnotation


def faithfulness_json(report: FaithfulnessReport | None) -> dict[str, Any] | None:
    """None where the study does not ask for it. Estimates are {"value", "ci95"}, with a "reason" where null."""
    if report is None:
        return None
    plan = report.plan
    return {
        "plan": {
            "state": plan.state,
            "unit_rule": plan.unit_rule,
            "share": plan.share,
            "units_per_summary": plan.units_per_summary,
            "scale": plan.scale,
            "hints": plan.hints,
        },
        "units": report.units,
        "units_judged": report.judged,
        "judgements": report.judgements,
        "systems": [_system(each) for each in report.systems],
        "spread": {
            "fine": _spread(report.spread.fine),
            "coarse": _spread(report.spread.coarse),
            "coarse_minus_fine": _spread(report.spread.difference),
        },
        "agreement": _agreement(report.agreement),
        "metrics": [_metric(each) for each in report.metrics],
        "partial": _partial(report.partial),
        "learning": _learning(report.learning),
        "hints": _hints(report.hints),
        "accuracy": accuracy_json(report.accuracy),
        "people": [_person(each) for each in report.people],
        "unit_judges": unit_judges_json(report.unit_judges),
        "summaries": [_summary(each) for each in report.summaries],
    }


def _system(system: SystemFaithfulness) -> dict[str, Any]:
    ways = {"fine": _system_score(system.fine), "coarse": _system_score(system.coarse)}
    return {"system": system.system, "summaries": system.summaries, **ways}


def _system_score(score: SystemScore) -> dict[str, Any]:
    """`ci95` is over people; `ci95_over_books` beside it."""
    over_books = score.over_books.interval
    return {
        "n": score.n,
        "tasks": score.tasks,
        **estimate_json(score.score),
        "ci95_over_books": over_books.pair(),
        **({"ci95_over_books_reason": over_books.reason} if over_books.pair() is None else {}),
    }


def _spread(spread: MeanSpread) -> dict[str, Any]:
    return {
        "summaries": spread.summaries,
        "deviation": estimate_json(spread.deviation),
        "range": estimate_json(spread.extent),
    }


def _agreement(agreement: UnitAgreement) -> dict[str, Any]:
    return {
        "units": agreement.units,
        "judgements": agreement.judgements,
        "units_by_people": {str(people): units for people, units in agreement.sizes.items()},
        **{name: estimate_json(each) for name, each in agreement.figures.items()},
    }


def _metric(row: MetricRow) -> dict[str, Any]:
    return {"metric": row.metric, "fine": _correlation(row.fine), "coarse": _correlation(row.coarse)}


def _correlation(correlation: MetricCorrelation | None) -> dict[str, Any] | None:
    if correlation is None:
        return None
    return {
        "n": correlation.n,
        "pearson": estimate_json(correlation.pearson),
        "kendall_tau_b": estimate_json(correlation.kendall),
    }


def _partial(partial: PartialFigures) -> dict[str, Any]:
    return {
        "tasks": partial.tasks,
        "summaries": partial.summaries,
        "tasks_without_all_units": partial.left_out,
        "rows": [_partial_row(each) for each in partial.rows],
    }


def _partial_row(row: PartialAnnotation) -> dict[str, Any]:
    return {
        "percent": row.percent,
        "units": row.units,
        **value_json("kendall_tau_b", row.tau),
        "band90": None if row.low is None else [row.low, row.high],
        "simulations": row.defined,
        **value_json("deviation", row.deviation),
    }


def _learning(learning: Learning) -> dict[str, Any]:
    return {
        "tasks": learning.tasks,
        "people": learning.people,
        "spearman": estimate_json(learning.rho),
        "fifths": [
            {
                "fifth": each.number,
                "judgements": each.judgements,
                "mean_seconds": each.mean.value,
                "median_seconds": each.median.value,
            }
            for each in learning.fifths
        ],
    }


def _hints(hints: HintFigures) -> dict[str, Any]:
    found = hints.comparison
    if found is None:
        return {"reason": hints.reason}
    return {
        "accuracy": _comparison(found.accuracy),
        "agreement": _comparison(found.agreement),
        "seconds": _comparison(found.seconds),
        **value_json("fleiss_with", found.fleiss_with),
        **value_json("fleiss_without", found.fleiss_without),
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        **value_json("with", comparison.with_hints),
        **value_json("without", comparison.without),
        "n": [comparison.n_with, comparison.n_without],
        "difference": estimate_json(comparison.difference),
    }


def _person(person: PersonFigures) -> dict[str, Any]:
    return {**asdict(person), "accuracy": accuracy_json(person.accuracy)}


def _summary(summary: SummaryFaithfulness) -> dict[str, Any]:
    return {
        "summary": summary.id,
        "book": summary.book,
        "system": summary.system,
        "units": summary.units,
        "fine": _summary_score(summary.fine),
        "coarse": _summary_score(summary.coarse),
    }


def _summary_score(score: SummaryScore | None) -> dict[str, Any] | None:
    if score is None:
        return None
    return {
        "people": score.people,
        "score": score.score,
        "deviation": score.spread.deviation if score.spread else None,
        "range": score.spread.extent if score.spread else None,
    }


def faithfulness_lines(report: FaithfulnessReport | None) -> list[str]:
    """For reading in a terminal."""
    if report is None:
        return []
    return [*(_people_lines(report) if report.summaries else []), *unit_judge_lines(report.unit_judges)]


def _people_lines(report: FaithfulnessReport) -> list[str]:
    lines = ["", "faithfulness, 0 to 100 (95 % intervals over the people of each summary)"]
    for system in report.systems:
        scores = [(way, each) for way, each in ((FINE, system.fine), (COARSE, system.coarse)) if each.n]
        shown = (f"{way} {points(each.score)} (n = {each.n}, {each.tasks} tasks)" for way, each in scores)
        if scores:
            lines.append(f"{system.system}: {', '.join(shown)}")
    spread = report.spread
    for way, each in ((FINE, spread.fine), (COARSE, spread.coarse), ("COARSE minus FINE", spread.difference)):
        if each.summaries:
            lines.append(
                f"spread between people, {way}: standard deviation {points(each.deviation)}, "
                f"range {points(each.extent)} (n = {each.summaries})"
            )
    return [*lines, *_agreement_lines(report.agreement), *_metric_lines(report), *_work_lines(report)]


def _agreement_lines(agreement: UnitAgreement) -> list[str]:
    if not agreement.units:
        return []
    figures = agreement.figures
    return [
        f"agreement on {agreement.units} units: Fleiss' kappa {words(figures['fleiss'])}, "
        f"Randolph's {words(figures['randolph'])}, unanimous {words(figures['unanimous'])}"
    ]


def _metric_lines(report: FaithfulnessReport) -> list[str]:
    return [
        f"{way} and {row.metric}: r {words(each.pearson)}, tau-b {words(each.kendall)} (n = {each.n})"
        for row in report.metrics
        for way, each in ((FINE, row.fine), (COARSE, row.coarse))
        if each and each.pearson.figure.value is not None
    ]


def _work_lines(report: FaithfulnessReport) -> list[str]:
    lines = [
        f"{row.percent} % of the units: tau-b with all {row.tau.value:.3f} ({row.low:.3f} to {row.high:.3f})"
        for row in report.partial.rows
        if row.tau.value is not None
    ]
    learning = report.learning
    if learning.rho.figure.value is not None:
        lines.append(f"time and position in the task: rho {words(learning.rho)} (n = {learning.people} people)")
    if (found := report.hints.comparison) is not None and found.seconds.difference.figure.value is not None:
        lines.append(f"seconds a unit, with hints minus without: {points(found.seconds.difference)}")
    return lines


def points(estimate: Estimate) -> str:
    """ "82.1 (79.0 to 84.5)", or a dash."""
    value, interval = estimate.figure.value, estimate.interval
    if value is None:
        return "–"
    if interval.low is None or interval.high is None:
        return f"{value:.1f}"
    return f"{value:.1f} ({interval.low:.1f} to {interval.high:.1f})"
