"""A judge's answers about several sentences in every dress. Replies of failure case 38, and more of the same kinds."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.judge.batch_parsing import ANSWER_FORMAT, parse_batch
from annotation.judge.parsing import TYPE_KEYS, ParsedAnswer, State

RECORDED = [
    json.loads(line) for line in (Path(__file__).parent / "batch_answers.jsonl").read_text().split("\n") if line.strip()
]
THREE = ["Emma leaves.", "Rolf stays.", "Snow falls."]
CLEAN, CONFUSED, UNPARSED = State.CLEAN, State.CONFUSED, State.UNPARSED

ONE = '{"sentence_num": 1, "questions": null, "types": null}'
TWO = '{"sentence_num": 2, "questions": "Who is Rolf?", "types": "entity omission"}'
THIRD = '{"sentence_num": 3, "questions": null, "types": null}'
LIST = f"[{ONE}, {TWO}, {THIRD}]"


def states(reply, sentences=THREE, finish_reason="stop"):
    return [answer.state for answer in parse_batch(reply, sentences, finish_reason)]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["id"])
def test_recorded_reply(case):
    answers = parse_batch(case["raw"], case["sentences"], case["finish_reason"])
    found = {str(n): [a.state, list(a.types)] for n, a in enumerate(answers, 1) if a.state is not UNPARSED}
    assert found == case["verdicts"]
    assert [n for n, answer in enumerate(answers, 1) if answer.state is UNPARSED] == case["ask_again"]
    assert all(answer.problem for answer in answers if answer.state is UNPARSED)


DRESSES = [
    f"Sentence [2] confuses.\n{LIST}",
    f"The list [1, 2, 3] follows:\n{LIST}\nHope [that] helps {{you}}.",
    f"[{ONE}, {TWO}, {THIRD},]",
    f'{{"results": [{ONE}, {TWO}, {THIRD},],}}',
    f"{ONE}\n{TWO}\n{THIRD}",
    f"[{THIRD}, {ONE}, {TWO}]",
    f"```json\n{LIST}\n```",
    f"<think>[{ONE}, {ONE.replace('1', '2')}]</think>{LIST}",
    f'{{"answer": {{"judgements": [{ONE}, {TWO}, {THIRD}]}}, "count": 3}}',
    f'{{"id": 1, "results": {LIST}}}',
    '{"1": {"questions": null, "types": null}, "2": {"questions": "Who is Rolf?", "types": ["entity omission"]}, '
    '"sentence 3": {"questions": "", "types": []}}',
    LIST.replace("sentence_num", "Sentence Number"),
    LIST.replace('"sentence_num": 2', '"sentence": "2"').replace('"types"', '"Types"'),
    LIST.replace('"sentence_num": 2', '"number": "Sentence 2."'),
    LIST.replace('"entity omission"', '["Entity omission"]'),
    LIST.replace('"sentence_num": 2', '"sentence_num": 2, "sentence": "Rolf stays."'),
    LIST.replace('"Who is Rolf?"', '["Who is Rolf?"]'),
    f"[{ONE}, {TWO}, {THIRD}, {TWO}]",
    f"[{ONE}, {TWO}, {THIRD}, {TWO.replace('2', '7')}]",
]


@pytest.mark.parametrize("reply", DRESSES)
def test_every_dress_of_one_answer(reply):
    answers = parse_batch(reply, THREE)
    assert [answer.state for answer in answers] == [CLEAN, CONFUSED, CLEAN], [answer.problem for answer in answers]
    assert (answers[1].questions, answers[1].types) == ("Who is Rolf?", ("entity omission",))


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ('{"sentence_num": 2}', "no questions"),
        ('{"sentence_num": 2, "questions": null}', "no types"),
        ('{"sentence_num": 2, "types": null}', "no questions"),
        ('{"sentence_num": 2, "questions": "Who is Rolf?", "types": null}', "contradicts itself"),
        ('{"sentence_num": 2, "questions": null, "types": "salience"}', "contradicts itself"),
        ('{"sentence_num": 2, "questions": "Who?", "types": ["plot hole"]}', "does not exist: plot hole"),
        ('{"sentence_num": 2, "sentence": "Emma leaves.", "questions": null, "types": null}', "another sentence"),
        ('{"sentence_num": true, "questions": null, "types": null}', "does not speak of"),
        ('{"questions": null, "types": null}', "does not speak of"),
        ('{"sentence_num": 2.5, "questions": null, "types": null}', "does not speak of"),
        ('{"sentence_num": 2, "questions": "Who is "Rolf"?", "types": "salience"}', "does not speak of"),
    ],
)
def test_what_is_not_said_is_not_guessed(entry, problem):
    answers = parse_batch(f"[{ONE}, {entry}, {THIRD}]", THREE)
    assert [answer.state for answer in answers] == [CLEAN, UNPARSED, CLEAN]
    assert problem in answers[1].problem


def test_answers_that_count_from_zero_mean_nobody_knows_what():
    shifted = LIST.replace('"sentence_num": 1', '"sentence_num": 0').replace('"sentence_num": 2', '"sentence_num": 1')
    assert states(shifted) == [UNPARSED] * 3


@pytest.mark.parametrize("reply", [None, "", "banana", "[]", "{}", "null", "[" * 50_000, "<think>" + LIST, "1. clean"])
def test_what_holds_no_entry_is_unparsed(reply):
    assert states(reply) == [UNPARSED] * 3


def test_of_a_cut_answer_the_whole_entries_count():
    cut = f'{{"results": [{ONE}, {TWO}, {{"sentence_num": 3, "quest'
    answers = parse_batch(cut, THREE, "length")
    assert [answer.state for answer in answers] == [CLEAN, CONFUSED, UNPARSED]
    assert "cut off" in answers[2].problem


QUESTIONS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1).filter(
    lambda text: (
        any(map(str.isalpha, text))
        and "confusion" not in text.lower()
        and text.strip("*_`\"'“”‘’[]().!- \n")
        and not {"none", "null", "n/a", "nil"} & {text.strip("*_`\"'“”‘’[]().!- \t\r\n").lower()}
    )
)
VERDICTS = st.lists(
    st.none() | st.tuples(QUESTIONS, st.lists(st.sampled_from(TYPE_KEYS), min_size=1, unique=True)), min_size=1
)


@given(VERDICTS, st.randoms(), st.booleans(), st.sampled_from([None, 1]), st.text("abc {}[]`\n", max_size=20))
def test_what_is_written_down_comes_back(verdicts, chance, wrapped, indent, prose):
    """In any order of entries, indented or not, with prose around it that may hold brackets."""
    entries = [
        {"sentence_num": n, "questions": verdict and verdict[0], "types": verdict and verdict[1]}
        for n, verdict in enumerate(verdicts, 1)
    ]
    chance.shuffle(entries)
    written = json.dumps({"results": entries} if wrapped else entries, indent=indent, ensure_ascii=False)
    answers = parse_batch(f"{prose}\n{written}", ["A."] * len(verdicts))
    assert answers == [
        ParsedAnswer(CONFUSED, verdict[0].strip(), tuple(verdict[1])) if verdict else ParsedAnswer(CLEAN)
        for verdict in verdicts
    ]


def test_the_form_that_servers_are_asked_for_can_be_read_and_names_all_types():
    item = ANSWER_FORMAT["json_schema"]["schema"]["properties"]["results"]["items"]
    assert item["properties"]["types"]["items"]["enum"] == list(TYPE_KEYS)
    assert set(item["required"]) == set(item["properties"]) == {"sentence_num", "questions", "types"}
