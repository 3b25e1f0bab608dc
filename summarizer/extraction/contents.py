"""The contents list of an EPUB, which names its sections: the nav document of EPUB 3, else the NCX of EPUB 2."""

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from summarizer.extraction.archive import Archive, Unreadable, resolve
from summarizer.extraction.package import Package
from summarizer.extraction.xml import NotMarkup, attribute, local_name, parse_xhtml, parse_xml, words

#: Lists nest no deeper than this in a book that was made for readers.
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the list: its title, where it leads, and the titles it stands under, outermost first."""

    title: str
    path: str
    fragment: str
    parents: tuple[str, ...] = ()


def read_contents(archive: Archive, package: Package) -> list[Entry]:
    """Entries in the order of the list; none when there is no list, or none that can be read."""
    for path, read in ((package.nav_path, _read_nav), (package.ncx_path, _read_ncx)):
        if not path:
            continue
        try:
            entries = list(read(archive.read(path), path))
        except (Unreadable, NotMarkup):
            continue
        if entries:
            return entries
    return []


def _read_nav(data: bytes, path: str) -> Iterator[Entry]:
    navs = [element for element in parse_xhtml(data).iter() if local_name(element) == "nav"]
    contents = [nav for nav in navs if "toc" in attribute(nav, "type").split() or attribute(nav, "role") == "doc-toc"]
    for nav in (contents or navs)[:1]:
        for child in nav:
            if local_name(child) in ("ol", "ul"):
                yield from _list_entries(child, path, ())


def _list_entries(element: etree._Element, path: str, parents: tuple[str, ...]) -> Iterator[Entry]:
    if len(parents) > _DEEPEST:
        return
    for line in element:
        if local_name(line) != "li":
            continue
        title = ""
        for child in line:
            name = local_name(child)
            if name in ("ol", "ul"):
                yield from _list_entries(child, path, (*parents, title))
            elif name in ("a", "span", "p", "div") and not title:
                title = words(child)
                link = child if name == "a" else next(iter(child.iter("{*}a")), None)
                if link is not None:
                    yield from _entry(title, attribute(link, "href"), path, parents)


def _read_ncx(data: bytes, path: str) -> Iterator[Entry]:
    for element in parse_xml(data):
        if local_name(element) == "navmap":
            yield from _points(element, path, ())


def _points(element: etree._Element, path: str, parents: tuple[str, ...]) -> Iterator[Entry]:
    if len(parents) > _DEEPEST:
        return
    for point in element:
        if local_name(point) != "navpoint":
            continue
        parts = {local_name(child): child for child in reversed(point)}
        title = words(parts["navlabel"]) if "navlabel" in parts else ""
        if "content" in parts:
            yield from _entry(title, attribute(parts["content"], "src"), path, parents)
        yield from _points(point, path, (*parents, title))


def _entry(title: str, reference: str, path: str, parents: tuple[str, ...]) -> Iterator[Entry]:
    if not title or not reference:
        return
    try:
        target, fragment = resolve(path, reference)
    except Unreadable:
        return
    yield Entry(title, target, fragment, tuple(filter(None, parents)))
