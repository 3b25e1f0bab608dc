"""Which rows belong to a study's export, in an order that is the same in every database that holds the study.

What is outside all figures stays inside: attention checks, training, tests and planted marks with all that people did
in them.
People who withdrew have nothing left to export.
"""

from collections.abc import Callable, Iterable
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from django.db.models import Model, Q, QuerySet

from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    BookKnowledge,
    Comparison,
    ComparisonAnswer,
    ComparisonRound,
    ComparisonTally,
    Consent,
    ConsentText,
    ErrorType,
    FaithfulnessPlan,
    GoldDecision,
    GoldEvent,
    GoldSet,
    GoldSource,
    GuidelinesVersion,
    OriginGuess,
    Purpose,
    Rating,
    ReviewDecision,
    ReviewItem,
    SampledUnit,
    Study,
    StudyMember,
    Unblinding,
    Unit,
    UnitJudgement,
    UnitSample,
    UnitVerdict,
    Verdict,
)
from annotation.unit_judge.launch_plan import JUDGE_UNITS
from scoring.exports.kinds import KINDS
from scoring.models import MetricValue, Report
from scoring.selectors.order import places_of_books
from summarizer.models import (
    Book,
    Endpoint,
    Job,
    JobItem,
    LLMAttempt,
    LLMCall,
    PromptSet,
    ReferenceSummary,
    Summary,
    SummaryNode,
    System,
)
from summarizer.selectors.costs import items_that_made

#: How many ids a query names at most.
PART = 2000


def job_key(key: UUID | None, kind: str, created_at: Any) -> UUID:
    """What names a job in exports: its own key, else one made from when it was launched."""
    return key or uuid5(NAMESPACE_OID, f"booook-web job {kind} {created_at.isoformat()}")


