"""Adding people, new passwords, closing, opening and deleting accounts.

Passwords are made here, returned once, stored hashed, and never logged.
"""

import secrets

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from axes.utils import reset as reset_login_throttle
from django.contrib.auth.hashers import make_password
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Annotator
from annotation.services.leaving import hand_over_tasks, offer_tasks
from booookweb.models import Role, User

#: Characters that are told apart in print and by phone: no 0/o, 1/l/i.
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
GROUPS, GROUP_LENGTH = 3, 4


class PersonError(Exception):
    """A change to a person that can't be made; says why and what to do."""


class NameTaken(PersonError):
    """Somebody has this name already."""


def may_reset_password(by: User, person: User) -> bool:
    return by.role == Role.ADMIN or (by.role == Role.RESEARCHER and person.role == Role.ANNOTATOR)


def random_password() -> str:
    """Three groups of four characters, 59 bits, for example `k7rm-2xqa-w9dz`."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))


def add_person(*, name: str, role: str, one_time: bool = False) -> tuple[User, str]:
    """A new person and their first password, which they have to change at their first login if it is `one_time`.

    Raises PersonError for a taken or unusable name.
    """
    password = random_password()
    return add_login(name=name, role=role, password_hash=make_password(password), one_time=one_time), password


@transaction.atomic
def add_login(*, name: str, role: str, password_hash: str, one_time: bool = False) -> User:
    """A new person with a password that is hashed already, which takes longer than a transaction should.

    Raises PersonError for a taken or unusable name.
    """
    if role not in Role.values:
        raise PersonError(f"There is no role {role!r}. Choose one of: {', '.join(Role.values)}.")
    name = User.normalize_username(name.strip())
    person = User(username=name, role=role, password=password_hash, must_change_password=one_time)
    try:
        person.clean_fields()
        if User.objects.filter(username__iexact=person.username).exists():
            raise NameTaken(_taken(person.username))
        with transaction.atomic():
            person.save(force_insert=True)
    except ValidationError as error:
        raise PersonError(" ".join(error.message_dict.get("username", error.messages))) from error
    except IntegrityError as error:  # the same name at the same moment
        raise NameTaken(_taken(person.username)) from error
    return person


@transaction.atomic
def reset_password(*, person: User, by: User) -> str:
    """A new random password, to be changed at the next login; the old one and all logins made with it end, and so does
    a login throttle.

    Admins may do this for anybody, researchers for annotators. Raises PermissionDenied for others.
    """
    if not may_reset_password(by, person):
        raise PermissionDenied("Only admins make new passwords for researchers and admins.")
    password = random_password()
    person.set_password(password)
    if not User.objects.filter(pk=person.pk, is_active=True).update(
        password=person.password, must_change_password=True
    ):
        raise PersonError(f"The account of {person.username} is closed. Open it again first.")
    reset_login_throttle(username=person.username)
    return password


@transaction.atomic
def deactivate(*, person: User, by: User) -> None:
    """Close an account: the person is logged out and can't log in. Submitted work stays, open tasks go to others."""
    _require_not_needed(person, by, "close")
    if not User.objects.filter(pk=person.pk, is_active=True).update(is_active=False):
        raise PersonError(f"The account of {person.username} is closed already.")
    if annotator := Annotator.objects.filter(user=person.pk).first():
        hand_over_tasks(annotator=annotator)


@transaction.atomic
def reactivate(*, person: User) -> None:
    """Open an account again. The person gets tasks that nobody has."""
    if not User.objects.filter(pk=person.pk, is_active=False).update(is_active=True):
        raise PersonError(f"The account of {person.username} is open already.")
    if annotator := Annotator.objects.filter(user=person.pk).first():
        offer_tasks(annotator=annotator)


@transaction.atomic
def delete_person(*, person: User, by: User) -> str:
    """Remove a login with everything that tells who the person is; the name can be used again.

    What they did stays under the pseudonym, which is returned, and no figure changes; open tasks go to others. Drafts
    stay stored and count nowhere. This can't be undone: nobody can find out any more who was behind the pseudonym.
    """
    _require_not_needed(person, by, "delete")
    annotator = Annotator.objects.filter(user=person.pk).first()
    if annotator:
        annotator.user, annotator.left_at = None, timezone.now()
        annotator.save(update_fields=["user", "left_at"])
        hand_over_tasks(annotator=annotator)
    for log in (AccessAttempt, AccessFailureLog, AccessLog):  # what the login throttle remembers
        log.objects.filter(username__iexact=person.username).delete()
    person.delete()
    return annotator.pseudonym if annotator else ""


def _require_not_needed(person: User, by: User, verb: str) -> None:
    if person.pk == by.pk:
        raise PersonError(f"You can't {verb} your own account. Ask another admin.")
    # Locks the admins, so that two of them can't close each other's account at the same moment.
    admins = list(User.objects.select_for_update().filter(role=Role.ADMIN, is_active=True).values_list("pk", flat=True))
    if admins == [person.pk]:
        raise PersonError(f"{person.username} is the only admin. Add another one first.")


def _taken(name: str) -> str:
    return f"There is a person named {name} already (small and capital letters count as the same). Choose another name."
