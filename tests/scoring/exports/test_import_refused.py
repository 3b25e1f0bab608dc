"""Files that are cut off, changed or wrong are refused with one line, and nothing of them stays."""

import hashlib
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Annotator, Study
from booookweb.models import User
from summarizer.models import Book, System
from tests.factories import make_annotator, make_user
from tests.scoring.exports.whole_study import empty_database, whole_study

pytestmark = pytest.mark.django_db


_made: list[list[bytes]] = []


@pytest.fixture
def lines(tmp_path):
    """The lines of an export, of which nothing is stored; made once a run."""
    if not _made:
        whole_study()
        path = tmp_path / "whole.jsonl"
        call_command("export", "whole", "--output", str(path), "--with-source", stdout=StringIO())
        empty_database()
        _made.append(path.read_bytes().split(b"\n")[:-1])
    return list(_made[0])


@pytest.fixture
def refusal(tmp_path):
    def refusal(data, study="whole"):
        path = tmp_path / "changed.jsonl"
        path.write_bytes(data)
        with pytest.raises(CommandError) as error:
            call_command("import_export", str(path), "--study", study, stdout=StringIO())
        assert "\n" not in str(error.value)
        assert not Study.objects.filter(name=study).exists() or study == "here"
        return str(error.value)

    return refusal


def closed(lines):
    """The lines with an end that fits them."""
    body = b"".join(line + b"\n" for line in lines)
    end = {"record": "end", "lines": len(lines), "sha256": hashlib.sha256(body).hexdigest()}
    return body + json.dumps(end).encode() + b"\n"


def changed(lines, kind, change, at=0):
    """The export with one record changed, and the line that it stands in."""
    places = [number for number, line in enumerate(lines) if json.loads(line)["record"] == kind]
    place = places[at]
    record = json.loads(lines[place])
    change(record)
    return closed([*lines[:place], json.dumps(record).encode(), *lines[place + 1 : -1]]), place + 1


def test_a_file_that_is_cut_off_anywhere(lines, refusal):
    whole = b"\n".join(lines) + b"\n"
    assert "cut off after line" in refusal(whole[:-1])
    assert "cut off after line" in refusal(b"\n".join(lines[:-1]) + b"\n")
    assert "cut off after line" in refusal(whole[: len(whole) // 2])
    assert "Line 1 is no JSON object" in refusal(whole[:20])
    assert "Line 1 is no JSON object" in refusal(b"")
    assert Book.objects.count() == 0


def test_a_file_in_which_a_byte_was_changed(lines, refusal):
    whole = b"\n".join(lines) + b"\n"
    assert "SHA-256 in its last line does not match" in refusal(whole.replace(b"Who is Emma", b"Who is Anna"))


def test_a_file_of_another_kind_or_version(lines, refusal):
    assert "Line 1 is no header" in refusal(b'{"title": "a"}\n{"record": "end"}\n')
    data, _ = changed(lines, "header", lambda record: record.update(version=2))
    assert "version 2 of the format" in refusal(data)


def test_counts_that_do_not_fit(lines, refusal):
    data, _ = changed(lines, "header", lambda record: record["counts"].update(verdict=3))
    assert refusal(data) == "The file has 4 records of the kind verdict, and its header says 3."


def _move(record):
    record["spans"][0][0] -= 1


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("mark", _move, "the quote of the span [4, 6) is not what stands there."),
        ("mark", lambda record: record["spans"].append([70, 80, "x"]), "lies outside its summary"),
        ("mark", lambda record: record.update(spans="all"), "spans must be a list of lists with 3 entries."),
        ("mark", lambda record: record.update(set=99), "there is no set 99 before it."),
        ("mark", lambda record: record.update(error_types=[77]), "there is no error type 77 before it."),
        ("mark", lambda record: record.pop("flags"), "a mark has other fields than these: flags"),
        ("mark", lambda record: record.update(created_at="soon"), "created_at:"),
        ("mark", lambda record: record.update(id=9), "this should be the mark with the id 1"),
        ("summary", lambda record: record.update(text="Emma."), "its text is not what its SHA-256 says."),
        ("summary", lambda record: record["sentences"][0].reverse(), "no stretches of its text in order."),
        ("verdict", lambda record: record.update(state="clean"), "a verdict has a mark if it is “confused”"),
        ("verdict", lambda record: record.update(sentence=9), "its summary has no such sentence."),
        ("verdict", lambda record: record.update(sentence=[0]), "its summary has no such sentence."),
        ("unit", lambda record: record.update(same_as="first"), "no such unit of its summary before it"),
        ("job", lambda record: record.update(key="mine"), "client_key: “mine” is not a valid UUID."),
        ("verdict", lambda record: record.update(state="fine"), "state: Value 'fine' is not a valid choice."),
        ("study", lambda record: record.update(judges=[1]), "one of its judges is a person."),
        ("decision", lambda record: record.update(comment="a\0b"), "a text holds the character NUL"),
        ("decision", lambda record: record.update(comment="a\ud800b"), "the character of half a surrogate pair"),
        ("prompt_set", lambda record: record["files"].update({"\udfff": ""}), "the character of half a surrogate pair"),
        ("item", lambda record: record.update(state="queued"), "its work has not ended."),
        ("item", lambda record: record.update(state="running"), "its work has not ended."),
        ("decision", lambda record: record.update(record="secret"), "unknown record 'secret'."),
        ("comparison", lambda record: record.update(second=record["first"]), "two summaries of one book."),
        ("gold_decision", lambda record: record["spans"][0].reverse(), "lies outside its summary"),
    ],
)
def test_what_contradicts_itself_names_its_line(lines, refusal, kind, change, message):
    data, place = changed(lines, kind, change)
    found = refusal(data)
    assert found.startswith(f"Line {place}: ")
    assert message in found
    assert Book.objects.count() == 0


