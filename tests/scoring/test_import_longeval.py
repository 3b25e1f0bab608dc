"""Articles and summaries of the LongEval release."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.faithfulness.plans import create_plan
from annotation.models import Study
from scoring.imports import ImportRefused
from scoring.imports.longeval import clean_summary, first_words, import_longeval
from summarizer.models import Book, Summary

pytestmark = pytest.mark.django_db

ARTICLES = [
    {"article": "Emma lived in a mill .\nRolf came by .", "section_names": "One\nTwo", "human": " Emma met Rolf . \n "},
    {"article": "Mia sails the sea .", "human": "Mia sails .", "longt5": "<pad> mia sails.<n> she returns.</s>"},
]


def lines(articles):
    return "\n".join(map(json.dumps, articles)).encode()


def bring_in(articles, study="pubmed"):
    return import_longeval(data=lines(articles), filename="articles.jsonl", study_name=study)


def test_long_white_space_and_many_leftovers_take_no_time():
    """Text that a file brings must not keep a server busy: the time grows with the length alone."""
    assert clean_summary(f"a{' ' * 500_000}b") == (f"a{' ' * 500_000}b", "")
    assert clean_summary("a" + "<n> " * 100_000)[0] == "a"


@pytest.mark.parametrize(
    ("text", "clean", "note"),
    [
        (" Emma left . ", "Emma left .", ""),
        ("<s> one</s>", "one", "Taken off its ends: <s>, </s>."),
        ("one</s><pad> <pad>", "one", "Taken off its ends: </s><pad><pad>."),
        (
            "one.<n> two.<n>three<n><n>",
            "one.\n two.\nthree",
            "Taken off its ends: <n><n>; 2 <n> inside became line breaks.",
        ),
        ("a < b <s> c", "a < b <s> c", ""),
        ("<pad>", "", "Taken off its ends: <pad>."),
        ("x" + "<n>" * 40, "x", "Taken off its ends: <n><n><n><n><n><n><n… (120 characters)."),
    ],
)
def test_what_models_leave_at_the_ends_is_taken_off_and_said(text, clean, note):
    assert clean_summary(text) == (clean, note)


def test_articles_become_books_and_every_other_key_a_system():
    result = bring_in(ARTICLES)
    assert (result["books"], result["systems"], result["notes"]) == (2, ["human", "longt5"], 1)
    study = Study.objects.get(name="pubmed")
    found = {(each.book.text, each.system.name): each.text for each in study.summaries.select_related("book", "system")}
    assert found == {
        (ARTICLES[0]["article"], "human"): "Emma met Rolf .",
        (ARTICLES[1]["article"], "human"): "Mia sails .",
        (ARTICLES[1]["article"], "longt5"): "mia sails.\n she returns.",
    }
    assert [book.title for book in Book.objects.order_by("pk")] == [
        "Emma lived in a mill . Rolf came by .",
        "Mia sails the sea .",
    ]
    assert study.import_notes == [
        {
            "where": "articles.jsonl, line 2, longt5",
            "what": "Taken off its ends: <pad>, </s>; 1 <n> inside became a line break.",
        }
    ]
    again = bring_in(ARTICLES)
    assert (again["books"], [each["new"] for each in again["summaries"]]) == (0, [False] * 3)
    assert Study.objects.get(name="pubmed").import_notes == study.import_notes


def test_titles_are_the_first_whole_words():
    assert first_words("one  two\nthree") == "one two three"
    title = first_words("word " * 40)
    assert title == " ".join(["word"] * 16) + " …"


@pytest.mark.parametrize(
    ("articles", "words"),
    [
        ([], "holds no articles"),
        ([{"human": "x"}], "Line 1: article is missing"),
        ([{"article": "x y", "section_names": ""}], "Line 1: it has no summary"),
        ([ARTICLES[0], {"article": "x y", "human": 3}], "Line 2: human is missing"),
        ([{"article": "x y", "human": "<pad>"}], "Line 1: the summary by human is empty"),
        ([ARTICLES[0], {**ARTICLES[0], "human": "other"}], "Line 2: there is another summary of"),
    ],
)
def test_a_file_is_taken_whole_or_not_at_all(articles, words):
    with pytest.raises(ImportRefused, match=words):
        bring_in(articles)
    assert not Summary.objects.exists()
    assert not Book.objects.exists()
    assert not Study.objects.exists()


def test_a_study_that_has_begun_takes_no_more():
    bring_in(ARTICLES)
    Study.objects.update(phase="annotating")
    with pytest.raises(ImportRefused, match="only while a study is being set up"):
        bring_in([{"article": "Another one .", "human": "another ."}])


def test_the_release_is_brought_in_by_the_command_and_cut(shared_data):
    path = shared_data / "longeval" / "pubmed_beam_3.jsonl"
    output = StringIO()
    call_command("import_longeval", str(path), "--study", "pubmed", stdout=output)
    result = json.loads(output.getvalue())
    assert (result["books"], result["systems"]) == (10, ["bigbird_pegasus", "human", "longt5"])
    assert len(result["summaries"]) == 30
    texts = Summary.objects.values_list("text", flat=True)
    assert not any(mark in text for text in texts for mark in ("<s>", "</s>", "<pad>", "<n>"))
    plan = create_plan(study=Study.objects.get())
    assert plan.units.filter(same_as=None).exists()
    with pytest.raises(CommandError, match="can't be read"):
        call_command("import_longeval", str(path.with_name("none.jsonl")), "--study", "pubmed")


@pytest.mark.parametrize("article", [{"article": "Mia\ud800 sails."}, {"article": "Mia sails.", "a\0": "Mia."}])
def test_characters_that_no_text_can_hold_are_refused_in_words(article):
    with pytest.raises(ImportRefused, match="half of a pair"):
        bring_in([{"human": "Mia sails.", **article}])
    assert not Book.objects.exists()
