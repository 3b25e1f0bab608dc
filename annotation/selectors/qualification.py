"""Who has passed the qualification test of a study, who may still, and who did not; and how far the test is made."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import (
    Assignment,
    FaithfulnessPlan,
    Perturbation,
    Purpose,
    Qualification,
    QualificationAttempt,
    QualificationPass,
    QualificationUnit,
    SampledUnit,
    Study,
    StudyMember,
)
from summarizer.models import Book, Summary

#: The system whose summaries are tests.
TESTS = "qualification tests"
#: Of statements: with fewer or more of them changed, guessing one answer throughout gets far.
LEAST_SHARE, LARGEST_SHARE = 0.4, 0.6


def qualification_of(study: Study) -> Qualification | None:
    return qualifications().filter(plan__study=study).first()


def qualifications() -> QuerySet[Qualification]:
    """With what pages need of them; texts are loaded only where they are asked for."""
    rows = Qualification.objects.select_related("plan__study", "original__book", "original__system", "test")
    return rows.defer("original__text", "original__book__text", "test__text")


def passed_attempts(annotator: "int | OuterRef", study: "int | OuterRef") -> QuerySet[QualificationAttempt]:
    return QualificationAttempt.objects.filter(
        assignment__annotator=annotator, assignment__study=study, passed=True
    ).order_by()


def must_qualify(*, study_id: int, annotator_id: int) -> bool:
    """The study asks for a test, and the person has not passed it."""
    by_hand = QualificationPass.objects.filter(study=study_id, annotator=annotator_id)
    return Qualification.objects.filter(
        ~Exists(passed_attempts(annotator_id, study_id)), ~Exists(by_hand), plan__study=study_id
    ).exists()


def studies_to_qualify_for(user_id: int) -> set[int]:
    """The studies in which the person checks summaries and has not passed the test."""
    by_hand = QualificationPass.objects.filter(study=OuterRef("study"), annotator=OuterRef("annotator"))
    members = StudyMember.objects.filter(
        Q(judges_units=True) | Q(rates=True),
        ~Exists(passed_attempts(OuterRef("annotator"), OuterRef("study"))),
        ~Exists(by_hand),
        annotator__user=user_id,
        study__faithfulness__qualification__isnull=False,
    )
    return set(members.values_list("study", flat=True))


@dataclass(frozen=True)
class QualificationStanding:
    """Where a person stands in the test of a study."""

    qualification: Qualification
    attempts: Sequence[QualificationAttempt]
    by_hand: QualificationPass | None = None

    @property
    def passed(self) -> bool:
        return self.by_hand is not None or any(attempt.passed for attempt in self.attempts)

    @property
    def left(self) -> int:
        """Attempts that the person may still make."""
        return 0 if self.passed else max(0, self.qualification.attempts - len(self.attempts))

    @property
    def failed(self) -> bool:
        return not self.passed and not self.left


def standing_in(study: Study, annotator_id: int) -> QualificationStanding | None:
    """None if the study asks for no test."""
    return _standings(study, [annotator_id]).get(annotator_id)


def _standings(study: Study, people: Collection[int]) -> dict[int, QualificationStanding]:
    qualification = qualification_of(study)
    if qualification is None:
        return {}
    attempts: dict[int, list[QualificationAttempt]] = defaultdict(list)
    made = QualificationAttempt.objects.filter(assignment__study=study, assignment__annotator__in=people)
    for attempt in made.select_related("assignment").order_by("number"):
        attempts[attempt.assignment.annotator_id].append(attempt)
    passes = {
        each.annotator_id: each for each in study.qualification_passes.filter(annotator__in=people).select_related("by")
    }
    return {key: QualificationStanding(qualification, attempts[key], passes.get(key)) for key in people}


def not_qualified(study: Study) -> set[int]:
    """Who of those who check summaries did not pass and has no attempt left."""
    people = study.members.filter(Q(judges_units=True) | Q(rates=True)).values_list("annotator", flat=True)
    return {key for key, standing in _standings(study, list(people)).items() if standing.failed}


@dataclass(frozen=True)
class TestedMember:
    member: StudyMember
    standing: QualificationStanding


def tested_members(study: Study) -> list[TestedMember]:
    """Everybody who checks summaries, by pseudonym; the number of queries does not grow with them."""
    checking = study.members.filter(Q(judges_units=True) | Q(rates=True))
    members = list(checking.select_related("annotator", "invitation").order_by("annotator__pseudonym"))
    standings = _standings(study, [member.annotator_id for member in members])
    return [TestedMember(member, standings[member.annotator_id]) for member in members if standings]


@dataclass(frozen=True)
class FailedTest:
    study_title: str
    #: Of the task whose page has the result.
    key: UUID


def failed_tests(user_id: int) -> list[FailedTest]:
    """Studies at work whose test the person did not pass."""
    tasks = Assignment.all_purposes.filter(
        annotator__user=user_id,
        purpose=Purpose.QUALIFICATION,
        state=Assignment.State.SUBMITTED,
        study__faithfulness__state=FaithfulnessPlan.State.OPEN,
    )
    last = {task.study_id: task for task in tasks.select_related("study").order_by("pk")}
    return [
        FailedTest(task.study.title, task.key)
        for task in last.values()
        if (standing := standing_in(task.study, task.annotator_id)) and standing.failed
    ]


def begun_test(study: Study, annotator_id: int) -> Assignment | None:
    """The attempt that the person has begun and not submitted; it ended where they could not work for a while."""
    tests = Assignment.all_purposes.filter(study=study, annotator=annotator_id, purpose=Purpose.QUALIFICATION)
    return tests.exclude(state=Assignment.State.SUBMITTED).first()


def last_attempt(study: Study, annotator_id: int) -> QualificationAttempt | None:
    attempts = QualificationAttempt.objects.filter(assignment__study=study, assignment__annotator=annotator_id)
    return attempts.select_related("assignment").order_by("number").last()


@dataclass(frozen=True)
class ExpectedAnswer:
    quote: str
    expected: bool
    supported: bool


def expected_answers(attempt: QualificationAttempt) -> list[ExpectedAnswer]:
    """The statements of an attempt with what was answered, in their order in the text."""
    rows = SampledUnit.objects.filter(assignment=attempt.assignment_id).order_by("unit__index")
    values = rows.values_list("unit__quote", "unit__expected", "judgement__supported")
    return [ExpectedAnswer(quote, bool(expected), bool(supported)) for quote, expected, supported in values]


@dataclass(frozen=True)
class Statement:
    """A statement of a test that is being made, with what stands of its changes."""

    unit: QualificationUnit
    #: Accepted.
    change: Perturbation | None
    proposal: Perturbation | None
    dropped: Sequence[Perturbation]
    #: What an LLM was asked for without an answer that can be used.
    unread: Sequence[Perturbation]

    @property
    def number(self) -> int:
        return self.unit.index + 1

    @property
    def is_asked(self) -> bool:
        return self.unit.asked

    @property
    def is_free(self) -> bool:
        """A change can be proposed."""
        return self.is_asked and self.change is None and self.proposal is None

    @property
    def said(self) -> str:
        """As people see it."""
        return self.change.text if self.change else self.unit.quote


def statements_of(qualification: Qualification) -> list[Statement]:
    """In the order of the text, in two queries."""
    units = qualification.statements.prefetch_related("perturbations__decided_by").order_by("index")
    return [_statement(unit) for unit in units]


def _statement(unit: QualificationUnit) -> Statement:
    by_state: dict[str, list[Perturbation]] = defaultdict(list)
    for change in unit.perturbations.all():
        by_state[change.state].append(change)
    accepted, proposed = by_state[Perturbation.State.ACCEPTED], by_state[Perturbation.State.PROPOSED]
    return Statement(
        unit,
        accepted[0] if accepted else None,
        proposed[0] if proposed else None,
        by_state[Perturbation.State.DROPPED],
        by_state[Perturbation.State.UNREAD],
    )


def wanted_changes(statements: Sequence[Statement]) -> int:
    """How many changes are missing to half of the statements that are asked, proposed ones counted."""
    asked = [each for each in statements if each.is_asked]
    return max(0, (len(asked) + 1) // 2 - sum(each.change is not None or each.proposal is not None for each in asked))


@dataclass(frozen=True)
class MakingState:
    """Numbers of statements."""

    asked: int
    changed: int
    proposed: int
    left_out: int
    #: Without a change or a proposal, because an LLM's answer could not be used.
    unread: int

    @property
    def half(self) -> int:
        return (self.asked + 1) // 2

    @property
    def is_uneven(self) -> bool:
        return bool(self.asked) and not LEAST_SHARE <= self.changed / self.asked <= LARGEST_SHARE


def making_state(statements: Sequence[Statement]) -> MakingState:
    asked = [each for each in statements if each.is_asked]
    return MakingState(
        asked=len(asked),
        changed=sum(each.change is not None for each in asked),
        proposed=sum(each.proposal is not None for each in asked),
        left_out=len(statements) - len(asked),
        unread=sum(bool(each.unread) and each.is_free for each in asked),
    )


def qualification_problems(study: Study) -> list[str]:
    """Why a plan can't be opened with its test, as sentences that say what to do."""
    qualification = qualification_of(study)
    if qualification is None:
        return []
    if qualification.test is None:
        return ["The qualification test is not made yet. Finish it, or delete it."]
    if study.summaries.filter(book__title__iexact=qualification.original.book.title).exists():
        return [
            f"The qualification test is about “{qualification.original.book.title}”, of which the study has a summary "
            "now. Make a test about another book."
        ]
    return []


def originals_for(study: Study, words: str) -> QuerySet[Summary]:
    """Summaries from which a test of the study can be made: of books with a text of which it has no summary."""
    own = study.summaries.values("book")
    summaries = Summary.objects.exclude(book__in=own).exclude(book__text="").exclude(system__name__startswith=TESTS)
    summaries = summaries.select_related("book", "system")
    if words:
        summaries = summaries.filter(Q(book__title__icontains=words) | Q(system__name__icontains=words))
    return summaries.defer("text", "book__text").order_by("book__title", "book", "system__name")


def books_for(study: Study) -> QuerySet[Book]:
    """Books about which a researcher may write the text of a test."""
    books = Book.objects.exclude(text="").exclude(pk__in=study.summaries.values("book"))
    return books.defer("text").order_by("title", "pk")
