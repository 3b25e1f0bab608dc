"""Damaged, protected and hostile EPUBs: refused in words, or read without what is bad; nothing is written."""

import io
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from summarizer.extraction import ExtractionError, extract
from tests.summarizer.epub_files import epub, page

ONE, TWO = (page(f"<p>{text}</p>") for text in ("ONE Emma wakes.", "TWO Rolf writes."))
MEGABYTE = 1024 * 1024


def encryption(algorithm: str, path: str) -> dict[str, str]:
    return {
        "META-INF/encryption.xml": (
            '<?xml version="1.0"?><encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
            'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
            f'<enc:EncryptionMethod Algorithm="{algorithm}"/>'
            f'<enc:CipherData><enc:CipherReference URI="{path}"/></enc:CipherData></enc:EncryptedData></encryption>'
        )
    }


def test_scrambled_fonts_are_harmless() -> None:
    extra = encryption("http://www.idpf.org/2008/embedding", "OEBPS/f.otf") | {"OEBPS/f.otf": "x"}
    assert extract(epub({"c1.xhtml": ONE}, extra=extra), "a.epub").text == "ONE Emma wakes."


def test_an_encrypted_chapter_is_refused_as_protected() -> None:
    extra = encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/c1.xhtml")
    with pytest.raises(ExtractionError, match="protected"):
        extract(epub({"c1.xhtml": bytes(range(256)) * 4}, extra=extra), "a.epub")


