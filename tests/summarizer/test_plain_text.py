from pathlib import Path

import pytest

from summarizer.extraction import ExtractedBook, ExtractionError, extract


def read(text: str | bytes, name: str = "a_novel.txt") -> ExtractedBook:
    return extract(text.encode() if isinstance(text, str) else text, name)


def titles(book: ExtractedBook) -> list[str]:
    return [section.title for section in book.sections]


def included_text(book: ExtractedBook) -> str:
    return "".join(book.text[start:end] for start, end in book.included)


def assert_covered(book: ExtractedBook) -> None:
    position = 0
    for section in book.sections:
        assert section.start == position
        position = section.end
    assert position == len(book.text)


def test_a_text_without_headings_is_one_section_and_kept_whole() -> None:
    text = (
        "This header should be the first thing seen.\nProject Gutenberg Etext of Verses\n\nEmma left.\nRolf stayed.\n"
    )
    book = read(text, "some_verses.txt")
    assert book.text == text == included_text(book)
    assert titles(book) == ["Whole text"]
    assert book.title == "some verses"
    assert book.source_format == "text"


def test_project_gutenberg_frame_is_left_out_and_names_the_book() -> None:
    book = read(
        "The Project Gutenberg eBook of Boats\n\nTitle: Boats\nAuthor: Ida Lund\n\n"
        "*** START OF THE PROJECT GUTENBERG EBOOK BOATS ***\n\nProduced by A. Reader\nand B. Reader\n\n"
        "Emma left.\nRolf stayed.\n\nEnd of the Project Gutenberg EBook of Boats, by Ida Lund\n\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK BOATS ***\n\nSection 1. General Terms of Use\n"
    )
    assert included_text(book) == "Emma left.\nRolf stayed."
    assert (book.title, book.author) == ("Boats", "Ida Lund")
    assert [section.included for section in book.sections] == [False, True, False]
    assert [section.reason for section in book.sections] == ["Project Gutenberg header", "", "licence"]
    assert_covered(book)


def test_markers_with_nothing_between_them_cut_nothing_off() -> None:
    text = (
        "*** START OF THE PROJECT GUTENBERG EBOOK BOATS ***\n"
        "*** END OF THE PROJECT GUTENBERG EBOOK BOATS ***\nEmma left.\n"
    )
    assert included_text(read(text)) == text


def test_chapters_are_sections_and_title_and_author_are_found() -> None:
    book = read(
        "THE MILL\n\nBy Ida Lund\n\n\nCHAPTER I.\nThe River\n\nEmma left.\n\nChapter 2\n\nRolf saw Chapter 2 of it.\n\n"
        "Part of it was gone.\n\nEPILOGUE\n\nMia came.\n"
    )
    assert (book.title, book.author) == ("THE MILL", "Ida Lund")
    assert titles(book) == ["Before the first heading", "CHAPTER I. The River", "Chapter 2", "EPILOGUE"]
    assert [section.included for section in book.sections] == [False, True, True, True]
    assert_covered(book)


@pytest.mark.parametrize(
    "lines",
    [
        "THE MILL",
        "A Novel",  # the file's name
        "The Mill\n\n\nby\n\nIda Lund\n\n(1818)",
        "THE MILL\n\nA Tale of the River\n\nBY IDA LUND.\n\nIN TWO VOLUMES",
        "The Mill\nby H. G. Lund\nTranslated by Ole von Berg\nWith illustrations by the author\n[Illustration]",
        "THE MILL\n* * *\nAuthor of “The Dam”",
    ],
)
def test_lines_of_title_and_author_alone_are_a_title_page_and_left_out(lines: str) -> None:
    book = read(f"{lines}\n\nChapter 1\n\nEmma left.\n\nChapter 2\n\nRolf stayed.\n")
    assert [(section.included, section.reason) for section in book.sections] == [
        (False, "title page"),
        (True, ""),
        (True, ""),
    ]
    assert included_text(book).startswith("Chapter 1\n\nEmma")
    assert_covered(book)


@pytest.mark.parametrize(
    "lines",
    [
        "By noon the river had risen.",
        "From the sea they came, and to the sea they went.",
        "With her went the light.",
        "THE MILL\n\nby Ida Lund\n\nEmma drowned on a Sunday.",
        "THE MILL\n\nFor my mother",
        "THE MILL\n\nWho has seen the wind?\nNeither you nor I",
        "1818",
        f"THE MILL\n\n{'THE WATER ROSE AND ROSE UNTIL NOTHING WAS LEFT OF IT ' * 3}",
    ],
)
def test_anything_else_before_the_first_heading_stays_in(lines: str) -> None:
    book = read(f"{lines}\n\nChapter 1\n\nEmma left.\n\nChapter 2\n\nRolf stayed.\n")
    assert titles(book) == ["Before the first heading", "Chapter 1", "Chapter 2"]
    assert included_text(book) == book.text


