"""What people elsewhere judged of units of summaries (FINE), and how they rated whole ones (COARSE), as CSV."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from annotation.faithfulness.scales import SCALES
from annotation.faithfulness.units import first_with_same_text
from annotation.models import (
    Annotator,
    Assignment,
    Evidence,
    FaithfulnessPlan,
    Rating,
    SampledUnit,
    Study,
    Unit,
    UnitJudgement,
    UnitSample,
)
from annotation.release.files import ReleaseError
from annotation.services.release.writing import imported_annotator
from scoring.imports.context import ImportRefused
from scoring.imports.rows import FileRow, csv_rows, read_text
from summarizer.models import Summary
from summarizer.text import storable

FINE, COARSE = Assignment.Task.FINE, Assignment.Task.COARSE
COLUMNS = {
    FINE: ("book", "system", "annotator", "unit", "supported"),
    COARSE: ("book", "system", "annotator", "rating"),
}
YES = {"yes", "true", "1", "supported"}
NO = {"no", "false", "0", "not supported", "unsupported"}
#: What a UnitSample says that was not drawn here.
SEED = "imported"


@dataclass
class _Task:
    """The rows of one person on one summary."""

    summary: Summary
    annotator: str
    rows: list[FileRow] = field(default_factory=list)


def import_judgements(*, data: bytes, study: Study, scale: str | None = None) -> dict[str, Any]:
    """Store FINE results (book, system, annotator, unit, supported) or COARSE ones (book, system, annotator, rating).

    FINE may also have comment, seconds, hints (whether they were shown) and evidence (words of the book), COARSE
    comment and seconds. A `unit` is words of the summary; where the same words occur again in it, they are a repeated
    unit. The study must ask nobody here; its plan is then a closed one of imported judgements. `scale` is that of its
    ratings, all of them; if left out that of those that are here, or 0 to 5.
    Returns {"study", "kind": "fine" | "coarse", "people", "tasks": new, "unchanged": those here already, "answers"}.
    Raises ImportRefused, naming the line, and then nothing is stored.
    """
    text = read_text(data)
    heading = text.split("\n", 1)[0].casefold()
    task = COARSE if "rating" in heading and "unit" not in heading else FINE
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        tasks = _tasks(csv_rows(text, COLUMNS[task]), study)
        if not tasks:
            raise ImportRefused("The file holds no answers.")
        plan = _plan(study, task, scale)
        counts = _take_units(plan, tasks) if task == FINE else _take_ratings(plan, tasks)
        _set_overlap(plan, task)
    people = len({each.annotator for each in tasks})
    return {"study": study.name, "kind": str(task), "people": people, **counts}


def _tasks(rows: Iterable[FileRow], study: Study) -> list[_Task]:
    tasks: dict[tuple[int, str], _Task] = {}
    summaries: dict[tuple[str, str], Summary] = {}
    for row in rows:
        named = row.name("book"), row.name("system").strip()
        if named not in summaries:
            summaries[named] = _summary(row, study, *named)
        annotator = row.name("annotator").strip()
        if len(annotator) > 200:
            row.refuse("the name of an annotator has at most 200 characters.")
        summary = summaries[named]
        tasks.setdefault((summary.pk, annotator), _Task(summary, annotator)).rows.append(row)
    return list(tasks.values())


def _summary(row: FileRow, study: Study, book: str, system: str) -> Summary:
    summaries = study.summaries.select_related("book")
    for column in ("book__source_name", "book__title"):
        found = list(summaries.filter(**{column: book}, system__name=system)[:2])
        if len(found) > 1:
            row.refuse(f"several books of the study are called “{book}”.")
        if found:
            return found[0]
    return row.refuse(f"the study has no summary of “{book}” by {system}.")


def _plan(study: Study, task: str, scale: str | None) -> FaithfulnessPlan:
    plan = FaithfulnessPlan.objects.filter(study=study).first()
    if plan is None:
        return FaithfulnessPlan.objects.create(
            study=study,
            state=FaithfulnessPlan.State.CLOSED,
            unit_rule=FaithfulnessPlan.IMPORTED,
            share=1.0,
            fine_overlap=0,
            scale=scale or FaithfulnessPlan.Scale.FROM_0_TO_5,
            evidence_required=False,
            hints=FaithfulnessPlan.Hints.NEVER,
        )
    if not plan.is_imported:
        raise ImportRefused(
            f"The study {study.name} has a plan of its own, which asks people here. Import into another study of the "
            "summaries, or delete the plan."
        )
    if task == COARSE and scale is not None and scale != plan.scale:
        _set_scale(plan, scale)
    return plan


def _set_scale(plan: FaithfulnessPlan, scale: str) -> None:
    """The file that made the plan said it, perhaps one of units, which have none."""
    if Rating.objects.filter(assignment__study=plan.study_id).exists():
        raise ImportRefused(
            f"The ratings that are here are from {plan.get_scale_display()}, and these are said to be on another "
            "scale. All ratings of a study are on one."
        )
    plan.scale = scale
    plan.save(update_fields=["scale"])


def _take_units(plan: FaithfulnessPlan, tasks: list[_Task]) -> dict[str, int]:
    by_summary: dict[int, list[_Task]] = defaultdict(list)
    for task in tasks:
        by_summary[task.summary.pk].append(task)
    counts = {"tasks": 0, "unchanged": 0, "answers": 0}
    for of_summary in by_summary.values():
        units = _units(plan, of_summary[0].summary, [row for task in of_summary for row in task.rows])
        for task in of_summary:
            answers = _answers(task)
            counts["answers"] += len(answers)
            counts["tasks" if _judge(plan, task, units, answers) else "unchanged"] += 1
    return counts


def _units(plan: FaithfulnessPlan, summary: Summary, rows: list[FileRow]) -> dict[str, Unit]:
    """The summary's units by their words; those that are here already must be the same ones."""
    first_row: dict[str, FileRow] = {}
    for row in rows:
        first_row.setdefault(row.name("unit").strip(), row)
    here = list(plan.units.filter(summary=summary).order_by("index"))
    if not here:
        here = _cut(plan, summary, first_row)
    by_words = {unit.quote: unit for unit in reversed(here)}
    for words, row in first_row.items():
        if words not in by_words:
            row.refuse(f"“{words}” is none of the summary’s units, which came with an earlier file.")
    return {words: unit.same_as or unit for words, unit in by_words.items()}


