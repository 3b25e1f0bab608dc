"""The alternative annotator test: may a judge stand in for a person? (Calderon, Reichart, Dror, arXiv 2501.10970.)

Each person is left out in turn. On each book (an instance), the judge and the person are both compared with the other
people; whoever agrees better with them wins the book. The judge may replace the person if it loses on average by less
than epsilon, the price of a person's labour.

Two things are settled here for sentences that are seldom marked. A score is Cohen's kappa with the labels of all
others pooled: whoever marks nothing, or everything, has 0 whatever the share of marked sentences. And a judge that does
not agree beyond chance (a score of 0 or less) wins nothing: such a book is the person's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy
import scipy  # its parts load when first used: `from scipy.stats` would take a second of every start

from scoring.statistics.estimate import Array, Estimate, estimate
from scoring.statistics.statistic import Statistic

#: Epsilon: the paper's 0.2 is for experts, 0.15 for trained people, 0.1 for crowd workers.
EPSILON = 0.15
ALPHA = 0.05
#: With fewer instances the paper has a signed-rank test in place of the t-test.
LEAST_FOR_T = 30
#: The winning rate from which the judge may replace people.
PASSES = 0.5

FEWER_THAN_THREE = (
    "No summary that this judge scored was marked by at least three people, so nobody can be left out in turn."
)
NOBODY_TO_COMPARE = "On no book did the other people mark anything, so there is nothing to agree with."


@dataclass(frozen=True)
class BookScores:
    """How the judge and the person who is left out agree with the other people on a book: kappas, -1 to 1."""

    book: int
    judge: float
    person: float

    @property
    def judge_wins(self) -> bool:
        """At least as good as the person, and better than chance."""
        return self.judge > 0 and self.judge >= self.person

    @property
    def person_wins(self) -> bool:
        """At least as good as the judge, or the judge is no better than chance."""
        return self.person >= self.judge or self.judge <= 0

    @property
    def difference(self) -> int:
        """1 if the person wins alone, -1 if the judge does, 0 if both do."""
        return int(self.person_wins) - int(self.judge_wins)


@dataclass(frozen=True)
class LeftOut:
    """One person left out: shares of the `books` that the judge and the person win (ties count for both)."""

    person: str
    books: int
    judge: float
    human: float
    #: "t", or "signed-rank" with fewer than 30 books or where no book differs from another.
    test: str
    p: float
    #: p by Benjamini and Yekutieli over all people.
    p_adjusted: float
    #: The judge may replace this person.
    beaten: bool


@dataclass(frozen=True)
class AlternativeTest:
    epsilon: float
    #: Omega: share of the people whom the judge may replace. It passes from 0.5.
    winning_rate: Statistic
    #: Rho: mean over people of the share of books that the judge wins, with an interval over books.
    advantage: Estimate
    people: list[LeftOut]

    @property
    def passes(self) -> bool | None:
        return None if self.winning_rate.value is None else self.winning_rate.value >= PASSES


def not_tested(epsilon: float, reason: str) -> AlternativeTest:
    return AlternativeTest(epsilon, Statistic.undefined(reason), Estimate.undefined(reason), [])


def alternative_test(scores: Mapping[str, Sequence[BookScores]], *, epsilon: float, seed: int) -> AlternativeTest:
    """`scores`: for each person the books on which they can be left out; people without one are not in it.

    H0 for a person: the judge wins a smaller share of books than the person by epsilon or more. One-sided at 0.05,
    Benjamini-Yekutieli over people (their tests share data). Raises ValueError for an epsilon outside [0, 1).
    """
    if not 0 <= epsilon < 1:
        raise ValueError("Epsilon must be at least 0 and below 1.")
    known = {person: books for person, books in scores.items() if books}
    if not known:
        return not_tested(epsilon, NOBODY_TO_COMPARE)
    tests = {person: _test([each.difference for each in books], epsilon) for person, books in known.items()}
    adjusted = scipy.stats.false_discovery_control([p for _, p in tests.values()], method="by")
    people = [
        LeftOut(
            person=person,
            books=len(books),
            judge=sum(each.judge_wins for each in books) / len(books),
            human=sum(each.person_wins for each in books) / len(books),
            test=tests[person][0],
            p=tests[person][1],
            p_adjusted=float(p),
            # The signed-rank test is about the median; that the mean is below epsilon too is asked beside it.
            beaten=bool(p <= ALPHA) and sum(each.difference for each in books) / len(books) < epsilon,
        )
        for (person, books), p in zip(known.items(), adjusted, strict=True)
    ]
    rate = sum(each.beaten for each in people) / len(people)
    return AlternativeTest(epsilon, Statistic.of(rate), _advantage(known, seed), people)


def _advantage(scores: Mapping[str, Sequence[BookScores]], seed: int) -> Estimate:
    """Rho: each person's books are resampled together with those of all others, book by book."""
    books = sorted({each.book for own in scores.values() for each in own})
    row = {book: index for index, book in enumerate(books)}
    counts = numpy.zeros((len(books), 2, len(scores)))
    for column, own in enumerate(scores.values()):
        for each in own:
            counts[row[each.book], :, column] = each.judge_wins, 1

    def rho(sums: Array) -> Array:
        of_people = sums.reshape(*sums.shape[:-1], 2, len(scores))
        won, seen = of_people[..., 0, :], of_people[..., 1, :]
        there = seen > 0
        shares = numpy.where(there, won / numpy.where(there, seen, 1), 0)
        return numpy.asarray(shares.sum(axis=-1) / there.sum(axis=-1))

    return estimate(counts.reshape(len(books), -1), rho, reason=NOBODY_TO_COMPARE, seed=seed)


def _test(differences: Sequence[int], epsilon: float) -> tuple[str, float]:
    """(which test, one-sided p that the mean, or the median, is below epsilon)."""
    if len(differences) >= LEAST_FOR_T and len(set(differences)) > 1:
        return "t", float(scipy.stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
    return "signed-rank", signed_rank_below([each - epsilon for each in differences])


def signed_rank_below(values: Sequence[float]) -> float:
    """Exact one-sided p of Wilcoxon's signed-rank test that the values lie below 0; ties share their mean rank.

    The probability that the ranks of positive values sum to no more than observed, every sign being as likely as the
    other. Values of 0 are left out; with none left p is 1.
    """
    kept = [round(value, 9) for value in values if abs(value) > 1e-9]
    doubled = [round(2 * rank) for rank in scipy.stats.rankdata(numpy.abs(kept))] if kept else []
    observed = sum(rank for rank, value in zip(doubled, kept, strict=True) if value > 0)
    ways = numpy.zeros(sum(doubled) + 1)
    ways[0] = 1
    for rank in doubled:
        shifted = numpy.zeros_like(ways)
        shifted[rank:] = ways[: len(ways) - rank]
        ways = (ways + shifted) / 2
    return min(1.0, float(ways[: observed + 1].sum()))
