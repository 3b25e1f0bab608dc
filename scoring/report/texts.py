"""Figures that need the texts themselves: trigrams of summaries, and of books where their text is stored."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from annotation.models import Study
from scoring.statistics.booookscore import mean_score
from scoring.statistics.statistic import Statistic
from scoring.statistics.trigrams import NO_BOOK, TOO_SHORT, Trigram, novel_share, repeated_share, trigrams
from summarizer.models import Book, Section, Summary


@dataclass(frozen=True)
class TextFigures:
    """Means over the summaries of a system."""

    repeated: Statistic
    novel: Statistic


def text_figures(study: Study, places: Mapping[int, int]) -> dict[int, TextFigures]:
    """By system. One book is in memory at a time. `places`: of books, in whose order figures are added up."""
    repeated: dict[int, dict[int, float | None]] = defaultdict(dict)
    novel: dict[int, dict[int, float | None]] = defaultdict(dict)
    included = _included(study)
    book_id, of_book = 0, set[Trigram]()
    columns = ("book_id", "system_id", "text")
    summaries = Summary.objects.filter(studies=study, book__in=list(places)).order_by("book_id")
    for row in summaries.values_list(*columns).iterator(200):
        if row[0] != book_id:
            book_id, of_book = row[0], _book_trigrams(row[0], included)
        repeated[row[1]][places[book_id]] = repeated_share(row[2]).value
        novel[row[1]][places[book_id]] = novel_share(row[2], of_book).value
    return {
        system: TextFigures(_mean(repeated[system], TOO_SHORT), _mean(novel[system], NO_BOOK)) for system in repeated
    }


def _mean(values: Mapping[int, float | None], reason: str) -> Statistic:
    mean = mean_score(values[place] for place in sorted(values))
    return mean if mean.value is not None else Statistic.undefined(reason)


def _included(study: Study) -> dict[int, list[tuple[int, int]]]:
    """Included stretches of those books that have a text."""
    ranges: dict[int, list[tuple[int, int]]] = defaultdict(list)
    sections = (
        Section.objects.filter(book__summaries__studies=study, included=True).distinct().order_by("book_id", "index")
    )
    for book_id, start, end in sections.values_list("book_id", "start", "end"):
        ranges[book_id].append((start, end))
    return ranges


def _book_trigrams(book_id: int, included: dict[int, list[tuple[int, int]]]) -> set[Trigram]:
    if not (ranges := included.get(book_id)):
        return set()
    text = Book.objects.values_list("text", flat=True).get(pk=book_id)
    return {trigram for start, end in ranges for trigram in trigrams(text[start:end])}
