"""Who a token belongs to."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from booookweb.api.base import RestView
from booookweb.models import ApiToken, Role


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    class Meta:
        model = ApiToken
        fields = ("name", "read_only", "created_at", "expires_at")


class MeSerializer(serializers.Serializer[Any]):
    username = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    token = TokenSerializer(allow_null=True)


class Me(RestView):
    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Your name and role, and the token that you came with."""
        user = self.user(request)
        token = request.auth if isinstance(request.auth, ApiToken) else None
        return Response(MeSerializer({"username": user.username, "role": user.role, "token": token}).data)
