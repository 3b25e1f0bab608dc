"""What a study has, and what it lacks for its next phase."""

from collections.abc import Sequence

from django.db.models import Count, Q, QuerySet

from annotation.deadlines import deadline_problem
from annotation.models import (
    AnnotationSet,
    Annotator,
    Assignment,
    Purpose,
    Study,
    StudyMember,
)
from annotation.selectors.assignment import (
    study_shortage,
    summaries_to_lack_reviewers,
    summaries_without_reviewer,
)
from annotation.selectors.progress import progress_of_studies
from annotation.selectors.review import judge_gaps, marks_to_review, marks_without_place
from annotation.selectors.stage import nobody_marks, stages
from annotation.selectors.training import training_of, training_summaries
from summarizer.models import Summary

#: How many summaries a sentence names before it counts the rest.
NAMED = 5


def studies_with_counts(limit: int | None = None) -> list[Study]:
    """All studies or the newest ones, newest first.

    Each with `summary_count`, `member_count`, `stage` (in words) and `progress`.
    """
    studies = list(
        Study.objects.order_by("-pk").annotate(
            summary_count=Count("summaries", distinct=True),
            member_count=Count("members", distinct=True),
        )[:limit]
    )
    progress, stage = progress_of_studies(studies), stages(studies)
    for study in studies:
        study.progress = progress[study.pk]  # type: ignore[attr-defined]
        study.stage = stage[study.pk]  # type: ignore[attr-defined]
    return list(studies)  # as plain studies: the annotations are read by templates


def members_of(study: Study) -> QuerySet[StudyMember]:
    return study.members.select_related("annotator__user").order_by("annotator__pseudonym")


def summary_names(summaries: Sequence[int]) -> str:
    """The first few of these summaries by book and system, and how many more there are."""
    named = Summary.objects.filter(pk__in=summaries[:NAMED]).select_related("book", "system").order_by("pk")
    names = ", ".join(f"{summary.book.title} ({summary.system.name})" for summary in named)
    rest = len(summaries) - NAMED
    return f"{names} and {rest} more" if rest > 0 else names


def annotating_problems(study: Study) -> list[str]:
    """Why annotating can't be opened, as sentences that say what to do."""
    if not study.summaries.exists():
        return ["The study has no summaries yet. Choose some."]
    if not study.members.filter(annotates=True).exists():
        members = list(study.members.all())
        return [_without_annotating(members) if nobody_marks(members) else "Nobody annotates yet. Add people who do."]
    shortage = study_shortage(study)
    problems = [
        problem for problem in [deadline_problem(study, Assignment.Task.ANNOTATE), _no_training(study)] if problem
    ]
    if shortage.annotators:
        problems.append(
            f"{_number(shortage.annotators, 'summary has', 'summaries have')} fewer than {study.annotation_overlap} "
            f"people who may annotate: {summary_names(shortage.annotators)}. Add people who annotate, or lower the "
            "number of people per summary. (Whoever reviewed marks on a book, or was shown them, never annotates a "
            "summary of it.)"
        )
    if shortage.reviewers:
        problems.append(_no_reviewer(study, shortage.reviewers))
    return problems


def _without_annotating(members: Sequence[StudyMember]) -> str:
    """What a study begins with in which nobody marks."""
    compares = any(each.compares for each in members)
    checks = any(each.judges_units or each.rates for each in members)
    begin = {
        (True, False): ("only compares", "Set up comparisons and open a round"),
        (False, True): ("only checks faithfulness", "Plan it and open the plan"),
        (True, True): ("only compares or checks faithfulness", "Open a round of comparisons, or the plan"),
    }
    does, then = begin[compares, checks]
    return f"Everybody in this study {does} so far. {then}, or add people who annotate."


def review_problems(study: Study) -> list[str]:
    """Why the review can't be opened."""
    if study.review_overlap == 0:
        return ["This study is set up without a review. Close it instead, or set how many people review each mark."]
    if not marks_to_review(study).exists():
        return ["There are no marks to review yet."]
    short = summaries_without_reviewer(study)
    problems = [_no_reviewer(study, short) if short else "", deadline_problem(study, Assignment.Task.REVIEW)]
    return [problem for problem in problems if problem]


def coming_review_problems(study: Study) -> list[str]:
    """Why the review could not be opened later, while people annotate: somebody left, or saw marks."""
    if study.phase != Study.Phase.ANNOTATING or not study.review_overlap:
        return []
    short = summaries_to_lack_reviewers(study)
    return [_no_reviewer(study, short)] if short else []


def review_gaps(study: Study) -> list[str]:
    """What the review would go without if it were opened now."""
    gaps = []
    if unfinished := study.assignments.filter(task=Assignment.Task.ANNOTATE, state=Assignment.State.OPEN).count():
        gaps.append(
            f"{unfinished} annotation {'task is' if unfinished == 1 else 'tasks are'} not submitted; opening the "
            f"review ends {'it, and its' if unfinished == 1 else 'them, and their'} marks are left out."
        )
    if lacking := summaries_without_annotator(study):
        people = "nobody" if study.annotation_overlap == 1 else f"fewer than {study.annotation_overlap} people"
        gaps.append(
            f"{_number(lacking, 'summary has', 'summaries have')} {people} to annotate "
            f"{'it' if len(lacking) == 1 else 'them'}: {summary_names(lacking)}. Give the free tasks to others on the "
            "study’s page, or add people who annotate."
        )
    gaps.extend(
        f"{judge} has no finished result for {_number(range(missing), 'summary', 'summaries')}."
        for judge, missing in judge_gaps(study)
    )
    if homeless := marks_without_place(study):
        gaps.append(f"{homeless} imported {'mark has' if homeless == 1 else 'marks have'} no place in the text.")
    return gaps


def summaries_without_annotator(study: Study) -> list[int]:
    """Summaries of which fewer people submitted marks, or still have the task, than the annotation overlap asks."""
    submitted = Q(
        annotation_sets__study=study,
        annotation_sets__annotator__kind=Annotator.Kind.PERSON,
        annotation_sets__purpose=Purpose.STUDY,  # marks planted for the review are nobody's work
        annotation_sets__state=AnnotationSet.State.SUBMITTED,
    )
    has_task = Q(
        assignments__study=study, assignments__task=Assignment.Task.ANNOTATE, assignments__state=Assignment.State.OPEN
    )
    summaries = study.summaries.annotate(
        people=Count("annotation_sets__annotator", filter=submitted, distinct=True)
        + Count("assignments__annotator", filter=has_task, distinct=True)
    )
    return list(summaries.filter(people__lt=study.annotation_overlap).order_by("pk").values_list("pk", flat=True))


def _no_training(study: Study) -> str:
    if training_of(study) is None:
        return ""
    summaries = training_summaries(study)
    if not summaries:
        return "The study asks for training and has no training summary. Add one, or ask for none."
    if any(not each.places.all() for each in summaries):
        return "A training summary has no known place yet. Mark its places, or take it out."
    return ""


def _no_reviewer(study: Study, summaries: Sequence[int]) -> str:
    what = (
        "no eligible reviewer" if study.review_overlap == 1 else f"fewer than {study.review_overlap} eligible reviewers"
    )
    return (
        f"{_number(summaries, 'summary has', 'summaries have')} {what}: {summary_names(summaries)}. Nobody reviews "
        "marks on a book of which they annotate a summary or have seen marks, so add people who review, let fewer "
        "people annotate each summary, or lower the number of reviewers per mark."
    )


def _number(things: Sequence[int], one: str, many: str) -> str:
    return f"{len(things)} {one if len(things) == 1 else many}"
