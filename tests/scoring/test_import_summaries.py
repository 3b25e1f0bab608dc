"""Summaries and figures that were made elsewhere."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.services.studies import create_study
from scoring.models import MetricValue
from summarizer.models import Book, Summary, System
from tests.factories import make_summary, make_user

pytestmark = pytest.mark.django_db


def run(command, path, *options):
    output = io.StringIO()
    call_command(command, str(path), *options, stdout=output)
    return json.loads(output.getvalue())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps({"emma.epub": "Emma left.\r\nRolf 😀 stayed.", "Mia": "Mia sails."})),
        (
            "a.jsonl",
            '{"book": "emma.epub", "summary": "Emma left.\\nRolf 😀 stayed."}\n\n'
            '{"book": "Mia", "summary": "Mia sails."}\n',
        ),
        ("a.csv", '\ufeffbook;summary\r\nemma.epub;"Emma left.\nRolf 😀 stayed."\r\nMia;Mia sails.\r\n'),
    ],
    ids=["JSON", "JSONL", "CSV"],
)
def test_summaries_of_each_form_and_a_second_time_nothing(tmp_path, name, content):
    known = Book.objects.create(
        title="Emma", source_name="emma.epub", source_format="text", text="Emma", text_sha256="a"
    )
    study = create_study(name="study")
    path = tmp_path / name
    path.write_bytes(content.encode())
    result = run("import_summaries", path, "--system", "theirs", "--study", "study")
    assert (result["system"], result["books"]) == ("theirs", 1)
    assert [(each["book"], each["new"]) for each in result["summaries"]] == [("Emma", True), ("Mia", True)]
    summary = Summary.objects.get(book=known)
    assert (summary.text, summary.sentences.count()) == ("Emma left.\nRolf 😀 stayed.", 2)
    assert System.objects.get().strategy == "imported"
    assert study.summaries.count() == 2
    again = run("import_summaries", path, "--system", "theirs", "--study", "study")
    assert ([each["new"] for each in again["summaries"]], again["books"]) == ([False, False], 0)
    assert Summary.objects.count() == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "x", "must end in .json, .jsonl or .csv"),
        ("a.json", "{", "a.json is no JSON"),
        ("a.json", "[]", "must hold one JSON object"),
        ("a.json", "{}", "holds no summaries"),
        ("a.json", '{"A": "One.", "A": "Another."}', "'A' stands twice in one object"),
        ("a.json", '{"A\\u0000": "One."}', "book holds a character that no text here can"),
        ("a.jsonl", '{"book": "A\\ud800", "summary": "One."}', "Line 1: book holds a character"),
        ("a.json", '{"A": "One.", "B": null}', "“B”: summary is missing."),
        ("a.jsonl", '{"book": "A", "summary": "One."}\n[1]', "Line 2 is no JSON object."),
        ("a.jsonl", '{"book": "A", "summary": "a"}\n{"book": "A", "summary": "b"}', "has a summary in line 1 already"),
        ("a.csv", "book,text\nA,One.\n", "The heading lacks summary."),
        ("a.csv", 'book,summary\nA,"One.\n', "unexpected end of data."),
        ("a.jsonl", '{"book": "A", "summary": "One."}\n{"book": "The Mill", "summary": "Other."}', "never changes"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_stored(tmp_path, name, content, message):
    stored = make_summary()
    System.objects.filter(pk=stored.system_id).update(name="theirs")
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(CommandError) as error:
        run("import_summaries", path, "--system", "theirs")
    assert message in str(error.value)
    assert Summary.objects.count() == 1
    assert Book.objects.count() == 1


def test_a_system_that_works_here_takes_nothing_in(tmp_path):
    from tests.scoring.exports.whole_study import whole_study

    whole_study()
    (tmp_path / "a.json").write_text('{"A": "One."}')
    with pytest.raises(CommandError, match="makes its summaries here"):
        run("import_summaries", tmp_path / "a.json", "--system", "tiny-2048-hier")
    with pytest.raises(CommandError, match="only while a study is being set up"):
        run("import_summaries", tmp_path / "a.json", "--system", "new", "--study", "whole")
    assert not System.objects.filter(name="new").exists()


def test_summaries_come_in_on_a_page_too_and_what_is_wrong_stands_at_the_file(client):
    client.force_login(make_user("researcher"))
    study = create_study(name="study")
    address = reverse("scoring:import-summaries")
    file = SimpleUploadedFile("a.json", b'{"Emma": "Emma left. Rolf stayed."}')
    page = client.post(address, {"file": file, "system": "theirs", "study": "study"}, follow=True)
    assert "1 summary of theirs added." in page.content.decode()
    assert study.summaries.get().sentences.count() == 2
    file = SimpleUploadedFile("a.json", b'{"Emma": "Another."}')
    page = client.post(address, {"file": file, "system": "theirs"})
    assert page.status_code == 400
    assert "a summary never changes" in page.content.decode()


def test_figures_stand_by_system_with_how_many_there_are(client):
    client.force_login(make_user("researcher"))
    study = create_study(name="study")
    first, second = make_summary(title="Emma"), make_summary(title="Mia")
    Summary.objects.filter(pk=second.pk).update(system=first.system)
    study.summaries.add(first, second)
    system = first.system.name
    data = f"book,system,name,value\nEmma,{system},BLANC,0.25\nMia,{system},BLANC,0.5\nMia,{system},<b>,1\n".encode()
    address = reverse("scoring:metrics", args=["study"])
    page = client.post(address, {"file": SimpleUploadedFile("m.csv", data)}, follow=True).content.decode()
    assert "3 new figures" in page
    assert "0.3750" in page
    assert "n = 1 of 2" in page
    assert "&lt;b&gt;" in page


def test_figures_from_elsewhere(tmp_path):
    summary = make_summary(title="Emma")
    path = tmp_path / "metrics.csv"
    lines = f"Book,System,Name,Value\nEmma,{summary.system.name},BLANC,0.125\nEmma,{summary.system.name},SUPERT,-1e-3\n"
    path.write_text(lines)
    assert run("import_metrics", path) == {"new": 2, "changed": 0, "unchanged": 0}
    path.write_text(lines.replace("0.125", "0.5"))
    assert run("import_metrics", path) == {"new": 0, "changed": 1, "unchanged": 1}
    assert dict(MetricValue.objects.values_list("name", "value")) == {"BLANC": 0.5, "SUPERT": -0.001}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Emma,{system},BLANC,much", "Line 3: the value “much” is no number"),
        ("Emma,{system},BLANC,nan", "is no finite number"),
        ("Emma,{system},BLANC,", "Line 3: value is missing."),
        ("Emma,other,BLANC,1", "Line 3: there is no summary of “Emma” by other."),
        ("Emma,{system},ROUGE,1", "stands in an earlier line already"),
    ],
)
def test_a_figure_that_is_wrong_is_named_and_none_is_stored(tmp_path, line, message):
    system = make_summary(title="Emma").system.name
    path = tmp_path / "metrics.csv"
    path.write_text(f"book,system,name,value\nEmma,{system},ROUGE,1\n{line.format(system=system)}\n")
    with pytest.raises(CommandError) as error:
        run("import_metrics", path)
    assert message in str(error.value)
    assert MetricValue.objects.count() == 0
