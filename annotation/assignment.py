"""Who gets which task: a pure strategy, saved by `annotation.services.assignment`.

The rule that shapes it: nobody reviews marks on a book of which they annotated a summary, or the reverse, and nobody
who was shown who marked what on a book (as a researcher) does either. So while annotation tasks are dealt out, enough
people are kept free of each book to review the marks on it later.

Whoever checks summaries against a book (judges their units, or rates them) reads that book, and then no longer meets a
summary of it as its readers do: they neither annotate, nor review, nor compare anything of the book afterwards. Before,
they may have: what they answered then is their own, and tells them nothing of what others found. Two things would: a
review, and having been shown who marked what. And whoever judged units of a book no longer rates its summaries at first
sight, nor the reverse, so one person does one of the two on a book, in all studies.

Dealing is greedy by least load. That never leaves a summary short that could be served: books do not compete for
people, and within a book every person who already annotates it can take any other of its summaries.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random


@dataclass(frozen=True)
class Item:
    """A summary (or a comparison of two) that needs people. `weight` is the work: 1, or the marks to review."""

    summary: int
    book: int
    weight: int = 1


@dataclass(frozen=True)
class Person:
    """A member of a study.

    `annotated`, `reviewed`, `compared`, `judged` (units) and `rated` are books, from all studies, with open tasks.
    `annotating` and `comparing` are books of which the person has an open task to annotate a summary, or to compare;
    `seen` are books of which the person was shown who marked what.
    """

    key: int
    annotates: bool = True
    reviews: bool = True
    annotated: frozenset[int] = frozenset()
    reviewed: frozenset[int] = frozenset()
    compares: bool = False
    annotating: frozenset[int] = frozenset()
    compared: frozenset[int] = frozenset()
    seen: frozenset[int] = frozenset()
    judges_units: bool = False
    rates: bool = False
    comparing: frozenset[int] = frozenset()
    judged: frozenset[int] = frozenset()
    rated: frozenset[int] = frozenset()
    #: Work already dealt to this person in this study.
    load: int = 0
    #: Can't log in any more, so gets nothing.
    away: bool = False
    #: Did not pass the study's training, so neither annotates nor reviews.
    untrained: bool = False
    #: Did not pass the study's qualification test, so neither judges units nor rates.
    unqualified: bool = False

    def may_annotate(self, book: int) -> bool:
        return (
            self.annotates
            and not (self.away or self.untrained)
            and book not in self.reviewed | self.seen | self.compared | self.checked
        )

    def may_review(self, book: int) -> bool:
        return (
            self.reviews
            and not (self.away or self.untrained)
            and book not in self.annotated | self.seen | self.compared | self.checked
        )

    def may_compare(self, book: int) -> bool:
        """A comparison comes after the person's annotating of the book, and never with a review of marks on it."""
        known = self.annotating | self.reviewed | self.seen | self.checked
        return self.compares and not self.away and book not in known

    def may_judge_units(self, book: int) -> bool:
        """After the person's own annotating and comparing of the book; never with a review, nor with ratings, of it."""
        return self.judges_units and self._may_check(book) and book not in self.rated

    def may_rate(self, book: int) -> bool:
        """The same, never with judgements of units of the book."""
        return self.rates and self._may_check(book) and book not in self.judged

    @property
    def checked(self) -> frozenset[int]:
        """Books that the person has read, or is to read, to check summaries against them."""
        return self.judged | self.rated

    def _may_check(self, book: int) -> bool:
        known = self.annotating | self.comparing | self.reviewed | self.seen
        return not (self.away or self.unqualified) and book not in known


#: Whether a person may have a task on a book.
May = Callable[[Person, int], bool]


@dataclass(frozen=True)
class Shortage:
    """Summaries that a plan can't serve."""

    #: Fewer people may annotate them than the overlap asks.
    annotators: tuple[int, ...] = ()
    #: Their marks would lack an eligible reviewer, because too few people review or all of them must annotate.
    reviewers: tuple[int, ...] = ()


