"""Rounds of comparisons: setting them up, who gets what, on which side, and never too many people."""

from collections import Counter

import pytest
from django.urls import reverse

from annotation.assignment import Item, Person, deal_annotation, shortage
from annotation.comparison_questions import DEFAULT_QUESTIONS, Question
from annotation.models import Assignment, Comparison, ComparisonRound, ComparisonSheet
from annotation.selectors.comparisons import round_problems
from annotation.services.comparison_rounds import (
    add_pair,
    add_pairs_of_systems,
    create_round,
    open_round,
    questions_of,
    set_questions,
)
from annotation.services.marks import annotation_set_of, reopen_annotation_set, submit_annotation_set
from annotation.services.studies import (
    StudyError,
    add_member,
    add_summaries,
    create_study,
    fill_free_tasks,
    open_annotating,
    remove_member,
)
from annotation.sides import Shown, deal_sides
from booookweb.models import Role
from tests.at_once import at_once
from tests.factories import make_annotator, make_pair, make_round, make_summary, make_user

pytestmark = pytest.mark.django_db


def pairs_of_two_systems(count):
    pairs = [make_pair() for _ in range(count)]
    for pair in pairs[1:]:
        for summary, like in zip(pair, pairs[0], strict=True):
            summary.system = like.system
            summary.save()
    return pairs


# --- setting up -----------------------------------------------------------------------------------------------------


def test_two_systems_are_paired_on_every_book_that_has_both():
    pairs = pairs_of_two_systems(3)
    asked_in = make_round(*pairs[:1])
    add_summaries(study=asked_in.study, summaries=[*pairs[1], *pairs[2], make_summary()])
    one, other = (summary.system for summary in pairs[0])
    assert add_pairs_of_systems(asked_in=asked_in, one=other, other=one) == 2
    assert {(pair.first, pair.second) for pair in Comparison.objects.all()} == {tuple(pair) for pair in pairs}
    with pytest.raises(StudyError, match="two different systems"):
        add_pairs_of_systems(asked_in=asked_in, one=one, other=one)


def test_odd_pairs_are_refused():
    (one, other), (third, _) = make_pair(), make_pair()
    asked_in = make_round((one, other))
    add_summaries(study=asked_in.study, summaries=[third])
    with pytest.raises(StudyError, match="of one book"):
        add_pair(asked_in=asked_in, one=one, other=third)
    asked_in.study.summaries.remove(other)
    with pytest.raises(StudyError, match="in the study"):
        add_pair(asked_in=asked_in, one=one, other=other)


def test_a_round_begins_with_the_published_questions_and_the_next_one_with_those_of_the_last():
    asked_in = make_round(make_pair())
    assert questions_of(asked_in) == list(DEFAULT_QUESTIONS)
    own = [Question("fun", "Which is more fun?")]
    set_questions(asked_in=asked_in, questions=own)
    assert questions_of(create_round(study=asked_in.study, name="second")) == own


@pytest.mark.parametrize(
    ("questions", "why"),
    [
        ([], "at least one"),
        ([Question("a-first", "Well?")], "ends like"),
        ([Question("a b", "Well?")], "can't name"),
        ([Question("x", "Well?"), Question("x", "Well?")], "Two questions"),
        ([Question("x", "  ")], "or empty its short name too"),
        ([Question("x", "w" * 301)], "in at most 300 characters"),
        ([Question("", "Well?")], "Give the question “Well[?]” a short name"),
        ([Question("x", "Well?", required=False)], "has to be required"),
    ],
)
def test_odd_questions_are_refused(questions, why):
    with pytest.raises(StudyError, match=why):
        set_questions(asked_in=make_round(make_pair()), questions=questions)


def test_an_open_round_keeps_its_pairs_and_questions():
    pair = make_pair()
    asked_in = make_round(pair, members=[make_annotator()])
    open_round(asked_in=asked_in)
    with pytest.raises(StudyError, match="its questions stay as people read them"):
        set_questions(asked_in=asked_in, questions=[Question("x", "Well?")])
    with pytest.raises(StudyError, match="only before the round opens"):
        add_pair(asked_in=asked_in, one=pair[0], other=pair[1])


# --- designs that can't work ----------------------------------------------------------------------------------------


def test_a_round_with_too_few_people_is_refused_in_words():
    asked_in = make_round(make_pair(title="The Mill"), overlap=2, members=[make_annotator()])
    assert round_problems(asked_in)[0].startswith("1 pair has fewer than 2 people who may compare: The Mill (")
    with pytest.raises(StudyError, match="fewer than 2 people"):
        open_round(asked_in=asked_in)
    assert not Assignment.objects.exists()


