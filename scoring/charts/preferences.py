"""Which of two summaries people prefer, question by question."""

from functools import lru_cache

import altair

from scoring.charts.chart import Chart, Row, Specification
from scoring.charts.encoding import as_specification, rows_data, steps
from scoring.report.preferences import question_order
from scoring.report.structure import Report

#: Answers that name no system, and their greys. Dark enough on both themes for white letters, like the colours.
_WORDS = {"draw": "#6b6b6b", "yes": "#4d4d4d", "no": "#767676"}
#: For the systems: none of the colours that stand for people and judges elsewhere.
COLOURS = ["#00775a", "#9a4f7c", "#7a6a00", "#5a5ab0"]
#: Share of a bar from which on a name fits into it.
WIDE_ENOUGH = 0.2


def rows(report: Report) -> list[Row]:
    """Answers over all rounds, as counts; yes and no are named with the system that the question is about."""
    counts: dict[tuple[str, str], int] = {}
    about: dict[tuple[str, str], dict[str, str]] = {}
    for each in report.preferences.answers:
        question = f"{each.question}: {each.system}" if each.system and each.answer in ("yes", "no") else each.question
        answer = each.system if each.answer == "chosen" else each.answer
        counts[question, answer] = counts.get((question, answer), 0) + each.count
        about[question, answer] = {"question": each.question, "answer": each.answer, "system": each.system}
    totals: dict[str, int] = {}
    for (question, _), count in counts.items():
        totals[question] = totals.get(question, 0) + count
    chosen = sorted({answer for _, answer in counts if answer not in _WORDS})
    places = {answer: place for place, answer in enumerate([*chosen[:1], "draw", *chosen[1:], "yes", "no"])}
    found = [
        {
            "question": question,
            "answer": answer,
            "count": count,
            "n": totals[question],
            "share": count / totals[question],
            "place": places[answer],
            "about": about[question, answer],
            "label": f"{answer} {count}" if count / totals[question] > WIDE_ENOUGH else str(count),
        }
        for (question, answer), count in counts.items()
        if count
    ]
    return sorted(found, key=_order)


def _order(row: Row) -> tuple[int, str, int]:
    place, _ = question_order(row["question"].split(":")[0])
    return place, row["question"], row["place"]


def specification(found: list[Row]) -> Specification:
    questions = dict.fromkeys(row["question"] for row in found)
    answers = dict.fromkeys(row["answer"] for row in sorted(found, key=lambda row: int(row["place"])))
    return _specification(tuple(questions), tuple(answers))


@lru_cache
def _specification(questions: tuple[str, ...], answers: tuple[str, ...]) -> Specification:
    chosen = [answer for answer in answers if answer not in _WORDS]
    colours = {answer: COLOURS[index % len(COLOURS)] for index, answer in enumerate(chosen)} | _WORDS
    base = altair.Chart(rows_data()).encode(
        y=altair.Y(
            "question:N", title=None, sort=list(questions), axis=altair.Axis(ticks=False, domain=False, labelLimit=240)
        ),
        order="place:O",
        tooltip=[
            altair.Tooltip("question:N", title="Question"),
            altair.Tooltip("answer:N", title="Answer"),
            altair.Tooltip("count:Q", title="Answers"),
            altair.Tooltip("n:Q", title="of"),
        ],
    )
    stacked = altair.X("count:Q", stack="normalize", axis=altair.Axis(format=".0%", title="Answers", tickCount=5))
    bars = base.mark_bar(height=20, strokeWidth=1.5, style="apart").encode(
        x=stacked,
        color=altair.Color(
            "answer:N",
            scale=altair.Scale(domain=list(answers), range=[colours[answer] for answer in answers]),
            legend=None,
        ),
    )
    labels = base.mark_text(fontSize=11, color="white").encode(
        x=altair.X("count:Q", stack="normalize", bandPosition=0.5), text="label:N", detail="answer:N"
    )
    return as_specification(altair.layer(bars, labels).properties(width="container", height=steps(30)))


CHART = Chart(
    key="preferences",
    title="Preferences",
    lede="Answers about pairs of summaries of one book, all rounds together; the numbers are counts.",
    missing="No pair of summaries was compared yet.",
    columns={"question": "Question", "answer": "Answer", "count": "Answers", "n": "of", "share": "Share"},
    rows=rows,
    specification=specification,
)
