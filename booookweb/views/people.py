"""People of the group: for admins, and for researchers who help annotators to log in."""

from typing import cast

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import Annotator
from booookweb.models import Role, User
from booookweb.selectors.people import people_matching
from booookweb.services import people as service

PAGE_SIZE = 50


class PersonForm(forms.Form):
    name = forms.CharField(
        max_length=150,
        help_text="Letters, digits and @ . + - _. The person logs in with it. Others see a pseudonym.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(choices=Role.choices, initial=Role.ANNOTATOR, widget=forms.RadioSelect)


def people(request: HttpRequest) -> HttpResponse:
    search = request.GET.get("q", "").replace("\0", "").strip()[:200]
    page = Paginator(people_matching(search), PAGE_SIZE).get_page(request.GET.get("page"))
    user = cast(User, request.user)
    for person in page:
        person.reset_allowed = service.may_reset_password(user, person)  # type: ignore[attr-defined]
    return render(
        request, "booookweb/people.html", {"page": page, "search": search, "manages": user.role == Role.ADMIN}
    )


@never_cache
def person_add(request: HttpRequest) -> HttpResponse:
    form = PersonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            person, password = service.add_person(**form.cleaned_data, one_time=True)
        except service.PersonError as error:
            form.add_error("name", str(error))
        else:
            return _password_once(request, person, password, is_new=True)
    return render(request, "booookweb/person_add.html", {"form": form})


@never_cache
@require_POST
def person_reset_password(request: HttpRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    if person == request.user:
        return redirect("account")
    try:
        password = service.reset_password(person=person, by=cast(User, request.user))
    except service.PersonError as error:
        messages.error(request, str(error))
        return redirect("people")
    return _password_once(request, person, password, is_new=False)


@require_POST
def person_deactivate(request: HttpRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    try:
        service.deactivate(person=person, by=cast(User, request.user))
        messages.success(
            request,
            f"The account of {person.username} is closed. What they submitted is kept; open tasks went to others.",
        )
    except service.PersonError as error:
        messages.error(request, str(error))
    return redirect("people")


@require_POST
def person_reactivate(request: HttpRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    try:
        service.reactivate(person=person)
        messages.success(request, f"{person.username} can log in again, with the password from before.")
    except service.PersonError as error:
        messages.error(request, str(error))
    return redirect("people")


@never_cache
@require_http_methods(["GET", "POST"])
def person_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Says what goes and what stays, and asks for the name to be typed."""
    person = get_object_or_404(User, pk=pk)
    wrong = ""
    if request.method == "POST":
        if request.POST.get("typed", "").strip() != person.username:
            wrong = f"Type {person.username} to confirm. Nothing was deleted."
        else:
            return _delete(request, person)
    annotator = Annotator.objects.filter(user=person).first()
    context = {"person": person, "annotator": annotator, "wrong": wrong}
    return render(request, "booookweb/person_delete.html", context, status=400 if wrong else 200)


def _delete(request: HttpRequest, person: User) -> HttpResponse:
    name = person.username
    try:
        pseudonym = service.delete_person(person=person, by=cast(User, request.user))
    except service.PersonError as error:
        messages.error(request, str(error))
    else:
        stays = f" Their work stays under {pseudonym}." if pseudonym else ""
        messages.success(request, f"The account of {name} is deleted.{stays}")
    return redirect("people")


def _password_once(request: HttpRequest, person: User, password: str, *, is_new: bool) -> HttpResponse:
    """Shown in the answer itself and kept nowhere: a redirect would have to store it."""
    context = {"person": person, "password": password, "is_new": is_new}
    return render(request, "booookweb/person_password.html", context)
