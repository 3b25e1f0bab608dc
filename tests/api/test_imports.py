"""Files of others over the API: taken in whole or refused in words, by whom the table says, and never as paid work."""

import io
import json
import struct
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Annotation, Annotator, Rating, Study, UnitJudgement
from annotation.services.studies import add_summaries, create_study
from scoring.exports.jsonl import jsonl_lines
from scoring.imports import uploads
from summarizer.models import Book, Job, JobItem, LLMCall, ReferenceSummary, Summary
from tests.api.clients import Program, program
from tests.factories import make_summary, make_user
from tests.scoring.exports.whole_study import whole_study
from tests.scoring.release_folder import release_contents
from tests.world import make_task

TEXT = "Emma left the mill and Rolf stayed."
#: What is stored where an import was taken in that should not have been.
STORED = (Annotation, Annotator, Book, Summary, Study, ReferenceSummary, Rating, UnitJudgement, Job)


@pytest.fixture(scope="module")
def made(shared_rows):
    """Programs of an admin and of a researcher, beside a study with one summary."""
    study = create_study(name="pilot")
    add_summaries(study=study, summaries=[make_summary(TEXT, "The Old Mill")])
    return program("admin"), program("researcher")


@pytest.fixture
def admin(db, made):
    return made[0]


@pytest.fixture
def researcher(db, made):
    return made[1]


@pytest.fixture
def study(db, made):
    return Study.objects.get(name="pilot")


def file(content, name="x.json"):
    return SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())


def marked(**changes):
    """A task as Label Studio exports it, with one mark on “Emma”."""
    value = {"start": 0, "end": 4, "text": "Emma", "labels": ["Salience"]}
    region = {"id": "a", "type": "labels", "value": {**value, **changes.pop("value", {})}, **changes.pop("region", {})}
    return {"id": 7, "data": {"text": TEXT}, "annotations": [{"completed_by": 3, "result": [region], **changes}]}


def test_marks_of_label_studio_are_taken_in_once(researcher):
    data = json.dumps([marked()])
    taken = researcher.upload("imports/label-studio/", status=200, file=file(data), study="pilot")
    assert taken == {"study": "pilot", "people": 1, "sets": 1, "marks": 1, "unchanged": 0}
    again = researcher.upload("imports/label-studio/", status=200, file=file(data), study="pilot")
    assert (again["unchanged"], Annotation.objects.get().spans.get().quote) == (1, "Emma")


def test_references_articles_and_judgements_are_taken_in(researcher, study):
    data = json.dumps({"The Old Mill": ["Emma leaves.", "Rolf stays."]})
    assert researcher.upload("imports/references/", status=200, file=file(data)) == {"references": 2, "new": 2}
    book = Book.objects.get(title="The Old Mill")
    texts = [each["text"] for each in researcher.get(f"books/{book.pk}/references/")["results"]]
    assert texts == ["Emma leaves.", "Rolf stays."]
    added = researcher.post(f"books/{book.pk}/references/", status=201, text=" Both go. ", source="me")
    assert (added["text"], added["source"]) == (" Both go. ", "me")
    researcher.post(f"books/{book.pk}/references/", status=200, text=" Both go. ")
    assert "no text" in researcher.post(f"books/{book.pk}/references/", status=409, text="\n ")["detail"]

    line = json.dumps({"article": "Ada swims the strait .", "longt5": "<pad> ada swims.</s>"})
    articles = researcher.upload("imports/articles/", status=200, file=file(line, "a.jsonl"), study="pubmed")
    assert (articles["books"], articles["systems"], articles["notes"]) == (1, ["longt5"], 1)

    system = study.summaries.get().system.name
    rows = f"book,system,annotator,unit,supported\nThe Old Mill,{system},A1,Emma left the mill,yes\n"
    taken = researcher.upload("imports/judgements/", status=200, file=file(rows, "j.csv"), study="pilot")
    assert (taken["kind"], taken["tasks"], taken["answers"]) == ("fine", 1, 1)
    assert researcher.get("studies/pilot/unit-judgements/")["results"][0]["supported"] is True
    rows = f"book,system,annotator,rating\nThe Old Mill,{system},A2,4\n"
    researcher.upload("imports/judgements/", status=200, file=file(rows, "j.csv"), study="pilot", scale="0-5")
    assert researcher.get("studies/pilot/ratings/")["results"][0]["value"] == 4


@pytest.fixture(scope="module")
def exported(shared_rows):
    return b"".join(jsonl_lines(whole_study(), with_source=True))


