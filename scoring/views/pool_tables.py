"""Tables of several judges together, for the dashboard."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Annotator
from scoring.report.pools import JudgePair, Pool, PooledScore, PooledSystem, Pools
from scoring.report.structure import JudgeName
from scoring.statistics.pool import GroupAgreement
from scoring.statistics.statistic import Statistic
from scoring.views.tables import Cell, Table


@dataclass(frozen=True)
class ShownPool:
    mode: str
    judges: list[JudgeName]
    agreement: GroupAgreement
    table: Table


def shown_pools(pools: Pools) -> list[ShownPool]:
    return [
        ShownPool(
            Annotator.Mode(pool.mode).label if pool.mode else "Mode not known",
            pool.judges,
            pool.agreement,
            _systems(pool),
        )
        for pool in pools.pools
    ]


def _systems(pool: Pool) -> Table:
    columns = ["System", "Summaries", "Majority", "Mean of the judges", "Ties", "Unparsed"]
    return Table(columns, [_system(system) for system in pool.systems])


def _system(system: PooledSystem) -> list[Cell]:
    partly = f"{system.partly} more judged by some only" if system.partly else ""
    of_all = f"of {system.sentences:,} sentences"
    return [
        Cell(system.system, number=False),
        Cell(f"{system.summaries:,}", note=partly),
        _score(system.majority),
        _score(system.mean),
        Cell(f"{system.ties:,}", note=of_all if system.ties else ""),
        Cell(f"{system.unparsed:,}", note=of_all if system.unparsed else ""),
    ]


def _score(pooled: PooledScore) -> Cell:
    low, high = pooled.low.value, pooled.high.value
    if pooled.score.value is None:
        if low is None or high is None:
            return Cell("–", note=pooled.score.reason)
        return Cell(f"{100 * low:.1f} to {100 * high:.1f}", note=f"bounds; {pooled.n} decided")
    interval = pooled.interval
    between = (
        "" if interval.low is None or interval.high is None else f"{100 * interval.low:.1f}–{100 * interval.high:.1f}, "
    )
    return Cell(f"{100 * pooled.score.value:.1f}", note=f"{between}n {pooled.n}")


def judge_pairs_table(pairs: Sequence[JudgePair]) -> Table:
    columns = ["Two judges", "Summaries", "Sentences", "Say the same", "Cohen's kappa", "First marks", "Second marks"]
    return Table(columns, [_pair(pair) for pair in pairs])


def _pair(pair: JudgePair) -> list[Cell]:
    agreement = pair.agreement
    return [
        Cell(f"{pair.first.label} / {pair.second.label}", number=False),
        Cell(f"{pair.summaries:,}"),
        Cell(f"{agreement.items:,}"),
        _share(agreement.percent),
        _kappa(agreement.kappa),
        _share(agreement.first_prevalence),
        _share(agreement.second_prevalence),
    ]


def _share(figure: Statistic) -> Cell:
    return Cell("–", note=figure.reason) if figure.value is None else Cell(f"{100 * figure.value:.1f}")


def _kappa(figure: Statistic) -> Cell:
    return Cell("–", note=figure.reason) if figure.value is None else Cell(f"{figure.value:.3f}")
