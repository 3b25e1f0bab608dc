"""Programs that use the API with a token."""

from django.test import Client

from booookweb.models import User
from booookweb.services.api_tokens import make_token
from tests.factories import make_user

ROOT = "/api/v1/"


class Program:
    """A client without cookies; `user` is the owner of its token. Paths are those below /api/v1/."""

    def __init__(self, user: User, *, read_only: bool = False) -> None:
        self.user = user
        self.token, self.secret = make_token(user=user, name="a test", read_only=read_only)
        self.client = Client(headers={"authorization": f"Bearer {self.secret}"})

    def get(self, path, status=200, **query):
        return self._answer(self.client.get(ROOT + path, query), status)

    def post(self, path, status=200, **values):
        return self._answer(self.client.post(ROOT + path, values, content_type="application/json"), status)

    def patch(self, path, status=200, **values):
        return self._answer(self.client.patch(ROOT + path, values, content_type="application/json"), status)

    def upload(self, path, status=201, **fields):
        return self._answer(self.client.post(ROOT + path, fields), status)

    def delete(self, path, status=204):
        return self._answer(self.client.delete(ROOT + path), status)

    @staticmethod
    def _answer(response, status):
        assert response.status_code == status, getattr(response, "content", b"")[:500]
        return response.json() if response.headers.get("Content-Type") == "application/json" else response


def program(role="admin", **options):
    return Program(make_user(role), **options)
