"""The assignment strategy: fair, never more than asked, and always somebody left to review."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from annotation.assignment import Item, Person, deal_annotation, deal_review, shortage, shuffled_order


def annotation_tasks(items, people, overlap=1, review_overlap=1, taken=None, declined=None, seed="s"):
    return deal_annotation(
        items,
        people,
        overlap=overlap,
        review_overlap=review_overlap,
        taken=taken or {},
        declined=declined or {},
        seed=seed,
    )


def review_tasks(items, people, overlap=1, taken=None, declined=None, seed="s"):
    return deal_review(items, people, overlap=overlap, taken=taken or {}, declined=declined or {}, seed=seed)


def people(*keys, **fields):
    return [Person(key, **fields) for key in keys]


def one_summary_each(books):
    return [Item(summary=100 + book, book=book) for book in range(books)]


def test_a_hundred_summaries_for_four_people_are_twenty_five_each():
    tasks = annotation_tasks(one_summary_each(100), people(1, 2, 3, 4))
    assert Counter(person for _, person in tasks) == {1: 25, 2: 25, 3: 25, 4: 25}
    assert len({summary for summary, _ in tasks}) == 100


def test_the_same_seed_deals_the_same_and_another_does_not():
    items, four = one_summary_each(20), people(1, 2, 3, 4)
    assert annotation_tasks(items, four, seed="a") == annotation_tasks(list(reversed(items)), four, seed="a")
    assert annotation_tasks(items, four, seed="a") != annotation_tasks(items, four, seed="b")


def test_with_two_people_one_annotates_all_summaries_of_a_book_so_that_the_other_can_review_it():
    items = [Item(1, book=7), Item(2, book=7), Item(3, book=7)]
    tasks = annotation_tasks(items, people(1, 2))
    assert len(tasks) == 3
    assert len({person for _, person in tasks}) == 1


def test_with_enough_people_nobody_meets_two_summaries_of_one_book():
    tasks = annotation_tasks([Item(1, book=7), Item(2, book=7)], people(1, 2, 3))
    assert len({person for _, person in tasks}) == 2


def test_who_reviewed_a_book_never_annotates_it():
    asked = [Person(1, reviewed=frozenset({7})), Person(2)]
    tasks = annotation_tasks([Item(1, book=7), Item(2, book=8)], asked, review_overlap=0)
    assert (1, 2) in tasks
    assert (1, 1) not in tasks


def test_who_annotated_a_book_never_reviews_it():
    asked = [Person(1, annotated=frozenset({7})), Person(2)]
    assert review_tasks([Item(1, book=7)], asked) == [(1, 2)]
    assert review_tasks([Item(1, book=7)], asked[:1]) == []


def test_free_places_are_filled_up_to_the_overlap_and_not_by_who_gave_them_back():
    tasks = annotation_tasks(
        [Item(1, book=7)], people(1, 2, 3, 4), overlap=2, review_overlap=0, taken={1: {1}}, declined={1: {2, 3}}
    )
    assert tasks == [(1, 4)]


def test_review_tasks_are_balanced_by_marks_not_by_summaries():
    items = [Item(1, 1, weight=30), Item(2, 2, weight=10), Item(3, 3, weight=10), Item(4, 4, weight=10)]
    load = Counter()
    for summary, person in review_tasks(items, people(1, 2)):
        load[person] += {item.summary: item.weight for item in items}[summary]
    assert load == {1: 30, 2: 30}


def test_people_with_work_get_less_of_the_rest():
    asked = [Person(1, load=3), Person(2)]
    tasks = annotation_tasks(one_summary_each(3), asked, review_overlap=0)
    assert Counter(person for _, person in tasks) == {2: 3}


def test_two_people_with_overlap_two_leave_nobody_to_review():
    found = shortage([Item(1, 7), Item(2, 8)], people(1, 2), annotation_overlap=2, review_overlap=1)
    assert (found.annotators, found.reviewers) == ((), (1, 2))


def test_a_third_person_who_only_reviews_is_enough():
    asked = [*people(1, 2), Person(3, annotates=False)]
    assert shortage([Item(1, 7)], asked, annotation_overlap=2, review_overlap=1).reviewers == ()


def test_only_the_book_that_a_reviewer_knows_is_short():
    asked = [Person(1, reviews=False), Person(2, annotates=False, annotated=frozenset({8}))]
    found = shortage([Item(1, 7), Item(2, 8)], asked, annotation_overlap=1, review_overlap=1)
    assert (found.annotators, found.reviewers) == ((), (2,))


def test_too_few_annotators_are_told_apart_from_no_reviewer():
    asked = [Person(1), Person(2, annotates=False)]
    found = shortage([Item(1, 7)], asked, annotation_overlap=2, review_overlap=1)
    assert (found.annotators, found.reviewers) == ((1,), ())


def test_without_a_review_nobody_need_stay_free():
    found = shortage([Item(1, 7)], people(1), annotation_overlap=1, review_overlap=0)
    assert (found.annotators, found.reviewers) == ((), ())


def test_the_order_people_meet_depends_on_the_seed_alone():
    tasks = [(summary, 1) for summary in range(30)]
    order = shuffled_order(tasks, seed="a")
    assert order == shuffled_order(reversed(tasks), seed="a")
    assert order != tasks
    assert sorted(order) == tasks


books = st.integers(0, 3)
persons = st.builds(
    Person,
    key=st.integers(1, 6),
    annotates=st.booleans(),
    reviews=st.booleans(),
    annotated=st.frozensets(books),
    reviewed=st.frozensets(books),
)
designs = st.fixed_dictionaries(
    {
        "people": st.lists(persons, max_size=6, unique_by=lambda person: person.key),
        "items": st.lists(st.builds(Item, summary=st.integers(1, 12), book=books), unique_by=lambda item: item.summary),
        "overlap": st.integers(1, 3),
        "review_overlap": st.integers(0, 2),
        "seed": st.text(max_size=3),
    }
)


@given(designs)
def test_what_is_not_short_is_served_in_full_with_reviewers_left_over(design):
    asked, items = design["people"], design["items"]
    found = shortage(items, asked, annotation_overlap=design["overlap"], review_overlap=design["review_overlap"])
    tasks = annotation_tasks(items, asked, design["overlap"], design["review_overlap"], seed=design["seed"])
    assert len(tasks) == len(set(tasks))
    by_key = {person.key: person for person in asked}
    served = Counter(summary for summary, _ in tasks)
    annotators = {}
    for item in items:
        mine = {person for summary, person in tasks if summary == item.summary}
        annotators.setdefault(item.book, set()).update(mine)
        assert all(by_key[person].may_annotate(item.book) for person in mine)
        assert served[item.summary] <= design["overlap"]
        if item.summary not in found.annotators + found.reviewers:
            assert served[item.summary] == design["overlap"]
    for book, busy in annotators.items():
        free = [person for person in asked if person.may_review(book) and person.key not in busy]
        spoiled = [person for person in asked if person.may_review(book) and person.key in busy]
        assert not spoiled or len(free) >= design["review_overlap"]


@given(designs)
def test_reviews_go_to_eligible_people_and_never_to_more_than_asked(design):
    by_key = {person.key: person for person in design["people"]}
    tasks = review_tasks(design["items"], design["people"], design["overlap"], seed=design["seed"])
    for item in design["items"]:
        mine = [person for summary, person in tasks if summary == item.summary]
        eligible = [person for person in design["people"] if person.may_review(item.book)]
        assert len(mine) == len(set(mine)) == min(design["overlap"], len(eligible))
        assert all(by_key[person].may_review(item.book) for person in mine)


@given(st.integers(2, 5), st.integers(1, 30), st.integers(1, 3))
def test_people_who_may_all_do_everything_differ_by_one_task_at_most(number, books_count, overlap):
    overlap = min(overlap, number - 1)
    tasks = annotation_tasks(one_summary_each(books_count), people(*range(number)), overlap)
    load = Counter(person for _, person in tasks)
    counts = [load[person] for person in range(number)]
    assert sum(counts) == books_count * overlap
    assert max(counts) - min(counts) <= 1
