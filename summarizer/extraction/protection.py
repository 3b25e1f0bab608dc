"""Tell protected books from harmless ones: many EPUBs scramble their fonts, which hides no text."""

from collections.abc import Collection
from urllib.parse import unquote

from summarizer.extraction.archive import Archive, Unreadable
from summarizer.extraction.book import ExtractionError
from summarizer.extraction.xml import NotMarkup, attribute, local_name, parse_xml

_ENCRYPTION = "META-INF/encryption.xml"
_FONT_SCRAMBLING = {"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"}
_REFUSAL = "This EPUB is protected (DRM): its text is encrypted. Upload an unprotected copy."


def refuse_protected(archive: Archive, documents: Collection[str]) -> None:
    """Raises ExtractionError when a document of the reading order is encrypted."""
    if archive.find(_ENCRYPTION) is None:
        return
    try:
        root = parse_xml(archive.read(_ENCRYPTION))
    except (Unreadable, NotMarkup) as error:
        raise ExtractionError("This EPUB says that it is protected (DRM), in a form that can't be read.") from error
    for entry in root.iter():
        if local_name(entry) != "encrypteddata":
            continue
        parts = list(entry.iter())
        algorithms = {attribute(part, "algorithm") for part in parts if local_name(part) == "encryptionmethod"}
        files = {unquote(attribute(part, "uri")) for part in parts if local_name(part) == "cipherreference"}
        if not algorithms <= _FONT_SCRAMBLING and not files.isdisjoint(documents):
            raise ExtractionError(_REFUSAL)
