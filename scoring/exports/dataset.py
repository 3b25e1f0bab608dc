"""A dataset folder as the Hugging Face Hub shows it: a card, and a JSONL file for each kind of record.

Every file has one schema: places are objects, error types their keys, and what has no fixed form is JSON in a text.
"""

import json
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, BinaryIO
from zipfile import ZipFile

from annotation.models import Study
from scoring.exports.jsonl import encode
from scoring.exports.records import Record, study_records
from scoring.exports.selection import Selection
from scoring.exports.tables import zip_entry
from scoring.exports.task_names import TASK_KINDS, Tasks

#: In the order of the card; other kinds are of use to this program alone and stay in the JSONL.
CONFIGURATIONS = {
    "book": "books that were summarized",
    "system": "what made the summaries",
    "summary": "summaries with their sentences",
    "annotator": "people, by pseudonym, and judges",
    "set": "one annotator on one summary; only “submitted” counts",
    "mark": "what confused somebody: places, questions, types",
    "verdict": "judges, sentence by sentence",
    "review_item": "marks that were reviewed blindly",
    "decision": "what reviewers thought of them",
    "comparison": "pairs of summaries of one book",
    "answer": "what people answered about them",
    "tally": "answers that exist only as counts",
    "plan": "how faithfulness was asked: share of the units, people for each summary, scale of ratings",
    "unit": "pieces of summaries that were judged; `same_as`: index of the first one that says the same",
    "unit_verdict": "what LLM judges said of units, with the places of the book that they were shown; `unparsed` is "
    "neither",
    "judgement": "whether the book supports a unit, with places in the book; only “submitted” counts",
    "rating": "how correct a whole summary is; only “submitted” counts",
    "metric": "figures that were computed elsewhere",
}

CARD = """---
pretty_name: {title}
language:
- en
license: other
license_name: state-your-licence
task_categories:
- summarization
- text-classification
tags:
- book-length summarization
- coherence
- human annotation
- llm-as-a-judge
{tags}size_categories:
- {size}
configs:
{configurations}---

# {heading}

Summaries of books, and {what}. Exported from Booook Web.

**Before you publish**: state the licence above, and remove what you may not give away. {source} People stand under
pseudonyms.

| configuration | rows | what |
|---|---|---|
{table}
`id` counts the rows of a configuration from 1; a field that is named after another one (`summary`, `set`, `mark`, ...)
holds the `id` of a row there. Offsets (`start`, `end`) are Unicode code points into the summary's `text`. A judge's
sentence is clean, confused or unparsed, and unparsed is never clean.
"""
MARKED = "what people and LLM judges marked as confusing in them"
CHECKED = f"{MARKED}, and how far people and LLM judges found them supported by the books"
WITH_SOURCE = "**The books' texts are in it**, and most books are under copyright."
WITHOUT_SOURCE = "The books' texts are not in it."


def write_dataset(study: Study, target: BinaryIO, *, with_source: bool, progress: Callable[[int], None]) -> None:
    """A zip with the folder."""
    selection = Selection(study, with_source=with_source)
    types: dict[int, str] = {}
    tasks = Tasks()
    done = 0
    with ZipFile(target, "w") as archive:
        archive.writestr(zip_entry("README.md"), _card(study, selection))
        for kind, records in groupby(study_records(selection), key=lambda record: str(record["record"])):
            if kind == "error_type":
                types = {record["id"]: record["key"] for record in records}
            elif kind in TASK_KINDS:
                tasks.take(kind, records)
            elif kind in CONFIGURATIONS:
                with archive.open(zip_entry(f"data/{kind}.jsonl"), "w") as stream:
                    for row in _rows(map(tasks.named, records), types):
                        stream.write(encode(row).encode() + b"\n")
                        done += 1
                        if done % 500 == 0:
                            progress(done)


def _rows(records: Iterator[Record], types: dict[int, str]) -> Iterator[Record]:
    for record in records:
        row = {key: _value(key, value, types) for key, value in record.items() if key != "record"}
        yield row


def _value(key: str, value: Any, types: dict[int, str]) -> Any:
    if key == "spans":
        return [dict(zip(("start", "end", "quote"), span, strict=True)) for span in value]
    if key == "evidence":
        return [dict(zip(("start", "end", "hint_rank", "quote"), place, strict=False)) for place in value]
    if key == "sentences":
        return [{"start": start, "end": end} for start, end in value]
    if key == "error_types":
        return [types[number] for number in value]
    is_free = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value))
    return json.dumps(value, ensure_ascii=False) if is_free and key != "sections" else value


def _card(study: Study, selection: Selection) -> str:
    present = {kind: count for kind, count in selection.counts.items() if kind in CONFIGURATIONS and count}
    files = (f"- config_name: {kind}\n  data_files: data/{kind}.jsonl\n" for kind in CONFIGURATIONS if kind in present)
    lines = (f"| `{kind}` | {present[kind]} | {words} |\n" for kind, words in CONFIGURATIONS.items() if kind in present)
    return CARD.format(
        title=json.dumps(study.title, ensure_ascii=False),  # a JSON text is a YAML text
        heading=study.title.replace("\n", " "),
        size=_size(present.get("summary", 0)),
        configurations="".join(files),
        table="".join(lines),
        tags="- faithfulness\n" if "plan" in present else "",
        what=CHECKED if "plan" in present else MARKED,
        source=WITH_SOURCE if selection.with_source else WITHOUT_SOURCE,
    )


def _size(summaries: int) -> str:
    """The Hub's words for how large a dataset is."""
    steps = ((1000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
    return next((words for limit, words in steps if summaries < limit), "100K<n<1M")
