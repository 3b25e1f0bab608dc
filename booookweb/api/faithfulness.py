"""Faithfulness: what a study asks of whom, its units, what people answered, and the figures. Refused like the pages."""

from typing import Any

from django.db.models import Prefetch
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_not_blind
from annotation.faithfulness.selectors import plan_of, plan_problems, planned_work
from annotation.models import Annotator, Assignment, Evidence, FaithfulnessPlan, Rating, Study, Unit, UnitJudgement
from annotation.selectors.progress import progress_of
from annotation.services.seen import reveal_marks_of, reveal_study
from booookweb.api.base import IdField, ListQuery, RestView, chosen, listed, page_of
from booookweb.api.errors import NotThere
from booookweb.api.studies import TasksSerializer, study_named
from scoring.report.faithfulness.reading import read_faithfulness
from scoring.report.faithfulness.writing import faithfulness_json


class WorkSerializer(serializers.Serializer[Any]):
    """What the plan asks for in all."""

    summaries = serializers.IntegerField()
    units = serializers.IntegerField()
    repeated = serializers.IntegerField(help_text="Units that say the same as another; they are not asked again.")
    judgements = serializers.IntegerField(help_text="Of units, by all people together.")
    ratings = serializers.IntegerField()
    people = serializers.IntegerField(help_text="How many it takes at least.")


class FaithfulnessPlanSerializer(serializers.ModelSerializer[FaithfulnessPlan]):
    is_imported = serializers.BooleanField(help_text="Answers came from elsewhere; nobody is asked here.")
    work = WorkSerializer()
    problems = serializers.ListField(child=serializers.CharField(), help_text="What stands against opening it.")
    fine = TasksSerializer(help_text="Tasks: units of a summary to judge.")
    coarse = TasksSerializer(help_text="Tasks: a summary to rate.")

    class Meta:
        model = FaithfulnessPlan
        fields = (
            *("state", "unit_rule", "is_imported", "share", "units_per_summary", "fine_overlap", "coarse_overlap"),
            *("scale", "evidence_required", "hints", "created_at", "work", "problems", "fine", "coarse"),
        )


class UnitSerializer(serializers.ModelSerializer[Unit]):
    class Meta:
        model = Unit
        fields = ("id", "summary", "index", "start", "end", "quote", "same_as", "by_hand")


class EvidenceSerializer(serializers.ModelSerializer[Evidence]):
    class Meta:
        model = Evidence
        fields = ("start", "end", "hint_rank")


class UnitJudgementSerializer(serializers.ModelSerializer[UnitJudgement]):
    unit = serializers.IntegerField(source="sampled.unit_id")
    summary = serializers.IntegerField(source="sampled.unit.summary_id")
    annotator = serializers.CharField(source="sampled.assignment.annotator.pseudonym")
    position = serializers.IntegerField(source="sampled.position", help_text="In which place it was asked, from 0.")
    hints_shown = serializers.BooleanField(
        source="sampled.assignment.unit_sample.hints_shown", default=None, allow_null=True
    )
    evidence = EvidenceSerializer(many=True, help_text="Code points of the book's text.")

    class Meta:
        model = UnitJudgement
        fields = (
            *("id", "unit", "summary", "annotator", "position", "supported", "comment", "active_seconds"),
            *("hints_shown", "hints_viewed", "judged_at", "evidence"),
        )


class RatingSerializer(serializers.ModelSerializer[Rating]):
    summary = serializers.IntegerField(source="assignment.summary_id")
    annotator = serializers.CharField(source="assignment.annotator.pseudonym")

    class Meta:
        model = Rating
        fields = (
            *("id", "summary", "annotator", "value", "first_value", "comment", "active_seconds", "rated_at"),
            "recalibrated_at",
        )


class UnitQuery(ListQuery):
    summary = IdField(required=False)


class AnswersQuery(UnitQuery):
    annotator = serializers.CharField(required=False, max_length=200, help_text="Pseudonym.")


