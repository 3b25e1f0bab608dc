"""The report as JSON and as plain text."""

from dataclasses import asdict
from typing import Any

from annotation.models import Unblinding
from scoring.report.agreement.writing import agreement_json, agreement_lines
from scoring.report.faithfulness.writing import faithfulness_json, faithfulness_lines
from scoring.report.incomplete import coverage_of, incomplete_words
from scoring.report.pools_writing import pools_json, pools_lines
from scoring.report.preferences import preference_lines, preferences_json
from scoring.report.structure import (
    GuessFigures,
    HumanFigures,
    JudgeFigures,
    MetricFigures,
    PairedFigures,
    PrecisionFigures,
    PrecisionGroup,
    Report,
    SystemFigures,
)
from scoring.report.systems import NOTHING_SHARED
from scoring.selectors.guidelines import VersionUse
from scoring.selectors.preferences import AnswerCount
from scoring.selectors.work import Costs
from scoring.statistics.statistic import Statistic


def report_json(report: Report) -> dict[str, Any]:
    """The report as plain values. What is null has its reason under "reasons" beside it."""
    return {
        "study": report.study,
        "sample": report.is_sample,
        "systems": [_system(system) for system in report.systems],
        "judges_together": pools_json(report.pools),
        "metrics": [_metric(each) for each in report.metrics],
        "precision": [_precision(source) for source in report.precision],
        "unblinding": _unblinding(report.unblinding),
        "origin_guesses": _guesses(report.guesses),
        "preferences": _preferences(report),
        "agreement": agreement_json(report.agreement),
        "faithfulness": faithfulness_json(report.faithfulness),
        "costs": {
            **{name: _costs(costs) for name, costs in report.costs.items()},
            "people": asdict(report.people_cost),
        },
        "guidelines": [_guidelines(used) for used in report.guidelines],
    }


def _figures(**figures: Statistic) -> dict[str, Any]:
    return {name: figure.value for name, figure in figures.items()}


def _reasons(**figures: Statistic) -> dict[str, Any]:
    reasons = {name: figure.reason for name, figure in figures.items() if figure.value is None}
    return {"reasons": reasons} if reasons else {}


def _system(system: SystemFigures) -> dict[str, Any]:
    texts = {
        "mean_tokens": system.mean_tokens,
        "novel_trigrams": system.novel_trigrams,
        "repeated_trigrams": system.repeated_trigrams,
    }
    return {
        "system": system.name,
        "baseline": system.is_baseline,
        "summaries": system.summaries,
        "sentences": system.sentences,
        **_figures(**texts),
        **_reasons(**texts),
        "rouge_l": {
            **_figures(score=system.rouge.score),
            "n": system.rouge.n,
            "ci95": system.rouge.interval.pair(),
            **_reasons(score=system.rouge.score),
        },
        "human": _human(system.human),
        "judges": [_judge(judge) for judge in system.judges],
        "error_types": system.error_types,
    }


def _human(human: HumanFigures) -> dict[str, Any]:
    scores = {"published": human.published, "sentence": human.sentence, "unit": human.unit}
    return {
        **_figures(**scores),
        "n": human.n,
        "annotations": human.annotations,
        "ci95": human.published_interval.pair(),
        "ci95_sentence": human.sentence_interval.pair(),
        **_reasons(**scores),
    }


def _judge(figures: JudgeFigures) -> dict[str, Any]:
    return {
        "judge": figures.judge.name,
        "mode": figures.judge.mode,
        "baseline": figures.judge.is_baseline,
        "score": figures.score.value,
        "n": figures.n,
        "judged": figures.judged,
        "unparsed": figures.unparsed,
        "without_judgement": figures.absent,
        "coverage": coverage_of(figures),
        "bounds": [figures.low.value, figures.high.value],
        "cost_usd": figures.cost_usd,
        "absent": figures.judge.absent or None,
        "ci95": figures.interval.pair(),
        "bootstrap_sd": figures.interval.deviation,
        "paired": _paired(figures.paired),
        **_reasons(score=figures.score),
    }


