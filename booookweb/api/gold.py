"""Gold sets: what researchers decided about several people's marks, and how far these agree. Refused like the pages."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import require_not_blind
from annotation.api.mark_serializers import SpanSerializer
from annotation.models import GoldSet
from annotation.selectors.gold import gold_set_document, summaries_to_adjudicate
from annotation.services.seen import reveal_marks
from booookweb.api.base import ListQuery, Query, RestView, page_of, paged, place_of
from booookweb.api.errors import NotThere
from booookweb.api.studies import study_named
from scoring.selectors.adjudication import Adjudication, Pair, adjudication
from scoring.statistics.statistic import Statistic


class GoldQuery(ListQuery):
    state = serializers.ChoiceField(choices=GoldSet.State.choices, required=False)


class GoldLineSerializer(serializers.Serializer[Any]):
    summary = serializers.IntegerField(source="summary.pk")
    book = serializers.CharField(source="summary.book.title")
    system = serializers.CharField(source="summary.system.name")
    state = serializers.CharField(help_text="open or finished.")
    people = serializers.IntegerField(help_text="Who submitted it.")
    marks = serializers.IntegerField(help_text="Of these people.")
    decided = serializers.IntegerField(help_text="Of these marks.")
    gold = serializers.IntegerField(help_text="Marks in the gold set.")
    changed_at = serializers.DateTimeField(allow_null=True)


class GoldSourceSerializer(serializers.Serializer[Any]):
    mark = serializers.IntegerField()
    annotator = serializers.CharField()
    kind = serializers.CharField()
    questions = serializers.CharField()
    spans = SpanSerializer(many=True)
    changed_since = serializers.BooleanField(help_text="The mark has changed since it was decided about.")


class GoldRejectedSerializer(serializers.Serializer[Any]):
    decision = serializers.UUIDField()
    reason = serializers.CharField()
    sources = GoldSourceSerializer(many=True)
    by = serializers.CharField()
    at = serializers.DateTimeField()


class GoldMarkSerializer(serializers.Serializer[Any]):
    decision = serializers.UUIDField()
    questions = serializers.CharField()
    error_types = serializers.ListField(child=serializers.CharField())
    spans = SpanSerializer(many=True)
    sources = GoldSourceSerializer(many=True)
    by = serializers.CharField()
    at = serializers.DateTimeField()


class FigureSerializer(serializers.Serializer[Statistic]):
    value = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(help_text="Why it is null.")


class PairSerializer(serializers.Serializer[Any]):
    """Two who submitted the summary: exactly equal marks, shared characters, and sentences touched or not."""

    first = serializers.CharField()
    second = serializers.CharField()
    exact = serializers.IntegerField()
    first_marks = serializers.IntegerField()
    second_marks = serializers.IntegerField()
    character_f1 = FigureSerializer()
    kappa = FigureSerializer()
    ac1 = FigureSerializer()
    percent = FigureSerializer()


class GoldDetailSerializer(serializers.Serializer[Any]):
    summary = serializers.IntegerField()
    book = serializers.CharField()
    system = serializers.CharField()
    text_sha256 = serializers.CharField()
    state = serializers.CharField()
    marks = GoldMarkSerializer(many=True)
    rejected = GoldRejectedSerializer(many=True)
    log = serializers.ListField(child=serializers.DictField(), help_text="Who decided what when, by version.")
    agreement = serializers.DictField(child=FigureSerializer(), help_text="Means over the pairs of people.")
    pairs = PairSerializer(many=True)


class AgreementQuery(Query):
    judge = serializers.CharField(
        required=False, max_length=200, help_text="Name of a judge of the study, to compare it with the people too."
    )


class StudyGold(RestView):
    queries = {"GET": GoldQuery}

    @extend_schema(parameters=[GoldQuery], responses=page_of(GoldLineSerializer))
    def get(self, request: Request, slug: str) -> Response:
        """The study's summaries, with what was submitted on each and how far it is decided."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        rows = [row for row in summaries_to_adjudicate(study) if self.query.get("state") in (None, row.state)]
        shown = GoldLineSerializer(rows[place_of(self.query)], many=True).data
        return paged(request, len(rows), self.query, shown)


class SummaryGold(RestView):
    queries = {"GET": AgreementQuery}

    @extend_schema(parameters=[AgreementQuery], responses=GoldDetailSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The gold set of a summary, with the marks it decides about, and how far those who marked it agree."""
        study = study_named(slug)
        require_not_blind(request.user, study=study)
        summary = get_object_or_404(study.summaries.select_related("book", "system").defer("book__text"), pk=pk)
        reveal_marks(user=request.user, study=study, summary=summary)
        judge = None
        if name := self.query.get("judge"):
            judge = study.judges.filter(pseudonym=name).first()
            if judge is None:
                raise NotThere(f"The study has no judge called “{name}”.")
        document = gold_set_document(study, summary)
        return Response(document | _agreement(adjudication(study, summary, judges=[judge.pk] if judge else [])))


def _agreement(found: Adjudication) -> dict[str, Any]:
    means = {
        "character_f1": found.mean_character_f1,
        "kappa": found.mean_kappa,
        "ac1": found.mean_ac1,
    }
    return {
        "agreement": {name: _figure(figure) for name, figure in means.items()},
        "pairs": [_pair(pair) for pair in found.pairs],
    }


def _pair(pair: Pair) -> dict[str, Any]:
    figures = pair.agreement
    return {
        "first": pair.first.name,
        "second": pair.second.name,
        "exact": figures.exact,
        "first_marks": figures.first_marks,
        "second_marks": figures.second_marks,
        "character_f1": _figure(figures.character_f1),
        "kappa": _figure(figures.sentences.kappa),
        "ac1": _figure(figures.ac1),
        "percent": _figure(figures.sentences.percent),
    }


def _figure(figure: Statistic) -> dict[str, Any]:
    return {"value": figure.value, "reason": figure.reason}
