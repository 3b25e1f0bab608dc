"""What the report says about faithfulness. Scores are in percent, 0 to 100, as in LongEval; shares are parts of 1."""

from dataclasses import dataclass

from annotation.models import FaithfulnessPlan
from scoring.report.faithfulness.unit_judges import UnitJudges
from scoring.statistics.annotator_bootstrap import MetricCorrelation
from scoring.statistics.estimate import Estimate
from scoring.statistics.faithfulness import MeanSpread, Spread, UnitAgreement
from scoring.statistics.hints import Accuracy, HintComparison
from scoring.statistics.learning import Learning
from scoring.statistics.partial_annotation import PartialAnnotation

#: The two ways of asking.
FINE, COARSE = "FINE", "COARSE"


@dataclass(frozen=True)
class SystemScore:
    """A system by one way of asking: the mean over its `n` summaries of the mean over their people."""

    n: int
    #: Submitted tasks.
    tasks: int
    #: With an interval over people (appendix A).
    score: Estimate
    #: The same score with an interval over books.
    over_books: Estimate


@dataclass(frozen=True)
class SystemFaithfulness:
    system: str
    summaries: int
    fine: SystemScore
    coarse: SystemScore


@dataclass(frozen=True)
class SummaryScore:
    """A summary by one way of asking: the mean over its people, and how far they lie apart (None for one person)."""

    people: int
    score: float
    spread: Spread | None


@dataclass(frozen=True)
class SummaryFaithfulness:
    id: int
    book_place: int
    book: str
    system: str
    units: int
    fine: SummaryScore | None
    coarse: SummaryScore | None


@dataclass(frozen=True)
class SpreadFigures:
    fine: MeanSpread
    coarse: MeanSpread
    #: COARSE minus FINE over the summaries that two people scored in both ways.
    difference: MeanSpread


@dataclass(frozen=True)
class MetricRow:
    metric: str
    #: None where nobody scored in that way.
    fine: MetricCorrelation | None
    coarse: MetricCorrelation | None


@dataclass(frozen=True)
class PartialFigures:
    """`tasks` in which all units of the summary were judged, on so many summaries; `left_out`: the other ones."""

    tasks: int
    summaries: int
    left_out: int
    rows: list[PartialAnnotation]


@dataclass(frozen=True)
class HintFigures:
    #: None where the plan does not draw hints by lot, with the reason.
    comparison: HintComparison | None
    reason: str


@dataclass(frozen=True)
class PersonFigures:
    """One person's unit judgements beside those of others."""

    person: str
    summaries: int
    units: int
    #: Share of the judged units that the person calls supported.
    supported: float
    #: Share of the pairs with others on the same unit that agree, and how many pairs; None without one.
    agreement: float | None
    pairs: int
    #: Median active seconds a unit; None where none were recorded.
    seconds: float | None
    accuracy: Accuracy


@dataclass(frozen=True)
class FaithfulnessReport:
    plan: FaithfulnessPlan
    is_sample: bool
    #: Units of all summaries, how many of them were judged (repeated ones once), and by how many judgements.
    units: int
    judged: int
    judgements: int
    systems: list[SystemFaithfulness]
    summaries: list[SummaryFaithfulness]
    spread: SpreadFigures
    agreement: UnitAgreement
    metrics: list[MetricRow]
    partial: PartialFigures
    learning: Learning
    hints: HintFigures
    #: Against units whose truth is known.
    accuracy: Accuracy
    people: list[PersonFigures]
    unit_judges: UnitJudges
