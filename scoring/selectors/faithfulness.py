"""What people said about the faithfulness of a study's summaries, and judges of units beside them.

Submitted tasks of the study's own purpose alone: no attention check, training or qualification, and of whoever withdrew
nothing is stored. Judges are never among people. The number of queries does not depend on the study's size.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from annotation.faithfulness.scales import SCALES
from annotation.faithfulness.selectors import plan_of
from annotation.models import Annotator, Assignment, FaithfulnessPlan, Rating, Study, Unit, UnitJudgement
from scoring.selectors.metrics import metric_values
from scoring.selectors.order import summaries_in_order
from scoring.selectors.rouge import rouge_of
from scoring.selectors.unit_judges import JudgeOfUnits, judges_of_units
from scoring.statistics.faithfulness import Label, fine_score


class JudgedUnit(NamedTuple):
    """A unit as one person judged it. `places`: where it stands in the summary, its repeats counted."""

    unit_id: int
    supported: bool
    places: int
    #: Active time; None where none was recorded.
    seconds: int | None
    #: What is true of the unit, where that is known.
    expected: bool | None


@dataclass
class FineTask:
    """One person on the units of a summary, in the order in which they were asked. Read whole before it is used."""

    annotator_id: int
    summary_id: int
    #: None where that was not stored (an import).
    hints: bool | None
    judged: list[JudgedUnit] = field(default_factory=list)

    @cached_property
    def labels(self) -> list[Label]:
        return [(each.supported, each.places) for each in self.judged]

    @cached_property
    def score(self) -> float:
        """In percent. A task without a judgement is none (`study_faithfulness`)."""
        return fine_score(self.labels).value or 0.0


@dataclass(frozen=True)
class CoarseTask:
    """One person's rating of a summary as a whole, mapped to 0-100."""

    annotator_id: int
    summary_id: int
    score: float


@dataclass
class CheckedSummary:
    id: int
    #: Of the book, where books are resampled (`places_of_books`).
    book_place: int
    book: str
    system: str
    system_id: int
    tokens: int
    #: Units of the text, and how many of them are asked about (repeated ones once).
    units: int = 0
    different: int = 0
    #: The different ones.
    unit_ids: list[int] = field(default_factory=list)
    fine: list[FineTask] = field(default_factory=list)
    coarse: list[CoarseTask] = field(default_factory=list)


@dataclass
class StudyFaithfulness:
    study: Study
    plan: FaithfulnessPlan
    summaries: list[CheckedSummary]
    #: Id -> pseudonym of everybody who submitted such a task.
    people: dict[int, str]
    #: Different unit -> at how many places it stands.
    places: Counter[int]
    #: Unit -> what is true of it, where that is known.
    truths: dict[int, bool]
    judges: list[JudgeOfUnits]
    #: Name -> summary -> value of figures from elsewhere; and ROUGE-L of the summaries of books that have references.
    metrics: dict[str, dict[int, float]]
    rouge: dict[int, float]
    is_sample: bool


def study_faithfulness(study: Study) -> StudyFaithfulness | None:
    """None while the study has no plan for it."""
    plan = plan_of(study)
    if plan is None:
        return None
    summaries = _summaries(study)
    places, truths = _read_units(plan, summaries)
    people: dict[int, str] = {}
    fine: dict[int, FineTask] = {}
    is_sample = study.is_sample
    tasks = Assignment.objects.filter(
        study=study,
        state=Assignment.State.SUBMITTED,
        task__in=(Assignment.Task.FINE, Assignment.Task.COARSE),
        annotator__kind=Annotator.Kind.PERSON,
    ).order_by()
    columns = ("annotator__pseudonym", "id", "task", "summary", "annotator", "annotator__is_sample")
    rows = sorted(tasks.values_list(*columns, "unit_sample__hints_shown"), key=lambda row: row[:2])
    for name, key, task, summary, person, sample, hints in rows:
        if summary in summaries:
            people[person] = name
            is_sample = is_sample or sample
            if task == Assignment.Task.FINE:
                fine[key] = FineTask(person, summary, hints)
    _add_judgements(study, fine, places)
    for each in fine.values():
        if each.judged:
            summaries[each.summary_id].fine.append(each)
    for rated in _ratings(plan):
        if rated.summary_id in summaries:
            summaries[rated.summary_id].coarse.append(rated)
    found = list(summaries.values())
    judges = judges_of_units(plan)
    is_sample = is_sample or any(each.judge.is_sample for each in judges)
    return StudyFaithfulness(
        study, plan, found, people, places, truths, judges, metric_values(study), rouge_of(study), is_sample
    )


def _summaries(study: Study) -> dict[int, CheckedSummary]:
    rows = summaries_in_order(study, "book__title", "system__name", "system_id", "tokens")
    return {row[0]: CheckedSummary(*row) for row in rows}


def _read_units(plan: FaithfulnessPlan, summaries: dict[int, CheckedSummary]) -> tuple[Counter[int], dict[int, bool]]:
    """At how many places each different unit stands, and what is known to be true of it; and the summaries' units."""
    places: Counter[int] = Counter()
    truths: dict[int, bool] = {}
    rows = Unit.objects.filter(plan=plan).order_by("summary", "index")
    for unit, summary, same_as, expected in rows.values_list("id", "summary", "same_as", "expected").iterator(5000):
        places[same_as or unit] += 1
        if expected is not None:
            truths[unit] = expected
        if summary in summaries:
            summaries[summary].units += 1
            if same_as is None:
                summaries[summary].different += 1
                summaries[summary].unit_ids.append(unit)
    return places, truths


def _add_judgements(study: Study, tasks: dict[int, FineTask], places: Counter[int]) -> None:
    rows = UnitJudgement.objects.filter(
        sampled__assignment__study=study,
        sampled__assignment__task=Assignment.Task.FINE,
        sampled__assignment__state=Assignment.State.SUBMITTED,
        supported__isnull=False,
    ).order_by("sampled__assignment", "sampled__position")
    columns = ("sampled__assignment", "sampled__unit", "supported", "active_seconds", "sampled__unit__expected")
    for key, unit, supported, seconds, expected in rows.values_list(*columns).iterator(5000):
        if key in tasks and supported is not None:
            tasks[key].judged.append(JudgedUnit(unit, supported, places[unit], seconds or None, expected))


def _ratings(plan: FaithfulnessPlan) -> Iterable[CoarseTask]:
    """Those that stand, so the second value of whoever looked at a book's ratings together and changed one."""
    scale = SCALES[plan.scale]
    tasks = Assignment.objects.filter(
        study=plan.study_id,
        task=Assignment.Task.COARSE,
        state=Assignment.State.SUBMITTED,
        annotator__kind=Annotator.Kind.PERSON,
    )
    rows = Rating.objects.filter(assignment__in=tasks, value__isnull=False)
    columns = (
        "assignment__annotator__pseudonym",
        "assignment",
        "assignment__annotator",
        "assignment__summary",
        "value",
    )
    for _, _, person, summary, value in sorted(rows.order_by().values_list(*columns), key=lambda row: row[:2]):
        if summary is not None and value is not None:
            yield CoarseTask(person, summary, scale.on_hundred(value))
