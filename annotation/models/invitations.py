"""Links by which people join a study on their own, and who they are on the platform that sent them."""

from datetime import date, timedelta

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q

from annotation.models.studies import Study

#: After its beginning in UTC, when a day is over everywhere on Earth.
DAY_ENDS = timedelta(days=1, hours=12)


class Invitation(models.Model):
    """A link for so many people until such a day. Its token is stored hashed: whoever made it saw it once."""

    class Kind(models.TextChoices):
        LINK = "link", "Everybody who has the link chooses a name and a password"
        PLATFORM = "platform", "For a platform like Prolific, which adds each person’s id to the link"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invitations")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.LINK)
    token_sha256 = models.CharField(max_length=64, unique=True)
    #: For whom it is, in the words of whoever made it.
    note = models.CharField(max_length=100, blank=True)
    # What the people who join do in the study.
    annotates = models.BooleanField(default=True)
    reviews = models.BooleanField(default=True)
    compares = models.BooleanField(default=False)
    judges_units = models.BooleanField(default=False)
    rates = models.BooleanField(default=False)
    maximum_uses = models.PositiveIntegerField(validators=[MinValueValidator(1)])
    uses = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "-id"]
        constraints = [
            models.CheckConstraint(condition=Q(uses__lte=F("maximum_uses")), name="invitation_uses_limited"),
            models.CheckConstraint(condition=Q(kind__in=("link", "platform")), name="invitation_kind_known"),
            models.CheckConstraint(
                condition=Q(judges_units=False) | Q(rates=False), name="invitation_to_check_in_one_way"
            ),
        ]

    def __str__(self) -> str:
        return self.note or f"Link {self.pk}"

    @property
    def last_day(self) -> date:
        """The day that was chosen; it lasts until it is over everywhere on Earth."""
        return (self.expires_at - DAY_ENDS).date()


class ExternalId(models.Model):
    """Who a person is on the platform that sent them. Removed with the account, and part of no export."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="external_ids")
    value = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.value


class PlatformSession(models.Model):
    """A person came by a platform's link. The session's id, hashed, is what opens their account again."""

    external_id = models.ForeignKey(ExternalId, on_delete=models.CASCADE, related_name="sessions")
    invitation = models.ForeignKey(Invitation, on_delete=models.CASCADE, related_name="sessions")
    session_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["external_id", "invitation"], name="platform_session_once"),
        ]

    def __str__(self) -> str:
        return f"{self.external_id} by {self.invitation}"
