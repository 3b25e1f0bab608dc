"""The pools of judges as JSON and as plain text."""

from typing import Any

from scoring.report.pools import JudgePair, Pool, PooledScore, PooledSummary, PooledSystem, Pools
from scoring.statistics.pool import PoolScore, Vote
from scoring.statistics.statistic import Statistic


def pools_json(pools: Pools) -> dict[str, Any]:
    """Pools by mode, and all pairs of judges. What is null has its reason beside it."""
    return {"pools": [_pool(pool) for pool in pools.pools], "pairs": [_pair(pair) for pair in pools.pairs]}


def _pool(pool: Pool) -> dict[str, Any]:
    agreement = pool.agreement
    return {
        "mode": pool.mode,
        "judges": [judge.label for judge in pool.judges],
        "systems": [_system(system) for system in pool.systems],
        "agreement": {
            "sentences": agreement.items,
            **_values(percent=agreement.percent, fleiss=agreement.fleiss, randolph=agreement.randolph),
        },
        "summaries": [_summary(summary) for summary in pool.summaries],
    }


def _system(system: PooledSystem) -> dict[str, Any]:
    return {
        "system": system.system,
        "summaries": system.summaries,
        "judged_by_some_only": system.partly,
        "sentences": system.sentences,
        "ties": system.ties,
        "unparsed": system.unparsed,
        "majority": _score(system.majority),
        "mean": _score(system.mean),
    }


def _score(pooled: PooledScore) -> dict[str, Any]:
    return {
        **_values(score=pooled.score),
        "n": pooled.n,
        "bounds": [pooled.low.value, pooled.high.value],
        "ci95": pooled.interval.pair(),
    }


def _summary(summary: PooledSummary) -> dict[str, Any]:
    return {
        "summary": summary.id,
        "book": summary.book,
        "system": summary.system,
        "majority": _of_summary(summary.majority),
        "mean": _of_summary(summary.mean),
        "ties": summary.count(Vote.TIE),
        "unparsed": summary.count(Vote.UNPARSED),
        "votes": [vote.value for vote in summary.votes],
        "shares_confused": summary.shares,
    }


def _of_summary(score: PoolScore) -> dict[str, Any]:
    return {**_values(score=score.score), "bounds": [score.low, score.high]}


def _pair(pair: JudgePair) -> dict[str, Any]:
    agreement = pair.agreement
    return {
        "judges": [pair.first.label, pair.second.label],
        "modes": [pair.first.mode, pair.second.mode],
        "summaries": pair.summaries,
        "sentences": agreement.items,
        **_values(percent=agreement.percent, kappa=agreement.kappa),
        "prevalence": [agreement.first_prevalence.value, agreement.second_prevalence.value],
    }


def _values(**figures: Statistic) -> dict[str, Any]:
    reasons = {name: figure.reason for name, figure in figures.items() if figure.value is None}
    return {**{name: figure.value for name, figure in figures.items()}, **({"reasons": reasons} if reasons else {})}


def pools_lines(pools: Pools) -> list[str]:
    """For reading in a terminal, in percent."""
    lines = []
    for pool in pools.pools:
        lines.append(f"pool of judges, {pool.mode}: {', '.join(judge.label for judge in pool.judges)}")
        for system in pool.systems:
            is_open = f"; {system.ties} ties, {system.unparsed} unparsed" if system.ties or system.unparsed else ""
            lines.append(f"  {system.system}: majority {_words(system.majority)}, mean {_words(system.mean)}{is_open}")
        agreement = pool.agreement
        lines.append(
            f"  Fleiss' kappa = {_decimal(agreement.fleiss)}, Randolph's = {_decimal(agreement.randolph)} "
            f"over {agreement.items} sentences"
        )
    for pair in pools.pairs:
        lines.append(
            f"{pair.first.label} and {pair.second.label}: kappa = {_decimal(pair.agreement.kappa)} "
            f"over {pair.agreement.items} sentences"
        )
    return lines


def _words(pooled: PooledScore) -> str:
    low, high = pooled.low.value, pooled.high.value
    if pooled.score.value is not None:
        return f"{100 * pooled.score.value:.1f} (n = {pooled.n})"
    return "–" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f} ({pooled.n} decided)"


def _decimal(figure: Statistic) -> str:
    return "–" if figure.value is None else f"{figure.value:.3f}"