@dataclass
class _Deal:
    """Tasks dealt so far: load per person, and how many summaries of each book a person has."""

    people: Sequence[Person]
    random: Random
    #: All summaries of a book go to the same people, as far as can be, and not to as many as can be.
    together: bool = False
    load: dict[int, int] = field(default_factory=dict)
    of_book: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))

    def __post_init__(self) -> None:
        self.load = {person.key: person.load for person in self.people}

    def choose(self, item: Item, candidates: Iterable[Person]) -> Person | None:
        """The one who has least of this book (`together`: most), then least to do, then by lot."""
        sign = -1 if self.together else 1
        ranked = [
            (
                sign * self.of_book[person.key, item.book],
                self.load[person.key],
                self.random.random(),
                person.key,
                person,
            )
            for person in candidates
        ]
        if not ranked:
            return None
        person = min(ranked)[-1]
        self.load[person.key] += item.weight
        self.of_book[person.key, item.book] += 1
        return person


@dataclass
class _AnnotatorsOfBook:
    """Who may still be asked to annotate (or compare) a book, so that enough people stay free to review its marks."""

    book: int
    people: Sequence[Person]
    review_overlap: int
    may: May = Person.may_annotate
    #: How many of those who may review the book can be spared for annotating it.
    spare: int = 0
    started: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        reviewers = sum(person.may_review(self.book) for person in self.people)
        self.spare = reviewers - self.review_overlap if self.review_overlap else len(self.people)

    def candidates(self, without: Collection[int]) -> list[Person]:
        return [
            person
            for person in self.people
            if person.key not in without and self.may(person, self.book) and self._can_be_spared(person)
        ]

    def take(self, person: Person) -> None:
        if person.may_review(self.book) and person.key not in self.started:
            self.spare -= 1
        self.started.add(person.key)

    def _can_be_spared(self, person: Person) -> bool:
        return self.spare > 0 or person.key in self.started or not person.may_review(self.book)


def shortage(
    items: Iterable[Item],
    people: Sequence[Person],
    *,
    annotation_overlap: int,
    review_overlap: int,
    may: May = Person.may_annotate,
) -> Shortage:
    """What could not be served if all tasks were dealt to these people now.

    For a book, let A be those who may annotate it and R those who may review it. Of R, |R| - review_overlap can be
    spared to annotate, of A all who are not in R. `review_overlap` 0 means that the study has no review.
    """
    short: dict[str, list[int]] = {"annotators": [], "reviewers": [], "": []}
    verdicts: dict[int, str] = {}
    for item in items:
        if item.book not in verdicts:
            verdicts[item.book] = _shortage_of_book(item.book, people, annotation_overlap, review_overlap, may)
        short[verdicts[item.book]].append(item.summary)
    return Shortage(tuple(short["annotators"]), tuple(short["reviewers"]))


def _shortage_of_book(
    book: int, people: Sequence[Person], annotation_overlap: int, review_overlap: int, may: May
) -> str:
    annotators = [person for person in people if may(person, book)]
    if len(annotators) < annotation_overlap:
        return "annotators"
    spare = _AnnotatorsOfBook(book, people, review_overlap).spare
    both = sum(person.may_review(book) for person in annotators)
    if spare < 0 or len(annotators) - both + min(both, spare) < annotation_overlap:
        return "reviewers"
    return ""


def deal_annotation(
    items: Iterable[Item],
    people: Sequence[Person],
    *,
    overlap: int,
    review_overlap: int,
    taken: Mapping[int, Collection[int]],
    declined: Mapping[int, Collection[int]],
    seed: str,
    may: May = Person.may_annotate,
    together: bool = False,
) -> list[tuple[int, int]]:
    """New annotation tasks as (summary, person). `together`: one person has all summaries of a book, where they can.

    `taken` names the people who already have a summary: together with them no summary gets more than `overlap`.
    `declined` names those who gave it back. Summaries for which nobody is left get fewer.
    """
    deal = _Deal(people, Random(seed), together)
    tasks: list[tuple[int, int]] = []
    for book, summaries in _books_in_random_order(items, deal.random):
        if together:
            deal.of_book.update(Counter((person, book) for item in summaries for person in taken.get(item.summary, ())))
        annotators = _AnnotatorsOfBook(book, people, review_overlap, may)
        for item in summaries:
            has = set(taken.get(item.summary, ()))
            while len(has) < overlap and (
                person := deal.choose(item, annotators.candidates(has.union(declined.get(item.summary, ()))))
            ):
                annotators.take(person)
                has.add(person.key)
                tasks.append((item.summary, person.key))
    return tasks


