"""Endpoints: the list, adding, changing and trying one."""

from collections.abc import Mapping

from django.contrib import messages
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from summarizer.forms.endpoints import EndpointForm
from summarizer.models import Endpoint
from summarizer.selectors.endpoints import llm_endpoints
from summarizer.services.connection_test import ConnectionTest, try_connection
from summarizer.services.endpoints import save_endpoint, validate_endpoint

#: The field, and the salt of its signature, in which a test of the connection leaves what it found for the saving.
TESTED = "tested"


@require_GET
def endpoint_list(request: HttpRequest) -> HttpResponse:
    return render(request, "summarizer/endpoints.html", {"endpoints": llm_endpoints()})


@require_http_methods(["GET", "POST"])
def endpoint_add(request: HttpRequest) -> HttpResponse:
    return _edit(request, None)


@require_http_methods(["GET", "POST"])
def endpoint_edit(request: HttpRequest, pk: int) -> HttpResponse:
    return _edit(request, get_object_or_404(Endpoint, pk=pk, provider=Endpoint.Provider.OPENAI))


def _edit(request: HttpRequest, endpoint: Endpoint | None) -> HttpResponse:
    form = EndpointForm(request.POST or None, instance=endpoint)
    if request.method == "POST" and form.is_valid():
        try:
            found = _found_by_a_test(request, form.cleaned_data["base_url"], form.cleaned_data["model"])
            saved = save_endpoint(endpoint=endpoint, replacements=found, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"Endpoint {saved.name} saved.")
            return redirect("summarizer:endpoints")
    groups = [(title, [form[name] for name in names]) for title, names in EndpointForm.GROUPS]
    return render(request, "summarizer/endpoint_form.html", {"form": form, "groups": groups, "endpoint": endpoint})


@require_POST
def endpoint_test(request: HttpRequest) -> HttpResponse:
    """Try what stands in the form, saved or not. Stores nothing; what it finds is kept when the form is saved."""
    form = EndpointForm(request.POST, instance=Endpoint())
    form.fields["name"].required = False
    form.is_valid()
    endpoint = Endpoint(**{**form.cleaned_data, "name": "connection-test"})
    try:
        validate_endpoint(endpoint)
    except ValidationError as error:
        result = ConnectionTest(False, "Fill in the form first.", " ".join(error.messages))
    else:
        result = try_connection(endpoint=endpoint)
    tested = signing.dumps([endpoint.base_url, endpoint.model, result.replacements], salt=TESTED)
    context = {"result": result, "model": endpoint.model, "tested": tested}
    return render(request, "summarizer/connection_test.html", context)


def _found_by_a_test(request: HttpRequest, base_url: str, model: str) -> Mapping[str, str | None] | None:
    """Which parameters a test found to be refused, if it was of this address and model."""
    try:
        tested_url, tested_model, replacements = signing.loads(request.POST.get(TESTED, ""), salt=TESTED)
    except signing.BadSignature:
        return None
    is_the_same = (tested_url, tested_model) == (base_url.strip().rstrip("/"), model)
    return replacements if is_the_same else None
