"""Judges of units as plain values, and as lines of text."""

from typing import Any

from scoring.report.agreement.writing import estimate_json, words
from scoring.report.faithfulness.unit_judges import JudgedSummary, JudgedSystem, UnitJudgeFigures, UnitJudges
from scoring.statistics.hints import Accuracy
from scoring.statistics.statistic import Statistic
from scoring.statistics.unit_judge import PairedScores, UnitAgreementWith


def unit_judges_json(found: UnitJudges) -> dict[str, Any]:
    """Scores, coverage apart, are from 0 to 100; agreement is on "not supported"."""
    return {
        "people_beside_people": _agreement(found.among_people),
        "judges": [_judge(each) for each in found.judges],
    }


def _judge(judge: UnitJudgeFigures) -> dict[str, Any]:
    return {
        "judge": judge.name,
        "model": judge.model,
        "passages": judge.passages,
        "temperature": judge.temperature,
        "repeat": judge.repeat,
        "calls": judge.calls,
        "cost_usd": judge.cost_usd,
        "paired": _paired(judge.paired),
        "beside_people": _agreement(judge.agreement),
        "accuracy": accuracy_json(judge.accuracy),
        "known_unjudged": judge.known_unjudged,
        "systems": [_system(each) for each in judge.systems],
        "summaries": [_summary(each) for each in judge.summaries],
    }


def _system(system: JudgedSystem) -> dict[str, Any]:
    return {
        "system": system.system,
        "summaries": system.summaries,
        "judged": system.judged,
        "n": system.n,
        **estimate_json(system.score),
        "coverage": system.coverage,
        "bounds": None if system.low.value is None else [system.low.value, system.high.value],
        "calls": system.calls,
        "cost_usd": system.cost_usd,
        "paired": _paired(system.paired),
        "beside_people": _agreement(system.agreement),
        "people_beside_people": _agreement(system.among_people),
    }


def _summary(summary: JudgedSummary) -> dict[str, Any]:
    found = summary.score
    return {
        "summary": summary.id,
        "book": summary.book,
        "system": summary.system,
        "units": summary.units,
        "supported": summary.supported,
        "unsupported": summary.unsupported,
        "unparsed": summary.unparsed,
        **value_json("score", found.score),
        "coverage": found.coverage,
        "bounds": None if found.low is None else [found.low, found.high],
        "people": {"score": summary.people_score, "n": summary.people},
    }


def _paired(paired: PairedScores) -> dict[str, Any]:
    """`difference`: people minus judge."""
    return {
        "summaries": paired.n,
        "people": estimate_json(paired.people),
        "judge": estimate_json(paired.judge),
        "difference": estimate_json(paired.difference),
    }


def _agreement(agreement: UnitAgreementWith) -> dict[str, Any]:
    return {
        "units": agreement.units,
        "judgements": agreement.judgements,
        **{name: estimate_json(each) for name, each in agreement.figures.items()},
    }


def value_json(name: str, figure: Statistic) -> dict[str, Any]:
    return {name: figure.value} if figure.value is not None else {name: None, f"{name}_reason": figure.reason}


def accuracy_json(accuracy: Accuracy) -> dict[str, Any]:
    return {
        "right": accuracy.right,
        "n": accuracy.n,
        **value_json("share", accuracy.share),
        "wilson95": accuracy.wilson.pair(),
    }


def unit_judge_lines(found: UnitJudges) -> list[str]:
    """For reading in a terminal; nothing without such judges."""
    if not found.judges:
        return []
    lines = ["", "judges of units, 0 to 100 (95 % intervals over books); agreement on “not supported”"]
    if found.among_people.units:
        lines.append(f"people beside people: {_agreement_words(found.among_people)}")
    for judge in found.judges:
        lines += [f"{judge.name}, {each.system}: {score_words(each)}" for each in judge.systems if each.judged]
        if judge.paired.n:
            lines.append(f"{judge.name} and people on the same summaries: {_paired_words(judge.paired)}")
        if judge.agreement.units:
            lines.append(f"{judge.name} beside people: {_agreement_words(judge.agreement)}")
    return lines


def score_words(system: JudgedSystem) -> str:
    """ "82.1 (79.0 to 84.5) (n = 5); 1 of 6 not complete, coverage 97.5 %: all 6 give 80.0 to 85.0; cost $0.12"."""
    value, interval = system.score.figure.value, system.score.interval
    shown = "–" if value is None else f"{value:.1f}"
    if value is not None and interval.low is not None and interval.high is not None:
        shown += f" ({interval.low:.1f} to {interval.high:.1f})"
    return "; ".join(filter(None, [f"{shown} (n = {system.n})", incomplete_words(system), cost_words(system.cost_usd)]))


def _paired_words(paired: PairedScores) -> str:
    people, judge, difference = paired.people.figure.value, paired.judge.figure.value, paired.difference
    value, interval = difference.figure.value, difference.interval
    between = "" if interval.low is None else f" ({interval.low:+.1f} to {interval.high:+.1f})"
    return f"people {people:.1f}, judge {judge:.1f}, people minus judge {value:+.1f}{between} (n = {paired.n})"


def incomplete_words(system: JudgedSystem) -> str:
    """What the score leaves out, or "" for a complete one."""
    parts = []
    if system.judged < system.summaries:
        parts.append(f"{system.summaries - system.judged} of {system.summaries} not judged")
    low, high = system.low.value, system.high.value
    if system.n < system.judged and system.coverage is not None and low is not None and high is not None:
        parts.append(
            f"{system.judged - system.n} of {system.judged} not complete, coverage {100 * system.coverage:.1f} %: "
            f"all {system.judged} give {low:.1f} to {high:.1f}"
        )
    return "; ".join(parts)


def cost_words(cost_usd: float | None) -> str:
    return "cost not known" if cost_usd is None else f"cost ${cost_usd:,.2f}"


def _agreement_words(agreement: UnitAgreementWith) -> str:
    figures = agreement.figures
    return (
        f"kappa {words(figures['kappa'])}, AC1 {words(figures['ac1'])}, F1 {words(figures['f1'])}, "
        f"same label {words(figures['percent'])} ({agreement.units} units, {agreement.judgements} judgements)"
    )
