"""Setting up a round of comparisons, opening it and closing it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict

from django.db import transaction

from annotation.comparison_questions import ANSWERS, DEFAULT_QUESTIONS, Question
from annotation.models import Annotator, Comparison, ComparisonQuestion, ComparisonRound, Study, StudyMember
from annotation.selectors.comparisons import comparable_books, round_problems
from annotation.services.comparison_tasks import fill_comparisons, release_comparisons
from annotation.services.studies import StudyError, add_member
from summarizer.models import Summary, System

State = ComparisonRound.State
#: Answers about one of the two summaries are stored under a question's key with one of these endings.
RESERVED_ENDINGS = ("-first", "-second", "-a", "-b")
LARGEST_OVERLAP = 1000


@transaction.atomic
def create_round(*, study: Study, name: str, overlap: int = 1) -> ComparisonRound:
    """A round without pairs. It begins with the questions of the study's last round, or with the published ones.

    Raises StudyError for a name that the study has already (imported rounds count), or a study that is closed.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    _require_running(study)
    name = " ".join(name.split())
    if not name or len(name) > 50:
        raise StudyError("Give the round a name of at most 50 characters.")
    imported = study.comparisons.filter(round=name).exists() or study.comparison_tallies.filter(round=name).exists()
    if imported or study.comparison_rounds.filter(name=name).exists():
        raise StudyError(f"This study has a round named “{name}” already. Choose another name.")
    last = study.comparison_rounds.order_by("pk").last()
    created = ComparisonRound.objects.create(study=study, name=name, overlap=_checked_overlap(overlap))
    _store_questions(created, questions_of(last) if last else DEFAULT_QUESTIONS)
    return created


@transaction.atomic
def set_overlap(*, asked_in: ComparisonRound, overlap: int) -> None:
    asked_in = _in_setup(asked_in, "The number of people per pair can be changed only before the round opens.")
    asked_in.overlap = _checked_overlap(overlap)
    asked_in.save(update_fields=["overlap"])


@transaction.atomic
def add_pairs_of_systems(*, asked_in: ComparisonRound, one: System, other: System) -> int:
    """Pair the two systems on every book of which the study has summaries by both. Returns how many pairs are new."""
    asked_in = _in_setup(asked_in, "Pairs can be added only before the round opens.")
    if one == other:
        raise StudyError("Choose two different systems.")
    added = found = 0
    for _, summaries in comparable_books(asked_in.study):
        by_system = {summary.system_id: summary for summary in summaries}
        if one.pk in by_system and other.pk in by_system:
            found += 1
            added += _add(asked_in, by_system[one.pk], by_system[other.pk])
    if not found:
        raise StudyError(f"The study has no book with summaries by both {one} and {other}. Add such summaries first.")
    return added


@transaction.atomic
def add_pair(*, asked_in: ComparisonRound, one: Summary, other: Summary) -> bool:
    """Add a pair by hand. Returns whether it is new to the round."""
    asked_in = _in_setup(asked_in, "Pairs can be added only before the round opens.")
    if one.book_id != other.book_id:
        raise StudyError("Both summaries of a pair have to be of one book.")
    if one.system_id == other.system_id:
        raise StudyError("Choose summaries by two different systems.")
    if asked_in.study.summaries.filter(pk__in=(one.pk, other.pk)).count() < 2:
        raise StudyError("Both summaries have to be in the study. Add them to it first.")
    return _add(asked_in, one, other)


@transaction.atomic
def remove_pairs(*, asked_in: ComparisonRound, pairs: Collection[int]) -> int:
    asked_in = _in_setup(asked_in, "Pairs can be taken out only before the round opens.")
    removed, _ = asked_in.comparisons.filter(pk__in=pairs).delete()
    return removed


@transaction.atomic
def set_questions(*, asked_in: ComparisonRound, questions: Sequence[Question]) -> None:
    """Replace the round's questions. Refused once the round is open: people answer to the words they read."""
    asked_in = _in_setup(
        asked_in,
        "This round has been opened, so its questions stay as people read them. Make another round to ask differently.",
    )
    _check_questions(questions)
    asked_in.questions.all().delete()
    _store_questions(asked_in, questions)


