"""Who marked what: sets of marks, marks with their spans, and verdicts of judges.

Refused like the pages: to whoever has a task of their own to do blindly, and to everybody while a study is reviewed.
Whoever reads them has seen them, and is given no task on these summaries.
"""

from typing import Any

from django.db.models import Count
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_not_blind
from annotation.api.mark_serializers import SpanSerializer
from annotation.models import Annotation, AnnotationSet, Annotator, Study, Verdict
from annotation.selectors.gold import submitted_sets_of
from annotation.services.seen import reveal_marks_of, reveal_study
from booookweb.api.base import IdField, ListQuery, RestView, chosen, listed, page_of
from booookweb.api.errors import NotThere
from booookweb.api.studies import study_named


class MarksQuery(ListQuery):
    summary = IdField(required=False)
    annotator = serializers.CharField(
        required=False, max_length=200, help_text="Pseudonym of a person, name of a judge."
    )
    kind = serializers.ChoiceField(choices=Annotator.Kind.choices, required=False)


class AnnotationQuery(MarksQuery):
    annotation_set = IdField(required=False)
    error_type = serializers.CharField(required=False, max_length=50, help_text="Key, for example salience.")


class VerdictQuery(MarksQuery):
    annotation_set = IdField(required=False)
    state = serializers.ChoiceField(choices=Verdict.State.choices, required=False)


class AnnotationSetSerializer(serializers.ModelSerializer[AnnotationSet]):
    annotator = serializers.CharField(source="annotator.pseudonym")
    kind = serializers.ChoiceField(source="annotator.kind", choices=Annotator.Kind.choices)
    marks = serializers.IntegerField(source="mark_count")

    class Meta:
        model = AnnotationSet
        fields = ("id", "summary", "annotator", "kind", "marks", "active_seconds", "created_at", "submitted_at")


class MarkSerializer(serializers.ModelSerializer[Annotation]):
    summary = serializers.IntegerField(source="annotation_set.summary_id")
    annotator = serializers.CharField(source="annotation_set.annotator.pseudonym")
    kind = serializers.ChoiceField(source="annotation_set.annotator.kind", choices=Annotator.Kind.choices)
    error_types: Any = serializers.SlugRelatedField(slug_field="key", many=True, read_only=True)
    spans = SpanSerializer(many=True)

    class Meta:
        model = Annotation
        fields = ("id", "annotation_set", "summary", "annotator", "kind", "questions", "error_types", "spans")


class VerdictSerializer(serializers.ModelSerializer[Verdict]):
    summary = serializers.IntegerField(source="annotation_set.summary_id")
    annotator = serializers.CharField(source="annotation_set.annotator.pseudonym", help_text="The judge.")
    index = serializers.IntegerField(source="sentence.index", help_text="Of the sentence.")

    class Meta:
        model = Verdict
        fields = ("id", "annotation_set", "summary", "annotator", "sentence", "index", "state", "annotation", "problem")


def seen_sets(request: Request, study: Study, query: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Filters for what lies in the study's submitted sets, once it is noted that the person sees it.

    `prefix` leads to the set. With a summary, only that one counts as seen: a list of all tells about all.
    Raises Blinded.
    """
    require_not_blind(request.user, study=study)
    if (summary := query.get("summary")) is None:
        reveal_study(user=request.user, study=study)
    elif not study.summaries.filter(pk=summary).exists():
        raise NotThere(f"There is no summary {summary} in this study.")
    else:
        reveal_marks_of(user=request.user, study=study, summaries=[summary])
    names = {"summary": "summary", "annotator": "annotator__pseudonym", "kind": "annotator__kind"}
    return chosen(query, **{name: f"{prefix}{lookup}" for name, lookup in names.items()})


class AnnotationSets(RestView):
    queries = {"GET": MarksQuery}

    @extend_schema(parameters=[MarksQuery], responses=page_of(AnnotationSetSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """Submitted sets: one of each person or judge on each summary. One without marks: looked and found nothing."""
        study = study_named(slug)
        wanted = seen_sets(request, study, self.query)
        sets = submitted_sets_of(study).filter(**wanted).select_related("annotator")
        counted = sets.annotate(mark_count=Count("annotations")).order_by("pk")
        return listed(request, counted, self.query, AnnotationSetSerializer)


class Annotations(RestView):
    queries = {"GET": AnnotationQuery}

    @extend_schema(parameters=[AnnotationQuery], responses=page_of(MarkSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """Marks with one span, or two for a relation; `[start, end)` in code points of the summary's text."""
        study = study_named(slug)
        wanted = seen_sets(request, study, self.query, "annotation_set__")
        wanted |= chosen(self.query, annotation_set="annotation_set", error_type="error_types__key")
        sets = submitted_sets_of(study).order_by().values("pk")
        marks = Annotation.objects.filter(annotation_set__in=sets, **wanted)
        marks = marks.select_related("annotation_set__annotator").prefetch_related("error_types", "spans")
        return listed(request, marks.order_by("pk"), self.query, MarkSerializer)


class Verdicts(RestView):
    queries = {"GET": VerdictQuery}

    @extend_schema(parameters=[VerdictQuery], responses=page_of(VerdictSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """What judges said of each sentence: clean, confused (with the mark) or unparsed, which is never clean."""
        study = study_named(slug)
        wanted = seen_sets(request, study, self.query, "annotation_set__")
        wanted |= chosen(self.query, annotation_set="annotation_set", state="state")
        sets = submitted_sets_of(study).order_by().values("pk")
        verdicts = Verdict.objects.filter(annotation_set__in=sets, **wanted)
        verdicts = verdicts.select_related("annotation_set__annotator", "sentence")
        return listed(request, verdicts.order_by("pk"), self.query, VerdictSerializer)
