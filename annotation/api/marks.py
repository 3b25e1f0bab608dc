"""A person's marks on the summary of one of their tasks."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import own_annotation_set, own_assignment
from annotation.api.errors import TaskAPIView
from annotation.api.guidelines import guidelines_shown
from annotation.api.mark_serializers import (
    ActiveTimeSerializer,
    AnnotationChangeSerializer,
    SavedAnnotationSerializer,
    SkipSerializer,
    SubmitSerializer,
    WorkspaceSerializer,
)
from annotation.api.requests import base_version, valid
from annotation.models import AnnotationSet, Assignment
from annotation.selectors.marks import workspace
from annotation.services import marks
from annotation.services.spans import SpanInput


def _task(request: Request, key: UUID) -> Assignment:
    return own_assignment(request.user, key, Assignment.Task.ANNOTATE)


def _set(request: Request, key: UUID) -> AnnotationSet:
    return own_annotation_set(request.user, key) or marks.annotation_set_of(_task(request, key))


def _state(request: Request, key: UUID) -> Response:
    return Response(WorkspaceSerializer(workspace(_task(request, key))).data)


class Marks(TaskAPIView):
    @extend_schema(responses=WorkspaceSerializer)
    def get(self, request: Request, key: UUID) -> Response:
        """State of the task and all its marks."""
        return _state(request, key)


class Mark(TaskAPIView):
    @extend_schema(request=AnnotationChangeSerializer, responses=SavedAnnotationSerializer)
    def put(self, request: Request, key: UUID, client_key: UUID) -> Response:
        """Create a mark (base_version 0) or change it; 409 carries the current one if it changed meanwhile."""
        data = valid(AnnotationChangeSerializer(data=request.data))
        annotation_set = _set(request, key)
        saved = marks.save_annotation(
            annotation_set=annotation_set,
            client_key=client_key,
            base_version=data["base_version"],
            questions=data["questions"],
            error_type_keys=data["error_types"],
            spans=[SpanInput(**span) for span in data["spans"]],
            guidelines_id=guidelines_shown(request, annotation_set.study_id),
        )
        return Response(_saved_mark(saved), status=201 if saved.created else 200)

    @extend_schema(parameters=[OpenApiParameter("base_version", int, required=True)], responses={204: None})
    def delete(self, request: Request, key: UUID, client_key: UUID) -> Response:
        """Delete a mark; deleting it again changes nothing."""
        marks.delete_annotation(
            annotation_set=_set(request, key),
            client_key=client_key,
            base_version=base_version(request, "the mark that you delete"),
        )
        return Response(status=204)


class Submit(TaskAPIView):
    @extend_schema(request=SubmitSerializer, responses=WorkspaceSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """End the task; 400 says which marks lack what."""
        data = valid(SubmitSerializer(data=request.data))
        annotation_set = _set(request, key)
        marks.submit_annotation_set(
            annotation_set=annotation_set,
            nothing_found=data["nothing_found"],
            guidelines_id=guidelines_shown(request, annotation_set.study_id),
        )
        return _state(request, key)


class Skip(TaskAPIView):
    @extend_schema(request=SkipSerializer, responses=WorkspaceSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Leave this summary out."""
        data = valid(SkipSerializer(data=request.data))
        marks.skip_annotation_set(annotation_set=_set(request, key), reason=data["reason"])
        return _state(request, key)


class Reopen(TaskAPIView):
    @extend_schema(request=None, responses=WorkspaceSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Make a submitted or skipped task a draft again."""
        marks.reopen_annotation_set(annotation_set=_set(request, key))
        return _state(request, key)


class ActiveTime(TaskAPIView):
    @extend_schema(request=ActiveTimeSerializer, responses=ActiveTimeSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Raise the active time from what the page last heard to its new total; answers with what is stored."""
        data = valid(ActiveTimeSerializer(data=request.data))
        return Response({"active_seconds": marks.record_active_time(annotation_set=_set(request, key), **data)})


def _saved_mark(saved: marks.SavedMark) -> dict[str, Any]:
    """As `SavedAnnotationSerializer` describes it; written out because people save every few seconds."""
    return {
        "key": str(saved.client_key),
        "version": saved.version,
        "questions": saved.questions,
        "error_types": saved.error_types,
        "spans": [{"start": span.start, "end": span.end, "quote": span.quote} for span in saved.spans],
        "set_version": saved.set_version,
    }
