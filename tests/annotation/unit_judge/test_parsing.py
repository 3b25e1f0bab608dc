"""A judge's answers about a unit in every dress."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.unit_judge.parsing import State, parse_unit_answer, reads_like_an_answer
from annotation.unit_judge.strategy import REMINDER

PROMPT = (Path(__file__).parents[3] / "summarizer/prompt_sets/default/judge_unit.txt").read_text()

SUPPORTED = [
    '{"supported": true}',
    ' {"supported": true} \n',
    '{"supported": "yes"}',
    '{"supported": "True"}',
    '{"Supported": true}',
    '{"verdict": "supported"}',
    '{"is supported": true}',
    '{"supported": true, "reason": "He says so. It is not told twice."}',
    '{"answer": {"supported": true}}',
    '[{"supported": true}]',
    '```json\n{"supported": true}\n```',
    'Here is my answer:\n{"supported": true}\nI hope that helps.',
    '{"supported": true,}',
    "{'supported': True}",
    '{"supported": true',
    '{"reason": "She said "no" to him", "supported": true}',
    '<think>Not supported? {"supported": false} No.</think>{"supported": true}',
    'It is told in passage 2.</think>\n{"supported": true}',
    '<answer>{"supported": true}</answer>',
    "<answer>yes</answer>",
    "Supported: yes",
    "**Supported:** Yes",
    "**Supported**: true",
    "- Supported: yes.",
    "1. Verdict: supported",
    "Verdict - supported",
    "Verdict:\nSupported",
    "Final answer: supported",
    "The answer: yes",
    "Is the unit supported? Yes.",
    "SUPPORTED",
    "Yes.",
    "“yes”",
    "True",
    "\\boxed{Yes}",
    "Yes, passage 3 tells it.",
    "Yes, because he says it himself.",
    "Supported by passages 1 and 3.",
    "The unit is supported by the book.",
    "He leaves at dawn in passage 1.\n\nThe unit is fully supported.",
    "Passage 2 tells that she sang.\n\n**Supported**",
    "Supported：yes",
]
UNSUPPORTED = [
    '{"supported": false}',
    '{"supported": "no"}',
    '{"supported": "not supported"}',
    '{"verdict": "unsupported"}',
    '```\n{"supported": false}\n```\n',
    "{'supported': False}",
    "Supported: no",
    "Supported: No. The name is another.",
    "**Verdict:** Not supported",
    "Verdict: unsupported (no passage says so)",
    "Judgement: it is not supported by the passages",
    "Not supported.",
    "UNSUPPORTED",
    "No.",
    "No, the passages say that he stayed.",
    "No - it was Rolf, but the summary says Emma.",
    "The unit is not fully supported.",
    "The passages do not name her.\n\nNot supported",
    "Answer: **false**",
]
UNPARSED = [
    "",
    "   \n",
    "banana",
    "{}",
    '{"supported": null}',
    '{"supported": 1}',
    '{"supported": ...}',
    '{"supported": "partly"}',
    '{"supported": "yes", "verdict": "no", "note": {"supported": false}} {"supported": false}',
    '{"supported": true}\n{"supported": false}',
    "Supported: yes\nSupported: no",
    "Supported: yes or no",
    "Supported: true/false",
    "Supported: partially",
    "Partially supported.",
    "Yes, but only in part.",
    "Yes. However, the name is another.",
    "Yes, although he doesn't say when.",
    "No, wait: it is supported.",
    "Yes, it is told.\n\nNot supported.",
    "It depends.",
    "The unit is supported if a passage says it.",
    "<think>It is supported",
    "I cannot answer that.",
    "Contradicted",
    "Nobody knows.",
    "Notably, yes.",
]


@pytest.mark.parametrize("reply", SUPPORTED)
def test_supported(reply):
    assert parse_unit_answer(reply).state is State.SUPPORTED


@pytest.mark.parametrize("reply", UNSUPPORTED)
def test_unsupported(reply):
    assert parse_unit_answer(reply).state is State.UNSUPPORTED


@pytest.mark.parametrize("reply", UNPARSED)
def test_what_says_neither_or_both_is_not_guessed_at(reply):
    answer = parse_unit_answer(reply)
    assert answer.state is State.UNPARSED
    assert answer.problem


def test_what_was_cut_off_or_is_not_there_is_unparsed():
    assert parse_unit_answer('{"supported": true}', "length").problem == "The answer was cut off at its token limit."
    assert parse_unit_answer(None, "content_filter").problem == "The answer has no text (content_filter)."


def test_problems_never_quote_the_reply():
    """A reply may quote the book, and problems leave with exports that must not hold it."""
    for reply in UNPARSED:
        words = reply.strip()
        assert len(words) < 8 or words not in parse_unit_answer(reply).problem


def test_no_part_of_the_prompt_is_an_answer():
    paragraphs = (PROMPT + REMINDER).split("\n\n")
    lines = (PROMPT + REMINDER).split("\n")
    for part in [PROMPT, PROMPT + REMINDER, REMINDER, *paragraphs, *lines]:
        assert parse_unit_answer(part).state is State.UNPARSED, part


@pytest.mark.parametrize(
    ("text", "reads_so"),
    [
        ("She sang.", False),
        ("Yes.", False),
        ("“Verdict: guilty,” he said.", True),
        ('{"supported": true}', True),
        ("They were supported by a beam.", False),
    ],
)
def test_what_reads_like_an_answer(text, reads_so):
    assert reads_like_an_answer(text) is reads_so


@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(reply):
    assert parse_unit_answer(reply).state in State
