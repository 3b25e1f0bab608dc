"""Forms of a person's own account."""

from datetime import UTC, datetime, time, timedelta

from django import forms
from django.utils import timezone

MOST_DAYS = 3660


class TokenForm(forms.Form):
    name = forms.CharField(max_length=100, help_text="What uses it, for example “notebook on my laptop”.")
    read_only = forms.BooleanField(
        required=False, initial=True, label="Only read", help_text="It can change nothing and launch nothing."
    )
    last_day = forms.DateField(
        required=False,
        help_text="After it the token opens nothing. Empty: until you revoke it.",
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    def clean_last_day(self) -> datetime | None:
        """The moment at which the day has ended, in UTC."""
        day = self.cleaned_data["last_day"]
        if day is None:
            return None
        if not timezone.now().date() <= day <= timezone.now().date() + timedelta(days=MOST_DAYS):
            raise forms.ValidationError("Choose a day from today on, at most ten years away.")
        return datetime.combine(day + timedelta(days=1), time.min, UTC)