def deal_review(
    items: Iterable[Item],
    people: Sequence[Person],
    *,
    overlap: int,
    taken: Mapping[int, Collection[int]],
    declined: Mapping[int, Collection[int]],
    seed: str,
) -> list[tuple[int, int]]:
    """New review tasks as (summary, person). An item's weight is its number of marks; large ones are dealt first."""
    deal = _Deal(people, Random(seed))
    shuffled = [item for _, summaries in _books_in_random_order(items, deal.random) for item in summaries]
    tasks: list[tuple[int, int]] = []
    for item in sorted(shuffled, key=lambda item: -item.weight):
        has = set(taken.get(item.summary, ()))
        gone = declined.get(item.summary, ())
        eligible = [person for person in people if person.may_review(item.book) and person.key not in gone]
        while len(has) < overlap and (
            person := deal.choose(item, [person for person in eligible if person.key not in has])
        ):
            has.add(person.key)
            tasks.append((item.summary, person.key))
    return tasks


def why_not_annotate(person: Person, item: Item, *, has: Collection[int], gave_back: Collection[int]) -> str:
    """What kept `deal_annotation` from giving somebody a summary that still lacks people, to follow "2 people"."""
    if person.away:
        return "can't log in any more"
    if person.untrained:
        return "did not pass the training"
    if not person.annotates:
        return "may only review"
    if person.key in has:
        return "took it already"
    if person.key in gave_back:
        return "gave it back"
    if item.book in person.compared:
        return "compared summaries of the book"
    if not person.may_annotate(item.book):
        return "reviewed or saw marks on the book"
    return "must stay free to review the marks on the book"


def why_not_review(person: Person, item: Item, *, has: Collection[int], gave_back: Collection[int]) -> str:
    """What kept `deal_review` from giving somebody a summary whose marks still lack reviewers."""
    if person.away:
        return "can't log in any more"
    if person.untrained:
        return "did not pass the training"
    if not person.reviews:
        return "may only annotate"
    if person.key in has:
        return "took it already"
    if person.key in gave_back:
        return "gave it back"
    if item.book in person.compared:
        return "compared summaries of the book"
    return "annotated a summary of the book or saw its marks"


def why_not_compare(person: Person, item: Item, *, has: Collection[int], gave_back: Collection[int]) -> str:
    """What kept somebody from getting a comparison that still lacks people."""
    if person.away:
        return "can't log in any more"
    if not person.compares:
        return "does not compare"
    if person.key in has:
        return "took it already"
    if person.key in gave_back:
        return "gave it back"
    if item.book in person.annotating:
        return "still has a summary of the book to annotate"
    if not person.may_compare(item.book):
        return "reviewed or saw marks on the book"
    return "must stay free to review the marks on the book"


def why_not_check(person: Person, item: Item, *, units: bool, has: Collection[int], gave_back: Collection[int]) -> str:
    """What kept somebody from judging the units of a summary that still lacks people, or else from rating it."""
    if person.away:
        return "can't log in any more"
    if person.unqualified:
        return "did not pass the qualification test"
    if not (person.judges_units if units else person.rates):
        return "does not judge units" if units else "does not rate"
    if person.key in has:
        return "took it already"
    if person.key in gave_back:
        return "gave it back"
    if item.book in person.annotating | person.comparing:
        return "still has the book to annotate or compare"
    if not (person.may_judge_units(item.book) if units else person.may_rate(item.book)):
        return "reviewed, saw marks on or otherwise checked the book"
    return "must stay free to review the marks on the book"


def shuffled_order(tasks: Iterable[tuple[int, int]], *, seed: str) -> list[tuple[int, int]]:
    """The order in which people meet their tasks: a shuffle that depends on the seed and on who has what alone."""
    order = sorted(tasks)
    Random(seed).shuffle(order)
    return order


def order_by_book(tasks: Iterable[tuple[int, int]], books: Mapping[int, int], *, seed: str) -> list[tuple[int, int]]:
    """The same, with all that a person has of one book after another, so that they have one book in mind at a time."""
    shuffled = shuffled_order(tasks, seed=seed)
    first: dict[tuple[int, int], int] = {}
    for at, (summary, person) in enumerate(shuffled):
        first.setdefault((person, books[summary]), at)
    return sorted(shuffled, key=lambda task: first[task[1], books[task[0]]])


def _books_in_random_order(items: Iterable[Item], random: Random) -> list[tuple[int, list[Item]]]:
    by_book: dict[int, list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.summary):
        by_book[item.book].append(item)
    books = sorted(by_book.items())
    random.shuffle(books)
    for _, summaries in books:
        random.shuffle(summaries)
    return books