def _cut(plan: FaithfulnessPlan, summary: Summary, first_row: dict[str, FileRow]) -> list[Unit]:
    """Longer units first, so that none is found inside another."""
    taken: list[tuple[int, int]] = []
    for words in sorted(first_row, key=lambda words: (-len(words), words)):
        places = [place for place in _occurrences(summary.text, words) if not _overlaps(place, taken)]
        if not places:
            first_row[words].refuse(f"“{words}” is not in the summary, or inside another unit.")
        taken += places
    taken.sort()
    quotes = [summary.text[start:end] for start, end in taken]
    units = [
        Unit(plan=plan, summary=summary, index=index, start=start, end=end, quote=quote)
        for index, ((start, end), quote) in enumerate(zip(taken, quotes, strict=True))
    ]
    Unit.objects.bulk_create(units)
    for unit, first in zip(units, first_with_same_text(quotes), strict=True):
        if first is not None:
            unit.same_as = units[first]
            unit.save(update_fields=["same_as"])
    return units


def _occurrences(text: str, words: str) -> list[tuple[int, int]]:
    """As whole words where they stand so anywhere: “and left” is not said again in “her husband left”."""
    found = [match.span() for match in re.finditer(re.escape(words), text)]
    whole = [place for place in found if not any(_is_inside_a_word(text, edge) for edge in place)]
    return whole or found


def _is_inside_a_word(text: str, edge: int) -> bool:
    return re.fullmatch(r"\w\w", text[max(0, edge - 1) : edge + 1]) is not None


def _overlaps(place: tuple[int, int], others: Iterable[tuple[int, int]]) -> bool:
    return any(place[0] < end and start < place[1] for start, end in others)


def _answers(task: _Task) -> dict[str, tuple[FileRow, bool]]:
    answers: dict[str, tuple[FileRow, bool]] = {}
    for row in task.rows:
        words, given = row.name("unit").strip(), row.text("supported").strip().casefold()
        if given not in YES | NO:
            row.refuse(f"“{given}” is no answer: write yes or no.")
        earlier = answers.setdefault(words, (row, given in YES))
        if earlier[1] != (given in YES):
            row.refuse(f"{task.annotator} said the opposite of these words in {earlier[0].where.lower()}.")
    return answers


