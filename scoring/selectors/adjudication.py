"""Several people's marks (and judges', if chosen) on one summary on top of each other, and how far they agree."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.db.models import Prefetch

from annotation.models import Annotation, Annotator, Study
from annotation.selectors.gold import submitted_sets
from scoring.report.building import judge_names
from scoring.report.structure import JudgeName
from scoring.selectors.summary_lanes import letter_of
from scoring.statistics.booookscore import SentenceGrid
from scoring.statistics.overlap import (
    Mark,
    PairAgreement,
    Stretch,
    grouped_by_place,
    pair_agreement,
    stretches,
    touched_sentences,
)
from scoring.statistics.statistic import Statistic
from summarizer.models import Summary


@dataclass(frozen=True)
class Looker:
    """Somebody who submitted marks on the summary."""

    letter: str
    name: str
    is_judge: bool
    is_baseline: bool
    is_sample: bool
    annotations: list[Annotation]

    @property
    def marks(self) -> list[Mark]:
        return [[(span.start, span.end) for span in each.spans.all()] for each in self.annotations]


@dataclass(frozen=True)
class SentenceTouched:
    number: int
    #: Letters of those who touched it.
    by: list[str]


@dataclass(frozen=True)
class Pair:
    first: Looker
    second: Looker
    agreement: PairAgreement


@dataclass(frozen=True)
class Adjudication:
    lookers: list[Looker]
    #: The study's judges that could be shown too, and which are.
    judges: list[tuple[JudgeName, bool]]
    sentences: list[tuple[int, int]]
    #: Marks by place: positions in `annotations`.
    places: list[list[int]]
    heat: list[Stretch]
    touched: list[SentenceTouched]
    pairs: list[Pair]

    @property
    def people(self) -> int:
        return sum(not looker.is_judge for looker in self.lookers)

    @property
    def annotations(self) -> list[tuple[int, Annotation]]:
        """All marks with the position of who made them."""
        return [(at, each) for at, looker in enumerate(self.lookers) for each in looker.annotations]

    @property
    def mean_character_f1(self) -> Statistic:
        return _mean(pair.agreement.character_f1 for pair in self._people_pairs)

    @property
    def mean_kappa(self) -> Statistic:
        return _mean(pair.agreement.sentences.kappa for pair in self._people_pairs)

    @property
    def mean_ac1(self) -> Statistic:
        return _mean(pair.agreement.ac1 for pair in self._people_pairs)

    @property
    def _people_pairs(self) -> list[Pair]:
        return [pair for pair in self.pairs if not (pair.first.is_judge or pair.second.is_judge)]


def adjudication(study: Study, summary: Summary, *, judges: Collection[int] = ()) -> Adjudication:
    """Submitted marks of the study's people and of the chosen `judges` of the study; a fixed number of queries."""
    offered = judge_names(list(study.judges.select_related("endpoint").order_by("pseudonym")))
    lookers = _lookers(study, summary, {judge.id: judge.label for judge in offered if judge.id in judges})
    sentences = list(summary.sentences.values_list("start", "end"))
    grid = SentenceGrid(sentences)
    marks = [(at, mark) for at, looker in enumerate(lookers) for mark in looker.marks]
    return Adjudication(
        lookers=lookers,
        judges=[(judge, judge.id in judges) for judge in offered],
        sentences=sentences,
        places=grouped_by_place([mark for _, mark in marks]),
        heat=stretches(marks),
        touched=_touched(lookers, grid),
        pairs=[
            Pair(one, other, pair_agreement(one.marks, other.marks, grid)) for one, other in combinations(lookers, 2)
        ],
    )


def _lookers(study: Study, summary: Summary, judges: dict[int, str]) -> list[Looker]:
    annotations = Annotation.objects.prefetch_related("spans", "error_types").order_by("id")
    sets = submitted_sets(study, summary).select_related("annotator")
    found: list[Looker] = []
    for annotation_set in sets.prefetch_related(Prefetch("annotations", annotations)):
        annotator = annotation_set.annotator
        if annotator.kind == Annotator.Kind.JUDGE and annotator.pk not in judges:
            continue
        found.append(
            Looker(
                letter=letter_of(len(found)),
                name=judges.get(annotator.pk, annotator.pseudonym),
                is_judge=annotator.kind == Annotator.Kind.JUDGE,
                is_baseline=annotator.is_baseline,
                is_sample=annotator.is_sample,
                annotations=list(annotation_set.annotations.all()),
            )
        )
    return found


def _touched(lookers: Sequence[Looker], grid: SentenceGrid) -> list[SentenceTouched]:
    by_looker = [(looker.letter, touched_sentences(looker.marks, grid)) for looker in lookers]
    return [
        SentenceTouched(at + 1, [letter for letter, touched in by_looker if touched[at]]) for at in range(len(grid))
    ]


def _mean(figures: Iterable[Statistic]) -> Statistic:
    """Over those that are defined; if none is, with the reason of the first."""
    found = list(figures)
    defined = [figure.value for figure in found if figure.value is not None]
    if defined:
        return Statistic.of(sum(defined) / len(defined))
    return found[0] if found else Statistic.undefined("Fewer than two people have submitted this summary.")
