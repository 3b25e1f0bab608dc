"""The pages of launches, jobs and summaries, as admins and researchers see them."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from summarizer.models import Book, Job, Summary, System
from summarizer.services.launch import launch_summaries
from summarizer.services.systems import SystemParameters
from tests.llm_server import NAMED, LLMServer
from tests.summarizer.launching.conftest import launch_form, run

pytestmark = pytest.mark.django_db(transaction=True)

LAUNCH, PLAN = "/jobs/launch/", "/jobs/launch/plan/"


def words(response: object) -> str:
    """The text of a page, without tags and with single spaces."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())  # type: ignore[attr-defined]
    return " ".join(text.replace("&#x27;", "'").replace("&quot;", '"').split())


# --- launch -----------------------------------------------------------------------------------------------------------


def test_without_a_book_the_page_says_where_to_begin(admin: Client) -> None:
    assert "No book to summarize" in words(admin.get(LAUNCH))


def test_books_can_be_chosen_beforehand(admin: Client, make_book: Callable[..., Book]) -> None:
    make_book("The Mill")
    chosen = make_book("The Pond")
    page = admin.get(LAUNCH, {"book": chosen.pk}).content.decode()
    assert re.findall(r'<input[^>]*value="(\d+)"[^>]*checked', page) == [str(chosen.pk)]


def test_the_plan_appears_with_its_price_and_the_button_states_it(
    admin: Client, book: Book, parameters: SystemParameters
) -> None:
    text = words(admin.post(PLAN, launch_form(book, parameters)))
    assert "New system scripted-200-hier-300t" in text
    price = re.search(r"Cost (\$\d+\.\d+)", text)
    assert price is not None
    assert f"Launch 1 summary for about {price[1]}" in text
    assert not System.objects.exists()


def test_the_plan_of_a_baseline_says_that_there_is_no_llm(
    admin: Client, book: Book, baseline: SystemParameters
) -> None:
    text = words(admin.post(PLAN, launch_form(book, baseline)))
    assert "No LLM: extractive baseline" in text
    assert "Launch 1 summary, no cost" in text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"books": []}, "Choose books"),
        ({"chunk_size": "many"}, "Chunk size, in tokens: Enter a whole number."),
        ({"chunk_size": "5"}, "Chunk size, in tokens: Ensure this value is greater than or equal to 64."),
        ({"temperature": ""}, "Temperature: This field is required."),
        ({"endpoint": "999"}, "Endpoint: Select a valid choice."),
        ({"budget_usd": "-1"}, "Budget, in USD: Ensure this value is greater than or equal to 0.0001."),
        ({"budget_usd": "0.0001"}, "The budget is below this cost"),
        ({"max_summary_tokens": "1900"}, "is too small to merge summaries of up to 1,900 tokens"),
    ],
)
def test_the_plan_says_what_is_wrong(
    admin: Client, book: Book, parameters: SystemParameters, change: dict[str, object], message: str
) -> None:
    response = admin.post(PLAN, launch_form(book, parameters, **change))
    assert response.status_code == 200
    assert message in words(response)


def test_launching_twice_with_one_form_makes_one_job(admin: Client, book: Book, parameters: SystemParameters) -> None:
    form = launch_form(book, parameters)
    first, second = admin.post(LAUNCH, form), admin.post(LAUNCH, form)
    job = Job.objects.get()
    assert first.headers["Location"] == second.headers["Location"] == reverse("summarizer:job", args=[job.pk])
    assert job.plan["calls"] == sum(entry["calls"] for entry in job.plan["items"])
    other = admin.post(LAUNCH, launch_form(book, parameters, budget_usd="3"))
    assert f"This key launched job {job.pk} already, with something else in it" in words(other)
    assert Job.objects.count() == 1


def test_an_existing_system_is_launched_on_another_book(
    admin: Client, make_book: Callable[..., Book], baseline: SystemParameters
) -> None:
    launch_summaries(parameters=baseline, books=[make_book("The Mill")])
    system = System.objects.get()
    form = {"client_key": "6f4ac0a2-6f43-4a3e-9f3a-0a7c0a6f1f01", "system": system.pk}
    response = admin.post(LAUNCH, {**form, "books": [make_book("The Pond").pk]})
    assert response.status_code == 302
    assert Job.objects.latest("pk").parameters == {"system": system.pk}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"books": []}, "a job without books has nothing to do"),
        ({"books": ["999"]}, "999 is not one of the available choices"),
        ({"client_key": "no"}, "This form has lost its key"),
        ({"plan_digest": "another"}, "The plan is no longer the one that was shown"),
        ({"budget_usd": "1e9"}, "no more than"),
    ],
)
def test_a_launch_that_cannot_be_leaves_nothing_half_done(
    admin: Client, book: Book, parameters: SystemParameters, change: dict[str, object], message: str
) -> None:
    response = admin.post(LAUNCH, launch_form(book, parameters, **change))
    assert response.status_code == 200
    assert message in words(response)
    assert not Job.objects.exists()
    assert not System.objects.exists()


def test_a_title_with_markup_is_shown_as_characters(
    admin: Client, make_book: Callable[..., Book], baseline: SystemParameters
) -> None:
    book = make_book("<img src=x onerror=alert(1)>")
    job = launch_summaries(parameters=baseline, books=[book])
    run(job)
    summary = Summary.objects.get()
    pages = [LAUNCH, f"/jobs/{job.pk}/", f"/summaries/{summary.pk}/", f"/summaries/{summary.pk}/tree/"]
    for page in [admin.get(address) for address in pages] + [admin.post(PLAN, launch_form(book, baseline))]:
        assert b"<img src=x" not in page.content
        assert b"&lt;img src=x" in page.content


