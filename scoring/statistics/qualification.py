"""How groups of people do in a qualification test: how often they are right, and how far they agree. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.statistics.estimate import Estimate
from scoring.statistics.faithfulness import UnitAgreement, unit_agreement, units_of
from scoring.statistics.intervals import bootstrap_mean
from scoring.statistics.statistic import Statistic

NOBODY = "Nobody submitted the test."
ONE_TESTED = "Only one person."
ONE_STATEMENT = "Only one statement."


@dataclass(frozen=True)
class FirstAttempt:
    """A person's first attempt: what they said of each statement (by its id), and what was expected."""

    #: (statement, supported, expected).
    answers: Sequence[tuple[int, bool, bool]]
    passed: bool

    @property
    def right(self) -> float:
        """Share of the answers, 0 to 1; a test asks at least one."""
        return sum(said == expected for _, said, expected in self.answers) / len(self.answers)


@dataclass(frozen=True)
class GroupFigures:
    people: int
    #: How many of them passed, with this attempt.
    passed: int
    answers: int
    #: Mean over people of the share of right answers, with an interval over people.
    accuracy: Estimate
    #: On the statements that two people of the group judged, with intervals over statements.
    agreement: UnitAgreement


def group_figures(people: Sequence[FirstAttempt], seed: int) -> GroupFigures:
    """People judge the same statements of one text, so what they agree on is resampled by statement, not by book."""
    judgements = [(unit, unit, said) for person in people for unit, said, _ in person.answers]
    return GroupFigures(
        people=len(people),
        passed=sum(person.passed for person in people),
        answers=len(judgements),
        accuracy=_accuracy([person.right for person in people], seed),
        agreement=unit_agreement(units_of(judgements), seed, alone=ONE_STATEMENT),
    )


def _accuracy(shares: Sequence[float], seed: int) -> Estimate:
    if not shares:
        return Estimate.undefined(NOBODY)
    mean = Statistic.of(sum(shares) / len(shares))
    return Estimate(mean, bootstrap_mean(shares, seed, alone=ONE_TESTED))
