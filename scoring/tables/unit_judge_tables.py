"""Tables of the judges of units on the page "Faithfulness"."""

from dataclasses import replace

from django.urls import reverse

from scoring.report.faithfulness.unit_judges import JudgedSummary, JudgedSystem, UnitJudgeFigures, UnitJudges
from scoring.statistics.statistic import Statistic
from scoring.statistics.unit_judge import PairedScores, UnitAgreementWith
from scoring.tables import Cell, Table
from scoring.tables.cells import NOTHING, count_cell, decimal_cell, share_cell, text_cell
from scoring.tables.faithfulness_tables import points_cell

#: Summaries on the page; files have all.
MOST_SUMMARIES = 20
AMONG_PEOPLE = "People beside each other"

_AGREEMENT = ["Units", "Kappa", "AC1", "Same label", "Precision", "Recall", "F1", "People say not", "It says not"]
_SHARES = ("percent", "precision", "recall", "f1", "prevalence_people", "prevalence_other")


def judge_scores_table(found: UnitJudges) -> Table:
    """Each judge on each system. Coverage, bounds and cost stand beside every score."""
    columns = ["Judge", "System", "Faithfulness", "Summaries", "People", "People minus judge", "Coverage, %"]
    rows = [_score_row(judge, each) for judge in found.judges for each in judge.systems if each.judged]
    return Table([*columns, "Lowest", "Highest", "Cost, USD"], rows)


def _score_row(judge: UnitJudgeFigures, system: JudgedSystem) -> list[Cell]:
    cost = system.cost_usd
    return [
        _judge_cell(judge),
        text_cell(system.system),
        points_cell(system.score),
        Cell(
            f"{system.n:,} of {system.summaries:,}",
            note=_left_out(system),
            value=system.n,
            beside={"judged": system.judged, "summaries": system.summaries},
        ),
        *_paired_cells(system.paired, system.n),
        NOTHING if system.coverage is None else Cell(f"{100 * system.coverage:.1f}", value=system.coverage),
        _points(system.low),
        _points(system.high),
        Cell("–", note="no price, or no call here") if cost is None else Cell(f"{cost:,.2f}", value=cost),
    ]


def _left_out(system: JudgedSystem) -> str:
    """Coverage and bounds have cells of their own."""
    counts = {"not judged": system.summaries - system.judged, "not complete": system.judged - system.n}
    return ", ".join(f"{count:,} {words}" for words, count in counts.items() if count)


def _paired_cells(paired: PairedScores, complete: int) -> list[Cell]:
    """People on those summaries that both scored; where these are fewer than the judge's own, it says so."""
    if not paired.n:
        return [Cell("–", note=paired.people.figure.reason), NOTHING]
    people = points_cell(paired.people)
    if paired.n < complete:
        people = replace(people, note=f"{people.note}; on {paired.n:,} of {complete:,}")
    return [people, points_cell(paired.difference, signed=True)]


def _judge_cell(judge: UnitJudgeFigures) -> Cell:
    return text_cell(judge.name, badges=(("sample", "Sample"),) if judge.is_sample else ())


def _points(figure: Statistic) -> Cell:
    return Cell("–", note=figure.reason) if figure.value is None else Cell(f"{figure.value:.1f}", value=figure.value)


def judge_agreement_table(found: UnitJudges) -> Table:
    """People beside each other, then each judge beside people; nothing without a judge."""
    rows = [[_judge_cell(judge), *_agreement_cells(judge.agreement)] for judge in found.judges]
    if rows:
        rows = [[text_cell(AMONG_PEOPLE), *_agreement_cells(found.among_people)], *rows]
    return Table(["Beside people", *_AGREEMENT], rows)


def judge_systems_table(found: UnitJudges) -> Table:
    """The same system by system, for those that a judge judged."""
    rows = []
    for system in dict.fromkeys(each.system for judge in found.judges for each in judge.systems if each.judged):
        own = [(judge, each) for judge in found.judges for each in judge.systems if each.system == system]
        rows.append([text_cell(system), text_cell(AMONG_PEOPLE), *_agreement_cells(own[0][1].among_people)])
        rows += [
            [text_cell(system), _judge_cell(judge), *_agreement_cells(each.agreement)]
            for judge, each in own
            if each.judged
        ]
    return Table(["System", "Beside people", *_AGREEMENT], rows)


def _agreement_cells(agreement: UnitAgreementWith) -> list[Cell]:
    figures = agreement.figures
    if not agreement.units:
        return [count_cell(0), Cell("–", note=figures["percent"].figure.reason)] + [Cell("–")] * 7
    return [
        count_cell(agreement.units, f"{agreement.judgements:,} judgements"),
        decimal_cell(figures["kappa"]),
        decimal_cell(figures["ac1"]),
        *(share_cell(figures[name], with_interval="prevalence" not in name) for name in _SHARES),
    ]


def judged_summaries_table(found: UnitJudges, study: str) -> Table:
    columns = ["Judge", "Book", "System", "Units", "Supported", "Not", "Unparsed", "Faithfulness", "People"]
    rows = [_summary_row(judge, each, study) for judge in found.judges for each in judge.summaries]
    return Table(columns, rows, MOST_SUMMARIES)


def _summary_row(judge: UnitJudgeFigures, summary: JudgedSummary, study: str) -> list[Cell]:
    return [
        _judge_cell(judge),
        text_cell(summary.book, reverse("scoring:summary-faithfulness", args=[study, summary.id])),
        text_cell(summary.system),
        count_cell(summary.units),
        count_cell(summary.supported),
        count_cell(summary.unsupported),
        count_cell(summary.unparsed),
        _score_cell(summary),
        _people_cell(summary),
    ]


def _people_cell(summary: JudgedSummary) -> Cell:
    score = summary.people_score
    return NOTHING if score is None else Cell(f"{score:.1f}", note=f"n {summary.people}", value=score)


def _score_cell(summary: JudgedSummary) -> Cell:
    found = summary.score
    beside = {"coverage": found.coverage, "low": found.low, "high": found.high}
    if found.score.value is not None:
        return Cell(f"{found.score.value:.1f}", value=found.score.value, beside=beside)
    if found.low is None or found.high is None or found.coverage is None:
        return Cell("–", note=found.score.reason)
    note = f"{found.low:.1f} to {found.high:.1f}, coverage {100 * found.coverage:.1f} %"
    return Cell("–", note=note, beside=beside)


def accuracy_words(judge: UnitJudgeFigures) -> str:
    """ "gpt, units by 10 passages: 17 of 20 right, where the truth of a unit is known.", or "".

    Said with it: how many more such units it has no readable judgement of.
    """
    found = judge.accuracy
    if not found.n + judge.known_unjudged:
        return ""
    words = f"{judge.name}: {found.right:,} of {found.n:,} right, where the truth of a unit is known."
    if judge.known_unjudged:
        words += f" Of {judge.known_unjudged:,} more it has no judgement that can be read."
    return words
