"""Compute the main figures of a study again from its JSONL export, with Python's standard library alone.

    python docs/recompute.py study.jsonl

Prints one JSON document: for each system the scores of people (published rule, and by sentence) and of each judge; for
each source the precision of its marks; and, where a study asked how faithful its summaries are, scores of systems, the
spread between people and their agreement on units; all with their 95 % intervals. They equal those of `manage.py report
STUDY`, which says their rules.
"""

import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from resampling import RESAMPLES, Drawing, Sums, of_mean, over_books, percentiles, share, summed

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


def study_of(records: Records) -> Record:
    return next(iter(records["study"].values()))


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
    own = set(study_of(records)["summaries"])
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
    judges = set(study_of(records)["judges"])
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
    of_books: dict[str, list[tuple[int, Sums]]] = defaultdict(list)
    for decision in records["decision"].values():
        mark = records["mark"][records["review_item"][decision["item"]]["mark"]]
        of_set = records["set"][mark["set"]]
        annotator = records["annotator"][of_set["annotator"]]
        if (decision["reviewer"], of_set["summary"]) not in unfinished:
            source = "human" if annotator["kind"] == "person" else annotator["model"] or annotator["pseudonym"]
            counts[source][decision["agreement"]] += 1
            upheld = decision["agreement"] != "disagree"
            of_books[source].append((records["summary"][of_set["summary"]]["book"], (upheld, 1)))
    return [
        {
            "source": source,
            **count,
            "n": (n := sum(count.values())),
            "precision": (count["agree"] + count["partial"]) / n,
            "strict": count["agree"] / n,
            "ci95": over_books(summed(of_books[source]), share(0, 1), study_of(records)["seed"]),
        }
        for source, count in sorted(counts.items(), key=lambda each: (each[0] != "human", each[0]))
    ]


def systems(records: Records) -> list[Record]:
    """Scores of a system: plain means over its scored summaries, of which each is of another book."""
    human, judges = human_scores(records), judge_scores(records)
    seed, found = study_of(records)["seed"], []
    for number, system in by_name(records):
        own = in_order(records, [pk for pk, summary in records["summary"].items() if summary["system"] == number])
        published, by_sentence = (
            [human[summary][rule] for summary in own if summary in human] for rule in ("published", "sentence")
        )
        found.append(
            {
                "system": system["name"],
                "human": {
                    "published": mean(published),
                    "sentence": mean(by_sentence),
                    "n": len(published),
                    "ci95": of_mean(published, seed),
                    "ci95_sentence": of_mean(by_sentence, seed),
                },
                "judges": [
                    {"judge": records["annotator"][judge]["pseudonym"], **judge_score(scores, own, seed)}
                    for judge, scores in sorted(judges.items())
                    if scores.keys() & own
                ],
            }
        )
    return found


def judge_score(scores: dict[int, float | None], own: list[int], seed: int) -> Record:
    scored = [score for summary in own if (score := scores.get(summary)) is not None]
    return {"score": mean(scored), "n": len(scored), "ci95": of_mean(scored, seed)}


def by_name(records: Records) -> list[tuple[int, Record]]:
    return sorted(records["system"].items(), key=lambda each: str(each[1]["name"]))


def in_order(records: Records, summaries: Iterable[int]) -> list[int]:
    """By name of the system, then by book: things are drawn in this order, and numbers of books say theirs."""
    rows = ((records["summary"][pk], pk) for pk in summaries)
    ordered = sorted((str(records["system"][row["system"]]["name"]), row["book"], pk) for row, pk in rows)
    return [pk for *_, pk in ordered]


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
    """ "fine" and "coarse" -> summary of the study, in order -> one score a person, 0 to 100, by their numbers."""
    tasks, judged = records["task"], defaultdict(list)
    for task, _, places, supported in answers_about_units(records):
        judged[task] += [supported] * places
    fine = {task: 100 * sum(answers) / len(answers) for task, answers in judged.items()}
    coarse = {}
    for rating in records["rating"].values():
        if rating["value"] is not None and tasks[rating["task"]]["state"] == "submitted":
            lowest, highest = SCALES[next(iter(records["plan"].values()))["scale"]]
            coarse[rating["task"]] = 100 * (rating["value"] - lowest) / (highest - lowest)
    found: dict[str, dict[int, list[float]]] = {}
    for way, scores in (("fine", fine), ("coarse", coarse)):
        of_summaries = defaultdict(list)
        for task in sorted(scores, key=lambda task: (tasks[task]["annotator"], task)):
            of_summaries[tasks[task]["summary"]].append(scores[task])
        own = study_of(records)["summaries"]
        found[way] = {pk: of_summaries[pk] for pk in in_order(records, own) if pk in of_summaries}
    return found


