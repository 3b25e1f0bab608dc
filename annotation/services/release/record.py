"""What an import did, and what it could not take over or had to guess."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Record:
    """`created` counts new rows by name; `notes` are [{"where", "what"}] for the study and the person importing."""

    created: Counter[str] = field(default_factory=Counter)
    notes: list[dict[str, str]] = field(default_factory=list)

    def note(self, where: str, what: str) -> None:
        entry = {"where": where, "what": what}
        if entry not in self.notes:
            self.notes.append(entry)


def counted(count: int, noun: str) -> str:
    """ "1 mark", "2 marks", "2 copies"."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"
