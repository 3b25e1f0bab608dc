"""The content of a study's report: what a page shows, a file holds, and a frozen version keeps."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils import timezone

from annotation.models import (
    AnnotationSet,
    Annotator,
    Assignment,
    ComparisonAnswer,
    ComparisonTally,
    ReviewDecision,
    Study,
)
from annotation.selectors.stage import stage_of
from scoring.charts.chart import Chart, Row
from scoring.charts.registry import CHARTS, FAITHFULNESS_CHARTS
from scoring.charts.rendering import as_svg
from scoring.report import Report, build_report
from scoring.report.agreement.structure import AgreementOptions
from scoring.report.made_with import made_with
from scoring.report.writing import report_json, report_text
from scoring.study_report.faithfulness import faithfulness_facts, faithfulness_parts
from scoring.study_report.names import without_names
from scoring.tables import Cell, Described, Table
from scoring.tables.dashboard import page_tables, words_of
from scoring.tables.judge_and_people import agreement_tables, details_of
from scoring.tables.report_tables import texts_table

#: Grows when a page for the old one could not show the new one.
FORMAT_VERSION = 1

TEXTS = (
    "Means over the summaries of a system. Novel: share of a summary's distinct word trigrams that the book's included "
    "text lacks; repeated: 1 − distinct / all trigrams; in percent."
)


def report_content(study: Study, options: AgreementOptions | None = None) -> dict[str, Any]:
    """Plain values. People stand under numbers, and nothing that anybody wrote about a summary is in it."""
    chosen = options or AgreementOptions()
    at = timezone.now()
    report = build_report(study, options=chosen)
    plain = {
        "format": FORMAT_VERSION,
        "study": study.name,
        "title": study.title,
        "sample": report.is_sample,
        "at": at.isoformat(),
        "made_with": made_with(study, report, chosen),
        "facts": _facts(study, report),
        "sections": _sections(study, report),
        "figures": report_json(report),
        "text": report_text(report),
    }
    return {**without_names(plain, pseudonyms_of(study)), "charts": _charts(report)}


def read_at(content: dict[str, Any]) -> datetime:
    """When the figures were read."""
    return datetime.fromisoformat(content["at"])


def pseudonyms_of(study: Study) -> list[str]:
    """Of everybody who did, or had, anything in the study."""
    found: set[int] = set()
    for rows in (
        AnnotationSet.objects.filter(study=study).values_list("annotator", flat=True),
        ReviewDecision.objects.filter(item__study=study).values_list("reviewer", flat=True),
        ComparisonAnswer.objects.filter(comparison__study=study).values_list("annotator", flat=True),
        ComparisonTally.objects.filter(study=study).values_list("annotator", flat=True),
        Assignment.objects.filter(study=study).values_list("annotator", flat=True),
    ):
        found |= set(rows.order_by().distinct())
    people = Annotator.objects.filter(kind=Annotator.Kind.PERSON, pk__in=found)
    return sorted(people.values_list("pseudonym", flat=True))


def _facts(study: Study, report: Report) -> list[tuple[str, str]]:
    sets = AnnotationSet.objects.filter(
        study=study, state=AnnotationSet.State.SUBMITTED, annotator__kind=Annotator.Kind.PERSON
    )
    counts = {
        "Systems": len(report.systems),
        "Books": len({each.book_id for each in report.summaries}),
        "Summaries": len(report.summaries),
        "Sentences": sum(each.sentences for each in report.summaries),
        "People who marked": sets.order_by().values("annotator").distinct().count(),
        "Their marks": sum(each.human.annotations for each in report.systems),
        "Judges": len(report.judges),
        "Decisions of reviewers": sum(each.decisions.total for each in report.precision),
        "Comparisons": sum(report.preferences.pairs.values()),
        **faithfulness_facts(report.faithfulness),
    }
    return [
        ("State of the study", stage_of(study)),
        *((name, f"{count:,}") for name, count in counts.items()),
    ]


#: Title -> keys of charts and of tables, in the order of the page.
_PARTS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("Scores", ("scores",), ("systems", "texts")),
    ("People beside judges", ("differences", "summaries"), ("pairs",)),
    ("Error types", ("error-types",), ()),
    ("Length", ("length",), ()),
    ("What reviewers uphold", ("precision",), ("precision",)),
    ("Preferences", ("preferences",), ("preference-tests", "preference-people")),
    ("Several judges together", (), ("pool-sentence", "pool-batch", "pool-unknown", "judge-pairs")),
    ("Other measures", (), ("metrics", "metric-correlations")),
    ("Cost", (), ("costs",)),
)


def _sections(study: Study, report: Report) -> list[dict[str, Any]]:
    """Each with its title, the keys of its charts, and its tables; those with nothing to show are left out."""
    tables = page_tables(report, study.name)
    n = words_of(report.summaries)
    texts = Described("texts", "Length and trigrams", TEXTS, n, "trigrams", texts_table(report))
    tables |= {"texts": texts} if texts.table.rows else {}
    if not report.is_marked and not any(system.rouge.n for system in report.systems):
        tables.pop("systems", None)  # it would have dashes alone
    drawn = {chart.key for chart, _ in _drawn(report)}
    chosen = [
        (title, charts, [tables[key] for key in keys if key in tables]) for title, charts, keys in _PARTS
    ] + faithfulness_parts(report.faithfulness, study.name)
    parts = [
        {
            "title": title,
            "charts": [key for key in charts if key in drawn],
            "tables": [*map(_plain, found)],
        }
        for title, charts, found in chosen
    ]
    parts += [
        {"title": title, "charts": [], "tables": [*map(_plain, found)]} for title, found in _agreement(study, report)
    ]
    return [part for part in parts if part["charts"] or part["tables"]]


def _agreement(study: Study, report: Report) -> Iterable[tuple[str, list[Described]]]:
    """Can the judge replace people: without the tables that have a row for each person."""
    if report.agreement is None or not any(each.human for each in report.summaries):
        return
    systems = {system.name: 0 for system in report.systems}
    n = words_of(report.summaries)
    tables = agreement_tables(report.agreement, None, study.name, systems, n, "")
    yield "Judge and people", [tables[key] for key in ("people", "spans") if key in tables]
    for judge in report.agreement.judges:
        if judge.row.sentences and not judge.judge.is_baseline:
            found = details_of(report.agreement, judge, study.name, systems, n)
            yield f"{judge.judge.label} in detail", [each for each in found if each.table.rows]
    yield "Alternative annotator test", [tables[key] for key in ("alternative",) if key in tables]
    yield "What nobody found", [tables[key] for key in ("recall", "recall-shares") if key in tables]
    differences = [key for key in tables if key.startswith("differences-")]
    yield "Order of systems", [tables[key] for key in ("orders", *differences) if key in tables]


def _charts(report: Report) -> dict[str, dict[str, str]]:
    """Every chart that has something to draw: title, lede, and the picture as SVG, on light ground."""
    return {
        chart.key: {"title": chart.title, "lede": chart.lede, "svg": as_svg(chart, rows)}
        for chart, rows in _drawn(report)
    }


def _drawn(report: Report) -> list[tuple[Chart, list[Row]]]:
    """Charts that have something to draw, with their rows."""
    charts = [(chart, chart.rows(report)) for chart in CHARTS.values()]
    if found := report.faithfulness:
        charts += [(chart, chart.rows(found)) for chart in FAITHFULNESS_CHARTS.values()]
    return [(chart, rows) for chart, rows in charts if rows]


def _plain(described: Described) -> dict[str, Any]:
    return {
        "key": described.key,
        "title": described.title,
        "rule": described.rule,
        "n": described.n,
        "columns": described.table.columns,
        "rows": [
            [
                {
                    "text": cell.text,
                    "note": cell.note,
                    "number": cell.number,
                    "badges": [list(each) for each in cell.badges],
                }
                for cell in row
            ]
            for row in described.table.rows
        ],
    }


def shown_table(plain: dict[str, Any]) -> Table:
    """A table of the content, to be shown."""
    rows = [
        [
            Cell(
                cell["text"],
                note=cell["note"],
                number=cell["number"],
                badges=tuple((kind, words) for kind, words in cell["badges"]),
            )
            for cell in row
        ]
        for row in plain["rows"]
    ]
    return Table(plain["columns"], rows)
