"""Forms of the pages on which a researcher sets up a round of comparisons."""

from typing import Any

from django import forms
from django.db.models import QuerySet

from annotation.comparison_questions import Question
from annotation.models import ComparisonQuestion
from annotation.services.comparison_rounds import LARGEST_OVERLAP
from summarizer.models import System


class RoundForm(forms.Form):
    name = forms.CharField(max_length=50, help_text="For you and the report; the people who compare do not see it.")
    overlap = forms.IntegerField(
        min_value=1, max_value=LARGEST_OVERLAP, initial=1, label="People per pair", help_text="Each on their own."
    )


class OverlapForm(forms.Form):
    overlap = forms.IntegerField(min_value=1, max_value=LARGEST_OVERLAP, label="People per pair")


class SystemsForm(forms.Form):
    one = forms.ModelChoiceField(System.objects.none(), label="One system")
    other = forms.ModelChoiceField(System.objects.none(), label="The other system")

    def __init__(self, *args: Any, systems: QuerySet[System], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("one", "other"):
            self.fields[name].queryset = systems  # type: ignore[attr-defined]


class QuestionForm(forms.Form):
    """One line of the question set. A line without words and name is left out."""

    words = forms.CharField(max_length=300, required=False, label="Question", widget=forms.Textarea(attrs={"rows": 2}))
    key = forms.CharField(max_length=40, required=False, label="Short name")
    kind = forms.ChoiceField(choices=ComparisonQuestion.Kind.choices, label="Answered with")
    asks_comment = forms.BooleanField(required=False, initial=True, label="Comment")
    required = forms.BooleanField(required=False, initial=True, label="Required")


QuestionSet = forms.formset_factory(QuestionForm, extra=2, max_num=40, absolute_max=60)


def questions_in(forms_of_set: Any) -> list[Question]:
    """The questions of a valid set, in its order."""
    lines = (form.cleaned_data for form in forms_of_set)
    return [
        Question(
            line["key"].strip(), " ".join(line["words"].split()), line["kind"], line["asks_comment"], line["required"]
        )
        for line in lines
        if line and (line.get("words") or line.get("key"))
    ]
