"""Adding many annotators at once: all of a list or nobody."""

from collections import defaultdict
from dataclasses import dataclass

from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.access import annotator_of
from annotation.models import Annotator, Study, StudyMember, Withdrawal
from annotation.services.studies import StudyError, add_members
from booookweb.models import Role, User
from booookweb.people_csv import Row, UnreadableList, read_list
from booookweb.services.people import PersonError, add_login, random_password

#: A random password of 59 bits needs no slow hash, and a list of 500 has no time for one. The first login replaces it.
ITERATIONS = 20_000


@dataclass(frozen=True)
class PlannedPerson:
    """What the import does with a row."""

    row: Row
    #: As it is stored already, for somebody who has an account.
    name: str
    person: User | None
    #: Studies that the person is not a member of yet.
    joins: tuple[Study, ...]

    @property
    def is_new(self) -> bool:
        return self.person is None


@dataclass(frozen=True)
class ImportedPerson:
    name: str
    #: Empty for somebody who had an account.
    password: str
    studies: tuple[str, ...]


def plan_import(text: str) -> list[PlannedPerson]:
    """What would happen. Raises UnreadableList with everything that stands against it."""
    rows = read_list(text)
    known = {user.username.lower(): user for user in User.objects.all()}
    studies = Study.objects.in_bulk({name for row in rows for name in row.studies}, field_name="name")
    members, gone = _pairs(StudyMember, studies), _pairs(Withdrawal, studies)
    planned: list[PlannedPerson] = []
    problems: list[str] = []
    for row in rows:
        person = known.get(User.normalize_username(row.name).lower())
        problems += _problems(row, person, studies, gone)
        inside = members.get(person.pk, set()) if person else set()
        joins = tuple(studies[name] for name in row.studies if name in studies and studies[name].pk not in inside)
        planned.append(PlannedPerson(row, person.username if person else row.name, person, joins))
    if problems:
        raise UnreadableList(*problems)
    return planned


def import_people(text: str) -> list[ImportedPerson]:
    """Add everybody who is new, under a one-time password, and make all members. Raises UnreadableList; then nothing is
    stored."""
    planned = plan_import(text)
    passwords = {each.row.number: random_password() for each in planned if each.is_new}
    hashes = {number: _quick_hash(password) for number, password in passwords.items()}
    with transaction.atomic():
        joining: dict[Study, list[Annotator]] = defaultdict(list)
        for each in planned:
            person = each.person or _add(each.row, hashes[each.row.number])
            for study in each.joins:
                joining[study].append(annotator_of(person))
        for study in sorted(joining, key=lambda study: study.pk):
            try:
                add_members(study=study, annotators=joining[study])
            except StudyError as error:
                raise UnreadableList(f"“{study.name}”: {error}") from error
    return [
        ImportedPerson(each.name, passwords.get(each.row.number, ""), tuple(study.name for study in each.joins))
        for each in planned
    ]


def _problems(row: Row, person: User | None, studies: dict[str, Study], gone: dict[int, set[int]]) -> list[str]:
    problems = []
    if person is None:
        try:
            User(username=User.normalize_username(row.name)).clean_fields(exclude=_all_but_the_name())
        except ValidationError as error:
            problems.append(f"Row {row.number}: “{row.name}” can’t be a name. {' '.join(error.messages)}")
    elif not person.is_active:
        problems.append(f"Row {row.number}: the account of {person.username} is closed. Open it again first.")
    for name in row.studies:
        study = studies.get(name)
        if study is None:
            problems.append(f"Row {row.number}: there is no study “{name}”. Use the short names from the addresses.")
        elif study.phase == Study.Phase.CLOSED:
            problems.append(f"Row {row.number}: the study “{name}” is closed.")
        elif person is not None and study.pk in gone.get(person.pk, ()):
            problems.append(f"Row {row.number}: {person.username} withdrew from “{name}” and can’t join it again.")
    return problems


def _all_but_the_name() -> set[str]:
    return {field.name for field in User._meta.fields} - {"username"}


def _pairs(model: type[StudyMember] | type[Withdrawal], studies: dict[str, Study]) -> dict[int, set[int]]:
    """User -> the studies that they have such a row in."""
    found: dict[int, set[int]] = defaultdict(set)
    rows = model.objects.filter(study__in=studies.values(), annotator__user__isnull=False)
    for user, study in rows.values_list("annotator__user", "study"):
        found[user].add(study)
    return found


def _add(row: Row, password_hash: str) -> User:
    try:
        return add_login(name=row.name, role=Role.ANNOTATOR, password_hash=password_hash, one_time=True)
    except PersonError as error:  # taken meanwhile
        raise UnreadableList(f"Row {row.number}: {error}") from error


def _quick_hash(password: str) -> str:
    hasher = PBKDF2PasswordHasher()
    return hasher.encode(password, hasher.salt(), iterations=ITERATIONS)
