"""The gold set of a summary, for researchers who are not blind to it."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_not_blind
from annotation.api.errors import TaskAPIView
from annotation.api.mark_serializers import (
    LONGEST_QUESTIONS,
    AnnotationChangeSerializer,
    AnnotationSerializer,
    SpanSerializer,
    TextField,
    WholeNumberField,
)
from annotation.api.requests import base_version, valid
from annotation.models import GoldDecision, GoldEvent, Study
from annotation.selectors.gold import GoldState, decision_content, gold_state
from annotation.services import gold
from annotation.services.seen import reveal_marks
from annotation.services.spans import LARGEST_OFFSET, SpanInput
from summarizer.models import Summary


class DecisionChangeSerializer(AnnotationChangeSerializer):
    """As for a mark; a rejection has neither questions nor types nor spans."""

    outcome = TextField(max_length=10)
    questions = TextField(default="", allow_blank=True, max_length=LONGEST_QUESTIONS)
    error_types = serializers.ListField(child=TextField(), default=list, max_length=50)
    spans = SpanSerializer(many=True, default=list)
    sources = serializers.ListField(
        child=WholeNumberField(min_value=1, max_value=LARGEST_OFFSET), default=list, max_length=500
    )
    reason = TextField(default="", allow_blank=True, max_length=1000)


class GoldDecisionSerializer(AnnotationSerializer):
    outcome = serializers.CharField()
    sources = serializers.ListField(child=serializers.IntegerField())
    reason = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()
    #: By id of a source: its version when this was decided.
    versions = serializers.DictField(child=serializers.IntegerField())


class GoldEventSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    act = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()
    about = serializers.CharField()


class GoldStateSerializer(serializers.Serializer[Any]):
    state = serializers.CharField()
    version = serializers.IntegerField()
    editable = serializers.BooleanField()
    decisions = GoldDecisionSerializer(many=True)
    events = GoldEventSerializer(many=True)


@method_decorator(cache_control(private=True, no_store=True), name="dispatch")
class GoldAPIView(TaskAPIView):
    def current_json(self, current: GoldDecision) -> dict[str, Any]:
        return decision_json(current)

    @staticmethod
    def summary_of(request: Request, slug: str, pk: int) -> tuple[Study, Summary]:
        """Raises Blinded for whoever may not see the marks; who comes here has seen them."""
        study = get_object_or_404(Study, name=slug)
        require_not_blind(request.user, study=study)
        summary = get_object_or_404(study.summaries.defer("text"), pk=pk)
        reveal_marks(user=request.user, study=study, summary=summary)
        return study, summary


class Gold(GoldAPIView):
    @extend_schema(responses=GoldStateSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """All decisions on a summary, and who made them."""
        return Response(state_json(gold_state(*self.summary_of(request, slug, pk))))


class Decision(GoldAPIView):
    @extend_schema(request=DecisionChangeSerializer, responses=GoldDecisionSerializer)
    def put(self, request: Request, slug: str, pk: int, client_key: UUID) -> Response:
        """Make a decision (base_version 0) or change it; 409 carries the current one if it changed meanwhile."""
        study, summary = self.summary_of(request, slug, pk)
        data = valid(DecisionChangeSerializer(data=request.data))
        based_on, spans = data.pop("base_version"), [SpanInput(**span) for span in data.pop("spans")]
        decision = gold.decide(
            study=study,
            summary=summary,
            user=request.user,
            client_key=client_key,
            base_version=based_on,
            content=gold.GoldContent(**data, spans=spans),
        )
        return Response(decision_json(decision))

    @extend_schema(parameters=[OpenApiParameter("base_version", int, required=True)], responses={204: None})
    def delete(self, request: Request, slug: str, pk: int, client_key: UUID) -> Response:
        """Take a decision back; one that is gone stays gone."""
        study, summary = self.summary_of(request, slug, pk)
        version = base_version(request, "the decision that you take back")
        gold.take_back(study=study, summary=summary, user=request.user, client_key=client_key, base_version=version)
        return Response(status=204)


class Finish(GoldAPIView):
    @extend_schema(request=None, responses=GoldStateSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Finish the gold set; 400 while marks of people wait for a decision."""
        study, summary = self.summary_of(request, slug, pk)
        gold.finish(study=study, summary=summary, user=request.user)
        return Response(state_json(gold_state(study, summary)))


class Reopen(GoldAPIView):
    @extend_schema(request=None, responses=GoldStateSerializer)
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make a finished gold set take changes again."""
        study, summary = self.summary_of(request, slug, pk)
        gold.reopen(study=study, summary=summary, user=request.user)
        return Response(state_json(gold_state(study, summary)))


def decision_json(decision: GoldDecision) -> dict[str, Any]:
    by = decision.by.username if decision.by else decision.pseudonym
    versions = {source.annotation_id: source.annotation_version for source in decision.sources.all()}
    about = {
        "key": str(decision.client_key),
        "version": decision.version,
        "by": by,
        "at": decision.at,
        "versions": versions,
    }
    return {**about, **decision_content(decision)}


def state_json(state: GoldState) -> dict[str, Any]:
    return {
        "state": state.state,
        "version": state.version,
        "editable": state.editable,
        "decisions": [decision_json(decision) for decision in state.decisions],
        "events": [_event_json(event) for event in state.events],
    }


def _event_json(event: GoldEvent) -> dict[str, Any]:
    return {
        "version": event.version,
        "act": event.act,
        "by": event.by.username if event.by else event.pseudonym,
        "at": event.at,
        "about": _about(event.content),
    }


def _about(content: dict[str, Any]) -> str:
    """The decision of an event in a few words: what is in the gold set, or why marks were rejected."""
    if not content:
        return ""
    if content["outcome"] == GoldDecision.Outcome.REJECTED:
        marks = len(content["sources"])
        return f"{marks} mark{'s' if marks != 1 else ''} rejected: {content['reason']}"
    quotes = " and ".join(f"“{span['quote']}”" for span in content["spans"])
    return f"{quotes}: {content['questions']}" if content["questions"] else quotes