class UnitJudgementQuery(AnswersQuery):
    unit = IdField(required=False)
    supported = serializers.ChoiceField(choices=["yes", "no"], required=False)


class StudyFaithfulness(RestView):
    @extend_schema(responses=FaithfulnessPlanSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """What the study asks about faithfulness, and how far its tasks are. 404 where it asks nothing."""
        study = study_named(slug)
        plan, progress = _plan(study), progress_of(study)
        added = {
            "work": planned_work(plan),
            "problems": plan_problems(plan) if plan.state == FaithfulnessPlan.State.SETUP else [],
            "fine": progress.fine,
            "coarse": progress.coarse,
        }
        for name, value in added.items():
            setattr(plan, name, value)
        return Response(FaithfulnessPlanSerializer(plan).data)


class FaithfulnessFigures(RestView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slug: str) -> Response:
        """The figures: scores, spread, agreement, learning, hints. The report has the same under `faithfulness`."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        _plan(study)
        return Response(faithfulness_json(read_faithfulness(study)))


class StudyUnits(RestView):
    queries = {"GET": UnitQuery}

    @extend_schema(parameters=[UnitQuery], responses=page_of(UnitSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """The pieces of the summaries that people judge; `[start, end)` in code points of the summary's text."""
        study = study_named(slug)
        units = _plan(study).units.filter(**chosen(self.query, summary="summary"))
        return listed(request, units.order_by("summary", "index"), self.query, UnitSerializer)


class StudyUnitJudgements(RestView):
    queries = {"GET": UnitJudgementQuery}

    @extend_schema(parameters=[UnitJudgementQuery], responses=page_of(UnitJudgementSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """What people who have submitted said of units: supported by the book or not, and where."""
        study = study_named(slug)
        tasks = _seen_tasks(request, study, self.query, Assignment.Task.FINE)
        wanted = chosen(self.query, unit="sampled__unit")
        if supported := self.query.get("supported"):
            wanted["supported"] = supported == "yes"
        judgements = UnitJudgement.objects.filter(sampled__assignment__in=tasks, supported__isnull=False, **wanted)
        judgements = judgements.select_related(
            "sampled__unit", "sampled__assignment__annotator", "sampled__assignment__unit_sample"
        ).prefetch_related(Prefetch("evidence", Evidence.objects.order_by("start", "end")))
        return listed(request, judgements.order_by("pk"), self.query, UnitJudgementSerializer)


class StudyRatings(RestView):
    queries = {"GET": AnswersQuery}

    @extend_schema(parameters=[AnswersQuery], responses=page_of(RatingSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """Ratings of whole summaries that were submitted, on the scale of the study's plan."""
        study = study_named(slug)
        tasks = _seen_tasks(request, study, self.query, Assignment.Task.COARSE)
        ratings = Rating.objects.filter(assignment__in=tasks, value__isnull=False)
        return listed(
            request, ratings.select_related("assignment__annotator").order_by("pk"), self.query, RatingSerializer
        )


def _plan(study: Study) -> FaithfulnessPlan:
    if plan := plan_of(study):
        return plan
    raise NotThere("This study asks nothing about faithfulness.")


def _seen_tasks(request: Request, study: Study, query: dict[str, Any], task: str) -> Any:
    """The submitted tasks of people that are asked for, once it is noted that the person sees them. Raises Blinded."""
    require_not_blind(request.user, study=study)
    _plan(study)
    if (summary := query.get("summary")) is None:
        reveal_study(user=request.user, study=study)
    elif not study.summaries.filter(pk=summary).exists():
        raise NotThere(f"There is no summary {summary} in this study.")
    else:
        reveal_marks_of(user=request.user, study=study, summaries=[summary])
    tasks = Assignment.objects.filter(
        study=study,
        task=task,
        state=Assignment.State.SUBMITTED,
        annotator__kind=Annotator.Kind.PERSON,
        **chosen(query, summary="summary", annotator="annotator__pseudonym"),
    )
    return tasks.order_by().values("pk")
