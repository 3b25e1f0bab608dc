"""A person's comparison of two summaries: answers in the person's own terms, A and B."""

from typing import Any
from uuid import UUID

from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import own_assignment
from annotation.api.errors import TaskAPIView
from annotation.api.guidelines import guidelines_shown
from annotation.api.mark_serializers import ActiveTimeSerializer, TextField, WholeNumberField
from annotation.api.requests import valid
from annotation.models import Assignment
from annotation.selectors.comparing import sheet_content
from annotation.services import comparing
from annotation.services.spans import LARGEST_OFFSET


class AnswerChangeSerializer(serializers.Serializer[Any]):
    base_version = WholeNumberField(min_value=0, max_value=LARGEST_OFFSET)
    answer = TextField(allow_blank=True, max_length=10)
    comment = TextField(allow_blank=True, max_length=comparing.LONGEST_COMMENT, default="")


class AnswerSerializer(serializers.Serializer[Any]):
    slot = serializers.CharField()
    answer = serializers.CharField()
    comment = serializers.CharField()
    version = serializers.IntegerField()


class SheetSerializer(serializers.Serializer[Any]):
    state = serializers.CharField()
    active_seconds = serializers.IntegerField()
    answers = AnswerSerializer(many=True)


@method_decorator(cache_control(private=True, no_store=True), name="dispatch")
class ComparisonAPIView(TaskAPIView):
    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, comparing.ComparisonError):
            return Response(_error(exc), status=_status(exc))
        return super().handle_exception(exc)

    @staticmethod
    def task(request: Request, key: UUID) -> Assignment:
        return own_assignment(request.user, key, Assignment.Task.COMPARE)


class Comparison(ComparisonAPIView):
    @extend_schema(responses=SheetSerializer)
    def get(self, request: Request, key: UUID) -> Response:
        """State of the task and its answers."""
        return Response(SheetSerializer(sheet_content(self.task(request, key))).data)


class ComparisonAnswer(ComparisonAPIView):
    @extend_schema(request=AnswerChangeSerializer, responses=AnswerSerializer)
    def put(self, request: Request, key: UUID, slot: str) -> Response:
        """Keep an answer (base_version 0 for the first); 409 carries the current one if it changed meanwhile."""
        assignment = self.task(request, key)
        data = valid(AnswerChangeSerializer(data=request.data))
        return Response(AnswerSerializer(comparing.save_answer(assignment=assignment, slot=slot, **data)).data)


class ComparisonSubmit(ComparisonAPIView):
    @extend_schema(request=None, responses=SheetSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Make the answers count; 400 says which are missing."""
        assignment = self.task(request, key)
        shown = guidelines_shown(request, assignment.study_id)
        return _state(comparing.submit_comparison(assignment=assignment, guidelines_id=shown))


class ComparisonReopen(ComparisonAPIView):
    @extend_schema(request=None, responses=SheetSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Take a submission back: its answers are a draft again."""
        return _state(comparing.reopen_comparison(assignment=self.task(request, key)))


class ComparisonActiveTime(ComparisonAPIView):
    @extend_schema(request=ActiveTimeSerializer, responses=ActiveTimeSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Raise the active time from what the page last heard to its new total; answers with what is stored."""
        assignment = self.task(request, key)
        data = valid(ActiveTimeSerializer(data=request.data))
        return Response({"active_seconds": comparing.record_comparing_time(assignment=assignment, **data)})


def _state(assignment: Assignment) -> Response:
    return Response(SheetSerializer(sheet_content(assignment)).data)


def _error(error: comparing.ComparisonError) -> dict[str, Any]:
    answer: dict[str, Any] = {"detail": str(error), "code": error.code}
    if isinstance(error, comparing.AnswerConflict):
        answer["current"] = AnswerSerializer(error.current).data
    if isinstance(error, comparing.ComparisonIncomplete):
        answer["missing"] = error.missing
    return answer


def _status(error: comparing.ComparisonError) -> int:
    return 409 if isinstance(error, comparing.AnswerConflict | comparing.ComparisonLocked) else 400
