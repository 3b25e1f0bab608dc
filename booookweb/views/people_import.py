"""Adding people from a list: first a preview, then the passwords, once."""

import csv
import io

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from booookweb.people_csv import MOST_BYTES, MOST_PEOPLE, UnreadableList, decode_list
from booookweb.services.people_import import ImportedPerson, import_people, plan_import


class ListForm(forms.Form):
    file = forms.FileField(
        required=False,
        label="CSV file",
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,text/csv"}),
        help_text=f"At most {MOST_PEOPLE} people, {MOST_BYTES // 1000} kB. Commas, semicolons or tabs between cells.",
    )
    text = forms.CharField(
        required=False,
        strip=False,
        label="Or the list itself",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "placeholder": "username,studies"}),
    )

    def list_text(self) -> str:
        """What was sent. Raises UnreadableList."""
        file = self.cleaned_data["file"]
        if file is None:
            return str(self.cleaned_data["text"])
        return decode_list(file.read(MOST_BYTES + 1))


@never_cache
@require_http_methods(["GET", "POST"])
def people_import(request: HttpRequest) -> HttpResponse:
    form = ListForm(request.POST or None, request.FILES or None)
    context: dict[str, object] = {"form": form}
    if request.method == "POST" and form.is_valid():
        try:
            text = form.list_text()
            if request.POST.get("action") == "import":
                return _done(request, import_people(text))
            context |= {"planned": plan_import(text), "text": text}
        except UnreadableList as error:
            context["problems"] = error.problems
    return render(request, "booookweb/people_import.html", context, status=400 if "problems" in context else 200)


def _done(request: HttpRequest, people: list[ImportedPerson]) -> HttpResponse:
    """Shown in the answer itself and kept nowhere, like every password."""
    address = request.build_absolute_uri(reverse("login"))
    context = {"people": people, "csv": _as_csv(people, address), "new": sum(bool(each.password) for each in people)}
    return render(request, "booookweb/people_imported.html", context)


def _as_csv(people: list[ImportedPerson], address: str) -> str:
    """With a BOM, so that spreadsheets read all letters. No cell can begin like a formula (see `people_csv`)."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["username", "password", "address", "studies"])
    writer.writerows([each.name, each.password, address, " ".join(each.studies)] for each in people)
    return "\ufeff" + file.getvalue()
