"""A person's own account."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters

from annotation.selectors.withdrawals import participations_of
from booookweb.forms import TokenForm
from booookweb.models import User
from booookweb.navigation import link

WHAT_TO_CHOOSE = "At least 8 characters, not only digits, not one that is easily guessed."


class OwnPasswordForm(PasswordChangeForm):
    """A new password that differs from the one before."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password2"].label = "New password again"
        self.fields["new_password2"].help_text = ""
        self.fields["new_password1"].help_text = WHAT_TO_CHOOSE
        if self.user.must_change_password:
            self.fields["old_password"].label = "Password that you got"

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("new_password1") and self.user.check_password(cleaned["new_password1"]):
            self.add_error("new_password1", "Choose a password other than the present one.")
        return cleaned


@sensitive_post_parameters()
def account(request: HttpRequest) -> HttpResponse:
    """Change one's own password; this browser stays logged in, all others are logged out."""
    form = OwnPasswordForm(request.user, request.POST or None)
    had_to = cast(User, request.user).must_change_password
    if request.method == "POST" and form.is_valid():
        form.user.must_change_password = False
        form.save()
        update_session_auth_hash(request, form.user)
        messages.success(request, "Your password is changed. Other browsers you were logged in with are logged out.")
        return redirect("home" if had_to else "account")
    return account_page(request, password_form=form)


def account_page(
    request: HttpRequest,
    *,
    password_form: forms.Form | None = None,
    token_form: forms.Form | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page with a form of it that has errors; it has the tokens of whoever may make some."""
    user = cast(User, request.user)
    has_tokens = bool(link(user, "token-add"))
    context = {
        "form": password_form or OwnPasswordForm(user),
        "studies": participations_of(user.pk or 0),
        "has_tokens": has_tokens,
        "tokens": user.api_tokens.all() if has_tokens else (),
        "token_form": token_form or TokenForm(auto_id="token_%s"),
        "now": timezone.now(),
    }
    return render(request, "booookweb/account.html", context, status=status)