def annotating_study(*, annotators, summaries, review_overlap=0, compares=True):
    study = create_study(name="mixed", review_overlap=review_overlap)
    add_summaries(study=study, summaries=summaries)
    for person in annotators:
        add_member(study=study, annotator=person, reviews=review_overlap > 0, compares=compares)
    return study


def test_a_comparison_comes_after_the_persons_annotating_of_the_book():
    person, pair = make_annotator(), make_pair()
    study = annotating_study(annotators=[person], summaries=pair)
    asked_in = create_round(study=study, name="formal")
    add_pair(asked_in=asked_in, one=pair[0], other=pair[1])
    assert "so open annotating first" in round_problems(asked_in)[0]
    open_annotating(study=study)
    asked_in.refresh_from_db()
    asked_in.study.refresh_from_db()
    assert "while they still have one of it to annotate" in round_problems(asked_in)[0]
    for task in study.assignments.order_by("order"):
        submit_annotation_set(annotation_set=annotation_set_of(task), nothing_found=True)
    open_round(asked_in=asked_in)
    assert study.assignments.filter(task="compare", annotator=person).count() == 1
    with pytest.raises(Exception, match="given summaries of this book to compare"):
        reopen_annotation_set(annotation_set=annotation_set_of(study.assignments.filter(task="annotate")[0]))


def test_enough_people_stay_free_to_review_the_marks():
    pair = make_pair()
    study = annotating_study(annotators=[make_annotator(), make_annotator()], summaries=pair[:1], review_overlap=1)
    study.summaries.add(pair[1])
    open_annotating(study=study)
    for task in study.assignments.all():
        submit_annotation_set(annotation_set=annotation_set_of(task), nothing_found=True)
    asked_in = create_round(study=study, name="formal", overlap=2)
    add_pair(asked_in=asked_in, one=pair[0], other=pair[1])
    assert "would leave too few people to review" in round_problems(asked_in)[0]


def test_whoever_compared_a_book_annotates_and_reviews_nothing_of_it():
    person = Person(1, compares=True, compared=frozenset({7}))
    assert not person.may_annotate(7)
    assert not person.may_review(7)
    assert person.may_compare(7)  # another pair of it
    assert person.may_annotate(8)
    assert not Person(1, compares=True, reviewed=frozenset({7})).may_compare(7)
    assert not Person(1, compares=True, annotating=frozenset({7})).may_compare(7)
    assert Person(1, compares=True, annotated=frozenset({7})).may_compare(7)


def test_the_strategy_serves_comparisons_with_the_same_rules():
    people = [Person(1, annotates=False, reviews=False, compares=True), Person(2, compares=True)]
    items = [Item(10, 100), Item(11, 101)]
    short = shortage(items, people, annotation_overlap=2, review_overlap=1, may=Person.may_compare)
    assert short.reviewers == (10, 11)  # person 2 must stay free to review
    dealt = deal_annotation(
        items, people, overlap=1, review_overlap=1, taken={}, declined={}, seed="x", may=Person.may_compare
    )
    assert sorted(dealt) == [(10, 1), (11, 1)]


# --- who gets what --------------------------------------------------------------------------------------------------


def test_pairs_are_dealt_fairly_and_sides_are_balanced_over_people():
    people = [make_annotator() for _ in range(4)]
    asked_in = make_round(*pairs_of_two_systems(6), overlap=2, members=people)
    open_round(asked_in=asked_in)
    tasks = Assignment.objects.filter(task="compare")
    assert sorted(Counter(tasks.values_list("comparison", flat=True)).values()) == [2] * 6
    assert set(Counter(tasks.values_list("annotator", flat=True)).values()) == {3}
    for pair in asked_in.comparisons.all():
        sides = ComparisonSheet.objects.filter(assignment__comparison=pair).values_list("first_is_a", flat=True)
        assert sorted(sides) == [False, True]


@pytest.mark.parametrize("seed", ["a", "b", "c", "d"])
def test_with_one_person_a_pair_the_sides_of_each_person_differ_by_at_most_one(seed):
    shown = [Shown(pair, pair % 3, 1, 2) for pair in range(15)]
    sides = deal_sides(shown, [], seed=seed)
    for person in range(3):
        lefts = sum(side for each, side in zip(shown, sides, strict=True) if each.person == person)
        assert lefts in (2, 3)  # of five
    assert sum(sides) in (7, 8)


def test_sides_dealt_before_are_evened_out():
    earlier = [(Shown(1, 1, 8, 9), True)]
    assert deal_sides([Shown(1, 2, 8, 9)], earlier, seed="x") == [False]
    assert deal_sides([Shown(2, 1, 9, 8)], earlier, seed="x") == [True]  # system 9 was on the right