@pytest.mark.parametrize("kind", ["unit_verdict", "sampled_unit"])
def test_an_answer_about_a_unit_that_repeats_another_would_count_nowhere(lines, refusal, kind):
    units = [record for line in lines if (record := json.loads(line))["record"] == "unit"]
    (repeated,) = (record["id"] for record in units if record["same_as"] is not None)
    data, place = changed(lines, kind, lambda record: record.update(unit=repeated), at=1)
    assert refusal(data) == f"Line {place}: its unit repeats another one, and answers are about the first of them."


def test_what_contradicts_what_is_here(lines, refusal):
    data = b"\n".join(lines) + b"\n"
    System.objects.create(name="raw", strategy="imported")
    user = make_user()
    Annotator.objects.create(kind="person", pseudonym="P-AAA222", user=user)
    assert "“P-AAA222” is somebody else here" in refusal(data)
    User.objects.all().delete()
    Annotator.objects.filter(pseudonym="P-AAA222").update(user=None)
    System.objects.filter(name="raw").update(name="other")
    System.objects.create(name="tiny-2048-hier", strategy="imported")
    assert "another system tiny-2048-hier here" in refusal(data)


def test_a_study_of_that_name_that_differs(lines, refusal):
    Study.objects.create(name="here", title="Another")
    found = refusal(b"\n".join(lines) + b"\n", study="here")
    assert "There is a study here here already, and it differs from the file in line 1" in found
    assert "“new” is used in addresses" in refusal(b"\n".join(lines) + b"\n", study="new")


def test_an_export_waits_for_the_end_of_a_blind_review(tmp_path):
    study = whole_study()
    study.unblinding.delete()
    Study.objects.update(phase="reviewing")
    with pytest.raises(CommandError, match="is under blind review"):
        call_command("export", "whole", "--output", str(tmp_path / "x"), stdout=StringIO())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path):
    whole_study()
    make_annotator()
    with pytest.raises(CommandError, match="can't be written: No such file or directory"):
        call_command("export", "whole", "--output", str(tmp_path / "no" / "x"), stdout=StringIO())
    with pytest.raises(CommandError, match="can't be read: No such file or directory"):
        call_command("import_export", str(tmp_path / "no"), "--study", "x", stdout=StringIO())
