"""Reading books. Lists never load their texts."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Lower

from summarizer.chunking import join_touching
from summarizer.models import Book, JobItem, Section, Summary

_PREVIEW = 220
_PAGE = 40_000


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section as the book's page lists it: its words, and how its text begins after its heading."""

    section: Section
    words: int
    beginning: str
    #: The part it stands under, where it differs from the one before.
    part: str


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page of a section's text, of about 40,000 characters."""

    text: str
    number: int
    count: int

    @property
    def before(self) -> int:
        return self.number - 1

    @property
    def after(self) -> int:
        return self.number + 1


def included_ranges(book: Book) -> list[tuple[int, int]]:
    """Stretches `[start, end)` of the book's text that are summarized, in order; those that touch are one."""
    return join_touching(book.sections.filter(included=True).values_list("start", "end"))


def books_listed(query: str = "") -> QuerySet[Book]:
    """Books by title with `summary_count`, `section_count` and `included_count`; all words must occur in a name."""
    books = Book.objects.defer("text", "warnings")
    for word in query.split():
        books = books.filter(Q(title__icontains=word) | Q(author__icontains=word) | Q(source_name__icontains=word))
    return books.annotate(
        summary_count=Count("summaries", distinct=True),
        section_count=Count("sections", distinct=True),
        included_count=Count("sections", filter=Q(sections__included=True), distinct=True),
    ).order_by(Lower("title"), "pk")


def sections_viewed(book: Book) -> list[SectionView]:
    viewed = []
    part = ""
    for section in book.sections.all():
        text = book.text[section.start : section.end]
        viewed.append(SectionView(section, len(text.split()), _beginning(text, section), _new(section.part, part)))
        part = section.part
    return viewed


def summaries_of(book: Book) -> QuerySet[Summary]:
    """The summaries of a book with `sentence_count`."""
    return (
        Summary.objects.filter(book=book)
        .defer("text")
        .select_related("system", "system__endpoint")
        .annotate(sentence_count=Count("sentences"))
        .order_by("system__name")
    )


def works_on(book: Book) -> bool:
    """Whether a job waits for the book or works on it."""
    return book.job_items.filter(state__in=JobItem.UNFINISHED).exists()


def can_be_deleted(book: Book) -> bool:
    return not book.summaries.exists() and not book.job_items.exists()


def page_of(book: Book, section: Section, number: int) -> TextPage:
    """Page `number` (from 1, kept within what there is) of a section; pages end at blank lines where they can."""
    text = book.text[section.start : section.end].strip("\n")
    borders = [0]
    while len(text) - borders[-1] > _PAGE:
        limit = borders[-1] + _PAGE
        cut = text.rfind("\n\n", borders[-1] + _PAGE // 2, limit)
        borders.append(cut + 2 if cut > 0 else limit)
    borders.append(len(text))
    count = len(borders) - 1
    number = min(max(number, 1), count)
    return TextPage(text[borders[number - 1] : borders[number]], number, count)


def _new(part: str, before: str) -> str:
    return part if part != before else ""


def _beginning(text: str, section: Section) -> str:
    """The first words of a section after the headings that its title and part repeat."""
    words = " ".join(text[: len(section.part) + len(section.title) + 4 * _PREVIEW].split())
    for heading in (section.part, section.title):
        words = words.removeprefix(" ".join(heading.split())).lstrip(" .:-")
    if len(words) <= _PREVIEW:
        return words
    return words[:_PREVIEW].rsplit(" ", 1)[0] + " …"
