"""Tables of the page "Judge and people"."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from django.urls import reverse

from scoring.report.agreement.structure import (
    AgreementReport,
    AgreementRow,
    JudgeAgreement,
    PeopleAgreement,
    SpanFigures,
)
from scoring.selectors.differences import JUDGE_ONLY, PEOPLE_ONLY
from scoring.tables import Cell, Table
from scoring.tables.cells import count_cell, decimal_cell, share_cell, text_cell

#: Pairs of people on the page; files have all.
MOST_PAIRS = 20

_COLUMNS = ["Sentences", "Kappa", "AC1", "Precision", "Recall", "F1", "People mark", "It marks"]
_DECIMALS = ("kappa", "ac1")
_SHARES = ("precision", "recall", "f1", "prevalence_people", "prevalence_other")


def _figures(row: AgreementRow) -> list[Cell]:
    if not row.sentences:
        return [count_cell(0), text_cell("–", note=row.figures["percent"].figure.reason)] + [Cell("–")] * 6
    shares = [share_cell(row.figures[name], with_interval="prevalence" not in name) for name in _SHARES]
    return [count_cell(row.sentences), *(decimal_cell(row.figures[name]) for name in _DECIMALS), *shares]


def against_people_table(report: AgreementReport) -> Table:
    """People beside each other, then each judge with its controls."""
    rows = [[text_cell("People beside each other"), *_figures(report.people.row)]]
    rows += [[_judge_cell(judge), *_figures(judge.row)] for judge in report.judges]
    return Table(["Beside people", *_COLUMNS], rows)


def _judge_cell(judge: JudgeAgreement) -> Cell:
    badges = (
        *((("baseline", "No LLM: rule baseline"),) if judge.judge.is_baseline else ()),
        *((("sample", "Sample"),) if judge.judge.is_sample else ()),
    )
    return text_cell(judge.judge.label, badges=badges)


def controls_table(judge: JudgeAgreement) -> Table:
    rows = [[text_cell(judge.judge.label), *_figures(judge.row)]]
    rows += [[text_cell(each.name.capitalize()), *_figures(each)] for each in judge.controls]
    return Table(["Over the same sentences", *_COLUMNS], rows)


def systems_table(judge: JudgeAgreement, study: str, ids: Mapping[str, int]) -> Table:
    """`ids` of systems by name. Each system leads to the sentences of its summaries that people alone marked."""
    rows = [
        [
            text_cell(each.name, list_url(study, judge, PEOPLE_ONLY, system=str(ids[each.name]))),
            *_figures(each),
        ]
        for each in judge.systems
    ]
    return Table(["System", *_COLUMNS], rows)


def types_table(judge: JudgeAgreement, people: PeopleAgreement, study: str) -> Table:
    """Types that neither side named are left out. Each leads to the sentences that people alone marked with it."""
    among_people = {each.name: each for each in people.types}
    columns = ["Error type", "People mark", "Judge marks", "Kappa", "F1", "Marked at all"]
    columns += ["F1 among people"] if people.row.sentences else []
    rows = [
        [
            text_cell(each.row.name.capitalize(), list_url(study, judge, PEOPLE_ONLY, type=each.row.name)),
            share_cell(each.row.figures["prevalence_people"], with_interval=False),
            share_cell(each.row.figures["prevalence_other"], with_interval=False),
            decimal_cell(each.row.figures["kappa"]),
            share_cell(each.row.figures["f1"]),
            share_cell(each.found),
            *([share_cell(among_people[each.row.name].figures["f1"])] if people.row.sentences else []),
        ]
        for each in judge.types
        if each.row.figures["prevalence_people"].figure.value or each.row.figures["prevalence_other"].figure.value
    ]
    return Table(columns, rows)


def spans_table(report: AgreementReport) -> Table:
    rows = [_span_row("People beside each other, as marked", report.people.spans)]
    rows += [_span_row(f"People snapped to sentences beside {each.judge.label}", each.spans) for each in report.judges]
    return Table(["Marks", "Pairs of sets", "Same span, F1", "Characters, F1"], rows)


def _span_row(name: str, spans: SpanFigures) -> list[Cell]:
    return [text_cell(name), count_cell(spans.pairs), share_cell(spans.exact), share_cell(spans.characters)]


def pairs_table(people: PeopleAgreement) -> Table:
    """Each two people who marked the same summaries, those with most sentences first."""
    columns = ["Two people", "Summaries", "Sentences", "Kappa", "AC1", "F1"]
    rows = [
        [
            text_cell(each.row.name),
            count_cell(each.row.summaries),
            count_cell(each.row.sentences),
            decimal_cell(each.row.figures["kappa"]),
            decimal_cell(each.row.figures["ac1"]),
            share_cell(each.row.figures["f1"]),
        ]
        for each in people.pairs
    ]
    return Table(columns, rows, MOST_PAIRS)


def list_url(study: str, judge: JudgeAgreement, side: str, **choices: str) -> str:
    query = urlencode({"judge": judge.judge.id, "side": side, **choices})
    return f"{reverse('scoring:differences', args=[study])}?{query}"


def lists(study: str, judges: Sequence[JudgeAgreement]) -> list[dict[str, object]]:
    """For each judge where its lists of sentences are, and how long they are."""
    return [
        {
            "judge": judge.judge,
            "judge_only": judge.judge_only,
            "judge_only_url": list_url(study, judge, JUDGE_ONLY),
            "people_only": judge.people_only,
            "people_only_url": list_url(study, judge, PEOPLE_ONLY),
        }
        for judge in judges
        if judge.row.sentences
    ]
