"""ROUGE-L of a study's summaries against the references of their books.

A score depends on two texts alone, and texts never change: what a process has computed once it keeps, by their hashes,
and so it can never be out of date.
"""

from collections import defaultdict
from typing import Any

from django.db.models import QuerySet

from annotation.models import Study
from scoring.statistics.rouge import rouge_l
from summarizer.models import ReferenceSummary, Summary

#: Scores that a process keeps at most, by the hashes of summary and reference.
MOST_KEPT = 100_000
_kept: dict[tuple[str, str], float | None] = {}


def rouge_of(study: Study) -> dict[int, float]:
    """Summary -> its best score over the references of its book, for those that have one. Two queries, and two more "
    "for new texts."""
    references: dict[int, dict[str, int]] = defaultdict(dict)
    found = ReferenceSummary.objects.filter(book__summaries__studies=study).order_by("pk").distinct()
    for book, sha256, pk in found.values_list("book", "text_sha256", "pk"):
        references[book][sha256] = pk
    if not references:
        return {}
    columns = ("pk", "book", "text_sha256")
    rows = list(Summary.objects.filter(studies=study, book__in=_books(study)).values_list(*columns))
    _compute(study, [(own, sha256) for _, book, own in rows for sha256 in references[book]])
    best: dict[int, float] = {}
    for pk, book, own in rows:
        scores = [score for sha256 in references[book] if (score := _kept.get((own, sha256))) is not None]
        if scores:
            best[pk] = max(scores)
    return best


def _books(study: Study) -> "QuerySet[ReferenceSummary, Any]":
    return ReferenceSummary.objects.filter(book__summaries__studies=study).order_by().values("book")


def _compute(study: Study, pairs: list[tuple[str, str]]) -> None:
    """Keep the score of every pair. Texts are read only if one of them is new."""
    missing = [pair for pair in pairs if pair not in _kept]
    if not missing:
        return
    if len(_kept) + len(missing) > MOST_KEPT:
        _kept.clear()
        missing = pairs
    summaries = Summary.objects.filter(studies=study, book__in=_books(study))
    texts = dict(summaries.values_list("text_sha256", "text"))
    found = ReferenceSummary.objects.filter(book__summaries__studies=study).distinct()
    references = dict(found.order_by("pk").values_list("text_sha256", "text"))
    for own, other in missing:
        _kept[own, other] = rouge_l(texts[own], references[other]).value
