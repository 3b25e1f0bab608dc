"""What reviewers decided about marks, and what people answered about pairs of summaries. Refused like the pages."""

from django.db.models import Prefetch
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_not_blind
from annotation.models import Comparison, ComparisonAnswer, ReviewDecision
from annotation.services.seen import reveal_study
from booookweb.api.base import IdField, ListQuery, RestView, chosen, listed, page_of
from booookweb.api.studies import study_named
from scoring.selectors.reviews import locked_decisions


class DecisionQuery(ListQuery):
    annotation = IdField(required=False, help_text="The mark.")
    reviewer = serializers.CharField(required=False, max_length=200, help_text="Pseudonym.")
    agreement = serializers.ChoiceField(choices=ReviewDecision.Agreement.choices, required=False)


class ComparisonQuery(ListQuery):
    round = serializers.CharField(required=False, max_length=50)


class ReviewDecisionSerializer(serializers.ModelSerializer[ReviewDecision]):
    annotation = serializers.IntegerField(source="item.annotation_id", help_text="The mark.")
    reviewer = serializers.CharField(source="reviewer.pseudonym")
    reasons = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = ReviewDecision
        fields = ("id", "annotation", "reviewer", "agreement", "reasons", "comment", "shown_as", "updated_at")


class ComparisonAnswerSerializer(serializers.ModelSerializer[ComparisonAnswer]):
    annotator = serializers.CharField(source="annotator.pseudonym")

    class Meta:
        model = ComparisonAnswer
        fields = ("annotator", "question", "words", "answer", "comment")


class ComparedSerializer(serializers.ModelSerializer[Comparison]):
    answers = ComparisonAnswerSerializer(many=True)

    class Meta:
        model = Comparison
        fields = ("id", "round", "first", "second", "answers")


class ReviewDecisions(RestView):
    queries = {"GET": DecisionQuery}

    @extend_schema(parameters=[DecisionQuery], responses=page_of(ReviewDecisionSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """Decisions that were handed in, once the study is unblinded or closed."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        reveal_study(user=request.user, study=study)
        wanted = chosen(
            self.query, annotation="item__annotation", reviewer="reviewer__pseudonym", agreement="agreement"
        )
        decisions = locked_decisions(study).filter(**wanted).select_related("item", "reviewer").order_by("pk")
        return listed(request, decisions, self.query, ReviewDecisionSerializer)


class Comparisons(RestView):
    queries = {"GET": ComparisonQuery}

    @extend_schema(parameters=[ComparisonQuery], responses=page_of(ComparedSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """Pairs of summaries with what people answered: `first`, `second` or `draw`; `yes` or `no`."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        reveal_study(user=request.user, study=study)
        answers = Prefetch("answers", ComparisonAnswer.objects.select_related("annotator").order_by("pk"))
        pairs = study.comparisons.filter(**chosen(self.query, round="round")).prefetch_related(answers)
        return listed(request, pairs.order_by("pk"), self.query, ComparedSerializer)
