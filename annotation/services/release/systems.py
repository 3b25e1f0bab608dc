"""Books by name, imported systems, their summaries and what was made on the way to them."""

from pathlib import Path

from annotation.models import Study
from annotation.release.files import ReleaseError, ReleaseFiles
from annotation.release.summaries import ReleasedSummary, read_summaries
from annotation.services.release.record import Record
from summarizer.models import Book, Summary, SummaryNode, System
from summarizer.services.summaries import create_summary
from summarizer.text import canonical_text, text_sha256
from summarizer.tokens import count_tokens

#: Summaries of the study: system name -> book name as in the release -> summary.
Summaries = dict[str, dict[str, Summary]]


class SummaryImport:
    """Finds or makes the summaries of one study. Keeps what it saw, so that later files find it without a query."""

    def __init__(self, study: Study, record: Record) -> None:
        self._study = study
        self._record = record
        self._books: dict[str, Book] = {}
        self._systems: dict[str, System] = {}
        self.found: Summaries = {}

    def take_files(self, files: ReleaseFiles) -> None:
        for name in sorted({*files.cleaned, *files.uncleaned}):
            cleaned = self._read(files, files.cleaned.get(name))
            uncleaned = self._read(files, files.uncleaned.get(name))
            for book in sorted({*cleaned, *uncleaned}):
                released = cleaned.get(book) or uncleaned[book]
                summary = self.take(name, book, released.final)
                for other in (cleaned.get(book), uncleaned.get(book)):
                    if other is not None and other.levels:
                        self._take_levels(summary, other)
            if cleaned and (lacking := sorted(uncleaned.keys() - cleaned.keys())):
                self._record.note(
                    files.name(files.cleaned[name]), f"No cleaned summary of {', '.join(lacking)}: taken as generated."
                )

    def _read(self, files: ReleaseFiles, path: Path | None) -> dict[str, ReleasedSummary]:
        summaries = read_summaries(path) if path else {}
        for book in (book for book, summary in summaries.items() if summary is None):
            self._record.note(files.name(path or files.root), f"{book} has no summary: left out.")
        return {book: summary for book, summary in summaries.items() if summary is not None}

    def take(self, system_name: str, book_name: str, text: str) -> Summary:
        """The stored summary, or a new one. Raises ReleaseError where another text is stored for it."""
        system, book = self._system(system_name), self._book(book_name)
        if summary := self.found.get(system.name, {}).get(book_name):
            return summary
        summary = Summary.objects.filter(system=system, book=book).first()
        if summary is None:
            summary = create_summary(book=book, system=system, text=text)
            self._record.created["summaries"] += 1
            self._record.created["sentences"] += summary.sentences.count()
        elif summary.text_sha256 != text_sha256(canonical_text(text)[0]):
            raise ReleaseError(
                f"There is already another summary of {book_name} by {system.name}. "
                "A stored summary never changes; rename the file to import this one as another system."
            )
        self.found.setdefault(system.name, {})[book_name] = summary
        return summary

    def finish(self) -> None:
        """Put all summaries into the study."""
        self._study.summaries.add(*(summary for books in self.found.values() for summary in books.values()))

    def _system(self, name: str) -> System:
        if name not in self._systems:
            system, created = System.objects.get_or_create(
                name=name, defaults={"strategy": System.Strategy.IMPORTED, "cleaned": True}
            )
            if system.strategy != System.Strategy.IMPORTED:
                raise ReleaseError(f"There is already a system {name}, made here. Rename it, or the file, first.")
            self._record.created["systems"] += created
            self._systems[name] = system
        return self._systems[name]

    def _book(self, name: str) -> Book:
        """A book that goes by this name, with its text if somebody uploaded it; else a new one without text."""
        if name not in self._books:
            book = Book.objects.filter(source_name=name).order_by("-tokens", "id").first()
            if book is None:
                title = name.removesuffix(".epub").replace("-", " ")
                book = Book.objects.create(
                    title=title[:1].upper() + title[1:], source_name=name, source_format=Book.Format.NO_TEXT
                )
                self._record.created["books"] += 1
            self._books[name] = book
        return self._books[name]

    def _take_levels(self, summary: Summary, released: ReleasedSummary) -> None:
        if summary.nodes.exists():
            return
        below: list[SummaryNode] = []
        for level, texts in enumerate(released.levels):
            nodes = SummaryNode.objects.bulk_create(
                SummaryNode(
                    summary=summary,
                    kind=_kind(level, index, released),
                    level=level,
                    index=index,
                    text=canonical_text(text)[0],
                    tokens=count_tokens(text),
                )
                for index, text in enumerate(texts)
            )
            self._record.created["intermediate summaries"] += len(nodes)
            if released.incremental:
                for node, previous in zip(nodes[1:], nodes, strict=False):
                    node.sources.add(previous)
            elif len(nodes) == 1:
                # Only here is it known which ones were merged: all of the level below.
                nodes[0].sources.add(*below)
            below = nodes


def _kind(level: int, index: int, released: ReleasedSummary) -> str:
    if level == 0 and (index == 0 or not released.incremental):
        return str(SummaryNode.Kind.CHUNK)
    return str(SummaryNode.Kind.UPDATE if released.incremental else SummaryNode.Kind.MERGE)
