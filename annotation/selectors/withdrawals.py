"""What a study holds of a person, and who has withdrawn from it."""

from dataclasses import asdict, dataclass
from uuid import UUID

from django.db.models import Q, QuerySet, Sum

from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    BookKnowledge,
    Comparison,
    ComparisonAnswer,
    ComparisonTally,
    KnownSummary,
    OriginGuess,
    Qualification,
    Rating,
    ReviewDecision,
    Study,
    UnitJudgement,
    Withdrawal,
)


@dataclass(frozen=True)
class PersonData:
    """Numbers of what one person did in one study, all of which a withdrawal removes."""

    tasks: int
    summaries: int
    marks: int
    #: Of reviewers, about this person's marks.
    decisions_on_marks: int
    decisions: int
    guesses: int
    comparisons: int
    units: int
    ratings: int
    books: int
    active_minutes: int

    def as_dict(self) -> dict[str, int]:
        return asdict(self)

    @property
    def lines(self) -> list[str]:
        return removed_lines(self.as_dict())


#: For one and for several.
WORDS = {
    "tasks": ("task", "tasks"),
    "summaries": ("summary read", "summaries read"),
    "marks": ("mark", "marks"),
    "decisions_on_marks": ("answer of a reviewer about these marks", "answers of reviewers about these marks"),
    "decisions": ("answer about a mark of somebody else", "answers about marks of others"),
    "guesses": ("guess of who made a mark", "guesses of who made a mark"),
    "comparisons": ("comparison", "comparisons"),
    "units": ("judgement of a statement", "judgements of statements"),
    "ratings": ("rating of a summary", "ratings of summaries"),
    "books": ("answer about having read a book", "answers about having read a book"),
    "active_minutes": ("minute of recorded time", "minutes of recorded time"),
}


def removed_lines(numbers: dict[str, int]) -> list[str]:
    """The numbers in words, without those that are 0."""
    return [f"{number} {WORDS[key][number != 1]}" for key in WORDS if (number := numbers.get(key, 0))]


def data_of(study: Study, annotator: Annotator) -> PersonData:
    sets = AnnotationSet.all_purposes.filter(study=study, annotator=annotator)
    tasks = Assignment.all_purposes.filter(study=study, annotator=annotator)
    marks = Annotation.objects.filter(annotation_set__in=sets)
    seconds = sets.aggregate(sum=Sum("active_seconds"))["sum"] or 0
    comparing = tasks.aggregate(sum=Sum("comparison_sheet__active_seconds"))["sum"] or 0
    judgements = UnitJudgement.objects.filter(sampled__assignment__in=tasks)
    ratings = Rating.objects.filter(assignment__in=tasks)
    checking = sum(rows.aggregate(sum=Sum("active_seconds"))["sum"] or 0 for rows in (judgements, ratings))
    answered = ComparisonAnswer.objects.filter(comparison__study=study, annotator=annotator)
    compared = Comparison.objects.filter(Q(pk__in=answered.values("comparison")) | Q(pk__in=tasks.values("comparison")))
    return PersonData(
        tasks=tasks.count(),
        summaries=sets.count(),
        marks=marks.count(),
        decisions_on_marks=ReviewDecision.objects.filter(item__annotation__in=marks).count(),
        decisions=ReviewDecision.with_planted.filter(reviewer=annotator, item__study=study).count(),
        guesses=OriginGuess.objects.filter(assignment__in=tasks).exclude(guess="").count(),
        comparisons=compared.count(),
        units=judgements.exclude(supported=None).count(),
        ratings=ratings.exclude(value=None).count(),
        books=books_to_forget(study, annotator).count(),
        active_minutes=round((seconds + comparing + checking) / 60),
    )


def books_to_forget(study: Study, annotator: Annotator) -> QuerySet[BookKnowledge]:
    """The person's answers about the books that the study showed them, without those of other studies of theirs."""
    others = Study.objects.filter(Q(assignments__annotator=annotator) | Q(members__annotator=annotator))
    answers = BookKnowledge.objects.filter(_books_of(Study.objects.filter(pk=study.pk)), annotator=annotator)
    return answers.exclude(_books_of(others.exclude(pk=study.pk)))


def _books_of(studies: QuerySet[Study]) -> Q:
    """Answers about books of summaries in these studies; attention checks, training and tests among them."""
    known = KnownSummary.objects.filter(study__in=studies.values("pk"))
    own = Study.summaries.through.objects.filter(study__in=studies.values("pk"))
    tests = Qualification.objects.filter(plan__study__in=studies.values("pk"))
    return (
        Q(book__in=own.values("summary__book"))
        | Q(book__in=known.values("summary__book"))
        | Q(book__in=tests.values("original__book"))
    )


def took_part(study: Study, annotator: Annotator) -> bool:
    """Whether the study holds anything of the person: a membership, tasks, work, or consent."""
    rows = (
        study.members.filter(annotator=annotator),
        Assignment.all_purposes.filter(study=study, annotator=annotator),
        AnnotationSet.all_purposes.filter(study=study, annotator=annotator),
        ReviewDecision.objects.filter(reviewer=annotator, item__study=study),
        ComparisonAnswer.objects.filter(annotator=annotator, comparison__study=study),
        ComparisonTally.objects.filter(annotator=annotator, study=study),
        annotator.consents.filter(text__study=study),
    )
    return any(each.exists() for each in rows)


def has_withdrawn(study: Study, annotator: Annotator) -> bool:
    return Withdrawal.objects.filter(study=study, annotator=annotator).exists()


def withdrawals_of(study: Study) -> QuerySet[Withdrawal]:
    return study.withdrawals.select_related("annotator", "by").order_by("pk")


@dataclass(frozen=True)
class Participation:
    """A study that a person has tasks in; `key` is that of one of them, the only name of it that people see."""

    title: str
    key: UUID


def participations_of(user_id: int) -> list[Participation]:
    # Training too: who did not pass has no other task left.
    tasks = Assignment.all_purposes.filter(annotator__user=user_id).order_by("study", "pk")
    first = {
        study: Participation(title, key)
        for study, title, key in reversed(tasks.values_list("study", "study__title", "key"))
    }
    return sorted(first.values(), key=lambda each: each.title)
