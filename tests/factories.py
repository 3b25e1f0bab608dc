"""Rows that tests start from. Each function makes what it needs around the row it returns."""

import hashlib
import itertools
import re
import uuid

from annotation.error_types import ensure_error_types
from annotation.models import Annotator, Assignment, Study
from booookweb.models import Role, User
from summarizer.models import Book, Sentence, Summary, System

_numbers = itertools.count(1)


def make_user(role: str = Role.ANNOTATOR, name: str = "") -> User:
    return User.objects.create_user(username=name or f"person{next(_numbers)}", password="secret", role=role)


def make_annotator(user: User | None = None) -> Annotator:
    user = user or make_user()
    return Annotator.objects.create(kind=Annotator.Kind.PERSON, pseudonym=f"P-{next(_numbers)}", user=user)


def make_summary(text: str = "Emma left. Rolf stayed.", title: str = "The Mill") -> Summary:
    """A summary of a new book by an imported system; a sentence ends with a mark and the white space after it."""
    number = next(_numbers)
    book = Book.objects.create(title=title, source_format=Book.Format.NO_TEXT)
    system = System.objects.create(name=f"system {number}", strategy=System.Strategy.IMPORTED)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    summary = Summary.objects.create(
        book=book, system=system, text=text, text_sha256=sha256, tokens=len(text.split()), splitter="test"
    )
    stretches = [match.span() for match in re.finditer(r"\S.*?(?:[.!?]+”?(?=\s|$)|$)", text, re.DOTALL)]
    Sentence.objects.bulk_create(
        Sentence(summary=summary, index=index, start=start, end=end) for index, (start, end) in enumerate(stretches)
    )
    return summary


def make_annotate_task(
    text: str = "Emma left. Rolf stayed.", *, annotator: Annotator | None = None, title: str = "The Mill"
) -> Assignment:
    """An open annotate task on a new summary, in a study that is annotating."""
    ensure_error_types()
    number = next(_numbers)
    study = Study.objects.create(name=f"study-{number}", title="A study", phase=Study.Phase.ANNOTATING)
    summary = make_summary(text, title)
    study.summaries.add(summary)
    return Assignment.objects.create(
        key=uuid.uuid4(),
        study=study,
        annotator=annotator or make_annotator(),
        task=Assignment.Task.ANNOTATE,
        summary=summary,
    )
