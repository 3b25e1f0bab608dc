"""The tables of the dashboard, each with its rule: for the page and for its files."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

from annotation.models import Study
from scoring.charts.chart import Chart, Row
from scoring.report import Report
from scoring.report.faithfulness.structure import SummaryFaithfulness
from scoring.report.faithfulness.unit_judges import JudgedSummary
from scoring.report.structure import SummaryFigures
from scoring.selectors.work import Costs, PeopleCost
from scoring.tables import Cell, Described, Table
from scoring.tables.cells import NOTHING, count_cell, text_cell
from scoring.tables.metrics import RULE as MEANS
from scoring.tables.metrics import TOGETHER, correlations_table, means_table
from scoring.tables.pool_tables import judge_pairs_table, shown_pools
from scoring.tables.preference_tables import preference_people_table, preference_tests_table
from scoring.tables.report_tables import chart_table, pairs_table, precision_table, summaries_table, systems_table
from summarizer.templatetags.figures import usd

SCORES = (
    "In percent: people by the published rule (1 − marks / sentences) and by sentence (1 − sentences touched by a mark "
    "/ sentences), judges by their share of clean sentences; plain means over summaries, with 95 % intervals that "
    "resample books, and the number of summaries. ROUGE-L: F1 of the longest common subsequence of words with the best "
    "reference of the book."
)
SUMMARY = (
    "In percent: people by the published rule (1 − marks / sentences) and by sentence (1 − sentences touched by a mark "
    "/ sentences), the mean over the people of a summary; judges by their share of clean sentences."
)
POOL = (
    "In percent, over the summaries that all judges of the pool judged. By majority a sentence counts as more than "
    "half of the judges say; the mean is that of their scores. 95 % intervals resample books."
)
JUDGE_PAIRS = "Cohen's kappa over the sentences that both have a readable answer for; shares in percent."
PAIRED = (
    "Over the summaries that both scored; shares in percent. The difference has a 95 % interval that resamples books; "
    "correlations are of the published human score with the judge's over summaries."
)
PRECISION = (
    "Decisions that agree, at least partially, by all decisions, in percent, with the Wilson interval and the number "
    "of decisions."
)
PREFERENCE_TESTS = (
    "Exact two-sided binomial test against one half, draws left out; the share with its Wilson interval. Whether "
    "people differ: Fisher's exact test of their counts, draws left out."
)
PREFERENCE_PEOPLE = "Choices of each person, all rounds together."
COSTS = "US dollars: of LLM calls by the endpoints' prices, of people by the study's pay for what they submitted."


def words_of(summaries: Sequence[SummaryFigures | SummaryFaithfulness | JudgedSummary]) -> str:
    """What figures are computed from."""
    books, systems = len({each.book_place for each in summaries}), len({each.system for each in summaries})
    counts = ((systems, "system"), (books, "book"), (len(summaries), "summary"))
    return f"Of {', '.join(_counted(count, name) for count, name in counts)}"


def _counted(count: int, name: str) -> str:
    several = "summaries" if name == "summary" else f"{name}s"
    return f"{count:,} {name if count == 1 else several}"


def dashboard_tables(report: Report, study: str, system: str = "") -> dict[str, Described]:
    """All, by key, for files. `system`: whose summaries are listed; "" for all."""
    chosen = [each for each in report.summaries if not system or each.system == system]
    return {**page_tables(report, study), "summaries": summaries_described(report, chosen, study, system)}


def page_tables(report: Report, study: str) -> dict[str, Described]:
    """By key; without that of the summaries, of which a page shows some."""
    return {described.key: described for described in _described(report, study) if described.table.rows}


def _described(report: Report, study: str) -> list[Described]:
    n = words_of(report.summaries)
    pools = [
        Described(pool.key, f"Scores of the pool: {pool.mode.lower()}", POOL, n, "pools", pool.table)
        for pool in shown_pools(report.pools)
    ]
    judge_pairs = judge_pairs_table(report.pools.pairs)
    return [
        Described("systems", "Scores of each system", SCORES, n, "scores", systems_table(report, study)),
        *pools,
        Described("judge-pairs", "How far two judges agree", JUDGE_PAIRS, n, "pools", judge_pairs),
        Described("pairs", "People beside each judge", PAIRED, n, "differences", pairs_table(report)),
        Described("precision", "What reviewers uphold", PRECISION, n, "precision", precision_table(report)),
        Described(
            "preference-tests",
            "Which system people prefer",
            PREFERENCE_TESTS,
            n,
            "preferences",
            preference_tests_table(report.preference_tests, study),
        ),
        Described(
            "preference-people",
            "What each person prefers",
            PREFERENCE_PEOPLE,
            n,
            "preferences",
            preference_people_table(report.preference_tests, study),
        ),
        Described(
            "metrics",
            "Other measures of the same summaries",
            MEANS,
            n,
            "metrics",
            means_table(report.metrics, [(each.name, each.summaries) for each in report.systems]),
        ),
        Described(
            "metric-correlations",
            "How they go together with scores",
            TOGETHER,
            n,
            "metrics",
            correlations_table(report.metrics),
        ),
        Described("costs", "Cost", COSTS, n, "costs", costs_table(report.costs, report.people_cost)),
    ]


def summaries_described(
    report: Report, shown: list[SummaryFigures], study: str, system: str, *, for_page: bool = False
) -> Described:
    """The scores of some summaries; `system`: that of all of them, or ""."""
    title = f"Scores of each summary by {system}" if system else "Scores of each summary"
    query = urlencode({"system": system}) if system else ""
    table = summaries_table(report, shown, study, for_page=for_page)
    return Described("summaries", title, SUMMARY, words_of(shown), "scores", table, query)


def chart_described(chart: Chart, rows: list[Row], study: Study) -> Described:
    table = chart_table(chart, rows, most=None)
    count = study.summaries.count()
    n = f"Of {_counted(count, 'summary')}"
    return Described(chart.key, chart.title, chart.lede, n, chart.key, table)


def costs_table(costs: dict[str, Costs], people: PeopleCost) -> Table:
    """A row for each kind of work that cost something."""
    columns = ["", "Cost", "Planned", "Perhaps more", "Calls", "Requests", "Prompt tokens", "Answer tokens"]
    rows = [_cost_row(name.replace("_", " ").capitalize(), each) for name, each in costs.items() if each.attempts]
    if people.total_usd is not None:
        hours = f"{people.active_hours:.1f} active hours of annotating" if people.active_hours else ""
        rows.append([text_cell("People"), replace(_usd(people.total_usd), note=hours), *[NOTHING] * 6])
    return Table(columns, rows)


def _cost_row(name: str, costs: Costs) -> list[Cell]:
    known = _usd(costs.cost_usd) if costs.cost_usd is not None else Cell("–", note="The endpoint has no prices.")
    counts = (costs.calls, costs.attempts, costs.prompt_tokens, costs.completion_tokens)
    return [text_cell(name), known, _usd(costs.planned_usd), _usd(costs.possible_usd or None), *map(count_cell, counts)]


def _usd(amount: float | None) -> Cell:
    return NOTHING if amount is None else Cell(usd(amount), value=amount)
