"""Books: the list, the upload, one book with its sections, and its text to read."""

from datetime import timedelta

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from summarizer.extraction import ExtractionError
from summarizer.forms.books import BookDetailsForm, BookUploadForm
from summarizer.models import Book
from summarizer.reading import without_hard_breaks
from summarizer.selectors.books import (
    books_listed,
    can_be_deleted,
    page_of,
    sections_viewed,
    summaries_of,
    works_on,
)
from summarizer.selectors.costs import cost_of_book
from summarizer.services.books import BookError, BookExists, add_book, change_details, choose_sections, delete_book

_BOOKS_A_PAGE = 50
#: The same file sent twice by one person within this time is one upload (a double click), not a mistake.
_SAME_UPLOAD = timedelta(minutes=1)


@require_GET
def book_list(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").replace("\0", "").strip()[:200]
    page = Paginator(books_listed(query), _BOOKS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "summarizer/books.html", {"page": page, "query": query})


@require_http_methods(["GET", "POST"])
def book_upload(request: HttpRequest) -> HttpResponse:
    form = BookUploadForm(request.POST or None, request.FILES or None)
    known: Book | None = None
    if form.is_valid():
        values = form.cleaned_data
        file = values.pop("file")
        try:
            book = add_book(data=file.read(), filename=file.name, added_by=request.user, **values)
        except ExtractionError as error:
            form.add_error("file", str(error))
        except BookExists as error:
            if _is_second_click(request, error.book):
                return redirect("summarizer:book", error.book.pk)
            known = error.book
        else:
            messages.success(request, f"“{book.title}” was added. Check which of its sections are summarized.")
            return redirect("summarizer:book", book.pk)
    if request.method == "POST":
        form.fields["file"].help_text += " Choose the file again: a browser does not keep it."
    status = 400 if request.method == "POST" else 200
    return render(request, "summarizer/book_upload.html", {"form": form, "known": known}, status=status)


@require_GET
def book_page(request: HttpRequest, pk: int) -> HttpResponse:
    book = get_object_or_404(Book.objects.select_related("added_by"), pk=pk)
    context = {
        "book": book,
        "sections": sections_viewed(book),
        "summaries": summaries_of(book),
        "references": book.references.all(),
        "is_worked_on": works_on(book),
        "can_be_deleted": can_be_deleted(book),
        "cost": cost_of_book(book),
    }
    return render(request, "summarizer/book.html", context)


@require_http_methods(["GET", "POST"])
def book_edit(request: HttpRequest, pk: int) -> HttpResponse:
    book = get_object_or_404(Book.objects.defer("text"), pk=pk)
    form = BookDetailsForm(request.POST or None, initial=_details(book))
    if form.is_valid():
        try:
            change_details(book=book, **form.cleaned_data)
        except BookError as error:
            form.add_error("title", str(error))
        else:
            messages.success(request, "The details were saved.")
            return redirect("summarizer:book", book.pk)
    status = 400 if request.method == "POST" else 200
    return render(request, "summarizer/book_edit.html", {"form": form, "book": book}, status=status)


@require_POST
def book_sections(request: HttpRequest, pk: int) -> HttpResponse:
    book = get_object_or_404(Book, pk=pk)
    chosen = {int(value) for value in request.POST.getlist("included") if value.isdecimal() and len(value) < 9}
    try:
        changed = choose_sections(book=book, included=chosen, chosen_by=request.user.get_username())
    except BookError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _changes(changed))
    return redirect("summarizer:book", book.pk)


@require_GET
def book_section(request: HttpRequest, pk: int, index: int) -> HttpResponse:
    book = get_object_or_404(Book, pk=pk)
    section = get_object_or_404(book.sections, index=index)
    number = request.GET.get("page", "1")
    text_page = page_of(book, section, int(number) if number.isdecimal() and len(number) < 9 else 1)
    context = {
        "book": book,
        "section": section,
        "contents": book.sections.all(),
        "text_page": text_page,
        "shown_text": without_hard_breaks(text_page.text),
        "previous": book.sections.filter(index=index - 1).first(),
        "next": book.sections.filter(index=index + 1).first(),
    }
    return render(request, "summarizer/book_section.html", context)


@require_POST
def book_delete(request: HttpRequest, pk: int) -> HttpResponse:
    book = get_object_or_404(Book.objects.defer("text"), pk=pk)
    try:
        delete_book(book=book)
    except BookError as error:
        messages.error(request, str(error))
        return redirect("summarizer:book", pk)
    messages.success(request, f"“{book.title}” was deleted.")
    return redirect("summarizer:books")


def _details(book: Book) -> dict[str, str]:
    date = book.publication_date
    return {
        "title": book.title,
        "author": book.author,
        "genres": ", ".join(book.genres),
        "publication_date": date.isoformat() if date else "",
    }


def _is_second_click(request: HttpRequest, book: Book) -> bool:
    return book.added_by_id == request.user.pk and book.created_at > timezone.now() - _SAME_UPLOAD


def _changes(number: int) -> str:
    if number == 0:
        return "Nothing was changed."
    return f"{number} section{'' if number == 1 else 's'} changed. Summaries made from now on use this choice."
