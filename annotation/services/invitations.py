"""Making, revoking and using the links by which people join a study."""

import hashlib
import secrets
from datetime import datetime

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.models import Annotator, Invitation, Study
from annotation.services.studies import StudyError, add_member

TOKEN_BYTES = 24
MOST_USES = 10_000


class InvitationError(Exception):
    """Why nobody can join by this link, in words for the person who has it."""


def digest(secret: str) -> str:
    """SHA-256, which is enough for secrets that are long and random."""
    return hashlib.sha256(secret.encode()).hexdigest()


@transaction.atomic
def make_invitation(
    *,
    study: Study,
    expires_at: datetime,
    maximum_uses: int,
    kind: str = Invitation.Kind.LINK,
    note: str = "",
    annotates: bool = True,
    reviews: bool = True,
    compares: bool = False,
    judges_units: bool = False,
    rates: bool = False,
    created_by_id: int | None = None,
) -> tuple[Invitation, str]:
    """An invitation and its token, which is stored nowhere. Whoever joins by it is an annotator.

    Raises StudyError for a study that is closed, or a link that nobody could use.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    if study.phase == Study.Phase.CLOSED:
        raise StudyError("This study is closed; nobody can join it any more.")
    if expires_at <= timezone.now():
        raise StudyError("Choose a last day that is not over.")
    if not 1 <= maximum_uses <= MOST_USES:
        raise StudyError(f"Between 1 and {MOST_USES:,} people can join by one link.")
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation.objects.create(
        study=study,
        kind=kind,
        token_sha256=digest(token),
        note=note,
        annotates=annotates,
        reviews=reviews,
        compares=compares,
        judges_units=judges_units,
        rates=rates,
        maximum_uses=maximum_uses,
        expires_at=expires_at,
        created_by_id=created_by_id,
    )
    return invitation, token


def revoke_invitation(*, study: Study, invitation_id: int) -> bool:
    """Nobody can join by it any more; who joined stays. Returns whether it was open."""
    open_ones = Invitation.objects.filter(study=study, pk=invitation_id, revoked_at=None)
    return bool(open_ones.update(revoked_at=timezone.now()))


def invitation_of(token: str) -> Invitation | None:
    return Invitation.objects.select_related("study__created_by").filter(token_sha256=digest(token)).first()


def require_joinable(invitation: Invitation) -> None:
    """Raises InvitationError, which says why, where nobody new can join by it."""
    if invitation.revoked_at:
        raise InvitationError("This link was withdrawn by those who made it.")
    if invitation.study.phase == Study.Phase.CLOSED:
        raise InvitationError("The study that this link belongs to has ended.")
    if invitation.expires_at <= timezone.now():
        raise InvitationError("This link has expired.")
    if invitation.uses >= invitation.maximum_uses:
        raise InvitationError("All places of this link are taken.")


@transaction.atomic
def use_invitation(*, invitation: Invitation, annotator: Annotator) -> bool:
    """Make the person a member, and count the use; whoever is a member already takes no place. Returns whether new.

    The place is taken by compare-and-set, so that two people can't both get the last one.
    """
    if invitation.study.members.filter(annotator=annotator).exists():
        return False
    places = Invitation.objects.filter(
        pk=invitation.pk, revoked_at=None, expires_at__gt=timezone.now(), uses__lt=F("maximum_uses")
    )
    if not places.update(uses=F("uses") + 1):
        require_joinable(Invitation.objects.select_related("study").get(pk=invitation.pk))
        raise InvitationError("This link can’t be used any more.")
    try:
        add_member(
            study=invitation.study,
            annotator=annotator,
            annotates=invitation.annotates,
            reviews=invitation.reviews,
            compares=invitation.compares,
            judges_units=invitation.judges_units,
            rates=invitation.rates,
        )
        invitation.study.members.filter(annotator=annotator).update(invitation=invitation)
    except StudyError as error:
        raise InvitationError(str(error)) from error
    return True
