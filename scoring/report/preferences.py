"""What people's choices between two systems say, question by question: by round, and all rounds together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scoring.selectors.preferences import ChoiceCount
from scoring.statistics.preferences import PersonChoices, PreferenceTest, preference_test

#: Questions in the order of the paper (section 5); others follow.
QUESTIONS = ["preference", "detail", "structure", "logic", "contradiction", "omission"]


@dataclass(frozen=True)
class PreferenceFigures:
    """Answers to one question about summaries of the same two systems. `round` is "" for all rounds together."""

    question: str
    round: str
    first: str
    second: str
    people: list[PersonChoices]
    test: PreferenceTest


def preference_figures(choices: list[ChoiceCount], seed: int) -> list[PreferenceFigures]:
    """One for each question and two systems, then one for each of its rounds where there are several."""
    asked = {(each.question, *each.systems) for each in choices}
    figures = []
    for question, first, second in sorted(asked, key=lambda each: (question_order(each[0]), each[1:])):
        own = [each for each in choices if (each.question, *each.systems) == (question, first, second)]
        rounds = sorted({each.round for each in own})
        for name in ["", *rounds] if len(rounds) > 1 else [""]:
            people = _people(each for each in own if name in ("", each.round))
            figures.append(PreferenceFigures(question, name, first, second, people, preference_test(people, seed=seed)))
    return figures


def question_order(question: str) -> tuple[int, str]:
    return (QUESTIONS.index(question) if question in QUESTIONS else len(QUESTIONS), question)


def preferences_json(figures: list[PreferenceFigures]) -> list[dict[str, Any]]:
    return [
        {
            "question": each.question,
            "round": each.round or None,
            "first": each.first,
            "second": each.second,
            "chose_first": each.test.first,
            "chose_second": each.test.second,
            "draws": each.test.draws,
            "share_first": each.test.share.value,
            "wilson95": each.test.interval.pair(),
            "p": each.test.p.value,
            "annotators_differ_p": each.test.people_differ.value,
            "annotators": {
                person.person: {"first": person.first, "second": person.second, "draws": person.draws}
                for person in each.people
            },
            **_reasons(each.test),
        }
        for each in figures
    ]


def preference_lines(figures: list[PreferenceFigures]) -> list[str]:
    """For reading in a terminal: all rounds together."""
    lines = []
    for each in figures:
        test = each.test
        if not each.round:
            p = "" if test.p.value is None else f", p = {test.p.value:.3f}"
            lines.append(
                f"{each.question}: {each.first} {test.first}, {each.second} {test.second}, draws {test.draws}{p}"
            )
    return lines


def _reasons(test: PreferenceTest) -> dict[str, dict[str, str]]:
    figures = {"share_first": test.share, "p": test.p, "annotators_differ_p": test.people_differ}
    missing = {name: figure.reason for name, figure in figures.items() if figure.value is None}
    return {"reasons": missing} if missing else {}


def _people(choices: Iterable[ChoiceCount]) -> list[PersonChoices]:
    counts: dict[str, dict[str, int]] = {}
    for each in choices:
        own = counts.setdefault(each.person, {})
        side = "draws" if not each.chosen else "first" if each.chosen == each.systems[0] else "second"
        own[side] = own.get(side, 0) + each.count
    return [
        PersonChoices(person, own.get("first", 0), own.get("second", 0), own.get("draws", 0))
        for person, own in sorted(counts.items())
    ]
