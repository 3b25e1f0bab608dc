"""Files from elsewhere: all of a file is taken or nothing, and nothing twice. What they bring starts no work."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_not_blind
from annotation.api.requests import valid
from annotation.models import Annotator, FaithfulnessPlan, Study
from annotation.release.files import ReleaseError
from annotation.services.release import import_release
from booookweb.api.base import UploadView
from booookweb.api.errors import NotThere
from scoring.imports import ImportRefused, import_export
from scoring.imports.judgements import import_judgements
from scoring.imports.label_studio import import_label_studio
from scoring.imports.longeval import import_longeval
from scoring.imports.metrics import import_metrics
from scoring.imports.references import import_references
from scoring.imports.summaries import import_summaries
from scoring.imports.uploads import on_disk, unpacked


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
        study = _study(name) if name else None
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


class ReferencesFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(
        help_text="Ends in .json ({book: reference, or a list of them}), .jsonl or .csv (book and summary)."
    )


class ImportedReferencesSerializer(serializers.Serializer[Any]):
    references = serializers.IntegerField()
    new = serializers.IntegerField()


class ImportReferences(UploadView):
    @extend_schema(
        request={"multipart/form-data": ReferencesFileSerializer}, responses={200: ImportedReferencesSerializer}
    )
    def post(self, request: Request) -> Response:
        """Take in reference summaries of books. A book that is not here is made, without its text."""
        file = valid(ReferencesFileSerializer(data=request.data))["file"]
        return Response(import_references(data=self.bytes_of(file), filename=file.name))


class ArticlesFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="JSONL of the LongEval release: article, and a summary by each system.")
    study = serializers.SlugField(max_length=100, help_text="A study in setup; one that is not here is made.")


class ImportedArticleSummarySerializer(ImportedSummarySerializer):
    system = serializers.CharField()


class ImportedArticlesSerializer(serializers.Serializer[Any]):
    study = serializers.CharField()
    books = serializers.IntegerField(help_text="That are new.")
    systems = serializers.ListField(child=serializers.CharField())
    summaries = ImportedArticleSummarySerializer(many=True)
    notes = serializers.IntegerField(help_text="How often something was taken off a summary.")


class ImportArticles(UploadView):
    @extend_schema(request={"multipart/form-data": ArticlesFileSerializer}, responses={200: ImportedArticlesSerializer})
    def post(self, request: Request) -> Response:
        """Take in articles with their summaries, as the LongEval release has them."""
        data = valid(ArticlesFileSerializer(data=request.data))
        file = data["file"]
        return Response(import_longeval(data=self.bytes_of(file), filename=file.name, study_name=data["study"]))


class JudgementsFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(
        help_text="CSV: book, system, annotator, and unit and supported (yes or no), or rating. See In and out."
    )
    study = serializers.SlugField(max_length=100, help_text="A study with these summaries that asks nobody itself.")
    scale = serializers.ChoiceField(
        choices=FaithfulnessPlan.Scale.choices,
        required=False,
        help_text="Of ratings; if left out that of those that are here, or 0-5.",
    )


class ImportedJudgementsSerializer(serializers.Serializer[Any]):
    study = serializers.CharField()
    kind = serializers.ChoiceField(choices=["fine", "coarse"])
    people = serializers.IntegerField()
    tasks = serializers.IntegerField(help_text="That are new: one of each person on each summary.")
    unchanged = serializers.IntegerField(help_text="That were here already.")
    answers = serializers.IntegerField()


class ImportJudgements(UploadView):
    @extend_schema(
        request={"multipart/form-data": JudgementsFileSerializer}, responses={200: ImportedJudgementsSerializer}
    )
    def post(self, request: Request) -> Response:
        """Take in what people elsewhere judged of units of summaries, or how they rated whole ones."""
        data = valid(JudgementsFileSerializer(data=request.data))
        study = _study(data["study"])
        require_not_blind(request.user, study=study)
        return Response(import_judgements(data=self.bytes_of(data["file"]), study=study, scale=data.get("scale")))


class LabelStudioFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="An export of Label Studio as JSON.")
    study = serializers.SlugField(max_length=100, help_text="A study with these texts as summaries.")


class ImportedLabelStudioSerializer(serializers.Serializer[Any]):
    study = serializers.CharField()
    people = serializers.IntegerField()
    sets = serializers.IntegerField()
    marks = serializers.IntegerField()
    unchanged = serializers.IntegerField(help_text="Sets that were here already.")


class ImportLabelStudio(UploadView):
    @extend_schema(
        request={"multipart/form-data": LabelStudioFileSerializer}, responses={200: ImportedLabelStudioSerializer}
    )
    def post(self, request: Request) -> Response:
        """Take in marks that people made in Label Studio. Names and mail addresses are not stored."""
        data = valid(LabelStudioFileSerializer(data=request.data))
        study = _study(data["study"])
        require_not_blind(request.user, study=study)
        file = data["file"]
        return Response(import_label_studio(data=self.bytes_of(file), filename=file.name, study=study))


class ExportFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="A JSONL export of Booook Web.")
    study = serializers.SlugField(max_length=100, help_text="The name of the new study.")


class ImportedExportSerializer(serializers.Serializer[Any]):
    study = serializers.CharField()
    created = serializers.DictField(child=serializers.IntegerField(), help_text="Rows by kind.")
    unchanged = serializers.BooleanField(help_text="The study is here already, and the same.")


class ImportExport(UploadView):
    @extend_schema(request={"multipart/form-data": ExportFileSerializer}, responses={200: ImportedExportSerializer})
    def post(self, request: Request) -> Response:
        """Read a study back from its export. For admins. One that holds work which has not ended is refused.

        403 while you are blind to anything: whether a file is the same as what is stored would tell you of it.
        """
        data = valid(ExportFileSerializer(data=request.data))
        require_not_blind(request.user)
        with on_disk(self.bytes_of(data["file"]), ".jsonl") as path:
            return Response(import_export(path=path, study_name=data["study"]))


class ReleaseFileSerializer(serializers.Serializer[Any]):
    file = serializers.FileField(help_text="A ZIP archive of the folder that holds summaries/ and annotations/.")
    study = serializers.SlugField(max_length=100, help_text="The name of the study; made if there is none.")
    absent = serializers.ChoiceField(
        choices=Annotator.AbsentRule.choices, help_text="What a book that a judge's file lacks means."
    )
    ambiguous = serializers.ChoiceField(
        choices=["first", "queue"],
        default="first",
        help_text="Marks whose text occurs more than once: at the first place; queue: to be placed by hand too.",
    )


class ImportedReleaseSerializer(serializers.Serializer[Any]):
    study = serializers.CharField()
    created = serializers.DictField(child=serializers.IntegerField(), help_text="Rows by kind.")
    notes = serializers.ListField(child=serializers.DictField(child=serializers.CharField()))


class ImportRelease(UploadView):
    @extend_schema(request={"multipart/form-data": ReleaseFileSerializer}, responses={200: ImportedReleaseSerializer})
    def post(self, request: Request) -> Response:
        """Take in the public release of the BooookScore study, or a part of it. For admins."""
        data = valid(ReleaseFileSerializer(data=request.data))
        require_not_blind(request.user)
        with unpacked(self.bytes_of(data["file"])) as folder:
            try:
                taken = import_release(
                    folder=folder, study_name=data["study"], absent=data["absent"], ambiguous=data["ambiguous"]
                )
            except ReleaseError as error:  # where it was unpacked is nobody's business
                raise ImportRefused(str(error).replace(f"{folder}/", "").replace(str(folder), "The archive")) from error
        return Response(taken)


def _study(name: str) -> Study:
    if study := Study.objects.filter(name=name).first():
        return study
    raise NotThere(f"There is no study called “{name}”.")
