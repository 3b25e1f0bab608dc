"""A small release in the layout of the public one, with invented texts: every form of file that it has.

Scores worked out by hand, sentences by position:

| system, judge | book | judgement | score |
|---|---|---|---|
| alpha-inc, gpt-4 sentence | a | sentences 0, 1, 2 of 4 (0 and 2 are copies) | 0.25 |
| | b | null | 1 (nothing found) |
| | c | sentence 0 of 2, after trimming | 0.5 |
| | d | missing | 1, or not judged |
| | the-ferryman | a demonstration of the prompt, listed with sentence 0 of 2 | 0.5, or not judged |
| beta_hier, gpt-4 sentence | a | sentences 0 and 2 of 3, one list entry each; one entry fits none | 1/3 |
| gamma-inc, gpt-4 batch | a | sentence 1 of 2, with a type and no question | 0.5 |
| | b | sentence 2 of 3, sentence 1 clean, 0 is a copy of 2 without a judgement | 0.5 |
| | c | sentence 0 of 2 clean, 1 not listed | none; 0.5 to 1 |
"""

import json
from pathlib import Path
from typing import Any

ALPHA = {
    "a.epub": "Emma leaves. Rolf stays. Emma leaves. Snow falls.",
    "b.epub": "Mia sings. Ice holds.",
    "c.epub": "Zoe waits. Boats rot.",
    "d.epub": "Rain came. They ran.",
    "the-ferryman.epub": "A boat sinks. Nobody drowns.",
}
#: Known only from the export of preferences.
ALPHA_HIER = {"a.epub": "Emma left the town.", "b.epub": "Mia sang on the ice."}

BETA = "Rain came. Snow fell. Rain came."
GAMMA = {
    "a.epub": ["It began.", "One fell. Two rose."],
    "b.epub": ["Mia sings. Ice holds. Mia sings."],
    "c.epub": ["Zoe waits. Boats rot."],
}

HUMAN = "annotations/human_annotations"


def write_release(folder: Path, files: dict[str, Any] | None = None) -> Path:
    for name, content in (files or release_contents()).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return folder


def release_contents() -> dict[str, Any]:
    """{path: content} of every file."""
    unknown = {f"{HUMAN}/extra/other.json": []}
    return _summaries() | _judgements() | _marks() | _reviews() | _preferences() | unknown


def _summaries() -> dict[str, Any]:
    return {
        "summaries/alpha-inc-cleaned.json": ALPHA,
        "summaries/beta_hier.json": {
            "a.epub": {
                "summaries_dict": {"0": ["Rain came in May.", "Snow fell in June."], "1": [BETA]},
                "final_summary": BETA,
            }
        },
        "summaries/gamma-inc.json": GAMMA,
    }


def _judgements() -> dict[str, Any]:
    return {
        # The release writes the same name once with "-", once with "_", with and without "cleaned".
        "annotations/alpha_inc.json": {
            "a.epub": {
                "Rolf stays.": {"questions": "Who is Rolf?", "types": ["entity omission"]},
                "Emma leaves.": {"questions": "Why is this repeated?", "types": ["duplication", "oddity"]},
            },
            "b.epub": None,
            "c.epub": {"Zoe waits. ": {"questions": "For whom?", "types": ["entity omission"]}},
            "the-ferryman.epub": {"A boat sinks.": {"questions": "Where?", "types": ["entity omission"]}},
        },
        "annotations/beta_hier_cleaned.json": {
            "a.epub": [
                {"span": "Rain came.", "questions": "Where?", "types": ["entity omission"]},
                {"span": "Rain came.", "questions": "Again?", "types": ["duplication"]},
                {"span": "It hailed.", "questions": "When?", "types": ["event omission"]},
            ]
        },
        "annotations/v2/gamma-inc-cleaned.json": {
            "a.epub": {"One fell.": _listed(1), "Two rose.": _listed(2, types="language, salience")},
            "b.epub": {"Mia sings.": _listed(3, "Again?", "duplication"), "Ice holds.": _listed(2)},
            "c.epub": {"Zoe waits.": _listed(1)},
        },
    }


