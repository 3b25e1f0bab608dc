"""Several judges on the same summaries: pools, and how far each pair of judges agrees.

Judges of one mode are a pool; the modes never mix, and baselines have no vote. A pool's figures are over the summaries
that all of its judges judged, so that every majority is one of the same judges. The judges' own rows stay as they are.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from scoring.report.structure import JudgeName
from scoring.report.systems import averaging, interval_of
from scoring.selectors.marks import Judged, MarkedSummary, StudyMarks
from scoring.statistics.intervals import Interval
from scoring.statistics.pool import (
    GroupAgreement,
    PairAgreement,
    PoolScore,
    Vote,
    group_agreement,
    majority_score,
    mean_of_judges,
    pair_agreement,
    vote,
)
from scoring.statistics.statistic import Statistic

OPEN = "Some summaries have no final score, so there are bounds but no score."


@dataclass(frozen=True)
class PooledSummary:
    """A pool on one summary. `confused` and `missing`: by position, of how many judges, where there is any."""

    id: int
    system: str
    book: str
    sentences: int
    judges: int
    confused: Counter[int]
    missing: Counter[int]
    #: How many sentences have which vote.
    tally: Counter[Vote]
    majority: PoolScore
    mean: PoolScore

    def count(self, kind: Vote) -> int:
        return self.tally[kind]

    @property
    def votes(self) -> list[Vote]:
        """By position."""
        return [_vote(self.confused, self.missing, at, self.judges) for at in range(self.sentences)]

    @property
    def shares(self) -> list[float | None]:
        """Of judges that a sentence confuses, by position; None while a label is missing."""
        return [None if self.missing[at] else self.confused[at] / self.judges for at in range(self.sentences)]


def _vote(confused: Counter[int], missing: Counter[int], at: int, judges: int) -> Vote:
    return vote(confused=confused[at], missing=missing[at], judges=judges)


@dataclass(frozen=True)
class PooledScore:
    """The mean over all summaries the pool judged, if every one has a final score (`n` have); else there are bounds.

    A mean over those without a tie would flatter: whatever the judges disagree about would be left out.
    """

    score: Statistic
    n: int
    low: Statistic
    high: Statistic
    interval: Interval


@dataclass(frozen=True)
class PooledSystem:
    system: str
    #: Summaries judged by all judges of the pool, and by some of them only.
    summaries: int
    partly: int
    sentences: int
    ties: int
    unparsed: int
    majority: PooledScore
    mean: PooledScore


@dataclass(frozen=True)
class Pool:
    mode: str
    judges: list[JudgeName]
    systems: list[PooledSystem]
    summaries: list[PooledSummary]
    #: Over the sentences that all of its judges' answers could be read on.
    agreement: GroupAgreement


@dataclass(frozen=True)
class JudgePair:
    first: JudgeName
    second: JudgeName
    #: Summaries that both judged.
    summaries: int
    agreement: PairAgreement


@dataclass(frozen=True)
class Pools:
    pools: list[Pool]
    pairs: list[JudgePair]


def pools_of(marks: StudyMarks, judges: Sequence[JudgeName]) -> Pools:
    """The pools of a study's judges; none where no mode has two."""
    voters = [judge for judge in judges if not judge.is_baseline]
    by_mode: dict[str, list[JudgeName]] = defaultdict(list)
    for judge in voters:
        by_mode[judge.mode].append(judge)
    return Pools(
        pools=[_pool(mode, own, marks) for mode, own in sorted(by_mode.items()) if len(own) > 1],
        pairs=[pair for one, other in combinations(voters, 2) if (pair := _pair(one, other, marks)).summaries],
    )


def _pool(mode: str, judges: list[JudgeName], marks: StudyMarks) -> Pool:
    names = {system.pk: system.name for system in marks.systems}
    whole = [
        (each, _pooled(each, judges, names)) for each in marks.summaries if _judged_by(each, judges) == len(judges)
    ]
    systems = []
    for name in names.values():
        own = [(marked, pooled) for marked, pooled in whole if pooled.system == name]
        some = sum(1 for each in marks.summaries if names[each.system_id] == name and _judged_by(each, judges))
        if own:
            systems.append(_system(name, own, some - len(own), marks.study.seed))
    agreement = group_agreement(_table([pooled for _, pooled in whole], len(judges)))
    return Pool(mode, judges, systems, [pooled for _, pooled in whole], agreement)


