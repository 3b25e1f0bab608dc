"""One form for every error of the API: `{"detail": sentence, "code": word}`, and what the page needs besides."""

from typing import Any

from rest_framework.exceptions import APIException, ErrorDetail, ValidationError
from rest_framework.response import Response
from rest_framework.views import APIView, exception_handler

from annotation.access import NotReady
from annotation.api.mark_serializers import AnnotationSerializer
from annotation.services.mark_errors import IncompleteMarks, MarkConflict, MarkError, NotEditable
from summarizer.text import storable


class TaskAPIView(APIView):
    """Base of the views below a task: domain errors become answers here, not in every view."""

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, MarkError):
            return Response(self._mark_error(exc), status=_status(exc))
        return super().handle_exception(exc)

    def current_json(self, current: Any) -> Any:
        """What is stored where a change met another one."""
        return AnnotationSerializer(current).data

    def _mark_error(self, error: MarkError) -> dict[str, Any]:
        answer: dict[str, Any] = {"detail": str(error), "code": error.code}
        if isinstance(error, MarkConflict):
            answer["current"] = None if error.current is None else self.current_json(error.current)
        if isinstance(error, IncompleteMarks):
            answer["missing"] = [{"key": str(each.client_key), "fields": list(each.fields)} for each in error.missing]
        return answer

    def get_exception_handler(self) -> Any:
        return with_code


def with_code(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's answer for an exception, brought into the form above."""
    if isinstance(exc, NotReady):
        return Response({"detail": str(exc), "code": exc.code}, status=403)
    response = exception_handler(exc, context)
    if response is None:
        return None
    if isinstance(exc, ValidationError):
        # It quotes what was sent, and half of a surrogate pair, which JSON can spell, fits into no answer.
        response.data = {"detail": storable(" ".join(_sentences(exc.detail))), "code": "invalid"}
    else:
        detail = exc.detail if isinstance(exc, APIException) else response.data["detail"]
        response.data = {"detail": str(detail), "code": getattr(detail, "code", None) or "error"}
    return response


def _status(error: MarkError) -> int:
    return 409 if isinstance(error, MarkConflict | NotEditable) else 400


def _sentences(detail: Any, path: str = "") -> list[str]:
    """Flatten DRF's nested messages into "field: message" sentences."""
    if isinstance(detail, ErrorDetail):
        return [f"{path}: {detail}" if path else str(detail)]
    if isinstance(detail, dict):
        items = [(f"{path}.{key}" if path else str(key), value) for key, value in detail.items()]
    else:
        nested = any(isinstance(value, dict | list) for value in detail)
        items = [(f"{path}[{index}]" if nested else path, value) for index, value in enumerate(detail)]
    return [sentence for where, value in items for sentence in _sentences(value, where)]
