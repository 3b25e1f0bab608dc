"""Books as rows: what is stored, what is refused, and that nothing is half stored."""

from datetime import date
from typing import Any

import pytest
from django.db import IntegrityError

from summarizer.chunking import Chunk
from summarizer.extraction import ExtractionError
from summarizer.models import Book, Endpoint, Job, JobItem, Section, Summary, System
from summarizer.selectors.books import books_listed, included_ranges, page_of, sections_viewed
from summarizer.services import books
from summarizer.services.books import BookError, BookExists, BookInUse, add_book, choose_sections, delete_book
from summarizer.services.summaries import SummaryExists, create_summary
from summarizer.tokens import count_tokens
from tests.factories import make_summary, make_user
from tests.summarizer.epub_files import epub, page

pytestmark = pytest.mark.django_db

NOVEL = (
    "The Mill\n\nby Ida Lund\n\nContents\n\nChapter 1\n\nChapter 2\n\n"
    "Chapter 1\n\nEmma left the mill at noon.\n\nChapter 2\n\nRolf stayed there until night.\n"
)


def make_book(text: str = NOVEL, **values: Any) -> Book:
    return add_book(data=text.encode(), filename="the_mill.txt", **values)


def job_on(book: Book, state: str) -> JobItem:
    endpoint = Endpoint.objects.create(name=f"extractive-{Job.objects.count()}", provider=Endpoint.Provider.EXTRACTIVE)
    job = Job.objects.create(kind="summarize", endpoint=endpoint)
    return JobItem.objects.create(job=job, index=0, book=book, state=state)


def test_a_book_is_stored_with_its_sections() -> None:
    user = make_user("researcher")
    book = make_book(genres=["Novel", " "], publication_date=date(2024, 5, 1), added_by=user)
    book.refresh_from_db()
    assert (book.title, book.author, book.source_name) == ("The Mill", "Ida Lund", "the_mill.txt")
    assert (book.genres, book.publication_date, book.added_by) == (["Novel"], date(2024, 5, 1), user)
    assert book.text == NOVEL
    assert list(book.sections.values_list("title", "included", "reason")) == [
        ("Before the first heading", False, "title page"),
        ("Contents", False, "contents list"),
        ("Chapter 1", True, ""),
        ("Chapter 2", True, ""),
    ]
    (story,) = included_ranges(book)
    assert NOVEL[slice(*story)].startswith("Chapter 1\n\nEmma")
    assert book.tokens == count_tokens(NOVEL[slice(*story)])


def test_given_title_and_author_go_before_those_of_the_file() -> None:
    book = make_book(title="  My\n mill\0 ", author="I. Lund")
    assert (book.title, book.author) == ("My mill", "I. Lund")


def test_a_very_long_title_is_cut_to_its_column() -> None:
    assert len(make_book(title="x" * 900).title) == 500


def test_the_same_text_is_refused_naming_the_book_that_has_it() -> None:
    book = make_book()
    with pytest.raises(BookExists, match="“The Mill”") as refusal:
        add_book(data=b"\xef\xbb\xbf" + NOVEL.replace("\n", "\r\n").encode(), filename="again.txt")
    assert refusal.value.book == book
    assert Book.objects.count() == 1


