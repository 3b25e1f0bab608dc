"""People who log in. A person's role decides which pages they reach (see `access`)."""

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
