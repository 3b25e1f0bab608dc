import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer.extraction import ExtractedBook, extract
from summarizer.extraction.markup import read_chapter
from summarizer.extraction.xml import parse_xhtml
from tests.summarizer.epub_files import epub, line, nav, page, zipped

ONE, TWO, THREE = (page(f"<p>{text}</p>") for text in ("ONE Emma wakes.", "TWO Rolf writes.", "THREE Mia sails."))


def read(data: bytes) -> ExtractedBook:
    return extract(data, "a.epub")


def included_text(book: ExtractedBook) -> str:
    return "".join(book.text[start:end] for start, end in book.included)


def chapter(body: str, head: str = "<title>t</title>") -> str:
    return read(epub({"c1.xhtml": page(body, head)})).text


def listed(book: ExtractedBook) -> list[tuple[str, bool, str]]:
    return [(section.title, section.included, section.reason) for section in book.sections]


# --- order and names ------------------------------------------------------------------------------------------------


def test_the_spine_gives_the_order() -> None:
    documents = {"nav.xhtml": nav(line("cQQ.xhtml", "One")), "cAA.xhtml": THREE, "cQQ.xhtml": ONE, "cZZ.xhtml": TWO}
    book = read(epub(documents, spine=["cQQ.xhtml", "cZZ.xhtml", "cAA.xhtml"]))
    assert book.text == "ONE Emma wakes.\n\nTWO Rolf writes.\n\nTHREE Mia sails."
    assert [section.title for section in book.sections] == ["One", "", ""]
    assert book.source_format == "epub"


def test_a_contents_list_that_names_one_chapter_hides_none() -> None:
    book = read(epub({"nav.xhtml": nav(line("c2.xhtml", "Two")), "c1.xhtml": ONE, "c2.xhtml": TWO, "c3.xhtml": THREE}))
    assert included_text(book) == "ONE Emma wakes.\n\nTWO Rolf writes.\n\nTHREE Mia sails."
    assert [section.title for section in book.sections] == ["", "Two", ""]


def test_entries_that_point_into_one_file_cut_it_and_repeat_nothing() -> None:
    body = (
        '<h1 id="p1">Part I</h1><h2 id="a">Chapter 1</h2><p>ONE Emma wakes.</p><h2 id="b">Chapter 2</h2>'
        '<p>TWO Rolf writes.</p><h2 id="c">Chapter 3</h2><p>THREE Mia sails.</p>'
    )
    inner = line("all.xhtml#a", "Chapter 1") + line("all.xhtml#b", "Chapter 2") + line("all.xhtml#c", "Chapter 3")
    book = read(epub({"nav.xhtml": nav(line("all.xhtml#p1", "Part I", inner)), "all.xhtml": page(body)}))
    assert [(section.part, section.title) for section in book.sections] == [
        ("Part I", "Chapter 1"),
        ("Part I", "Chapter 2"),
        ("Part I", "Chapter 3"),
    ]
    for word in ("ONE", "TWO", "THREE"):
        assert book.text.count(word) == 1
    assert [book.text[section.start :].split("\n")[0] for section in book.sections] == [
        "Part I",
        "Chapter 2",
        "Chapter 3",
    ]


def test_the_ncx_names_sections_where_there_is_no_nav() -> None:
    ncx = (
        '<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" '
        '"http://www.daisy.org/z3986/2005/ncx-2005-1.dtd"><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>'
        '<navPoint><navLabel><text>The &amp; First</text></navLabel><content src="c%201.xhtml"/></navPoint>'
        "</navMap></ncx>"
    )
    book = read(
        epub(
            {"c 1.xhtml": ONE},
            items='<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
            spine_attributes=' toc="ncx"',
            extra={"OEBPS/toc.ncx": ncx},
        ).replace(b'href="c 1.xhtml"', b'href="c 1.xhtml"')
    )
    assert listed(book) == [("The & First", True, "")]