# --- jobs -------------------------------------------------------------------------------------------------------------


def test_no_job_yet(admin: Client, researcher: Client) -> None:
    assert "Launch summaries" in words(admin.get("/jobs/"))
    text = words(researcher.get("/jobs/"))
    assert "No job yet" in text
    assert "Launch summaries" not in text


def test_the_list_has_pages_and_a_constant_number_of_queries(
    admin: Client,
    make_book: Callable[..., Book],
    baseline: SystemParameters,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(26):
        launch_summaries(parameters=baseline, books=[make_book(f"Book {number}", 1)])
    with django_assert_max_num_queries(10):
        page = admin.get("/jobs/")
    assert page.content.count(b"<tr>") == 26  # the head and 25 jobs
    assert "1 – 25 of 26" in words(page).replace("\u200a", " ").replace("&#8202;", " ")
    assert admin.get("/jobs/?page=2").content.count(b"<tr>") == 2
    assert admin.get("/jobs/?page=none").status_code == 200


def test_the_page_asks_for_itself_until_the_job_has_ended(
    admin: Client, book: Book, baseline: SystemParameters
) -> None:
    job = launch_summaries(parameters=baseline, books=[book])
    address = f"/jobs/{job.pk}/progress/"
    assert f'hx-get="{address}"' in admin.get(f"/jobs/{job.pk}/").content.decode()
    assert f'hx-get="{address}"' in admin.get(address).content.decode()
    run(job)
    ended = admin.get(address).content.decode()
    assert "hx-get" not in ended
    assert reverse("summarizer:summary", args=[Summary.objects.get().pk]) in ended


def test_errors_are_grouped_with_what_to_do(
    admin: Client, llm_server: LLMServer, make_book: Callable[..., Book], parameters: SystemParameters
) -> None:
    llm_server.script(lambda request: NAMED["refusal"]())
    job = launch_summaries(parameters=parameters, books=[make_book("The Mill", 3), make_book("The Pond", 3)])
    run(job)
    text = words(admin.get(f"/jobs/{job.pk}/"))
    assert "2 failed. The model refused to answer." in text
    assert "The Mill : level 0, chunk 1 of 1" in text
    assert "Try again" in text


def test_cancel_pause_resume_and_retry(admin: Client, book: Book, baseline: SystemParameters) -> None:
    job = launch_summaries(parameters=baseline, books=[book])
    page = f"/jobs/{job.pk}/"

    def act(action: str, **values: str) -> str:
        response = admin.post(f"{page}{action}/", values, follow=True)
        assert response.redirect_chain == [(page, 302)]
        return words(response)

    assert "Paused" in act("pause")
    assert "Waiting" in act("resume")
    assert "Cancelled" in act("cancel")
    assert "to go on" in act("pause") or "nothing to pause" in act("pause")
    assert "must be a number of dollars" in act("retry", budget_usd="lots")
    assert "Trying again: 1 of" in act("retry")
    assert "Nothing of this job can be tried again" in act("retry")
    run(job)
    assert "1 of 1 done" in words(admin.get(page))


def test_researchers_may_look_but_not_steer(researcher: Client, book: Book, baseline: SystemParameters) -> None:
    job = launch_summaries(parameters=baseline, books=[book])
    page = researcher.get(f"/jobs/{job.pk}/")
    assert page.status_code == 200
    assert "<form" not in page.content.decode().split('id="job-progress"')[1].split("</main>")[0]
    for action in ("pause", "resume", "cancel", "retry"):
        assert researcher.post(f"/jobs/{job.pk}/{action}/").status_code == 403
    assert researcher.get(LAUNCH).status_code == 403
    assert Job.objects.get().cancelled_at is None


@pytest.mark.parametrize("address", ["/jobs/999/", "/jobs/999/progress/", "/summaries/999/", "/summaries/999/tree/"])
def test_what_is_not_there_is_not_found(admin: Client, address: str) -> None:
    assert admin.get(address).status_code == 404


# --- summaries --------------------------------------------------------------------------------------------------------


def test_a_summary_and_its_tree(
    admin: Client, book: Book, baseline: SystemParameters, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    run(launch_summaries(parameters=baseline, books=[book]))
    summary = Summary.objects.get()
    text = words(admin.get(f"/summaries/{summary.pk}/"))
    assert "Summary by extractive-200-hier No LLM: extractive baseline" in text
    assert " ".join(summary.text.split()) in text
    with django_assert_max_num_queries(8):
        tree = words(admin.get(f"/summaries/{summary.pk}/tree/"))
    leaves = summary.nodes.filter(level=0)
    assert f"Level 0: summaries of {leaves.count()} chunks" in tree
    assert "Made from chunk 1 , chunk 2" in tree
    first = leaves.get(index=0)
    assert f"Characters 0 to {first.chunk_end} of the book: from The Mill begins." in tree


def test_an_imported_summary_has_no_tree(admin: Client) -> None:
    from tests.factories import make_summary

    summary = make_summary()
    assert "How it was built" not in words(admin.get(f"/summaries/{summary.pk}/"))
    assert "Nothing is kept of the way" in words(admin.get(f"/summaries/{summary.pk}/tree/"))
