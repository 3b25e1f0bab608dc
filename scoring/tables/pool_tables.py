"""Tables of several judges together, for the dashboard."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Annotator
from scoring.report.pools import JudgePair, Pool, PooledScore, PooledSystem, Pools
from scoring.report.structure import JudgeName
from scoring.statistics.pool import GroupAgreement
from scoring.tables import Cell, Table
from scoring.tables.cells import count_cell, number_cell, percent_cell, score_cell, text_cell


@dataclass(frozen=True)
class ShownPool:
    #: Of its table.
    key: str
    mode: str
    judges: list[JudgeName]
    agreement: GroupAgreement
    table: Table


def shown_pools(pools: Pools) -> list[ShownPool]:
    return [
        ShownPool(
            f"pool-{pool.mode or 'unknown'}",
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
        text_cell(system.system),
        count_cell(system.summaries, partly),
        _score(system.majority),
        _score(system.mean),
        count_cell(system.ties, of_all if system.ties else ""),
        count_cell(system.unparsed, of_all if system.unparsed else ""),
    ]


def _score(pooled: PooledScore) -> Cell:
    low, high = pooled.low.value, pooled.high.value
    if pooled.score.value is None:
        if low is None or high is None:
            return Cell("–", note=pooled.score.reason)
        bounds = {"lower bound": low, "upper bound": high, "n": pooled.n}
        return Cell(f"{100 * low:.1f} to {100 * high:.1f}", note=f"bounds; {pooled.n} decided", beside=bounds)
    return score_cell(pooled.score, pooled.interval, pooled.n)


def judge_pairs_table(pairs: Sequence[JudgePair]) -> Table:
    columns = ["Two judges", "Summaries", "Sentences", "Say the same", "Cohen's kappa", "First marks", "Second marks"]
    return Table(columns, [_pair(pair) for pair in pairs])


def _pair(pair: JudgePair) -> list[Cell]:
    agreement = pair.agreement
    return [
        text_cell(f"{pair.first.label} / {pair.second.label}"),
        count_cell(pair.summaries),
        count_cell(agreement.items),
        percent_cell(agreement.percent),
        number_cell(agreement.kappa),
        percent_cell(agreement.first_prevalence),
        percent_cell(agreement.second_prevalence),
    ]
