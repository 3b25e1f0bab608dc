"""Imported marks whose text occurs more than once are placed by hand."""

import pytest
from django.urls import reverse

from annotation.models import Annotation, AnnotationSet, MarksSeen, Study
from booookweb.models import Role
from tests.factories import make_annotator, make_marks, make_summary, make_user

pytestmark = pytest.mark.django_db

#: "Emma" at 0, 17 and 34; "Rolf stays." at 5 and 22.
TEXT = "Emma Rolf stays. Emma Rolf stays. Emma."


@pytest.fixture
def study():
    study = Study.objects.create(name="paper", title="Paper", phase=Study.Phase.CLOSED)
    study.summaries.add(make_summary(TEXT))
    return study


@pytest.fixture
def mark(study):
    """A mark on the first "Emma", to be placed by hand."""
    return make_mark(study, (0, 4))


@pytest.fixture
def researcher(client):
    client.force_login(make_user(Role.RESEARCHER))
    return client


def make_mark(study, *spans, flags=("span occurs 3 times", "place by hand")):
    marks = make_marks(study.summaries.get(), make_annotator(), spans=[spans], study=study)
    mark = marks.annotations.get()
    mark.flags = list(flags)
    mark.save()
    return mark


def place(client, mark, *starts, version=None):
    address = reverse("annotation:mark-place", args=["paper", mark.pk])
    spans = {f"span-{index}": start for index, start in enumerate(starts)}
    return client.post(address, {"version": mark.version if version is None else version, **spans})


def spans(mark):
    return list(Annotation.objects.get(pk=mark.pk).spans.values_list("start", "end", "quote"))


def test_the_study_leads_to_the_first_mark_that_waits_with_all_its_places(researcher, study, mark):
    page = researcher.get(reverse("annotation:study", args=["paper"])).content.decode()
    assert "1 imported mark stands on text that occurs more than once" in page
    response = researcher.get(reverse("annotation:study-places", args=["paper"]), follow=True)
    assert response.redirect_chain == [(reverse("annotation:mark-place", args=["paper", mark.pk]), 302)]
    page = response.content.decode()
    assert [page.count(f'value="{start}"') for start in (0, 17, 34)] == [1, 1, 1]
    assert MarksSeen.objects.filter(summary=study.summaries.get()).exists()


def test_a_placed_mark_stands_and_counts_there_and_can_be_placed_again(researcher, study, mark):
    assert place(researcher, mark, 17).status_code == 302
    stored = Annotation.objects.get(pk=mark.pk)
    assert spans(mark) == [(17, 21, "Emma")]
    assert stored.flags == ["span occurs 3 times", "placed by hand"]
    assert stored.version > mark.version
    page = researcher.get(reverse("annotation:study-places", args=["paper"])).content.decode()
    assert "All 1 mark whose text occurs more than once has its place" in page
    assert place(researcher, stored, 34).status_code == 302
    assert spans(mark) == [(34, 38, "Emma")]


def test_a_repeated_send_changes_nothing_and_another_s_choice_is_not_written_over(researcher, mark):
    place(researcher, mark, 17)
    version = Annotation.objects.get(pk=mark.pk).version
    assert place(researcher, mark, 17).status_code == 302
    assert Annotation.objects.get(pk=mark.pk).version == version
    response = place(researcher, mark, 34)
    assert (response.status_code, "Somebody placed this mark" in response.content.decode()) == (409, True)
    assert spans(mark) == [(17, 21, "Emma")]


@pytest.mark.parametrize("starts", [[], ["5"], ["-1"], ["x"], ["²"], ["9" * 30], ["9" * 5000]])
def test_only_places_of_the_text_are_taken(researcher, mark, starts):
    response = place(researcher, mark, *starts)
    assert (response.status_code, "does not stand at the place" in response.content.decode()) == (409, True)
    assert spans(mark) == [(0, 4, "Emma")]
    assert AnnotationSet.objects.get(annotations=mark).version == mark.annotation_set.version


def test_a_version_that_is_none_is_refused(researcher, mark):
    assert place(researcher, mark, 17, version="9" * 5000).status_code == 409
    assert spans(mark) == [(0, 4, "Emma")]


def test_both_spans_of_a_relation_are_placed_apart(researcher, study):
    mark = make_mark(study, (5, 16), (5, 16), flags=["place by hand", "both spans are the same"])
    refused = place(researcher, mark, 5, 5)
    assert "can&#x27;t be the same place" in refused.content.decode()
    assert place(researcher, mark, 22, 5).status_code == 302
    assert [start for start, _, _ in spans(mark)] == [22, 5]
    assert Annotation.objects.get(pk=mark.pk).flags == ["placed by hand"]


def test_nothing_to_place_says_what_the_page_is_for(researcher, study):
    make_mark(study, (0, 4), flags=[])
    page = researcher.get(reverse("annotation:study-places", args=["paper"])).content.decode()
    assert "Nothing to place here" in page
    assert "Place it by hand" not in researcher.get(reverse("annotation:study", args=["paper"])).content.decode()


def test_a_mark_of_another_study_or_without_the_flag_is_not_found(researcher, study, mark):
    Study.objects.create(name="other", title="Other")
    assert researcher.get(reverse("annotation:mark-place", args=["other", mark.pk])).status_code == 404
    plain = make_mark(study, (17, 21), flags=[])
    assert place(researcher, plain, 0).status_code == 404
    assert spans(plain) == [(17, 21, "Emma")]


def test_marks_under_blind_review_are_not_shown(researcher, study, mark):
    Study.objects.update(phase=Study.Phase.REVIEWING)
    assert researcher.get(reverse("annotation:study-places", args=["paper"])).status_code == 403
    assert place(researcher, mark, 17).status_code == 403
    assert spans(mark) == [(0, 4, "Emma")]
