"""Personal tokens: made once, shown once, kept as a hash, revoked by deleting them."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from booookweb.models import ApiToken, Role, User

#: Tells people and secret scanners what a found string is.
PREFIX = "booook_"
MOST_TOKENS = 20
#: Roles that have tokens.
OWNERS = (Role.RESEARCHER, Role.ADMIN)
#: How exact `last_used_at` is: a write for every request would cost more than most requests.
NOTED_EVERY = timedelta(minutes=1)


class TokenError(Exception):
    """Why a token is not made; the message is for its owner."""


def make_token(*, user: User, name: str, read_only: bool, expires_at: datetime | None = None) -> tuple[ApiToken, str]:
    """A new token, and the string that its owner has to keep. Raises TokenError."""
    secret = PREFIX + secrets.token_urlsafe(32)
    name = " ".join(name.split())
    if not name:
        raise TokenError("Give the token a name, so that you know later which program uses it.")
    if user.api_tokens.count() >= MOST_TOKENS:
        raise TokenError(
            f"You have {MOST_TOKENS} tokens, the most there can be. Revoke one that nothing uses any more."
        )
    try:
        with transaction.atomic():
            token = ApiToken.objects.create(
                user=user, name=name, read_only=read_only, expires_at=expires_at, digest=_digest(secret)
            )
    except IntegrityError as error:
        raise TokenError(
            f"You have a token named “{name}” already. Choose another name, or revoke that one."
        ) from error
    return token, secret


def revoke_token(*, user: User, token_id: int) -> str:
    """The name of the token that is gone now; empty where the person has no such token."""
    token = ApiToken.objects.filter(user=user, pk=token_id).first()
    if token is None:
        return ""
    token.delete()
    return token.name


def token_of(secret: str) -> ApiToken | None:
    """The token that this string is, with its owner, and note that it was used. None for one that opens nothing.

    That is also one of a person who has become an annotator, and so can neither see it any more nor revoke it.
    """
    now = timezone.now()
    owners = {"user__is_active": True, "user__role__in": OWNERS}
    found = ApiToken.objects.select_related("user").filter(digest=_digest(secret), **owners)
    token = found.filter(Q(expires_at=None) | Q(expires_at__gt=now)).first()
    if token:
        unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - NOTED_EVERY)
        ApiToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
    return token


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
