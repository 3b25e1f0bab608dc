"""The alternative annotator test, recall and the order of systems, from marks to report and page; by hand."""

import re
import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from scipy.stats import ttest_1samp

from annotation.models import ReviewDecision, ReviewItem
from scoring.statistics.ranking import books_needed
from summarizer.models import Summary
from tests.factories import make_annotator, make_user
from tests.scoring.test_judge_and_people import TEXT, mark, verdicts
from tests.scoring.test_report import add_judge, add_set, add_verdicts, make_study, report, strict

pytestmark = pytest.mark.django_db


def agreement(**options):
    output = StringIO()
    call_command("report", "own", stdout=output, **options)
    return strict(output.getvalue())["agreement"]


# --- alternative annotator test -------------------------------------------------------------------------------------


def study_of_three(books=6, people=3):
    """On each book everybody, and the judge, marks the first of four sentences; on one more nobody marks anything."""
    study, summaries = make_study(*[TEXT] * (books + 1))
    judge = add_judge(study, model="m", mode="sentence")
    everybody = [make_annotator() for _ in range(people)]
    for number, summary in enumerate(summaries):
        marked = [0] if number < books else []
        for person in everybody:
            mark(study, summary, person, *marked)
        add_verdicts(judge, summary, verdicts(*marked))
    return study


def test_a_judge_that_marks_what_people_mark_may_replace_them():
    study_of_three()
    of_judge, clean = agreement(epsilon=0.1)["alternative_annotator_test"]
    assert (of_judge["judge"], of_judge["summaries"], of_judge["epsilon"]) == ("m", 7, 0.1)
    # Six ties: every sign is minus, so p = 1/64; three equal p by Benjamini and Yekutieli: times 1 + 1/2 + 1/3.
    for person in of_judge["people"]:
        assert (person["books"], person["judge"], person["human"]) == (6, 1.0, 1.0)
        assert person["p_adjusted"] == pytest.approx(11 / 6 / 64)
        assert person["beaten"] is True
    assert (of_judge["winning_rate"], of_judge["advantage_probability"]["value"], of_judge["passes"]) == (1, 1, True)
    assert of_judge["books_left_out"] == 3
    # Whoever marks nothing agrees on three of four sentences, and wins nothing.
    assert (clean["judge"], clean["winning_rate"], clean["passes"]) == ("always clean", 0, False)
    assert clean["advantage_probability"]["value"] == 0


def test_five_books_are_too_few_for_three_people():
    study_of_three(books=5)
    of_judge = agreement(epsilon=0.1)["alternative_annotator_test"][0]
    assert of_judge["people"][0]["p_adjusted"] == pytest.approx(11 / 6 / 32)
    assert of_judge["winning_rate"] == 0


def test_scores_are_kappa_with_the_others_pooled():
    study, [summary] = make_study(TEXT)
    ada, ben, cleo = (make_annotator() for _ in range(3))
    mark(study, summary, ada, 0, 1)
    mark(study, summary, ben, 0)
    mark(study, summary, cleo, 0, 3)
    add_verdicts(add_judge(study, model="m", mode="sentence"), summary, verdicts(3))
    people = {each["person"]: each for each in agreement()["alternative_annotator_test"][0]["people"]}
    # Ada left out: Ben and Cleo have 2 0 0 1 marks of two. The judge (3): both 1, others 2, judge 1, neither 4: kappa
    # 2 (4 - 2) / (3 * 6 + 2 * 5) > 0. Ada (0, 1): both 2, 1, 2, 3: 2 (6 - 2) / (3 * 4 + 4 * 5). 0.14 against 0.25.
    assert (people[ada.pseudonym]["judge"], people[ada.pseudonym]["human"]) == (0, 1)
    # Cleo left out: others 2 1 0 0. The judge shares nothing, so the book is Cleo's.
    assert (people[cleo.pseudonym]["judge"], people[cleo.pseudonym]["human"]) == (0, 1)


def test_two_people_are_too_few():
    study_of_three(people=2)
    for each in agreement()["alternative_annotator_test"]:
        assert (each["winning_rate"], each["passes"], each["people"]) == (None, None, [])
        assert "at least three people" in each["reason"]
        assert "at least three people" in each["advantage_probability"]["reason"]


