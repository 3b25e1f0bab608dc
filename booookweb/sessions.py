"""Sessions in the database, as Django keeps them; only how one is read is our own, because every request reads one."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import DateTimeField, QuerySet, TextField
from django.utils import timezone

from annotation.statements import Parameter, Statement


def _session() -> QuerySet[Session, Any]:
    current = Session.objects.filter(
        session_key=Parameter("key", TextField()), expire_date__gt=Parameter("now", DateTimeField())
    )
    return current.values_list("session_data")


_SESSION = Statement(_session)


class SessionStore(db.SessionStore):
    def load(self) -> dict[str, Any]:
        row = _SESSION.row(key=self.session_key, now=timezone.now())
        # Django's own way knows what to do about one that ended, or never was.
        return self.decode(row[0]) if row else super().load()
