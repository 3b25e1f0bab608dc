"""The whole way through a study in a browser, as people go it: started with `manage.py up`, with a real worker and a
server that speaks the OpenAI protocol."""

import contextlib
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import prepared
from tests.llm_server import LLMServer
from tests.running import RunningSystem, own_database, running_system

pytestmark = [pytest.mark.processes, pytest.mark.timeout(420)]

expect.set_options(timeout=20_000)

PARAGRAPH = (
    "{name} rowed out before dawn, because the letter had asked for it. The harbour lay still. "
    "Nobody on the quay saw the boat go, or would have known the rower in the dark. "
)


def story(name: str) -> str:
    """About 1,500 tokens: three chunks of 512 and a little."""
    return "\n\n".join(f"{number}. {PARAGRAPH.format(name=name) * 3}" for number in range(1, 13))


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSystem]:
    folder = tmp_path_factory.mktemp("whole")
    with running_system(folder, for_the_first_time=True, SCRIPTED_API_KEY="sk-scripted-secret") as system:
        yield system


@pytest.fixture
def person(browser: Browser, system: RunningSystem) -> Iterator[Any]:
    """`person(name, password)` logs in, in a browser profile of its own, and returns the page."""
    contexts = []

    def log_in(name: str, password: str) -> Page:
        context = browser.new_context(base_url=system.address, viewport={"width": 1440, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.goto("/login/")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password", exact=True).fill(password)
        page.get_by_role("button", name="Log in").click()
        expect(page).not_to_have_url(re.compile("login"))
        return page

    yield log_in
    for context in contexts:
        context.close()


def add_endpoint(page: Page, server: LLMServer) -> None:
    page.goto("/endpoints/new/")
    page.get_by_label("Name", exact=True).fill("scripted")
    page.get_by_label("Address").fill(server.base_url)
    page.get_by_label("Model").fill("scripted-1")
    page.get_by_label("Variable with the key").fill("SCRIPTED_API_KEY")
    page.get_by_label("Context window").fill("8192")
    page.get_by_label(re.compile("^Prompt")).fill("1")
    page.get_by_label(re.compile("^Answer")).fill("2")
    page.get_by_role("button", name="Test connection").click()
    expect(page.locator("#connection")).to_contain_text("answers")
    page.get_by_role("button", name="Save endpoint").click()
    expect(page.get_by_text("scripted-1")).to_be_visible()


def add_book(page: Page, folder: Path, name: str) -> None:
    file = folder / f"{name}.txt"
    file.write_text(story(name), encoding="utf-8")
    page.goto("/books/new/")
    page.get_by_label("Book file").set_input_files(file)
    page.get_by_label("Title").fill(f"The Boat of {name}")
    page.get_by_role("button", name="Add the book").click()
    expect(page.get_by_role("heading", name=f"The Boat of {name}")).to_be_visible()


def choose(page: Page, label: str, words: str) -> None:
    """Take the option that contains `words`."""
    field = page.get_by_label(label, exact=True)
    value = field.locator("option").filter(has_text=words).get_attribute("value")
    field.select_option(value)


def launch_summaries(page: Page) -> None:
    page.goto("/jobs/launch/")
    for name in ("Emma", "Rolf"):
        page.get_by_label(f"The Boat of {name}").check()
    choose(page, "Endpoint", "scripted")
    page.get_by_label("Chunk size").fill("512")
    page.get_by_label("Longest summary").fill("300")
    launch = page.get_by_role("button", name="Launch 2 summaries for about")
    expect(launch).to_be_enabled()
    launch.click()
    expect(page.get_by_text("2 of 2 done")).to_be_visible(timeout=60_000)


def launch_judge(page: Page, study: str) -> None:
    page.goto(f"/judge/?study={study}")
    choose(page, "Judge", "scripted")
    launch = page.get_by_role("button", name="Judge 2 summaries for about")
    expect(launch).to_be_enabled()
    launch.click()
    expect(page.get_by_text("2 of 2 done")).to_be_visible(timeout=60_000)


def press(page: Page, button: str) -> None:
    """Press a button that leads to another page, and wait for that page."""
    with page.expect_navigation():
        page.get_by_role("button", name=button).click()


def set_up_study(page: Page) -> None:
    page.goto("/studies/new/")
    page.get_by_label("Title").fill("Boats")
    page.get_by_label("Short name").fill("boats")
    page.get_by_label("Ask people whether they have read the book").uncheck()
    press(page, "Make the study")
    page.goto("/studies/boats/summaries/")
    press(page, "Add all 2")
    page.goto("/studies/boats/people/")
    for name in ("mia", "noor", "omar"):
        page.get_by_label(re.compile(name)).check()
    press(page, "Add the chosen people")


def open_phase(page: Page, link: str) -> None:
    page.goto("/studies/boats/")
    page.get_by_role("link", name=link).click()
    page.locator("main form button.primary, main form button[type=submit]").first.click()
    page.wait_for_url(re.compile(r"/studies/boats/$"))


def annotate(page: Page, question: str) -> None:
    """Mark the first sentence with the keyboard alone, and submit."""
    page.goto("/tasks/")
    page.get_by_role("link", name=re.compile("Begin|Go on")).first.click()
    expect(page.locator("#saved-state")).to_have_attribute("data-state", "saved")  # the page is ready
    page.keyboard.press("t")
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    page.keyboard.type(question)
    page.keyboard.press("Alt+1")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#saved-state")).to_contain_text("Saved")
    expect(page.locator("#cards")).to_contain_text(question)
    page.locator("#submit").click()
    page.locator("#submit-dialog [data-submit]").click()
    expect(page.locator("#task-state")).to_be_visible()


def review_all(page: Page) -> int:
    """Agree with every mark of the person's review tasks; returns how many there were."""
    decided = 0
    while True:
        page.goto("/tasks/")
        task = page.get_by_role("link", name=re.compile("^Review"))
        if not task.count():
            return decided
        task.first.click()
        expect(page.locator("[data-position]")).to_contain_text(" of ")
        total = int(re.search(r"of (\d+)", page.locator("[data-position]").inner_text()).group(1))
        for _ in range(total):
            with page.expect_response(lambda response: response.request.method == "PUT") as answer:
                page.keyboard.press("1")
            assert answer.value.ok
            decided += 1
        page.locator("[data-submit]").click()
        page.locator("[data-submit-confirm]").click()
        page.wait_for_url(re.compile(r"/(tasks|guesses)/$"))
        if page.url.endswith("/guesses/"):
            for guess in page.get_by_label("Can’t tell").all():
                guess.check()
            page.get_by_role("button", name="Submit answers and guesses").click()
            page.wait_for_url(re.compile(r"/tasks/$"))


def test_migrations_make_the_tables_that_tests_begin_with(system: RunningSystem, tmp_path: Path) -> None:
    """All others begin with `tests.tables`."""
    with own_database() as database:
        if not database:
            prepared.copy_database(tmp_path / prepared.DATABASE)
        made = tables(tmp_path, database.get("DATABASE_URL"))
    assert len(made) > 100
    assert tables(system.folder, system.environment.get("DATABASE_URL")) == made


def tables(folder: Path, address: str | None) -> set[tuple[str, ...]]:
    """All columns, constraints and indexes, wherever in its table each stands."""
    if not address:
        with contextlib.closing(sqlite3.connect(folder / prepared.DATABASE)) as connection:
            statements = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            return {(name, *sorted(part.rstrip(")") for part in sql.split(", "))) for name, sql in statements}
    import psycopg

    with psycopg.connect(address) as connection:
        return {row for statement in OF_POSTGRESQL for row in connection.execute(statement)}


OF_POSTGRESQL = (
    "SELECT table_name::text, column_name::text, data_type::text, character_maximum_length::text, is_nullable::text,"
    " column_default::text, identity_generation::text FROM information_schema.columns WHERE table_schema = 'public'",
    "SELECT conrelid::regclass::text, conname::text, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace",
    "SELECT tablename::text, indexname::text, indexdef FROM pg_indexes WHERE schemaname = 'public'",
)


def test_the_whole_way(system: RunningSystem, person: Any, tmp_path: Path) -> None:
    passwords = {
        name: system.command("add_person", name, "--role", role)["password"]
        for name, role in [
            ("ada", "admin"),
            ("ravi", "researcher"),
            ("mia", "annotator"),
            ("noor", "annotator"),
            ("omar", "annotator"),
        ]
    }
    with LLMServer() as server:
        admin = person("ada", passwords["ada"])
        add_endpoint(admin, server)
        add_book(admin, tmp_path, "Emma")
        add_book(admin, tmp_path, "Rolf")
        launch_summaries(admin)
        calls_for_summaries = server.calls

        researcher = person("ravi", passwords["ravi"])
        set_up_study(researcher)
        launch_judge(admin, "boats")
        assert server.calls > calls_for_summaries
        # The key went to the endpoint and nowhere else.
        assert all("sk-scripted-secret" not in path.read_text(errors="ignore") for path in text_files(system.folder))

    open_phase(researcher, "Open annotating")
    people = {name: person(name, passwords[name]) for name in ("mia", "noor", "omar")}
    annotators = [name for name, page in people.items() if has_task(page)]
    assert len(annotators) == 2
    for name in annotators:
        annotate(people[name], f"What did {name} miss?")

    open_phase(researcher, "Open the review")
    reviewed = sum(review_all(page) for page in people.values())
    assert "under blind review" in system.command("report", "boats", fails=True)
    researcher.goto("/studies/boats/unblind/")
    researcher.get_by_label("Why now").fill("Everything is reviewed.")
    researcher.get_by_role("button", name="Unblind the study").click()
    researcher.wait_for_load_state("networkidle")
    # Every mark is reviewed once: two of people, and what the judge found.
    report = system.command("report", "boats", "--format", "json")
    decided = {row["source"]: row["n"] for row in report["precision"]}
    assert decided["human"] == 2
    assert sum(decided.values()) == reviewed > 2

    researcher.goto("/studies/boats/dashboard/")
    expect(researcher.get_by_role("heading", name="Boats")).to_be_visible()
    shown = report["systems"][0]
    expect(researcher.locator("main")).to_contain_text(shown["system"])
    expect(researcher.locator("main")).to_contain_text(f"{100 * shown['human']['published']:.1f}")
    expect(researcher.locator("main")).to_contain_text(f"{100 * shown['judges'][0]['score']:.1f}")


def has_task(page: Page) -> bool:
    page.goto("/tasks/")
    return page.get_by_role("link", name=re.compile("Begin|Go on")).count() > 0


def text_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "static" not in path.parts]