def test_headings_name_sections_where_nothing_else_does() -> None:
    body = "<h2>The River</h2><p>Emma left.</p><h2>The Mill</h2><p>Rolf stayed.</p>"
    assert [section.title for section in read(epub({"c1.xhtml": page(body)})).sections] == ["The River", "The Mill"]


def test_escaped_and_relative_addresses() -> None:
    package_items = '<item id="x" href="../text/c%20one.xhtml" media-type="application/xhtml+xml"/>'
    data = epub({}, items=package_items, itemrefs='<itemref idref="x"/>', extra={"text/c one.xhtml": ONE})
    assert read(data).text == "ONE Emma wakes."


def test_title_and_authors_come_from_the_package() -> None:
    metadata = (
        "<dc:title>Braces &amp; “Tokens”</dc:title><dc:title>A subtitle</dc:title>"
        '<dc:creator id="a">Ida Lund</dc:creator>'
        '<dc:creator id="b">Ole Vik</dc:creator><dc:creator id="c">Tor Maler</dc:creator>'
        '<meta refines="#c" property="role">ill</meta>'
    )
    book = read(epub({"c1.xhtml": ONE}, metadata=metadata))
    assert (book.title, book.author) == ("Braces & “Tokens”", "Ida Lund, Ole Vik")


# --- what is missing ------------------------------------------------------------------------------------------------


def test_a_missing_file_costs_only_itself_and_is_told() -> None:
    data = epub(
        {"c1.xhtml": ONE, "c3.xhtml": THREE},
        items='<item id="c2" href="gone.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="img" href="no.jpg" media-type="image/jpeg"/>',
        spine=["cover", "c1.xhtml", "c2", "c3.xhtml"],
    )
    book = read(data)
    assert book.text == "ONE Emma wakes.\n\nTHREE Mia sails."
    assert len(book.warnings) == 2
    assert "“cover”" in book.warnings[0]
    assert "gone.xhtml is not in the archive" in book.warnings[1]


def test_a_contents_list_that_is_not_there_is_no_error() -> None:
    book = read(epub({"c1.xhtml": ONE}, spine_attributes=' toc="ncx"'))
    assert book.text == "ONE Emma wakes."
    assert book.warnings == []


# --- text -----------------------------------------------------------------------------------------------------------


def test_named_entities_a_byte_order_mark_and_a_style_sheet() -> None:
    document = page(
        "<p>Emma&nbsp;left&mdash;Rolf stayed&hellip; &ldquo;Wait,&rdquo; he said. 5 &lt; 6 &amp; rising.</p>",
        "<title>t</title><style>p{color:red}</style>",
    )
    book = read(epub({"c1.xhtml": b"\xef\xbb\xbf" + document.encode()}))
    assert book.text == "Emma\u00a0left—Rolf stayed… “Wait,” he said. 5 < 6 & rising."


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1251", "utf-16", "shift_jis"])
def test_a_chapter_in_its_own_encoding(encoding: str) -> None:
    text = {"windows-1251": "Эмма ушла.", "shift_jis": "彼は去った。"}.get(encoding, "Zoë déjà vu.")
    document = f'<?xml version="1.0" encoding="{encoding}"?><html><body><p>{text}</p></body></html>'
    assert read(epub({"c1.xhtml": document.encode(encoding)})).text == text


def test_blocks_inline_elements_and_line_breaks() -> None:
    body = (
        "<div><p>An <i>in</i>line <b>word</b>\n  and\t space.</p><p>Next<br/>line.</p></div>"
        "<blockquote>Quoted<div>inner</div>after</blockquote><ul><li>one</li><li>two</li></ul>"
    )
    assert chapter(body) == "An inline word and space.\n\nNext\nline.\n\nQuoted\n\ninner\n\nafter\n\none\ntwo"


