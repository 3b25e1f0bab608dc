"""What the agreement part of a report holds. Shares are fractions of 1; what is not defined has a reason."""

from dataclasses import dataclass

from scoring.report.structure import JudgeName
from scoring.statistics.estimate import Estimate


@dataclass(frozen=True)
class AgreementOptions:
    """What a researcher may choose."""


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
class AgreementReport:
    options: AgreementOptions
    people: PeopleAgreement
    judges: list[JudgeAgreement]