def test_a_file_that_is_no_archive_or_half_of_one() -> None:
    whole = epub({"c1.xhtml": ONE})
    for data in (b"This is not an EPUB.", whole[: len(whole) // 2], b"PK\x03\x04"):
        with pytest.raises(ExtractionError, match="not a readable EPUB"):
            extract(data, "a.epub")


def test_a_damaged_chapter_is_left_out_with_a_warning() -> None:
    data = bytearray(epub({"c1.xhtml": page("<p>" + "Emma left. " * 200 + "</p>"), "c2.xhtml": TWO}))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        start = archive.getinfo("OEBPS/c1.xhtml").header_offset
    for place in range(start + 60, start + 70):
        data[place] ^= 0xFF
    book = extract(bytes(data), "a.epub")
    assert book.text == "TWO Rolf writes."
    assert "OEBPS/c1.xhtml" in book.warnings[0]


def test_what_unpacks_to_too_much_is_refused_within_the_budget() -> None:
    bomb = epub({"c1.xhtml": page("<p>" + " " * (64 * MEGABYTE) + "</p>")})
    assert len(bomb) < MEGABYTE
    limit = 8 * MEGABYTE
    tracemalloc.start()
    try:
        with pytest.raises(ExtractionError, match="unpacks to more than 8 MB"):
            extract(bomb, "a.epub", limit_bytes=limit)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < limit + 32 * MEGABYTE


def test_the_budget_is_for_all_files_together() -> None:
    chapters = {f"c{number}.xhtml": page("<p>Emma " + " " * MEGABYTE + "</p>") for number in range(5)}
    with pytest.raises(ExtractionError, match="unpacks to more than 4 MB"):
        extract(epub(chapters), "a.epub", limit_bytes=4 * MEGABYTE)


def test_no_entity_is_expanded_and_no_file_of_the_machine_is_read() -> None:
    nested = "".join(f'<!ENTITY {name} "{f"&{inner};" * 10}">' for inner, name in zip("abcdef", "bcdefg", strict=True))
    hostile = (
        f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "ha">{nested}<!ENTITY xxe SYSTEM "file:///etc/passwd">]>'
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>ONE &xxe; &g;</p></body></html>'
    )
    started = time.perf_counter()
    book = extract(epub({"c1.xhtml": hostile, "c2.xhtml": TWO}), "a.epub")
    assert time.perf_counter() - started < 1
    assert "root:" not in book.text
    assert "haha" not in book.text
    assert len(book.text) < 1000
    assert book.text.endswith("TWO Rolf writes.")


def test_hostile_entities_in_the_package_do_nothing() -> None:
    data = epub({"c1.xhtml": ONE}, metadata="<dc:title>&xxe;</dc:title>")
    assert "root:" not in extract(data, "a.epub").title


def test_a_path_out_of_the_archive_is_left_out_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    data = epub(
        {"c2.xhtml": TWO},
        items='<item id="c1" href="../../../../etc/passwd" media-type="application/xhtml+xml"/>',
        spine=["c1", "c2.xhtml"],
        extra={"../evil.txt": "x"},
    )
    book = extract(data, "a.epub")
    assert book.text == "TWO Rolf writes."
    assert len(book.warnings) == 1
    assert "outside" in book.warnings[0]
    assert [path.name for path in tmp_path.rglob("*")] == ["inside"]


def test_pictures_only_or_no_document_at_all_is_refused() -> None:
    with pytest.raises(ExtractionError, match="No text was found"):
        extract(epub({"c1.xhtml": page('<p><img src="p1.jpg" alt=""/></p>')}), "a.epub")
    with pytest.raises(ExtractionError, match="No text was found"):
        extract(epub({}), "a.epub")


def test_deep_nesting_and_many_tags_do_not_hang() -> None:
    started = time.perf_counter()
    for body in (
        "<div>" * 20_000 + "deep",
        "<p>" * 100_000,
        "<a href='" * 20_000,
        "&" * 200_000,
        "<a " * 50_000 + "/>",
    ):
        try:
            extract(epub({"c1.xhtml": page(body), "c2.xhtml": TWO}), "a.epub")
        except ExtractionError:
            continue
    assert time.perf_counter() - started < 15


def test_half_a_surrogate_pair_is_no_character() -> None:
    package = epub(
        {"c1.xhtml": page("<p>ONE &#xD800;Emma &#56320;wakes &#x1F600;.</p>")},
        metadata="<dc:title>A &#xDFFF; title</dc:title>",
    )
    book = extract(package, "a.epub")
    assert (book.title, book.text) == ("A \ufffd title", "ONE \ufffdEmma \ufffdwakes \N{GRINNING FACE}.")


@pytest.mark.parametrize("depth", [100, 300, 3000])
@pytest.mark.parametrize("end", ["</div>", ""], ids=["closed", "left open"])
def test_no_text_is_lost_without_a_word_however_deep_it_lies(depth: int, end: str) -> None:
    deep = page(f"<p>ONE.</p>{'<div>' * depth}TWO.{end * depth}<p>THREE.</p>")
    book = extract(epub({"c1.xhtml": deep, "c2.xhtml": page("<p>FOUR.</p>")}), "a.epub")
    told = any("c1.xhtml" in warning and "too deeply" in warning for warning in book.warnings)
    assert told is (depth > 256)
    assert all(word in book.text for word in ("ONE", "TWO", "THREE")) is not told
    assert "FOUR." in book.text


def test_a_chapter_in_another_encoding_than_it_declares_is_read_with_a_warning() -> None:
    document = page("<p>\u201cWait,\u201d said Zo\u00eb.</p>")
    book = extract(epub({"c1.xhtml": document.encode("cp1252"), "c2.xhtml": document.encode()}), "a.epub")
    assert book.text == "\u201cWait,\u201d said Zo\u00eb.\n\n\u201cWait,\u201d said Zo\u00eb."
    (warning,) = book.warnings
    assert warning.startswith("OEBPS/c1.xhtml is not in the encoding that it declares; it was read as Windows-1252")


def test_unreadable_characters_are_counted() -> None:
    damaged = page("<p>Emma X waits.</p>").encode("utf-16").replace(b"X\0", b"\x00\xd8")
    book = extract(epub({"c1.xhtml": damaged}), "a.epub")
    assert book.text == "Emma \ufffd waits."
    assert book.warnings == ["Unreadable characters in OEBPS/c1.xhtml, which stand as \ufffd: 1."]