def _paired(paired: PairedFigures) -> dict[str, Any]:
    figures = {
        "human_published": paired.human_published,
        "human_sentence": paired.human_sentence,
        "judge": paired.judge,
        "difference_sentence": paired.difference,
        "pearson": paired.pearson,
        "spearman": paired.spearman,
        "kendall": paired.kendall,
        "kappa": paired.kappa,
        "precision": paired.precision,
        "recall": paired.recall,
        "f1": paired.f1,
        "prevalence_human": paired.prevalence_human,
        "prevalence_judge": paired.prevalence_judge,
    }
    shown = {
        "n": paired.n,
        "sentences": paired.sentences,
        **_figures(**figures),
        "ci95": paired.difference_interval.pair(),
    }
    return {**shown, **_reasons(**figures)} if paired.n else {**shown, "reasons": {"all": NOTHING_SHARED}}


def _metric(metric: MetricFigures) -> dict[str, Any]:
    return {
        "name": metric.name,
        "systems": {system: {"mean": mean, "n": n} for system, (mean, n) in metric.systems.items()},
        "correlations": [
            {
                "source": each.source,
                "n": each.n,
                **_figures(pearson=each.pearson, spearman=each.spearman),
                **_reasons(pearson=each.pearson, spearman=each.spearman),
            }
            for each in metric.correlations
        ],
    }


def _precision(source: PrecisionFigures) -> dict[str, Any]:
    figures = {"precision": source.precision, "strict": source.strict}
    return {
        "source": source.source,
        "agree": source.decisions.agree,
        "partial": source.decisions.partial,
        "disagree": source.decisions.disagree,
        "n": source.decisions.total,
        "undecided": source.undecided,
        **_figures(**figures),
        "ci95": source.interval.pair(),
        "wilson95": source.wilson.pair(),
        "by_form": _precision_groups(source.by_form),
        "by_shown": _precision_groups(source.by_shown),
        "by_reviewer": _precision_groups(source.by_reviewer),
        **_reasons(**figures),
    }


def _unblinding(unblinding: Unblinding | None) -> dict[str, Any] | None:
    if unblinding is None:
        return None
    return {"at": unblinding.at.isoformat(), "by": unblinding.pseudonym or None, "reason": unblinding.reason}


def _guesses(guesses: GuessFigures) -> dict[str, Any]:
    figures = {"rate": guesses.rate, "commoner": guesses.commoner}
    return {
        "right": guesses.right,
        "n": guesses.n,
        "unknown": guesses.unknown,
        **_figures(**figures),
        "wilson95": guesses.wilson.pair(),
        **guesses.counts,
        **_reasons(**figures),
    }


def _precision_groups(groups: list[PrecisionGroup]) -> dict[str, Any]:
    return {
        group.name: {
            "agree": group.decisions.agree,
            "partial": group.decisions.partial,
            "disagree": group.decisions.disagree,
            "n": group.decisions.total,
            **_figures(precision=group.precision, strict=group.strict),
            "wilson95": group.wilson.pair(),
        }
        for group in groups
    }


def _preferences(report: Report) -> dict[str, Any]:
    counts = report.preferences
    return {
        "pairs": sum(counts.pairs.values()),
        "rounds": {
            name: {"pairs": pairs, "questions": questions([each for each in counts.answers if each.round == name])}
            for name, pairs in sorted(counts.pairs.items())
        },
        "questions": questions(counts.answers),
        "tests": preferences_json(report.preference_tests),
        "choices_without_pair": counts.choices_without_pair,
    }


def questions(answers: list[AnswerCount]) -> dict[str, Any]:
    """{question: {system: chosen, "draw": n}}, {question: {"yes", "no"}}, or {question: {system: {"yes", "no"}}}."""
    choices = {each.question for each in answers if each.answer in ("chosen", "draw")}
    systems = {each.system for each in answers if each.system}
    asked: dict[str, Any] = {}
    for each in sorted(answers, key=lambda each: (each.question, each.system, each.answer)):
        if each.question in choices:
            given = asked.setdefault(each.question, dict.fromkeys([*sorted(systems), "draw"], 0))
            given[each.system or "draw"] += each.count
        elif each.system:
            given = asked.setdefault(each.question, {}).setdefault(each.system, {"yes": 0, "no": 0})
            given[each.answer] += each.count
        else:
            given = asked.setdefault(each.question, {"yes": 0, "no": 0})
            given[each.answer] += each.count
    return asked


