"""People beside one another: what is far, and who may see it."""

import uuid

import pytest
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import AnnotationSet, ReviewDecision, ReviewItem, Study, StudyMember
from scoring.selectors.people import people_beside_others
from scoring.statistics.far import Measured, compare_with_others
from tests.factories import make_annotator, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db


def test_far_is_more_than_three_median_deviations_of_the_others():
    """Others 8, 10, 12: median 10, deviations 2, 0, 2, their median 2. So 16 is not far and 16.5 is."""
    others = {1: Measured(8, 3), 2: Measured(10, 3), 3: Measured(12, 3)}
    assert compare_with_others({**others, 9: Measured(16, 3)})[9].far is False
    found = compare_with_others({**others, 9: Measured(16.5, 3)})[9]
    assert (found.far, found.median, found.others) == (True, 10, 3)


def test_nothing_is_said_of_few_cases_few_others_or_others_who_are_all_alike():
    others = {1: Measured(8, 3), 2: Measured(10, 3), 3: Measured(12, 3)}
    assert compare_with_others({**others, 9: Measured(99, 2)})[9].far is None
    few = {**others, 3: Measured(12, 2), 9: Measured(99, 3)}
    assert (compare_with_others(few)[9].far, compare_with_others(few)[9].others) == (None, 2)
    alike = {key: Measured(10, 3) for key in (1, 2, 3)}
    assert compare_with_others({**alike, 9: Measured(99, 3)})[9].far is None
    assert compare_with_others({9: Measured(99, 3)})[9].median is None


@pytest.fixture
def study():
    return Study.objects.create(name="pilot", title="The pilot", phase="closed")


def annotated(study, person, *marks, seconds=60):
    """One summary of two sentences for each number of marks; returns the sets."""
    sets = []
    for count in marks:
        summary = make_summary()
        study.summaries.add(summary)
        made = make_marks(summary, person, study=study, spans=[[(0, 4)]] * count)
        AnnotationSet.objects.filter(pk=made.pk).update(active_seconds=seconds)
        sets.append(made)
    return sets


def test_marks_minutes_and_precision_of_a_person(study):
    """3 marks on 3 summaries of 2 sentences: 50 per 100. 90 seconds: 1.5 minutes. 2 of 3 decisions uphold: 66.7 %."""
    person = make_annotator()
    sets = annotated(study, person, 1, 2, 0, seconds=90)
    left_out = make_summary()
    study.summaries.add(left_out)
    make_marks(left_out, person, study=study, spans=[[(0, 4)]] * 5, state="skipped")
    reviewer = make_annotator()
    marks = [mark for made in sets for mark in made.annotations.all()]
    for order, (mark, agreement) in enumerate(zip(marks, ["agree", "partial", "disagree"], strict=True)):
        item = ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=mark, order=order)
        ReviewDecision.objects.create(item=item, reviewer=reviewer, agreement=agreement)
    (found,) = people_beside_others(study)
    assert (found.marks.value, found.marks.n) == (50, 3)
    assert (found.minutes.value, found.minutes.n) == (1.5, 3)
    assert (round(found.precision.value, 4), found.precision.n) == (0.6667, 3)


def test_the_page_names_the_rule_and_marks_who_is_far(client, study):
    """Others make 1, 2 and 3 marks on each of three summaries of two sentences; one makes 12."""
    for number in (1, 2, 3, 12):
        annotated(study, make_annotator(), number, number, number)
    client.force_login(make_user("researcher"))
    response = client.get(reverse("scoring:people", args=["pilot"]))
    body = response.content.decode()
    assert [person.marks.far for person in response.context["people"]] == [False, False, False, True]
    assert body.count(">Far</span>") == 1
    assert "more than 3 median absolute deviations" in body


def test_neither_annotators_nor_the_blind_see_it(client, study):
    address = reverse("scoring:people", args=["pilot"])
    client.force_login(make_user())
    assert client.get(address).status_code == 403
    study.summaries.add(make_summary())
    Study.objects.update(phase="annotating")
    blind = make_user("researcher")
    StudyMember.objects.create(study=study, annotator=annotator_of(blind), reviews=True)
    client.force_login(blind)
    assert client.get(address).status_code == 403


def test_the_number_of_queries_does_not_grow(study, django_assert_max_num_queries):
    for _ in range(6):
        annotated(study, make_annotator(), 1, 2)
    with django_assert_max_num_queries(5):
        people_beside_others(study)
