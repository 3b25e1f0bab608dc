"""The JSON forms of marks. White space is never trimmed: a quote must equal its slice of the text."""

from typing import Any

from rest_framework import serializers

from annotation.models import Annotation
from annotation.services.spans import LARGEST_OFFSET

#: Longest questions of one mark, in characters; far above any real one (the longest published has 700).
LONGEST_QUESTIONS = 10_000


class WholeNumberField(serializers.IntegerField):
    """A JSON integer: no text, no fraction, no true."""

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return super().to_internal_value(data)


class TrueOrFalseField(serializers.BooleanField):
    """A JSON true or false (null where it is allowed): no text, no number."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class TextField(serializers.CharField):
    """A JSON string, kept as it is: no number, nothing trimmed."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class SpanSerializer(serializers.Serializer[Any]):
    start = WholeNumberField(min_value=0, max_value=LARGEST_OFFSET)
    end = WholeNumberField(min_value=0, max_value=LARGEST_OFFSET)
    quote = TextField()


class AnnotationSerializer(serializers.Serializer[Annotation]):
    key = serializers.UUIDField(source="client_key")
    version = serializers.IntegerField()
    questions = serializers.CharField()
    error_types = serializers.SerializerMethodField()
    spans = SpanSerializer(many=True)

    def get_error_types(self, annotation: Annotation) -> list[str]:
        return [error_type.key for error_type in annotation.error_types.all()]


class AnnotationChangeSerializer(serializers.Serializer[Any]):
    base_version = WholeNumberField(min_value=0, max_value=LARGEST_OFFSET)
    questions = TextField(allow_blank=True, max_length=LONGEST_QUESTIONS)
    error_types = serializers.ListField(child=TextField(), max_length=50)
    #: One, or two for a relation: the service says so in words.
    spans = SpanSerializer(many=True)


class SavedAnnotationSerializer(AnnotationSerializer):
    set_version = serializers.IntegerField()


class WorkspaceSerializer(serializers.Serializer[Any]):
    state = serializers.CharField()
    version = serializers.IntegerField()
    active_seconds = serializers.IntegerField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    editable = serializers.BooleanField()
    reopenable = serializers.BooleanField()
    annotations = AnnotationSerializer(many=True)


class SubmitSerializer(serializers.Serializer[Any]):
    nothing_found = TrueOrFalseField(default=False)


class SkipSerializer(serializers.Serializer[Any]):
    reason = TextField(default="", allow_blank=True, max_length=500)


#: Active time on one task, in seconds: more than anybody spends on it, and small enough for any sum that is paid.
LONGEST_TIME = 100 * 3600


class ActiveTimeSerializer(serializers.Serializer[Any]):
    known_seconds = WholeNumberField(min_value=0, max_value=LONGEST_TIME)
    total_seconds = WholeNumberField(min_value=0, max_value=LONGEST_TIME)
