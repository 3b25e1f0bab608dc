"""Each person's unit judgements beside those of others."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from scoring.report.faithfulness.structure import PersonFigures
from scoring.selectors.faithfulness import FineTask
from scoring.statistics.hints import Accuracy, Judgement, accuracy


def judgements_of(tasks: Iterable[FineTask]) -> list[Judgement]:
    return [
        Judgement(
            person=task.annotator_id,
            unit=each.unit_id,
            supported=each.supported,
            hints=task.hints,
            seconds=each.seconds,
            expected=each.expected,
        )
        for task in tasks
        for each in task.judged
    ]


def person_figures(
    tasks: Iterable[FineTask], judgements: Iterable[Judgement], names: Mapping[int, str]
) -> list[PersonFigures]:
    """In the order of their pseudonyms; only who judged units. `judgements`: those of the tasks."""
    by_person: dict[int, list[FineTask]] = defaultdict(list)
    own: dict[int, list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        own[judgement.person].append(judgement)
    answers: dict[int, Counter[bool]] = defaultdict(Counter)
    for task in tasks:
        by_person[task.annotator_id].append(task)
        for each in task.judged:
            answers[each.unit_id][each.supported] += 1
    people = sorted(by_person, key=lambda person: names[person])
    return [_figures(names[person], by_person[person], accuracy(own[person]), answers) for person in people]


def _figures(name: str, tasks: list[FineTask], right: Accuracy, answers: Mapping[int, Counter[bool]]) -> PersonFigures:
    judged = [each for task in tasks for each in task.judged]
    agreeing = sum(answers[each.unit_id][each.supported] - 1 for each in judged)
    pairs = sum(answers[each.unit_id].total() - 1 for each in judged)
    seconds = [each.seconds for each in judged if each.seconds is not None]
    return PersonFigures(
        person=name,
        summaries=len(tasks),
        units=len(judged),
        supported=sum(each.supported for each in judged) / len(judged),
        agreement=agreeing / pairs if pairs else None,
        pairs=pairs,
        seconds=statistics.median(seconds) if seconds else None,
        accuracy=right,
    )
