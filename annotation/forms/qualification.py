"""The forms for a study's qualification test."""

from typing import Any

from django import forms

from annotation.models import Qualification, Study
from annotation.selectors.qualification import books_for
from summarizer.identifiers import LARGEST_ID
from summarizer.models import Book

SETTINGS = ("pass_percent", "attempts", "units_asked", "answers_shown")


class QualificationForm(forms.Form):
    pass_percent = forms.IntegerField(min_value=1, max_value=100, label="To pass: statements answered as expected, %")
    attempts = forms.IntegerField(
        min_value=1,
        max_value=10,
        label="Attempts",
        help_text="Another attempt asks in another order. Nobody is told which answers were right while they have "
        "attempts left.",
    )
    units_asked = forms.IntegerField(
        min_value=2,
        max_value=LARGEST_ID,
        required=False,
        label="Statements of an attempt",
        help_text="Drawn anew for each attempt, half of them changed ones. Empty: all.",
    )
    answers_shown = forms.BooleanField(
        required=False,
        label="Show people what was expected once they are done",
        help_text="When they passed, or have no attempt left. They could tell others who have yet to do the test.",
    )


class QualificationTextForm(forms.Form):
    book = forms.ModelChoiceField(
        queryset=Book.objects.none(),
        label="Story",
        help_text="A book with its text, of which the study has no summary.",
    )
    text = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 8}),
        label="Summary",
        help_text="Twenty or thirty statements that the story all supports.",
        max_length=100_000,
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["book"].queryset = books_for(study)  # type: ignore[attr-defined]


def qualification_values(qualification: Qualification) -> dict[str, Any]:
    """The test's settings as the form has them."""
    return {name: getattr(qualification, name) for name in SETTINGS}
