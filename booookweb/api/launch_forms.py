"""What a launch takes, and how a plan and a launch answer."""

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from annotation.judge import judges
from annotation.models import Annotator
from booookweb.api.base import IdField, NumberField
from booookweb.api.jobs import JobDetailSerializer
from summarizer.models import Job
from summarizer.services.systems import (
    CHUNK_SIZE,
    MAX_SUMMARY_TOKENS,
    SMALLEST_CHUNK,
    SMALLEST_SUMMARY,
    TEMPERATURE,
)
from summarizer.strategies.methods import METHODS

MOST_SUBJECTS = 1000
_LARGEST = 10_000_000


class LaunchSerializer(serializers.Serializer[Any]):
    """What both kinds of launches take."""

    dry_run = serializers.BooleanField(default=False, help_text="Only say what it would do and cost.")
    idempotency_key = serializers.UUIDField(
        required=False,
        help_text="Made by you for this launch, needed unless dry_run. Sent again, it gives the same job and launches "
        "nothing.",
    )
    plan_digest = serializers.CharField(
        required=False, max_length=64, help_text="Of a plan that you saw: any other plan is refused."
    )
    run = serializers.ChoiceField(choices=Job.Run.choices, default=Job.Run.DIRECT)
    budget_usd = serializers.DecimalField(
        max_digits=12,
        decimal_places=4,
        min_value=Decimal("0.0001"),
        required=False,
        allow_null=True,
        help_text="No call is made that could go over it.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["dry_run"] and "idempotency_key" not in attrs:
            raise serializers.ValidationError({"idempotency_key": "Send a UUID of your own, or dry_run."})
        return attrs


class SummarizeSerializer(LaunchSerializer):
    """Books, and a system, or the parameters of one."""

    books = serializers.ListField(child=IdField(), min_length=1, max_length=MOST_SUBJECTS)
    system = IdField(required=False, help_text="An existing one; then no parameters.")
    endpoint = serializers.SlugField(required=False, max_length=100, help_text="Its name, for example extractive.")
    strategy = serializers.ChoiceField(choices=list(METHODS), required=False, help_text="hierarchical if left out.")
    prompt_set = IdField(required=False, help_text="The default set if left out.")
    chunk_size = serializers.IntegerField(
        min_value=SMALLEST_CHUNK, max_value=_LARGEST, required=False, help_text=f"Tokens; {CHUNK_SIZE} if left out."
    )
    max_summary_tokens = serializers.IntegerField(
        min_value=SMALLEST_SUMMARY, max_value=_LARGEST, required=False, help_text=f"{MAX_SUMMARY_TOKENS} if left out."
    )
    temperature = NumberField(min_value=0, max_value=2, required=False, help_text=f"{TEMPERATURE} if left out.")
    cleaned = serializers.BooleanField(required=False, help_text="Clean the summaries: one more call a book.")

    PARAMETERS = ("endpoint", "strategy", "prompt_set", "chunk_size", "max_summary_tokens", "temperature", "cleaned")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given = [name for name in self.PARAMETERS if name in attrs]
        if "system" in attrs and given:
            raise serializers.ValidationError(f"Give a system or parameters, not both: {', '.join(given)}.")
        if "system" not in attrs and "endpoint" not in attrs:
            raise serializers.ValidationError({"endpoint": "Give a system, or an endpoint for a new one."})
        return super().validate(attrs)


class JudgeSerializer(LaunchSerializer):
    """Summaries (named, or those of a study, a system, or a system within a study), and what judges them."""

    summaries = serializers.ListField(child=IdField(), required=False, min_length=1, max_length=MOST_SUBJECTS)
    study = serializers.SlugField(
        required=False, max_length=100, help_text="Its summaries are judged, and the judge counts in it."
    )
    system = IdField(required=False, help_text="Only summaries by it.")
    endpoint = serializers.SlugField(max_length=100, help_text="Its name, for example rules.")
    prompt_set = IdField(required=False, help_text="The default set if left out.")
    mode = serializers.ChoiceField(
        choices=[(mode.value, mode.label) for mode in judges.SENTENCE_MODES], default=Annotator.Mode.SENTENCE
    )
    batch_size = serializers.IntegerField(min_value=1, max_value=judges.LARGEST_BATCH, default=judges.BATCH_SIZE)
    temperature = NumberField(min_value=0, max_value=2, default=judges.TEMPERATURE)
    max_answer_tokens = serializers.IntegerField(min_value=16, max_value=100_000, default=judges.MAX_ANSWER_TOKENS)
    repeat = serializers.IntegerField(min_value=1, max_value=1000, default=1, help_text="2: a second run, and judge.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs.keys() & {"summaries", "study", "system"}:
            raise serializers.ValidationError("Name summaries, a study or a system.")
        if "summaries" in attrs and "system" in attrs:
            raise serializers.ValidationError("Name summaries or a system, not both.")
        return super().validate(attrs)


class PlannedSerializer(serializers.Serializer[Any]):
    book = serializers.IntegerField(allow_null=True)
    summary = serializers.IntegerField(allow_null=True)
    calls = serializers.IntegerField()
    cost_usd = serializers.FloatField(allow_null=True)
    problem = serializers.CharField(help_text="Why it can't be done, or is left out.")
    pending = serializers.BooleanField(help_text="Not worked out yet, for lack of time: ask again.")


class PlanSerializer(serializers.Serializer[Any]):
    """USD, seconds and tokens; null where a price or the time is not known."""

    name = serializers.CharField(help_text="Of the system or the judge.")
    can_launch = serializers.BooleanField()
    digest = serializers.CharField()
    calls = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    cost_usd = serializers.FloatField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    items = PlannedSerializer(many=True)


class LaunchedSerializer(serializers.Serializer[Any]):
    """`plan` of a dry run, else `job`; both null where the judge had marked everything before: nothing is paid."""

    plan = PlanSerializer(allow_null=True)
    job = JobDetailSerializer(allow_null=True)
