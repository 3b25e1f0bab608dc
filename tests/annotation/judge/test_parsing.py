"""The judge's answers in every dress. Replies of failure case 37 and 43, and more of the same kinds."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.error_types import ERROR_TYPES
from annotation.judge.parsing import TYPE_KEYS, State, parse_answer

PROMPT = Path(__file__).parents[3] / "summarizer/prompt_sets/default/get_annotations.txt"
RECORDED = [
    json.loads(line) for line in (Path(__file__).parent / "answers.jsonl").read_text().split("\n") if line.strip()
]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["id"])
def test_recorded_reply(case):
    answer = parse_answer(case["raw"], case["finish_reason"])
    assert answer.state == case["status"]
    if answer.state is State.UNPARSED:
        assert answer.problem
        assert answer.types == ()
    else:
        assert list(answer.types) == case["labels"]
        assert answer.questions == case["questions"]


CLEAN = [
    "**Questions:** no confusion\n**Types:** no confusion",
    "**Questions**: No confusion.\n**Types**: No confusion.",
    "QUESTIONS: NO CONFUSION\nTYPES: NO CONFUSION",
    "```\nQuestions: no confusion\nTypes: no confusion\n```",
    "- Questions: no confusion\n- Types: no confusion",
    'Questions: "no confusion"\nTypes: "no confusion"',
    "Questions: no confusion",
    "Questions：no confusion\nTypes：no confusion",
    "Questions:\nno confusion\n\nTypes:\nno confusion",
    "Questions: no confusion Types: no confusion",
    "<think>Questions: Who is Emma?\nTypes: salience? No.</think>\nQuestions: no confusion\nTypes: no confusion",
    '{"Questions": "no confusion", "Types": "no confusion"}',
    "Questions: None\nTypes: None",
    "The sentence is clear.\n\nQuestions: no confusion\nTypes: no confusion\n\nI hope that helps.",
    "<answer>\nQuestions: no confusion\nTypes: no confusion\n</answer>",
    "Who is Emma?</think>Questions: no confusion\nTypes: no confusion",
    "**No confusion**",
    '"no confusion"',
]


@pytest.mark.parametrize("reply", CLEAN)
def test_clean(reply):
    assert parse_answer(reply).state is State.CLEAN


CONFUSED = [
    ("**Questions:** Who is Emma?\n**Types:** entity omission", "Who is Emma?", ["entity omission"]),
    ("Questions: Who?\nTypes: Entity Omission; Salience", "Who?", ["entity omission", "salience"]),
    ("Questions: Who?\nTypes: entity_omission / event-omission", "Who?", ["entity omission", "event omission"]),
    ("Questions: Who?\nTypes: salience and duplication", "Who?", ["salience", "duplication"]),
    ("Questions: Who?\nTypes: salience, salience", "Who?", ["salience"]),
    ("Questions: Who?\nTypes: [entity omission, language]", "Who?", ["entity omission", "language"]),
    ("Questions: Who?\nTypes:\n- entity omission\n- language", "Who?", ["entity omission", "language"]),
    ("Questions: Who?\nTypes:\n1. entity omission\n2. language", "Who?", ["entity omission", "language"]),
    ("Questions: Who?\nTypes: `language`", "Who?", ["language"]),
    ("Questions: Who?\nTypes: language (the word order)", "Who?", ["language"]),
    (
        "Questions:\n1. Who is Emma?\n2. Why does she go?\nTypes: entity omission, causal omission",
        "Who is Emma? Why does she go?",
        ["entity omission", "causal omission"],
    ),
    ("Questions: Who is Emma?\nQuestions: Why now?\nTypes: salience", "Who is Emma? Why now?", ["salience"]),
    ("Question 1: Who?\nQuestion 2: Why?\nTypes: salience", "Who? Why?", ["salience"]),
    ("Questions: Who is Emma? Types: entity omission", "Who is Emma?", ["entity omission"]),
    (
        "Questions: Who?\nTypes: entity omission\n\nExplanation: the name, a place and a date come from nowhere.",
        "Who?",
        ["entity omission"],
    ),
    (
        "Questions: Why is there no confusion among the guards?\nTypes: causal omission",
        "Why is there no confusion among the guards?",
        ["causal omission"],
    ),
    (
        "Questions: No confusion in the camp? Why?\nTypes: causal omission",
        "No confusion in the camp? Why?",
        ["causal omission"],
    ),
    ("Types: salience\nQuestions: Why the hat?\n\nTell me if you need more.", "Why the hat?", ["salience"]),
    ('{"questions": ["Who?", "Why?"], "types": ["salience"]}', "Who? Why?", ["salience"]),
    (
        "Questions: What is the (second) gate (the old one)\nTypes: entity omission",
        "What is the (second) gate (the old one)",
        ["entity omission"],
    ),
    ("Questions: Who?\u2028Where?\nTypes: entity omission", "Who?\u2028Where?", ["entity omission"]),
]


@pytest.mark.parametrize(("reply", "questions", "types"), CONFUSED)
def test_confused(reply, questions, types):
    answer = parse_answer(reply)
    assert answer.state is State.CONFUSED, answer.problem
    assert answer.questions == questions
    assert list(answer.types) == types


UNPARSED = [
    "",
    "   \n",
    "Questions:\nTypes:",
    "Questions: Who is Emma?",
    "Types: entity omission",
    "Questions: no confusion\nTypes: entity omission",
    "Questions: Who?\nTypes: entity omission, no confusion",
    "Questions: Who?\nTypes: omission",
    "There would be no confusion if Emma had been introduced.",
    "Questions: Is there no confusion?\nTypes: no confusion",
    "Questions: no confusion\nTypes: no confusion\nQuestions: Who?\nTypes: salience",
    "Questions: no confusion\nTypes: no confusion\n\nQuestions: no confusion\nTypes: no confusion",
    "<think>Questions: no confusion\nTypes: no confusion",
    "banana",
    "null and void",
    "<!doctype html><title>502 Bad Gateway</title>",
]


@pytest.mark.parametrize("reply", UNPARSED)
def test_unparsed_is_never_clean(reply):
    answer = parse_answer(reply)
    assert answer.state is State.UNPARSED
    assert answer.problem


def test_an_echo_of_the_prompt_is_unparsed():
    assert parse_answer(PROMPT.read_text()).state is State.UNPARSED


def test_a_cut_off_clean_answer_is_unparsed():
    assert parse_answer("Questions: no confusion\nTypes: no confusion", "length").state is State.UNPARSED


def test_the_parser_knows_the_types_of_the_database():
    assert [each.key for each in ERROR_TYPES] == list(TYPE_KEYS)


@given(st.text(max_size=300))
def test_any_text_gets_a_verdict(reply):
    answer = parse_answer(reply)
    assert (answer.state is State.CONFUSED) == bool(answer.types) == bool(answer.questions)


@given(
    st.lists(st.sampled_from(TYPE_KEYS), min_size=1, unique=True),
    st.sampled_from([", ", ",", "; ", " / ", "\n- "]),
    st.sampled_from(["{}", "**{}**", "- {}", "> {}"]),
)
def test_types_come_back_in_any_dress(types, separator, line):
    named = separator + separator.join(types) if "\n" in separator else separator.join(types)
    reply = (
        line.format("Questions: Who goes there?")
        + "\n"
        + (line if "\n" not in separator else "{}").format(f"Types: {named}")
    )
    answer = parse_answer(reply)
    assert answer.questions == "Who goes there?"
    assert list(answer.types) == types