def _marks() -> dict[str, Any]:
    return {
        f"{HUMAN}/summary-alpha-inc.json": {
            "a.epub": {
                "summary": ALPHA["a.epub"],
                "singles": [
                    {"id": "1", "span": "Rolf", "questions": "Who is this?", "labels": ["entity omission"]},
                    {"id": "2", "span": "Emma leaves.", "questions": "Why?", "labels": ["causal omission"]},
                    {"id": "3", "span": "Emma", "questions": "Who is she?", "labels": ["entity omission"]},
                ],
                "relations": [_relation("Snow falls", "Rolf stays", "Does he stay because of the snow?")],
            },
            "b.epub": {"summary": ALPHA["b.epub"], "singles": [], "relations": []},
            "c.epub": {
                "summary": ALPHA["c.epub"],
                "singles": [],
                "relations": [_relation("Boats", "Boats", "Why twice?")],
            },
        },
    }


def _reviews() -> dict[str, Any]:
    return {
        f"{HUMAN}/annotations-alpha-inc.json": {
            "a.epub": {
                "summary": ALPHA["a.epub"],
                "annotations": [
                    _decision("human", {"span": "Rolf", "questions": "Who is this?"}, "Agree"),
                    _decision(
                        "human",
                        {"span": "Rolf", "questions": "Who was this?"},
                        "Partially agree",
                        ["B. Answered in the summary"],
                    ),
                    _decision("model", {"span": "Rolf stays.", "questions": "Who is Rolf?"}, "Don't agree"),
                    _decision("model", {"span": "Snow falls.", "questions": "Where?"}, "Agree"),
                ],
            }
        },
    }


def _preferences() -> dict[str, Any]:
    return {
        f"{HUMAN}/qualitative_comparison/pilot/annotator1.json": [
            _compared("a.epub", ALPHA["a.epub"], ALPHA_HIER["a.epub"], {"preference": "Summary 2"}),
        ],
        f"{HUMAN}/qualitative_comparison/pilot/annotator1-counts.json": _counts(inc=0, hier=1, contradiction=0),
        f"{HUMAN}/qualitative_comparison/formal/annotator1.json": [
            _compared(
                "b.epub",
                ALPHA_HIER["b.epub"],
                ALPHA["b.epub"],
                {
                    "detail": "Summary 2",
                    "structure": "Draw",
                    "logic": "Summary 1",
                    "preference": "Summary 2",
                    "contradiction": "No",
                    "omission_summary_1": "Yes",
                    "omission_summary_2": "No",
                },
            )
        ],
        f"{HUMAN}/qualitative_comparison/formal/annotator2-counts.json": _counts(inc=2, hier=1, contradiction=1),
    }


def _listed(number: int, questions: str | None = None, types: str | None = None) -> dict[str, Any]:
    return {"sentence_num": number, "questions": questions, "types": types}


def _relation(first: str, second: str, questions: str) -> dict[str, Any]:
    return {
        "id_a": "x",
        "id_b": "y",
        "span_a": first,
        "span_b": second,
        "shared_questions": questions,
        "same": True,
        "shared_labels": ["discontinuity"],
    }


def _decision(source: str, mark: dict[str, str], agreement: str, reasons: list[str] | None = None) -> dict[str, Any]:
    return {"source": source, "anno": mark, "agreement": agreement, "reasons": reasons, "explanation": None}


def _compared(book: str, first: str, second: str, choices: dict[str, str]) -> dict[str, Any]:
    results = [
        {"type": "choices", "from_name": name, "value": {"choices": [choice]}} for name, choice in choices.items()
    ]
    results.append({"type": "textarea", "from_name": "preference_comments", "value": {"text": ["It reads better."]}})
    return {
        "data": {"book": book, "summary_1": first, "summary_2": second},
        "annotations": [{"was_cancelled": False, "result": results}],
    }


def _counts(*, inc: int, hier: int, contradiction: int) -> dict[str, Any]:
    choice = {"inc": inc, "hier": hier, "draw": 0}
    return {
        "Detail": choice,
        "Structure": choice,
        "Logic": choice,
        "Contradiction": contradiction,
        "Inc Omission": inc,
        "Hier Omission": hier,
        "Preference": choice,
    }