def _judge(
    plan: FaithfulnessPlan, task: _Task, units: dict[str, Unit], answers: dict[str, tuple[FileRow, bool]]
) -> bool:
    """Whether the person's answers about the summary are new; refuses others than those that are here."""
    given: dict[int, tuple[FileRow, bool]] = {}
    for words, (row, supported) in answers.items():
        unit = units[words]
        if given.setdefault(unit.pk, (row, supported))[1] != supported:
            row.refuse(f"{task.annotator} said the opposite of a unit that says the same.")
    if assignment := _here(plan, task, FINE):
        stored = UnitJudgement.objects.filter(sampled__assignment=assignment).values_list("sampled__unit", "supported")
        if dict(stored) != {unit: supported for unit, (_, supported) in given.items()}:
            task.rows[0].refuse(f"{task.annotator} has other answers about this summary here already.")
        return False
    assignment = _new_task(plan, task, FINE)
    hints = task.rows[0].values.get("hints") or ""
    UnitSample.objects.create(assignment=assignment, seed=SEED, hints_shown=hints.strip().casefold() in YES)
    order = {unit.pk: unit.index for unit in units.values()}
    for position, pk in enumerate(sorted(given, key=order.__getitem__)):
        row, supported = given[pk]
        sampled = SampledUnit.objects.create(assignment=assignment, unit_id=pk, position=position)
        judgement = UnitJudgement.objects.create(
            sampled=sampled, supported=supported, comment=_comment(row), active_seconds=_seconds(row)
        )
        _show(row, judgement, task.summary)
    return True


def _show(row: FileRow, judgement: UnitJudgement, summary: Summary) -> None:
    words = (row.values.get("evidence") or "").strip()
    if not words:
        return
    start = summary.book.text.find(words)
    if start < 0:
        row.refuse("the evidence is not in the book’s text.")
    Evidence.objects.create(judgement=judgement, start=start, end=start + len(words), quote=words)


def _take_ratings(plan: FaithfulnessPlan, tasks: list[_Task]) -> dict[str, int]:
    counts = {"tasks": 0, "unchanged": 0, "answers": 0}
    for task in tasks:
        if len(task.rows) > 1:
            task.rows[1].refuse(f"{task.annotator} rated this summary in {task.rows[0].where.lower()} already.")
        (row,) = task.rows
        value = row.text("rating").strip()
        if not value.isdecimal() or not SCALES[plan.scale].holds(int(value)):
            row.refuse(f"“{value}” is no whole number from {plan.get_scale_display()}.")
        counts["answers"] += 1
        if assignment := _here(plan, task, COARSE):
            if not Rating.objects.filter(assignment=assignment, value=int(value)).exists():
                row.refuse(f"{task.annotator} has another rating of this summary here already.")
            counts["unchanged"] += 1
        else:
            assignment = _new_task(plan, task, COARSE)
            Rating.objects.create(
                assignment=assignment, value=int(value), comment=_comment(row), active_seconds=_seconds(row)
            )
            counts["tasks"] += 1
    return counts


def _here(plan: FaithfulnessPlan, task: _Task, kind: str) -> Assignment | None:
    return Assignment.objects.filter(
        study=plan.study_id, task=kind, summary=task.summary, annotator__pseudonym=task.annotator
    ).first()


def _new_task(plan: FaithfulnessPlan, task: _Task, kind: str) -> Assignment:
    try:
        annotator, _ = imported_annotator(task.annotator, Annotator.Kind.PERSON)
    except ReleaseError as error:
        task.rows[0].refuse(str(error))
    return Assignment.objects.create(
        key=uuid4(),
        study_id=plan.study_id,
        annotator=annotator,
        task=kind,
        summary=task.summary,
        state=Assignment.State.SUBMITTED,
        ended_at=timezone.now(),
    )


def _set_overlap(plan: FaithfulnessPlan, task: str) -> None:
    """As many as the summary with most people has."""
    people: dict[int | None, int] = defaultdict(int)
    for summary in Assignment.objects.filter(study=plan.study_id, task=task).values_list("summary", flat=True):
        people[summary] += 1
    setattr(plan, "fine_overlap" if task == FINE else "coarse_overlap", max(people.values()))
    plan.save(update_fields=["fine_overlap", "coarse_overlap"])


def _comment(row: FileRow) -> str:
    return storable((row.values.get("comment") or "").strip())


def _seconds(row: FileRow) -> int:
    value = (row.values.get("seconds") or "").strip()
    if not value:
        return 0
    try:
        seconds = round(float(value))
    except (ValueError, OverflowError):
        seconds = -1
    if not 0 <= seconds <= 86_400:
        row.refuse(f"“{value}” is no number of seconds within a day.")
    return seconds
