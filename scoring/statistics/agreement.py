"""Agreement of two raters on the same items: sentences that are confusing (True) or not (False)."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from scoring.statistics.statistic import Statistic

NO_SHARED_ITEM = "No item was rated by both."
ONE_LABEL = "Only one label was used, so agreement by chance is certain."
NOTHING_MARKED = "Neither marked anything."


@dataclass(frozen=True)
class Agreement:
    """`percent` (a share of 1) and Cohen's `kappa` over the `items` that both rated."""

    items: int
    percent: Statistic
    kappa: Statistic


def cohen_agreement(first: Sequence[Hashable | None], second: Sequence[Hashable | None]) -> Agreement:
    """Cohen's kappa (Cohen 1960): (observed - expected) / (1 - expected).

    None means "not rated" and leaves the item out.
    """
    if len(first) != len(second):
        raise ValueError("Both raters must list the same items.")
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        return Agreement(0, Statistic.undefined(NO_SHARED_ITEM), Statistic.undefined(NO_SHARED_ITEM))
    items = len(pairs)
    observed = sum(a == b for a, b in pairs) / items
    of_first, of_second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    if len(of_first | of_second) == 1:
        return Agreement(items, Statistic.of(observed), Statistic.undefined(ONE_LABEL))
    expected = sum(count * of_second[label] for label, count in of_first.items()) / items**2
    return Agreement(items, Statistic.of(observed), Statistic.of((observed - expected) / (1 - expected)))


@dataclass(frozen=True)
class Detection:
    """How well `predicted` finds what `truth` marks, as shares of 1; with the share each of them marks."""

    precision: Statistic
    recall: Statistic
    f1: Statistic
    truth_prevalence: Statistic
    predicted_prevalence: Statistic


def detected(*, both: int, in_truth: int, in_predicted: int, items: int) -> Detection:
    """Precision, recall and their harmonic mean; F1 = 2 both / (marked by truth + marked by predicted).

    From counts: items marked by both, by the truth, by what was predicted, and all of them.
    """
    return Detection(
        precision=_share(both, in_predicted, "The second marked nothing."),
        recall=_share(both, in_truth, "The first marked nothing."),
        f1=_share(2 * both, in_truth + in_predicted, NOTHING_MARKED),
        truth_prevalence=_share(in_truth, items, NO_SHARED_ITEM),
        predicted_prevalence=_share(in_predicted, items, NO_SHARED_ITEM),
    )


def _share(part: int, whole: int, reason: str) -> Statistic:
    return Statistic.of(part / whole) if whole else Statistic.undefined(reason)


def gwet_ac1(first: Sequence[bool], second: Sequence[bool]) -> Statistic:
    """Gwet's AC1 of two raters on two labels (Gwet 2008): (observed - expected) / (1 - expected).

    Expected is 2 p (1 - p), p being the mean of the shares that each rater marks. Unlike kappa it stays high where both
    mark little and agree on nearly everything.
    """
    if len(first) != len(second):
        raise ValueError("Both raters must list the same items.")
    if not first:
        return Statistic.undefined(NO_SHARED_ITEM)
    items = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / items
    marked = (sum(map(bool, first)) + sum(map(bool, second))) / (2 * items)
    expected = 2 * marked * (1 - marked)
    return Statistic.of((observed - expected) / (1 - expected))