def means_in_resamples(scores: dict[int, list[float]], seed: int) -> dict[int, list[float]]:
    """Of each summary its mean in each resample of its people."""
    drawing, found = Drawing(seed), {}
    for summary, own in scores.items():
        drawn = [drawing.below(len(own), len(own)) for _ in range(RESAMPLES)]
        found[summary] = [sum(own[person] for person in people) / len(own) for people in drawn]
    return found


def system_scores(
    scores: dict[int, list[float]], resampled: dict[int, list[float]], own: set[int], seed: int
) -> Record:
    """Of the `own` summaries of a system, with intervals over people and over books."""
    of_people = [each for pk, each in scores.items() if pk in own]
    values = [sum(each) / len(each) for each in of_people]
    drawn = zip(*(each for pk, each in resampled.items() if pk in own), strict=True)
    several = any(len(each) > 1 for each in of_people)
    return {
        "score": mean(values),
        "n": len(values),
        "ci95": percentiles(sum(each) / len(each) for each in drawn) if several else None,
        "ci95_over_books": of_mean(values, seed),
    }


def unanimous(sums: Sums) -> float | None:
    return sums[2] / sums[0]


def fleiss(sums: Sums) -> float | None:
    """None where all answers are the same. Columns as in `agreement_on_units`."""
    units, agreeing, _, judgements, supported = sums
    by_chance = (supported / judgements) ** 2 + (1 - supported / judgements) ** 2
    return None if supported in (0, judgements) else (agreeing / units - by_chance) / (1 - by_chance)


def randolph(sums: Sums) -> float | None:
    return 2 * sums[1] / sums[0] - 1


def agreement_on_units(records: Records) -> Record:
    """Fleiss' and Randolph's kappa, and the share of unanimous units, over units that two people judged."""
    of_unit: dict[int, list[bool]] = defaultdict(list)
    for _, unit, _, supported in answers_about_units(records):
        of_unit[unit].append(supported)
    rows: list[tuple[int, Sums]] = []
    for unit, answers in of_unit.items():
        if (n := len(answers)) > 1:
            agreeing = sum(same * (same - 1) for same in (sum(answers), n - sum(answers))) / (n * (n - 1))
            book = records["summary"][records["unit"][unit]["summary"]]["book"]
            rows.append((book, (1, agreeing, len(set(answers)) == 1, n, sum(answers))))
    books, seed = summed(rows), study_of(records)["seed"]
    figures = {"unanimous": unanimous, "fleiss": fleiss, "randolph": randolph}
    if not rows:
        return {"units": 0, **{name: {"value": None, "ci95": None} for name in figures}}
    sums = [sum(column) for column in zip(*books, strict=True)]
    found: Record = {"units": len(rows)}
    for name, figure in figures.items():
        value = figure(sums)
        found[name] = {"value": value, "ci95": None if value is None else over_books(books, figure, seed)}
    return found


def spread_of(records: Records, scores: dict[int, list[float]]) -> Record:
    """Mean over summaries that two people scored of the deviation (population) and the range of their scores."""
    rows: list[tuple[int, Sums]] = [
        (records["summary"][pk]["book"], (statistics.pstdev(own), max(own) - min(own), 1))
        for pk, own in scores.items()
        if len(own) > 1
    ]
    found: Record = {"summaries": len(rows)}
    for column, name in enumerate(("deviation", "range")):
        interval = over_books(summed(rows), share(column, 2), study_of(records)["seed"])
        found[name] = {"value": mean([columns[column] for _, columns in rows]), "ci95": interval}
    return found


def faithfulness(records: Records) -> Record | None:
    """None where the study has no plan for it. Systems: means over summaries of the mean over their people."""
    if not records["plan"]:
        return None
    scores, seed = faithfulness_scores(records), study_of(records)["seed"]
    resampled = {way: means_in_resamples(of_way, seed) for way, of_way in scores.items()}
    summaries = set(study_of(records)["summaries"])
    found = []
    for number, system in by_name(records):
        own = {pk for pk in summaries if records["summary"][pk]["system"] == number}
        if own:
            ways = {way: system_scores(of_way, resampled[way], own, seed) for way, of_way in scores.items()}
            found.append({"system": system["name"], **ways})
    return {
        "systems": found,
        "spread": {way: spread_of(records, of_way) for way, of_way in scores.items()},
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
