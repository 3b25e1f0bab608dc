"""The form for a study's deadlines and pay."""

from typing import Any

from django import forms

from annotation.deadlines import DEADLINE_FIELDS
from annotation.models import Study
from annotation.pay import PAY_FIELDS

#: What is paid by the hour, and what it takes the place of.
BY_THE_HOUR = {
    "pay_per_hour": ("summary", ("pay_per_summary",)),
    "pay_per_review_hour": ("summary and mark", ("pay_per_reviewed_summary", "pay_per_reviewed_mark")),
    "pay_per_comparison_hour": ("comparison", ("pay_per_comparison",)),
    "pay_per_unit_hour": ("statement", ("pay_per_unit",)),
    "pay_per_rating_hour": ("summary", ("pay_per_rating",)),
}


class StudyTermsForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    class Meta:
        model = Study
        fields = [*DEADLINE_FIELDS, *PAY_FIELDS]
        labels = {
            "annotate_by": "Last day for annotating",
            "review_by": "Last day for reviewing",
            "compare_by": "Last day for comparing",
            "faithfulness_by": "Last day for checking against the book",
            "pay_per_summary": "For each summary annotated, $",
            "pay_per_hour": "Or for each hour of annotating, $",
            "pay_per_reviewed_summary": "For each summary reviewed, $",
            "pay_per_reviewed_mark": "And for each mark in it, $",
            "pay_per_review_hour": "Or for each hour of reviewing, $",
            "pay_per_comparison": "For each comparison, $",
            "pay_per_comparison_hour": "Or for each hour of comparing, $",
            "pay_per_unit": "For each statement checked against the book, $",
            "pay_per_unit_hour": "Or for each hour of checking statements, $",
            "pay_per_rating": "For each summary rated against the book, $",
            "pay_per_rating_hour": "Or for each hour of rating, $",
        }
        help_texts = {
            "pay_per_hour": "Of active time on summaries that were submitted. Give one of the two.",
            "pay_per_reviewed_summary": "$1.70 in the published study.",
            "pay_per_reviewed_mark": "$0.15 in the published study.",
            "pay_per_review_hour": "Of active time on reviews that were submitted, in place of the two above.",
            "pay_per_comparison": "$15 in the published study.",
            "pay_per_comparison_hour": "Of active time on comparisons that were submitted. Give one of the two.",
            "pay_per_unit_hour": "Of active time, with reading, on tasks that were submitted. Give one of the two.",
            "pay_per_rating_hour": "Of active time, with reading, on tasks that were submitted. Give one of the two.",
        }
        widgets = {
            **{name: forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d") for name in DEADLINE_FIELDS},
            "pay_per_reviewed_summary": forms.NumberInput(attrs={"placeholder": "1.70"}),
            "pay_per_reviewed_mark": forms.NumberInput(attrs={"placeholder": "0.15"}),
            "pay_per_comparison": forms.NumberInput(attrs={"placeholder": "15.00"}),
        }

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        for hourly, (thing, others) in BY_THE_HOUR.items():
            if data.get(hourly) is not None and any(data.get(other) is not None for other in others):
                self.add_error(hourly, f"Pay by the {thing} or by the hour, not both. Leave one of them empty.")
        return data

    def changes(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data}

    @property
    def deadline_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in DEADLINE_FIELDS]

    @property
    def pay_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in PAY_FIELDS]
