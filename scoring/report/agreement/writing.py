"""The agreement part of a report as plain values, and as lines of text."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from scoring.report.agreement.structure import (
    AgreementReport,
    AgreementRow,
    AlternativeFigures,
    JudgeAgreement,
    PeopleAgreement,
    RankAgreement,
    RankingFigures,
    RecallFigures,
    RecallRow,
    SpanFigures,
)
from scoring.statistics.estimate import Estimate
from scoring.statistics.ranking import SystemPair
from scoring.statistics.statistic import Statistic


def agreement_json(report: AgreementReport | None) -> dict[str, Any]:
    """{"people", "judges", ..}. Each figure is {"value", "ci95"}, with a "reason" where it is null."""
    if report is None:
        return {}
    return {
        "people": _people(report.people),
        "judges": [_judge(judge) for judge in report.judges],
        "alternative_annotator_test": [_alternative(each) for each in report.alternative],
        "recall": _recall(report.recall),
        "ranking": _ranking(report.ranking),
    }


def estimate_json(estimate: Estimate) -> dict[str, Any]:
    if estimate.figure.value is None:
        return {"value": None, "ci95": None, "reason": estimate.figure.reason}
    found: dict[str, Any] = {"value": estimate.figure.value, "ci95": estimate.interval.pair()}
    return found if found["ci95"] else {**found, "ci95_reason": estimate.interval.reason}


def _estimates(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: estimate_json(each) for name, each in estimates.items()}


def _row(row: AgreementRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "summaries": row.summaries,
        "books": row.books,
        "sentences": row.sentences,
        **_estimates(row.figures),
    }


def _spans(spans: SpanFigures) -> dict[str, Any]:
    return {
        "pairs": spans.pairs,
        "exact_f1": estimate_json(spans.exact),
        "character_f1": estimate_json(spans.characters),
    }


def _people(people: PeopleAgreement) -> dict[str, Any]:
    return {
        **_row(people.row),
        "krippendorff_alpha": estimate_json(people.alpha),
        "spans": _spans(people.spans),
        "systems": [_row(each) for each in people.systems],
        "error_types": [_row(each) for each in people.types],
        "pairs": [{"people": [each.first, each.second], **_row(each.row)} for each in people.pairs],
    }


def _judge(judge: JudgeAgreement) -> dict[str, Any]:
    return {
        **_row(judge.row),
        "judge": judge.judge.name,
        "mode": judge.judge.mode,
        "baseline": judge.judge.is_baseline,
        "controls": [_row(each) for each in judge.controls],
        "kappa_above_rules": estimate_json(judge.above_rules),
        "spans_snapped": _spans(judge.spans),
        "systems": [_row(each) for each in judge.systems],
        "error_types": [{**_row(each.row), "found_at_all": estimate_json(each.found)} for each in judge.types],
        "judge_only": judge.judge_only,
        "people_only": judge.people_only,
    }


def _alternative(figures: AlternativeFigures) -> dict[str, Any]:
    rate = figures.test.winning_rate
    return {
        "judge": figures.name,
        "summaries": figures.summaries,
        "epsilon": figures.test.epsilon,
        "winning_rate": rate.value,
        **({"reason": rate.reason} if rate.value is None else {}),
        "passes": figures.test.passes,
        "advantage_probability": estimate_json(figures.test.advantage),
        "books_left_out": figures.left_out,
        "people": [asdict(each) for each in figures.test.people],
    }


def _recall(figures: RecallFigures) -> dict[str, Any]:
    found = {"decisions": figures.decisions, "undecided": figures.undecided}
    if figures.reason:
        return {**found, "estimates": None, "reason": figures.reason}
    return {**found, "estimates": [_recall_row(row) for row in figures.rows]}


def _recall_row(row: RecallRow) -> dict[str, Any]:
    return {
        "sources": row.name,
        "method": row.method,
        "summaries": row.summaries,
        "books": row.books,
        "found": row.found,
        "found_again": row.again,
        "total": {**estimate_json(row.total), "ci95_as_independent": row.as_independent.pair()},
        "missed": row.missed.value,
        "recall": estimate_json(row.share),
        "recall_of": _estimates(row.shares),
        "warning": row.warning or None,
    }


def _ranking(figures: RankingFigures) -> dict[str, Any]:
    return {
        "stated_difference": figures.difference,
        "orders": [_order(each) for each in figures.orders],
        "differences": [
            {
                "source": each.source,
                "pairs": [_pair(pair) for pair in each.pairs],
                **({"reason": each.reason} if each.reason else {}),
            }
            for each in figures.sources
        ],
    }


def _order(order: RankAgreement) -> dict[str, Any]:
    systems = [{"system": name, "human": human, "judge": judge} for name, human, judge in order.systems]
    return {"judge": order.judge, "books": order.books, "systems": systems, "kendall_tau_b": estimate_json(order.tau)}


def _pair(pair: SystemPair) -> dict[str, Any]:
    figures = {
        "p": pair.p,
        "p_holm": pair.p_adjusted,
        "detectable_difference": pair.detectable,
        "books_needed": pair.books_needed,
    }
    reasons = {name: figure.reason for name, figure in figures.items() if figure.value is None}
    return {
        "systems": [pair.first, pair.second],
        "books": pair.books,
        "difference": estimate_json(pair.difference),
        **{name: figure.value for name, figure in figures.items()},
        "differs": pair.differs,
        **({"reasons": reasons} if reasons else {}),
    }


def _alternative_line(figures: AlternativeFigures) -> str:
    test = figures.test
    return (
        f"alternative annotator test of {figures.name}, epsilon {test.epsilon:g}: winning rate "
        f"{decimal_words(test.winning_rate)}, advantage probability {words(test.advantage)}"
    )


def agreement_lines(report: AgreementReport | None) -> list[str]:
    """For reading in a terminal."""
    if report is None:
        return []
    lines = [_line(report.people.row)] if report.people.row.sentences else []
    for judge in report.judges:
        if judge.row.sentences:
            lines.append(_line(judge.row))
            lines += [f"  {_line(each)}" for each in judge.controls if each.sentences]
    lines += [_alternative_line(each) for each in report.alternative if each.test.people]
    lines += [_recall_line(row) for row in report.recall.rows if row.total.figure.value is not None]
    lines += [_order_line(each) for each in report.ranking.orders if each.tau.figure.value is not None]
    return ["", "agreement with people, sentence by sentence (95 % intervals over books)", *lines] if lines else []


def _line(row: AgreementRow) -> str:
    shown = [f"{label} {words(row.figures[name])}" for name, label in _TEXT_FIGURES.items()]
    return f"{row.name}: {', '.join(shown)} (n = {row.sentences} over {row.books} books)"


_TEXT_FIGURES = {"kappa": "kappa", "ac1": "AC1", "f1": "F1"}


def _recall_line(row: RecallRow) -> str:
    return f"found by {row.name}: {row.found} confusing sentences, {words(row.share)} of all by {row.method}"


def _order_line(order: RankAgreement) -> str:
    return f"order of {len(order.systems)} systems, people and {order.judge}: tau-b {words(order.tau)}"


def decimal_words(figure: Statistic) -> str:
    return "–" if figure.value is None else f"{figure.value:.3f}"


def words(estimate: Estimate) -> str:
    """ "0.150 (0.120 to 0.180)", or a dash."""
    if estimate.figure.value is None:
        return "–"
    if estimate.interval.low is None or estimate.interval.high is None:
        return f"{estimate.figure.value:.3f}"
    return f"{estimate.figure.value:.3f} ({estimate.interval.low:.3f} to {estimate.interval.high:.3f})"
