"""Checks that places in texts are what the file says."""

from collections.abc import Iterable, Sequence
from typing import Any

from scoring.imports.context import Line
from summarizer.models import Summary


def texts_of(summaries: Iterable[int]) -> dict[int, str]:
    return dict(Summary.objects.filter(pk__in=set(summaries)).values_list("pk", "text"))


def check_marked(line: Line, text: str) -> None:
    spans = line.pairs("spans", 3)
    if len(spans) > 2:
        line.refuse("a mark has two spans at most.")
    check_spans(line, text, spans)


def check_spans(line: Line, text: str, spans: Sequence[Sequence[Any]], *, of: str = "summary") -> None:
    for start, end, quote in spans:
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            line.refuse(f"the span [{start}, {end}) lies outside its {of}, which has {len(text)} characters.")
        if text[start:end] != quote:
            line.refuse(f"the quote of the span [{start}, {end}) is not what stands there.")
