"""What a judge is shown of a book for each unit of a summary, within the endpoint's context window."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.cache import cache

from annotation.judge.costs import PromptTooLong
from annotation.judge.judges import JudgeParameters
from annotation.models import Annotator, FaithfulnessPlan, Unit
from annotation.selectors.faithfulness_source import searchable_source, sentences_for, source_ranges
from annotation.unit_judge.judges import settings_of
from annotation.unit_judge.passages import NEIGHBOURS, Place, passages_around, passages_that_fit
from annotation.unit_judge.strategy import PROMPT_FILE, AskedUnit, UnitSettings, unit_prompt
from summarizer.models import Book, Summary
from summarizer.tokens import count_tokens

_DAY = 24 * 3600


@dataclass(frozen=True, slots=True)
class Shown:
    """The passages of one unit, as places of the book in its order; `tokens` of the whole prompt."""

    passages: tuple[Place, ...]
    tokens: int
    #: They are fewer than were asked for, because the context window ends.
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Material:
    """The `units` that are asked about and what is shown for each; `rule` chose it."""

    units: list[Unit]
    shown: list[Shown]
    rule: str


def units_to_ask(plan: FaithfulnessPlan, summary: Summary, judge: Annotator | None) -> list[Unit]:
    """The different units of the summary that the judge has not judged, in order."""
    units = plan.units.filter(summary=summary, same_as=None).order_by("index")
    return list(units.exclude(verdicts__annotator=judge) if judge else units)


def material_of(summary: Summary, units: list[Unit], parameters: JudgeParameters) -> Material:
    """Worked out once for the same texts and parameters, and kept for a day.

    Raises `PromptTooLong` where the first passage alone exceeds the context window.
    """
    book = Book.objects.defer("text").get(pk=summary.book_id)
    stretches = source_ranges(book)
    key = _key(book, stretches, summary, units, parameters)
    kept: dict[str, Any] | None = cache.get(key)
    if kept is None:
        kept = _worked_out(book, stretches, summary, units, parameters)
        cache.set(key, kept, timeout=_DAY)
    shown = [Shown(tuple((start, end) for start, end in places), *rest) for places, *rest in kept["shown"]]
    return Material(units, shown, kept["rule"])


def asked_units(book: Book, material: Material) -> list[AskedUnit]:
    """As the strategy takes them."""
    return [_asked(unit, book.text, shown.passages) for unit, shown in zip(material.units, material.shown, strict=True)]


def _asked(unit: Unit, text: str, passages: Sequence[Place]) -> AskedUnit:
    return AskedUnit(unit.index + 1, unit.quote, tuple(text[start:end] for start, end in passages))


def _worked_out(
    book: Book, stretches: list[Place], summary: Summary, units: list[Unit], parameters: JudgeParameters
) -> dict[str, Any]:
    source = searchable_source(book)
    sentences = list(summary.sentences.order_by("index").values_list("start", "end"))
    settings, room = settings_of(parameters), parameters.endpoint.context_window - parameters.max_answer_tokens
    around = partial(passages_around, sentences=source.places, stretches=stretches)
    shown = []
    for unit in units:
        ranked = sentences_for((unit.start, unit.end), summary.text, sentences, source, parameters.passages)
        tokens = partial(_tokens, summary.text, unit, book.text, settings)
        passages = passages_that_fit(ranked, around, tokens, room)
        if passages is None:
            raise PromptTooLong(
                f"Unit {unit.index + 1} with one passage and its answer need more than the endpoint's context window "
                f"of {parameters.endpoint.context_window:,} tokens."
            )
        shown.append([passages, tokens(passages), passages != around(ranked)])
    return {"shown": shown, "rule": f"{source.rule}, {NEIGHBOURS} neighbours"}


def _tokens(summary: str, unit: Unit, text: str, settings: UnitSettings, passages: Sequence[Place]) -> int:
    return count_tokens(unit_prompt(summary, _asked(unit, text, passages), settings))


def _key(book: Book, stretches: list[Place], summary: Summary, units: list[Unit], parameters: JudgeParameters) -> str:
    prompt_set = parameters.prompt_set
    parts = [
        [book.pk, book.text_sha256, stretches, summary.text_sha256],
        [[unit.pk, unit.index, unit.start, unit.end] for unit in units],
        [parameters.passages, NEIGHBOURS, parameters.endpoint.context_window, parameters.max_answer_tokens],
        [prompt_set.files[PROMPT_FILE], prompt_set.placeholders] if prompt_set else [],
    ]
    return f"unit-passages-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"
