"""The forms for a study's qualification test."""

from typing import Any

from django import forms

from annotation.models import Qualification, Study
from annotation.selectors.qualification import books_for
from summarizer.forms.launch import BudgetField
from summarizer.identifiers import LARGEST_ID
from summarizer.jobs.launch_keys import LaunchKey
from summarizer.models import Book, Endpoint

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
        empty_label="Choose a story",
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


class ProposalForm(forms.Form):
    """Which LLM is asked for changes of statements; launched once for each `client_key`."""

    endpoint = forms.ModelChoiceField(queryset=Endpoint.objects.none(), empty_label=None)
    max_answer_tokens = forms.IntegerField(
        initial=400,
        min_value=16,
        max_value=100_000,
        label="Longest answer, in tokens",
        help_text="An answer is one statement. Models that reason first need more.",
    )
    budget_usd = BudgetField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        llms = Endpoint.objects.exclude(provider__in=(Endpoint.Provider.EXTRACTIVE, Endpoint.Provider.RULES))
        self.fields["endpoint"].queryset = llms.order_by("name")  # type: ignore[attr-defined]


class ProposalLaunchForm(ProposalForm):
    client_key = forms.UUIDField(widget=forms.HiddenInput)
    #: As the plan showed it.
    planned_calls = forms.IntegerField(min_value=1, max_value=LARGEST_ID, widget=forms.HiddenInput)

    def launch_key(self, study: Study) -> LaunchKey:
        """Of a valid form."""
        asked = {name: value for name, value in self.cleaned_data.items() if name != "client_key"}
        return LaunchKey.of(self.cleaned_data["client_key"], asked | {"study": study})


def qualification_values(qualification: Qualification) -> dict[str, Any]:
    """The test's settings as the form has them."""
    return {name: getattr(qualification, name) for name in SETTINGS}
