"""Every page of figures with nothing, one and two of everything: none breaks, and none shows a figure of nothing."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from annotation.faithfulness.plans import create_plan
from annotation.models import Annotation, Comparison, ComparisonAnswer, FaithfulnessPlan, ReviewDecision, ReviewItem
from summarizer.models import Summary
from tests.factories import make_annotator, make_pair, make_user
from tests.scoring.test_faithfulness import judged, rated
from tests.scoring.test_report import add_judge, add_set, add_verdicts, make_study

pytestmark = pytest.mark.django_db

TEXT = "Emma left. Rolf stayed. Snow fell."
PAGES = ("dashboard", "judge-and-people", "faithfulness", "study-report", "marks", "answers", "people")


def study_with(*, books=0, systems=1, people=0, judges=0, reviewers=0, comparing=0, checking=0):
    """Everybody does everything there is to do; each person marks one sentence of three, each judge another."""
    study, _ = make_study()
    of_book = [make_pair(TEXT, TEXT, title=f"Book {number}")[:systems] for number in range(books)]
    for pair in of_book[1:]:
        for summary, first in zip(pair, of_book[0], strict=True):
            Summary.objects.filter(pk=summary.pk).update(system=first.system)
    summaries = [summary for pair in of_book for summary in pair]
    study.summaries.set(summaries)
    sets = [make_annotator() for _ in range(people)]
    machines = [add_judge(study, model=f"m{number}", mode="sentence") for number in range(judges)]
    for summary in summaries:
        for person in sets:
            add_set(study, summary, [(0, 4)], annotator=person)
        for judge in machines:
            add_verdicts(judge, summary, ["clean", "confused", "clean"])
    for act, times in ((review, reviewers), (compare, comparing)):
        for _ in range(times):
            act(study)
    if checking:
        check(study, checking)
    return study


def compare(study):
    person = make_annotator()
    summaries = list(study.summaries.order_by("pk"))
    for first, second in zip(summaries[::2], summaries[1::2], strict=True):
        pair, _ = Comparison.objects.get_or_create(study=study, first=first, second=second)
        ComparisonAnswer.objects.create(comparison=pair, annotator=person, question="detail", answer="first")


def check(study, people):
    create_plan(study=study, fine_overlap=people, coarse_overlap=people)
    FaithfulnessPlan.objects.update(state="closed")
    for _ in range(people):
        fine, coarse = make_annotator(), make_annotator()
        for summary in study.summaries.all():
            judged(study, summary, fine, (True, False))
            rated(study, summary, coarse, 4)


def review(study):
    reviewer = make_annotator()
    for order, mark in enumerate(Annotation.objects.order_by("pk")):
        item, _ = ReviewItem.objects.get_or_create(
            study=study, annotation=mark, defaults={"key": uuid4(), "order": order}
        )
        ReviewDecision.objects.create(item=item, reviewer=reviewer, agreement="agree")


@pytest.mark.parametrize(
    "amounts",
    [
        {},
        {"books": 1},
        {"books": 1, "people": 1},
        {"books": 1, "judges": 1},
        {"books": 1, "people": 1, "judges": 1, "reviewers": 1, "checking": 1},
        {"books": 1, "systems": 2, "comparing": 1},
        {"books": 1, "systems": 2, "people": 2, "judges": 2, "reviewers": 2, "comparing": 2, "checking": 2},
        {"books": 2, "systems": 2, "people": 1, "judges": 1, "reviewers": 1, "comparing": 1, "checking": 1},
    ],
    ids=lambda amounts: ", ".join(f"{count} {name}" for name, count in amounts.items()) or "nothing",
)
def test_pages_of_figures(client, amounts):
    study = study_with(**amounts)
    client.force_login(make_user("researcher"))
    addresses = [reverse(f"scoring:{name}", args=["own"]) for name in PAGES]
    addresses += [
        reverse("scoring:book-marks", args=["own", book]) for book in study.summaries.values_list("book", flat=True)
    ]
    for address in addresses:
        response = client.get(address)
        assert response.status_code == 200, address
        shown = words_of(response.content.decode())
        assert not re.search(r"\b(nan|None(?! yet)|inf|Infinity)\b", shown), address
        if amounts.get("books", 0) < 2:
            # Of one book there is no interval over books, so none of no width either.
            assert not re.search(r"\b(\d+\.\d)–\1, n ", shown), address


def words_of(page):
    """What is read: without scripts, tags and pictures."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", page)
