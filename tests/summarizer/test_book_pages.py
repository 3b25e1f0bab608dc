from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from booookweb.models import Role
from summarizer.models import Book
from summarizer.services.books import add_book
from summarizer.services.summaries import create_summary
from tests.factories import make_summary, make_user
from tests.summarizer.epub_files import epub, page

pytestmark = pytest.mark.django_db

NOVEL = b"The Mill\n\nby Ida Lund\n\nChapter 1\n\nEmma left the mill.\n\nChapter 2\n\nRolf stayed.\n"


@pytest.fixture
def researcher(client: Client) -> Client:
    client.force_login(make_user(Role.RESEARCHER, "rita"))
    return client


def upload(client: Client, data: bytes = NOVEL, name: str = "mill.txt", **fields: str) -> Any:
    return client.post(reverse("summarizer:book-upload"), {"file": SimpleUploadedFile(name, data), **fields})


def test_the_empty_list_offers_the_first_step(researcher: Client) -> None:
    response = researcher.get(reverse("summarizer:books"))
    assert "No books yet" in response.text
    assert reverse("summarizer:book-upload") in response.text


def test_upload_leads_to_the_book_with_its_sections(researcher: Client) -> None:
    response = upload(researcher, genres="Novel, Short", publication_date="1813")
    book = Book.objects.get()
    assert response.url == reverse("summarizer:book", args=[book.pk])
    assert book.genres == ["Novel", "Short"]
    assert book.publication_date is not None
    assert book.publication_date.isoformat() == "1813-01-01"
    assert book.added_by is not None
    text = researcher.get(response.url).text
    for shown in ("The Mill", "Ida Lund", "Chapter 1", "Emma left the mill.", "1813", "rita"):
        assert shown in text


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"", "a.txt", "This file is empty"),
        (b" \r\n\t\r\n", "a.txt", "No text was found"),
        (b"no archive", "a.epub", "not a readable EPUB"),
        (epub({"c.xhtml": page('<img src="a.jpg" alt=""/>')}), "a.epub", "No text was found"),
        (b"%PDF-1.7", "a.pdf", "is a PDF"),
        (b"x " * 700_000, "a.txt", "larger than 1 MB"),
    ],
)
def test_what_can_not_be_read_is_said_on_the_form(
    researcher: Client, settings: Any, data: bytes, name: str, words: str
) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1024 * 1024
    response = upload(researcher, data, name)
    assert response.status_code == 400
    assert words in response.text
    assert Book.objects.count() == 0


def test_a_form_without_a_file_or_with_a_wrong_date(researcher: Client) -> None:
    response = researcher.post(reverse("summarizer:book-upload"), {"publication_date": "May 2024"})
    assert "Choose a file." in response.text
    assert "Write the date as" in response.text


def test_the_same_text_again_names_the_book(researcher: Client) -> None:
    book = add_book(data=NOVEL, filename="mill.txt")
    response = upload(researcher)
    assert response.status_code == 400
    assert "is here already" in response.text
    assert reverse("summarizer:book", args=[book.pk]) in response.text


def test_a_double_click_adds_one_book_and_shows_it_twice(researcher: Client) -> None:
    first, second = upload(researcher), upload(researcher)
    assert first.url == second.url
    assert Book.objects.count() == 1
    Book.objects.update(created_at=timezone.now() - timezone.timedelta(hours=1))
    assert upload(researcher).status_code == 400


def test_sections_are_chosen_on_the_page(researcher: Client) -> None:
    book = add_book(data=NOVEL, filename="mill.txt")
    address = reverse("summarizer:book-sections", args=[book.pk])
    response = researcher.post(address, {"included": ["0", "nonsense", "-1", "99"]}, follow=True)
    assert "3 sections changed" in response.text
    assert list(book.sections.filter(included=True).values_list("index", flat=True)) == [0]
    assert "left out by rita" in response.text
    assert "At least one section" in researcher.post(address, {}, follow=True).text
    assert "Nothing was changed" in researcher.post(address, {"included": ["0"]}, follow=True).text


def test_a_book_with_summaries_says_that_they_keep_their_sections(researcher: Client) -> None:
    book = add_book(data=NOVEL, filename="mill.txt")
    create_summary(book=book, system=make_summary().system, text="Emma left.")
    text = researcher.get(reverse("summarizer:book", args=[book.pk])).text
    assert "keep what they were made from" in text
    assert reverse("summarizer:book-delete", args=[book.pk]) not in text
    response = researcher.post(reverse("summarizer:book-delete", args=[book.pk]), follow=True)
    assert "can&#x27;t be deleted" in response.text
    assert Book.objects.filter(pk=book.pk).exists()


