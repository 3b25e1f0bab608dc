"""Comparisons with several systems: how often each pair is compared, and on which side each system stands."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.assignment import Item, Person, deal_annotation, shuffled_order
from annotation.sides import Shown, deal_sides


def dealt(systems, people, overlap, books, seed):
    """A whole round as `services.comparison_tasks` deals it: (book, person, system on the left, on the right)."""
    pairs = {}
    for book in range(books):
        for first, second in combinations(range(systems), 2):
            pairs[len(pairs)] = (book, first, second)
    members = [Person(key, annotates=False, reviews=False, compares=True) for key in range(people)]
    items = [Item(key, book) for key, (book, _, _) in pairs.items()]
    tasks = deal_annotation(
        items, members, overlap=overlap, review_overlap=0, taken={}, declined={}, seed=seed, may=Person.may_compare
    )
    tasks = shuffled_order(tasks, seed=seed)
    shown = [Shown(key, person, *pairs[key][1:]) for key, person in tasks]
    sides = deal_sides(shown, [], seed=seed)
    return [
        (pairs[each.comparison][0], each.person, *((each.first, each.second) if left else (each.second, each.first)))
        for each, left in zip(shown, sides, strict=True)
    ]


def leads(tasks, scope):
    """Lefts minus rights of each system within what `scope` names of a task."""
    lead = Counter()
    for task in tasks:
        lead[scope(task), task[2]] += 1
        lead[scope(task), task[3]] -= 1
    return list(lead.values())


@settings(max_examples=150, deadline=None)
@given(st.integers(2, 5), st.integers(1, 8), st.integers(1, 8), st.integers(1, 4), st.integers(0, 10_000))
def test_every_pair_is_compared_as_often_as_the_others_and_sides_are_even(systems, people, overlap, books, seed):
    tasks = dealt(systems, people, overlap, books, str(seed))
    of_pair = Counter((book, *sorted((left, right))) for book, _, left, right in tasks)
    assert len(of_pair) == books * systems * (systems - 1) // 2
    assert set(of_pair.values()) == {min(people, overlap)}
    of_person = Counter(person for _, person, _, _ in tasks)
    loads = [of_person[person] for person in range(people)]
    assert max(loads) - min(loads) <= 1
    for scope in (
        lambda task: (task[0], *sorted(task[2:])),  # the people of one pair on one book
        lambda task: tuple(sorted(task[2:])),  # a pair of systems over all books
        lambda task: "all",
    ):
        assert set(leads(tasks, scope)) <= {-1, 0, 1}


@pytest.mark.parametrize("systems", [2, 3, 4, 5])
@pytest.mark.parametrize("people", range(1, 9))
def test_each_number_of_systems_and_people(systems, people):
    """Everybody compares every pair of one book, and in a second round each pair is compared by one person."""
    for overlap in (people, 1):
        tasks = dealt(systems, people, overlap, 1, f"{systems} {people}")
        count = systems * (systems - 1) // 2 * overlap
        assert len(tasks) == count
        expected = {0} if (systems - 1) * overlap % 2 == 0 else {-1, 1}
        assert set(leads(tasks, lambda task: "all")) == expected


@pytest.mark.parametrize("seed", range(5))
def test_a_person_who_compares_two_systems_on_many_books_sees_each_on_either_side(seed):
    tasks = dealt(2, 3, 1, 15, str(seed))
    assert set(leads(tasks, lambda task: task[1])) <= {-1, 1}


def test_a_new_person_takes_the_side_that_was_lost():
    """Of three people one left, who had system 1 on the right: the new one gets it there."""
    earlier = [(Shown(1, person, 1, 2), True) for person in (1, 2)]
    assert deal_sides([Shown(1, 3, 1, 2)], earlier, seed="x") == [False]
