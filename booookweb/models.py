"""People who log in. A person's role decides which pages they reach (see `access`)."""

from datetime import date, timedelta

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower


class Role(models.TextChoices):
    ADMIN = "admin", "Admin"
    RESEARCHER = "researcher", "Researcher"
    ANNOTATOR = "annotator", "Annotator"


class User(AbstractUser):
    """A login. Everything a person produces hangs on their `annotation.Annotator`, not on this row."""

    role = models.CharField(max_length=10, choices=Role.choices, default=Role.ANNOTATOR)
    #: The password was made by somebody else: until the person has chosen one, no page but the account opens.
    must_change_password = models.BooleanField(default=False)

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="user_role_known"),
            #: "Anna" and "anna" would be two people whom nobody tells apart.
            models.UniqueConstraint(Lower("username"), name="user_name_once_whatever_case"),
        ]


class ApiToken(models.Model):
    """Lets a program do over the API what its owner may do, or only read it. The token itself is stored nowhere."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    #: SHA-256 of the token. It is random and long, so that a slow hash would protect nothing more.
    digest = models.CharField(max_length=64, unique=True)
    read_only = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    #: To the minute.
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["user", "name"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="api_token_name_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def last_day(self) -> date | None:
        """The last whole day, in UTC, on which it opens something."""
        return (self.expires_at - timedelta(microseconds=1)).date() if self.expires_at else None
