"""How far the tasks of studies are, measured on what the studies ask for.

What a study asks for does not shrink when somebody leaves a task out: the place stays, and nobody has it. Counts of
tasks only, so that they may be shown to people who are blind to a study's marks.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Q
from django.db.models.functions import Coalesce

from annotation.access import FAITHFULNESS, PHASE_OF_TASK, is_unblinded
from annotation.models import Assignment, Comparison, ComparisonRound, FaithfulnessPlan, ReviewItem, Study

Place = tuple[int, str, int]  # study, task, summary or comparison
Checked = tuple[int, str, int | None, int, int]  # study, state of its plan, summary, people who judge it, who rate it


@dataclass
class TaskProgress:
    """Tasks of one kind by state. A skipped task is not counted: its place is free until somebody else has it."""

    submitted: int = 0
    open: int = 0
    #: Places that nobody has.
    free: int = 0

    @property
    def total(self) -> int:
        return self.submitted + self.open + self.free

    def add(self, state: str, count: int) -> None:
        if state == Assignment.State.SUBMITTED:
            self.submitted += count
        elif state == Assignment.State.OPEN:
            self.open += count


@dataclass
class Progress:
    """Progress of a study's tasks, altogether and per person (keyed by annotator; a person has no free places)."""

    annotate: TaskProgress = field(default_factory=TaskProgress)
    review: TaskProgress = field(default_factory=TaskProgress)
    compare: TaskProgress = field(default_factory=TaskProgress)
    fine: TaskProgress = field(default_factory=TaskProgress)
    coarse: TaskProgress = field(default_factory=TaskProgress)
    people: dict[int, dict[str, TaskProgress]] = field(default_factory=dict)
    #: The study's plan for faithfulness is open.
    checking: bool = False

    @property
    def submitted(self) -> int:
        return sum(self.of_task(task).submitted for task in Assignment.Task)

    @property
    def total(self) -> int:
        return sum(self.of_task(task).total for task in Assignment.Task)

    def of_task(self, task: str) -> TaskProgress:
        """Fields are named like the tasks."""
        progress: TaskProgress = getattr(self, Assignment.Task(task).value)
        return progress


def progress_of(study: Study) -> Progress:
    """The study's tasks, altogether and per person."""
    progress = progress_of_studies([study])[study.pk]
    progress.people = defaultdict(lambda: {str(task): TaskProgress() for task in Assignment.Task})
    rows = study.assignments.order_by().values_list("annotator", "task", "state").annotate(Count("pk"))
    for annotator, task, state, count in rows:
        progress.people[annotator][task].add(state, count)
    return progress


def progress_of_studies(studies: Sequence[Study]) -> dict[int, Progress]:
    """The tasks of each study (by its pk), in the same number of queries however many there are.

    A kind of task counts in its phase, while a plan for it is open, and once it was ever given out: imported studies
    have marks and no tasks.
    """
    progress = {study.pk: Progress() for study in studies}
    taken: Counter[Place] = Counter()
    phases = {phase: str(task) for task, phase in PHASE_OF_TASK.items()}
    begun = {(study.pk, phases.get(Study.Phase(study.phase), "")) for study in studies}
    checked = _checked(studies)
    for study, state, *_ in checked:
        progress[study].checking = state == FaithfulnessPlan.State.OPEN
    begun |= {(study, str(task)) for study, each in progress.items() if each.checking for task in FAITHFULNESS}
    item = Coalesce("comparison", "summary")
    rows = Assignment.objects.filter(study__in=progress).order_by().values_list("study", "task", item, "state")
    for study, task, summary, state, count in rows.annotate(Count("pk")):
        begun.add((study, task))
        progress[study].of_task(task).add(state, count)
        if state != Assignment.State.SKIPPED:
            taken[study, task, summary] += count
    for place, asked in _asked(studies, checked):
        if place[:2] in begun:
            progress[place[0]].of_task(place[1]).free += max(0, asked - taken[place])
    return progress


def free_places(study: Study) -> int:
    """Tasks of the study's phase, open rounds and open plan that nobody has, because people left or gave them back.

    Once the study is unblinded, only those of the plan: whoever saw the sources since checks nothing any more.
    """
    progress = progress_of_studies([study])[study.pk]
    of_plan = sum(progress.of_task(task).free for task in FAITHFULNESS) if progress.checking else 0
    if is_unblinded(study):
        return of_plan
    of_phase = sum(progress.of_task(task).free for task, phase in PHASE_OF_TASK.items() if phase == study.phase)
    return of_phase + _free_in_open_rounds(study) + of_plan


def _free_in_open_rounds(study: Study) -> int:
    pairs = Comparison.objects.filter(asked_in__study=study, asked_in__state=ComparisonRound.State.OPEN)
    has = Count("assignments", filter=~Q(assignments__state=Assignment.State.SKIPPED))
    return sum(
        max(0, asked - taken) for asked, taken in pairs.annotate(has=has).values_list("asked_in__overlap", "has")
    )


def _checked(studies: Sequence[Study]) -> list[Checked]:
    """Summaries that a plan asks about; a plan without any has one row all the same."""
    plans = FaithfulnessPlan.objects.filter(study__in=[study.pk for study in studies])
    plans = plans.exclude(state=FaithfulnessPlan.State.SETUP).order_by()
    return list(plans.values_list("study", "state", "study__summaries", "fine_overlap", "coarse_overlap"))


def _asked(studies: Sequence[Study], checked: Iterable[Checked]) -> Iterable[tuple[Place, int]]:
    """How many people each summary of the studies should have for each kind of task, and each pair for comparing."""
    by_pk = {study.pk: study for study in studies}
    annotated = Study.summaries.through.objects.filter(study__in=by_pk).values_list("study", "summary")
    for study, summary in annotated:
        yield (study, str(Assignment.Task.ANNOTATE), summary), by_pk[study].annotation_overlap
    reviewed = ReviewItem.objects.filter(study__in=by_pk).order_by()
    for study, summary in reviewed.values_list("study", "annotation__annotation_set__summary").distinct():
        yield (study, str(Assignment.Task.REVIEW), summary), by_pk[study].review_overlap
    pairs = Comparison.objects.filter(study__in=by_pk).exclude(asked_in__state=ComparisonRound.State.SETUP)
    for study, pair, overlap in pairs.values_list("study", "pk", "asked_in__overlap"):
        yield (study, str(Assignment.Task.COMPARE), pair), overlap or 0
    for study, _, each, fine, coarse in checked:
        if each is not None:
            yield (study, str(Assignment.Task.FINE), each), fine
            yield (study, str(Assignment.Task.COARSE), each), coarse
