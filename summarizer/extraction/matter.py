"""Front and back matter: what a reader would not count as the book's own text, with the reason in words.

Only a proposal: the uploader sees every section and decides. A preface, an introduction, an epigraph and an appendix
stay in, because in some books they belong to the story.
"""

import re

#: Values of `epub:type`, `role` (without "doc-") and of the guide of EPUB 2.
_TYPES = {
    "cover": "cover",
    "titlepage": "title page",
    "title-page": "title page",
    "halftitlepage": "half-title page",
    "copyright-page": "copyright page",
    "copyright": "copyright page",
    "imprint": "imprint",
    "imprimatur": "imprint",
    "colophon": "colophon",
    "toc": "contents list",
    "landmarks": "list of landmarks",
    "loi": "list of illustrations",
    "lot": "list of tables",
    "index": "index",
    "glossary": "glossary",
    "bibliography": "bibliography",
    "dedication": "dedication",
    "acknowledgments": "acknowledgments",
    "acknowledgements": "acknowledgments",
    "foreword": "foreword",
    "contributors": "list of contributors",
    "other-credits": "credits",
    "credits": "credits",
    "errata": "errata",
    "footnotes": "notes",
    "endnotes": "notes",
    "rearnotes": "notes",
    "notes": "notes",
}

#: Whole titles of sections.
_TITLES: tuple[tuple[str, str], ...] = (
    (r"(front |back |book )?cover( image| page)?", "cover"),
    (r"(half[- ]?)?title( ?page)?", "title page"),
    (r"copyright( (page|notice|information|and permissions|©.*))?|imprint|colophon|legal notice", "copyright page"),
    (r"(table of )?contents|toc", "contents list"),
    (r"(list of )?(illustrations|figures|maps|tables|plates)", "list of illustrations"),
    (r"(a(nother)? )?(note|word)s? (about|on|from|by) the (author|translator|editor|publisher|type|text)", "note"),
    (r"(the )?(author|translator|editor|publisher|transcriber)['’]?s['’]? notes?", "note"),
    (r"(about|meet) the (authors?|translator|editor|illustrator|publisher)( .*)?", "about the author"),
    (r"(also|other (books|titles|works)|books|more) (by|from) .*|by the same author", "list of other books"),
    (r"acknowledge?ments?|dedication|credits|permissions|photo credits", "dedication or thanks"),
    (r"foreword( .*)?", "foreword"),
    (r"index|(select(ed)? )?bibliography|glossary|references|works cited|further reading", "reference matter"),
    (r"(end|foot|chapter )?notes", "notes"),
    (r"(advance )?praise( for .*)?|reviews|advertisements?|newsletter( .*)?|what['’]s next.*", "advertising"),
    (r"(reading group|reader['’]s|discussion|book club) (guide|questions).*|questions for discussion", "reading guide"),
    (r"(an? )?(excerpt|extract|preview|sample|sneak peek)( (from|of) .*)?|coming soon.*", "excerpt of another book"),
    (r"(the )?(full )?project gutenberg(™)? licen[sc]e.*|licen[sc]e|the full licen[sc]e", "licence"),
    (r"transcriber['’]?s['’]? notes?.*", "transcriber's notes"),
)
_TITLE_RULES = [(re.compile(pattern + r"\W*\Z", re.IGNORECASE), reason) for pattern, reason in _TITLES]

_COPYRIGHT = re.compile(r"all rights reserved|©|\(c\) ?\d{4}|copyright \d{4}|\bISBN\b", re.IGNORECASE)
_ABOUT = re.compile(r"\W*(about the author|also by|other books by|by the same author|praise for)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"\w\W?[.!?…。！？][\"”’»)\]]*(\s|\Z)")

#: Lines of a title page besides the title: who made the book (names begin with capitals), and what it is.
_BY_LINE = re.compile(
    r"(?i:(written|translated|edited|illustrated|adapted|retold) )?(?i:by)"
    r"( [A-Z(]\S*| (and|de|del|della|der|du|la|le|of|the|van|von))+"
)
_CREDIT = re.compile(
    r"(author of \S.*|from the \w+( of .*)?"
    r"|with (\w+ ){0,4}(introduction|preface|foreword|notes|illustrations|drawings|maps?)( by .*)?"
    r"|an? (\w+ ){0,3}(novel|novella|romance|tale|story|play|comedy|tragedy|memoir|autobiography|history)"
    r"( (in|of) \w+( \w+)?)?"
    r"|in (one|two|three|four|\d+) (volumes|parts|books)"
    r"|(complete|unabridged|illustrated|(the )?\w+ edition|vol(ume|\.) ?\w+)"
    r"|\[illustration.*|\W*\d{4}\W*)\W*",
    re.IGNORECASE,
)
#: Words of the longest title page, and of its longest line.
_TITLE_PAGE_WORDS, _TITLE_LINE_WORDS = 40, 12


def by_type(types: str) -> str:
    """Reason for the first type of a space-separated list that names front or back matter, else ""."""
    for value in types.lower().split():
        if reason := _TYPES.get(value.removeprefix("doc-").removeprefix("other.")):
            return reason
    return ""


def by_title(title: str) -> str:
    """Reason when the title of a section names front or back matter, else ""."""
    words = " ".join(title[:200].split())
    return next((reason for rule, reason in _TITLE_RULES if rule.match(words)), "")


def by_text(text: str, book_title: str = "") -> str:
    """Reason when a short section reads like front or back matter, else "". Never for more than 400 words."""
    words = text.split()
    if not words or len(words) > 400:
        return ""
    if _COPYRIGHT.search(text):
        return "copyright page"
    if match := _ABOUT.match(text):
        return match[1].lower()
    title = " ".join(book_title.lower().split())
    if title and len(words) <= 40 and title in " ".join(words).lower() and not _SENTENCE.search(text):
        return "title page"
    return ""


def title_page(text: str, title: str, author: str) -> str:
    """Reason when the lines before the first heading say title, author and the like and nothing else, else "".

    Every line must be recognized and one must be title or author, so that a short prologue, an epigraph or a
    dedication stays in. A first line in capitals is taken for the title, which may not be known.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if any(map(str.isalnum, line))]
    if (
        not lines
        or len(text.split()) > _TITLE_PAGE_WORDS
        or max(len(line.split()) for line in lines) > _TITLE_LINE_WORDS
    ):
        return ""
    known = set(_words(f"{title} {author} by and"))
    names = [
        set(_words(line)) <= known
        or bool(_BY_LINE.fullmatch(line))
        or (number == 0 and line.isupper())
        or (number > 0 and lines[number - 1].lower().rstrip(":") == "by")
        for number, line in enumerate(lines)
    ]
    recognized = all(name or _CREDIT.fullmatch(line) for name, line in zip(names, lines, strict=True))
    return "title page" if any(names) and recognized else ""


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
