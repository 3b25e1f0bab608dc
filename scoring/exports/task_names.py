"""Whose task it was, told beside what was answered in it: for files that have no tasks."""

from collections.abc import Iterator

from scoring.exports.records import Record

#: Kinds that stand before what was answered, and only say where it belongs.
TASK_KINDS = ("task", "sample", "sampled_unit")


class Tasks:
    """The tasks of a study, by number, with the hints of those about units; and the sampled units."""

    def __init__(self) -> None:
        self._tasks: dict[int, Record] = {}
        self._sampled: dict[int, Record] = {}

    def take(self, kind: str, records: Iterator[Record]) -> None:
        """Remember these records of one of `TASK_KINDS`, in the order of the stream."""
        for record in records:
            if kind == "task":
                kept = {key: record[key] for key in ("annotator", "summary", "state")}
                self._tasks[record["id"]] = kept
            elif kind == "sample":
                self._tasks[record["task"]]["hints_shown"] = record["hints_shown"]
            else:
                task = self._tasks[record["task"]]
                self._sampled[record["id"]] = {"unit": record["unit"], "position": record["position"], **task}

    def named(self, record: Record) -> Record:
        """A judgement or a rating with its annotator, summary and the state of its task; others as they are."""
        if record["record"] == "judgement":
            return _in_place_of("sampled_unit", record, self._sampled[record["sampled_unit"]]) | {
                "evidence": _with_quotes(record),
            }
        if record["record"] == "rating":
            return _in_place_of("task", record, self._tasks[record["task"]])
        return record


def _in_place_of(key: str, record: Record, facts: Record) -> Record:
    return {"record": record["record"], "id": record["id"], **facts} | {
        name: value for name, value in record.items() if name not in (key, "evidence_quotes")
    }


def _with_quotes(record: Record) -> list[list[object]]:
    """(start, end, hint_rank), and the quote where the books' texts leave."""
    places, quotes = record["evidence"], record.get("evidence_quotes")
    if quotes is None:
        return [[*place] for place in places]
    return [[*place, quote] for place, quote in zip(places, quotes, strict=True)]
