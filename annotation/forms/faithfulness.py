"""The form for a study's plan for faithfulness."""

from typing import Any

from django import forms

from annotation.models import FaithfulnessPlan

LARGEST = 1000


class PlanForm(forms.Form):
    """Settings of a plan; how much of a summary is asked is a share in percent, or a number of units."""

    fine_overlap = forms.IntegerField(
        min_value=0,
        max_value=LARGEST,
        label="People who judge the units of each summary",
        help_text="Each says of every unit they are asked about whether the book supports it. Three in the published "
        "study. 0: this is not asked.",
    )
    share_percent = forms.IntegerField(
        min_value=1,
        max_value=100,
        required=False,
        label="Units of each summary that a person is asked about, in %",
        help_text="Each person gets a random sample of their own. With half of the units the published study ranked "
        "systems almost as with all of them (Kendall’s τ 0.78 to 0.89).",
    )
    units_per_summary = forms.IntegerField(
        min_value=1,
        max_value=100_000,
        required=False,
        label="Or a number of units of each summary",
        help_text="Give one of the two.",
    )
    evidence_required = forms.BooleanField(
        required=False,
        label="Whoever calls a unit supported shows where",
        help_text="They mark a place of the book, or take a suggested one, with each unit that they call supported.",
    )
    hints = forms.ChoiceField(
        choices=FaithfulnessPlan.Hints.choices,
        label="Suggest sentences of the book that may bear on the unit",
        help_text="By lot: half of the people of each summary get them, so that the report can tell what they change.",
    )
    coarse_overlap = forms.IntegerField(
        min_value=0,
        max_value=LARGEST,
        label="People who rate each summary as a whole",
        help_text="Other people than those who judge units, for comparison. 0: this is not asked.",
    )
    scale = forms.ChoiceField(
        choices=FaithfulnessPlan.Scale.choices,
        label="Scale of these ratings",
        help_text="The report puts all scales on 0 to 100: 0 to 5 times 20, 1 to 5 less one times 25.",
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        both = data.get("share_percent") is not None and data.get("units_per_summary") is not None
        neither = data.get("share_percent") is None and data.get("units_per_summary") is None
        if both or (neither and not {"share_percent", "units_per_summary"} & set(self.errors)):
            self.add_error("units_per_summary", "Give a share or a number of units, and leave the other one empty.")
        return data

    @property
    def settings(self) -> dict[str, Any]:
        """What `update_plan` takes, of a valid form."""
        data = dict(self.cleaned_data)
        percent = data.pop("share_percent")
        return {**data, "share": None if percent is None else percent / 100}


def plan_values(plan: FaithfulnessPlan) -> dict[str, Any]:
    """The plan's settings as the form has them."""
    names = ("fine_overlap", "units_per_summary", "evidence_required", "hints", "coarse_overlap", "scale")
    percent = None if plan.share is None else round(plan.share * 100)
    return {name: getattr(plan, name) for name in names} | {"share_percent": percent}
