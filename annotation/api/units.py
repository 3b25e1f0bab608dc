"""Where a summary is cut into units; researchers change it until the plan opens."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.errors import TaskAPIView
from annotation.api.mark_serializers import WholeNumberField
from annotation.api.requests import valid
from annotation.faithfulness.unit_sets import UnitsConflict, set_cuts
from annotation.models import FaithfulnessPlan
from annotation.services.spans import LARGEST_OFFSET
from annotation.services.studies import StudyError


class CutsSerializer(serializers.Serializer[Any]):
    """Where units begin within sentences, as offsets; `was` is what the page was showing."""

    was = serializers.ListField(child=WholeNumberField(min_value=0, max_value=LARGEST_OFFSET), max_length=100_000)
    cuts = serializers.ListField(child=WholeNumberField(min_value=0, max_value=LARGEST_OFFSET), max_length=100_000)


class UnitsSerializer(serializers.Serializer[Any]):
    cuts = serializers.ListField(child=serializers.IntegerField())
    units = serializers.IntegerField()
    repeated = serializers.IntegerField()


@method_decorator(cache_control(private=True, no_store=True), name="dispatch")
class SummaryUnits(TaskAPIView):
    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, UnitsConflict):
            return Response({"detail": str(exc), "code": "conflict", "current": exc.cuts}, status=409)
        if isinstance(exc, StudyError):
            return Response({"detail": str(exc), "code": "refused"}, status=409)
        return super().handle_exception(exc)

    @extend_schema(request=CutsSerializer, responses=UnitsSerializer)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Cut the summary at these places; 409 if it was cut at others than `was` meanwhile, or can't be cut there."""
        plan = get_object_or_404(FaithfulnessPlan.objects.select_related("study"), study__name=slug)
        summary = get_object_or_404(plan.study.summaries, pk=pk)
        data = valid(CutsSerializer(data=request.data))
        units = set_cuts(plan=plan, summary=summary, **data)
        repeated = sum(unit.same_as_id is not None for unit in units)
        return Response({"cuts": sorted(set(data["cuts"])), "units": len(units), "repeated": repeated})
