"""Marks as a list to read: what stands behind a bar of error types, or of precision."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Annotation, Annotator, ReviewDecision, ReviewItem, Study
from scoring.selectors.marks import sets_that_count
from scoring.selectors.reviews import locked_decisions
from scoring.statistics.booookscore import Range, SentenceGrid
from summarizer.models import Sentence, Summary

#: Marks in the review, whatever was decided; those that nobody decided on; besides the agreements themselves.
REVIEWED, UNDECIDED = "reviewed", "undecided"
#: In addresses, before the name of judges that are known from the review alone.
OUTSIDE = "review:"


@dataclass(frozen=True)
class Wanted:
    """`judge`: whose marks; `outside`: the name of judges that are not in the study (see `SourceDecisions`), whose
    reviewed marks are wanted, too, or alone; neither for people. `decision`: "" for all marks, REVIEWED, UNDECIDED, or
    an agreement.
    """

    judge: Annotator | None = None
    outside: str = ""
    system_id: int | None = None
    error_type: str = ""
    decision: str = ""


def marks_wanted(study: Study, judges: list[Annotator], wanted: Wanted) -> QuerySet[Annotation]:
    """By book, system and source. Only marks that figures count: submitted ones, of the study's people and judges."""
    only_reviewed = wanted.judge is None and wanted.outside
    in_review = wanted.decision or only_reviewed
    found = _reviewed(study, judges, wanted) if in_review else _marked(study, judges, wanted)
    if wanted.system_id is not None:
        found = found.filter(annotation_set__summary__system=wanted.system_id)
    if wanted.error_type:
        found = found.filter(error_types__key=wanted.error_type)
    summary = "annotation_set__summary"
    return found.order_by(f"{summary}__book__title", f"{summary}__system__name", "annotation_set__annotator", "pk")


def _marked(study: Study, judges: list[Annotator], wanted: Wanted) -> QuerySet[Annotation]:
    people, judged = sets_that_count(study, judges)
    sets = (
        people.filter(summary__in=study.summaries.all())
        if wanted.judge is None
        else judged.filter(annotator=wanted.judge)
    )
    return Annotation.objects.filter(annotation_set__in=sets)


def _reviewed(study: Study, judges: list[Annotator], wanted: Wanted) -> QuerySet[Annotation]:
    """As precision counts them."""
    items = ReviewItem.objects.filter(study=study)
    decisions = locked_decisions(study).filter(item__annotation=OuterRef("pk"))
    found = Annotation.objects.filter(pk__in=items.order_by().values("annotation"))
    source = "annotation_set__annotator"
    if wanted.judge is None and not wanted.outside:
        found = found.filter(**{f"{source}__kind": Annotator.Kind.PERSON})
    else:
        own = Q(**{source: wanted.judge}) if wanted.judge else Q()
        found = found.filter(own | _outside(wanted.outside, judges) if wanted.outside else own)
    if wanted.decision == UNDECIDED:
        return found.filter(~Exists(decisions))
    if wanted.decision not in ("", REVIEWED):
        found = found.filter(Exists(decisions.filter(agreement=wanted.decision)))
    return found


def _outside(name: str, judges: list[Annotator]) -> Q:
    """Marks of the judges of this name that are not among `judges`."""
    source = "annotation_set__annotator"
    named = Q(**{f"{source}__model": name}) | Q(**{f"{source}__model": "", f"{source}__pseudonym": name})
    return named & Q(**{f"{source}__kind": Annotator.Kind.JUDGE}) & ~Q(**{f"{source}__in": judges})


@dataclass(frozen=True)
class MarkToRead:
    annotation: Annotation
    #: The pseudonym, or the judge's name.
    who: str
    is_judge: bool
    summary: Summary
    #: (number, text) of the sentences that it touches.
    sentences: list[tuple[int, str]]
    decisions: list[ReviewDecision] = field(default_factory=list)


def marks_to_read(study: Study, page: Sequence[Annotation], judge: str) -> list[MarkToRead]:
    """The marks of a page with their sentences and what reviewers decided; `judge`: how it is named. Five queries."""
    pks = [each.pk for each in page]
    marks = Annotation.objects.filter(pk__in=pks).select_related("annotation_set__annotator", "verdict__sentence")
    by_pk = {mark.pk: mark for mark in marks.prefetch_related("error_types", "spans")}
    of_summary = {mark.annotation_set.summary_id for mark in by_pk.values()}
    summaries = Summary.objects.select_related("book", "system").defer("book__text").in_bulk(of_summary)
    ranges: dict[int, list[Range]] = defaultdict(list)
    sentences = Sentence.objects.filter(summary__in=of_summary).order_by("summary", "index")
    for summary, start, end in sentences.values_list("summary_id", "start", "end"):
        ranges[summary].append((start, end))
    decisions: dict[int, list[ReviewDecision]] = defaultdict(list)
    for each in locked_decisions(study).filter(item__annotation__in=pks).select_related("item").order_by("pk"):
        decisions[each.item.annotation_id].append(each)
    return [
        _to_read(by_pk[pk], summaries[by_pk[pk].annotation_set.summary_id], ranges, decisions[pk], judge) for pk in pks
    ]


def _to_read(
    mark: Annotation, summary: Summary, ranges: dict[int, list[Range]], decisions: list[ReviewDecision], judge: str
) -> MarkToRead:
    annotator = mark.annotation_set.annotator
    is_judge = annotator.kind == Annotator.Kind.JUDGE
    own = ranges[summary.pk]
    grid = SentenceGrid(own)
    if verdict := getattr(mark, "verdict", None):
        touched = [verdict.sentence.index]
    else:
        touched = sorted({at for span in mark.spans.all() for at in grid.touched((span.start, span.end))})
    return MarkToRead(
        annotation=mark,
        who=judge if is_judge else annotator.pseudonym,
        is_judge=is_judge,
        summary=summary,
        sentences=[(at + 1, summary.text[slice(*own[at])]) for at in touched],
        decisions=decisions,
    )
