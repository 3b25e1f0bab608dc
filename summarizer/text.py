"""Bytes to text, and text to canonical text: the ground that every offset refers to (design, section 2)."""

import codecs
import hashlib
import re
from dataclasses import dataclass

#: Byte order marks, longest first: the one of UTF-32 begins with the one of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Characters that no text holds in number: a file with many of them is no text.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x19\x1c-\x1f]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


class NotText(ValueError):
    """The bytes are no text, or in an encoding that can't be told from others."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a file without its byte order mark, the encoding it was read in, and what was guessed or lost."""

    text: str
    encoding: str
    warnings: list[str]


def decode(data: bytes) -> Decoded:
    """Read bytes as text: by byte order mark, else UTF-8, UTF-16 without a mark, else Windows-1252.

    Raises NotText for binary data and for encodings that would only be guessed (a legacy Asian or Cyrillic one).
    """
    decoded = _decode(data)
    controls = len(_CONTROLS.findall(decoded.text))
    if controls > 8 and controls > len(decoded.text) / 100:
        raise NotText("This file is not a text: it holds binary data. Upload plain text or an EPUB.")
    return decoded


def canonical_text(raw: str) -> tuple[str, list[str]]:
    """The text as it is stored: no byte order mark, LF line ends, no NUL; nothing trimmed, nothing normalised.

    Also says in sentences what was removed or replaced.
    """
    warnings = []
    text = raw.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if nuls := text.count("\0"):
        text = text.replace("\0", "")
        warnings.append(f"{_counted(nuls, 'NUL character was', 'NUL characters were')} removed.")
    # Half of a surrogate pair is no character: databases and UTF-8 refuse it. LLM servers send some.
    text, halves = _SURROGATES.subn("\ufffd", text)
    if halves:
        warnings.append(f"{_counted(halves, 'broken character was', 'broken characters were')} replaced by U+FFFD.")
    return text, warnings


def storable(text: str) -> str:
    """`text` as every database takes it: without NUL, half a surrogate pair as U+FFFD. LLM servers send either."""
    return _SURROGATES.sub("\ufffd", text.replace("\0", ""))


def text_sha256(text: str) -> str:
    """Hexadecimal SHA-256 of the text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def _decode(data: bytes) -> Decoded:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], encoding)
    if encoding := _utf16_without_mark(data):
        return _decode_as(data, encoding)
    try:
        return Decoded(data.decode("utf-8"), "utf-8", [])
    except UnicodeDecodeError:
        pass
    repaired = data.decode("utf-8", errors="replace")
    damaged = repaired.count("\ufffd")
    sound = sum(1 for character in repaired if character > "\x7f") - damaged
    if sound > damaged:
        return Decoded(repaired, "utf-8", [_damage(damaged, "UTF-8")])
    return _decode_windows_1252(data)


def _decode_as(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, [])
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
        return Decoded(text, encoding, [_damage(text.count("\ufffd"), encoding.upper())])


def _utf16_without_mark(data: bytes) -> str:
    """UTF-16 of mostly Latin text has a zero in every other byte."""
    head = data[:4000]
    if len(head) < 4:
        return ""
    half = len(head) // 2
    if head[1::2].count(0) > 0.7 * half and head[0::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if head[0::2].count(0) > 0.7 * half and head[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return ""


def _decode_windows_1252(data: bytes) -> Decoded:
    high = sum(1 for byte in data if byte > 0x7F)
    if high > len(data) * 0.3:
        raise NotText("The encoding of this file was not recognised. Save it as UTF-8 and upload it again.")
    warnings = ["The file is not UTF-8; it was read as Windows-1252 (Western European). Check accents and quotes."]
    text = data.decode("cp1252", errors="replace")
    if damaged := text.count("\ufffd"):
        warnings.append(_damage(damaged, "Windows-1252"))
    return Decoded(text, "cp1252", warnings)


def _damage(number: int, encoding: str) -> str:
    return f"{_counted(number, 'place was', 'places were')} not valid {encoding} and became U+FFFD (�)."


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
