"""Forms for files that come from elsewhere."""

from django import forms

from annotation.models import Study


class SummariesFileForm(forms.Form):
    file = forms.FileField(
        help_text="Ends in .json ({book: summary}), .jsonl or .csv (with book and summary). A book goes by the name of "
        "its file, or its title; one that is not here is made, without its text."
    )
    system = forms.CharField(
        max_length=200, label="Made by", help_text="The name of the system, as it stands in tables and charts."
    )
    study = forms.ModelChoiceField(
        Study.objects.filter(phase=Study.Phase.SETUP),
        required=False,
        to_field_name="name",
        empty_label="No study yet",
        help_text="A study that is being set up, to put them into.",
    )


class MetricsFileForm(forms.Form):
    file = forms.FileField(
        label="CSV file",
        help_text="With the columns book, system, name and value: a line for each figure of a summary. A value that is "
        "there already under its name is replaced.",
    )
