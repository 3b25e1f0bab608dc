"""The dataset folder, and the script that computes the figures again from an export alone."""

import io
import json
import subprocess
import sys
from zipfile import ZipFile

import pytest
import yaml
from django.conf import settings
from django.core.management import call_command

from annotation.models import Study
from annotation.services.release import import_release
from scoring.exports.dataset import CONFIGURATIONS
from scoring.report import build_report
from scoring.report.writing import report_json
from tests.scoring.exports.whole_study import SECRETS, SOURCE_WORDS, whole_study
from tests.scoring.release_folder import write_release

pytestmark = pytest.mark.django_db


def recomputed(study, tmp_path):
    """In a Python that sees no packages, and of this project what lies beside the script."""
    path = tmp_path / "study.jsonl"
    call_command("export", study, "--output", str(path), stdout=io.StringIO())
    script = settings.BASE_DIR / "docs" / "recompute.py"
    command = [sys.executable, "-B", "-E", "-s", "-S", str(script), str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path).stdout)


def reported(study):
    return report_json(build_report(Study.objects.get(name=study), with_texts=False))


@pytest.mark.parametrize("absent", ["published", "not-judged"])
def test_the_script_gives_the_figures_of_the_report(tmp_path, absent):
    import_release(folder=write_release(tmp_path / "release"), study_name="small", absent=absent)
    ours, theirs = reported("small"), recomputed("small", tmp_path)
    systems = {each["system"]: each for each in theirs["systems"]}
    compared = 0
    for system in ours["systems"]:
        again = systems[system["system"]]
        for key in ("published", "sentence", "n", "ci95", "ci95_sentence"):
            assert again["human"][key] == pytest.approx(system["human"][key])
        for judge in system["judges"]:
            word = "sentence" if judge["mode"] == "sentence" else "several"
            (found,) = [each for each in again["judges"] if word in each["judge"]]
            assert (found["score"], found["n"]) == (pytest.approx(judge["score"]), judge["n"])
            assert found["ci95"] == pytest.approx(judge["ci95"])
            compared += judge["ci95"] is not None
    assert compared >= 1
    for again, source in zip(theirs["precision"], ours["precision"], strict=True):
        assert again == {key: pytest.approx(source[key]) for key in again if key != "source"} | {
            "source": source["source"]
        }


def test_the_script_by_hand(tmp_path):
    whole_study()
    found = recomputed("whole", tmp_path)
    other, raw, tiny = found["systems"]
    alone = {"n": 1, "ci95": None, "ci95_sentence": None}
    assert (other["human"], raw["human"]["n"]) == ({"published": 1.0, "sentence": 1.0, **alone}, 0)
    # Two marks on four sentences; they touch the first and the second.
    assert tiny["human"] == {"published": 0.5, "sentence": 0.5, **alone}
    # One sentence is unparsed, so there is no score.
    assert tiny["judges"] == [{"judge": "tiny judge", "score": None, "n": 0, "ci95": None}]
    assert [(each["source"], each["agree"], each["partial"], each["disagree"]) for each in found["precision"]] == [
        ("human", 1, 1, 0),
        ("tiny", 0, 0, 1),
    ]


def dataset(tmp_path, *options):
    path = tmp_path / "dataset.zip"
    call_command("export", "whole", "--format", "dataset", "--output", str(path), *options, stdout=io.StringIO())
    with ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_a_dataset_folder_has_a_card_that_names_its_files(tmp_path):
    whole_study()
    files = dataset(tmp_path)
    card = yaml.safe_load(files["README.md"].split("---\n")[1])
    assert card["pretty_name"] == "The whole <study>"
    assert [each["config_name"] for each in card["configs"]] == list(CONFIGURATIONS)
    assert {each["data_files"] for each in card["configs"]} == files.keys() - {"README.md"}
    marks = [json.loads(line) for line in files["data/mark.jsonl"].split("\n")[:-1]]
    assert marks[0]["spans"] == [{"start": 5, "end": 6, "quote": "😀"}]
    assert marks[0]["error_types"] == ["salience", "language"]
    assert all(row.keys() == marks[0].keys() for row in marks)
    [judgement, draft] = [json.loads(line) for line in files["data/judgement.jsonl"].split("\n")[:-1]]
    assert (judgement["supported"], judgement["state"], judgement["position"]) == (True, "submitted", 0)
    assert draft["supported"] is None
    unit = json.loads(files["data/unit.jsonl"].split("\n")[judgement["unit"] - 1])
    assert (unit["id"], unit["summary"]) == (judgement["unit"], judgement["summary"])
    assert all(place.keys() == {"start", "end", "hint_rank"} for place in judgement["evidence"])
    assert judgement["evidence"]
    rating = json.loads(files["data/rating.jsonl"])
    assert {"annotator", "summary", "value", "state"} <= rating.keys()
    assert "- faithfulness" in files["README.md"]
    whole = "".join(files.values())
    assert not any(word in whole for word in (*SECRETS, *SOURCE_WORDS))
    with_source = dataset(tmp_path, "--with-source")
    assert "sails & returns" in with_source["data/book.jsonl"]
    [judgement, _] = [json.loads(line) for line in with_source["data/judgement.jsonl"].split("\n")[:-1]]
    text = json.loads(with_source["data/book.jsonl"].split("\n")[0])["text"]
    assert all(place["quote"] == text[place["start"] : place["end"]] for place in judgement["evidence"])