def test_an_export_is_read_back_by_an_admin_and_wakes_no_worker(exported, admin, researcher, monkeypatch):
    """Jobs come with it, and none has anything left to do."""
    sent = []
    monkeypatch.setattr("summarizer.jobs.queue.send", sent.extend)
    calls = LLMCall.objects.count()
    taken = admin.upload("imports/export/", status=200, file=file(exported, "e.jsonl"), study="copy")
    assert (taken["study"], taken["unchanged"], taken["created"]["study"]) == ("copy", False, 1)
    assert admin.upload("imports/export/", status=200, file=file(exported, "e.jsonl"), study="copy")["unchanged"]
    assert not JobItem.objects.filter(job__client_key=None, state__in=JobItem.UNFINISHED).exists()
    assert (sent, LLMCall.objects.count()) == ([], calls)
    researcher.upload("imports/export/", status=403, file=file(exported, "e.jsonl"), study="other")
    cut = admin.upload("imports/export/", status=400, file=file(exported[:-100], "e.jsonl"), study="other")
    assert cut["code"] == "import"
    assert not Study.objects.filter(name="other").exists()


def archive(files, folder=""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(f"{folder}{name}", content if isinstance(content, bytes) else json.dumps(content))
    return out.getvalue()


def test_a_release_comes_as_an_archive(admin, researcher, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    data = archive(release_contents(), "BooookScore-main/")
    taken = admin.upload(
        "imports/release/", status=200, file=file(data, "r.zip"), study="released", absent="nothing-found"
    )
    assert (taken["created"]["systems"] >= 3, taken["created"]["marks"] > 3) == (True, True)
    assert Study.objects.get(name="released").phase == "closed"
    assert list(tmp_path.iterdir()) == []
    admin.upload("imports/release/", status=400, file=file(data, "r.zip"), study="other")  # what is absent?
    researcher.upload("imports/release/", status=403, file=file(data, "r.zip"), study="other", absent="nothing-found")


def with_false_size(size):
    """An archive that says of its file that it is small."""
    data = bytearray(archive({"summaries/a-cleaned.json": b" " * size}))
    end = data.rindex(b"PK\x01\x02")
    data[end + 24 : end + 28] = struct.pack("<I", 10)
    data[22:26] = struct.pack("<I", 10)
    return bytes(data)


@pytest.mark.once
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (lambda: b"no archive", "no ZIP archive"),
        (lambda: archive({"../../etc/cron.d/x": b"1"}), "path that is not taken"),
        (lambda: archive({"/etc/passwd": b"1"}), "path that is not taken"),
        (lambda: archive({"..\\..\\x": b"1"}), "path that is not taken"),
        (lambda: archive({"a" * 400: b"1"}), "path that is not taken"),
        (lambda: archive({"summaries/a": b"1", "summaries/a/b": b"1"}), "can't be unpacked"),
        (lambda: archive({f"{number}.json": b"" for number in range(2001)}), "more than 2,000 files"),
        (lambda: archive({"summaries/a-cleaned.json": b" " * 3_000_000}), "unpacks to more than 2 MB"),
        (lambda: with_false_size(3_000_000), "no ZIP archive"),
        (lambda: archive({"summaries/a-cleaned.json": b"[" * 100_000}), "a-cleaned.json"),
        (lambda: archive({"summaries/a-cleaned.json": b'{"a.epub": "\\ud800"}'}), "a-cleaned.json"),
        (lambda: archive({}), "summaries"),
    ],
)
def test_an_archive_that_means_harm_is_refused_and_leaves_nothing(admin, tmp_path, monkeypatch, data, words):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(uploads, "LARGEST_UNPACKED", 2 * 1024 * 1024)
    refused = admin.upload(
        "imports/release/", status=400, file=file(data(), "r.zip"), study="released", absent="nothing-found"
    )
    assert words in refused["detail"]
    assert str(tmp_path) not in refused["detail"]
    assert list(tmp_path.iterdir()) == []
    assert not Study.objects.filter(name="released").exists()


def written(text):
    """Label Studio's question about a place."""
    return {"id": "a", "type": "textarea", "value": {"start": 0, "end": 4, "text": [text]}}


