"""The page behind an invitation link: what the study asks and pays, for whoever has the link, and the way in."""

import re
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotation.models import Invitation
from annotation.selectors.invitations import has_begun, taking_part
from annotation.services.invitations import InvitationError, invitation_of, require_joinable
from booookweb.models import User
from booookweb.services import joining as service
from booookweb.services.people import NameTaken, PersonError
from booookweb.throttle import count_failure, is_throttled
from booookweb.views.account import WHAT_TO_CHOOSE

BACKEND = "django.contrib.auth.backends.ModelBackend"
#: The parameters that Prolific sends; its STUDY_ID tells us nothing and is not kept.
PERSON, SESSION = "PROLIFIC_PID", "SESSION_ID"
PLATFORM_VALUE = re.compile(r"[A-Za-z0-9_-]{4,64}")


class JoinForm(forms.Form):
    name = forms.CharField(
        max_length=150,
        help_text="You log in with it. Letters, digits and @ . + - _. In the results you have a pseudonym instead.",
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}), help_text=WHAT_TO_CHOOSE
    )
    again = forms.CharField(
        strip=False, label="Password again", widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("again") and data.get("password") and data["again"] != data["password"]:
            self.add_error("again", "The two passwords differ.")
        return data


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    if is_throttled(request):
        return _refused(request, "There were too many tries from your address. Wait 15 minutes, then try again.", 429)
    invitation = invitation_of(token)
    if invitation is None:
        count_failure(request)
        return _refused(request, "This link leads nowhere. Perhaps a part of it is missing: copy all of it.", 404)
    try:
        if invitation.kind == Invitation.Kind.PLATFORM:
            return _from_platform(request, invitation)
        return _by_link(request, invitation)
    except service.LoginNeeded as error:
        return _refused(request, str(error), 403, login=True)
    except InvitationError as error:
        return _refused(request, str(error), 410)


def _by_link(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    if request.user.is_authenticated:
        return _logged_in(request, invitation)
    require_joinable(invitation)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        name, password = form.cleaned_data["name"], form.cleaned_data["password"]
        try:
            person = service.join_with_new_account(invitation=invitation, name=name, password=password)
        except PersonError as error:
            if isinstance(error, NameTaken):  # else names could be found out by trying
                count_failure(request)
            form.add_error("password" if isinstance(error, service.PasswordRefused) else "name", str(error))
        else:
            return _welcome(request, person, invitation)
    return _shown(request, "booookweb/join.html", invitation, form=form)


def _logged_in(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    if request.method == "POST":
        new = service.join(invitation=invitation, person=cast(User, request.user))
        messages.success(request, "You take part now." if new else "You take part in this study already.")
        return redirect("annotation:tasks")
    return _shown(request, "booookweb/join.html", invitation)


def _from_platform(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    values = request.POST if request.method == "POST" else request.GET
    person, session = values.get(PERSON, ""), values.get(SESSION, "")
    if not PLATFORM_VALUE.fullmatch(person) or not PLATFORM_VALUE.fullmatch(session):
        raise InvitationError("This link is not complete. Open it from the page of the platform that sent you.")
    if request.method == "POST":
        try:
            found = service.join_from_platform(
                invitation=invitation,
                external_id=person,
                session=session,
                logged_in=request.user if isinstance(request.user, User) else None,
            )
        except service.OtherSession:
            count_failure(request)
            raise
        return _welcome(request, found, invitation)
    return _shown(request, "booookweb/join_platform.html", invitation, hidden={PERSON: person, SESSION: session})


def _shown(request: HttpRequest, template: str, invitation: Invitation, **context: object) -> HttpResponse:
    return render(request, template, {"study": invitation.study, "part": taking_part(invitation), **context})


def _welcome(request: HttpRequest, person: User, invitation: Invitation) -> HttpResponse:
    if request.user != person:
        login(request, person, backend=BACKEND)
    study = invitation.study
    follows = "Below are your tasks." if has_begun(invitation) else "Your tasks appear here as soon as it begins."
    messages.success(request, f"You take part in “{study.title}”. {follows}")
    return redirect("annotation:tasks")


def _refused(request: HttpRequest, why: str, status: int, *, login: bool = False) -> HttpResponse:
    return render(request, "booookweb/join_refused.html", {"why": why, "login": login}, status=status)
