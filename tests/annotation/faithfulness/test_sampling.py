"""Which units a person is asked about, and hints or none."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.faithfulness.sampling import Amount, Shown, deal_hints, sample, sample_seed


@pytest.mark.parametrize(
    ("amount", "units", "asked"),
    [
        (Amount(share=1.0), 7, 7),
        (Amount(share=0.5), 7, 4),  # 3.5
        (Amount(share=0.1), 30, 3),  # where 0.1 * 30 is a little more than 3 in binary
        (Amount(share=0.35), 10, 4),  # 3.5, a little less in binary
        (Amount(share=0.1), 4, 1),  # at least one
        (Amount(share=0.5), 0, 0),
        (Amount(number=5), 7, 5),
        (Amount(number=5), 3, 3),
    ],
)
def test_how_many_units_are_asked(amount, units, asked):
    assert amount.of(units) == asked


def test_a_sample_is_the_same_for_its_seed_and_another_for_another_person():
    units = list(range(100, 120))
    seeds = [sample_seed(7, pseudonym, 3) for pseudonym in ("P-1", "P-2", "P-3")]
    samples = [sample(units, Amount(share=0.5), seed=seed) for seed in seeds]
    assert samples == [sample(units, Amount(share=0.5), seed=seed) for seed in seeds]
    assert len({tuple(each) for each in samples}) == 3
    for each in samples:
        assert len(set(each)) == 10
        assert each == sorted(each)
        assert set(each) <= set(units)


@given(st.sets(st.tuples(st.integers(1, 6), st.integers(1, 6))), st.booleans(), st.integers())
def test_hints_are_even_over_the_people_of_a_summary(pairs, tell, seed):
    tasks = [Shown(*pair) for pair in sorted(pairs)]
    half = len(tasks) // 2 if tell else 0
    earlier = list(zip(tasks[:half], deal_hints(tasks[:half], [], seed=str(seed)), strict=True))
    dealt = [*earlier, *zip(tasks[half:], deal_hints(tasks[half:], earlier, seed=f"{seed} more"), strict=True)]
    surplus: Counter[int] = Counter()
    for task, shown in dealt:
        surplus[task.summary] += 1 if shown else -1
    assert all(abs(each) <= 1 for each in surplus.values())


def test_one_persons_tasks_are_half_with_hints_where_summaries_have_one_person_each():
    tasks = [Shown(summary, 1) for summary in range(10)]
    assert sum(deal_hints(tasks, [], seed="x")) == 5
    assert {deal_hints(tasks[:1], [], seed=str(seed))[0] for seed in range(20)} == {True, False}
