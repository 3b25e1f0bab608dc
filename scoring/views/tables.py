"""Tables: the one behind each chart, and those of the dashboard."""

from collections.abc import Callable
from dataclasses import dataclass
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
from scoring.report.writing import decimal, percent
from scoring.statistics.intervals import Interval
from scoring.statistics.statistic import Statistic

#: A table on a page ends here; its CSV has all rows.
MOST_ROWS = 100
#: Columns that are no share of something: shown as they are.
_DECIMALS = {"pearson", "spearman", "kendall", "kappa"}


@dataclass(frozen=True)
class Cell:
    text: str
    url: str = ""
    #: Why there is no figure, or what stands beside it.
    note: str = ""
    number: bool = True
    badges: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Table:
    columns: list[str]
    rows: list[list[Cell]]
    #: Rows that are not shown.
    left_out: int = 0

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """Headings, and whether figures stand below."""
        numbers = [cell.number for cell in self.rows[0]] if self.rows else [False] * len(self.columns)
        return list(zip(self.columns, numbers, strict=True))

    @property
    def lines(self) -> list[list[tuple[str, Cell]]]:
        """The rows, each cell behind the name of its column; the first needs none, it says what the row is about."""
        names = ["", *self.columns[1:]]
        return [list(zip(names, row, strict=True)) for row in self.rows]


def chart_table(chart: Chart, rows: list[Row], study: str) -> Table:
    cells = [[_cell(key, row, study, chart.forms.get(key)) for key in chart.columns] for row in rows[:MOST_ROWS]]
    return Table(list(chart.columns.values()), cells, max(0, len(rows) - MOST_ROWS))


def _cell(key: str, row: Row, study: str, form: str | None) -> Cell:
    value = row.get(key)
    if value is None:
        return Cell("–")
    if isinstance(value, str):
        url = reverse("scoring:summary-marks", args=[study, row["summary"]]) if key == "book" else ""
        return Cell(value, url, number=False)
    if isinstance(value, int):
        return Cell(f"{value:,}")
    if form is not None:
        return Cell(f"{value:{form}}")
    return Cell(f"{value:.3f}" if key in _DECIMALS else f"{100 * value:.1f}")


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
    rows: list[list[Cell]] = []
    for system in report.systems:
        rows += _system_rows(system, study)
    return Table(columns, rows)


def _system_rows(system: SystemFigures, study: str) -> list[list[Cell]]:
    """One row for each judge of a system, with the figures of people in the first."""
    url = f"{reverse('scoring:dashboard', args=[study])}?{urlencode({'system': system.name})}#summaries"
    badges = (("baseline", "No LLM: extractive baseline"),) if system.is_baseline else ()
    human = system.human
    first = [
        Cell(system.name, url, number=False, badges=badges),
        Cell(f"{system.summaries:,}"),
        Cell("–" if system.mean_tokens.value is None else f"{system.mean_tokens.value:,.0f}"),
        _score(human.published, human.published_interval, human.n),
        _score(human.sentence, human.sentence_interval, human.n),
    ]
    if not system.judges:
        return [[*first, Cell("–", number=False), Cell("–")]]
    blank = [Cell("", number=False)] * len(first)
    return [[*(first if index == 0 else blank), *_judge_cells(judge)] for index, judge in enumerate(system.judges)]


def _judge_cells(figures: JudgeFigures) -> list[Cell]:
    judge = figures.judge
    badges = (
        *((("baseline", "No LLM: rule baseline"),) if judge.is_baseline else ()),
        *((("sample", "Sample"),) if judge.is_sample else ()),
    )
    note = f"absent books: {judge.absent}" if judge.absent else ""
    name = Cell(judge.label, note=note, number=False, badges=badges)
    score = _score(figures.score, figures.interval, figures.n)
    if words := incomplete_words(figures):
        score = Cell(score.text, note="; ".join(filter(None, [score.note, words])))
    return [name, score]


def _score(figure: Statistic, interval: Interval, n: int) -> Cell:
    if figure.value is None:
        return Cell("–", note=figure.reason if n else "")
    between = (
        "" if interval.low is None or interval.high is None else f"{100 * interval.low:.1f}–{100 * interval.high:.1f}, "
    )
    return Cell(percent(figure), note=f"{between}n {n}")


