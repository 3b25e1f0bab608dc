"""Reference summaries of a book: adding one and taking one away."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from summarizer.models import Book, ReferenceSummary
from summarizer.services.books import BookError
from summarizer.services.references import add_reference, remove_reference


@require_POST
def reference_add(request: HttpRequest, pk: int) -> HttpResponse:
    book = get_object_or_404(Book.objects.defer("text"), pk=pk)
    try:
        text, source = request.POST.get("text", ""), request.POST.get("source", "")
        _, is_new = add_reference(book=book, text=text.replace("\0", ""), source=source.replace("\0", ""))
    except BookError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The reference was added." if is_new else "This reference is here already.")
    return redirect("summarizer:book", book.pk)


@require_POST
def reference_remove(request: HttpRequest, pk: int, reference: int) -> HttpResponse:
    found = get_object_or_404(ReferenceSummary, pk=reference, book=pk)
    remove_reference(reference=found)
    messages.success(request, "The reference was removed.")
    return redirect("summarizer:book", pk)
