"""Forms for the links by which people join a study."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.validators import URLValidator
from django.utils import timezone

from annotation.forms.studies import MembersForm
from annotation.models import Invitation, Study
from annotation.models.invitations import DAY_ENDS
from annotation.services.invitations import MOST_USES


class InvitationForm(forms.Form):
    kind = forms.ChoiceField(
        choices=Invitation.Kind.choices, initial=Invitation.Kind.LINK, widget=forms.RadioSelect, label="Kind of link"
    )
    maximum_uses = forms.IntegerField(
        min_value=1, max_value=MOST_USES, initial=10, label="How many people can join by it"
    )
    last_day = forms.DateField(
        label="Last day",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="Until it is over everywhere on Earth.",
    )
    role = forms.ChoiceField(choices=MembersForm.ROLES, initial="both", widget=forms.RadioSelect, label="What they do")
    note = forms.CharField(required=False, max_length=100, label="For whom", help_text="For you and other researchers.")

    def __init__(self, *args: Any, checking: bool = False, **kwargs: Any) -> None:
        """`checking`: the study has a plan for faithfulness."""
        super().__init__(*args, **kwargs)
        if checking:
            self.fields["role"].choices = (*MembersForm.ROLES, *MembersForm.CHECKING_ROLES)  # type: ignore[attr-defined]
        self.fields["last_day"].initial = timezone.now().date() + timedelta(days=14)

    def arguments(self) -> dict[str, Any]:
        """For `make_invitation`."""
        data = self.cleaned_data
        return {
            "kind": data["kind"],
            "note": data["note"],
            "maximum_uses": data["maximum_uses"],
            "expires_at": datetime.combine(data["last_day"], time(), UTC) + DAY_ENDS,
            "annotates": data["role"] in ("both", "annotates"),
            "reviews": data["role"] in ("both", "reviews"),
            "compares": data["role"] == "compares",
            "judges_units": data["role"] == "judges_units",
            "rates": data["role"] == "rates",
        }


class CompletionForm(forms.Form):
    completion_code = forms.CharField(required=False, max_length=100, label="Completion code")
    completion_url = forms.CharField(
        required=False,
        max_length=500,
        label="Link back",
        validators=[URLValidator(schemes=["https"], message="This must be an address that begins with https://.")],
        help_text="The platform’s completion address; it begins with https://.",
    )

    @classmethod
    def of(cls, study: Study, data: Any = None) -> "CompletionForm":
        initial = {"completion_code": study.completion_code, "completion_url": study.completion_url}
        return cls(data, initial=initial)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("completion_url") and not data.get("completion_code"):
            self.add_error("completion_code", "Give the code that belongs to the link back.")
        return data
