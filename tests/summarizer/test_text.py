"""Bytes to canonical text. Offsets of everything else rest on it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer.text import NotText, canonical_text, decode, text_sha256


def read(data: bytes) -> str:
    return canonical_text(decode(data).text)[0]


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"Emma\x92s boat left.\r\n\x93Wait,\x94 said Rolf.\r\n", "Emma’s boat left.\n“Wait,” said Rolf.\n", "cp1252"),
        (b"\xef\xbb\xbfEmma left.\r\nMia \xf0\x9f\x98\x80 waits.\r\n", "Emma left.\nMia 😀 waits.\n", "utf-8"),
        ("\ufeffEmma left.\nRolf stayed.\n".encode("utf-16-le"), "Emma left.\nRolf stayed.\n", "utf-16-le"),
        ("\ufeffEmma left.\n".encode("utf-16-be"), "Emma left.\n", "utf-16-be"),
        ("Emma left.\n".encode("utf-16-le"), "Emma left.\n", "utf-16-le"),
        ("\ufeffEmma left.\n".encode("utf-32-le"), "Emma left.\n", "utf-32-le"),
        ("Жили-были дед да баба.".encode(), "Жили-были дед да баба.", "utf-8"),
    ],
)
def test_encodings(data: bytes, text: str, encoding: str) -> None:
    assert decode(data).encoding == encoding
    assert read(data) == text


def test_a_guessed_encoding_is_told() -> None:
    assert "Windows-1252" in decode(b"Emma\x92s boat").warnings[0]
    assert decode("Emma’s boat".encode()).warnings == []


def test_one_damaged_place_does_not_turn_utf8_into_windows_1252() -> None:
    decoded = decode("“Wait,” said Rolf – ".encode() + b"\xff" + b" and left.")
    assert decoded.text == "“Wait,” said Rolf – \ufffd and left."
    assert "1 place was not valid UTF-8" in decoded.warnings[0]


def test_a_legacy_encoding_is_refused_not_guessed() -> None:
    with pytest.raises(NotText, match="UTF-8"):
        decode("他走了。她哭了。".encode("gb18030") * 20)


def test_binary_is_refused() -> None:
    with pytest.raises(NotText, match="not a text"):
        decode(bytes(range(32)) * 30)


def test_line_ends_and_nothing_else_change() -> None:
    raw = "Emma left.\rRolf stayed.\nMia\u2028sang.\r\nSnow fell.\x0bIce held.\x85"
    text, warnings = canonical_text(raw)
    assert len(text) == 55
    assert text.split("\n") == ["Emma left.", "Rolf stayed.", "Mia\u2028sang.", "Snow fell.\x0bIce held.\x85"]
    assert warnings == []


def test_nul_is_removed_with_a_warning() -> None:
    text, warnings = canonical_text("Emma left.\0 Rolf stayed.\n")
    assert text == "Emma left. Rolf stayed.\n"
    assert warnings == ["1 NUL character was removed."]


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    text, warnings = canonical_text("Mia \ud83d waits")
    assert text == "Mia \ufffd waits"
    assert "1 broken character" in warnings[0]


def test_white_space_at_the_edges_and_decomposed_accents_stay() -> None:
    assert canonical_text("\n  Emma left.\r\nRolf. ")[0] == "\n  Emma left.\nRolf. "
    assert canonical_text("Zoe\u0308")[0] == "Zoe\u0308"


def test_emoji_and_crlf_count_as_code_points() -> None:
    data = "😀 Emma smiled.\r\nRolf said “no.” Mia left 👩‍🚀 early.\r\n\r\nZoë stayed.".encode()
    text = read(data)
    assert text.index("smiled") == 7
    assert text.index("“no.”") == 25
    assert text.index("stayed") == len(text) - 7


@given(st.text())
def test_canonical_text_is_a_fixed_point_that_can_be_stored(raw: str) -> None:
    text, _ = canonical_text(raw)
    again, warnings = canonical_text(text.removeprefix("\ufeff"))
    assert again == text.removeprefix("\ufeff")
    assert warnings == []
    assert "\r" not in text
    assert "\0" not in text
    text.encode()


@given(st.text(st.characters(codec="utf-8")))
def test_utf8_is_read_as_it_is(raw: str) -> None:
    controls = sum(character < " " for character in raw)
    if controls <= 8 and "\0" not in raw and not raw.startswith("\ufeff"):
        assert decode(raw.encode()).text == raw


def test_sha256_is_of_the_utf8_bytes() -> None:
    assert text_sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