def test_a_comparison_of_a_person_who_leaves_goes_to_another():
    stays, leaves = make_annotator(), make_annotator()
    asked_in = make_round(*pairs_of_two_systems(4), members=[stays, leaves])
    open_round(asked_in=asked_in)
    remove_member(study=asked_in.study, member=asked_in.study.members.get(annotator=leaves))
    held = Assignment.objects.exclude(state="skipped")
    assert Counter(held.values_list("annotator", flat=True)) == {stays.pk: 4}


@pytest.mark.django_db(transaction=True)
def test_no_pair_gets_more_people_than_asked_when_many_ask_at_once():
    asked_in = make_round(*pairs_of_two_systems(3), overlap=2, members=[make_annotator() for _ in range(2)])
    open_round(asked_in=asked_in)
    newcomers = [make_annotator() for _ in range(3)]
    leaver = asked_in.study.members.order_by("pk").first()

    def join(person):
        add_member(study=asked_in.study, annotator=person, annotates=False, reviews=False, compares=True)

    at_once(
        [
            *(lambda person=person: join(person) for person in newcomers),
            lambda: remove_member(study=asked_in.study, member=leaver),
            *[lambda: fill_free_tasks(study=asked_in.study)] * 2,
        ]
    )
    held = Assignment.objects.exclude(state="skipped")
    assert set(Counter(held.values_list("comparison", flat=True)).values()) == {2}
    assert not held.filter(annotator=leaver.annotator).exists()


# --- the pages ------------------------------------------------------------------------------------------------------


@pytest.fixture
def researcher(client):
    client.force_login(make_user(Role.RESEARCHER))
    return client


def test_a_researcher_sets_a_round_up_and_opens_it(researcher):
    study = create_study(name="pilot")
    pairs = pairs_of_two_systems(2)
    add_summaries(study=study, summaries=[summary for pair in pairs for summary in pair])
    person = make_annotator()
    add_member(study=study, annotator=person, annotates=False, reviews=False, compares=True)
    of_study = reverse("annotation:study", args=["pilot"])
    told = researcher.get(of_study).content.decode()
    assert "Everybody in this study only compares so far." in told
    assert "1 who compares" in told
    assert "0 who annotate" not in told
    list_page = reverse("annotation:study-comparisons", args=["pilot"])
    assert "2 books of this study have summaries" in researcher.get(list_page).content.decode()
    researcher.post(list_page, {"name": "formal", "overlap": "1"})
    asked_in = ComparisonRound.objects.get()
    page = reverse("annotation:comparison-round", args=["pilot", asked_in.pk])
    assert "The round has no pairs yet" in researcher.get(page).content.decode()
    one, other = (summary.system_id for summary in pairs[0])
    researcher.post(page, {"action": "systems", "one": one, "other": other})
    assert asked_in.comparisons.count() == 2
    researcher.post(page, {"action": "remove", "pair": [asked_in.comparisons.first().pk]})
    researcher.post(page, {"action": "pair", "summary": [summary.pk for summary in pairs[0]]})
    assert asked_in.comparisons.count() == 2
    lines = {"question-TOTAL_FORMS": "2", "question-INITIAL_FORMS": "0"}
    for number, (words, key, kind) in enumerate((("Which one?", "which", "choice"), ("Left out?", "gap", "each"))):
        values = {"words": words, "key": key, "kind": kind, "asks_comment": "on", "required": "on"}
        lines |= {f"question-{number}-{name}": value for name, value in values.items()}
    researcher.post(page, {"action": "questions", **lines})
    assert questions_of(asked_in) == [Question("which", "Which one?"), Question("gap", "Left out?", "each")]
    assert "Open the round" in researcher.get(page).content.decode()
    researcher.post(page, {"action": "open"})
    asked_in.refresh_from_db()
    assert asked_in.state == "open"
    assert Assignment.objects.filter(annotator=person).count() == 2
    assert "0 of 2" in researcher.get(list_page).content.decode()
    told = researcher.get(of_study).content.decode()
    assert "0 of 2 tasks submitted" in told
    assert '<li aria-current="step">Comparing</li>' in told
    for listing in ("annotation:studies", "home"):
        assert ">Comparing</span>" in researcher.get(reverse(listing)).content.decode()
    researcher.post(page, {"action": "close"})
    assert set(Assignment.objects.values_list("state", flat=True)) == {"skipped"}


def test_what_can_not_be_done_is_said_on_the_page(researcher):
    asked_in = make_round(make_pair())
    page = reverse("annotation:comparison-round", args=[asked_in.study.name, asked_in.pk])
    for data, words in (
        ({"action": "open"}, "Nobody compares yet"),
        ({"action": "pair", "summary": []}, "exactly two"),
        ({"action": "nonsense"}, "This form is incomplete"),
        ({"action": "overlap", "overlap": "0"}, "from 1 to"),
    ):
        assert words in researcher.post(page, data, follow=True).content.decode()