HALF, NUL, DEEP = "\ud800", "\0", b"[" * 100_000
HOSTILE = [
    ("label-studio", "x.json", DEEP),
    ("label-studio", "x.json", b'{"a":' * 100_000),
    ("label-studio", "x.json", b"\xff\xfe\xfa"),
    ("label-studio", "x.json", [{**marked(), "id": HALF, "data": {"text": "unknown" + HALF}}]),
    ("label-studio", "x.json", [marked(completed_by=10**300)]),
    ("label-studio", "x.json", [marked(completed_by={"email": HALF})]),
    ("label-studio", "x.json", [marked(annotator="P" + HALF)]),
    ("label-studio", "x.json", [marked(annotator="P" + NUL)]),
    ("label-studio", "x.json", [marked(lead_time=1e999)]),
    ("label-studio", "x.json", [marked(value={"labels": 5})]),
    ("label-studio", "x.json", [marked(value={"labels": [HALF, NUL, "x" * 100_000]})]),
    ("label-studio", "x.json", [marked(value={"start": 10**400, "end": 10**401})]),
    ("label-studio", "x.json", [marked(value={"start": True, "end": 4})]),
    ("label-studio", "x.json", [marked(value={"text": HALF})]),
    ("label-studio", "x.json", [marked(region={"id": HALF + NUL})]),
    ("label-studio", "x.json", [marked(region={"type": "relation", "from_id": HALF, "to_id": "a"})]),
    (
        "label-studio",
        "x.json",
        [marked(result=[written(HALF)])],
    ),
    ("references", "x.json", {"The Old Mill" + HALF: "A."}),
    ("references", "x.json", {"The Old Mill": HALF}),
    ("references", "x.json", DEEP),
    ("references", "x" + NUL + ".csv", b"book,summary\nThe Old Mill,\0\n"),
    ("articles", "x.jsonl", {"article": HALF + " x", "system" + NUL: "A."}),
    ("articles", "x.jsonl", {"article": "A word.", "s" * 300: "A."}),
    ("articles", "x.jsonl", DEEP),
    ("judgements", "x.csv", b"book,system,annotator,rating\n\0,\0,\0,\0\n"),
    ("judgements", "x.csv", b'book,system,annotator,rating\n"' + b"x" * 100_000),
    ("judgements", "x.csv", b"rating\n" * 10),
    ("metrics", "x.csv", b"book,system,name,value\nThe Old Mill,s,\0,1\n"),
    ("summaries", "x.json", {"The Old Mill": {"a": 1}}),
    ("summaries", "x.jsonl", DEEP),
    ("export", "x.jsonl", DEEP + b"\n"),
    ("export", "x.jsonl", {"record": "header", "study": HALF}),
    ("export", "x.jsonl", b""),
]


@pytest.mark.parametrize(("kind", "name", "content"), HOSTILE)
def test_no_content_of_a_file_is_a_fault_of_the_server(admin, kind, name, content):
    """It is taken in, or refused in words that fit into an answer, and then nothing of it is stored."""
    before = [model.objects.count() for model in STORED]
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    fields = {"study": "another" if kind in ("articles", "export") else "pilot", "system": "theirs", "scale": "0-5"}
    answer = admin.client.post(f"/api/v1/imports/{kind}/", {"file": file(data, name), **fields})
    assert answer.status_code in (200, 400), answer.content[:300]
    if answer.status_code == 400:
        assert set(answer.json()) == {"detail", "code"}
        assert "/tmp" not in answer.json()["detail"]
        assert [model.objects.count() for model in STORED] == before
    else:
        assert admin.get("studies/pilot/annotations/", page_size=200)["count"] <= 1


@pytest.mark.parametrize("kind", ["label-studio", "judgements", "export", "release"])
def test_whoever_is_blind_learns_nothing_from_what_an_import_says(study, kind):
    """“Here already”, or “other marks are here”, would confirm a guess."""
    blind = make_user("admin")
    make_task(blind, "annotate", study)
    data = json.dumps([marked()])
    refused = Program(blind).upload(
        f"imports/{kind}/", status=403, file=file(data), study="pilot", absent="nothing-found"
    )
    assert refused["code"] == "blind"


@pytest.mark.once
@pytest.mark.parametrize("kind", ["summaries", "metrics", "references", "articles", "judgements", "label-studio"])
def test_a_file_or_a_body_that_is_too_large_or_of_another_type_is_refused(researcher, settings, monkeypatch, kind):
    fields = {"study": "pilot", "system": "theirs", "scale": "0-5"}
    path = f"/api/v1/imports/{kind}/"
    as_json = researcher.client.post(path, {"file": "x", **fields}, content_type="application/json")
    assert (as_json.status_code, set(as_json.json())) == (415, {"detail", "code"})
    assert researcher.client.post(path, {"file": "no file", **fields}).status_code == 400
    many = researcher.client.post(path, {f"field-{number}": "" for number in range(1200)})
    assert (many.status_code, set(many.json())) == (400, {"detail", "code"})
    settings.UPLOAD_LIMIT_BYTES = 10
    too_large = researcher.upload(f"imports/{kind}/", status=413, file=file(b"x" * 11, "x.csv"), **fields)
    assert too_large["code"] == "too-large"
