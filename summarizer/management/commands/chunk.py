from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from summarizer.chunking import chunk_sections
from summarizer.management.book_files import as_json, extract_file
from summarizer.management.options import whole_number
from summarizer.services.books import included_tokens


class Command(BaseCommand):
    help = "Cut the included text of a book file into chunks and print where they lie."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--size", type=whole_number, required=True, help="most tokens of a chunk")

    def handle(self, *_: Any, file: str, size: int, **__: Any) -> None:
        if size < 1:
            raise CommandError("--size must be at least 1 token.")
        book = extract_file(file)
        try:
            chunks = chunk_sections(book.text, book.included, size)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            as_json(
                {
                    "tokens": included_tokens(book.text, book.included),
                    "chunks": [asdict(chunk) for chunk in chunks],
                }
            )
        )
