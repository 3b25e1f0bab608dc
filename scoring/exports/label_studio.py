"""Label Studio's JSON: a task for each summary of a study, people as annotations, judges as predictions.

Label Studio counts code points, as we do (versions before 2022 counted UTF-16 units). Who annotated stands under
"annotator" by pseudonym: Label Studio reads over it, and would refuse a "completed_by" that it does not know.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from annotation.models import AnnotationSet, Annotator, Study
from scoring.exports.kinds import BY_NAME
from scoring.exports.records import Record, records_of_kind
from scoring.exports.selection import Selection

#: Names of the control tags, as in the labelling configuration of docs/exports.md.
LABEL, QUESTION, TEXT = "label", "question", "text"
#: A region needs a label; this one stands for none.
NO_TYPE = "no type"


def label_studio_pieces(study: Study) -> Iterator[bytes]:
    """The bytes of a JSON list of tasks, a task at a time."""
    selection = Selection(study, with_source=False)
    yield b"["
    for number, task in enumerate(_tasks(selection)):
        yield b",\n" if number else b"\n"
        yield json.dumps(task, ensure_ascii=False, default=str).encode()
    yield b"\n]\n"


def _tasks(selection: Selection) -> Iterator[Record]:
    """Sets and marks lie in the order of the summaries, so each is read once."""
    annotators, books, systems, types = (
        _by_id(selection, name) for name in ("annotator", "book", "system", "error_type")
    )
    names = {number: each["key"] for number, each in types.items()}
    own = set(selection.study.summaries.order_by().values_list("pk", flat=True))
    in_study = {selection.numbers["summary"][pk] for pk in own}
    sets: dict[int, list[Record]] = defaultdict(list)
    for each in records_of_kind(selection, BY_NAME["set"]):
        sets[each["summary"]].append(each)
    marks = groupby(records_of_kind(selection, BY_NAME["mark"]), key=lambda mark: int(mark["set"]))
    following = next(marks, None)
    for summary in records_of_kind(selection, BY_NAME["summary"]):
        task = _task(summary, books[summary["book"]], systems[summary["system"]])
        for each in sets[summary["id"]]:
            result: list[Record] = []
            if following and following[0] == each["id"]:
                result = [region for mark in following[1] for region in _regions(mark, names)]
                following = next(marks, None)
            _add(task, each, annotators[each["annotator"]], result)
        if summary["id"] in in_study:
            yield task


def _by_id(selection: Selection, kind: str) -> dict[int, Record]:
    return {int(record["id"]): record for record in records_of_kind(selection, BY_NAME[kind])}


def _task(summary: Record, book: Record, system: Record) -> Record:
    return {
        "id": summary["id"],
        "data": {
            "text": summary["text"],
            "book": book["title"],
            "system": system["name"],
            "text_sha256": summary["text_sha256"],
        },
        "annotations": [],
        "predictions": [],
    }


def _add(task: Record, of_set: Record, annotator: Record, result: list[Record]) -> None:
    """Submitted sets, and skipped ones as Label Studio has them: cancelled. A draft is not done, so it is not there."""
    if of_set["state"] == AnnotationSet.State.DRAFT:
        return
    if annotator["kind"] == Annotator.Kind.JUDGE:
        task["predictions"].append({"id": of_set["id"], "model_version": annotator["pseudonym"], "result": result})
        return
    task["annotations"].append(
        {
            "id": of_set["id"],
            "annotator": annotator["pseudonym"],
            "was_cancelled": of_set["state"] == AnnotationSet.State.SKIPPED,
            "lead_time": of_set["active_seconds"],
            "created_at": of_set["created_at"].isoformat(),
            "result": result,
        }
    )


def _regions(mark: Record, names: dict[int, str]) -> Iterator[Record]:
    """A region for each span with the types as labels, the question at the first, and a relation between two."""
    labels = [names[number] for number in mark["error_types"]] or [NO_TYPE]
    ids = [f"{mark['id']}-{position}" for position in range(len(mark["spans"]))]
    for region, (start, end, quote) in zip(ids, mark["spans"], strict=True):
        place = {"start": start, "end": end}
        yield _result(region, LABEL, "labels", {**place, "text": quote, "labels": labels})
        if region == ids[0] and mark["questions"]:
            yield _result(region, QUESTION, "textarea", {**place, "text": [mark["questions"]]})
    if len(ids) == 2:
        yield {"type": "relation", "from_id": ids[0], "to_id": ids[1], "direction": "right"}


def _result(region: str, from_name: str, kind: str, value: dict[str, Any]) -> Record:
    return {"id": region, "from_name": from_name, "to_name": TEXT, "type": kind, "value": value}
