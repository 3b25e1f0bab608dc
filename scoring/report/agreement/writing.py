"""The agreement part of a report as plain values, and as lines of text."""

from collections.abc import Mapping
from typing import Any

from scoring.report.agreement.structure import (
    AgreementReport,
    AgreementRow,
    JudgeAgreement,
    PeopleAgreement,
    SpanFigures,
)
from scoring.statistics.estimate import Estimate


def agreement_json(report: AgreementReport | None) -> dict[str, Any]:
    """{"people", "judges", ..}. Each figure is {"value", "ci95"}, with a "reason" where it is null."""
    if report is None:
        return {}
    return {
        "people": _people(report.people),
        "judges": [_judge(judge) for judge in report.judges],
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


def agreement_lines(report: AgreementReport | None) -> list[str]:
    """For reading in a terminal."""
    if report is None:
        return []
    lines = [_line(report.people.row)] if report.people.row.sentences else []
    for judge in report.judges:
        if judge.row.sentences:
            lines.append(_line(judge.row))
            lines += [f"  {_line(each)}" for each in judge.controls if each.sentences]
    return ["", "agreement with people, sentence by sentence (95 % intervals over books)", *lines] if lines else []


def _line(row: AgreementRow) -> str:
    shown = [f"{label} {words(row.figures[name])}" for name, label in _TEXT_FIGURES.items()]
    return f"{row.name}: {', '.join(shown)} (n = {row.sentences} over {row.books} books)"


_TEXT_FIGURES = {"kappa": "kappa", "ac1": "AC1", "f1": "F1"}


def words(estimate: Estimate) -> str:
    """ "0.150 (0.120 to 0.180)", or a dash."""
    if estimate.figure.value is None:
        return "–"
    if estimate.interval.low is None or estimate.interval.high is None:
        return f"{estimate.figure.value:.3f}"
    return f"{estimate.figure.value:.3f} ({estimate.interval.low:.3f} to {estimate.interval.high:.3f})"