@transaction.atomic
def set_comparers(*, study: Study, annotators: Collection[int]) -> None:
    """Say which of the study's members compare. Whoever no longer does loses open comparisons to others."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    _require_running(study)
    wanted = set(annotators)
    members = list(study.members.select_related("annotator"))
    idle = [each for each in members if each.annotator_id not in wanted and not _does_more(each)]
    if idle:
        names = ", ".join(str(each.annotator) for each in idle)
        raise StudyError(f"{names} would do nothing in this study. Take them out under People instead.")
    for member in members:
        compares = member.annotator_id in wanted
        if compares != member.compares:
            add_member(
                study=study,
                annotator=member.annotator,
                annotates=member.annotates,
                reviews=member.reviews,
                compares=compares,
            )


@transaction.atomic
def open_round(*, asked_in: ComparisonRound) -> ComparisonRound:
    """Give out the comparisons. Raises StudyError where something is missing (see `round_problems`)."""
    asked_in = _in_setup(asked_in, "This round has been opened already.")
    if problems := round_problems(asked_in):
        raise StudyError(" ".join(problems))
    asked_in.state = State.OPEN
    asked_in.save(update_fields=["state"])
    fill_comparisons(study=asked_in.study)
    return asked_in


@transaction.atomic
def close_round(*, asked_in: ComparisonRound) -> ComparisonRound:
    """End the round's work: open tasks end without counting, submitted ones can't be taken back any more."""
    asked_in = _locked(asked_in)
    if asked_in.state == State.SETUP:
        raise StudyError("This round has not been opened, so there is nothing to close.")
    asked_in.state = State.CLOSED
    asked_in.save(update_fields=["state"])
    release_comparisons(asked_in=asked_in)
    return asked_in


@transaction.atomic
def delete_round(*, asked_in: ComparisonRound) -> None:
    _in_setup(asked_in, "A round that was opened stays.").delete()


def questions_of(asked_in: ComparisonRound) -> list[Question]:
    rows = asked_in.questions.order_by("order")
    return [Question(row.key, row.words, row.kind, row.asks_comment, row.required) for row in rows]


def comparers_of(study: Study) -> list[StudyMember]:
    members = study.members.filter(annotator__kind=Annotator.Kind.PERSON).select_related("annotator__user")
    return list(members.order_by("annotator__pseudonym"))


def _does_more(member: StudyMember) -> bool:
    return member.annotates or member.reviews or member.judges_units or member.rates


def _add(asked_in: ComparisonRound, one: Summary, other: Summary) -> bool:
    """First is the summary of the system whose name comes first, as in an import."""
    first, second = sorted((one, other), key=lambda summary: (summary.system.name, summary.pk))
    _, created = Comparison.objects.get_or_create(
        study_id=asked_in.study_id,
        round=asked_in.name,
        first=first,
        second=second,
        defaults={"asked_in": asked_in},
    )
    return created


def _check_questions(questions: Sequence[Question]) -> None:
    if not questions:
        raise StudyError("Ask at least one question.")
    if not any(each.required for each in questions):
        raise StudyError("At least one question has to be required, or an empty answer could be submitted.")
    keys: set[str] = set()
    for each in questions:
        _check_question(each)
        if each.key in keys:
            raise StudyError(f"Two questions are named “{each.key}”. Give each a name of its own.")
        keys.add(each.key)


def _check_question(question: Question) -> None:
    key, words = question.key, question.words
    if not key:
        raise StudyError(f"Give the question “{words}” a short name: small letters, digits and hyphens.")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", key) or len(key) > 40:
        raise StudyError(f"“{key}” can't name a question. Use small letters, digits and hyphens.")
    if key.endswith(RESERVED_ENDINGS):
        raise StudyError(f"“{key}” ends like an answer about one of the two. Choose another short name.")
    if not words.strip():
        raise StudyError(f"Write the question “{key}”, or empty its short name too to take it out.")
    if len(words) > 300:
        raise StudyError(f"Write the question “{key}” in at most 300 characters.")
    if question.kind not in ANSWERS:
        raise StudyError(f"Choose how the question “{key}” is answered.")


def _store_questions(asked_in: ComparisonRound, questions: Sequence[Question]) -> None:
    ComparisonQuestion.objects.bulk_create(
        ComparisonQuestion(round=asked_in, order=order, **asdict(each)) for order, each in enumerate(questions)
    )


def _checked_overlap(overlap: int) -> int:
    if not 1 <= overlap <= LARGEST_OVERLAP:
        raise StudyError(f"Ask from 1 to {LARGEST_OVERLAP} people to compare each pair.")
    return overlap


def _require_running(study: Study) -> None:
    if study.phase == Study.Phase.CLOSED:
        raise StudyError("This study is closed; nothing can be compared in it any more.")


def _locked(asked_in: ComparisonRound) -> ComparisonRound:
    """The round as it is now; its study's row is the lock for all that changes rounds and gives out tasks."""
    study = Study.objects.select_for_update().get(pk=asked_in.study_id)
    current = study.comparison_rounds.filter(pk=asked_in.pk).first()
    if current is None:
        raise StudyError("This round was deleted meanwhile.")
    _require_running(study)
    return current


def _in_setup(asked_in: ComparisonRound, otherwise: str) -> ComparisonRound:
    current = _locked(asked_in)
    if current.state != State.SETUP:
        raise StudyError(otherwise)
    return current
