"""Loading prompt sets: built in, from a folder in the release's layout, and what is refused."""

from pathlib import Path

import pytest

from summarizer.models import PromptSet
from summarizer.prompts import ANSWER_RULES, ORDERS, REQUIRED, check
from summarizer.services.prompt_sets import FILE_LIMIT, PromptSetError, load_prompt_set, prompt_files
from summarizer.strategies.methods import METHODS

pytestmark = pytest.mark.django_db

RELEASE = {
    "get_summaries_hier/init.txt": "A part:\n{}\nWithin {} words.",
    "get_summaries_hier/merge.txt": "Several:\n{}\nWithin {} words.",
    "get_summaries_hier/merge_context.txt": "Before:\n{}\nSeveral:\n{}\nWithin {} words.",
    "get_annotations_v2.txt": '{summary}\n[{{"sentence": 1}}]\n{sentences}',
}


def folder(root: Path, files: dict[str, str], name: str = "prompts") -> str:
    for path, text in files.items():
        file = root / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    return str(root / name)


def test_the_default_set_is_whole_for_every_strategy() -> None:
    default = load_prompt_set("default")
    assert default.placeholders == "named"
    for method in METHODS.values():
        prompt_files(default).require(method.prompt_files)
    for path in default.files:
        check(default.files[path], set(ORDERS[path]))


def test_a_folder_of_the_release_has_positional_placeholders(tmp_path: Path) -> None:
    prompts = prompt_files(load_prompt_set(folder(tmp_path, RELEASE)))
    assert prompts.placeholders == "positional"
    rendered = prompts.render("get_summaries_hier/merge_context.txt", context="{C}", text="{}", words="9")
    assert rendered == "Before:\n{C}\nSeveral:\n{}\nWithin 9 words."
    judge = prompts.render("get_annotations_v2.txt", summary="S", sentences="{{A}}")
    assert judge == 'S\n[{"sentence": 1}]\n{{A}}'


def test_the_release_s_incremental_and_artifact_prompts_are_filled_in_their_order(tmp_path: Path) -> None:
    files = {
        "get_summaries_inc/init.txt": "Begin:\n{}\n{} words.\nSummary ({} words):",
        "get_summaries_inc/intermediate.txt": "Part:\n{}\nSo far:\n{}\n{} words.\nUpdated ({} words):",
        "get_summaries_inc/compress.txt": "Long:\n{}\nIt has {} words, want {}.\nCondensed ({} words):",
        "remove_artifacts.txt": "Clean:\n{}",
    }
    prompts = prompt_files(load_prompt_set(folder(tmp_path, files)))
    prompts.require(METHODS["incremental"].prompt_files)
    assert prompts.render("get_summaries_inc/init.txt", text="{T}", words="9") == (
        "Begin:\n{T}\n9 words.\nSummary (9 words):"
    )
    assert prompts.render("get_summaries_inc/intermediate.txt", text="T", summary="{}", words="9") == (
        "Part:\nT\nSo far:\n{}\n9 words.\nUpdated (9 words):"
    )
    assert prompts.render("get_summaries_inc/compress.txt", summary="S", summary_words="20", words="9") == (
        "Long:\nS\nIt has 20 words, want 9.\nCondensed (9 words):"
    )
    assert prompts.render("remove_artifacts.txt", summary="S") == "Clean:\nS"


def test_the_simple_set_is_for_hierarchical_merging_and_mends_answers() -> None:
    simple = prompt_files(load_prompt_set("simple"))
    assert simple.answer_rules == ANSWER_RULES
    simple.require(METHODS["hierarchical"].prompt_files)
    default = prompt_files(load_prompt_set("default"))
    assert default.answer_rules == ()
    assert all(len(simple.files[path]) < len(default.files[path]) for path in METHODS["hierarchical"].prompt_files)


def test_a_folder_with_names_has_named_placeholders(tmp_path: Path) -> None:
    files = {"get_summaries_hier/init.txt": 'Return {"a": 1}. Text: {text}'}
    prompts = prompt_files(load_prompt_set(folder(tmp_path, files)))
    assert prompts.placeholders == "named"
    assert prompts.render("get_summaries_hier/init.txt", text="T", words="9") == 'Return {"a": 1}. Text: T'


def test_the_same_content_is_the_same_row_and_another_is_a_new_one(tmp_path: Path) -> None:
    first = load_prompt_set(folder(tmp_path, RELEASE))
    assert load_prompt_set(folder(tmp_path, RELEASE, "copy")) == first
    changed = load_prompt_set(folder(tmp_path, {**RELEASE, "get_summaries_hier/init.txt": "{} in {} words"}))
    assert changed != first
    assert changed.name == first.name == "prompts"
    assert PromptSet.objects.count() == 2


def test_a_stored_set_is_found_by_its_name_newest_first(tmp_path: Path) -> None:
    load_prompt_set(folder(tmp_path, RELEASE))
    newest = load_prompt_set(folder(tmp_path, {"get_summaries_hier/init.txt": "{} in {} words"}, "other/prompts"))
    assert load_prompt_set("prompts") in (newest, *PromptSet.objects.filter(name="prompts"))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"get_summaries_hier/init.txt": "Summarize."},
            r"init\.txt can't be used: the placeholder \{text\} is missing",
        ),
        ({"get_summaries_hier/init.txt": "{} {} {}"}, r"init\.txt can't be used: it has more \{\} placeholders"),
        (
            {"get_summaries_hier/merge_context.txt": "{}"},
            r"merge_context\.txt can't be used: it has too few \{\} placeholders: \{text\}",
        ),
        ({"get_summaries_hier/init.txt": "{text}" + " " * FILE_LIMIT}, r"init\.txt is larger than 256 kB"),
        ({"get_summaries_hier/init.txt": "{text}\0"}, r"init\.txt holds a NUL character"),
        ({"answers.txt": "be nice"}, r"answers\.txt can't be used: it says 'be nice'\. Known rules"),
        ({"something.txt": "{text}"}, r"holds no prompt file\. Known names: get_annotations\.txt"),
    ],
)
def test_what_cannot_be_used_is_refused_and_not_stored(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(PromptSetError, match=message):
        load_prompt_set(folder(tmp_path, files))
    assert not PromptSet.objects.exists()


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "get_annotations.txt"
    file.write_bytes("{summary} {sentence} é".encode("latin-1"))
    with pytest.raises(PromptSetError, match="is not UTF-8 text"):
        load_prompt_set(str(tmp_path))


@pytest.mark.parametrize("name", ["", "nothing-there", "..", "../prompt_sets", "/nowhere/at/all"])
def test_an_unknown_name_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PromptSetError):
        load_prompt_set(name)


def test_every_file_has_an_order_for_what_it_needs() -> None:
    for path, required in REQUIRED.items():
        assert set(required) <= set(ORDERS[path])