def test_headings_and_scene_separators_are_kept() -> None:
    body = (
        "<hr/><h2>I</h2><hr/><p>Emma left.</p><hr/><p>Rolf stayed.</p><p>* * *</p><p>Mia came.</p>"
        '<p class="scene-break"> </p><p>Snow fell.</p><p class="ornament"><img src="o.png" alt=""/></p>'
        "<p>Ice held.</p><hr/>"
    )
    assert chapter(body).split("\n\n") == (
        ["I", "Emma left.", "* * *", "Rolf stayed.", "* * *", "Mia came.", "* * *", "Snow fell.", "* * *", "Ice held."]
    )


def test_verse_and_preformatted_lines() -> None:
    assert chapter('<p class="line">A verse,</p><p class="line">two lines.</p><p>Prose.</p>') == (
        "A verse,\ntwo lines.\n\nProse."
    )
    assert chapter("<pre>A verse,\n   two lines.\n\nEnd.</pre>") == "A verse,\n   two lines.\n\nEnd."


def test_note_marks_are_left_out_and_notes_kept_apart() -> None:
    body = (
        '<p>Emma left in 1955<a epub:type="noteref" href="notes.xhtml#n1"><sup>1</sup></a>. '
        'Rolf stayed<a href="notes.xhtml#n2"><sup>[2]</sup></a>.</p>'
    )
    notes = (
        '<aside epub:type="footnote" id="n1"><p>1 See the letters.</p></aside>'
        '<aside epub:type="footnote" id="n2"><p>2 Ibid.</p></aside>'
    )
    book = read(epub({"c1.xhtml": page(body), "notes.xhtml": page(notes)}))
    assert included_text(book) == "Emma left in 1955. Rolf stayed."
    assert "19551" not in book.text
    assert listed(book)[1] == ("Notes", False, "notes")
    assert "1 See the letters." in book.text
    assert book.warnings == ["2 note marks were left out; notes are kept in sections of their own."]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("in 1955<sup>1</sup>.", "in 1955¹."),  # without a link: raised figures, never glued to the year
        ('in 1955<sup><a href="#n1">1</a></sup>.', "in 1955."),
        ('in 1955<a class="fn" href="#n1">1</a>.', "in 1955."),
        ('in 1955<a href="#n1">[1]</a>.', "in 1955."),
        ('it rained<a href="#n1"><sup>*</sup></a>.', "it rained."),
        ('see <a href="#c2">2</a> there.', "see 2 there."),
        ('the <a epub:type="annoref" href="#n1">Emperor</a> left.', "the Emperor left."),
        ("on the 1<sup>st</sup> day", "on the 1st day"),
    ],
)
def test_what_a_note_mark_is(markup: str, text: str) -> None:
    assert chapter(f"<p>{markup}</p>") == text


def test_notes_inside_a_chapter_follow_it_as_a_section_of_their_own() -> None:
    body = '<p>Emma left.</p><aside epub:type="footnote"><p>A note.</p></aside><p>Rolf stayed.</p>'
    book = read(epub({"nav.xhtml": nav(line("c1.xhtml", "One")), "c1.xhtml": page(body)}))
    assert included_text(book) == "Emma left.\n\nRolf stayed."
    assert listed(book) == [("One", True, ""), ("Notes to One", False, "notes")]


def test_page_numbers_scripts_and_pictures_are_left_out_initials_are_not() -> None:
    body = (
        '<p><img src="i.png" alt="I"/>t rained. <span epub:type="pagebreak" id="p2">2</span> Emma left.'
        '<script>alert(1)</script></p><p><span class="pagenum">[Pg 3]</span>Rolf stayed.<img src="x" alt="A boat"/></p>'
    )
    book = read(epub({"c1.xhtml": page(body)}))
    assert book.text == "It rained. Emma left.\n\nRolf stayed."
    assert book.warnings == ["2 page numbers were left out.", "1 picture was left out."]