def _judged_by(summary: MarkedSummary, judges: Sequence[JudgeName]) -> int:
    return sum(1 for judge in judges if judge.id in summary.judges)


def _pooled(summary: MarkedSummary, judges: Sequence[JudgeName], names: dict[int, str]) -> PooledSummary:
    judged = [summary.judges[judge.id] for judge in judges]
    confused = Counter(chain.from_iterable(each.confused for each in judged))
    missing = Counter(chain.from_iterable(_missing(each) for each in judged))
    touched = confused.keys() | missing.keys()
    # `get`, because a Counter takes long to say 0 of what it lacks.
    labels = Counter([(confused.get(at, 0), missing.get(at, 0)) for at in touched])
    tally: Counter[Vote] = Counter()
    for (yes, unread), count in labels.items():
        tally[vote(confused=yes, missing=unread, judges=len(judged))] += count
    tally[Vote.CLEAN] += summary.sentences - len(touched)  # what no judge marked, and every one could be read on
    return PooledSummary(
        id=summary.id,
        system=names[summary.system_id],
        book=summary.book,
        sentences=summary.sentences,
        judges=len(judged),
        confused=confused,
        missing=missing,
        tally=tally,
        majority=majority_score(tally),
        mean=mean_of_judges([(len(each.confused), len(_missing(each))) for each in judged], summary.sentences),
    )


def _missing(judged: Judged) -> frozenset[int]:
    return judged.unparsed | judged.absent


def _table(pooled: Sequence[PooledSummary], judges: int) -> dict[tuple[int, ...], int]:
    """{(judges that a sentence confuses, judges that it does not): sentences}, where all answers could be read."""
    table: Counter[int] = Counter()
    for each in pooled:
        touched = [count for at, count in each.confused.items() if at not in each.missing]
        table.update(touched)
        table[0] += each.sentences - len(each.missing) - len(touched)
    return {(confused, judges - confused): sentences for confused, sentences in table.items()}


def _system(name: str, own: Sequence[tuple[MarkedSummary, PooledSummary]], partly: int, seed: int) -> PooledSystem:
    pooled = [each for _, each in own]
    marked = [each for each, _ in own]
    return PooledSystem(
        system=name,
        summaries=len(own),
        partly=partly,
        sentences=sum(each.sentences for each in marked),
        ties=sum(each.count(Vote.TIE) for each in pooled),
        unparsed=sum(each.count(Vote.UNPARSED) for each in pooled),
        majority=_score([each.majority for each in pooled], marked, seed),
        mean=_score([each.mean for each in pooled], marked, seed),
    )


def _score(scores: Sequence[PoolScore], summaries: Sequence[MarkedSummary], seed: int) -> PooledScore:
    mean = averaging(summaries)
    final = [each.score.value for each in scores if each.score.value is not None]
    is_open = len(final) < len(scores)
    return PooledScore(
        score=Statistic.undefined(OPEN) if is_open else mean(final),
        n=len(final),
        low=mean([each.low for each in scores if each.low is not None]),
        high=mean([each.high for each in scores if each.high is not None]),
        interval=Interval(None, None, reason=OPEN) if is_open else interval_of(mean, final, seed),
    )


def _pair(first: JudgeName, second: JudgeName, marks: StudyMarks) -> JudgePair:
    shared = [each for each in marks.summaries if _judged_by(each, (first, second)) == 2]
    both = first_only = second_only = items = 0
    for summary in shared:
        one, other = summary.judges[first.id], summary.judges[second.id]
        missing = _missing(one) | _missing(other)
        of_one, of_other = one.confused - missing, other.confused - missing
        both += len(of_one & of_other)
        first_only += len(of_one - of_other)
        second_only += len(of_other - of_one)
        items += summary.sentences - len(missing)
    neither = items - both - first_only - second_only
    agreement = pair_agreement(both=both, first_only=first_only, second_only=second_only, neither=neither)
    return JudgePair(first, second, len(shared), agreement)
