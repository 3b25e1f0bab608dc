"""How each person of a study annotates, beside the others: for researchers, never for annotators."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count

from annotation.models import AnnotationSet, Annotator, ReviewDecision, Study
from scoring.selectors.reviews import locked_decisions
from scoring.statistics.far import Comparison, Measured, compare_with_others
from summarizer.models import Sentence

UPHELD = (ReviewDecision.Agreement.AGREE, ReviewDecision.Agreement.PARTIAL)


@dataclass(frozen=True)
class PersonBesideOthers:
    """None for what was not measured: no sentence read, no time recorded, no mark decided on."""

    pseudonym: str
    #: Marks per 100 sentences, over all submitted summaries; n is summaries.
    marks: Comparison | None
    #: Active minutes per submitted summary, over those with a recorded time; n is summaries.
    minutes: Comparison | None
    #: Share of the person's marks that reviewers agreed or partially agreed with; n is decisions.
    precision: Comparison | None

    @property
    def far(self) -> bool:
        return any(each is not None and each.far for each in (self.marks, self.minutes, self.precision))


def people_beside_others(study: Study) -> list[PersonBesideOthers]:
    """Everybody with a submitted set on the study's summaries, by pseudonym; five queries."""
    sets = AnnotationSet.objects.filter(
        study=study,
        state=AnnotationSet.State.SUBMITTED,
        annotator__kind=Annotator.Kind.PERSON,
        summary__in=study.summaries.values("pk"),
    )
    rows = list(
        sets.order_by().values_list("annotator", "summary", "active_seconds").annotate(marks=Count("annotations"))
    )
    names = dict(Annotator.objects.filter(pk__in={row[0] for row in rows}).values_list("pk", "pseudonym"))
    marks = compare_with_others(_marks(study, rows))
    minutes = compare_with_others(_minutes(rows))
    precision = compare_with_others(_precision(study, names))
    return [
        PersonBesideOthers(name, marks.get(pk), minutes.get(pk), precision.get(pk))
        for pk, name in sorted(names.items(), key=lambda item: item[1])
    ]


def _marks(study: Study, rows: list[tuple[int, int, int, int]]) -> dict[int, Measured]:
    counted = Sentence.objects.filter(summary__studies=study).order_by().values_list("summary").annotate(Count("pk"))
    sentences_of = dict(counted)
    marks: dict[int, int] = defaultdict(int)
    sentences: dict[int, int] = defaultdict(int)
    summaries: dict[int, int] = defaultdict(int)
    for annotator, summary, _, count in rows:
        marks[annotator] += count
        sentences[annotator] += sentences_of.get(summary, 0)
        summaries[annotator] += 1
    return {
        annotator: Measured(100 * marks[annotator] / read, summaries[annotator])
        for annotator, read in sentences.items()
        if read
    }


def _minutes(rows: list[tuple[int, int, int, int]]) -> dict[int, Measured]:
    seconds: dict[int, list[int]] = defaultdict(list)
    for annotator, _, active, _ in rows:
        if active:
            seconds[annotator].append(active)
    return {annotator: Measured(sum(each) / len(each) / 60, len(each)) for annotator, each in seconds.items()}


def _precision(study: Study, annotators: dict[int, str]) -> dict[int, Measured]:
    made_by = "item__annotation__annotation_set__annotator"
    decided = locked_decisions(study).filter(**{f"{made_by}__in": list(annotators)}).order_by()
    upheld: dict[int, int] = defaultdict(int)
    total: dict[int, int] = defaultdict(int)
    for annotator, agreement, count in decided.values_list(made_by, "agreement").annotate(Count("pk")):
        total[annotator] += count
        upheld[annotator] += count if agreement in UPHELD else 0
    return {annotator: Measured(upheld[annotator] / count, count) for annotator, count in total.items()}
