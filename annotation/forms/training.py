"""The form for a study's training."""

from django import forms

from summarizer.identifiers import LARGEST_ID


class TrainingForm(forms.Form):
    asks = forms.BooleanField(
        required=False,
        label="Ask for training before the first task",
        help_text="Everybody who annotates marks the summaries below first, and then sees what was expected.",
    )
    qualifies = forms.BooleanField(
        required=False,
        label="People must pass",
        help_text="Each summary is one attempt, until a person passes. Who passes none gets no task of the study.",
    )
    pass_percent = forms.IntegerField(
        min_value=1, max_value=100, initial=50, label="Known places to touch, at least %", required=False
    )
    marks_allowed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_ID,
        required=False,
        label="Other marks for every 100 other sentences, at most",
        help_text="Empty: any number.",
    )

    def clean_pass_percent(self) -> int:
        return self.cleaned_data["pass_percent"] or 50
