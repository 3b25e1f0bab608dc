"""The judge's own prompt: two demonstrations with 42 annotated sentences that keep to the rules they teach."""

import re
from pathlib import Path

import pytest

from annotation.judge.batch_parsing import parse_batch
from annotation.judge.batch_strategy import batch_prompt
from annotation.judge.parsing import TYPE_KEYS, State, parse_answer
from annotation.judge.strategy import JudgedSummary, JudgeSettings, is_demonstration, sentence_prompt
from summarizer.prompts import PromptFiles
from summarizer.sentences import split_sentences

DEFAULT = Path(__file__).parents[3] / "summarizer/prompt_sets/default"
TEXT = (DEFAULT / "get_annotations.txt").read_text()
BATCH_TEXT = (DEFAULT / "get_annotations_v2.txt").read_text()
SUMMARIES = [text.strip() for text in re.findall(r"<summary>\n(.*?)\n</summary>", TEXT, re.DOTALL)][:2]
ANNOTATIONS = re.findall(r"<sentence>\n(.*?)\n</sentence>\n(Questions: .*\nTypes: .*)\n", TEXT)


def annotations_of(summary):
    return [sentence for sentence, _ in ANNOTATIONS if sentence in summary]


def test_two_demonstrations_with_42_annotations():
    assert len(SUMMARIES) == 2
    assert len(ANNOTATIONS) == 42


def test_every_sentence_of_the_demonstrations_is_annotated_once_in_order():
    for summary in SUMMARIES:
        sentences = [summary[start:end].strip() for start, end in split_sentences(summary)]
        assert annotations_of(summary) == sentences
    assert sum(len(annotations_of(summary)) for summary in SUMMARIES) == 42


def test_every_annotation_can_be_parsed_and_all_types_occur_in_both():
    answers = {sentence: parse_answer(answer) for sentence, answer in ANNOTATIONS}
    assert {answer.state for answer in answers.values()} == {State.CLEAN, State.CONFUSED}
    for summary in SUMMARIES:
        types = {key for sentence in annotations_of(summary) for key in answers[sentence].types}
        assert types == set(TYPE_KEYS)


def test_most_demonstrated_sentences_are_clean():
    clean = [sentence for sentence, answer in ANNOTATIONS if parse_answer(answer).state is State.CLEAN]
    assert len(clean) == 27


@pytest.mark.parametrize("key", TYPE_KEYS)
def test_every_type_is_defined(key):
    assert re.search(rf"^- {key}: \w.{{40,}}", TEXT, re.MULTILINE)


def test_what_changes_stands_at_the_end():
    """Servers cache the beginning of a prompt: only the sentence differs between the calls about one summary."""
    summary = JudgedSummary("Emma left. Rolf stayed.", ((0, 10), (11, 23)))
    prompts = PromptFiles({"get_annotations.txt": TEXT}, "named")
    first, second = (sentence_prompt(summary, prompts, index) for index in (0, 1))
    start = first.rindex("Emma left.")
    assert first[:start] == second[:start]
    assert len(first) - start < 100


def test_the_demonstrations_are_recognised():
    prompts = PromptFiles({"get_annotations.txt": TEXT, "get_annotations_v2.txt": BATCH_TEXT}, "named")
    for summary in SUMMARIES:
        for batch_size in (None, 10):
            assert is_demonstration(summary.replace("\n\n", " \n"), JudgeSettings(prompts, 0.0, 100, batch_size))


def test_the_prompt_about_several_sentences_demonstrates_the_same_judgements_as_json():
    """What it shows of both summaries is in order, can be read, and holds all types."""
    shown = BATCH_TEXT.split("--- Your task")[0]
    single = dict(ANNOTATIONS)
    types = set()
    for part in shown.split(": some sentences from it ---")[1:]:
        sentences = re.findall(r'<sentence number="\d+">\n(.*?)\n</sentence>', part)
        assert [int(number) for number in re.findall(r'<sentence number="(\d+)">', part)] == [
            *range(1, len(sentences) + 1)
        ]
        answers = parse_batch(part.split("the right answer ---")[1].split("--- Demonstration")[0], sentences)
        assert answers == [parse_answer(single[sentence]) for sentence in sentences]
        types |= {key for answer in answers for key in answer.types}
    assert types == set(TYPE_KEYS)
    assert TEXT.split("Types of confusion:")[1].split("Answer with")[0] in BATCH_TEXT


def test_what_changes_stands_at_the_end_of_the_prompt_about_several_too():
    summary = JudgedSummary("Emma left. Rolf stayed.", ((0, 10), (11, 23)))
    settings = JudgeSettings(PromptFiles({"get_annotations_v2.txt": BATCH_TEXT}, "named"), 0.0, 100, 1)
    first, second = (batch_prompt(summary, settings, (index,)) for index in (0, 1))
    start = first.rindex("Emma left.")
    assert first[:start] == second[:start]
    assert len(first) - start < 100
