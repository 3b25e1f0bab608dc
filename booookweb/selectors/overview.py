"""What the start page of researchers and admins shows.

Counts of books, summaries, jobs and tasks only: never of marks or scores, so it may be shown to people who are blind
to a study.
"""

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.models import BEFORE_TASKS, Assignment, Study
from annotation.selectors.studies import studies_with_counts
from booookweb.models import User
from booookweb.navigation import link
from summarizer.models import Book, Job, JobItem, Summary

STUDIES_SHOWN = 6
JOBS_SHOWN = 5
#: Phases in which people have tasks.
AT_WORK = (Study.Phase.ANNOTATING, Study.Phase.REVIEWING)


@dataclass(frozen=True)
class Step:
    """One step of a study: what it is, how far it is, and where it is done (an empty url: not open to this person)."""

    title: str
    state: str
    is_done: bool
    url: str
    action: str


@dataclass(frozen=True)
class Overview:
    steps: list[Step]
    next_step: Step | None
    studies: list[Study]
    active_jobs: list[Job]
    own_tasks: int


def overview_for(user: User) -> Overview:
    """The same number of queries however much there is."""
    studies = studies_with_counts(STUDIES_SHOWN)
    steps = _steps(user, studies)
    return Overview(
        steps=steps,
        next_step=next((step for step in steps if not step.is_done and step.url), None),
        studies=studies,
        active_jobs=_jobs_to_look_at(),
        own_tasks=Assignment.all_purposes.exclude(purpose__in=BEFORE_TASKS)
        .filter(annotator__user=user, state=Assignment.State.OPEN)
        .count(),
    )


def _steps(user: User, studies: list[Study]) -> list[Step]:
    newest = studies[0].name if studies else ""
    return [
        _books_step(user),
        _summaries_step(user),
        _study_step(user),
        _people_step(user, next((study.name for study in studies if study.phase in AT_WORK), newest)),
        Step(
            title="Read the scores",
            state="Human and judge side by side, each figure with the sentences behind it.",
            is_done=False,
            url=link(user, "scoring:dashboard", slug=newest) if newest else "",
            action="Open the dashboard",
        ),
    ]


def _books_step(user: User) -> Step:
    books = Book.objects.count()
    state = _count(books, "book", "books") if books else "Plain text or EPUB."
    return Step("Add books", state, bool(books), link(user, "summarizer:book-upload"), "Add a book")


def _summaries_step(user: User) -> Step:
    summaries, systems = Summary.objects.count(), Summary.objects.values("system").distinct().count()
    state = (
        f"{_count(summaries, 'summary', 'summaries')} by {_count(systems, 'system', 'systems')}"
        if summaries
        else "With an LLM, or with the extractive baseline that needs none."
    )
    return Step("Make summaries", state, bool(summaries), link(user, "summarizer:launch"), "Plan summaries")


def _study_step(user: User) -> Step:
    studies = Study.objects.count()
    state = _count(studies, "study", "studies") if studies else "Choose summaries, people and judges."
    return Step("Set up a study", state, bool(studies), link(user, "annotation:study-add"), "Set up a study")


def _people_step(user: User, study: str) -> Step:
    """`study` is the name of the one to open: the newest in which people work."""
    counts = dict(Assignment.objects.order_by().values_list("state").annotate(Count("pk")))
    submitted, open_tasks = counts.get(Assignment.State.SUBMITTED, 0), counts.get(Assignment.State.OPEN, 0)
    state = (
        f"{_count(submitted, 'task', 'tasks')} submitted, {open_tasks} open"
        if submitted or open_tasks
        else "Starts when a study has summaries and people."
    )
    url = link(user, "annotation:study", slug=study) if study else ""
    return Step("People mark what confuses them", state, bool(submitted) and not open_tasks, url, "Open the study")


def _jobs_to_look_at() -> list[Job]:
    """Jobs that run or wait, and those with failures, newest first, with `open_items`, `failed_items`, `all_items`."""
    return list(
        Job.objects.select_related("endpoint")
        .annotate(
            all_items=Count("items"),
            done_items=Count("items", filter=Q(items__state=JobItem.State.DONE)),
            open_items=Count("items", filter=Q(items__state__in=JobItem.UNFINISHED)),
            failed_items=Count("items", filter=Q(items__state=JobItem.State.FAILED)),
        )
        .filter(Q(open_items__gt=0) | Q(failed_items__gt=0))[:JOBS_SHOWN]
    )


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
