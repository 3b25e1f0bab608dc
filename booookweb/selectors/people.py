"""Lists of people."""

from django.db.models import QuerySet
from django.db.models.functions import Lower

from booookweb.models import User


def people_matching(search: str = "") -> QuerySet[User]:
    """People whose name holds the search words, open accounts first, by name."""
    people = User.objects.order_by("-is_active", Lower("username"), "pk")
    return people.filter(username__icontains=search) if search else people
