"""Filling templates: failure case 18, and both ways of writing placeholders."""

import pytest

from summarizer.prompts import ORDERS, PromptError, PromptFiles, check, render

#: Braces, percent signs and what looks like placeholders, as a hostile book may hold them.
HOSTILE = "{text} {words} {} {0} {{x}} %s <|endoftext|> {text!r} } {"


def test_text_arrives_byte_for_byte_and_json_survives() -> None:
    template = 'Return {"a": 1}. Text: {text}'
    assert render(template, {"text": HOSTILE}, "named", ()) == 'Return {"a": 1}. Text: ' + HOSTILE


def test_text_that_was_put_in_is_not_scanned_for_the_other_placeholders() -> None:
    assert render("{text}|{words}", {"text": "{words}", "words": "{text}"}, "named", ()) == "{words}|{text}"
    assert render("{}|{}", {"text": "{}", "words": "7"}, "positional", ("text", "words")) == "{}|7"


def test_unknown_names_stay_as_they_are() -> None:
    assert render("{text} {other} {Text} { text }", {"text": "T"}, "named", ()) == "T {other} {Text} { text }"


def test_positional_placeholders_are_filled_in_order_and_fewer_take_the_first() -> None:
    values = {"context": "C", "text": "T", "words": "9"}
    order = ORDERS["get_summaries_hier/merge_context.txt"]
    assert render("{} {} {}", values, "positional", order) == "C T 9"
    assert render("{} {}", values, "positional", order) == "C T"


def test_a_name_may_come_twice_in_the_order() -> None:
    order = ORDERS["get_summaries_inc/intermediate.txt"]
    assert render("{} {} {} {}", {"text": "T", "summary": "S", "words": "9"}, "positional", order) == "T S 9 9"


def test_more_positional_placeholders_than_values_are_refused() -> None:
    with pytest.raises(PromptError, match=r"more {} placeholders than can be filled: at most 2"):
        render("{} {} {}", {"text": "T", "words": "9"}, "positional", ("text", "words"))


def test_doubled_braces_of_the_release_stand_for_single_ones() -> None:
    template = '{summary}\n[{{"sentence": 1}}]\n{sentences}'
    values = {"summary": "S", "sentences": "{{A}}"}
    assert render(template, values, "positional", ("summary", "sentences")) == 'S\n[{"sentence": 1}]\n{{A}}'


@pytest.mark.parametrize(
    ("template", "placeholders", "message"),
    [
        ("Summarize.", "named", r"the placeholder \{text\} is missing"),
        ("Summarize {Text}.", "named", r"the placeholder \{text\} is missing"),
        ("Summarize.", "positional", r"too few \{\} placeholders: \{text\} is not put in anywhere"),
        ("Summarize {{}}.", "positional", r"too few \{\} placeholders"),
    ],
)
def test_a_template_without_its_placeholder_is_refused(template: str, placeholders, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        check(template, ["text"], placeholders, ("text", "words"))


def test_a_template_with_its_placeholders_passes() -> None:
    check("{text} {words}", ["text"])
    check("{}", ["text"], "positional", ("text", "words"))
    check("{text}", ["text"], "positional", ("text", "words"))


def test_a_set_names_every_missing_file() -> None:
    with pytest.raises(PromptError, match=r"It lacks b\.txt, c\.txt\."):
        PromptFiles({"a.txt": ""}, "named").require(["a.txt", "b.txt", "c.txt"])
