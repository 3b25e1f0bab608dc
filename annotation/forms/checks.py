"""Forms for attention checks."""

from collections.abc import Sequence
from typing import Any

from django import forms

from annotation.models import ErrorType, PlantedMark
from annotation.places import Place
from summarizer.models import Summary


class KnownTextForm(forms.Form):
    """A summary that researchers wrote or changed themselves."""

    title = forms.CharField(
        max_length=500, label="Title of the book", help_text="People see it above the text, as with every summary."
    )
    author = forms.CharField(
        required=False,
        max_length=500,
        help_text="People may be asked whether they have read the book, with its author: without one, it stands out.",
    )
    text = forms.CharField(
        label="Text of the summary",
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text="Put [[ before and ]] after each place that should confuse a reader. People don’t see the brackets.",
    )


class PlantedMarkForm(forms.Form):
    """A mark for the review: where, what it asks, and the answer that it should get."""

    sentence = forms.TypedChoiceField(coerce=int, widget=forms.RadioSelect, label="Sentence to mark")
    words = forms.CharField(
        required=False,
        max_length=1000,
        label="Only these words of it",
        help_text="Exactly as they stand in the sentence. Empty: the whole sentence is marked.",
    )
    question = forms.CharField(
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Write it as people and judges write theirs, so that only its sense tells it apart.",
    )
    error_type = forms.ModelChoiceField(
        ErrorType.objects.filter(retired=False),
        label="Kind of error",
        help_text="Shown only if the study shows kinds.",
        empty_label="Choose a kind",
    )
    expected = forms.ChoiceField(
        choices=PlantedMark.Expected.choices, widget=forms.RadioSelect, label="The answer that it should get"
    )

    def __init__(self, *args: Any, summary: Summary, sentences: Sequence[Place], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sentences, self.text = sentences, summary.text
        choices = [(index, summary.text[start:end]) for index, (start, end) in enumerate(sentences)]
        self.fields["sentence"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if (index := data.get("sentence")) is None:
            return data
        start, end = self.sentences[index]
        if words := data.get("words"):
            if self.text.count(words, start, end) != 1:
                self.add_error("words", "These words don’t stand exactly once in the chosen sentence.")
                return data
            start = self.text.index(words, start, end)
            end = start + len(words)
        data["place"] = (start, end)
        return data
