"""EPUBs built for tests, small enough to read."""

import io
import zipfile
from collections.abc import Mapping, Sequence

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
    '<rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>'
    "</container>"
)


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def page(body: str, head: str = "<title>t</title>") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" '
        f'xmlns:epub="http://www.idpf.org/2007/ops"><head>{head}</head><body>{body}</body></html>'
    )


def nav(*lines: str) -> str:
    return page(f'<nav epub:type="toc"><ol>{"".join(lines)}</ol></nav>')


def line(href: str, title: str, inner: str = "") -> str:
    return f'<li><a href="{href}">{title}</a>{f"<ol>{inner}</ol>" if inner else ""}</li>'


def epub(
    documents: Mapping[str, str | bytes],
    *,
    spine: Sequence[str] | None = None,
    metadata: str = "<dc:title>Test book</dc:title>",
    items: str = "",
    spine_attributes: str = "",
    itemrefs: str = "",
    guide: str = "",
    extra: Mapping[str, str | bytes] | None = None,
) -> bytes:
    """An EPUB of `documents` (file name in OEBPS -> content), read in the order of `spine` (default: as given).

    The id of each item is its file name; `nav.xhtml` is the contents list and stands in the spine only when named.
    """
    manifest = "".join(
        f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"'
        + (' properties="nav"/>' if name == "nav.xhtml" else "/>")
        for name in documents
    )
    order = [name for name in documents if name != "nav.xhtml"] if spine is None else spine
    references = itemrefs or "".join(f'<itemref idref="{name}"/>' for name in order)
    package = (
        '<?xml version="1.0" encoding="utf-8"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>'
        f"<manifest>{manifest}{items}</manifest><spine{spine_attributes}>{references}</spine>{guide}</package>"
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OEBPS/content.opf": package,
            **{f"OEBPS/{name}": content for name, content in documents.items()},
            **(extra or {}),
        }
    )
