"""What a researcher chooses on the page "Judge and people"."""

from django import forms

from scoring.report.agreement.structure import AgreementOptions
from scoring.statistics.alternative import EPSILON


class AgreementForm(forms.Form):
    epsilon = forms.FloatField(
        required=False,
        min_value=0,
        max_value=0.99,
        label="Epsilon",
        help_text="By how much a judge may lose: 0.2 for experts, 0.15 for trained people, 0.1 for crowd workers.",
        widget=forms.NumberInput(attrs={"step": "0.01"}),
    )
    points = forms.FloatField(
        required=False,
        min_value=0.01,
        max_value=100,
        label="Difference to find, in points of 100",
        help_text="How many books a study needs to find it between two systems.",
        widget=forms.NumberInput(attrs={"step": "0.1"}),
    )

    def options(self) -> AgreementOptions:
        """What was chosen, as far as it is valid."""
        self.full_clean()
        epsilon, points = self.cleaned_data.get("epsilon"), self.cleaned_data.get("points")
        return AgreementOptions(
            epsilon=EPSILON if epsilon is None else epsilon, difference=None if points is None else points / 100
        )