# --- recall ---------------------------------------------------------------------------------------------------------


def review(study, annotation_set, agreements):
    """Decisions on the marks of a set in the order of the text; None for none."""
    for annotation, given in zip(annotation_set.annotations.order_by("pk"), agreements, strict=True):
        order = ReviewItem.objects.count()
        item = ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=annotation, order=order)
        for reviewer, each in enumerate(given or []):
            ReviewDecision.objects.create(item=item, reviewer=REVIEWERS[reviewer], agreement=each)


REVIEWERS = []
LONG = " ".join(f"S{number:02}." for number in range(20))


def places(*positions):
    return [(5 * position, 5 * position + 4) for position in positions]


@pytest.fixture
def reviewed():
    """Ada's upheld marks are on sentences 0 to 9, Ben's on 3 to 13, the judge's on 0 to 7."""
    REVIEWERS[:] = [make_annotator() for _ in range(3)]
    study, [summary] = make_study(LONG)
    # Of three reviewers two disagree on Ada's last mark, and nobody decided on Ben's.
    review(
        study, add_set(study, summary, places(*range(10), 19)), [["agree"]] * 10 + [["agree", "disagree", "disagree"]]
    )
    review(study, add_set(study, summary, places(*range(3, 14), 18)), [["partial"]] * 11 + [None])
    judge = add_judge(study, model="m", mode="sentence")
    add_verdicts(judge, summary, ["confused" if index < 8 else "clean" for index in range(20)])
    of_judge = judge.annotation_sets.get()
    for position, annotation in enumerate(of_judge.annotations.order_by("pk")):
        annotation.spans.create(**dict(zip(("start", "end"), places(position)[0], strict=True)), quote="S.")
    review(study, of_judge, [["agree"]] * 8)
    return study


def test_recall_by_chapman_and_chao(reviewed):
    recall = agreement()["recall"]
    assert (recall["decisions"], recall["undecided"]) == (32, 1)
    people, with_judge, everybody = recall["estimates"]
    # 10 and 11, 7 of them twice: 11 * 12 / 8 - 1 = 15.5, of which 14 were found.
    assert (people["sources"], people["found"], people["found_again"]) == ("two people a summary", 14, 7)
    assert people["total"]["value"] == pytest.approx(15.5)
    assert people["missed"] == pytest.approx(1.5)
    assert people["recall"]["value"] == pytest.approx(14 / 15.5)
    assert people["recall_of"]["one person, on average"]["value"] == pytest.approx(10.5 / 15.5)
    assert people["total"]["ci95_as_independent"][0] > 14
    assert people["warning"] is None
    # The judge's 8 are all among people's 14: 15 * 9 / 9 - 1 = 14.
    assert (with_judge["total"]["value"], with_judge["missed"]) == (pytest.approx(14), pytest.approx(0))
    assert with_judge["recall_of"]["m"]["value"] == pytest.approx(8 / 14)
    assert "paired with a judge" in with_judge["warning"]
    # Three sources: once 10 to 13, twice 0 to 2, 8 and 9: 14 + 2/3 * 4 * 3 / (2 * 6).
    assert (everybody["method"], everybody["found"]) == ("Chao, a lower bound", 14)
    assert everybody["total"]["value"] == pytest.approx(14 + 2 / 3)


def test_without_a_review_there_is_no_recall():
    study_of_three()
    recall = agreement()["recall"]
    assert recall["estimates"] is None
    assert "no decisions of reviewers" in recall["reason"]


def test_few_sentences_found_twice_are_no_estimate(reviewed):
    ReviewDecision.objects.filter(agreement="partial").first().delete()
    people = agreement()["recall"]["estimates"][0]
    assert people["total"]["value"] is None
    assert "at least seven" in people["total"]["reason"]
    assert people["missed"] is None


# --- order of systems -----------------------------------------------------------------------------------------------