def test_what_else_is_left_out_is_told() -> None:
    body = (
        "<p>Emma <ruby>他<rp>(</rp><rt>ta</rt></ruby> left.<video src='x'>No video.</video></p>"
        "<p hidden=''>A draft.</p>"
    )
    book = read(epub({"c1.xhtml": page(body)}))
    assert book.text == "Emma 他 left."
    assert book.warnings == [
        "1 embedded object was left out.",
        "1 hidden passage was left out.",
        "1 ruby reading was left out.",
    ]


@pytest.mark.parametrize(
    "broken", ["<p>Emma<br>left & <i>stayed.</p>", '<p><a id="x"/>Emma<br/>left & <i>stayed.</i></p>']
)
def test_a_chapter_that_is_not_well_formed_is_read_as_a_browser_would(broken: str) -> None:
    assert chapter(broken, "<title/><script src='x'/>") == "Emma\nleft & stayed."


def test_text_that_looks_like_code_arrives_unchanged() -> None:
    body = "<p>Emma typed {name} and {{x}} %s. &lt;|endoftext|&gt; &lt;script&gt;alert(1)&lt;/script&gt;</p>"
    assert chapter(body) == "Emma typed {name} and {{x}} %s. <|endoftext|> <script>alert(1)</script>"


# --- front and back matter ------------------------------------------------------------------------------------------


def test_front_and_back_matter_are_proposed_as_left_out_with_a_reason() -> None:
    documents = {
        "cover.xhtml": page('<section epub:type="cover"><img src="c.jpg" alt="Cover"/></section>'),
        "copyright.xhtml": page('<section epub:type="copyright-page"><p>Made in Oslo.</p></section>'),
        "nav.xhtml": nav(line("c1.xhtml", "Chapter 1")),
        "c1.xhtml": page('<section epub:type="chapter"><p>ONE Emma wakes.</p></section>'),
        "ad.xhtml": page("<p>Also by this author.</p>"),
        "author.xhtml": page("<p>About the author: lives by the sea.</p>"),
    }
    references = "".join(
        f'<itemref idref="{name}"{" linear=" + chr(34) + "no" + chr(34) if name == "ad.xhtml" else ""}/>'
        for name in documents
    )
    book = read(epub(documents, itemrefs=references))
    assert included_text(book) == "ONE Emma wakes."
    assert listed(book) == [
        ("Copyright page", False, "copyright page"),
        ("Contents list", False, "contents list"),
        ("Chapter 1", True, ""),
        ("", False, "outside of the reading order (linear=no)"),
        ("About the author", False, "about the author"),
    ]
    assert book.warnings == ["OEBPS/cover.xhtml has no text and was left out."]


@pytest.mark.parametrize(
    ("title", "included"),
    [
        ("Copyright", False),
        ("TABLE OF CONTENTS", False),
        ("Acknowledgements", False),
        ("Dedication", False),
        ("About the Author", False),
        ("Also by Ida Lund", False),
        ("A Note on the Type", False),
        ("Author’s Note", False),
        ("Index", False),
        ("Praise for The Mill", False),
        ("Reading Group Guide", False),
        ("The Full Project Gutenberg License", False),
        ("Prologue", True),
        ("Epilogue", True),
        ("Preface", True),
        ("The Index Finger", True),
        ("Notes from Underground", True),
        ("Praise", False),
        ("The Cover Story", True),
        ("Chapter 4: Copyright Law", True),
        ("The Title", True),
    ],
)
def test_titles_that_name_front_or_back_matter(title: str, included: bool) -> None:
    book = read(epub({"nav.xhtml": nav(line("c1.xhtml", title)), "c1.xhtml": page("<p>Emma went to the mill.</p>")}))
    assert book.sections[0].included is included


def test_what_an_untitled_page_says_tells_what_it_is() -> None:
    documents = {
        "a.xhtml": page("<p>The Mill</p><p>Ida Lund</p>"),
        "b.xhtml": page("<p>Copyright 2024 Ida Lund. All rights reserved. ISBN 1.</p>"),
        "c.xhtml": page("".join(f'<p><a href="d.xhtml">Chapter {number}</a></p>' for number in range(1, 6))),
        "d.xhtml": page("<p>Emma left the mill.</p>"),
    }
    book = read(epub(documents, metadata="<dc:title>The Mill</dc:title>"))
    assert [section.reason for section in book.sections] == ["title page", "copyright page", "contents list", ""]