def pairs_table(report: Report) -> Table:
    """People beside each judge, one column a pair."""
    pairs = [(system.name, judge) for system in report.systems for judge in system.judges if judge.paired.n]
    lines: list[tuple[str, list[Cell]]] = [
        ("Summaries scored by both", [Cell(f"{judge.paired.n:,}") for _, judge in pairs]),
        ("People, published rule", [_figure(judge.paired.human_published) for _, judge in pairs]),
        ("People, by sentence", [_figure(judge.paired.human_sentence) for _, judge in pairs]),
        ("Judge", [_figure(judge.paired.judge) for _, judge in pairs]),
        ("People by sentence minus judge", [_difference(judge) for _, judge in pairs]),
        ("Pearson's r over summaries", [_figure(judge.paired.pearson, share=False) for _, judge in pairs]),
        ("Spearman's rho", [_figure(judge.paired.spearman, share=False) for _, judge in pairs]),
        ("Kendall's tau-b", [_figure(judge.paired.kendall, share=False) for _, judge in pairs]),
        ("Sentences seen by both", [Cell(f"{judge.paired.sentences:,}") for _, judge in pairs]),
        ("Cohen's kappa over sentences", [_figure(judge.paired.kappa, share=False) for _, judge in pairs]),
        ("Judge's marks that people share", [_figure(judge.paired.precision) for _, judge in pairs]),
        ("People's marks that the judge shares", [_figure(judge.paired.recall) for _, judge in pairs]),
        ("F1", [_figure(judge.paired.f1, share=False) for _, judge in pairs]),
        ("Sentences that people mark", [_figure(judge.paired.prevalence_human) for _, judge in pairs]),
        ("Sentences that the judge marks", [_figure(judge.paired.prevalence_judge) for _, judge in pairs]),
    ]
    columns = ["", *(f"{system}, {judge.judge.label}" for system, judge in pairs)]
    return Table(columns, [[Cell(name, number=False), *cells] for name, cells in lines] if pairs else [])


def _figure(figure: Statistic, *, share: bool = True) -> Cell:
    if figure.value is None:
        return Cell("–", note=figure.reason)
    return Cell(percent(figure) if share else decimal(figure))


def _difference(figures: JudgeFigures) -> Cell:
    figure, interval = figures.paired.difference, figures.paired.difference_interval
    if figure.value is None:
        return Cell("–", note=figure.reason)
    if interval.low is None or interval.high is None:
        return Cell(f"{100 * figure.value:+.1f}", note=interval.reason)
    return Cell(f"{100 * figure.value:+.1f}", note=f"{100 * interval.low:+.1f} to {100 * interval.high:+.1f}")


def summaries_table(report: Report, summaries: list[SummaryFigures], study: str) -> Table:
    """Summaries, people and each judge that scored any of them side by side."""
    judges = [judge.label for judge in report.judges if any(judge.label in each.judges for each in summaries)]
    columns = ["Book", "System", "Sentences", "Marks", "People, published rule", "People, by sentence", *judges]
    rows = [
        [
            Cell(each.book, reverse("scoring:summary-marks", args=[study, each.id]), number=False),
            Cell(each.system, number=False),
            Cell(f"{each.sentences:,}"),
            *_human_cells(each),
            *(_judged_cell(each.judges.get(label), each.sentences) for label in judges),
        ]
        for each in summaries
    ]
    return Table(columns, rows)


def _human_cells(summary: SummaryFigures) -> list[Cell]:
    human = summary.human
    if human is None:
        return [Cell("–")] * 3
    note = f"{human.people} people" if human.people > 1 else ""
    return [
        Cell(f"{human.annotations:,}", note=note),
        Cell(f"{100 * human.published:.1f}"),
        Cell(f"{100 * human.sentence:.1f}"),
    ]


def _judged_cell(judged: JudgeSummary | None, sentences: int) -> Cell:
    if judged is None:
        return Cell("–")
    if judged.score is None:
        missing = f"{judged.unparsed} of {sentences - judged.absent} not judged"
        return Cell(f"{100 * judged.low:.1f}–{100 * judged.high:.1f}", note=missing)
    return Cell(f"{100 * judged.score:.1f}", note=f"{judged.absent} without judgement" if judged.absent else "")


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
                Cell(words.get(name) or f"Reviewer {name}", number=False),
                *(_group_cell(each.get(name)) for each in groups),
            ]
            for name in names
            if any(name in each for each in groups)
        ]
    return Table(["Marks", *(source.source for source in report.precision)], rows)


def _group_cell(group: PrecisionGroup | None) -> Cell:
    if group is None:
        return Cell("–")
    return _score(group.precision, group.wilson, group.decisions.total)


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
