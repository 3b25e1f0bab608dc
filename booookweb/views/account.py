"""A person's own account."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters

from annotation.selectors.withdrawals import participations_of


@sensitive_post_parameters()
def account(request: HttpRequest) -> HttpResponse:
    """Change one's own password; this browser stays logged in, all others are logged out."""
    form = PasswordChangeForm(request.user, request.POST or None)  # type: ignore[arg-type]
    form.fields["new_password2"].label = "New password again"
    form.fields["new_password1"].help_text = "At least 8 characters, not only digits, not one that is easily guessed."
    if request.method == "POST" and form.is_valid():
        form.save()
        update_session_auth_hash(request, form.user)
        messages.success(request, "Your password is changed. Other browsers you were logged in with are logged out.")
        return redirect("account")
    context = {"form": form, "studies": participations_of(request.user.pk or 0)}
    return render(request, "booookweb/account.html", context)