def test_the_guide_of_epub_2_tells_what_a_document_is() -> None:
    guide = '<guide><reference type="copyright-page" href="a.xhtml"/></guide>'
    book = read(epub({"a.xhtml": page("<p>Printed in Oslo.</p>"), "c1.xhtml": ONE}, guide=guide))
    assert [section.included for section in book.sections] == [False, True]


def test_matter_inside_a_chapter_file_is_cut_out_of_it() -> None:
    body = '<p>Emma left.</p><section epub:type="colophon"><p>Set in Sabon.</p></section><p>Rolf stayed.</p>'
    book = read(epub({"c1.xhtml": page(body)}))
    assert [book.text[start:end] for start, end in book.included] == ["Emma left.", "Rolf stayed."]


def test_a_project_gutenberg_frame_inside_an_epub_is_left_out() -> None:
    body = (
        "<p>The Project Gutenberg eBook</p><p>*** START OF THE PROJECT GUTENBERG EBOOK BOATS ***</p><p>Emma left.</p>"
        "<p>*** END OF THE PROJECT GUTENBERG EBOOK BOATS ***</p><p>Terms of use.</p>"
    )
    assert included_text(read(epub({"c1.xhtml": page(body)}))) == "Emma left."


def test_when_everything_looks_like_front_matter_the_uploader_is_told() -> None:
    book = read(epub({"c1.xhtml": page("<p>All rights reserved.</p>")}))
    assert not book.included
    assert "Choose what is to be summarized" in book.warnings[-1]


def test_another_zip_archive_is_no_epub() -> None:
    from summarizer.extraction import ExtractionError

    with pytest.raises(ExtractionError, match="another kind of ZIP"):
        extract(zipped({"word/document.xml": "<w/>"}), "a.docx")


# --- every word, once, in order -------------------------------------------------------------------------------------

INLINE, BLOCKS = ("i", "b", "span", "em", "a"), ("p", "div", "section", "blockquote", "h3", "li", "td", "pre")


@st.composite
def markup(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A chapter's body of nested blocks and inline elements, and the words in it."""
    numbers = itertools.count(1)
    words: list[str] = []

    def text() -> str:
        new = [f"word{next(numbers)}" for _ in range(draw(st.integers(0, 3)))]
        words.extend(new)
        return draw(st.sampled_from([" ", "\n  ", "\t"])).join(new)

    def block(depth: int) -> str:
        name = draw(st.sampled_from(BLOCKS))
        parts = [text()]
        for _ in range(draw(st.integers(0, 3))):
            if depth and draw(st.booleans()):
                parts.append(block(depth - 1))
            else:
                tag = draw(st.sampled_from(INLINE))
                parts.append(f" <{tag}>{text()}</{tag}> ")
            parts.append(draw(st.sampled_from([" ", "<br/>", "<hr/>", "<!-- a comment -->", "&nbsp;"])) + text())
        return f"<{name}>{' '.join(parts)}</{name}>"

    return "".join(block(3) for _ in range(draw(st.integers(1, 4)))), words


@given(markup(), st.booleans())
@settings(deadline=None)
def test_every_word_is_read_once_and_in_order(content: tuple[str, list[str]], broken: bool) -> None:
    body, words = content
    chapter = read_chapter(parse_xhtml(page(body.replace("<br/>", "<br>") if broken else body).encode()))
    assert [word for word in re.split(r"[\s\u00a0]+", chapter.text) if word not in ("*", "")] == words
    assert chapter.text == chapter.text.strip("\n")
    for start, _ in chapter.lines:
        assert start == 0 or chapter.text[start - 1] == "\n"
