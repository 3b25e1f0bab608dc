from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from summarizer.extraction import ExtractionError
from summarizer.management.book_files import as_json, read_file
from summarizer.services.books import BookError, add_book


class Command(BaseCommand):
    help = "Add a plain text or an EPUB as a book."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--title", help="instead of the title that the file gives")

    def handle(self, *_: Any, file: str, title: str | None, **__: Any) -> None:
        try:
            book = add_book(data=read_file(file), filename=Path(file).name, title=title)
        except (ExtractionError, BookError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(as_json({"book": book.pk, "tokens": book.tokens, "warnings": book.warnings}))
