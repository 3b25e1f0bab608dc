"""What the assignment strategy needs to know about a study: its summaries, its people and who has what."""

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Count, Exists, F, OuterRef

from annotation.assignment import Item, Person, Shortage, shortage
from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    ComparisonAnswer,
    MarksSeen,
    Qualification,
    ReviewDecision,
    Study,
    StudyMember,
)
from annotation.selectors.qualification import not_qualified
from annotation.selectors.review import marks_to_review
from annotation.selectors.training import not_trained


def items_to_annotate(study: Study) -> list[Item]:
    return [Item(summary, book) for summary, book in study.summaries.values_list("pk", "book")]


def items_to_review(study: Study) -> list[Item]:
    """The summaries that have marks, weighted by their number."""
    if study.phase == Study.Phase.REVIEWING:
        marks = Annotation.objects.filter(review_items__study=study, review_items__planted=False)
    else:
        marks = marks_to_review(study)
    counted = marks.order_by().values_list("annotation_set__summary", "annotation_set__summary__book")
    return [Item(summary, book, weight) for summary, book, weight in counted.annotate(Count("pk"))]


def may_get_tasks(member: StudyMember) -> bool:
    """Whether a member may be given tasks at all, of whatever kind: not while the account is closed, or once deleted.

    Every task that is dealt out asks here, so what else a study requires of people before their first task goes here.
    """
    user = member.annotator.user
    return member.annotator.left_at is None and (user is None or user.is_active)


def people_of(study: Study, task: str | None = None) -> list[Person]:
    """The study's members, with what they did on books in any study, and their load of `task` here.

    Whoever may get no tasks is away. Who has yet to train keeps a place among those who annotate until they fail; in a
    review nobody can train any more. The same for the qualification test, among those who check summaries.
    """
    tested = Exists(Qualification.objects.filter(plan__study=OuterRef("study")))
    members = list(study.members.select_related("annotator__user").annotate(tested=tested).order_by("pk"))
    away = {member.annotator_id for member in members if not may_get_tasks(member)}
    annotators = [member.annotator_id for member in members]
    reviewing = task == Assignment.Task.REVIEW or study.phase == Study.Phase.REVIEWING
    untrained = not_trained(study, failed_only=not reviewing)
    unqualified = not_qualified(study) if any(member.tested for member in members) else set()
    annotated = _books_annotated(annotators)
    reviewed = _books_reviewed(annotators)
    compared = _books_compared(annotators)
    annotating = _books_annotating(annotators)
    seen = _books_seen(annotators)
    comparing = _books_comparing(annotators)
    judged = _books_checked(annotators, Assignment.Task.FINE)
    rated = _books_checked(annotators, Assignment.Task.COARSE)
    load = _load(study, task)
    return [
        Person(
            key=member.annotator_id,
            annotates=member.annotates,
            reviews=member.reviews,
            away=member.annotator_id in away,
            untrained=member.annotator_id in untrained,
            unqualified=member.annotator_id in unqualified,
            annotated=frozenset(annotated[member.annotator_id]),
            reviewed=frozenset(reviewed[member.annotator_id]),
            seen=frozenset(seen[member.annotator_id]),
            compares=member.compares,
            compared=frozenset(compared[member.annotator_id]),
            annotating=frozenset(annotating[member.annotator_id]),
            judges_units=member.judges_units,
            rates=member.rates,
            comparing=frozenset(comparing[member.annotator_id]),
            judged=frozenset(judged[member.annotator_id]),
            rated=frozenset(rated[member.annotator_id]),
            load=load.get(member.annotator_id, 0),
        )
        for member in members
    ]


def tasks_taken(study: Study, task: str) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
    """Two maps from summaries to people: who has the task or did it, and who gave it back."""
    taken: dict[int, set[int]] = defaultdict(set)
    declined: dict[int, set[int]] = defaultdict(set)
    rows = study.assignments.filter(task=task).values_list("summary", "annotator", "state")
    for summary, annotator, state in rows:
        (declined if state == Assignment.State.SKIPPED else taken)[summary].add(annotator)
    return taken, declined


def study_shortage(study: Study) -> Shortage:
    """What a study that is being set up could not serve with its present members and overlaps."""
    return shortage(
        items_to_annotate(study),
        people_of(study),
        annotation_overlap=study.annotation_overlap,
        review_overlap=study.review_overlap,
    )


