"""The package of an EPUB: what it is called, and which documents it is read in, in which order."""

import posixpath
from dataclasses import dataclass, field

from lxml import etree

from summarizer.extraction.archive import Archive, Unreadable, resolve
from summarizer.extraction.book import ExtractionError
from summarizer.extraction.xml import NotMarkup, attribute, local_name, parse_xml, words

_CONTAINER = "META-INF/container.xml"
_DOCUMENTS = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document", "text/xml", ""}
_DOCUMENT_ENDINGS = (".xhtml", ".html", ".htm", ".xml")


@dataclass(frozen=True, slots=True)
class SpineItem:
    """A document of the reading order; `linear` is false for what stands beside it."""

    path: str
    linear: bool


@dataclass(slots=True)
class Package:
    title: str
    author: str
    spine: list[SpineItem] = field(default_factory=list)
    #: The contents list of EPUB 3 and of EPUB 2, where the package names one.
    nav_path: str = ""
    ncx_path: str = ""
    #: What the guide of EPUB 2 says of whole documents: path -> type.
    guide: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def read_package(archive: Archive) -> Package:
    """Raises ExtractionError when there is no package or no document in its reading order."""
    path = _package_path(archive)
    try:
        root = parse_xml(archive.read(path))
    except (Unreadable, NotMarkup) as error:
        raise ExtractionError(f"This file is not a readable EPUB: its package can't be read ({error}).") from error
    package = Package(title=_title(root), author=_author(root))
    manifest = _manifest(root)
    _read_spine(root, path, manifest, archive, package)
    for item in manifest.values():
        if "nav" in attribute(item, "properties").split():
            package.nav_path = _path_or_nothing(path, item)
        elif attribute(item, "media-type") == "application/x-dtbncx+xml":
            package.ncx_path = package.ncx_path or _path_or_nothing(path, item)
    for reference in _children(root, "guide"):
        if target := _path_or_nothing(path, reference):
            package.guide.setdefault(target, attribute(reference, "type"))
    return package


def _package_path(archive: Archive) -> str:
    if archive.find(_CONTAINER) is None:
        raise ExtractionError("This file is not a readable EPUB: it is another kind of ZIP archive.")
    try:
        root = parse_xml(archive.read(_CONTAINER))
    except (Unreadable, NotMarkup) as error:
        raise ExtractionError("This file is not a readable EPUB: its container can't be read.") from error
    for element in root.iter():
        if local_name(element) == "rootfile" and (path := attribute(element, "full-path")):
            return posixpath.normpath(path)
    raise ExtractionError("This file is not a readable EPUB: its container names no package.")


def _read_spine(
    root: etree._Element, path: str, manifest: dict[str, etree._Element], archive: Archive, package: Package
) -> None:
    seen: set[str] = set()
    for reference in _children(root, "spine"):
        if local_name(reference) != "itemref":
            continue
        name = attribute(reference, "idref")
        item = manifest.get(name)
        if item is None:
            package.warnings.append(f"The reading order names “{name[:100]}”, which the book does not list; left out.")
            continue
        try:
            target, _ = resolve(path, attribute(item, "href"))
        except Unreadable as error:
            package.warnings.append(f"A document of the reading order was left out: {error}.")
            continue
        problem = _problem(item, target, archive, seen)
        if problem:
            package.warnings.append(f"A document of the reading order was left out: {problem}.")
            continue
        seen.add(target)
        package.spine.append(SpineItem(archive.find(target) or target, attribute(reference, "linear") != "no"))
    if not package.spine:
        raise ExtractionError("No text was found in this EPUB: no document of its reading order is there.")


def _problem(item: etree._Element, target: str, archive: Archive, seen: set[str]) -> str:
    if target in seen:
        return f"{target} is named twice"
    if archive.find(target) is None:
        return f"{target} is not in the archive"
    media_type = attribute(item, "media-type").lower()
    if media_type not in _DOCUMENTS and not target.lower().endswith(_DOCUMENT_ENDINGS):
        return f"{target} is no text ({media_type})"
    return ""


def _manifest(root: etree._Element) -> dict[str, etree._Element]:
    return {attribute(item, "id"): item for item in reversed(_children(root, "manifest")) if local_name(item) == "item"}


def _children(root: etree._Element, name: str) -> list[etree._Element]:
    return [child for parent in root if local_name(parent) == name for child in parent if local_name(child)]


def _path_or_nothing(base: str, element: etree._Element) -> str:
    try:
        return resolve(base, attribute(element, "href"))[0]
    except Unreadable:
        return ""


def _metadata(root: etree._Element, name: str) -> list[tuple[etree._Element, str]]:
    found = []
    for element in root.iter():
        if local_name(element) == name and (value := words(element)):
            found.append((element, value))
    return found


def _title(root: etree._Element) -> str:
    titles = _metadata(root, "title")
    return titles[0][1] if titles else ""


def _author(root: etree._Element) -> str:
    """The creators, without those whose role says that they are no author (illustrators, translators)."""
    roles = {
        attribute(meta, "refines").lstrip("#"): value
        for meta, value in _metadata(root, "meta")
        if attribute(meta, "property") == "role"
    }
    creators = []
    for element, name in _metadata(root, "creator"):
        role = attribute(element, "role") or roles.get(attribute(element, "id"), "aut")
        if role == "aut" and name not in creators:
            creators.append(name)
    return ", ".join(creators)
