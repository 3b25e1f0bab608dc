"""The LongEval release's articles: a line each, with the article and a summary of it by each of several systems."""

import re
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from annotation.models import Study
from annotation.services.studies import StudyError, create_study
from scoring.imports.context import ImportRefused
from scoring.imports.rows import FileRow, jsonl_rows, read_text
from scoring.imports.summaries import imported_system, put_into, store_summary
from summarizer.extraction import ExtractionError
from summarizer.models import Book, Summary
from summarizer.services.books import BookExists, add_book
from summarizer.text import storable

#: Keys of a line that are no system.
NO_SYSTEMS = {"article", "section_names", "id", "title"}
#: What models write at the beginning and the end of an answer, and never mean.
ARTEFACTS = ("<s>", "</s>", "<pad>", "<n>", "<unk>", "<|endoftext|>")
ARTEFACT = re.compile(rf"\s*(?:{'|'.join(map(re.escape, ARTEFACTS))})\s*")
LONGEST_TITLE = 80


@dataclass
class _Found:
    summaries: list[tuple[Summary, bool]] = field(default_factory=list)
    books: int = 0
    notes: list[dict[str, str]] = field(default_factory=list)


def import_longeval(*, data: bytes, filename: str, study_name: str) -> dict[str, Any]:
    """Store the articles as books, and their summaries as those of imported systems, in a study that is being set up.

    Every key of a line but `article` and `section_names` (and `id`, `title`) is a system. A study that is not here yet
    is made. What a model left at both ends of a summary (`<s>`, `</s>`, `<pad>`, `<n>`, also repeated) is taken off,
    and inside `<n>`, which stands for a line's end, becomes one; both are noted with the study. A second import of the
    same file changes nothing.
    Returns {"study", "books": how many are new, "systems", "summaries": [{"book", "system", "summary", "new"}],
    "notes": how many}.
    Raises ImportRefused, naming the line, and then nothing is stored.
    """
    rows = list(jsonl_rows(read_text(data)))
    if not rows:
        raise ImportRefused(f"{filename} holds no articles.")
    try:
        with transaction.atomic():
            study = Study.objects.filter(name=study_name).first() or create_study(name=study_name, review_overlap=0)
            found = _Found()
            for row in rows:
                _store(row, filename, found)
            put_into(study, [summary for summary, _ in found.summaries])
            _note(study, found.notes)
    except StudyError as error:
        raise ImportRefused(str(error)) from error
    return {
        "study": study.name,
        "books": found.books,
        "systems": sorted({summary.system.name for summary, _ in found.summaries}),
        "summaries": [
            {"book": each.book.title, "system": each.system.name, "summary": each.pk, "new": is_new}
            for each, is_new in found.summaries
        ],
        "notes": len(found.notes),
    }


def clean_summary(text: str) -> tuple[str, str]:
    """A summary without what its model left in it, and what was done, in words; "" where nothing was.

    >>> clean_summary("<s> one.<n> two.</s><pad>")
    ('one.\\n two.', 'Taken off its ends: <s>, </s><pad>; 1 <n> inside became a line break.')
    """
    begin, end = 0, len(text)
    while match := ARTEFACT.match(text, begin, end):
        begin = match.end()
    while text.endswith(ARTEFACTS, begin, last := _without_space(text, begin, end)):
        artefact = next(each for each in ARTEFACTS if text.endswith(each, begin, last))
        end = _without_space(text, begin, last - len(artefact))
    head, tail = "".join(text[:begin].split()), "".join(text[end:].split())
    if len(tail) > 20:
        tail = f"{tail[:20]}… ({len(tail)} characters)"
    inside = text[begin:end]
    breaks = inside.count("<n>")
    done = []
    if head or tail:
        done.append(f"Taken off its ends: {', '.join(filter(None, (head, tail)))}")
    if breaks:
        done.append(f"{breaks} <n> inside became {'a line break' if breaks == 1 else 'line breaks'}")
    return inside.replace("<n>", "\n").strip(), f"{'; '.join(done)}." if done else ""


def _without_space(text: str, begin: int, end: int) -> int:
    """Where `text[begin:end]` ends without the white space at its end; in time that grows with that alone."""
    while end > begin and text[end - 1].isspace():
        end -= 1
    return end


def _store(row: FileRow, filename: str, found: _Found) -> None:
    article = row.name("article")
    systems = {key: value for key, value in row.values.items() if key not in NO_SYSTEMS}
    if not systems:
        row.refuse("it has no summary: every key but article and section_names is a system.")
    book, is_new = _book(row, article, filename)
    found.books += is_new
    for name in systems:
        text, note = clean_summary(row.text(name))
        if not text:
            row.refuse(f"the summary by {name} is empty.")
        if note:
            found.notes.append({"where": f"{filename}, {row.where.lower()}, {name}", "what": note})
        found.summaries.append(store_summary(row, book, imported_system(name), text))


def _book(row: FileRow, article: str, filename: str) -> tuple[Book, bool]:
    """By the text; titles are the first words, because the release has none."""
    title = row.values.get("title")
    title = storable(title) if isinstance(title, str) and title.strip() else first_words(article)
    name = f"{filename.rsplit('.', 1)[0]}, {row.where.lower()}.txt"
    try:
        return add_book(data=article.encode(), filename=name, title=title), True
    except BookExists as error:
        return error.book, False
    except ExtractionError as error:
        row.refuse(str(error))


def first_words(article: str) -> str:
    """Whole words, up to a length."""
    words = " ".join(article.split())
    if len(words) <= LONGEST_TITLE:
        return words
    return f"{words[:LONGEST_TITLE].rsplit(' ', 1)[0]} …"


def _note(study: Study, notes: list[dict[str, str]]) -> None:
    new = [note for note in notes if note not in study.import_notes]
    if new:
        study.import_notes = [*study.import_notes, *new]
        study.save(update_fields=["import_notes"])
