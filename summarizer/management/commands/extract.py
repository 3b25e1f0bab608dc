from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from summarizer.extraction import ExtractedSection
from summarizer.management.book_files import as_json, extract_file
from summarizer.services.books import included_tokens


class Command(BaseCommand):
    help = "Read a plain text or an EPUB and print what was found in it, without adding it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("--text", action="store_true", help="print the whole text too, to which the offsets refer")

    def handle(self, *_: Any, file: str, text: bool, **__: Any) -> None:
        book = extract_file(file)
        document = {
            "title": book.title,
            "author": book.author,
            "characters": len(book.text),
            "tokens": included_tokens(book.text, book.included),
            "sections": [_section(section) for section in book.sections],
            "warnings": book.warnings,
        }
        if text:
            document["text"] = book.text
        self.stdout.write(as_json(document))


def _section(section: ExtractedSection) -> dict[str, Any]:
    fields = asdict(section)
    return {name: fields[name] for name in ("title", "start", "end", "included", "reason")}
