"""Why tasks have nobody after all that could be given out were given out."""

from collections import defaultdict

from annotation.access import PHASE_OF_TASK
from annotation.assignment import why_not_annotate, why_not_check, why_not_compare, why_not_review
from annotation.deadlines import deadline_problem
from annotation.faithfulness.selectors import COARSE, FINE, items_to_check, overlap_of
from annotation.models import Assignment, ComparisonRound, FaithfulnessPlan, Study
from annotation.selectors.assignment import items_to_annotate, items_to_review, people_of, tasks_taken
from annotation.selectors.comparisons import items_to_compare, pair_names, people_compared
from annotation.selectors.studies import summary_names


def free_tasks_explained(study: Study) -> str:
    """Which summaries and pairs lack people, why nobody here may take them, and what to do; empty where none lacks any.

    Counts people and names none, so that it does not tell who annotated what.
    """
    rounds = study.comparison_rounds.filter(state=ComparisonRound.State.OPEN)
    plans = FaithfulnessPlan.objects.filter(study=study, state=FaithfulnessPlan.State.OPEN).select_related("study")
    of_plan = [_of_plan(each, task) for each in plans for task in (FINE, COARSE)]
    return " ".join(filter(None, [_of_phase(study), *(_of_round(study, each) for each in rounds), *of_plan]))


def _of_phase(study: Study) -> str:
    tasks = [task for task, phase in PHASE_OF_TASK.items() if phase == study.phase]
    if not tasks:
        return ""
    task = tasks[0]
    taken, declined = tasks_taken(study, task)
    annotating = task == Assignment.Task.ANNOTATE
    overlap = study.annotation_overlap if annotating else study.review_overlap
    items = items_to_annotate(study) if annotating else items_to_review(study)
    short = [item for item in items if len(taken.get(item.summary, ())) < overlap]
    if not short:
        return ""
    if problem := deadline_problem(study, task):
        return problem
    people: dict[str, set[int]] = defaultdict(set)
    for person in people_of(study, task):
        for item in short:
            has, gave_back = taken.get(item.summary, ()), declined.get(item.summary, ())
            why_not = why_not_annotate if annotating else why_not_review
            people[why_not(person, item, has=has, gave_back=gave_back)].add(person.key)
    free = sum(overlap - len(taken.get(item.summary, ())) for item in short)
    names = summary_names([item.summary for item in short])
    return _sentences(free, names, people, "annotate" if annotating else "review")


def _of_round(study: Study, asked_in: ComparisonRound) -> str:
    taken, declined = people_compared(asked_in)
    short = [item for item in items_to_compare(asked_in) if len(taken.get(item.summary, ())) < asked_in.overlap]
    if not short:
        return ""
    if late := deadline_problem(study, Assignment.Task.COMPARE):
        return late
    people: dict[str, set[int]] = defaultdict(set)
    for person in people_of(study, Assignment.Task.COMPARE):
        for item in short:
            has, gave_back = taken.get(item.summary, ()), declined.get(item.summary, ())
            people[why_not_compare(person, item, has=has, gave_back=gave_back)].add(person.key)
    free = sum(asked_in.overlap - len(taken.get(item.summary, ())) for item in short)
    return _sentences(free, pair_names([item.summary for item in short]), people, "compare")


def _of_plan(plan: FaithfulnessPlan, task: str) -> str:
    study, overlap = plan.study, overlap_of(plan, task)
    taken, declined = tasks_taken(study, task)
    short = [item for item in items_to_check(plan, task) if len(taken.get(item.summary, ())) < overlap]
    if not short:
        return ""
    if late := deadline_problem(study, task):
        return late
    people: dict[str, set[int]] = defaultdict(set)
    for person in people_of(study, task):
        for item in short:
            has, gave_back = taken.get(item.summary, ()), declined.get(item.summary, ())
            reason = why_not_check(person, item, units=task == FINE, has=has, gave_back=gave_back)
            people[reason].add(person.key)
    free = sum(overlap - len(taken.get(item.summary, ())) for item in short)
    names = summary_names([item.summary for item in short])
    return _sentences(free, names, people, "judge units" if task == FINE else "rate")


def _sentences(free: int, names: str, people: dict[str, set[int]], verb: str) -> str:
    reasons = [f"{_number(len(keys), 'person', 'people')} {reason}" for reason, keys in sorted(people.items())]
    because = f" ({'; '.join(reasons)})" if reasons else ""
    return (
        f"{_number(free, 'task has', 'tasks have')} nobody: {names}. "
        f"No member may take {'it' if free == 1 else 'them'}{because}. Add people who {verb}."
    )


def _number(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
