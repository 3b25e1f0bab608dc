"""A reviewer's task: the marks without their origin, and the reviewer's decisions on them."""

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
from annotation.api.mark_serializers import ActiveTimeSerializer, TextField
from annotation.api.requests import valid
from annotation.models import Assignment
from annotation.selectors.review import decision_content, review_content
from annotation.services.guesses import submit_with_guesses
from annotation.services.review import (
    ReviewError,
    ReviewLocked,
    decide,
    record_reviewing_time,
    require_open,
    withdraw,
)


class DecisionSerializer(serializers.Serializer[Any]):
    agreement = TextField(max_length=10)
    reasons = serializers.ListField(child=TextField(max_length=20), default=list, max_length=10)
    comment = TextField(default="", allow_blank=True, max_length=5000)


class ReviewItemSerializer(serializers.Serializer[Any]):
    key = serializers.UUIDField()
    spans = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))
    questions = serializers.ListField(child=serializers.CharField())
    types = serializers.ListField(child=serializers.CharField())
    decision = DecisionSerializer(allow_null=True)


class ReviewSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    items = ReviewItemSerializer(many=True)


@method_decorator(cache_control(private=True, no_store=True), name="dispatch")
class ReviewAPIView(TaskAPIView):
    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, ReviewError):
            status = 409 if isinstance(exc, ReviewLocked) else 400
            return Response({"detail": str(exc), "code": exc.code}, status=status)
        return super().handle_exception(exc)

    @staticmethod
    def task(request: Request, key: UUID) -> Assignment:
        return own_assignment(request.user, key, Assignment.Task.REVIEW)


class Review(ReviewAPIView):
    @extend_schema(responses=ReviewSerializer)
    def get(self, request: Request, key: UUID) -> Response:
        """The summary's text, the marks in their stored order, and the reviewer's decisions so far; 409 when locked."""
        assignment = self.task(request, key)
        require_open(assignment)
        return Response(review_content(assignment))


class ReviewDecision(ReviewAPIView):
    @extend_schema(request=DecisionSerializer, responses=DecisionSerializer)
    def put(self, request: Request, key: UUID, item: UUID) -> Response:
        """Store a decision; sending it again changes nothing. 409 once the task is submitted."""
        assignment = self.task(request, key)
        decision = decide(
            assignment=assignment,
            item_key=item,
            guidelines_id=guidelines_shown(request, assignment.study_id),
            **valid(DecisionSerializer(data=request.data)),
        )
        return Response(decision_content(decision))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, key: UUID, item: UUID) -> Response:
        """Take a decision back; without one nothing changes. 409 once the task is submitted."""
        withdraw(assignment=self.task(request, key), item_key=item)
        return Response(status=204)


class ReviewSubmit(ReviewAPIView):
    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, key: UUID) -> Response:
        """Lock the decisions; 400 while marks have no answer, and, in the reviewer's last task, no guess of origin."""
        submit_with_guesses(assignment=self.task(request, key))
        return Response(status=204)


class ReviewActiveTime(ReviewAPIView):
    @extend_schema(request=ActiveTimeSerializer, responses=ActiveTimeSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Raise the active time from what the page last heard to its new total; answers with what is stored."""
        assignment = self.task(request, key)
        data = valid(ActiveTimeSerializer(data=request.data))
        return Response({"active_seconds": record_reviewing_time(assignment=assignment, **data)})
