"""What a study has, what it lacks, and how far it is."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Q, QuerySet

from annotation.models import Assignment, Study, StudyMember
from annotation.selectors.assignment import study_shortage, summaries_without_reviewer
from annotation.selectors.review import judge_gaps, marks_to_review, marks_without_place
from summarizer.models import Summary

#: How many summaries a sentence names before it counts the rest.
NAMED = 5


@dataclass
class TaskProgress:
    """Tasks of one kind by state. A skipped task is not counted: somebody else has its place."""

    submitted: int = 0
    open: int = 0

    @property
    def total(self) -> int:
        return self.submitted + self.open


@dataclass
class Progress:
    """Progress of a study's tasks, altogether and per person (keyed by annotator)."""

    annotate: TaskProgress = field(default_factory=TaskProgress)
    review: TaskProgress = field(default_factory=TaskProgress)
    people: dict[int, dict[str, TaskProgress]] = field(default_factory=dict)


def studies_with_counts() -> QuerySet[Study]:
    """All studies, newest first, with `summary_count`, `member_count`, `tasks_submitted` and `tasks_total`."""
    counted = ~Q(assignments__state=Assignment.State.SKIPPED)
    return Study.objects.order_by("-pk").annotate(
        summary_count=Count("summaries", distinct=True),
        member_count=Count("members", distinct=True),
        tasks_total=Count("assignments", filter=counted, distinct=True),
        tasks_submitted=Count("assignments", filter=Q(assignments__state=Assignment.State.SUBMITTED), distinct=True),
    )


def progress_of(study: Study) -> Progress:
    """Counts of tasks only, so that they may be shown to people who are blind to the study's marks."""
    progress = Progress(people=defaultdict(lambda: {"annotate": TaskProgress(), "review": TaskProgress()}))
    rows = study.assignments.exclude(state=Assignment.State.SKIPPED).order_by()
    for annotator, task, state, count in rows.values_list("annotator", "task", "state").annotate(Count("pk")):
        for each in (progress.annotate if task == "annotate" else progress.review, progress.people[annotator][task]):
            setattr(each, state, getattr(each, state) + count)
    return progress


def members_of(study: Study) -> QuerySet[StudyMember]:
    return study.members.select_related("annotator__user").order_by("annotator__pseudonym")


def annotating_problems(study: Study) -> list[str]:
    """Why annotating can't be opened, as sentences that say what to do."""
    if not study.summaries.exists():
        return ["The study has no summaries yet. Choose some."]
    if not study.members.filter(annotates=True).exists():
        return ["Nobody annotates yet. Add people who do."]
    shortage = study_shortage(study)
    problems = []
    if shortage.annotators:
        problems.append(
            f"{_number(shortage.annotators, 'summary has', 'summaries have')} fewer than {study.annotation_overlap} "
            f"people who may annotate: {_names(shortage.annotators)}. Add people who annotate, or lower the number of "
            "people per summary. (Whoever reviewed marks on a book never annotates a summary of it.)"
        )
    if shortage.reviewers:
        problems.append(_no_reviewer(study, shortage.reviewers))
    return problems


def review_problems(study: Study) -> list[str]:
    """Why the review can't be opened."""
    if study.review_overlap == 0:
        return ["This study is set up without a review. Close it instead, or set how many people review each mark."]
    if not marks_to_review(study).exists():
        return ["There are no marks to review yet."]
    short = summaries_without_reviewer(study)
    return [_no_reviewer(study, short)] if short else []


def review_gaps(study: Study) -> list[str]:
    """What the review would go without if it were opened now."""
    gaps = []
    if unfinished := study.assignments.filter(task=Assignment.Task.ANNOTATE, state=Assignment.State.OPEN).count():
        gaps.append(
            f"{unfinished} annotation {'task is' if unfinished == 1 else 'tasks are'} not submitted; opening the "
            "review ends them, and their marks are left out."
        )
    gaps.extend(
        f"{judge} has no finished result for {_number(range(missing), 'summary', 'summaries')}."
        for judge, missing in judge_gaps(study)
    )
    if homeless := marks_without_place(study):
        gaps.append(f"{homeless} imported {'mark has' if homeless == 1 else 'marks have'} no place in the text.")
    return gaps


def _no_reviewer(study: Study, summaries: Sequence[int]) -> str:
    what = (
        "no eligible reviewer" if study.review_overlap == 1 else f"fewer than {study.review_overlap} eligible reviewers"
    )
    return (
        f"{_number(summaries, 'summary has', 'summaries have')} {what}: {_names(summaries)}. Nobody reviews marks on a "
        "book of which they annotate a summary, so add people who review, or let fewer people annotate each summary."
    )


def _number(things: Sequence[int], one: str, many: str) -> str:
    return f"{len(things)} {one if len(things) == 1 else many}"


def _names(summaries: Sequence[int]) -> str:
    named = Summary.objects.filter(pk__in=summaries[:NAMED]).select_related("book", "system").order_by("pk")
    names = ", ".join(f"{summary.book.title} ({summary.system.name})" for summary in named)
    rest = len(summaries) - NAMED
    return f"{names} and {rest} more" if rest > 0 else names
