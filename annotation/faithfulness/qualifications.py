"""Making a qualification test: from a summary whose statements are supported to one with about half of them changed."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import ProtectedError, RestrictedError
from django.utils import timezone

from annotation.faithfulness.locking import locked_in_setup
from annotation.faithfulness.perturbing import (
    RULES,
    changes_of,
    choose_changes,
    names_of,
    says_the_same,
    with_changes,
)
from annotation.faithfulness.unit_sets import UnitsConflict, sentences_of, store_units
from annotation.faithfulness.units import Place, cut_into_units, cuts_of, first_with_same_text, units_between
from annotation.models import FaithfulnessPlan, Perturbation, Purpose, Qualification, QualificationUnit, Unit
from annotation.selectors.qualification import TESTS, Statement, qualifications, statements_of, wanted_changes
from annotation.services.studies import StudyError
from summarizer.models import Book, Summary, System
from summarizer.services.summaries import create_summary

#: The system whose summaries are texts that researchers wrote to make tests from.
TEXTS = "texts for qualification tests"
LONGEST_STATEMENT = 1000
OPENED = "The plan was opened, so the test stays as people meet it."
SETTINGS = {"pass_percent", "attempts", "units_asked", "answers_shown"}

State = Perturbation.State


@transaction.atomic
def create_qualification(*, plan: FaithfulnessPlan, original: Summary, **settings: Any) -> Qualification:
    """Ask for a test made from this summary, whose statements are cut by the rule.

    Raises StudyError once the plan was opened, where there is a test already, or for a summary that can't be one.
    """
    plan = locked_in_setup(plan, OPENED)
    if Qualification.objects.filter(plan=plan).exists():
        raise StudyError("This study has a test already. Delete it to make another one.")
    _check_book(plan, original.book)
    qualification = Qualification(plan=plan, original=original)
    _set(qualification, settings)
    qualification.save(force_insert=True)
    _store(qualification, cut_into_units(original.text, sentences_of(original)))
    if not qualification.statements.exists():
        raise StudyError("This summary has no statements. Choose another one.")
    return qualification


@transaction.atomic
def create_from_text(*, plan: FaithfulnessPlan, book: Book, text: str) -> Qualification:
    """The same from a text that a researcher wrote about a book. Raises StudyError, also for an empty text."""
    _check_book(plan, book)
    if not text.strip():
        raise StudyError("Write the summary that the test is made from.")
    return create_qualification(
        plan=plan, original=create_summary(book=book, system=_free_system(book, TEXTS), text=text.strip())
    )


@transaction.atomic
def update_qualification(*, qualification: Qualification, **settings: Any) -> Qualification:
    qualification = _locked(qualification)
    _set(qualification, settings)
    qualification.save()
    return qualification


@transaction.atomic
def delete_qualification(*, qualification: Qualification) -> None:
    """Ask for no test. Summaries that were made for it stay in the library if they are used elsewhere."""
    qualification = _locked(qualification)
    _take_apart(qualification)
    original = qualification.original
    qualification.delete()
    if original.system.name.startswith(TEXTS):
        _delete_unused(original)


@transaction.atomic
def set_statement_cuts(
    *, qualification: Qualification, was: Collection[int], cuts: Collection[int]
) -> Sequence[QualificationUnit]:
    """Cut the original at these places, where it was cut at others (as `unit_sets.set_cuts` does for a study's units).

    Raises UnitsConflict if it was not (any more), and StudyError once there are changes of statements.
    """
    qualification = _being_made(qualification)
    original = qualification.original
    sentences = sentences_of(original)
    stored = cuts_of(qualification.statements.order_by("index").values_list("start", "end"), sentences)
    if sorted(was) != stored:
        raise UnitsConflict(stored)
    try:
        places = units_between(original.text, sentences, cuts)
    except ValueError as error:
        raise StudyError(str(error)) from error
    return _cut(qualification, places)


@transaction.atomic
def cut_statements_anew(*, qualification: Qualification) -> None:
    """By the rule. Raises StudyError once there are changes of statements."""
    qualification = _being_made(qualification)
    original = qualification.original
    _cut(qualification, cut_into_units(original.text, sentences_of(original)))


@transaction.atomic
def propose_changes(*, qualification: Qualification) -> int:
    """Propose changes by rules for as many statements as are missing to half of them; returns how many.

    What was dropped before is not proposed again. Nothing is changed before a researcher accepts it.
    """
    qualification = _being_made(qualification)
    original, statements = qualification.original, statements_of(qualification)
    names = names_of(original.text, sentences_of(original))
    dropped = {
        (each.unit.pk, said)
        for each in statements
        for change in each.dropped
        for said in (change.text, change.proposed)
    }
    options = {
        each.unit.pk: [
            change for change in changes_of(each.unit.quote, names) if (each.unit.pk, change.text) not in dropped
        ]
        for each in statements
        if each.is_free
    }
    standing = [each.change or each.proposal for each in statements]
    chosen = choose_changes(
        options,
        wanted_changes(statements),
        used=[each.kind for each in standing if each],
        seed=f"{qualification.plan.study.seed} changes {len(dropped)}",
    )
    Perturbation.objects.bulk_create(
        Perturbation(unit_id=unit, kind=change.kind, proposed=change.text, text=change.text, rule=RULES)
        for unit, change in sorted(chosen.items())
    )
    return len(chosen)


@transaction.atomic
def accept_change(*, qualification: Qualification, unit_id: int, text: str, by_id: int | None) -> None:
    """Accept what is proposed for a statement, as it is or as it was edited. Raises StudyError for no change at all."""
    proposal, unit = _proposal(qualification, unit_id)
    proposal.text = _checked(text, unit)
    _decide(proposal, State.ACCEPTED, by_id)


@transaction.atomic
def drop_change(*, qualification: Qualification, unit_id: int, by_id: int | None) -> None:
    """Drop what is proposed for a statement, or take back the change that was accepted."""
    unit = _unit(_being_made(qualification), unit_id)
    standing = unit.perturbations.filter(state__in=Perturbation.STANDING).first()
    if standing is None:
        raise StudyError("There is nothing to drop: this statement is not changed.")
    _decide(standing, State.DROPPED, by_id)


@transaction.atomic
def write_change(*, qualification: Qualification, unit_id: int, text: str, by_id: int | None) -> None:
    """Change a statement by hand, which is then asked; nothing may be proposed or accepted for it."""
    unit = _unit(_being_made(qualification), unit_id)
    if not unit.asked:
        unit.asked = True
        unit.save(update_fields=["asked"])
    if unit.perturbations.filter(state__in=Perturbation.STANDING).exists():
        raise StudyError("This statement is changed already, or a change is proposed. Decide about that first.")
    change = Perturbation(unit=unit, kind=Perturbation.Kind.HAND, text=_checked(text, unit))
    _decide(change, State.ACCEPTED, by_id)


@transaction.atomic
def set_asked(*, qualification: Qualification, unit_id: int, asked: bool) -> None:
    """Ask people about a statement, or leave it out: it stays in the text."""
    unit = _unit(_being_made(qualification), unit_id)
    if not asked and unit.perturbations.filter(state__in=Perturbation.STANDING).exists():
        raise StudyError("This statement is changed, or a change is proposed. Drop that first.")
    unit.asked = asked
    unit.save(update_fields=["asked"])


@transaction.atomic
def make_test(*, qualification: Qualification, by_id: int | None) -> Qualification:
    """Make the text that people see. `by_id` has checked that the book supports every statement that is not changed.

    Raises StudyError where proposals are open, or nothing or everything is changed (`_check_statements`).
    """
    qualification = _being_made(qualification)
    statements = statements_of(qualification)
    _check_statements(qualification, statements)
    original = qualification.original
    text, places = with_changes(original.text, [((each.unit.start, each.unit.end), each.said) for each in statements])
    test = create_summary(book=original.book, system=_free_system(original.book, TESTS), text=text)
    if test.text != text:
        raise StudyError("A change holds characters that can't be stored as they are. Write it anew.")
    store_units(_units(qualification, test, statements, places))
    qualification.test = test
    qualification.checked_by_id, qualification.checked_at = by_id, timezone.now()
    qualification.save(update_fields=["test", "checked_by", "checked_at"])
    return qualification


@transaction.atomic
def take_apart(*, qualification: Qualification) -> None:
    """Back to making it: its text and units go, what was decided about statements stays."""
    _take_apart(_locked(qualification))


def _check_book(plan: FaithfulnessPlan, book: Book) -> None:
    if not book.text:
        raise StudyError(f"“{book.title}” is here without its text, and a test is done against it. Add it.")
    if plan.study.summaries.filter(book__title__iexact=book.title).exists():
        raise StudyError(
            f"The study has a summary of “{book.title}” itself. Choose one of another book, or people would know that "
            "book before their tasks."
        )


def _check_statements(qualification: Qualification, statements: Sequence[Statement]) -> None:
    _check_book(qualification.plan, qualification.original.book)
    if waiting := sum(each.proposal is not None for each in statements):
        raise StudyError(f"{waiting} proposed {'change waits' if waiting == 1 else 'changes wait'} for your decision.")
    asked = [each for each in statements if each.is_asked]
    changed = [each for each in asked if each.change]
    if not changed or len(changed) == len(asked):
        raise StudyError("A test needs statements that are changed and statements that are not.")
    for each in changed:
        twin = next((other for other in statements if not other.change and says_the_same(other.said, each.said)), None)
        if twin:
            raise StudyError(
                f"Statement {each.number} now says what statement {twin.number} says, which is supported. Change it "
                "in another way."
            )
    different = first_with_same_text([each.said for each in asked]).count(None)
    if qualification.units_asked and qualification.units_asked > different:
        raise StudyError(f"An attempt can’t ask {qualification.units_asked} statements: there are {different}.")


def _units(
    qualification: Qualification, test: Summary, statements: Sequence[Statement], places: Sequence[Place]
) -> list[Unit]:
    """Not saved. What is left out has nothing expected; of those that say the same the first one is asked."""
    units = [
        Unit(
            plan=qualification.plan,
            summary=test,
            purpose=Purpose.QUALIFICATION,
            index=index,
            start=start,
            end=end,
            quote=each.said,
            by_hand=True,
            expected=each.change is None if each.is_asked else None,
        )
        for index, (each, (start, end)) in enumerate(zip(statements, places, strict=True))
    ]
    asked = [unit for unit in units if unit.expected is not None]
    for unit, first in zip(asked, first_with_same_text([unit.quote for unit in asked]), strict=True):
        unit.same_as = None if first is None else asked[first]
    return units


def _take_apart(qualification: Qualification) -> None:
    test = qualification.test
    if test is None:
        return
    Unit.all_purposes.filter(plan=qualification.plan, purpose=Purpose.QUALIFICATION).delete()
    qualification.test = qualification.checked_by = qualification.checked_at = None
    qualification.save(update_fields=["test", "checked_by", "checked_at"])
    _delete_unused(test)


def _delete_unused(summary: Summary) -> None:
    """A summary that was made for a test, unless somebody used it elsewhere."""
    if not summary.studies.exists():
        with suppress(ProtectedError, RestrictedError):
            summary.delete()


def _cut(qualification: Qualification, places: Sequence[Place]) -> list[QualificationUnit]:
    if Perturbation.objects.filter(unit__qualification=qualification).exists():
        raise StudyError("There are changes of these statements, and they would be lost. Cut before you change any.")
    qualification.statements.all().delete()
    return _store(qualification, places)


def _store(qualification: Qualification, places: Sequence[Place]) -> list[QualificationUnit]:
    text = qualification.original.text
    return QualificationUnit.objects.bulk_create(
        QualificationUnit(qualification=qualification, index=index, start=start, end=end, quote=text[start:end])
        for index, (start, end) in enumerate(places)
    )


def _free_system(book: Book, name: str) -> System:
    """A system has one summary of a book: the first of this name without one of it."""
    taken = set(System.objects.filter(summaries__book=book, name__startswith=name).values_list("name", flat=True))
    free = next(each for number in range(1, len(taken) + 2) if (each := _numbered(name, number)) not in taken)
    return System.objects.get_or_create(name=free, defaults={"strategy": System.Strategy.IMPORTED})[0]


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} {number}"


def _locked(qualification: Qualification) -> Qualification:
    """As it is now, its study held until the transaction ends. Raises StudyError once the plan was opened."""
    locked_in_setup(qualification.plan, OPENED)
    if (current := qualifications().filter(pk=qualification.pk).first()) is None:
        raise StudyError("This test was deleted meanwhile.")
    return current


def _being_made(qualification: Qualification) -> Qualification:
    current = _locked(qualification)
    if current.test_id is not None:
        raise StudyError("The test is made. Take it apart to change its statements.")
    return current


def _unit(qualification: Qualification, unit_id: int) -> QualificationUnit:
    unit = qualification.statements.filter(pk=unit_id).first()
    if unit is None:
        raise StudyError("There is no such statement any more. Somebody cut the text anew.")
    return unit


def _proposal(qualification: Qualification, unit_id: int) -> tuple[Perturbation, QualificationUnit]:
    unit = _unit(_being_made(qualification), unit_id)
    proposal = unit.perturbations.filter(state=State.PROPOSED).first()
    if proposal is None:
        raise StudyError("Somebody decided about this change meanwhile.")
    return proposal, unit


def _checked(text: str, unit: QualificationUnit) -> str:
    """In one line. Raises StudyError where it is empty, too long, or says what the statement said."""
    said = " ".join(text.split())
    if not said:
        raise StudyError("Write what the changed statement says.")
    if len(said) > LONGEST_STATEMENT:
        raise StudyError(f"A statement has at most {LONGEST_STATEMENT} characters.")
    if says_the_same(said, unit.quote):
        raise StudyError("This says what the statement said before, so the book would still support it.")
    return said


def _decide(change: Perturbation, state: str, by_id: int | None) -> None:
    change.state, change.decided_by_id, change.decided_at = state, by_id, timezone.now()
    change.save()


def _set(qualification: Qualification, settings: dict[str, Any]) -> None:
    if unknown := settings.keys() - SETTINGS:
        raise TypeError(f"no settings of a test: {', '.join(sorted(unknown))}")
    for name, value in settings.items():
        setattr(qualification, name, value)
    try:
        qualification.clean_fields(exclude=["plan", "original", "test"])
    except ValidationError as error:
        name, messages = next(iter(error.message_dict.items()))
        raise StudyError(f"{name.replace('_', ' ').capitalize()}: {messages[0]}") from error
