"""A person's tokens for the API: making one, which shows it once, and revoking it."""

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from booookweb.forms import TokenForm
from booookweb.models import User
from booookweb.services.api_tokens import TokenError, make_token, revoke_token
from booookweb.views.account import account_page


@never_cache
@require_POST
def token_add(request: HttpRequest) -> HttpResponse:
    """Shown in the answer itself: what is stored can't be turned back into it."""
    form = TokenForm(request.POST, auto_id="token_%s")
    if form.is_valid():
        values: dict[str, Any] = form.cleaned_data
        try:
            token, secret = make_token(
                user=cast(User, request.user),
                name=values["name"],
                read_only=values["read_only"],
                expires_at=values["last_day"],
            )
        except TokenError as error:
            form.add_error("name", str(error))
        else:
            return render(request, "booookweb/token_made.html", {"token": token, "secret": secret})
    return account_page(request, token_form=form, status=400)


@require_POST
def token_revoke(request: HttpRequest, api_token: int) -> HttpResponse:
    if name := revoke_token(user=cast(User, request.user), token_id=api_token):
        messages.success(request, f"The token “{name}” is revoked: from now on it opens nothing.")
    return redirect("account")
