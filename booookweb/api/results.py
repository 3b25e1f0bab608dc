"""What researchers take away: the report, files, and figures that were computed elsewhere. Refused like the pages."""

from typing import Any

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_not_blind
from annotation.api.requests import valid
from annotation.models import Study
from booookweb.api.base import IdField, ListQuery, NumberField, Query, RestView, UploadView, chosen, listed, page_of
from booookweb.api.errors import NotThere
from booookweb.api.studies import study_named
from scoring.exports.formats import FORMATS
from scoring.imports.metrics import import_metrics
from scoring.imports.summaries import import_summaries
from scoring.models import MetricValue, StudyExport
from scoring.report import build_report
from scoring.report.agreement.structure import AgreementOptions
from scoring.report.writing import report_json
from scoring.services.export_jobs import open_export, request_export, with_outdated
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


class SummariesFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="Ends in .json ({book: summary}), .jsonl or .csv (book and summary).")
    system = serializers.CharField(max_length=200, help_text="The name of the system that made them.")
    study = serializers.SlugField(max_length=100, required=False, help_text="A study in setup to put them into.")


class ImportedSummarySerializer(serializers.Serializer[Any]):
    book = serializers.CharField()
    summary = serializers.IntegerField()
    new = serializers.BooleanField()


class ImportedSummariesSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    summaries = ImportedSummarySerializer(many=True)
    books = serializers.IntegerField(help_text="That were made, without a text.")


class ImportSummaries(UploadView):
    @extend_schema(
        request={"multipart/form-data": SummariesFileSerializer}, responses={200: ImportedSummariesSerializer}
    )
    def post(self, request: Request) -> Response:
        """Take in summaries of another system. The same file again changes nothing; a line that is wrong stops all."""
        data = valid(SummariesFileSerializer(data=request.data))
        file, name = data["file"], data.get("study")
        study = Study.objects.filter(name=name).first() if name else None
        if name and study is None:
            raise NotThere(f"There is no study called “{name}”.")
        return Response(
            import_summaries(data=self.bytes_of(file), filename=file.name, system_name=data["system"], study=study)
        )


class MetricsFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="CSV with the columns book, system, name and value.")


class ImportedMetricsSerializer(serializers.Serializer[Any]):
    new = serializers.IntegerField()
    changed = serializers.IntegerField()
    unchanged = serializers.IntegerField()


class ImportMetrics(UploadView):
    @extend_schema(request={"multipart/form-data": MetricsFileSerializer}, responses={200: ImportedMetricsSerializer})
    def post(self, request: Request) -> Response:
        """Take in figures of summaries; one that is there already under its name is replaced.

        403 where you are blind to one of the summaries: what is as before would tell you what is stored.
        """
        data = valid(MetricsFileSerializer(data=request.data))
        return Response(import_metrics(data=self.bytes_of(data["file"]), by=request.user))
