"""Several judges on the same sentences: what they say together, and how much they agree. Pure.

A label is True (confused), False (clean) or None (unparsed, or no judgement at all). Judges are never merged: a pool
stands beside its judges.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from scoring.statistics.agreement import NO_SHARED_ITEM, ONE_LABEL
from scoring.statistics.booookscore import NO_SENTENCES, NOT_ALL_PARSED
from scoring.statistics.statistic import Statistic

Label = bool | None
NOT_DECIDED = "On some sentences the judges are split, or too few answers can be read for a majority."
ONE_RATER = "Agreement needs two judges."


class Vote(StrEnum):
    CONFUSED = "confused"
    CLEAN = "clean"
    #: All labels are there, and as many say one thing as the other.
    TIE = "tie"
    #: The labels that are missing could turn it.
    UNPARSED = "unparsed"


def majority(labels: Sequence[Label]) -> Vote:
    """What more than half of all judges say, those included whose label is missing."""
    return vote(confused=sum(label is True for label in labels), missing=labels.count(None), judges=len(labels))


def vote(*, confused: int, missing: int, judges: int) -> Vote:
    """The majority from counts of labels. Without a judge: unparsed."""
    clean = judges - confused - missing
    if 2 * confused > judges:
        return Vote.CONFUSED
    if 2 * clean > judges:
        return Vote.CLEAN
    return Vote.UNPARSED if missing or not judges else Vote.TIE


@dataclass(frozen=True)
class PoolScore:
    """A score of the pool on one summary, with its bounds: what is open taken as confused, or as clean."""

    score: Statistic
    low: float | None
    high: float | None


def majority_score(votes: Counter[Vote]) -> PoolScore:
    """Share of the sentences that are clean by majority. With a tie or an unparsed sentence there are only bounds."""
    sentences = votes.total()
    if not sentences:
        return PoolScore(Statistic.undefined(NO_SENTENCES), None, None)
    low, high = votes[Vote.CLEAN] / sentences, 1 - votes[Vote.CONFUSED] / sentences
    is_open = votes[Vote.TIE] + votes[Vote.UNPARSED]
    return PoolScore(Statistic.undefined(NOT_DECIDED) if is_open else Statistic.of(high), low, high)


def mean_of_judges(judged: Sequence[tuple[int, int]], sentences: int) -> PoolScore:
    """Mean of the judges' scores on one summary; `judged` has (confused, missing) of each judge.

    The same as 1 - the mean share of judges that its sentences confuse. With a missing label there are only bounds.
    """
    if not sentences or not judged:
        return PoolScore(Statistic.undefined(NO_SENTENCES if not sentences else ONE_RATER), None, None)
    possible = sentences * len(judged)
    confused, missing = sum(each for each, _ in judged), sum(each for _, each in judged)
    low, high = 1 - (confused + missing) / possible, 1 - confused / possible
    return PoolScore(Statistic.undefined(NOT_ALL_PARSED) if missing else Statistic.of(high), low, high)


@dataclass(frozen=True)
class PairAgreement:
    """Two judges on the `items` that both labelled, with the share that each of them marks."""

    items: int
    percent: Statistic
    kappa: Statistic
    first_prevalence: Statistic
    second_prevalence: Statistic


def pair_agreement(*, both: int, first_only: int, second_only: int, neither: int) -> PairAgreement:
    """Cohen's kappa (Cohen 1960) of two judges from the four counts of sentences that they mark or not."""
    items = both + first_only + second_only + neither
    if not items:
        nothing = Statistic.undefined(NO_SHARED_ITEM)
        return PairAgreement(0, nothing, nothing, nothing, nothing)
    first, second = (both + first_only) / items, (both + second_only) / items
    observed = (both + neither) / items
    expected = first * second + (1 - first) * (1 - second)
    one_label = items in (both, neither)
    kappa = Statistic.undefined(ONE_LABEL) if one_label else Statistic.of((observed - expected) / (1 - expected))
    return PairAgreement(items, Statistic.of(observed), kappa, Statistic.of(first), Statistic.of(second))


@dataclass(frozen=True)
class GroupAgreement:
    """All judges on the `items` that were labelled by at least two: share of agreeing pairs, and kappas."""

    items: int
    percent: Statistic
    fleiss: Statistic
    randolph: Statistic


def group_agreement(table: Mapping[tuple[int, ...], int]) -> GroupAgreement:
    """Fleiss' kappa (Fleiss 1971) and Randolph's free-marginal kappa (Randolph 2005).

    `table`: how many items have so many labels of each kind, for example {(3, 0): 40, (1, 2): 5}. The observed
    agreement is the mean over items of the share of pairs of labels that agree; what chance would bring is the sum of
    the squared shares of the kinds (Fleiss), or 1 / kinds (Randolph). Items with fewer than two labels are left out.
    """
    rated = {counts: items for counts, items in table.items() if sum(counts) > 1 and items}
    items = sum(rated.values())
    if not items:
        nothing = Statistic.undefined(NO_SHARED_ITEM)
        return GroupAgreement(0, nothing, nothing, nothing)
    observed = sum(number * _pairs_that_agree(counts) for counts, number in rated.items()) / items
    of_kind = [
        sum(number * count for number, count in zip(rated.values(), counts, strict=True))
        for counts in zip(*rated, strict=True)
    ]
    by_chance = sum((each / sum(of_kind)) ** 2 for each in of_kind)
    free = 1 / len(of_kind)
    one_label = max(of_kind) == sum(of_kind)
    return GroupAgreement(
        items=items,
        percent=Statistic.of(observed),
        fleiss=Statistic.undefined(ONE_LABEL) if one_label else Statistic.of((observed - by_chance) / (1 - by_chance)),
        randolph=Statistic.of((observed - free) / (1 - free)),
    )


def _pairs_that_agree(counts: Sequence[int]) -> float:
    labels = sum(counts)
    return sum(count * (count - 1) for count in counts) / (labels * (labels - 1))