def _guidelines(used: VersionUse) -> dict[str, Any]:
    """A version of the guidelines, and how many answers were given under it."""
    return {
        "version": used.version,
        "date": used.created_at.date().isoformat() if used.created_at else None,
        "note": used.note,
        "annotation_sets": used.sets,
        "marks": used.marks,
        "decisions": used.decisions,
        "comparison_answers": used.comparison_answers,
    }


def _costs(costs: Costs) -> dict[str, Any]:
    return {
        "calls": costs.calls,
        "attempts": costs.attempts,
        "prompt_tokens": costs.prompt_tokens,
        "completion_tokens": costs.completion_tokens,
        "cost_usd": costs.cost_usd,
        "possible_cost_usd": costs.possible_usd,
        "planned_cost_usd": costs.planned_usd,
    }


def report_text(report: Report) -> str:
    """The main figures for reading in a terminal, in percent."""
    lines = [report.title, ""]
    for system in report.systems:
        human = system.human
        lines.append(f"{system.name}: {system.summaries} summaries, {system.sentences} sentences")
        if human.n:
            lines.append(
                f"  people     {percent(human.published)} published, {percent(human.sentence)} by sentence "
                f"(n = {human.n}, {human.annotations} marks)"
            )
        for judge in system.judges:
            absent = f", absent books: {judge.judge.absent}" if judge.judge.absent else ""
            score = f"{percent(judge.score)} (n = {judge.n}{absent})"
            if judge.unparsed:
                score += f"; {judge.unparsed} sentences unparsed: {percent(judge.low)} to {percent(judge.high)}"
                score += f" ({incomplete_words(judge)})"
            lines.append(f"  {judge.judge.label:10} {score}")
            if judge.paired.n:
                lines.append(_paired_text(judge.paired))
    lines += pools_lines(report.pools)
    for source in report.precision:
        lines.append(
            f"precision of {source.source}: {percent(source.precision)} "
            f"({source.decisions.upheld} of {source.decisions.total} upheld; strict {percent(source.strict)})"
        )
        for what, groups in (("form", source.by_form), ("shown", source.by_shown), ("reviewer", source.by_reviewer)):
            shares = (f"{group.name} {percent(group.precision)} (n = {group.decisions.total})" for group in groups)
            if groups:
                lines.append(f"  by {what:9}{', '.join(shares)}")
    lines += [*preference_lines(report.preference_tests), *_blinding_text(report), *agreement_lines(report.agreement)]
    return "\n".join([*lines, *faithfulness_lines(report.faithfulness)])


def _blinding_text(report: Report) -> list[str]:
    lines = []
    if (guesses := report.guesses).n or guesses.unknown:
        lines.append(
            f"origin guessed rightly: {percent(guesses.rate)} ({guesses.right} of {guesses.n}; "
            f"{guesses.unknown} could not tell; always the commoner origin {percent(guesses.commoner)})"
        )
    if unblinding := _unblinding(report.unblinding):
        lines.append(f"unblinded {unblinding['at'][:10]} by {unblinding['by'] or '?'}: {unblinding['reason']}")
    return lines


def _paired_text(paired: PairedFigures) -> str:
    return (
        f"    paired   {percent(paired.human_sentence)} beside {percent(paired.judge)} over {paired.n}: "
        f"r = {decimal(paired.pearson)}, rho = {decimal(paired.spearman)}, tau = {decimal(paired.kendall)}, "
        f"kappa = {decimal(paired.kappa)}, F1 = {decimal(paired.f1)}"
    )


def percent(figure: Statistic) -> str:
    """82.1, or a dash where the figure is not defined."""
    return "–" if figure.value is None else f"{100 * figure.value:.1f}"


def decimal(figure: Statistic) -> str:
    return "–" if figure.value is None else f"{figure.value:.3f}"