@pytest.fixture
def three_systems():
    """Scores of people: 1, 1; 0.75, 0.5; 0.5, 0.5. Of the judge: 1, 1; 0.5, 0.5; 0.75, 0.75."""
    study, summaries = make_study(*[TEXT] * 6)
    ada, judge = make_annotator(), add_judge(study, model="m", mode="sentence")
    by_people, by_judge = [0, 0, 1, 2, 2, 2], [0, 0, 2, 2, 1, 1]
    for number, summary in enumerate(summaries):
        system, book = summaries[number // 2 * 2], summaries[number % 2]
        Summary.objects.filter(pk=summary.pk).update(book=book.book, system_id=system.system_id)
    for number, (summary, people, judged) in enumerate(zip(summaries, by_people, by_judge, strict=True)):
        system = Summary.objects.get(pk=summary.pk).system
        system.name = "ABC"[number // 2]
        system.save()
        mark(study, summary, ada, *range(people))
        add_verdicts(judge, summary, verdicts(*range(judged)))
    return study


def test_the_order_of_systems(three_systems):
    [order] = agreement()["ranking"]["orders"]
    assert [(each["system"], each["human"], each["judge"]) for each in order["systems"]] == [
        ("A", 1.0, 1.0),
        ("B", 0.625, 0.5),
        ("C", 0.5, 0.75),
    ]
    # Of three pairs one is turned round. In resamples of the second book alone people have B and C tied: 2 / sqrt(6).
    assert order["kendall_tau_b"]["value"] == pytest.approx(1 / 3)
    assert order["kendall_tau_b"]["ci95"] == [pytest.approx(1 / 3), pytest.approx(2 / 6**0.5)]


def test_which_systems_differ_and_what_would_show_it(three_systems):
    people, judge = agreement(difference=0.1)["ranking"]["differences"]
    assert (people["source"], judge["source"]) == ("human", "m")
    of_a_and_b, of_a_and_c, of_b_and_c = people["pairs"]
    p = ttest_1samp([0.25, 0.5], 0).pvalue
    assert (of_a_and_b["systems"], of_a_and_b["books"], of_a_and_b["p"]) == (["A", "B"], 2, pytest.approx(p))
    # B and C: 0.25 and 0. A and C differ by the same on both books, so two tests are corrected for.
    assert of_a_and_b["p_holm"] == pytest.approx(2 * p)
    assert of_a_and_b["differs"] is False
    assert (of_a_and_c["p"], of_a_and_c["difference"]["value"]) == (None, 0.5)
    assert "no test" in of_a_and_c["reasons"]["p"]
    deviation = 0.25 / 2**0.5
    assert of_a_and_b["books_needed"] == of_b_and_c["books_needed"] == books_needed(0.1 / deviation, 0.05 / 2)


def test_odd_options_are_refused_in_words():
    make_study(TEXT)
    for option, value in (("epsilon", 1.0), ("epsilon", -0.1), ("epsilon", float("nan")), ("difference", 0.0)):
        with pytest.raises(CommandError, match=f"--{option}"):
            agreement(**{option: value})
    assert report("own")["agreement"]["ranking"]["stated_difference"] is None


# --- page -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def page(client):
    client.force_login(make_user("researcher"))

    def get(**query):
        response = client.get(reverse("scoring:judge-and-people", args=["own"]), query)
        assert response.status_code == 200
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))

    return get


def test_the_page_tests_with_the_epsilon_that_is_chosen(page):
    study_of_three()
    assert "One-sided at 0.05, epsilon 0.15" in page()
    assert "One-sided at 0.05, epsilon 0.2;" in page(epsilon="0.2")
    for odd in ("1", "-1", "nan", "much"):
        assert "One-sided at 0.05, epsilon 0.15" in page(epsilon=odd)
    assert "No estimate. This study has no decisions of reviewers yet" in page()


def test_the_page_says_how_many_books_a_difference_needs(page, three_systems):
    assert "Books for" not in page()
    assert "Books for 10 points" in page(points="10")
    assert "Books for" not in page(points="0")
    assert "0.333" in page()


def test_the_page_shows_recall_with_its_warning(page, reviewed):
    shown = page()
    assert "Two people a summary" in shown
    assert "A person is paired with a judge" in shown
    assert "at least three people" in shown
