"""Tables of what people prefer. Each count leads to the answers that it counts."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.urls import reverse

from scoring.report.preferences import PreferenceFigures
from scoring.selectors.answers_to_read import CHOSEN
from scoring.statistics.preferences import PersonChoices, PreferenceTest
from scoring.statistics.statistic import Statistic
from scoring.tables import Cell, Table
from scoring.tables.cells import count_cell, text_cell


def preference_tests_table(found: Sequence[PreferenceFigures], study: str) -> Table:
    """A row for each question and two systems, and for each round where there are several."""
    columns = ["Question", "Round", "First", "Second", "First chosen", "Second chosen", "Draws"]
    columns += ["Share of the first, %", "p", "People differ, p"]
    rows = [
        [
            text_cell(each.question.capitalize()),
            text_cell(each.round or "All"),
            text_cell(each.first),
            text_cell(each.second),
            *_counts(each, each.test, study),
            _share(each),
            _p(each.test.p),
            _p(each.test.people_differ),
        ]
        for each in found
    ]
    return Table(columns, rows)


def preference_people_table(found: Sequence[PreferenceFigures], study: str) -> Table:
    """What each person chose, over all rounds."""
    columns = ["Question", "Person", "First", "Second", "First chosen", "Second chosen", "Draws"]
    rows = [
        [
            text_cell(each.question.capitalize()),
            text_cell(person.person),
            text_cell(each.first),
            text_cell(each.second),
            *_counts(each, person, study, person.person),
        ]
        for each in found
        if not each.round
        for person in each.people
    ]
    return Table(columns, rows)


def _counts(
    figures: PreferenceFigures, counts: PreferenceTest | PersonChoices, study: str, person: str = ""
) -> list[Cell]:
    """First chosen, second chosen, draws; a person's are over all rounds."""
    address = reverse("scoring:answers", args=[study])
    asked = {"question": figures.question, "round": figures.round, "person": person}
    first, second = figures.first, figures.second
    choices = [
        (counts.first, {"answer": CHOSEN, "system": first, "beside": second}),
        (counts.second, {"answer": CHOSEN, "system": second, "beside": first}),
        (counts.draws, {"answer": "draw", "system": first, "beside": second}),
    ]
    cells = []
    for count, choice in choices:
        query = urlencode({name: value for name, value in (asked | choice).items() if value})
        cells.append(count_cell(count, url=f"{address}?{query}" if count else ""))
    return cells


def _share(figures: PreferenceFigures) -> Cell:
    share, interval = figures.test.share, figures.test.interval
    if share.value is None or interval.low is None or interval.high is None:
        return Cell("–", note=share.reason)
    note = f"{100 * interval.low:.1f}–{100 * interval.high:.1f}"
    beside = {"low": interval.low, "high": interval.high}
    return Cell(f"{100 * share.value:.1f}", note=note, value=share.value, beside=beside)


def _p(figure: Statistic) -> Cell:
    if figure.value is None:
        return Cell("–", note=figure.reason)
    return Cell("< 0.001" if figure.value < 0.001 else f"{figure.value:.3f}", value=figure.value)
