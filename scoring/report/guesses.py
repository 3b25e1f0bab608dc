"""Whether the review was blind: how often reviewers guess who made a mark."""

from scoring.report.structure import GuessFigures
from scoring.selectors.guesses import Counts
from scoring.statistics.intervals import wilson
from scoring.statistics.statistic import Statistic

NO_GUESSES = "No reviewer has guessed yet."


def guess_figures(counts: Counts) -> GuessFigures:
    named = {origin: given["person"] + given["llm"] for origin, given in counts.items()}
    right, n = counts["person"]["person"] + counts["llm"]["llm"], sum(named.values())
    return GuessFigures(
        right=right,
        n=n,
        unknown=sum(given["unknown"] for given in counts.values()),
        rate=Statistic.of(right / n) if n else Statistic.undefined(NO_GUESSES),
        wilson=wilson(right, n),
        commoner=Statistic.of(max(named.values()) / n) if n else Statistic.undefined(NO_GUESSES),
        counts=counts,
    )
