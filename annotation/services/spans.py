"""Spans as they arrive: that they lie in the text they claim to quote, and what is stored of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BigAutoField, IntegerField, QuerySet, TextField
from django.db.models.functions import Length, Substr
from django.db.models.lookups import Exact

from annotation.models.marks import TextSpan
from annotation.services.mark_errors import InvalidMark
from annotation.statements import Parameter
from summarizer.models import Summary

#: The largest offset that both databases take in `substr`.
LARGEST_OFFSET = 2**31 - 1


@dataclass(frozen=True)
class SpanInput:
    """`[start, end)` in code points of the summary's canonical text, and the text that the sender saw there."""

    start: int
    end: int
    quote: str


def places(spans: Iterable[SpanInput | TextSpan]) -> list[tuple[int, int]]:
    """Where they are: two marks with equal places have equal quotes."""
    return [(span.start, span.end) for span in spans]


def span_rows(spans: Sequence[SpanInput]) -> list[dict[str, Any]]:
    """The fields of the rows that store them (`Span`, `GoldSpan`)."""
    return [
        {"position": position, "start": span.start, "end": span.end, "quote": span.quote}
        for position, span in enumerate(spans)
    ]


def check_shapes(spans: Sequence[SpanInput]) -> None:
    """Raise `InvalidMark` unless there are one or two spans, and not the same twice."""
    if len(spans) not in (1, 2):
        raise InvalidMark("A mark has one span, or two when it relates two places. Select the text again.")
    for span in spans:
        _check_shape(span)
    if len({(span.start, span.end) for span in spans}) < len(spans):
        raise InvalidMark("A relation needs two different spans. Select another place for the second one.")


def quoted_summary(number: int) -> QuerySet[Summary]:
    """The summary, if each of so many spans quotes it exactly. Its parameters are `summary` and `quote_parameters`.

    The database compares, so the text is not loaded for a save.
    """
    summaries = Summary.objects.filter(pk=Parameter("summary", BigAutoField()))
    for index in range(number):
        start, length = (Parameter(f"{name}_{index}", IntegerField()) for name in ("start", "length"))
        summaries = summaries.filter(Exact(Substr("text", start, length), Parameter(f"quote_{index}", TextField())))
    return summaries


def quote_parameters(spans: Sequence[SpanInput]) -> dict[str, Any]:
    """The values for `quoted_summary`."""
    values: dict[str, Any] = {}
    for index, span in enumerate(spans):
        values |= {
            f"start_{index}": span.start + 1,
            f"length_{index}": span.end - span.start,
            f"quote_{index}": span.quote,
        }
    return values


def check_quotes(*, summary_id: int, spans: Sequence[SpanInput]) -> None:
    """Raise `InvalidMark`, which says where and how they differ, unless each span quotes the summary exactly."""
    slices = [Substr("text", span.start + 1, span.end - span.start) for span in spans]
    length, *texts = Summary.objects.values_list(Length("text"), *slices).get(pk=summary_id)
    for span, text in zip(spans, texts, strict=True):
        if span.end > length:
            raise InvalidMark(
                f"The span [{span.start}, {span.end}) ends beyond the text, which has {length} characters."
            )
        if span.quote != text:
            raise InvalidMark(
                f"The text at [{span.start}, {span.end}) is {text!r}, not {span.quote!r}. Reload the page."
            )


def _check_shape(span: SpanInput) -> None:
    if not 0 <= span.start < span.end <= LARGEST_OFFSET:
        raise InvalidMark(
            f"[{span.start}, {span.end}) is no span: it must start at 0 or later and end after its start."
        )
    if not span.quote.strip():
        raise InvalidMark("The span holds only white space. Select some words.")
