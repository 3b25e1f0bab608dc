"""A person's judgements of the units of a summary, and the hints that the task shows."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import own_assignment
from annotation.api.faithfulness import ChangeSerializer, FaithfulnessAPIView
from annotation.api.mark_serializers import ActiveTimeSerializer, SpanSerializer, TrueOrFalseField, WholeNumberField
from annotation.api.requests import valid
from annotation.models import Assignment
from annotation.selectors.fine import fine_state, judgement_content
from annotation.services import fine
from annotation.services.hints import MOST_HINTS, hints_of


class EvidenceSerializer(SpanSerializer):
    #: The hint that the place was taken from, counted from 1.
    hint_rank = WholeNumberField(min_value=1, max_value=MOST_HINTS, allow_null=True)


class JudgementChangeSerializer(ChangeSerializer):
    supported = TrueOrFalseField(allow_null=True)
    evidence = EvidenceSerializer(many=True)


class JudgementSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    supported = serializers.BooleanField(allow_null=True)
    comment = serializers.CharField()
    evidence = EvidenceSerializer(many=True)
    active_seconds = serializers.IntegerField()
    hints_viewed = serializers.IntegerField()
    version = serializers.IntegerField()


class FineStateSerializer(serializers.Serializer[Any]):
    state = serializers.CharField()
    editable = serializers.BooleanField()
    reopenable = serializers.BooleanField()
    judgements = JudgementSerializer(many=True)


class UnitTimeSerializer(ActiveTimeSerializer):
    hints_viewed = WholeNumberField(min_value=0, max_value=MOST_HINTS)


class HintsSerializer(serializers.Serializer[Any]):
    #: By the unit's place in the task: `[[start, end], ...]` in the source, the likeliest first.
    hints = serializers.DictField(child=serializers.ListField(child=serializers.ListField()))


class FineAPIView(FaithfulnessAPIView):
    @staticmethod
    def task(request: Request, key: UUID) -> Assignment:
        return own_assignment(request.user, key, Assignment.Task.FINE)

    def current_json(self, current: Any) -> Any:
        return judgement_content(current)


class Fine(FineAPIView):
    @extend_schema(responses=FineStateSerializer)
    def get(self, request: Request, key: UUID) -> Response:
        """State of the task and its judgements."""
        return Response(fine_state(self.task(request, key)))


class Judgement(FineAPIView):
    @extend_schema(request=JudgementChangeSerializer, responses=JudgementSerializer)
    def put(self, request: Request, key: UUID, position: int) -> Response:
        """Keep a judgement (base_version 0 for the first); 409 carries the current one if it changed meanwhile."""
        assignment = self.task(request, key)
        data = valid(JudgementChangeSerializer(data=request.data))
        evidence = [fine.EvidenceInput(**each) for each in data.pop("evidence")]
        saved = fine.save_judgement(
            assignment=assignment,
            position=position,
            evidence=evidence,
            guidelines_id=self.shown(request, assignment),
            **data,
        )
        return Response(judgement_content(saved))


class UnitTime(FineAPIView):
    @extend_schema(request=UnitTimeSerializer, responses=UnitTimeSerializer)
    def post(self, request: Request, key: UUID, position: int) -> Response:
        """Raise a unit's active time from what the page last heard to its new total; answers with what is stored."""
        assignment = self.task(request, key)
        data = valid(UnitTimeSerializer(data=request.data))
        stored = fine.record_unit_time(assignment=assignment, position=position, **data)
        return Response({"active_seconds": stored.active_seconds, "hints_viewed": stored.hints_viewed})


class Hints(FineAPIView):
    @extend_schema(responses=HintsSerializer)
    def get(self, request: Request, key: UUID) -> Response:
        """Hints for the units of the task; refused where it is done without."""
        return Response({"hints": hints_of(self.task(request, key))})


class FineSubmit(FineAPIView):
    @extend_schema(request=None, responses=FineStateSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Make the judgements count; 400 says which are missing."""
        return Response(fine_state(fine.submit_judgements(assignment=self.task(request, key))))


class FineReopen(FineAPIView):
    @extend_schema(request=None, responses=FineStateSerializer)
    def post(self, request: Request, key: UUID) -> Response:
        """Take a submission back: its judgements are a draft again."""
        return Response(fine_state(fine.reopen_judgements(assignment=self.task(request, key))))
