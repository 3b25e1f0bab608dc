"""Tables from a report: the one behind each chart, and those of the dashboard."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from scoring.charts.chart import Chart, Row
from scoring.report.incomplete import incomplete_words
from scoring.report.structure import (
    JudgeFigures,
    JudgeSummary,
    PrecisionFigures,
    PrecisionGroup,
    Report,
    SummaryFigures,
    SystemFigures,
)
from scoring.report.writing import percent
from scoring.statistics.estimate import Estimate
from scoring.tables import Cell, Table
from scoring.tables.cells import (
    NOTHING,
    count_cell,
    number_cell,
    percent_cell,
    score_cell,
    share_cell,
    text_cell,
)

#: A table on a page ends here; its CSV has all rows.
MOST_ROWS = 100
#: Columns that are no share of something: shown as they are.
_DECIMALS = {"pearson", "spearman", "kendall", "kappa"}


def chart_table(chart: Chart, rows: list[Row], *, most: int | None = MOST_ROWS) -> Table:
    """The rows of a chart, or as many as a page shows; each leads where its mark in the chart does (`url`)."""
    first = next(iter(chart.columns))
    cells = [
        [
            _cell(row.get(key), key, chart.forms.get(key), row.get("url", "") if key == first else "")
            for key in chart.columns
        ]
        for row in rows[:most]
    ]
    return Table(list(chart.columns.values()), cells, not_made=len(rows) - len(cells))


def _cell(value: Any, key: str, form: str | None, url: str) -> Cell:
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return text_cell(value, url)
    if isinstance(value, int):
        return count_cell(value)
    if form is not None:
        return Cell(f"{value:{form}}", value=value)
    return Cell(f"{value:.3f}" if key in _DECIMALS else f"{100 * value:.1f}", value=value)


def systems_table(report: Report, study: str) -> Table:
    columns = [
        "System",
        "Summaries",
        "Tokens",
        "People, published rule",
        "People, by sentence",
        "Judge",
        "Judge's score",
    ]
    with_rouge = any(system.rouge.n for system in report.systems)
    rows: list[list[Cell]] = []
    for system in report.systems:
        rows += _system_rows(system, study, with_rouge=with_rouge)
    if with_rouge:
        columns.insert(3, "ROUGE-L")
    return Table(columns, rows)


def texts_table(report: Report) -> Table:
    """What only the texts tell, of systems of which any was read."""
    rows = [
        [
            text_cell(system.name),
            count_cell(system.summaries),
            number_cell(system.mean_tokens, ",.0f"),
            percent_cell(system.novel_trigrams),
            percent_cell(system.repeated_trigrams),
        ]
        for system in report.systems
    ]
    return Table(["System", "Summaries", "Tokens", "Novel trigrams", "Repeated trigrams"], rows)


def _system_rows(system: SystemFigures, study: str, *, with_rouge: bool) -> list[list[Cell]]:
    """One row for each judge of a system, with the figures of people in the first."""
    url = f"{reverse('scoring:dashboard', args=[study])}?{urlencode({'system': system.name})}#summaries"
    badges = (("baseline", "No LLM: extractive baseline"),) if system.is_baseline else ()
    human = system.human
    first = [
        text_cell(system.name, url, badges=badges),
        count_cell(system.summaries),
        number_cell(system.mean_tokens, ",.0f"),
        *([score_cell(system.rouge.score, system.rouge.interval, system.rouge.n)] if with_rouge else []),
        score_cell(human.published, human.published_interval, human.n),
        score_cell(human.sentence, human.sentence_interval, human.n),
    ]
    if not system.judges:
        return [[*first, text_cell("–"), NOTHING]]
    blank = [text_cell("")] * len(first)
    return [[*(first if index == 0 else blank), *_judge_cells(judge)] for index, judge in enumerate(system.judges)]


def _judge_cells(figures: JudgeFigures) -> list[Cell]:
    judge = figures.judge
    badges = (
        *((("baseline", "No LLM: rule baseline"),) if judge.is_baseline else ()),
        *((("sample", "Sample"),) if judge.is_sample else ()),
    )
    name = text_cell(judge.label, note=f"absent books: {judge.absent}" if judge.absent else "", badges=badges)
    score = score_cell(figures.score, figures.interval, figures.n)
    if words := incomplete_words(figures):
        note = "; ".join(filter(None, [score.note, words]))
        bounds = {"lower bound": figures.low.value, "upper bound": figures.high.value}
        score = replace(score, note=note, beside={**score.beside, **bounds})
    return [name, score]


def pairs_table(report: Report) -> Table:
    """People beside each judge, one column a pair."""
    pairs = [(system.name, judge) for system in report.systems for judge in system.judges if judge.paired.n]
    lines: list[tuple[str, list[Cell]]] = [
        ("Summaries scored by both", [count_cell(judge.paired.n) for _, judge in pairs]),
        ("People, published rule", [percent_cell(judge.paired.human_published) for _, judge in pairs]),
        ("People, by sentence", [percent_cell(judge.paired.human_sentence) for _, judge in pairs]),
        ("Judge", [percent_cell(judge.paired.judge) for _, judge in pairs]),
        ("People by sentence minus judge", [_difference(judge) for _, judge in pairs]),
        ("Pearson's r over summaries", [number_cell(judge.paired.pearson) for _, judge in pairs]),
        ("Spearman's rho", [number_cell(judge.paired.spearman) for _, judge in pairs]),
        ("Kendall's tau-b", [number_cell(judge.paired.kendall) for _, judge in pairs]),
        ("Sentences seen by both", [count_cell(judge.paired.sentences) for _, judge in pairs]),
        ("Cohen's kappa over sentences", [number_cell(judge.paired.kappa) for _, judge in pairs]),
        ("Judge's marks that people share", [percent_cell(judge.paired.precision) for _, judge in pairs]),
        ("People's marks that the judge shares", [percent_cell(judge.paired.recall) for _, judge in pairs]),
        ("F1", [number_cell(judge.paired.f1) for _, judge in pairs]),
        ("Sentences that people mark", [percent_cell(judge.paired.prevalence_human) for _, judge in pairs]),
        ("Sentences that the judge marks", [percent_cell(judge.paired.prevalence_judge) for _, judge in pairs]),
    ]
    columns = ["", *(f"{system}, {judge.judge.label}" for system, judge in pairs)]
    return Table(columns, [[text_cell(name), *cells] for name, cells in lines] if pairs else [])


def _difference(figures: JudgeFigures) -> Cell:
    cell = share_cell(Estimate(figures.paired.difference, figures.paired.difference_interval), signed=True)
    return cell if cell.note else replace(cell, note=figures.paired.difference_interval.reason)


def summaries_table(report: Report, summaries: list[SummaryFigures], study: str, *, for_page: bool = False) -> Table:
    """Summaries, people and each judge that scored any of them side by side.

    On a page each leads also to all summaries of its book, where there are several.
    """
    judges = [judge.label for judge in report.judges if any(judge.label in each.judges for each in summaries)]
    columns = ["Book", "System", "Sentences", "Marks", "People, published rule", "People, by sentence", *judges]
    rows = [
        [
            text_cell(each.book, reverse("scoring:summary-marks", args=[study, each.id])),
            text_cell(each.system),
            count_cell(each.sentences),
            *_human_cells(each),
            *(_judged_cell(each.judges.get(label), each.sentences) for label in judges),
        ]
        for each in summaries
    ]
    of_book = Counter(each.book_id for each in report.summaries)
    if for_page and max(of_book.values(), default=0) > 1:
        columns.append("Side by side")
        for each, row in zip(summaries, rows, strict=True):
            row.append(_beside_others(each, study) if of_book[each.book_id] > 1 else text_cell("–"))
    return Table(columns, rows)


def _beside_others(summary: SummaryFigures, study: str) -> Cell:
    return text_cell("All systems", reverse("scoring:book-marks", args=[study, summary.book_id]))


def _human_cells(summary: SummaryFigures) -> list[Cell]:
    human = summary.human
    if human is None:
        return [NOTHING] * 3
    marks = count_cell(human.annotations, f"{human.people} people" if human.people > 1 else "")
    return [
        replace(marks, beside={"people": human.people}),
        Cell(f"{100 * human.published:.1f}", value=human.published),
        Cell(f"{100 * human.sentence:.1f}", value=human.sentence),
    ]


def _judged_cell(judged: JudgeSummary | None, sentences: int) -> Cell:
    if judged is None:
        return NOTHING
    beside = {"lower bound": judged.low, "upper bound": judged.high, "not judged": judged.unparsed + judged.absent}
    if judged.score is None:
        missing = f"{judged.unparsed} of {sentences - judged.absent} not judged"
        return Cell(f"{100 * judged.low:.1f}–{100 * judged.high:.1f}", note=missing, beside=beside)
    note = f"{judged.absent} without judgement" if judged.absent else ""
    return Cell(f"{100 * judged.score:.1f}", note=note, value=judged.score, beside=beside)


_FORM_WORDS = {
    "part": "Part of a sentence",
    "sentence": "One whole sentence",
    "several": "Several sentences",
    "relation": "Relation of two places",
}
_SHOWN_WORDS = {"marked": "Shown as marked", "snapped": "Shown snapped to sentences"}


def precision_table(report: Report) -> Table:
    """Precision of each source by form of the mark, by how it was shown and by reviewer; a column a source."""
    parts: list[tuple[Callable[[PrecisionFigures], list[PrecisionGroup]], dict[str, str]]] = [
        (lambda source: source.by_form, _FORM_WORDS),
        (lambda source: source.by_shown, _SHOWN_WORDS),
        (lambda source: source.by_reviewer, {}),
    ]
    rows = []
    for groups_of, words in parts:
        groups = [{group.name: group for group in groups_of(source)} for source in report.precision]
        names = list(words) or sorted({name for each in groups for name in each})
        rows += [
            [
                text_cell(words.get(name) or f"Reviewer {name}"),
                *(_group_cell(each.get(name)) for each in groups),
            ]
            for name in names
            if any(name in each for each in groups)
        ]
    return Table(["Marks", *(source.source for source in report.precision)], rows)


def _group_cell(group: PrecisionGroup | None) -> Cell:
    if group is None:
        return NOTHING
    return score_cell(group.precision, group.wilson, group.decisions.total)


def guess_words(report: Report) -> str:
    """How often reviewers guessed who made a mark, as a sentence; "" before anybody did."""
    guesses = report.guesses
    if not guesses.n and not guesses.unknown:
        return ""
    unknown = f"{guesses.unknown} times they could not tell"
    if not guesses.n:
        return f"Asked who made a mark, reviewers never named a source: {unknown}."
    low, high = guesses.wilson.low or 0, guesses.wilson.high or 0
    return (
        f"Asked who made a mark, reviewers were right in {percent(guesses.rate)} % of their guesses "
        f"({100 * low:.1f}–{100 * high:.1f}, n {guesses.n}; {unknown}). Naming always the commoner source would have "
        f"been right in {percent(guesses.commoner)} %."
    )
