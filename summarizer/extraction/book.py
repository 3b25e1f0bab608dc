"""What an extraction gives."""

from dataclasses import dataclass, field, replace


class ExtractionError(Exception):
    """The file can't be read as a book. `str()` is a sentence for the uploader."""


@dataclass(frozen=True, slots=True)
class ExtractedSection:
    """A stretch `[start, end)` of the book's text, and whether it is proposed to be summarized.

    `part` is the heading that the contents list puts above the title ("Part I"). `reason` says why it is left out.
    """

    title: str
    start: int
    end: int
    included: bool = True
    reason: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class ExtractedBook:
    """A book: canonical text, sections that cover it in order, and what was left out or guessed, in sentences."""

    title: str
    author: str
    text: str
    sections: list[ExtractedSection]
    warnings: list[str] = field(default_factory=list)
    source_format: str = "text"

    @property
    def included(self) -> list[tuple[int, int]]:
        return [(section.start, section.end) for section in self.sections if section.included]


def give_gaps_to_excluded(text: str, sections: list[ExtractedSection]) -> list[ExtractedSection]:
    """The same sections, with the blank lines between an included and an excluded one put into the excluded one.

    So what is summarized begins and ends with its own text.
    """
    settled: list[ExtractedSection] = []
    for section in sections:
        before = settled[-1] if settled else None
        if before and before.included and not section.included:
            border = before.start + len(text[before.start : before.end].rstrip())
            settled[-1], section = replace(before, end=border), replace(section, start=border)
        elif before and not before.included and section.included:
            body = text[section.start : section.end]
            border = section.start + len(body) - len(body.lstrip("\n"))
            settled[-1], section = replace(before, end=border), replace(section, start=border)
        settled.append(section)
    return settled