def test_two_uploads_at_once_make_one_book(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second passes the look-up before the first has saved; the constraint decides."""
    look_up = books._refuse_known
    calls = []

    def late(sha256: str) -> None:
        calls.append(sha256)
        if len(calls) == 1:
            Book.objects.create(title="The first", source_format=Book.Format.PLAIN_TEXT, text=NOVEL, text_sha256=sha256)
        else:
            look_up(sha256)

    monkeypatch.setattr(books, "_refuse_known", late)
    with pytest.raises(BookExists, match="The first"):
        make_book()
    assert Book.objects.count() == 1
    assert Section.objects.count() == 0


def test_nothing_is_stored_when_the_sections_can_not_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise IntegrityError("some other constraint")

    monkeypatch.setattr(Section.objects, "bulk_create", fail)
    with pytest.raises(IntegrityError):
        make_book()
    assert Book.objects.count() == 0


@pytest.mark.parametrize(("data", "name"), [(b" \n", "a.txt"), (b"no zip", "a.epub"), (b"%PDF-1.4", "a.pdf")])
def test_an_unreadable_file_stores_nothing(data: bytes, name: str) -> None:
    with pytest.raises(ExtractionError):
        add_book(data=data, filename=name)
    assert Book.objects.count() == 0


def test_nul_in_a_text_is_stored_as_a_warning() -> None:
    book = make_book("Emma left.\0 Rolf stayed.\n")
    book.refresh_from_db()
    assert book.text == "Emma left. Rolf stayed.\n"
    assert book.warnings == ["1 NUL character was removed."]


def test_the_format_and_the_part_of_an_epub_are_stored() -> None:
    book = add_book(data=epub({"c1.xhtml": page("<p>Emma left.</p>")}), filename="a.epub")
    assert book.source_format == Book.Format.EPUB


def test_choosing_sections_counts_tokens_anew_and_keeps_the_proposal() -> None:
    book = make_book()
    assert choose_sections(book=book, included={0, 1, 2}, chosen_by="ada") == 3
    book.refresh_from_db()
    contents, _, last = book.sections.all()[1:4]
    assert (contents.included, contents.reason, contents.proposed_reason) == (True, "", "contents list")
    assert (last.included, last.reason) == (False, "left out by ada")
    assert included_ranges(book) == [(0, last.start)]
    assert book.tokens == count_tokens(NOVEL[: last.start])
    choose_sections(book=book, included={0, 2, 3}, chosen_by="ada")
    assert book.sections.get(index=1).reason == "contents list"
    assert choose_sections(book=book, included={0, 2, 3}, chosen_by="ada") == 0


def test_a_book_keeps_at_least_one_section() -> None:
    book = make_book()
    with pytest.raises(BookError, match="At least one section"):
        choose_sections(book=book, included=set(), chosen_by="ada")
    assert book.sections.filter(included=True).count() == 2


def test_sections_are_fixed_while_a_job_works_on_the_book() -> None:
    book = make_book()
    item = job_on(book, JobItem.State.RUNNING)
    with pytest.raises(BookInUse, match="A job works on this book"):
        choose_sections(book=book, included={0}, chosen_by="ada")
    JobItem.objects.filter(pk=item.pk).update(state=JobItem.State.DONE)
    assert choose_sections(book=book, included={0}, chosen_by="ada") == 3


def test_only_an_unused_book_is_deleted() -> None:
    book = make_book()
    item = job_on(book, JobItem.State.FAILED)
    with pytest.raises(BookInUse, match="can't be deleted"):
        delete_book(book=book)
    assert book.sections.count() == 4
    item.delete()
    delete_book(book=Book.objects.get())
    assert Section.objects.count() == 0


def test_the_list_searches_names_and_loads_no_text(django_assert_num_queries: Any) -> None:
    make_book()
    make_book("Another text.", title="The River", author="Ole Vik")
    with django_assert_num_queries(1):
        found = list(books_listed("ida MILL"))
    assert [book.title for book in found] == ["The Mill"]
    assert "text" in found[0].get_deferred_fields()
    assert (found[0].section_count, found[0].included_count, found[0].summary_count) == (4, 2, 0)


def test_sections_are_shown_with_how_they_begin() -> None:
    views = sections_viewed(make_book())
    assert views[2].beginning == "Emma left the mill at noon."
    assert views[2].words == 8


def test_a_long_section_is_read_in_pages_that_lose_nothing() -> None:
    book = make_book("".join(f"Paragraph {number} of a long text without chapters.\n\n" for number in range(3000)))
    section = book.sections.get()
    first = page_of(book, section, 1)
    assert first.count > 2
    pages = [page_of(book, section, number).text for number in range(1, first.count + 1)]
    assert "".join(pages) == book.text.strip("\n")
    assert all(text.endswith("\n\n") for text in pages[:-1])
    assert page_of(book, section, 999).number == first.count


def test_included_ranges_chunk_as_the_book_is_read() -> None:
    from summarizer.chunking import chunk_sections

    book = make_book()
    chunks: list[Chunk] = chunk_sections(book.text, included_ranges(book), 1000)
    assert sum(piece.tokens for piece in chunks) == book.tokens


# --- summaries ------------------------------------------------------------------------------------------------------


def test_a_summary_is_stored_as_canonical_text_with_its_sentences() -> None:
    earlier = make_summary()
    book = make_book()
    summary = create_summary(book=book, system=earlier.system, text="\n  Emma left.\r\nRolf. ")
    assert summary.text == "\n  Emma left.\nRolf. "
    spans = list(summary.sentences.values_list("index", "start", "end"))
    assert spans == [(0, 3, 13), (1, 14, 19)]
    assert summary.text[14:19] == "Rolf."
    assert summary.tokens == count_tokens(summary.text)
    assert "punkt" in summary.splitter


def test_the_setting_chooses_how_summaries_are_split_and_each_says_how(settings: Any) -> None:
    earlier = make_summary()
    settings.SENTENCE_SPLITTER = "strict"
    strict = create_summary(book=make_book(), system=earlier.system, text="Ms. Rob left.")
    settings.SENTENCE_SPLITTER = "punkt"
    usual = create_summary(
        book=earlier.book, system=System.objects.create(name="other", strategy="imported"), text="Ms. Rob left."
    )
    assert (strict.sentences.count(), usual.sentences.count()) == (1, 2)
    assert strict.splitter != usual.splitter


def test_an_empty_summary_has_no_sentence() -> None:
    summary = create_summary(book=make_book(), system=make_summary().system, text=" \n")
    assert summary.sentences.count() == 0


def test_a_system_summarizes_a_book_once() -> None:
    summary = create_summary(book=make_book(), system=make_summary().system, text="Emma left.")
    with pytest.raises(SummaryExists, match="has a summary of “The Mill” already"):
        create_summary(book=summary.book, system=summary.system, text="Rolf stayed.")
    assert Summary.objects.get(pk=summary.pk).text == "Emma left."
    assert Summary.objects.filter(book=summary.book).count() == 1


def test_a_summary_without_sentences_saved_is_not_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    from summarizer.models import Sentence

    book, system = make_book(), make_summary().system

    def fail(*_: object, **__: object) -> None:
        raise IntegrityError("sentences")

    monkeypatch.setattr(Sentence.objects, "bulk_create", fail)
    with pytest.raises(IntegrityError):
        create_summary(book=book, system=system, text="Emma left.")
    assert not Summary.objects.filter(book=book).exists()
