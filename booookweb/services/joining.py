"""People who join a study by a link: with a name and a password of their own, or sent by a platform.

A platform's person has no password. What opens their account again is the link's token together with the id of the
session in which they first came by it; their id on the platform is not secret and opens nothing by itself.
"""

import secrets
from hmac import compare_digest

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotation.access import annotator_of
from annotation.models import ExternalId, Invitation, PlatformSession
from annotation.services.invitations import InvitationError, digest, require_joinable, use_invitation
from booookweb.models import Role, User
from booookweb.services.people import ALPHABET, PersonError, add_login

#: How often two requests of one person may meet before one gives up.
TRIES = 3


class PasswordRefused(PersonError):
    """The password that somebody chose is too weak."""


class LoginNeeded(InvitationError):
    """The person has a password, so only that opens their account."""


class OtherSession(InvitationError):
    """Somebody with this id came by the link before, in another session."""


def join_with_new_account(*, invitation: Invitation, name: str, password: str) -> User:
    """An annotator with this name and password, in the study. Raises PersonError or InvitationError; then nothing is
    stored and no place is taken."""
    require_joinable(invitation)
    try:
        validate_password(password, User(username=name))
    except ValidationError as error:
        raise PasswordRefused(" ".join(error.messages)) from error
    hashed = make_password(password)
    with transaction.atomic():
        person = add_login(name=name, role=Role.ANNOTATOR, password_hash=hashed)
        use_invitation(invitation=invitation, annotator=annotator_of(person))
    return person


def join(*, invitation: Invitation, person: User) -> bool:
    """Somebody who is logged in joins. Returns whether they were not in the study before."""
    annotator = annotator_of(person)
    if not invitation.study.members.filter(annotator=annotator).exists():
        require_joinable(invitation)
    return use_invitation(invitation=invitation, annotator=annotator)


def join_from_platform(
    *, invitation: Invitation, external_id: str, session: str, logged_in: User | None = None
) -> User:
    """The person with this id on the platform: made on first use, the same one ever after.

    Whoever is logged in as that person already needs to show nothing else. Raises LoginNeeded, OtherSession, or
    InvitationError where the link takes nobody new.
    """
    for attempt in range(TRIES):
        try:
            with transaction.atomic():
                return _person_from_platform(invitation, external_id, session, logged_in)
        except IntegrityError:  # made by another request meanwhile
            if attempt == TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _person_from_platform(invitation: Invitation, external_id: str, session: str, logged_in: User | None) -> User:
    if invitation.revoked_at:
        require_joinable(invitation)
    known = ExternalId.objects.select_related("user").filter(value=external_id).first()
    if known is None:
        require_joinable(invitation)
        known = ExternalId.objects.create(user=_new_person(), value=external_id)
    shown = logged_in is not None and logged_in.pk == known.user_id
    if not shown:
        _require_open_to_links(known.user)
    came = PlatformSession.objects.filter(external_id=known, invitation=invitation).first()
    if came is None:
        require_joinable(invitation)
        PlatformSession.objects.create(external_id=known, invitation=invitation, session_sha256=digest(session))
        use_invitation(invitation=invitation, annotator=annotator_of(known.user))
    elif not shown and not compare_digest(came.session_sha256, digest(session)):
        raise OtherSession(
            "Somebody with your id has begun here before, in another session. Open the link that you used then, or "
            "write to those who invited you; they can give you a password."
        )
    return known.user


def _require_open_to_links(person: User) -> None:
    if not person.is_active:
        raise InvitationError("Your account here is closed. Write to those who invited you.")
    if person.has_usable_password() or person.role != Role.ANNOTATOR:
        raise LoginNeeded("You have an account with a password here. Log in with it, then open this link again.")


def _new_person() -> User:
    """Under a name that says nothing of the id on the platform, and without a password."""
    name = "guest-" + "".join(secrets.choice(ALPHABET) for _ in range(8))
    return add_login(name=name, role=Role.ANNOTATOR, password_hash=make_password(None))
