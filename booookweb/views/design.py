"""All parts of the pages at a glance, for whoever builds a page."""

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotation.error_types import ERROR_TYPES


class ExampleForm(forms.Form):
    title = forms.CharField(help_text="As it is printed on the cover.")
    size = forms.IntegerField(label="Chunk size", min_value=1, required=False, help_text="Tokens.")
    notes = forms.CharField(widget=forms.Textarea, required=False)
    strategy = forms.ChoiceField(choices=[("hierarchical", "Hierarchical"), ("incremental", "Incremental")])
    agree = forms.BooleanField(label="Ask again when an answer is cut off", required=False)
    parts = forms.MultipleChoiceField(
        choices=[("annotate", "Annotates"), ("review", "Reviews")], widget=forms.CheckboxSelectMultiple, required=False
    )


def design(request: HttpRequest) -> HttpResponse:
    form = ExampleForm(data={"title": "", "size": "0", "strategy": "hierarchical", "parts": ["annotate"]})
    page = Paginator(range(430), 50).page(2)
    context = {"form": form, "page": page, "types": ERROR_TYPES, "now": timezone.now()}
    return render(request, "booookweb/design.html", context)
