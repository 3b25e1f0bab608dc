"""Compute the main figures of a study again from its JSONL export, with Python's standard library alone.

    python docs/recompute.py study.jsonl

Prints one JSON document: for each system the scores of people (published rule, and by sentence) and of each judge; for
each source the precision of its marks; and, where a study asked how faithful its summaries are, scores of systems, the
spread between people and their agreement on units. They equal those of `manage.py report STUDY`, which says their
rules.
"""

import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Records = dict[str, dict[int, Record]]


def read(path: Path) -> Records:
    """Records by kind and id. Lines end with LF alone: texts may hold other line separators."""
    records: Records = defaultdict(dict)
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            record = json.loads(line)
            if record["record"] not in ("header", "end"):
                records[record["record"]][record["id"]] = record
    return records


def mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def touched(spans: list[list[Any]], sentences: list[list[int]]) -> set[int]:
    """Positions of the sentences that share a character with a span."""
    return {
        position
        for start, end, _ in spans
        for position, (sentence_start, sentence_end) in enumerate(sentences)
        if sentence_start < end and start < sentence_end
    }


def submitted_sets(records: Records, kind: str) -> list[Record]:
    annotators = records["annotator"]
    own = set(next(iter(records["study"].values()))["summaries"])
    return [
        each
        for each in records["set"].values()
        if each["state"] == "submitted" and each["summary"] in own and annotators[each["annotator"]]["kind"] == kind
    ]


def human_scores(records: Records) -> dict[int, dict[str, float]]:
    """By summary: the mean over its people of 1 - marks / sentences, and of 1 - touched sentences / sentences."""
    marks: dict[int, list[Record]] = defaultdict(list)
    for mark in records["mark"].values():
        if mark["spans"]:
            marks[mark["set"]].append(mark)
    published, by_sentence = defaultdict(list), defaultdict(list)
    for each in submitted_sets(records, "person"):
        sentences = records["summary"][each["summary"]]["sentences"]
        if sentences:
            own = marks[each["id"]]
            hit = {position for mark in own for position in touched(mark["spans"], sentences)}
            published[each["summary"]].append(1 - len(own) / len(sentences))
            by_sentence[each["summary"]].append(1 - len(hit) / len(sentences))
    return {
        summary: {"published": sum(scores) / len(scores), "sentence": mean(by_sentence[summary]) or 0.0}
        for summary, scores in published.items()
    }


def judge_scores(records: Records) -> dict[int, dict[int, float | None]]:
    """By judge and summary: the share of clean sentences; None while a sentence is unparsed, which is never clean.

    A sentence without a verdict is unparsed, except of an imported judge: there it is left out (a repeated sentence
    that the file lists once).
    """
    states: dict[int, dict[int, str]] = defaultdict(dict)
    for verdict in records["verdict"].values():
        states[verdict["set"]][verdict["sentence"]] = verdict["state"]
    scores: dict[int, dict[int, float | None]] = defaultdict(dict)
    judges = set(next(iter(records["study"].values()))["judges"])
    for each in submitted_sets(records, "judge"):
        if each["annotator"] not in judges:
            continue
        own = list(states[each["id"]].values())
        missing = len(records["summary"][each["summary"]]["sentences"]) - len(own)
        imported = records["annotator"][each["annotator"]]["endpoint"] is None
        if not own and imported:
            continue
        unparsed = own.count("unparsed") + (0 if imported else missing)
        score = None if unparsed or not own else own.count("clean") / len(own)
        scores[each["annotator"]][each["summary"]] = score
    return scores


def precision(records: Records) -> list[Record]:
    """By source, people first and judges by model: (agree + partial) / decided, and agree / decided.

    Decided are marks by reviewers who submitted the task.
    """
    unfinished = {
        (task["annotator"], task["summary"])
        for task in records["task"].values()
        if task["task"] == "review" and task["state"] != "submitted"
    }
    counts: dict[str, dict[str, int]] = defaultdict(lambda: {"agree": 0, "partial": 0, "disagree": 0})
    for decision in records["decision"].values():
        mark = records["mark"][records["review_item"][decision["item"]]["mark"]]
        of_set = records["set"][mark["set"]]
        annotator = records["annotator"][of_set["annotator"]]
        if (decision["reviewer"], of_set["summary"]) not in unfinished:
            source = "human" if annotator["kind"] == "person" else annotator["model"] or annotator["pseudonym"]
            counts[source][decision["agreement"]] += 1
    return [
        {
            "source": source,
            **count,
            "n": (n := sum(count.values())),
            "precision": (count["agree"] + count["partial"]) / n,
            "strict": count["agree"] / n,
        }
        for source, count in sorted(counts.items(), key=lambda each: (each[0] != "human", each[0]))
    ]


def systems(records: Records) -> list[Record]:
    """Scores of a system: plain means over its scored summaries."""
    human, judges = human_scores(records), judge_scores(records)
    found = []
    for number, system in sorted(records["system"].items(), key=lambda each: str(each[1]["name"])):
        own = {pk for pk, summary in records["summary"].items() if summary["system"] == number}
        of_people = [scores for summary, scores in human.items() if summary in own]
        found.append(
            {
                "system": system["name"],
                "human": {
                    "published": mean([scores["published"] for scores in of_people]),
                    "sentence": mean([scores["sentence"] for scores in of_people]),
                    "n": len(of_people),
                },
                "judges": [
                    {"judge": records["annotator"][judge]["pseudonym"], "score": mean(scored), "n": len(scored)}
                    for judge, scores in sorted(judges.items())
                    if own & scores.keys()
                    for scored in [[each for summary, each in scores.items() if summary in own and each is not None]]
                ],
            }
        )
    return found


