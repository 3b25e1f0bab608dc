"""Reading gold sets, and the marks that they decide about."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet

from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    GoldDecision,
    GoldEvent,
    GoldSet,
    GoldSource,
    Study,
)
from annotation.selectors.marks import mark_content, span_content
from summarizer.models import Summary


def submitted_sets_of(study: Study) -> QuerySet[AnnotationSet]:
    """What the study's people and judges submitted on its summaries."""
    return AnnotationSet.objects.filter(
        Q(study=study, annotator__kind=Annotator.Kind.PERSON) | Q(annotator__in=study.judges.order_by().values("pk")),
        summary__in=study.summaries.order_by().values("pk"),
        state=AnnotationSet.State.SUBMITTED,
    )


def submitted_sets(study: Study, summary: Summary) -> QuerySet[AnnotationSet]:
    """The same on one summary; people first."""
    sets = submitted_sets_of(study).filter(summary=summary)
    return sets.order_by("-annotator__kind", "annotator__pseudonym", "id")


def marks_to_decide(study: Study, summary: Summary) -> QuerySet[Annotation]:
    return Annotation.objects.filter(annotation_set__in=submitted_sets(study, summary).order_by())


def undecided_marks(study: Study, summary: Summary) -> tuple[int, int]:
    """How many people have submitted the summary, and how many of their marks have no decision.

    Judges' marks can be decided about but need not be.
    """
    people = submitted_sets(study, summary).filter(annotator__kind=Annotator.Kind.PERSON).order_by()
    decided = GoldSource.objects.filter(gold_set__study=study, gold_set__summary=summary)
    marks = Annotation.objects.filter(annotation_set__in=people).exclude(pk__in=decided.values("annotation"))
    return people.count(), marks.count()


def read_decisions(gold_set: GoldSet) -> QuerySet[GoldDecision]:
    return _with_details(GoldDecision.objects.filter(gold_set=gold_set))


def _with_details(decisions: QuerySet[GoldDecision]) -> QuerySet[GoldDecision]:
    sources = GoldSource.objects.select_related("annotation__annotation_set__annotator").order_by("annotation")
    sources = sources.prefetch_related("annotation__spans")
    return decisions.select_related("by").prefetch_related("error_types", "spans", Prefetch("sources", sources))


def decision_content(decision: GoldDecision) -> dict[str, Any]:
    return {
        "outcome": decision.outcome,
        **mark_content(decision),
        "sources": [source.annotation_id for source in decision.sources.all()],
        "reason": decision.reason,
    }


@dataclass(frozen=True)
class GoldState:
    """A gold set as its page shows it; one that nobody began reads as open and empty."""

    state: str
    version: int
    decisions: list[GoldDecision]
    #: The newest first.
    events: list[GoldEvent]

    @property
    def editable(self) -> bool:
        return self.state == GoldSet.State.OPEN


def gold_state(study: Study, summary: Summary) -> GoldState:
    gold_set = GoldSet.objects.filter(study=study, summary=summary).first()
    if gold_set is None:
        return GoldState(GoldSet.State.OPEN.value, 0, [], [])
    events = gold_set.events.select_related("by").order_by("-version")
    return GoldState(gold_set.state, gold_set.version, list(read_decisions(gold_set)), list(events))


@dataclass(frozen=True)
class SummaryToAdjudicate:
    """One line of a study's list of gold sets."""

    summary: Summary
    people: int
    #: Marks of people, those of them that are decided, and marks in the gold set.
    marks: int
    decided: int
    gold: int
    state: str
    changed_at: datetime | None


