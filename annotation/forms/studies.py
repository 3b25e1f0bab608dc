"""Forms of the study pages."""

from typing import Any

from django import forms
from django.utils.text import slugify

from annotation.models import Study
from annotation.services.studies import CHANGEABLE
from summarizer.identifiers import LARGEST_ID


class StudySettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    class Meta:
        model = Study
        fields = [
            "title",
            "annotation_overlap",
            "review_overlap",
            "review_shown_as",
            "types_shown_in_review",
            "asks_about_book",
        ]
        labels = {
            "annotation_overlap": "People per summary",
            "review_overlap": "Reviewers per mark",
            "review_shown_as": "How reviewers see the place of a mark",
            "types_shown_in_review": "Show error types to reviewers",
            "asks_about_book": "Ask people whether they have read the book",
        }
        help_texts = {
            "title": "Annotators see it above their tasks, so don't name systems or judges in it.",
            "annotation_overlap": "How many people mark each summary, each on their own.",
            "review_overlap": "How many people judge each mark. 0 if the study has no review.",
            "review_shown_as": (
                "As marked, as in the published study, the form gives the source away: judges mark whole sentences, "
                "people also phrases, several sentences and relations. Snapped, every mark shows as whole sentences."
            ),
            "types_shown_in_review": "Off in the published study: the type of an error can give away who marked it.",
            "asks_about_book": "Once for each person and book, before their first task on it.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in set(self.Meta.fields) - CHANGEABLE[Study.Phase(self.instance.phase)]:
            self.fields[name].disabled = True
        self.fields["review_shown_as"].required = False

    def clean_review_shown_as(self) -> str:
        """A form without it leaves it as it is."""
        return str(self.cleaned_data["review_shown_as"] or self.instance.review_shown_as)

    def changes(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data}


class NewStudyForm(StudySettingsForm):
    name = forms.SlugField(
        max_length=100,
        required=False,
        label="Short name",
        error_messages={"invalid": "Use letters, digits, hyphens and underscores, no spaces."},
        help_text="For addresses and commands: letters, digits, hyphens. Made from the title if you leave it empty.",
    )

    guidelines = forms.CharField(
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text="Markdown. Annotators read it before and while they work.",
    )

    field_order = ["title", "name", "guidelines"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not data.get("name") and data.get("title"):
            data["name"] = slugify(data["title"])[:100]
            if not data["name"]:
                self.add_error("name", "Give a short name; none can be made from this title.")
        return data


class GuidelinesForm(forms.Form):
    """A new version of a study's guidelines, made from the version with number `base`."""

    text = forms.CharField(
        required=False,
        strip=False,
        label="Guidelines",
        widget=forms.Textarea(attrs={"rows": 24}),
        help_text="Markdown. Annotators read it before and while they work.",
    )
    note = forms.CharField(
        required=False,
        max_length=500,
        label="What changed",
        help_text="One sentence for people who have read them before: they are told once that something changed.",
    )
    base = forms.IntegerField(min_value=0, max_value=LARGEST_ID, widget=forms.HiddenInput)


class MembersForm(forms.Form):
    """People to add, and what they do."""

    ROLES = (
        ("both", "Annotate and review"),
        ("annotates", "Annotate only"),
        ("reviews", "Review only"),
        ("compares", "Compare only"),
    )
    #: Where the study has a plan for faithfulness.
    CHECKING_ROLES = (
        ("judges_units", "Judge units only: whether the book supports them"),
        ("rates", "Rate only: how faithful summaries are as a whole"),
    )

    people = forms.TypedMultipleChoiceField(
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one person."},
    )
    role = forms.ChoiceField(choices=ROLES, initial="both", widget=forms.RadioSelect, label="What they do")

    def __init__(self, *args: Any, people: list[tuple[int, str]], checking: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if checking:
            self.fields["role"].choices = (*self.ROLES, *self.CHECKING_ROLES)  # type: ignore[attr-defined]
        self.fields["people"].choices = people  # type: ignore[attr-defined]


class MemberForm(forms.Form):
    """What one member does; who checks faithfulness, and how, is chosen with its plan."""

    member = forms.IntegerField(widget=forms.HiddenInput)
    annotates = forms.BooleanField(required=False)
    reviews = forms.BooleanField(required=False)
    compares = forms.BooleanField(required=False)


class SummaryFilterForm(forms.Form):
    """Which of the summaries to list."""

    q = forms.CharField(required=False, label="Book", max_length=200)
    system = forms.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)