def summaries_without_reviewer(study: Study) -> list[int]:
    """Summaries with marks for which fewer people are eligible than the study's review overlap asks."""
    return _without_reviewer(study, items_to_review(study), Assignment.Task.REVIEW)


def summaries_to_lack_reviewers(study: Study) -> list[int]:
    """The same while people annotate, of all summaries: it tells nobody which of them have marks."""
    return _without_reviewer(study, items_to_annotate(study))


def _without_reviewer(study: Study, items: Iterable[Item], task: str | None = None) -> list[int]:
    people = people_of(study, task)
    return [
        item.summary for item in items if sum(person.may_review(item.book) for person in people) < study.review_overlap
    ]


def _load(study: Study, task: str | None) -> dict[int, int]:
    """Tasks per person; review tasks weigh as many as they have marks, those to judge units as many as these."""
    tasks = study.assignments.filter(task=task).exclude(state=Assignment.State.SKIPPED)
    if task == Assignment.Task.FINE:
        return dict(tasks.order_by().values_list("annotator").annotate(Count("sampled_units")))
    if task != Assignment.Task.REVIEW:
        return dict(tasks.order_by().values_list("annotator").annotate(Count("pk")))
    weights = {item.summary: item.weight for item in items_to_review(study)}
    load: dict[int, int] = defaultdict(int)
    for annotator, summary in tasks.values_list("annotator", "summary"):
        load[annotator] += weights.get(summary, 0)
    return load


def _books_annotated(annotators: Iterable[int]) -> dict[int, set[int]]:
    """Books of which people have, had or gave back a summary to annotate: they know it, whatever came of it."""
    tasks = Assignment.all_purposes.filter(task=Assignment.Task.ANNOTATE, annotator__in=annotators)
    sets = AnnotationSet.all_purposes.filter(annotator__in=annotators, annotator__kind=Annotator.Kind.PERSON)
    return _by_annotator(
        tasks.values_list("annotator", "summary__book"), sets.values_list("annotator", "summary__book")
    )


def _books_annotating(annotators: Iterable[int]) -> dict[int, set[int]]:
    tasks = Assignment.all_purposes.filter(
        task=Assignment.Task.ANNOTATE, state=Assignment.State.OPEN, annotator__in=annotators
    )
    return _by_annotator(tasks.values_list("annotator", "summary__book"))


def _books_compared(annotators: Iterable[int]) -> dict[int, set[int]]:
    """Books of which people have or had two summaries to compare, whatever came of it."""
    tasks = Assignment.objects.filter(task=Assignment.Task.COMPARE, annotator__in=annotators)
    answers = ComparisonAnswer.objects.filter(annotator__in=annotators).order_by()
    return _by_annotator(
        tasks.values_list("annotator", "comparison__first__book"),
        answers.values_list("annotator", "comparison__first__book").distinct(),
    )


def _books_comparing(annotators: Iterable[int]) -> dict[int, set[int]]:
    tasks = Assignment.objects.filter(
        task=Assignment.Task.COMPARE, state=Assignment.State.OPEN, annotator__in=annotators
    )
    return _by_annotator(tasks.values_list("annotator", "comparison__first__book"))


def _books_checked(annotators: Iterable[int], task: str) -> dict[int, set[int]]:
    """Books against which people check or checked summaries in such tasks, whatever came of it."""
    tasks = Assignment.all_purposes.filter(task=task, annotator__in=annotators)
    return _by_annotator(tasks.values_list("annotator", "summary__book"))


def _books_reviewed(annotators: Iterable[int]) -> dict[int, set[int]]:
    tasks = Assignment.objects.filter(task=Assignment.Task.REVIEW, annotator__in=annotators)
    decisions = ReviewDecision.objects.filter(reviewer__in=annotators)
    return _by_annotator(
        tasks.values_list("annotator", "summary__book"),
        decisions.annotate(book=F("item__annotation__annotation_set__summary__book"))
        .order_by()
        .values_list("reviewer", "book")
        .distinct(),
    )


def _books_seen(annotators: Iterable[int]) -> dict[int, set[int]]:
    seen = MarksSeen.objects.filter(user__annotator__in=annotators).order_by()
    return _by_annotator(seen.values_list("user__annotator", "summary__book").distinct())


def _by_annotator(*pairs: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    books: dict[int, set[int]] = defaultdict(set)
    for rows in pairs:
        for annotator, book in rows:
            books[annotator].add(book)
    return books
