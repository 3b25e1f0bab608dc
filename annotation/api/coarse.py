"""A person's rating of a summary as a whole, and their ratings of one book's summaries together."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import NoSuchTask, own_assignment
from annotation.api.faithfulness import ChangeSerializer, FaithfulnessAPIView
from annotation.api.mark_serializers import ActiveTimeSerializer, WholeNumberField
from annotation.api.requests import valid
from annotation.models import Assignment
from annotation.selectors.coarse import coarse_state, rated_together, rating_content, together_state
from annotation.services import coarse
from annotation.services.faithfulness_errors import FaithfulnessLocked

#: What no scale holds; which of the others a task's scale holds is for the service to say.
OFF_SCALE: dict[str, Any] = dict.fromkeys(
    ("invalid", "min_value", "max_value"), "Choose a whole number on the scale of this task."
)


class RatingChangeSerializer(ChangeSerializer):
    value = WholeNumberField(min_value=0, max_value=100, allow_null=True, error_messages=OFF_SCALE)


class RatingSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    value = serializers.IntegerField(allow_null=True)
    comment = serializers.CharField()
    #: What it was before the ratings of the book were looked at together and it was changed.
    first_value = serializers.IntegerField(allow_null=True)
    active_seconds = serializers.IntegerField()
    version = serializers.IntegerField()


class CoarseStateSerializer(serializers.Serializer[Any]):
    state = serializers.CharField()
    editable = serializers.BooleanField()
    reopenable = serializers.BooleanField()
    ratings = RatingSerializer(many=True)


class CoarseAPIView(FaithfulnessAPIView):
    @staticmethod
    def task(request: Request, key: UUID) -> Assignment:
        return own_assignment(request.user, key, Assignment.Task.COARSE)

    def current_json(self, current: Any) -> Any:
        return rating_content(current, "rating")


class Coarse(CoarseAPIView):
    @extend_schema(responses=CoarseStateSerializer)
    def get(self, request: Request, key: UUID) -> Response:
        """State of the task and its rating."""
        return Response(coarse_state(self.task(request, key)))


class Rating(CoarseAPIView):
    @extend_schema(request=RatingChangeSerializer, responses=RatingSerializer)
    def put(self, request: Request, key: UUID) -> Response:
        """Keep the rating (base_version 0 for the first); 409 carries the current one if it changed meanwhile."""
        assignment = self.task(request, key)
        data = valid(RatingChangeSerializer(data=request.data))
        saved = coarse.save_rating(assignment=assignment, guidelines_id=self.shown(request, assignment), **data)
        return Response(rating_content(saved, "rating"))


class RatingTime(CoarseAPIView):
    @extend_schema(request=ActiveTimeSerializer, responses=ActiveTimeSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Raise the active time from what the page last heard to its new total; answers with what is stored."""
        assignment = self.task(request, key)
        data = valid(ActiveTimeSerializer(data=request.data))
        return Response({"active_seconds": coarse.record_rating_time(assignment=assignment, **data)})


class CoarseSubmit(CoarseAPIView):
    @extend_schema(request=None, responses=CoarseStateSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Make the rating count; `together` says whether all summaries of the book are rated now."""
        submitted = coarse.submit_rating(assignment=self.task(request, key))
        return Response(coarse_state(submitted) | {"together": bool(rated_together(submitted))})


class CoarseReopen(CoarseAPIView):
    @extend_schema(request=None, responses=CoarseStateSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Take a submission back: its rating is a draft again."""
        return Response(coarse_state(coarse.reopen_rating(assignment=self.task(request, key))))


class Together(CoarseAPIView):
    @extend_schema(responses=CoarseStateSerializer)
    def get(self, request: Request, key: UUID) -> Response:
        """The person's ratings of all summaries of the task's book; a rating's key is that of its task."""
        return Response(together_state(self.task(request, key)))


class Recalibration(CoarseAPIView):
    def current_json(self, current: Any) -> Any:
        return rating_content(current, str(current.assignment.key))

    @extend_schema(request=RatingChangeSerializer, responses=RatingSerializer)
    def put(self, request: Request, key: UUID, rated: UUID) -> Response:
        """Change one of these ratings; what it was first is kept with it."""
        tasks = {task.key: task for task in rated_together(self.task(request, key))}
        data = valid(RatingChangeSerializer(data=request.data))
        if not tasks:
            raise FaithfulnessLocked("closed", coarse.NOT_TOGETHER)
        if rated not in tasks:
            raise NoSuchTask("This rating is not among those of the book that you can change together.")
        assignment = tasks[rated]
        saved = coarse.recalibrate(assignment=assignment, guidelines_id=self.shown(request, assignment), **data)
        return Response(rating_content(saved, str(rated)))
