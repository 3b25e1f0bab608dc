"""Books, what summaries are made with, summaries and jobs: reading them, and how lists are filtered and paged."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from booookweb.api.base import RestView
from summarizer.models import Book, Job, JobItem, Summary
from tests.annotation.test_blinding import make_priced_job
from tests.api.clients import program
from tests.factories import make_summary
from tests.scoring.exports.whole_study import BOOK_TEXT, whole_study
from tests.world import make_task, make_world

pytestmark = pytest.mark.django_db

NOVEL = "The Mill\n\nEmma left the mill. Rolf stayed.\n\n" + "She rowed to the harbour of Rolf. " * 40


def file(text=NOVEL, name="mill.txt"):
    return SimpleUploadedFile(name, text.encode())


# --- books ----------------------------------------------------------------------------------------------------------


def test_a_book_is_uploaded_described_and_read_again():
    owner = program("researcher")
    book = owner.upload(
        "books/", file=file(), title=" The  Mill ", genres=["novel", "short"], publication_date="1901-05-06"
    )
    assert (book["title"], book["genres"], book["publication_date"]) == ("The Mill", ["novel", "short"], "1901-05-06")
    assert book["source_name"] == "mill.txt"
    assert book["summaries"] == 0
    assert Book.objects.get().added_by == owner.user
    (section,) = book["sections"]
    assert (section["start"], section["end"], section["included"]) == (0, len(NOVEL), True)
    assert owner.get(f"books/{book['id']}/") == book
    assert owner.get(f"books/{book['id']}/text/").content.decode() == NOVEL
    listed = owner.get("books/", q="mill")
    assert [each["id"] for each in listed["results"]] == [book["id"]]
    assert "text" not in listed["results"][0]
    assert owner.get("books/", q="ferry")["count"] == 0


def test_the_same_text_again_is_a_conflict_that_names_the_book():
    owner = program("researcher")
    book = owner.upload("books/", file=file())
    refused = owner.upload("books/", file=file(name="other.txt"), status=409)
    assert (refused["code"], refused["book"]) == ("exists", book["id"])
    assert Book.objects.count() == 1


def test_details_and_the_choice_of_sections_are_changed_and_what_is_left_out_stays():
    owner = program("researcher")
    study = whole_study()
    book = study.summaries.first().book
    assert owner.get(f"books/{book.pk}/text/").content.decode() == BOOK_TEXT
    changed = owner.patch(f"books/{book.pk}/", author="C. D.", included_sections=[0, 1])
    assert (changed["title"], changed["author"], changed["genres"]) == ("The Mill", "C. D.", ["novel"])
    assert [section["included"] for section in changed["sections"]] == [True, True]
    assert owner.patch(f"books/{book.pk}/", status=409, included_sections=[])["detail"].startswith("At least one")
    assert owner.patch(f"books/{book.pk}/", status=400, title="")["code"] == "invalid"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"file": ""}, 400),
        ({"file": SimpleUploadedFile("x.epub", b"PK no archive")}, 400),
        ({"file": SimpleUploadedFile("x.txt", bytes(range(256)) * 9)}, 400),
        ({"file": file(), "title": "a\0b"}, 400),
        ({"file": file(), "publication_date": "soon"}, 400),
        ({"file": file(), "title": "x" * 501}, 400),
    ],
)
def test_what_is_no_book_is_refused_in_words_and_nothing_is_stored(fields, status):
    refused = program().upload("books/", status=status, **fields)
    assert set(refused) == {"detail", "code"}
    assert not Book.objects.exists()


def test_uploads_and_bodies_are_bounded(settings, monkeypatch):
    owner = program()
    settings.UPLOAD_LIMIT_BYTES = 100
    assert owner.upload("books/", file=file(), status=413)["code"] == "too-large"
    monkeypatch.setattr(RestView, "body_limit", 50)
    assert owner.post("studies/", status=413, name="pilot", title="x" * 50)["code"] == "too-large"


def test_a_wrong_content_type_is_refused():
    owner = program()
    for path in ("books/", "imports/metrics/"):
        assert owner.post(path, status=415)["code"] == "unsupported_media_type"
    answer = owner.client.post("/api/v1/studies/", "name=pilot", content_type="text/plain")
    assert answer.status_code == 415


# --- lists ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def three():
    return [make_summary(title=title) for title in ("Ash", "Birch", "Cedar")]


def test_no_answer_is_kept_by_browsers_or_proxies(three):
    head = program("researcher").client.head("/api/v1/summaries/?page_size=2")
    assert (head.status_code, head["Cache-Control"]) == (200, "private, no-store")


def test_a_list_comes_in_pages_of_a_bounded_size(three):
    owner = program("researcher")
    first = owner.get("summaries/", page_size=2, book=three[0].book_id)
    assert first["count"] == 1
    first = owner.get("summaries/", page_size=2)
    assert [each["id"] for each in first["results"]] == [three[0].pk, three[1].pk]
    assert (first["count"], first["next"]) == (3, "/api/v1/summaries/?page_size=2&page=2")
    second = owner.get(first["next"].removeprefix("/api/v1/"))
    assert [each["id"] for each in second["results"]] == [three[2].pk]
    assert second["next"] is None
    assert owner.get("summaries/", page=50)["results"] == []


@pytest.mark.parametrize(
    "query",
    [
        *("page=0", "page=x", "page=1e9", "page=99999999999999999999", "page_size=0", "page_size=201", "page="),
        *("book=x", "book=-1", "book=9223372036854775808", "study=a%00b", "study=a/b", "nothing=1", "book=1&book=2"),
    ],
)
def test_a_filter_that_is_not_there_or_a_value_that_makes_no_sense_is_refused_in_words(query):
    refused = program("researcher").get(f"summaries/?{query}", status=400)
    assert refused["code"] == "invalid"
    assert query.partition("=")[0] in refused["detail"]


def test_lists_of_what_summaries_are_made_with():
    owner = program("researcher")
    study = whole_study()
    names = [each["name"] for each in owner.get("endpoints/")["results"]]
    assert sorted(names) == ["extractive", "local", "rules"]
    assert "10.1.2.3" not in str(owner.get("endpoints/"))
    assert "API_KEY" not in str(owner.get("endpoints/"))
    systems = owner.get("systems/", study="whole")["results"]
    assert {each["name"]: each["endpoint"] for each in systems} == {"tiny-2048-hier": "local", "=other": None}
    (made,) = owner.get("systems/", name="tiny-2048-hier")["results"]
    assert (made["chunk_size"], made["cleaned"], made["is_baseline"]) == (2048, True, False)
    assert owner.get(f"systems/{made['id']}/") == made
    prompts = owner.get(f"prompt-sets/{made['prompt_set']}/")
    assert prompts["files"] == {"z.txt": "{text}", "a.txt": "{summary}"}
    assert {"default", "ours"} <= {each["name"] for each in owner.get("prompt-sets/")["results"]}
    (endpoint,) = [each for each in owner.get("endpoints/")["results"] if each["name"] == "local"]
    assert owner.get(f"endpoints/{endpoint['id']}/")["price_prompt"] == "0.150000"
    assert study.name == "whole"


# --- summaries ------------------------------------------------------------------------------------------------------


def test_a_summary_comes_with_its_text_its_sentences_and_how_it_was_made():
    owner = program("researcher")
    whole_study()
    (row,) = [each for each in owner.get("summaries/", study="whole")["results"] if each["cleaned_from"]]
    assert (row["title"], row["system_name"], row["sentence_count"]) == ("The Mill", "tiny-2048-hier", 4)
    summary = owner.get(f"summaries/{row['id']}/")
    text = "Emma 😀 left.\nRolf “stayed”. <b>Who</b> & why? Rolf “stayed”."
    assert summary["text"] == text
    pieces = [text[each["start"] : each["end"]] for each in summary["sentences"]]
    assert pieces == ["Emma 😀 left.", "Rolf “stayed”.", "<b>Who</b> & why?", "Rolf “stayed”."]
    assert summary["nodes"] == 2
    chunk, merge = owner.get(f"summaries/{row['id']}/nodes/")["results"]
    assert (chunk["kind"], chunk["sources"], merge["kind"], merge["sources"]) == ("chunk", [], "merge", [chunk["id"]])
    assert owner.get("summaries/", system=row["system"], book=row["book"])["count"] == 1
    owner.get("summaries/987654321/", status=404)
    owner.get(f"summaries/{'9' * 30}/", status=404)


# --- jobs -----------------------------------------------------------------------------------------------------------


def test_a_job_says_its_state_counts_cost_and_errors():
    owner = program("researcher")
    whole_study()
    job = Job.objects.get(kind="summarize")
    JobItem.objects.filter(job=job).update(state="failed", error_kind="truncated", error="It was cut off.")
    (row,) = owner.get("jobs/", kind="summarize")["results"]
    assert (row["state"], row["counts"], row["ended"]) == ("failed", {"failed": 1}, True)
    figures = row["figures"]
    assert (figures["calls"], figures["prompt_tokens"], figures["cost_usd"]) == (1, 7, None)
    (item,) = owner.get(f"jobs/{job.pk}/")["items"]
    assert (item["title"], item["error"]) == ("The Mill", "It was cut off.")
    assert item["advice"]
    assert item["made"] == Summary.objects.get(job_item__job=job).pk
    assert owner.get("jobs/", book=item["book"])["count"] == 1
    assert owner.get("jobs/", kind="judge", summary=item["made"])["count"] == 1


def test_tokens_and_cost_of_a_judge_are_hidden_from_the_blind():
    world = make_world()
    hidden, other = make_priced_job(world, world.summary), make_priced_job(world, make_summary())
    owner = program("researcher")
    assert owner.get(f"jobs/{hidden.pk}/")["figures"]["cost_usd"] == 642.42
    make_task(owner.user, "review", world.study)
    assert owner.get(f"jobs/{hidden.pk}/")["figures"] is None
    figures = {row["id"]: row["figures"] for row in owner.get("jobs/")["results"]}
    assert figures[hidden.pk] is None
    assert figures[other.pk]["completion_tokens"] == 31337
