"""Forms about consent."""

from django import forms

from summarizer.identifiers import LARGEST_ID


class ConsentTextForm(forms.Form):
    """A new version of a study's consent text, made from the version with number `base`."""

    text = forms.CharField(
        required=False,
        strip=False,
        label="Consent text",
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text="Markdown: who does the study, what is stored, how to withdraw, whom to ask. Empty: asks nothing.",
    )
    base = forms.IntegerField(min_value=0, max_value=LARGEST_ID, widget=forms.HiddenInput)
