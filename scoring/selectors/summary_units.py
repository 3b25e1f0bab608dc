"""One summary, unit by unit: what each person and each judge answered, and by what. A fixed number of queries."""

from dataclasses import dataclass, field

from django.db.models import Prefetch

from annotation.faithfulness.scales import SCALES
from annotation.models import (
    Annotator,
    Assignment,
    Evidence,
    FaithfulnessPlan,
    Rating,
    Unit,
    UnitJudgement,
    UnitVerdict,
)
from scoring.selectors.summary_lanes import letter_of
from summarizer.models import Book, Summary

SUPPORTED, UNSUPPORTED, UNPARSED, NOT_ASKED = "supported", "unsupported", "unparsed", "not asked"


@dataclass
class UnitSource:
    """One lane: a person who judged units of the summary, or a judge."""

    letter: str
    name: str
    is_sample: bool
    #: None where that was not stored (an import).
    hints: bool | None
    kind: str = Annotator.Kind.PERSON
    supported: int = 0
    unsupported: int = 0
    unparsed: int = 0

    def count(self, supported: bool | None) -> None:
        self.supported += supported is True
        self.unsupported += supported is False
        self.unparsed += supported is None


@dataclass(frozen=True)
class UnitAnswer:
    source: UnitSource
    #: None for an answer of a judge that could not be read; the comment then says why.
    supported: bool | None
    comment: str
    hints_viewed: int = 0
    evidence: list[Evidence] = field(default_factory=list)
    #: What of the book a judge was shown.
    passages: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        return {True: "supported", False: "not supported", None: "answer not readable"}[self.supported]


@dataclass
class UnitLine:
    number: int
    text: str
    starts_paragraph: bool
    #: Number of the first unit that says the same, or None. Its answers count here too.
    same_as: int | None
    #: What a researcher found true of it; None where that is not known.
    expected: bool | None
    #: (source, state) for each lane.
    cells: list[tuple[UnitSource, str]] = field(default_factory=list)
    answers: list[UnitAnswer] = field(default_factory=list)


@dataclass(frozen=True)
class RatedBy:
    name: str
    value: int
    score: float
    #: Before the person looked at the book's ratings together; None where it was not changed.
    first_value: int | None
    comment: str


@dataclass(frozen=True)
class SummaryUnits:
    sources: list[UnitSource]
    lines: list[UnitLine]
    ratings: list[RatedBy]


def summary_units(plan: FaithfulnessPlan, summary: Summary) -> SummaryUnits:
    """Submitted tasks of the study's own purpose, and verdicts of judges."""
    tasks = (
        Assignment.objects.filter(
            study=plan.study_id,
            summary=summary,
            state=Assignment.State.SUBMITTED,
            annotator__kind=Annotator.Kind.PERSON,
        )
        .select_related("annotator", "unit_sample")
        .order_by("annotator__pseudonym", "id")
    )
    sources = {
        task.pk: UnitSource(letter_of(index), task.annotator.pseudonym, task.annotator.is_sample, _hints(task))
        for index, task in enumerate(tasks.filter(task=Assignment.Task.FINE))
    }
    answers = _answers(sources)
    people = list(sources.values())
    judges = _add_verdicts(plan, summary, answers, len(people))
    units = list(Unit.objects.filter(plan=plan, summary=summary).order_by("index"))
    lines = _lines(units, [*people, *judges], answers, summary)
    rated = Rating.objects.filter(assignment__in=tasks.filter(task=Assignment.Task.COARSE), value__isnull=False)
    scale = SCALES[plan.scale]
    return SummaryUnits(
        sources=[*people, *judges],
        lines=lines,
        ratings=[
            RatedBy(
                rating.assignment.annotator.pseudonym,
                rating.value,
                scale.on_hundred(rating.value),
                rating.first_value,
                rating.comment,
            )
            for rating in rated.select_related("assignment__annotator").order_by("assignment__annotator__pseudonym")
            if rating.value is not None
        ],
    )


def _hints(task: Assignment) -> bool | None:
    return task.unit_sample.hints_shown if hasattr(task, "unit_sample") else None


def _answers(sources: dict[int, UnitSource]) -> dict[int, list[UnitAnswer]]:
    """By unit, in the order of the sources."""
    rows = (
        UnitJudgement.objects.filter(sampled__assignment__in=list(sources), supported__isnull=False)
        .select_related("sampled")
        .prefetch_related(Prefetch("evidence", queryset=Evidence.objects.order_by("start", "end")))
    )
    order = {task: place for place, task in enumerate(sources)}
    found: dict[int, list[UnitAnswer]] = {}
    for each in sorted(rows, key=lambda row: order[row.sampled.assignment_id]):
        answer = UnitAnswer(
            sources[each.sampled.assignment_id],
            bool(each.supported),
            each.comment,
            each.hints_viewed,
            list(each.evidence.all()),
        )
        found.setdefault(each.sampled.unit_id, []).append(answer)
    return found


def _add_verdicts(
    plan: FaithfulnessPlan, summary: Summary, answers: dict[int, list[UnitAnswer]], lanes: int
) -> list[UnitSource]:
    """Adds the verdicts of judges to `answers`; returns the judges, whose lanes stand behind so many others."""
    verdicts = UnitVerdict.objects.filter(unit__plan=plan, unit__summary=summary).select_related("annotator")
    rows = list(verdicts.order_by("annotator__pseudonym", "annotator", "unit__index"))
    text = Book.objects.values_list("text", flat=True).get(pk=summary.book_id) if rows else ""
    judges: dict[int, UnitSource] = {}
    for row in rows:
        if row.annotator_id not in judges:
            letter, judge = letter_of(lanes + len(judges)), row.annotator
            judges[judge.pk] = UnitSource(letter, judge.pseudonym, judge.is_sample, None, Annotator.Kind.JUDGE)
        answer = UnitAnswer(
            judges[row.annotator_id],
            None if row.state == UnitVerdict.State.UNPARSED else row.state == UnitVerdict.State.SUPPORTED,
            row.problem,
            passages=[text[start:end] for start, end in row.passages] if text else [],
        )
        answers.setdefault(row.unit_id, []).append(answer)
    return list(judges.values())


def _lines(
    units: list[Unit], sources: list[UnitSource], answers: dict[int, list[UnitAnswer]], summary: Summary
) -> list[UnitLine]:
    numbers = {unit.pk: number for number, unit in enumerate(units, start=1)}
    lines = []
    for number, unit in enumerate(units, start=1):
        own = answers.get(unit.same_as_id or unit.pk, [])
        said = {id(answer.source): answer.supported for answer in own}
        for answer in own:
            answer.source.count(answer.supported)
        lines.append(
            UnitLine(
                number=number,
                text=unit.quote,
                starts_paragraph=number == 1 or "\n" in summary.text[units[number - 2].end : unit.start],
                same_as=numbers.get(unit.same_as_id) if unit.same_as_id else None,
                expected=unit.expected,
                cells=[(source, _state(said[id(source)]) if id(source) in said else NOT_ASKED) for source in sources],
                answers=own,
            )
        )
    return lines


def _state(supported: bool | None) -> str:
    if supported is None:
        return UNPARSED
    return SUPPORTED if supported else UNSUPPORTED
