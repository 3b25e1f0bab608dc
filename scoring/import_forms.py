"""Forms for files that come from elsewhere."""

from django import forms

from annotation.models import FaithfulnessPlan, Study


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


class ArticlesFileForm(forms.Form):
    file = forms.FileField(
        label="JSONL file",
        help_text="An article a line, as the LongEval release has them: article, and a summary under the name of each "
        "system. Articles become books; what models left at the ends of summaries, like </s>, is taken off and noted.",
    )
    study = forms.SlugField(
        max_length=100,
        label="Study",
        help_text="The short name of a study that is being set up; one that is not here is made.",
    )


class JudgementsFileForm(forms.Form):
    file = forms.FileField(
        label="CSV file",
        help_text="Unit by unit: book, system, annotator, unit (its words) and supported (yes or no); if known also "
        "evidence (words of the book), comment, seconds and hints (yes or no). Whole summaries: book, system, "
        "annotator and rating.",
    )
    scale = forms.ChoiceField(
        choices=FaithfulnessPlan.Scale.choices, label="Scale of ratings", help_text="Means nothing to units."
    )


class MetricsFileForm(forms.Form):
    file = forms.FileField(
        label="CSV file",
        help_text="With the columns book, system, name and value: a line for each figure of a summary. A value that is "
        "there already under its name is replaced.",
    )
