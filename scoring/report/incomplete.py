"""What stands beside every score that is not complete: coverage, bounds and cost, in words."""

from scoring.report.structure import JudgeFigures


def coverage_of(figures: JudgeFigures) -> float | None:
    """Share of the judged sentences with a readable answer; None where there is no sentence."""
    return 1 - figures.unparsed / figures.sentences if figures.sentences else None


def incomplete_words(figures: JudgeFigures) -> str:
    """ "1 of 6 not complete, coverage 97.5 %: all 6 give 80.0 to 85.0; cost $0.12", or "" for a complete score.

    The bounds take all unparsed sentences as confused, and as clean.
    """
    coverage, low, high = coverage_of(figures), figures.low.value, figures.high.value
    if not figures.unparsed or coverage is None:
        return ""
    words = f"{figures.judged - figures.n} of {figures.judged} not complete, coverage {100 * coverage:.1f} %"
    if low is not None and high is not None:
        words += f": all {figures.judged} give {100 * low:.1f} to {100 * high:.1f}"
    return words if figures.cost_usd is None else f"{words}; cost ${figures.cost_usd:,.2f}"
