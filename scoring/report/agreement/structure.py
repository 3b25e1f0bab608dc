"""What the agreement part of a report holds. Shares are fractions of 1; what is not defined has a reason."""

from dataclasses import dataclass

from scoring.report.structure import JudgeName
from scoring.statistics.alternative import EPSILON, AlternativeTest
from scoring.statistics.estimate import Estimate
from scoring.statistics.intervals import Interval
from scoring.statistics.ranking import SystemPair
from scoring.statistics.statistic import Statistic

#: The control that marks nothing.
ALWAYS_CLEAN = "always clean"


@dataclass(frozen=True)
class AgreementOptions:
    """What a researcher may choose."""

    #: Of the alternative annotator test: by how much a judge may lose against a person, at least 0 and below 1.
    epsilon: float = EPSILON
    #: A difference of two systems, as a share of 1, for which the books that a study needs are computed.
    difference: float | None = None


@dataclass(frozen=True)
class AgreementRow:
    """Two sides over the same sentences: a judge, a control or other people beside people.

    `sentences`: comparisons, a sentence once for every person (people beside people: for every pair, both ways).
    """

    name: str
    summaries: int
    books: int
    sentences: int
    #: By the names of `two_labels.FIGURES`; all undefined, with one reason, where the row can't be computed.
    figures: dict[str, Estimate]


@dataclass(frozen=True)
class TypeRow:
    """Sentences with one error type: both sides must have named the type."""

    row: AgreementRow
    #: Share of the sentences that people marked with this type which the judge marked at all.
    found: Estimate


@dataclass(frozen=True)
class SpanFigures:
    """Marks with exactly the same span (F1), and characters in common (F1)."""

    exact: Estimate
    characters: Estimate
    #: Pairs of sets, each on one summary.
    pairs: int


@dataclass(frozen=True)
class JudgeAgreement:
    judge: JudgeName
    row: AgreementRow
    #: What any judge must beat, over the same sentences: always clean, always confused, the rule baseline.
    controls: list[AgreementRow]
    #: Kappa of the judge minus kappa of the rule baseline, over the summaries that both scored.
    above_rules: Estimate
    systems: list[AgreementRow]
    types: list[TypeRow]
    #: People's marks snapped to sentences beside the judge's.
    spans: SpanFigures
    #: Sentences that the judge marked and nobody else, and the other way round: the lists to read.
    judge_only: int
    people_only: int


@dataclass(frozen=True)
class PersonPair:
    """Two people on the summaries that both marked; by pseudonym."""

    first: str
    second: str
    row: AgreementRow


@dataclass(frozen=True)
class PeopleAgreement:
    """People beside each other, each pair both ways, so that precision, recall and F1 are one figure."""

    row: AgreementRow
    #: Krippendorff's alpha over all who marked a summary.
    alpha: Estimate
    systems: list[AgreementRow]
    types: list[AgreementRow]
    spans: SpanFigures
    pairs: list[PersonPair]


@dataclass(frozen=True)
class AlternativeFigures:
    """The alternative annotator test of a judge, or of the control that marks nothing."""

    name: str
    #: Summaries that at least three people and the judge scored.
    summaries: int
    #: Books, counted for each person, on which the others marked nothing: there is nothing to agree with.
    left_out: int
    test: AlternativeTest


@dataclass(frozen=True)
class RecallRow:
    """An estimate of all confusing sentences of some summaries, from sources that looked at them independently."""

    name: str
    method: str
    summaries: int
    books: int
    #: Sentences with an upheld mark of any of the sources, and of more than one.
    found: int
    again: int
    total: Estimate
    #: Of the total, as if sentences were independent; Chapman's only.
    as_independent: Interval
    missed: Statistic
    #: Found / total: the recall of all sources together (for a lower bound of the total: at most this), and of each.
    share: Estimate
    shares: dict[str, Estimate]
    warning: str


@dataclass(frozen=True)
class RecallFigures:
    decisions: int
    #: Marks in the review without a decision.
    undecided: int
    rows: list[RecallRow]
    #: Why there are no rows at all.
    reason: str


@dataclass(frozen=True)
class RankAgreement:
    """Whether a judge puts the systems into the order of people, over the summaries that both scored."""

    judge: str
    #: (system, mean score by people, by the judge), the best of people first.
    systems: list[tuple[str, float, float]]
    books: int
    tau: Estimate


@dataclass(frozen=True)
class SystemDifferences:
    """Every two systems by one source ("human", or the judge's label); `reason`: why there are none."""

    source: str
    pairs: list[SystemPair]
    reason: str


@dataclass(frozen=True)
class RankingFigures:
    #: What the researcher would want to find, as a share of 1.
    difference: float | None
    orders: list[RankAgreement]
    sources: list[SystemDifferences]


@dataclass(frozen=True)
class AgreementReport:
    options: AgreementOptions
    people: PeopleAgreement
    judges: list[JudgeAgreement]
    #: Each judge, and last "always clean".
    alternative: list[AlternativeFigures]
    recall: RecallFigures
    ranking: RankingFigures
