"""Precision of marks: how many a reviewer upholds (BooookScore, appendix J)."""

from dataclasses import dataclass

from scoring.statistics.intervals import NO_DECISIONS
from scoring.statistics.statistic import Statistic


@dataclass(frozen=True)
class Decisions:
    """Counts of review decisions. Marks that nobody decided on are not in them."""

    agree: int = 0
    partial: int = 0
    disagree: int = 0

    def __add__(self, other: "Decisions") -> "Decisions":
        return Decisions(self.agree + other.agree, self.partial + other.partial, self.disagree + other.disagree)

    @property
    def total(self) -> int:
        return self.agree + self.partial + self.disagree

    @property
    def upheld(self) -> int:
        """Partial agreement upholds a mark, as in the paper."""
        return self.agree + self.partial


def precision(decisions: Decisions) -> Statistic:
    """(agree + partially agree) / decided."""
    return _share(decisions.upheld, decisions.total)


def strict_precision(decisions: Decisions) -> Statistic:
    """agree / decided."""
    return _share(decisions.agree, decisions.total)


def _share(part: int, whole: int) -> Statistic:
    return Statistic.of(part / whole) if whole else Statistic.undefined(NO_DECISIONS)
