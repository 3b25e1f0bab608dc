"""The eight error types: complete, made once, and with a colour that the style sheet knows."""

from pathlib import Path

import pytest
from django.db.models import ProtectedError

from annotation.error_types import ERROR_TYPES, ensure_error_types
from annotation.models import Annotation, ErrorType
from tests.factories import make_judge, make_marks, make_summary

TOKENS = (Path(__file__).parents[2] / "static/css/tokens.css").read_text()

pytestmark = pytest.mark.django_db


def test_the_eight_types_of_the_study_in_order():
    assert [row.key for row in ensure_error_types()] == [
        "entity omission",
        "event omission",
        "causal omission",
        "salience",
        "discontinuity",
        "duplication",
        "inconsistency",
        "language",
    ]


def test_making_them_again_changes_nothing():
    first = ensure_error_types()
    ErrorType.objects.filter(key="salience").update(retired=True, definition="As our study sees it.")
    again = ensure_error_types()
    assert [row.pk for row in again] == [row.pk for row in first]
    assert ErrorType.objects.count() == 8
    salience = ErrorType.objects.get(key="salience")
    assert (salience.retired, salience.definition) == (True, "As our study sees it.")


def test_a_missing_one_is_made_in_its_place():
    ensure_error_types()
    ErrorType.objects.get(key="duplication").delete()
    assert [row.order for row in ensure_error_types()] == list(range(8))


def test_tags_are_two_letters_and_tell_the_types_apart():
    assert len({each.tag for each in ERROR_TYPES}) == 8
    assert all(len(each.tag) == 2 and each.tag.isupper() for each in ERROR_TYPES)


@pytest.mark.parametrize("colour", [each.colour for each in ERROR_TYPES])
def test_the_colour_is_a_token(colour):
    assert f"{colour}:" in TOKENS


def test_a_type_that_marks_have_can_not_be_deleted_and_they_keep_it():
    make_marks(make_summary(), make_judge(), types=["salience", "language"])
    for delete in (ErrorType.objects.get(key="salience").delete, ErrorType.objects.all().delete):
        with pytest.raises(ProtectedError):
            delete()
    assert {error_type.key for error_type in Annotation.objects.get().error_types.all()} == {"salience", "language"}


def test_a_mark_takes_its_links_with_it_and_then_the_type_can_go():
    make_marks(make_summary(), make_judge(), types=["salience"])
    Annotation.objects.all().delete()
    assert ErrorType.objects.get(key="salience").delete()[0] == 1
