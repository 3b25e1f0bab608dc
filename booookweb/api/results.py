"""What researchers take away: the report, files, and figures that were computed elsewhere. Refused like the pages."""

from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_not_blind
from annotation.api.requests import valid
from booookweb.api.base import IdField, ListQuery, NumberField, Query, RestView, chosen, listed, page_of
from booookweb.api.studies import study_named
from scoring.exports.formats import FORMATS
from scoring.models import MetricValue, Report, StudyExport
from scoring.report import build_report
from scoring.report.agreement.structure import AgreementOptions
from scoring.report.writing import report_json
from scoring.services.export_jobs import open_export, request_export, with_outdated
from scoring.services.reports import freeze_report
from scoring.statistics.alternative import EPSILON
from scoring.views.exports import download


class ReportQuery(Query):
    epsilon = NumberField(default=EPSILON, min_value=0, max_value=0.99, help_text="Of the alternative annotator test.")
    difference = NumberField(
        default=None,
        min_value=0.0001,
        max_value=1,
        help_text="Of two systems, as a share of 1: how many books a study needs to find it.",
    )


class StudyReport(RestView):
    queries = {"GET": ReportQuery}

    @extend_schema(parameters=[ReportQuery], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str) -> Response:
        """The report of the study as it is now, the same JSON that `manage.py report` prints."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        return Response(report_json(build_report(study, options=AgreementOptions(**self.query))))


class FrozenSerializer(serializers.ModelSerializer[Report]):
    frozen_by = serializers.CharField(source="pseudonym")

    class Meta:
        model = Report
        fields = ("number", "note", "content_sha256", "frozen_by", "created_at")


class NewFrozenSerializer(serializers.Serializer[Any]):
    note = serializers.CharField(max_length=1000, help_text="What this version is for; it stands on the report.")
    epsilon = NumberField(default=EPSILON, min_value=0, max_value=0.99, help_text="Of the alternative annotator test.")
    difference = NumberField(
        default=None, min_value=0.0001, max_value=1, allow_null=True, help_text="Of two systems, as a share of 1."
    )


class Reports(RestView):
    queries = {"GET": ListQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(FrozenSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """Frozen versions of the study's report, newest first."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        frozen = Report.objects.filter(study=study).defer("content").order_by("-number")
        return listed(request, frozen, self.query, FrozenSerializer)

    @extend_schema(request=NewFrozenSerializer, responses={201: FrozenSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Freeze the report as it is now: a version that never changes."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        data = valid(NewFrozenSerializer(data=request.data))
        note = data.pop("note")
        frozen = freeze_report(study=study, by=request.user, note=note, options=AgreementOptions(**data))
        return Response(FrozenSerializer(frozen).data, status=201)


class ReportVersion(RestView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str, version: int) -> HttpResponse:
        """A frozen version, to the letter as it was stored: its SHA-256 is that of the list."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        frozen = get_object_or_404(Report, study=study, number=version)
        return HttpResponse(frozen.content, content_type="application/json")


class ExportSerializer(serializers.ModelSerializer[StudyExport]):
    format = serializers.CharField(source="form")
    outdated = serializers.BooleanField(default=False, help_text="Somebody withdrew since: make it again.")

    class Meta:
        model = StudyExport
        fields = (
            *("id", "format", "with_source", "state", "records", "size", "problem", "outdated"),
            *("created_at", "ended_at", "expires_at"),
        )


class NewExportSerializer(serializers.Serializer[Any]):
    format = serializers.ChoiceField(choices=list(FORMATS))
    with_source = serializers.BooleanField(
        default=False, help_text="With the texts of the books and what quotes from them."
    )


class Exports(RestView):
    queries = {"GET": ListQuery}

    @extend_schema(parameters=[ListQuery], responses=page_of(ExportSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """Files of the study, newest first."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        exports = with_outdated(StudyExport.objects.filter(study=study)).order_by("-pk")
        return listed(request, exports, self.query, ExportSerializer)

    @extend_schema(request=NewExportSerializer, responses={202: ExportSerializer})
    def post(self, request: Request, slug: str) -> Response:
        """Have a worker make a file; the same one that is under way is not made twice. Ask for its `state` then."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        data = valid(NewExportSerializer(data=request.data))
        export = request_export(study=study, form=data["format"], with_source=data["with_source"], by=request.user)
        return Response(ExportSerializer(export).data, status=202)


class OneExport(RestView):
    @extend_schema(responses=ExportSerializer)
    def get(self, request: Request, slug: str, export: int) -> Response:
        """How far a file is."""
        return Response(ExportSerializer(_export(request, slug, export)).data)


class ExportFile(RestView):
    @extend_schema(
        responses={
            (200, content_type): OpenApiTypes.BINARY
            for content_type in {each.content_type for each in FORMATS.values()}
        }
    )
    def get(self, request: Request, slug: str, export: int) -> StreamingHttpResponse:
        """The finished file, streamed. 409 for one that is not ready, failed, or has expired."""
        found = _export(request, slug, export)
        return download(found, open_export(export=found, by=request.user))


def _export(request: Request, slug: str, pk: int) -> StudyExport:
    study = study_named(slug)
    require_not_blind(request.user, study=study)
    return get_object_or_404(with_outdated(StudyExport.objects.select_related("study")), pk=pk, study=study)


class MetricQuery(ListQuery):
    summary = IdField(required=False)
    name = serializers.CharField(required=False, max_length=100, help_text="Of the figure.")


class MetricSerializer(serializers.ModelSerializer[MetricValue]):
    class Meta:
        model = MetricValue
        fields = ("id", "summary", "name", "value")


class StudyMetrics(RestView):
    queries = {"GET": MetricQuery}

    @extend_schema(parameters=[MetricQuery], responses=page_of(MetricSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """Figures about the study's summaries that were computed elsewhere."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        values = MetricValue.objects.filter(
            summary__studies=study, **chosen(self.query, summary="summary", name="name")
        )
        return listed(request, values.order_by("pk"), self.query, MetricSerializer)