def test_an_unused_book_is_deleted(researcher: Client) -> None:
    book = add_book(data=NOVEL, filename="mill.txt")
    assert "was deleted" in researcher.post(reverse("summarizer:book-delete", args=[book.pk]), follow=True).text
    assert not Book.objects.exists()


def test_the_text_is_read_section_by_section(researcher: Client) -> None:
    book = add_book(data=NOVEL, filename="mill.txt")
    address = reverse("summarizer:book-section", args=[book.pk, 1])
    text = researcher.get(address, {"page": "x"}).text
    assert "Emma left the mill." in text
    assert "Rolf stayed." not in text
    assert reverse("summarizer:book-section", args=[book.pk, 2]) in text
    assert researcher.get(reverse("summarizer:book-section", args=[book.pk, 9])).status_code == 404


def test_names_and_text_are_shown_as_characters(researcher: Client) -> None:
    book = add_book(
        data=b"<script>alert(1)</script> & more text", filename="a.txt", title="<img src=x onerror=alert(1)>"
    )
    for address in (
        reverse("summarizer:books"),
        reverse("summarizer:book", args=[book.pk]),
        reverse("summarizer:book-section", args=[book.pk, 0]),
    ):
        text = researcher.get(address).text
        assert "<img src=x" not in text
        assert "<script>alert" not in text
        assert "&lt;" in text


def test_search_and_pages_of_the_list(researcher: Client, django_assert_max_num_queries: Any) -> None:
    Book.objects.bulk_create(Book(title=f"Book {number:03}", source_format=Book.Format.NO_TEXT) for number in range(60))
    with django_assert_max_num_queries(8):
        text = researcher.get(reverse("summarizer:books")).text
    assert "Book 049" in text
    assert "Book 050" not in text
    assert "Book 050" in researcher.get(reverse("summarizer:books"), {"page": "2"}).text
    assert "Book 051" in researcher.get(reverse("summarizer:books"), {"q": "051"}).text
    assert "No book has “zebra”" in researcher.get(reverse("summarizer:books"), {"q": "zebra"}).text


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN, Role.ANNOTATOR])
def test_who_reaches_the_pages_of_books(client: Client, role: str) -> None:
    book = add_book(data=NOVEL, filename="mill.txt")
    client.force_login(make_user(role))
    status = 403 if role == Role.ANNOTATOR else 200
    for address in (
        reverse("summarizer:books"),
        reverse("summarizer:book-upload"),
        reverse("summarizer:book", args=[book.pk]),
        reverse("summarizer:book-section", args=[book.pk, 0]),
    ):
        assert client.get(address).status_code == status
    assert upload(client, b"Another text.").status_code == (403 if role == Role.ANNOTATOR else 302)
    if role == Role.ANNOTATOR:
        assert client.post(reverse("summarizer:book-sections", args=[book.pk])).status_code == 403
        assert client.post(reverse("summarizer:book-delete", args=[book.pk])).status_code == 403
        assert Book.objects.count() == 1


def test_details_are_changed_and_the_text_is_not(researcher: Client) -> None:
    upload(researcher, publication_date="1813-01-28")
    book = Book.objects.get()
    address = reverse("summarizer:book-edit", args=[book.pk])
    assert 'value="1813-01-28"' in researcher.get(address).text
    details = {"title": " The Mill Race ", "author": "I. Lund", "genres": "Novel, Saga", "publication_date": ""}
    assert researcher.post(address, details).url == reverse("summarizer:book", args=[book.pk])
    changed = Book.objects.get()
    assert (changed.title, changed.author, changed.genres) == ("The Mill Race", "I. Lund", ["Novel", "Saga"])
    assert changed.publication_date is None
    assert (changed.text, changed.text_sha256) == (book.text, book.text_sha256)


@pytest.mark.parametrize("details", [{"title": "  "}, {"title": "The Mill", "publication_date": "soon"}])
def test_wrong_details_change_nothing(researcher: Client, details: dict[str, str]) -> None:
    upload(researcher)
    book = Book.objects.get()
    response = researcher.post(reverse("summarizer:book-edit", args=[book.pk]), details)
    assert response.status_code == 400
    assert "field-error" in response.text
    assert Book.objects.get().title == book.title