class Selection:
    """The ids of all rows of an export, by kind and in the order of the file. Numbers in the file count from 1."""

    def __init__(self, study: Study, *, with_source: bool) -> None:
        self.study = study
        self.with_source = with_source
        self.ids: dict[str, list[int]] = {}
        self.numbers: dict[str, dict[int, int]] = {}
        #: Items whose calls were sent parts of a book: what these answered may tell it.
        self.source_items: set[int] = set()
        for kind in KINDS:
            chosen = [] if kind.is_source and not with_source else _CHOOSE[kind.name](self)
            self.ids[kind.name] = chosen
            self.numbers[kind.name] = {pk: number for number, pk in enumerate(chosen, start=1)}

    @property
    def counts(self) -> dict[str, int]:
        return {kind.name: len(self.ids[kind.name]) for kind in KINDS}

    def number(self, kind: str, pk: int | None) -> int | None:
        return None if pk is None else self.numbers[kind].get(pk)

    def in_parts(self, kind: str) -> Iterable[list[int]]:
        ids = self.ids[kind]
        return (ids[begin : begin + PART] for begin in range(0, len(ids), PART))

    # --- what belongs to the study, kind by kind ---------------------------------------------------------------------

    def summaries(self) -> list[int]:
        rows = list(self._all_summaries().values_list("pk", "book", "system__name", "cleaned_from"))
        books = self.numbers["book"]
        rows.sort(key=lambda row: (row[3] is not None, books[row[1]], row[2]))
        return [row[0] for row in rows]

    def books(self) -> list[int]:
        return list(places_of_books(Book.objects.filter(summaries__in=self._all_summaries())))

    def systems(self) -> list[int]:
        tallied = ComparisonTally.objects.filter(study=self.study, system__isnull=False).values("system")
        rows = System.objects.filter(Q(summaries__in=self._all_summaries()) | Q(pk__in=tallied))
        return _by_text(rows.distinct(), "name")

    def _all_summaries(self) -> QuerySet[Summary]:
        """The study's, those that are compared or have marks of the study, and those that they were cleaned from."""
        compared = Comparison.objects.filter(study=self.study)
        wanted = Summary.objects.filter(
            Q(studies=self.study)
            | Q(pk__in=self._all_sets().values("summary"))
            | Q(pk__in=Unit.objects.filter(plan__study=self.study).order_by().values("summary"))
            | Q(pk__in=compared.order_by().values("first"))
            | Q(pk__in=compared.order_by().values("second"))
        )
        both = Q(pk__in=wanted.order_by().values("pk")) | Q(pk__in=wanted.order_by().values("cleaned_from"))
        return Summary.objects.filter(both).order_by()

    def _all_sets(self) -> QuerySet[AnnotationSet]:
        """Sets of the study's people, of its judges on its summaries, and of whoever else's marks were reviewed."""
        study = self.study
        reviewed = ReviewItem.objects.filter(study=study).order_by()
        gold = GoldSource.objects.filter(gold_set__study=study).order_by()
        judges = Study.judges.through.objects.filter(study=study)
        summaries = Study.summaries.through.objects.filter(study=study)
        return AnnotationSet.objects.filter(
            Q(study=study)
            | Q(annotator__in=judges.values("annotator"), summary__in=summaries.values("summary"), study=None)
            | Q(pk__in=reviewed.values("annotation__annotation_set"))
            | Q(pk__in=gold.values("annotation__annotation_set"))
        ).order_by()

    def annotators(self) -> list[int]:
        study = self.study
        of_study = Q(study=study)
        found: set[int] = set(self._all_sets().values_list("annotator", flat=True))
        found |= set(study.judges.order_by().values_list("pk", flat=True))
        for rows in (
            StudyMember.objects.filter(of_study),
            Assignment.objects.filter(of_study),
            ComparisonTally.objects.filter(of_study),
            ComparisonAnswer.objects.filter(comparison__study=study),
            Consent.objects.filter(text__study=study, withdrawn_at=None),
            self._unit_verdicts(),
        ):
            found |= set(rows.order_by().values_list("annotator", flat=True))
        found |= set(ReviewDecision.objects.filter(item__study=study).order_by().values_list("reviewer", flat=True))
        people = Annotator.objects.filter(pk__in=found).order_by().values_list("pk", "kind", "pseudonym")
        return [row[0] for row in sorted(people, key=lambda row: (row[1] == Annotator.Kind.JUDGE, row[2]))]

    def endpoints(self) -> list[int]:
        return _by_text(
            Endpoint.objects.filter(
                Q(systems__in=self._systems_query()) | Q(judges__in=self._judges_query()) | Q(jobs__in=self._jobs())
            ).distinct(),
            "name",
        )

    def prompt_sets(self) -> list[int]:
        rows = PromptSet.objects.filter(Q(systems__in=self._systems_query()) | Q(judges__in=self._judges_query()))
        return _by_text(rows.distinct(), "name", "content_sha256")

    def _systems_query(self) -> QuerySet[System]:
        return System.objects.filter(summaries__in=self._all_summaries()).order_by()

    def _judges_query(self) -> QuerySet[Annotator]:
        return Annotator.objects.filter(
            Q(judged_studies=self.study)
            | Q(pk__in=self._all_sets().values("annotator"))
            | Q(pk__in=self._unit_verdicts().values("annotator")),
            kind=Annotator.Kind.JUDGE,
        ).order_by()

    def _unit_verdicts(self) -> QuerySet[UnitVerdict]:
        return UnitVerdict.objects.filter(unit__plan__study=self.study).order_by()

    def _jobs(self) -> QuerySet[Job]:
        return Job.objects.filter(items__in=self._items()).order_by()

    def _items(self) -> QuerySet[JobItem]:
        """Items that ended: what made the summaries, judged them for judges of the study, and judged its units."""
        summaries = self._all_summaries()
        making = items_that_made(summaries).order_by().values("pk")
        of_units = self._unit_verdicts().filter(call__isnull=False).values("call__item")
        judging = Q(job__kind="judge", summary__in=summaries, job__endpoint__judges__in=self._judges_query())
        ended = JobItem.objects.exclude(state__in=JobItem.UNFINISHED)
        return ended.filter(Q(pk__in=making) | judging | Q(pk__in=of_units)).order_by().distinct()

    def jobs(self) -> list[int]:
        rows = self._jobs().distinct().values_list("pk", "created_at", "client_key", "kind")
        return [row[0] for row in sorted(rows, key=lambda row: (row[1], str(job_key(row[2], row[3], row[1]))))]

    def items(self) -> list[int]:
        rows = self._items().values_list("pk", "job", "index", "book", "job__kind")
        self.source_items = {pk for pk, _, _, book, kind in rows if book is not None or kind == JUDGE_UNITS}
        jobs = self.numbers["job"]
        return [row[0] for row in sorted(rows, key=lambda row: (jobs[row[1]], row[2]))]

    def of(self, kind: str, model: type[Model], link: str, *order: str) -> list[int]:
        """Rows that hang on an earlier kind, in that kind's order and then by `order`."""
        found: list[int] = []
        for part in self.in_parts(kind):
            places = {pk: place for place, pk in enumerate(part)}
            rows = model._base_manager.filter(**{f"{link}__in": part}).order_by().values_list("pk", link, *order)
            found += [row[0] for row in sorted(rows, key=lambda row: (places[row[1]], *row[2:], row[0]))]
        return found

    def sets(self) -> list[int]:
        rows = list(self._all_sets().values_list("pk", "summary", "annotator"))
        summaries, annotators = self.numbers["summary"], self.numbers["annotator"]
        return [pk for pk, *_ in sorted(rows, key=lambda row: (summaries[row[1]], annotators[row[2]], row[0]))]

    def error_types(self) -> list[int]:
        marks = Annotation.objects.filter(annotation_set__in=self._all_sets())
        gold = GoldDecision.objects.filter(gold_set__study=self.study)
        used = ErrorType.objects.filter(Q(annotations__in=marks) | Q(gold_decisions__in=gold)).distinct()
        return _by_text(used, "order", "key")

    def knowledge(self) -> list[int]:
        rows = BookKnowledge.objects.filter(
            annotator__in=StudyMember.objects.filter(study=self.study).values("annotator"),
            book__summaries__studies=self.study,
        )
        pairs = rows.order_by().distinct().values_list("pk", "annotator", "book")
        people, books = self.numbers["annotator"], self.numbers["book"]
        return [pk for pk, *_ in sorted(pairs, key=lambda row: (people[row[1]], books[row[2]]))]

    def guesses(self) -> list[int]:
        planted = OriginGuess.objects.filter(assignment__study=self.study, item__planted=True)
        left_out = set(planted.order_by().values_list("pk", flat=True))
        return [pk for pk in self.of("task", OriginGuess, "assignment", "order") if pk not in left_out]

    def units(self) -> list[int]:
        rows = Unit.objects.filter(plan__study=self.study).order_by().values_list("pk", "summary", "index")
        summaries = self.numbers["summary"]
        return [row[0] for row in sorted(rows, key=lambda row: (summaries[row[1]], row[2]))]

    def unit_verdicts(self) -> list[int]:
        rows = self._unit_verdicts().values_list("pk", "annotator", "unit")
        annotators, units = self.numbers["annotator"], self.numbers["unit"]
        return [pk for pk, *_ in sorted(rows, key=lambda row: (annotators[row[1]], units[row[2]]))]

    def metrics(self) -> list[int]:
        rows = MetricValue.objects.filter(summary__studies=self.study).order_by().values_list("pk", "summary", "name")
        summaries = self.numbers["summary"]
        return [row[0] for row in sorted(rows, key=lambda row: (summaries[row[1]], row[2]))]

    def by_summary(self, rows: "QuerySet[Any, Any]") -> list[int]:
        summaries = self.numbers["summary"]
        found = rows.order_by().values_list("pk", "summary")
        return [pk for pk, _ in sorted(found, key=lambda row: summaries[row[1]])]

    def by_id(self, rows: "QuerySet[Any, Any]", *order: str) -> list[int]:
        return list(rows.order_by(*order, "pk").values_list("pk", flat=True))


