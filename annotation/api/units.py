"""Where a summary is cut into units; researchers change it until the plan opens."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_own_tasks_done
from annotation.api.errors import TaskAPIView
from annotation.api.mark_serializers import WholeNumberField
from annotation.api.requests import valid
from annotation.faithfulness.qualifications import set_statement_cuts
from annotation.faithfulness.unit_lists import repeats_in
from annotation.faithfulness.unit_sets import UnitsConflict, set_cuts
from annotation.models import FaithfulnessPlan, Study
from annotation.selectors.qualification import qualification_of
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
    #: Of each repeated one its start, and the number of the unit that says the same, counted from 1.
    repeats = serializers.ListField(child=serializers.ListField(child=serializers.IntegerField()))


@method_decorator(cache_control(private=True, no_store=True), name="dispatch")
class UnitsAPIView(TaskAPIView):
    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, UnitsConflict):
            return Response({"detail": str(exc), "code": "conflict", "current": exc.cuts}, status=409)
        if isinstance(exc, StudyError):
            return Response({"detail": str(exc), "code": "refused"}, status=409)
        return super().handle_exception(exc)


class SummaryUnits(UnitsAPIView):
    @extend_schema(request=CutsSerializer, responses=UnitsSerializer)
    def put(self, request: Request, slug: str, pk: int) -> Response:
        """Cut the summary at these places; 409 if it was cut at others than `was` meanwhile, or can't be cut there."""
        plan = get_object_or_404(FaithfulnessPlan.objects.select_related("study"), study__name=slug)
        summary = get_object_or_404(plan.study.summaries, pk=pk)
        data = valid(CutsSerializer(data=request.data))
        units = set_cuts(plan=plan, summary=summary, **data)
        return Response(_answer(data["cuts"], len(units), repeats_in(units)))


class QualificationUnits(UnitsAPIView):
    @extend_schema(request=CutsSerializer, responses=UnitsSerializer)
    def put(self, request: Request, slug: str) -> Response:
        """Cut the text of the study's test at these places; 409 as for a summary, or once a statement is changed."""
        study = get_object_or_404(Study, name=slug)
        require_own_tasks_done(request.user, study)
        if (qualification := qualification_of(study)) is None:
            raise StudyError("This test was deleted meanwhile.")
        data = valid(CutsSerializer(data=request.data))
        units = set_statement_cuts(qualification=qualification, **data)
        return Response(_answer(data["cuts"], len(units), []))


def _answer(cuts: list[int], units: int, repeats: list[tuple[int, int]]) -> dict[str, Any]:
    return {"cuts": sorted(set(cuts)), "units": units, "repeated": len(repeats), "repeats": repeats}
