"""The commands that read book files, as a person at a shell sees them."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from summarizer.models import Book
from summarizer.tokens import count_tokens

NOVEL = (
    "The Mill\n\nby Ida Lund\n\nChapter 1\n\nEmma left the mill.\n\nAbout the Author\n\nIda Lund lives by the sea.\n"
)


@pytest.fixture
def novel(tmp_path: Path) -> str:
    path = tmp_path / "mill.txt"
    path.write_text(NOVEL)
    return str(path)


def run(*arguments: str) -> Any:
    output = StringIO()
    call_command(*arguments, stdout=output)
    return json.loads(output.getvalue())


def test_extract_prints_what_is_in_a_file(novel: str) -> None:
    document = run("extract", novel)
    start, border = NOVEL.index("Chapter 1"), NOVEL.index("\n\nAbout")
    assert document == {
        "title": "The Mill",
        "author": "Ida Lund",
        "characters": len(NOVEL),
        "tokens": count_tokens(NOVEL[start:border]),
        "sections": [
            {"title": "Before the first heading", "start": 0, "end": start, "included": False, "reason": "title page"},
            {"title": "Chapter 1", "start": start, "end": border, "included": True, "reason": ""},
            {
                "title": "About the Author",
                "start": border,
                "end": len(NOVEL),
                "included": False,
                "reason": "about the author",
            },
        ],
        "warnings": [],
    }


def test_extract_prints_the_text_when_asked(novel: str) -> None:
    assert run("extract", novel, "--text")["text"] == NOVEL


def test_chunk_prints_where_the_chunks_of_the_included_text_lie(novel: str) -> None:
    document = run("chunk", novel, "--size", "8")
    included = NOVEL[NOVEL.index("Chapter 1") : NOVEL.index("\n\nAbout")]
    assert document["tokens"] == count_tokens(included)
    assert "".join(NOVEL[piece["start"] : piece["end"]] for piece in document["chunks"]) == included
    for piece in document["chunks"]:
        assert piece["tokens"] == count_tokens(NOVEL[piece["start"] : piece["end"]]) <= 8


@pytest.mark.django_db
def test_add_book_stores_it(novel: str) -> None:
    document = run("add_book", novel, "--title", "A mill")
    book = Book.objects.get()
    assert document == {"book": book.pk, "tokens": book.tokens, "warnings": []}
    assert book.title == "A mill"
    with pytest.raises(CommandError, match="This text is here already, as “A mill”"):
        run("add_book", novel)


@pytest.mark.django_db
@pytest.mark.parametrize("command", [["extract"], ["chunk", "--size", "8"], ["add_book"]])
def test_what_can_not_be_read_is_one_line(tmp_path: Path, command: list[str], settings: Any) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n")
    large = tmp_path / "large.txt"
    large.write_text("x" * 2000)
    settings.UPLOAD_LIMIT_BYTES = 1000
    for name, words in (
        (str(empty), "No text was found"),
        (str(tmp_path / "gone.txt"), "No such file"),
        (str(tmp_path), "directory"),
        (str(large), "larger than"),
    ):
        with pytest.raises(CommandError, match=words) as refusal:
            run(command[0], name, *command[1:])
        assert "\n" not in str(refusal.value)


def test_a_chunk_size_below_one_is_refused(novel: str) -> None:
    with pytest.raises(CommandError, match="at least 1"):
        run("chunk", novel, "--size", "0")
