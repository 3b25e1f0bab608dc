"""What the API of both kinds of faithfulness tasks shares: errors, and fields that both send."""

from abc import ABC, abstractmethod
from typing import Any

from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.errors import TaskAPIView
from annotation.api.guidelines import guidelines_shown
from annotation.api.mark_serializers import TextField, WholeNumberField
from annotation.models import Assignment
from annotation.services import fine
from annotation.services.faithfulness_errors import (
    FaithfulnessConflict,
    FaithfulnessError,
    FaithfulnessIncomplete,
    FaithfulnessLocked,
)
from annotation.services.spans import LARGEST_OFFSET


class ChangeSerializer(serializers.Serializer[Any]):
    base_version = WholeNumberField(min_value=0, max_value=LARGEST_OFFSET)
    comment = TextField(allow_blank=True, max_length=fine.LONGEST_COMMENT, default="")


@method_decorator(cache_control(private=True, no_store=True), name="dispatch")
class FaithfulnessAPIView(TaskAPIView, ABC):
    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, FaithfulnessError):
            return Response(self._error(exc), status=_status(exc))
        return super().handle_exception(exc)

    @abstractmethod
    def current_json(self, current: Any) -> Any: ...

    @staticmethod
    def shown(request: Request, assignment: Assignment) -> int | None:
        return guidelines_shown(request, assignment.study_id)

    def _error(self, error: FaithfulnessError) -> dict[str, Any]:
        answer: dict[str, Any] = {"detail": str(error), "code": error.code}
        if isinstance(error, FaithfulnessConflict):
            answer["current"] = self.current_json(error.current)
        if isinstance(error, FaithfulnessIncomplete):
            answer["missing"] = error.missing
        return answer


def _status(error: FaithfulnessError) -> int:
    return 409 if isinstance(error, FaithfulnessConflict | FaithfulnessLocked) else 400