def summaries_to_adjudicate(study: Study) -> list[SummaryToAdjudicate]:
    """The study's summaries with what was submitted and decided; the number of queries is fixed."""
    people = AnnotationSet.objects.filter(
        study=study, state=AnnotationSet.State.SUBMITTED, annotator__kind=Annotator.Kind.PERSON
    ).order_by()
    submitted = dict(people.values_list("summary").annotate(Count("pk")))
    marks = Annotation.objects.filter(annotation_set__in=people).order_by()
    made = dict(marks.values_list("annotation_set__summary").annotate(Count("pk")))
    decided = GoldSource.objects.filter(gold_set__study=study, annotation__annotation_set__in=people).order_by()
    done = dict(decided.values_list("gold_set__summary").annotate(Count("pk")))
    in_gold = GoldDecision.objects.filter(gold_set__study=study, outcome=GoldDecision.Outcome.MARK).order_by()
    gold = dict(in_gold.values_list("gold_set__summary").annotate(Count("pk")))
    sets = {each.summary_id: each for each in GoldSet.objects.filter(study=study)}
    latest = dict(GoldEvent.objects.filter(gold_set__study=study).order_by("version").values_list("gold_set", "at"))
    summaries = study.summaries.select_related("book", "system").defer("text", "book__text")
    return [
        SummaryToAdjudicate(
            summary=summary,
            people=submitted.get(summary.pk, 0),
            marks=made.get(summary.pk, 0),
            decided=done.get(summary.pk, 0),
            gold=gold.get(summary.pk, 0),
            state=sets[summary.pk].state if summary.pk in sets else GoldSet.State.OPEN.value,
            changed_at=latest.get(sets[summary.pk].pk) if summary.pk in sets else None,
        )
        for summary in summaries.order_by("book__title", "system__name", "pk")
    ]


def gold_document(study: Study) -> dict[str, Any]:
    """The study's gold sets as one JSON document: marks, rejections, and who decided what when.

    Everybody stands under their pseudonym.
    """
    sets = GoldSet.objects.filter(study=study).select_related("summary__book", "summary__system").order_by("summary")
    return {
        "study": study.name,
        "summaries": [_set_document(gold_set.summary, gold_set) for gold_set in sets],
    }


def gold_set_document(study: Study, summary: Summary) -> dict[str, Any]:
    """The same of one summary; one that nobody began is open and empty."""
    return _set_document(summary, GoldSet.objects.filter(study=study, summary=summary).first())


def _set_document(summary: Summary, gold_set: GoldSet | None) -> dict[str, Any]:
    decisions = list(read_decisions(gold_set)) if gold_set else []
    events = gold_set.events.order_by("version") if gold_set else []
    return {
        "summary": summary.pk,
        "book": summary.book.title,
        "system": summary.system.name,
        "text_sha256": summary.text_sha256,
        "state": gold_set.state if gold_set else GoldSet.State.OPEN.value,
        "marks": [_decision_document(each) for each in decisions if each.outcome == GoldDecision.Outcome.MARK],
        "rejected": [
            _decision_document(each)
            for each in decisions
            if each.outcome == GoldDecision.Outcome.REJECTED and each.sources.all()
        ],
        "log": [
            {
                "version": event.version,
                "act": event.act,
                "by": event.pseudonym,
                "at": event.at.isoformat(),
                "decision": str(event.client_key) if event.client_key else None,
                **event.content,
            }
            for event in events
        ],
    }


def _decision_document(decision: GoldDecision) -> dict[str, Any]:
    content = decision_content(decision)
    wanted = ("questions", "error_types", "spans") if decision.outcome == GoldDecision.Outcome.MARK else ("reason",)
    return {
        "decision": str(decision.client_key),
        **{name: content[name] for name in wanted},
        "sources": [_source_document(source) for source in decision.sources.all()],
        "by": decision.pseudonym,
        "at": decision.at.isoformat(),
    }


def _source_document(source: GoldSource) -> dict[str, Any]:
    annotation = source.annotation
    annotator = annotation.annotation_set.annotator
    return {
        "mark": annotation.pk,
        "annotator": annotator.pseudonym,
        "kind": annotator.kind,
        "questions": annotation.questions,
        "spans": [span_content(span) for span in annotation.spans.all()],
        "changed_since": annotation.version != source.annotation_version,
    }