def _by_text(rows: "QuerySet[Any, Any]", *columns: str) -> list[int]:
    """Sorted here: databases differ in how they order text."""
    found = rows.order_by().values_list("pk", *columns)
    return [row[0] for row in sorted(set(found), key=lambda row: row[1:])]


#: In the order of `KINDS`: each looks only at what was chosen before it.
_CHOOSE: dict[str, Callable[[Selection], list[int]]] = {
    "prompt_set": Selection.prompt_sets,
    "endpoint": Selection.endpoints,
    "error_type": Selection.error_types,
    "annotator": Selection.annotators,
    "book": Selection.books,
    "system": Selection.systems,
    "summary": Selection.summaries,
    "job": Selection.jobs,
    "item": Selection.items,
    "call": lambda self: self.of("item", LLMCall, "item"),
    "attempt": lambda self: self.of("call", LLMAttempt, "call", "number"),
    "node": lambda self: self.of("summary", SummaryNode, "summary", "level", "index"),
    "reference": lambda self: self.of("book", ReferenceSummary, "book", "text_sha256"),
    "study": lambda self: [self.study.pk],
    "guidelines": lambda self: self.by_id(GuidelinesVersion.objects.filter(study=self.study), "number"),
    "consent_text": lambda self: self.by_id(ConsentText.objects.filter(study=self.study), "number"),
    "consent": lambda self: self.by_id(Consent.objects.filter(text__study=self.study, withdrawn_at=None)),
    "book_knowledge": Selection.knowledge,
    "member": lambda self: self.by_id(StudyMember.objects.filter(study=self.study)),
    "set": Selection.sets,
    "mark": lambda self: self.of("set", Annotation, "annotation_set"),
    "verdict": lambda self: self.of("set", Verdict, "annotation_set", "sentence__index"),
    "review_item": lambda self: self.by_id(ReviewItem.objects.filter(study=self.study), "order"),
    "decision": lambda self: self.of("review_item", ReviewDecision, "item"),
    "round": lambda self: self.by_id(ComparisonRound.objects.filter(study=self.study)),
    "comparison": lambda self: self.by_id(Comparison.objects.filter(study=self.study)),
    "answer": lambda self: self.of("comparison", ComparisonAnswer, "comparison"),
    "tally": lambda self: self.by_id(ComparisonTally.objects.filter(study=self.study)),
    "task": lambda self: self.by_id(Assignment.objects.filter(study=self.study, purpose=Purpose.STUDY)),
    "plan": lambda self: self.by_id(FaithfulnessPlan.objects.filter(study=self.study)),
    "unit": Selection.units,
    "unit_verdict": Selection.unit_verdicts,
    "sample": lambda self: self.of("task", UnitSample, "assignment"),
    "sampled_unit": lambda self: self.of("task", SampledUnit, "assignment", "position"),
    "judgement": lambda self: self.of("sampled_unit", UnitJudgement, "sampled"),
    "rating": lambda self: self.of("task", Rating, "assignment"),
    "guess": Selection.guesses,
    "gold_set": lambda self: self.by_summary(GoldSet.objects.filter(study=self.study)),
    "gold_decision": lambda self: self.of("gold_set", GoldDecision, "gold_set"),
    "gold_event": lambda self: self.of("gold_set", GoldEvent, "gold_set", "version"),
    "metric": Selection.metrics,
    "unblinding": lambda self: self.by_id(Unblinding.objects.filter(study=self.study)),
    "report": lambda self: self.by_id(Report.objects.filter(study=self.study), "number"),
}
