"""The judge's own prompt: two demonstrations with 42 annotated sentences that keep to the rules they teach."""

import re
from pathlib import Path

import pytest

from annotation.judge.parsing import TYPE_KEYS, State, parse_answer
from annotation.judge.strategy import JudgedSummary, is_demonstration, sentence_prompt
from summarizer.prompts import PromptFiles
from summarizer.sentences import split_sentences

TEXT = (Path(__file__).parents[3] / "summarizer/prompt_sets/default/get_annotations.txt").read_text()
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
    prompts = PromptFiles({"get_annotations.txt": TEXT}, "named")
    for summary in SUMMARIES:
        assert is_demonstration(summary.replace("\n\n", " \n"), prompts)
