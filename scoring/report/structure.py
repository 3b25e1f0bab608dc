"""What a report holds. Scores and shares are fractions of 1; what is not defined is None with a reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from annotation.models import Unblinding
from scoring.report.preferences import PreferenceFigures
from scoring.selectors.guesses import Counts
from scoring.selectors.guidelines import VersionUse
from scoring.selectors.preferences import PreferenceCounts
from scoring.selectors.work import Costs, PeopleCost
from scoring.statistics.intervals import Interval
from scoring.statistics.precision import Decisions
from scoring.statistics.statistic import Statistic

if TYPE_CHECKING:
    from scoring.report.agreement.structure import AgreementReport
    from scoring.report.faithfulness.structure import FaithfulnessReport
    from scoring.report.pools import Pools

PEOPLE = "human"


@dataclass(frozen=True)
class JudgeName:
    """A judge as the report names it: by model, or by pseudonym where two judges would share name and mode."""

    id: int
    name: str
    mode: str
    #: Unique in the report also where two judges share the name.
    label: str
    #: What a summary that an imported judge's file lacks means; "" for judges of our own.
    absent: str
    is_baseline: bool
    is_sample: bool


@dataclass(frozen=True)
class HumanSummary:
    """People on one summary: the mean over their submitted sets."""

    published: float
    sentence: float
    #: None where texts are not read.
    unit: float | None
    annotations: int
    people: int


@dataclass(frozen=True)
class JudgeSummary:
    score: float | None
    low: float
    high: float
    confused: int
    unparsed: int
    absent: int


@dataclass
class SummaryFigures:
    id: int
    book_id: int
    #: Of the book, where books are resampled (`places_of_books`).
    book_place: int
    book: str
    system: str
    sentences: int
    tokens: int
    human: HumanSummary | None = None
    #: By label of the judge.
    judges: dict[str, JudgeSummary] = field(default_factory=dict)


@dataclass(frozen=True)
class HumanFigures:
    published: Statistic
    sentence: Statistic
    unit: Statistic
    #: Summaries that people scored, and their marks.
    n: int
    annotations: int
    published_interval: Interval
    sentence_interval: Interval


@dataclass(frozen=True)
class PairedFigures:
    """People beside a judge, over the `n` summaries that both scored. Correlations: published score beside judge's."""

    n: int
    human_published: Statistic
    human_sentence: Statistic
    judge: Statistic
    #: People by sentence minus judge.
    difference: Statistic
    difference_interval: Interval
    pearson: Statistic
    spearman: Statistic
    kendall: Statistic
    sentences: int
    kappa: Statistic
    precision: Statistic
    recall: Statistic
    f1: Statistic
    prevalence_human: Statistic
    prevalence_judge: Statistic


@dataclass(frozen=True)
class JudgeFigures:
    judge: JudgeName
    score: Statistic
    #: Summaries with a final score, and with any judgement.
    n: int
    judged: int
    sentences: int
    unparsed: int
    absent: int
    #: Bounds over all judged summaries: what is unparsed taken as confused, or as clean.
    low: Statistic
    high: Statistic
    #: What judging the system's summaries cost; None where that is not known (no prices, or an imported judge).
    cost_usd: float | None
    interval: Interval
    paired: PairedFigures


@dataclass(frozen=True)
class RougeFigures:
    """ROUGE-L against the references of the books; `n`: summaries of books that have one."""

    score: Statistic
    n: int
    interval: Interval


@dataclass(frozen=True)
class MetricCorrelation:
    """A measure and the scores of a source, over the `n` summaries that have both."""

    source: str
    n: int
    pearson: Statistic
    spearman: Statistic


@dataclass(frozen=True)
class MetricFigures:
    name: str
    #: System -> mean, and of how many summaries.
    systems: dict[str, tuple[float, int]]
    correlations: list[MetricCorrelation]


@dataclass(frozen=True)
class SystemFigures:
    id: int
    name: str
    is_baseline: bool
    summaries: int
    sentences: int
    mean_tokens: Statistic
    repeated_trigrams: Statistic
    novel_trigrams: Statistic
    rouge: RougeFigures
    human: HumanFigures
    judges: list[JudgeFigures]
    #: "human" or label of the judge -> error type -> marks with it per sentence that this source looked at.
    error_types: dict[str, dict[str, float]]


@dataclass(frozen=True)
class PrecisionGroup:
    """Some of the decisions on the marks of a source: on marks of one form, shown in one way, or of one reviewer."""

    name: str
    decisions: Decisions
    precision: Statistic
    strict: Statistic
    wilson: Interval


@dataclass(frozen=True)
class PrecisionFigures:
    source: str
    decisions: Decisions
    undecided: int
    precision: Statistic
    strict: Statistic
    interval: Interval
    wilson: Interval
    #: By form of the mark, by how it was shown, and by reviewer (a pseudonym).
    by_form: list[PrecisionGroup]
    by_shown: list[PrecisionGroup]
    by_reviewer: list[PrecisionGroup]


@dataclass(frozen=True)
class GuessFigures:
    """How often reviewers guessed rightly who made a mark: `right` of the `n` guesses that named a person or an LLM."""

    right: int
    n: int
    #: Guesses "can't tell", which are not in `n`.
    unknown: int
    rate: Statistic
    wilson: Interval
    #: Share of the commoner origin among the `n`: what naming always the same would have got.
    commoner: Statistic
    #: Origin -> guess -> how often.
    counts: Counts


@dataclass(frozen=True)
class Report:
    study: str
    title: str
    is_sample: bool
    systems: list[SystemFigures]
    summaries: list[SummaryFigures]
    judges: list[JudgeName]
    precision: list[PrecisionFigures]
    preferences: PreferenceCounts
    preference_tests: list[PreferenceFigures]
    pools: Pools
    metrics: list[MetricFigures]
    costs: dict[str, Costs]
    people_cost: PeopleCost
    error_types: list[str]
    #: Who opened the sources of the reviewed marks, when and why; None for a review that was never unblinded.
    unblinding: Unblinding | None
    guesses: GuessFigures
    guidelines: list[VersionUse]
    #: None where texts were not read: it is for the report and a page of its own.
    agreement: AgreementReport | None
    #: None where the study does not ask for it, or texts were not read.
    faithfulness: FaithfulnessReport | None

    @property
    def is_marked(self) -> bool:
        """Whether people or judges looked at anything, or reviewed: else the figures of other rounds stand alone."""
        return bool(self.precision) or any(system.human.n or system.judges for system in self.systems)