#: Lowest and highest value of the scales of ratings.
SCALES = {"0-5": (0, 5), "1-5": (1, 5), "0-100": (0, 100)}


def answers_about_units(records: Records) -> list[tuple[int, int, int, bool]]:
    """(task, unit, places of the unit in its summary, supported) of every judgement in a submitted task.

    A repeated unit is judged once and counts at every place where it stands.
    """
    units, tasks = records["unit"], records["task"]
    first = {(unit["summary"], unit["index"]): pk for pk, unit in units.items() if unit["same_as"] is None}
    places = dict.fromkeys(first.values(), 1)
    for unit in units.values():
        if unit["same_as"] is not None:
            places[first[unit["summary"], unit["same_as"]]] += 1
    found = []
    for judgement in records["judgement"].values():
        sampled = records["sampled_unit"][judgement["sampled_unit"]]
        if judgement["supported"] is not None and tasks[sampled["task"]]["state"] == "submitted":
            found.append((sampled["task"], sampled["unit"], places[sampled["unit"]], judgement["supported"]))
    return found


def faithfulness_scores(records: Records) -> dict[str, dict[int, list[float]]]:
    """ "fine" and "coarse" -> summary -> one score a person, 0 to 100."""
    tasks, judged = records["task"], defaultdict(list)
    for task, _, places, supported in answers_about_units(records):
        judged[task] += [supported] * places
    fine, coarse = defaultdict(list), defaultdict(list)
    for task, answers in judged.items():
        fine[tasks[task]["summary"]].append(100 * sum(answers) / len(answers))
    for rating in records["rating"].values():
        if rating["value"] is not None and tasks[rating["task"]]["state"] == "submitted":
            lowest, highest = SCALES[next(iter(records["plan"].values()))["scale"]]
            score = 100 * (rating["value"] - lowest) / (highest - lowest)
            coarse[tasks[rating["task"]]["summary"]].append(score)
    return {"fine": fine, "coarse": coarse}


def agreement_on_units(records: Records) -> Record:
    """Fleiss' and Randolph's kappa, and the share of unanimous units, over units that two people judged."""
    of_unit: dict[int, list[bool]] = defaultdict(list)
    for _, unit, _, supported in answers_about_units(records):
        of_unit[unit].append(supported)
    shared = [answers for answers in of_unit.values() if len(answers) > 1]
    if not shared:
        return {"units": 0, "unanimous": None, "fleiss": None, "randolph": None}
    pairs = [
        sum(same * (same - 1) for same in (sum(answers), len(answers) - sum(answers)))
        / (len(answers) * (len(answers) - 1))
        for answers in shared
    ]
    observed = sum(pairs) / len(shared)
    supported = sum(map(sum, shared)) / sum(map(len, shared))
    by_chance = supported**2 + (1 - supported) ** 2
    return {
        "units": len(shared),
        "unanimous": sum(len(set(answers)) == 1 for answers in shared) / len(shared),
        "fleiss": None if supported in (0, 1) else (observed - by_chance) / (1 - by_chance),
        "randolph": 2 * observed - 1,
    }


def faithfulness(records: Records) -> Record | None:
    """None where the study has no plan for it. Systems: means over summaries of the mean over their people."""
    if not records["plan"]:
        return None
    scores = faithfulness_scores(records)
    spreads = {
        way: [(statistics.pstdev(own), max(own) - min(own)) for own in of_way.values() if len(own) > 1]
        for way, of_way in scores.items()
    }
    summaries = set(next(iter(records["study"].values()))["summaries"])
    found = []
    for number, system in sorted(records["system"].items(), key=lambda each: str(each[1]["name"])):
        own = {pk for pk in summaries if records["summary"][pk]["system"] == number}
        if own:
            of_ways = {way: [sum(each) / len(each) for pk, each in scores[way].items() if pk in own] for way in scores}
            ways = {way: {"score": mean(values), "n": len(values)} for way, values in of_ways.items()}
            found.append({"system": system["name"], **ways})
    return {
        "systems": found,
        "spread": {
            way: {
                "summaries": len(each),
                "deviation": mean([deviation for deviation, _ in each]),
                "range": mean([extent for _, extent in each]),
            }
            for way, each in spreads.items()
        },
        "agreement": agreement_on_units(records),
    }


def figures(path: Path) -> Record:
    records = read(path)
    splitters = {summary["splitter"] for summary in records["summary"].values()}
    if len(splitters) > 1:
        print(f"Split by {', '.join(sorted(splitters))}: never average these together.", file=sys.stderr)
    return {
        "systems": systems(records),
        "precision": precision(records),
        "faithfulness": faithfulness(records),
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(json.dumps(figures(Path(sys.argv[1])), ensure_ascii=False, indent=2, allow_nan=False))
