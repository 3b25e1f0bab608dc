"""XML and HTML from strangers: no external entity, no network, no entity of the document's own expanded."""

import codecs
import re
from html.entities import html5

from lxml import etree

_DOCTYPE = re.compile(rb"<!DOCTYPE\b[^\[>]*(?:\[(?:[^\]\"']|\"[^\"]*\"|'[^']*')*\]\s*)?>", re.IGNORECASE)
_BEFORE_DOCTYPE = re.compile(rb"(?:\s+|<!--.*?-->|<\?.*?\?>)*", re.DOTALL)
_DECLARATION = re.compile(rb"\A\s*<\?xml\b[^>]*?\?>")
_DECLARED = re.compile(rb"<\?xml\b[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})[\"']", re.IGNORECASE)
_META = re.compile(rb"<meta\b[^>]{0,200}?charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_NUMBERED = re.compile(r"&#(?:[xX]([0-9a-fA-F]{1,8})|([0-9]{1,10}));")
_KEPT_ENTITIES = {"amp", "lt", "gt", "quot", "apos"}
_TAG = re.compile(r"<([A-Za-z][\w:-]*+)([^<>]*+)>")
#: Elements of HTML that have no content and no end.
_VOID = {*("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")}
_MOST_TAGS = 2_000_000


class NotMarkup(Exception):
    """The bytes can't be read as XML or HTML."""


def parse_xml(data: bytes) -> etree._Element:
    """The root of an XML document (package, contents, container). Raises NotMarkup."""
    return _parse(_prepared(data), recover=True)


def parse_xhtml(data: bytes) -> etree._Element:
    """The root of a chapter: as XML where it is well formed, else as a browser would read it. Raises NotMarkup."""
    text = _prepared(data)
    try:
        return _parse(text, recover=False)
    except NotMarkup:
        return _parse_html(text)


def is_guessed(data: bytes) -> bool:
    """Whether a chapter is in neither the encoding that it declares nor UTF-8, so that it is read as Windows-1252."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"<\0", b"\0<")):
        return False
    return not any(_decodes(data, encoding) for encoding in (_declared_encoding(data), "utf-8"))


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def local_name(element: etree._Element) -> str:
    """Name of an element without its namespace, in lower case; "" for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def attribute(element: etree._Element, name: str) -> str:
    """An attribute by its local name, whatever its namespace (`epub:type` in XML and in HTML)."""
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2].rpartition(":")[2].lower() == name:
            return str(value)
    return ""


def words(element: etree._Element) -> str:
    """All text inside an element, with single spaces."""
    return " ".join("".join(str(piece) for piece in element.itertext()).split())


def short_text(element: etree._Element, longest: int) -> str | None:
    """The text inside an element without white space at its edges; None when it is longer than `longest`."""
    text = ""
    for piece in element.itertext():
        text = (text + str(piece)).lstrip()
        if len(text) > longest + 20:
            return None
    text = text.strip()
    return text if len(text) <= longest else None


def _prepared(data: bytes) -> str:
    """Decoded, without document type (so no entity is declared), named characters as characters."""
    if data.count(b"<") > _MOST_TAGS:
        raise NotMarkup("more tags than a book has")
    text = _decoded(data).replace("\0", "")
    return _NUMBERED.sub(_numbered, _ENTITY.sub(_character, text))


def _decoded(data: bytes) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return _without_prolog(
                data[len(mark) :].decode(encoding, errors="replace").encode("utf-8", "replace"), "utf-8"
            )
    if data[:4] in (b"<\0?\0", b"\0<\0?"):
        encoding = "utf-16-le" if data[0] else "utf-16-be"
        return _without_prolog(data.decode(encoding, errors="replace").encode("utf-8", "replace"), "utf-8")
    return _without_prolog(data, _declared_encoding(data))


def _declared_encoding(data: bytes) -> str:
    match = _DECLARED.search(data[:400]) or _META.search(data[:2000])
    if match:
        try:
            declared = codecs.lookup(match[1].decode("ascii"))
            if declared.name not in ("utf-16", "utf-32") and declared._is_text_encoding:
                # Browsers read Latin-1 as Windows-1252, which has the curly quotes.
                return "cp1252" if declared.name in ("iso8859-1", "ascii") else declared.name
        except LookupError:
            pass
    return "utf-8"


def _without_prolog(data: bytes, encoding: str) -> str:
    body = _DECLARATION.sub(b"", data, count=1)
    before = _BEFORE_DOCTYPE.match(body)
    if doctype := _DOCTYPE.match(body, before.end() if before else 0):
        body = body[: doctype.start()] + body[doctype.end() :]
    try:
        return body.decode(encoding)
    except UnicodeDecodeError:
        pass
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")


def _character(match: re.Match[str]) -> str:
    if match[1] in _KEPT_ENTITIES:
        return match[0]
    if character := html5.get(match[1] + ";"):
        return character if character not in "<&>" else match[0]
    return f"&amp;{match[1]};"  # not declared anywhere: shown as it stands


def _numbered(match: re.Match[str]) -> str:
    """A half of a surrogate pair is no character: lxml would take it, and fail when its text is read."""
    number = int(match[1], 16) if match[1] else int(match[2])
    return "\N{REPLACEMENT CHARACTER}" if 0xD800 <= number <= 0xDFFF else match[0]


def _closed(match: re.Match[str]) -> str:
    """`<a id="x"/>` with an end tag: an HTML parser would take it for one that is still open."""
    name, attributes = match[1], match[2]
    if attributes.endswith("/") and name.lower() not in _VOID:
        return f"<{name}{attributes[:-1]}></{name}>"
    return match[0]


def _parse(text: str, *, recover: bool) -> etree._Element:
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=recover, encoding="utf-8"
    )
    try:
        root = etree.fromstring(text.strip().encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotMarkup(str(error)) from error
    return _whole(root, parser)


def _parse_html(text: str) -> etree._Element:
    parser = etree.HTMLParser(no_network=True, huge_tree=False, encoding="utf-8")
    closed = _TAG.sub(_closed, text)
    try:
        root = etree.fromstring(closed.strip().encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise NotMarkup(str(error)) from error
    return _whole(root, parser)


def _whole(root: etree._Element | None, parser: etree.XMLParser | etree.HTMLParser) -> etree._Element:
    """Past its limits (256 levels, 10 MB in one piece) the parser leaves out the rest and only logs that it did."""
    if root is None:
        raise NotMarkup("empty document")
    for entry in parser.error_log:
        if entry.type_name == "ERR_RESOURCE_LIMIT":
            raise NotMarkup("its elements nest too deeply, or one holds too much text")
    return root
