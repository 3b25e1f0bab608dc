"""Answers about pairs of summaries as a list to read: what is behind a bar of preferences, or a count of choices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Q, QuerySet, Sum

from annotation.models import ComparisonAnswer, ComparisonTally, Study
from scoring.selectors.preferences import in_words
from summarizer.models import System

#: A system was chosen; the other answers are "draw", "yes" and "no".
CHOSEN = "chosen"


@dataclass(frozen=True)
class WantedAnswers:
    """ "" stands for all.

    `question` is without the side that it is about. `system` (a name) is the one that was chosen, with `answer` CHOSEN;
    the one that the question is about, with "yes" and "no"; else one of the two that were compared. `beside`: the other
    of the two.
    """

    round: str = ""
    question: str = ""
    answer: str = ""
    system: str = ""
    beside: str = ""
    person: str = ""


@dataclass(frozen=True)
class AnswerToRead:
    given: ComparisonAnswer
    #: The question's words, or its key where an import has no words; and the system that it is about, or "".
    question: str
    about: str
    #: "Draw", "Yes" or "No", or the name of the chosen system.
    answer: str
    #: The systems of the two, each with whether it was chosen.
    systems: list[tuple[System, bool]]


class Total(NamedTuple):
    """Answers of an imported round that exist only as counts; a chosen system has an empty answer."""

    round: str
    question: str
    system: str | None
    answer: str
    person: str
    times: int


def answers_wanted(study: Study, wanted: WantedAnswers) -> QuerySet[ComparisonAnswer]:
    """By book, round and person: the answers that figures count."""
    found = ComparisonAnswer.objects.filter(_of_systems(wanted), comparison__study=study)
    if wanted.round:
        found = found.filter(comparison__round=wanted.round)
    if wanted.person:
        found = found.filter(annotator__pseudonym=wanted.person)
    if wanted.question:
        found = found.filter(question__in=[wanted.question, *_about_each(wanted.question)])
    return found.order_by(
        "comparison__first__book__title", "comparison__round", "comparison", "annotator__pseudonym", "pk"
    )


def _about_each(question: str) -> tuple[str, str]:
    return f"{question}-first", f"{question}-second"


def _of_systems(wanted: WantedAnswers) -> Q:
    """The answer, and the systems that it names or was about."""
    sides = [("first", "second"), ("second", "first")]
    found = Q()
    if wanted.answer == CHOSEN:
        found = Q(answer__in=["first", "second"])
    elif wanted.answer:
        found = Q(answer=wanted.answer)
    if wanted.beside:
        found &= _any(_named(one, wanted.system) & _named(other, wanted.beside) for one, other in sides)
    if wanted.system and wanted.answer == CHOSEN:
        found &= _any(Q(answer=side) & _named(side, wanted.system) for side, _ in sides)
    elif wanted.system and wanted.answer in ("yes", "no"):
        found &= _any(Q(question__endswith=f"-{side}") & _named(side, wanted.system) for side, _ in sides)
    elif wanted.system:
        found &= _any(_named(side, wanted.system) for side, _ in sides)
    return found


def _named(side: str, system: str) -> Q:
    return Q(**{f"comparison__{side}__system__name": system}) if system else Q()


def _any(conditions: Iterator[Q]) -> Q:
    found = Q()
    for each in conditions:
        found |= each
    return found


def answers_to_read(page: Sequence[ComparisonAnswer]) -> list[AnswerToRead]:
    """The answers of a page with their summaries, without the texts. One query."""
    related = ["annotator", "comparison__first__book", "comparison__first__system", "comparison__second__system"]
    texts = ["comparison__first__text", "comparison__second__text", "comparison__first__book__text"]
    pks = [each.pk for each in page]
    found = ComparisonAnswer.objects.filter(pk__in=pks).select_related(*related).defer(*texts).in_bulk()
    return [_to_read(found[pk]) for pk in pks]


def _to_read(given: ComparisonAnswer) -> AnswerToRead:
    systems = {"first": given.comparison.first.system, "second": given.comparison.second.system}
    names = {side: system.name for side, system in systems.items()}
    key, system, answer = in_words(given.question, given.answer, names)
    chose = answer == CHOSEN
    return AnswerToRead(
        given=given,
        question=given.words or key.capitalize(),
        about="" if chose else system,
        answer=system if chose else answer.capitalize(),
        systems=[(each, given.answer == side) for side, each in systems.items()],
    )


def totals_wanted(study: Study, wanted: WantedAnswers) -> list[Total]:
    """The same of what is known as counts alone. Which two were compared is in none, so `beside` leaves them all in."""
    found = ComparisonTally.objects.filter(study=study, count__gt=0)
    if wanted.round:
        found = found.filter(round=wanted.round)
    if wanted.person:
        found = found.filter(annotator__pseudonym=wanted.person)
    if wanted.question:
        found = found.filter(question=wanted.question)
    if wanted.answer:
        found = found.filter(answer="" if wanted.answer == CHOSEN else wanted.answer)
    if wanted.system and wanted.answer != "draw":
        found = found.filter(system__name=wanted.system)
    rows = found.order_by("round", "question", "annotator__pseudonym", "system__name", "answer")
    grouped = rows.values_list("round", "question", "system__name", "answer", "annotator__pseudonym")
    return [Total(*row) for row in grouped.annotate(total=Sum("count"))]


class Choices(NamedTuple):
    """What a list can be narrowed to: names of rounds, questions, systems and people of the study's answers."""

    rounds: list[str]
    questions: list[str]
    systems: list[str]
    people: list[str]


def choices(study: Study) -> Choices:
    """Two queries."""
    answers = ComparisonAnswer.objects.filter(comparison__study=study).order_by()
    systems = ("comparison__first__system__name", "comparison__second__system__name")
    given = answers.values_list("comparison__round", "question", *systems, "annotator__pseudonym").distinct()
    totals = ComparisonTally.objects.filter(study=study, count__gt=0).order_by()
    counted = totals.values_list("round", "question", "system__name", "annotator__pseudonym").distinct()
    rounds, questions, names, people = set[str](), set[str](), set[str](), set[str]()
    for name, question, first, second, person in given:
        rounds.add(name)
        questions.add(in_words(question, "", {"first": first, "second": second})[0])
        names |= {first, second}
        people.add(person)
    for name, question, system, person in counted:
        rounds.add(name)
        questions.add(question)
        names |= {system} if system else set()
        people.add(person)
    return Choices(sorted(rounds), sorted(questions), sorted(names), sorted(people))
