"""The CSV tables: RFC 4180, readable in spreadsheets, and never run by them."""

import csv
import io
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from scoring.exports.kinds import KINDS
from scoring.exports.tables import safe_cell
from tests.scoring.exports.whole_study import SECRETS, SOURCE_WORDS, whole_study


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＠x"])
def test_what_a_spreadsheet_would_run_has_an_apostrophe(text):
    assert safe_cell(text) == "'" + text


@pytest.mark.parametrize("value", ["a=1", "'=1", "", " =1", -1, 0.5, None])
def test_everything_else_stays(value):
    assert safe_cell(value) == value


def tables(tmp_path, *options):
    path = tmp_path / "tables.zip"
    call_command("export", "whole", "--format", "csv", "--output", str(path), *options, stdout=io.StringIO())
    with ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def rows(data):
    text = data.decode("utf-8-sig")
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.django_db
def test_a_table_for_each_kind_with_names_beside_the_marks(tmp_path):
    whole_study()
    files = tables(tmp_path, "--with-source")
    assert files.keys() == {f"{kind.name}.csv" for kind in KINDS} | {"sentence.csv", "README.txt"}
    marks = rows(files["mark.csv"])
    assert sorted((row["annotator"], row["start"], row["end"], row["quote"], row["second_quote"]) for row in marks) == [
        ("P-AAA222", "0", "4", "Emma", "Rolf"),
        ("P-AAA222", "5", "6", "😀", ""),
        ("tiny judge", "0", "12", "Emma 😀 left.", ""),
    ]
    of_person = [row for row in marks if row["annotator"] == "P-AAA222"]
    assert [row["questions"] for row in of_person] == ["'=HYPERLINK(1)"] * 2
    assert {row["error_types"] for row in of_person} == {"salience; language"}
    assert {(row["book"], row["system"]) for row in marks} == {("The Mill", "tiny-2048-hier")}
    assert "'=other" in [row["name"] for row in rows(files["system.csv"])]
    assert rows(files["answer.csv"])[0]["comment"] == "'\tbecause"
    sentences = rows(files["sentence.csv"])
    assert [row["text"] for row in sentences if row["summary"] == "3"][:2] == ["Emma 😀 left.", "Rolf “stayed”."]


@pytest.mark.django_db
def test_line_ends_are_crlf_and_those_inside_a_cell_stay(tmp_path):
    study = whole_study()
    study.guidelines = 'Read "all"\nof it'
    study.save()
    data = tables(tmp_path)["study.csv"].decode("utf-8-sig")
    assert data.endswith("\r\n")
    assert '"Read ""all""\nof it"' in data


@pytest.mark.django_db
def test_what_must_stay_stays_in_tables_too(tmp_path):
    whole_study()
    without = b"".join(tables(tmp_path).values()).decode()
    for word in (*SECRETS, *SOURCE_WORDS):
        assert word not in without
    assert "node.csv" not in tables(tmp_path)


@pytest.mark.django_db
def test_label_studio_takes_no_source(tmp_path):
    whole_study()
    with pytest.raises(CommandError, match="Label Studio has no place for the books' texts"):
        call_command("export", "whole", "--format", "label-studio", "--with-source", "--output", str(tmp_path / "x"))