def test_a_part_heads_the_chapters_after_it() -> None:
    book = read(
        "PART ONE\n\nChapter 1\n\nEmma left.\n\nChapter 2\n\nRolf stayed.\n\nPART TWO\n\nChapter 1\n\nMia came.\n"
    )
    assert [(section.part, section.title) for section in book.sections] == [
        ("PART ONE", "Chapter 1"),
        ("PART ONE", "Chapter 2"),
        ("PART TWO", "Chapter 1"),
    ]
    assert book.text[book.sections[2].start :].startswith("PART TWO")
    assert_covered(book)


def test_a_contents_list_is_one_section_and_left_out() -> None:
    book = read(
        "The Mill\n\nContents\n\nChapter 1\n\nChapter 2\n\nChapter 1\n\nEmma left the mill at noon.\n\n"
        f"Chapter 2\n\n{'Rolf stayed there until night. ' * 20}\n\nAbout the Author\n\nIda Lund lives by the sea.\n"
    )
    assert [(section.title, section.included) for section in book.sections] == [
        ("Before the first heading", True),
        ("Contents", False),
        ("Chapter 1", True),
        ("Chapter 2", True),
        ("About the Author", False),
    ]


def test_a_line_like_back_matter_amid_the_story_leaves_nothing_out() -> None:
    story = "Emma read on and on. " * 30
    book = read(f"Chapter 1\n\n{story}\n\nNotes\n\n{story}\n\nChapter 2\n\n{story}\n")
    assert titles(book) == ["Chapter 1", "Chapter 2"]
    book = read(f"{story}\n\nNotes\n\n{story}\n")
    assert included_text(book) == book.text


def test_bare_roman_numerals_are_headings_only_in_number() -> None:
    assert titles(read("I\n\nEmma left.\n\nII\n\nRolf stayed.\n\nIII\n\nMia came.\n")) == ["I", "II", "III"]
    assert titles(read("Emma said:\n\nI\n\nand left.\n")) == ["Whole text"]
    titled = "I. THE RIVER\n\nEmma left.\n\nII. THE MILL\n\nRolf stayed.\n\nIII. NIGHT\n\nMia came.\n"
    assert titles(read(titled)) == ["I. THE RIVER", "II. THE MILL", "III. NIGHT"]


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("CHAPTER XII", True),
        ("Chapter Twenty-One", True),
        ("CHAPTER THE FIRST", True),
        ("Chapter 3: The Mill", True),
        ("Chapter 3 The Mill", True),
        ("BOOK II.", True),
        ("Letter 4", True),
        ("Prologue", True),
        ("Book I read.", False),
        ("Act one of kindness", False),
        ("Part of it was gone.", False),
        ("Chapter and verse", False),
    ],
)
def test_lines_that_are_headings(line: str, is_heading: bool) -> None:
    book = read(f"Emma left.\n\n{line}\n\nRolf stayed.\n")
    assert (line in [section.title for section in book.sections]) is is_heading


def test_a_sentence_that_begins_like_a_heading_is_none() -> None:
    book = read("Emma read.\n\nChapter 2 was lost, so she went to bed and read no more of it,\n\nand slept.\n")
    assert titles(book) == ["Whole text"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "No text"),
        (b" \r\n\t\r\n", "No text"),
        (b"***\n---\n", "No text"),
        (b"%PDF-1.7 ...", "a PDF"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "an image"),
        (bytes(range(32)) * 30, "not a text"),
        ("他走了。".encode("gb18030") * 50, "UTF-8"),
    ],
)
def test_what_is_no_text_is_refused_in_words(data: bytes, words: str) -> None:
    with pytest.raises(ExtractionError, match=words):
        read(data)


def test_too_large_a_file_is_refused() -> None:
    with pytest.raises(ExtractionError, match="larger than 1 MB"):
        extract(b"a " * 600_000, "a.txt", limit_bytes=1024 * 1024)


def test_the_novels_have_their_chapters(shared_data: Path) -> None:
    for name, title, chapters in (
        ("persuasion.txt", "Persuasion", 24),
        ("prideprejudice.txt", "PRIDE AND PREJUDICE", 61),
    ):
        data = (shared_data / "books" / name).read_bytes()
        book = extract(data, name)
        assert (book.title, book.author) == (title, "Jane Austen")
        assert titles(book) == ["Before the first heading", *(f"Chapter {number}" for number in range(1, chapters + 1))]
        assert [section.reason for section in book.sections] == ["title page", *[""] * chapters]
        assert included_text(book).startswith("Chapter 1\n")
        assert included_text(book).endswith(book.text[-200:])
        assert book.warnings == []
        assert_covered(book)
