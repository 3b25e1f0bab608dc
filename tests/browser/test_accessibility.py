"""axe finds nothing serious on the main pages, in light and in dark."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.access import annotator_of
from annotation.models import Assignment, ComparisonRound, Rating, ReviewItem, Study
from annotation.services.invitations import make_invitation
from annotation.services.known import add_known_text
from annotation.services.studies import add_member, add_summaries, create_study, open_annotating
from annotation.services.training import begin_training, set_training
from booookweb.demo import COMPARISON_STUDY, FIRST_STUDY, SAMPLE_STUDY, add_demo
from booookweb.models import User
from summarizer.models import Book, Job, Summary
from tests.browser.workspace_page import WorkspacePage, log_in
from tests.factories import (
    make_annotate_task,
    make_annotator,
    make_coarse_task,
    make_compare_task,
    make_fine_task,
    make_judge,
    make_marks,
    make_summary,
)
from tests.sources import another_summary, checked_summary

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


#: Of colours, which do not ask for reduced motion; not what turns without an end.
TRANSITIONS_ENDED = """() => {
    const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity);
    return Promise.allSettled(ending.map(({ finished }) => finished)).then(() => null);
}"""


#: All rules; and those that look at colours, which alone can find something else in dark.
RULES_BY_SCHEME = {
    "light": {"resultTypes": ["violations"]},
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]},
}


def serious(page: Any) -> list[str]:
    """What axe calls serious or critical, once in light and once in dark: rule, first places, why."""
    found = []
    for scheme, rules in RULES_BY_SCHEME.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.evaluate(TRANSITIONS_ENDED)
        # Not preloaded: Axe would copy stylesheets into the page, from where their imports lead nowhere.
        for violation in Axe().run(page, options=rules | {"preload": False}).response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = [f"{node['target'][0]} ({node['failureSummary']})" for node in violation["nodes"][:3]]
                found.append(f"{scheme} {page.url} {violation['id']} x{len(violation['nodes'])}: {nodes}")
    return found


def pages_of_admins() -> list[str]:
    sample, first = (Study.objects.get(name=name) for name in (SAMPLE_STUDY, FIRST_STUDY))
    summary = Summary.objects.order_by("pk").first()
    book = Book.objects.order_by("pk").first()
    job = Job.objects.order_by("pk").first()
    assert summary is not None
    assert book is not None
    assert job is not None
    plain = ["home", "account", "design", "people", "people-import", "person-add"]
    plain += [f"summarizer:{name}" for name in ("books", "book-upload", "endpoints", "endpoint-add", "jobs", "launch")]
    plain += ["annotation:studies", "annotation:study-add", "annotation:judge-launch", "annotation:tasks"]
    plain += ["annotation:judge-units-studies"]
    return [
        *map(reverse, [*plain, "scoring:methods"]),
        reverse("annotation:study", args=[sample.name]),
        reverse("annotation:study", args=[first.name]),
        reverse("annotation:study-settings", args=[first.name]),
        reverse("annotation:study-consent", args=[first.name]),
        reverse("annotation:study-invitations", args=[first.name]),
        reverse("annotation:study-withdraw", args=[first.name]),
        reverse("annotation:study-members", args=[first.name]),
        reverse("annotation:study-payouts", args=[sample.name]),
        reverse("scoring:exports", args=[sample.name]),
        reverse("scoring:metrics", args=[sample.name]),
        reverse("scoring:import-summaries"),
        reverse("annotation:study-checks", args=[first.name]),
        reverse("annotation:study-training", args=[first.name]),
        reverse("annotation:study-faithfulness", args=[first.name]),
        reverse("scoring:import-judgements", args=[first.name]),
        reverse("scoring:import-articles"),
        reverse("annotation:study-comparisons", args=[COMPARISON_STUDY]),
        reverse("annotation:comparison-round", args=[COMPARISON_STUDY, ComparisonRound.objects.get().pk]),
        reverse("scoring:dashboard", args=[sample.name]),
        reverse("scoring:judge-and-people", args=[sample.name]),
        reverse("scoring:faithfulness", args=[sample.name]),
        reverse("scoring:differences", args=[sample.name]),
        reverse("scoring:marks", args=[sample.name]),
        reverse("scoring:answers", args=[sample.name]),
        reverse("scoring:study-report", args=[sample.name]),
        reverse("scoring:book-marks", args=[sample.name, summary.book_id]),
        reverse("scoring:summary-marks", args=[sample.name, summary.pk]),
        reverse("scoring:summary-gold", args=[sample.name, summary.pk]),
        reverse("scoring:gold", args=[sample.name]),
        reverse("summarizer:book", args=[book.pk]),
        reverse("summarizer:summary", args=[summary.pk]),
        reverse("summarizer:job", args=[job.pk]),
    ]


@pytest.mark.timeout(300)
def test_the_pages_of_researchers_and_admins(page: Any, live_server: Any) -> None:
    add_demo()
    page.goto(f"{live_server.url}/login/")
    found = serious(page)
    log_in(page.context, User.objects.get(username="admin"), live_server.url)
    for path in pages_of_admins():
        answer = page.goto(live_server.url + path)
        assert answer.status == 200, path
        page.wait_for_load_state("networkidle")
        found += serious(page)
    page.goto(live_server.url + reverse("annotation:study", args=["no-such-study"]))
    assert found + serious(page) == []


def test_joining_training_and_withdrawing(page: Any, live_server: Any) -> None:
    """What people meet around their tasks."""
    study = create_study(name="pilot", title="The pilot", review_overlap=0)
    add_summaries(study=study, summaries=[make_summary()])
    person = make_annotator()
    add_member(study=study, annotator=person, reviews=False)
    add_known_text(study=study, title="The Ferry", text="Ada waited. [[She slept]] by night.", purpose="training")
    set_training(study=study, asks=True)
    open_annotating(study=study)
    _, token = make_invitation(study=study, expires_at=timezone.now() + timedelta(days=1), maximum_uses=1)
    page.goto(live_server.url + reverse("join", args=[token]))
    found = serious(page)
    page.goto(live_server.url + reverse("join", args=["none"]))
    found += serious(page)
    task = study.assignments.get(annotator=person)
    work = WorkspacePage(page, live_server.url, begin_training(study=study, annotator_id=person.pk))
    work.mark("slept by", types=(1,))
    work.wait_saved()
    page.locator("#submit").click()
    page.locator("[data-submit]").click()
    page.wait_for_url("**/training/")
    found += serious(page)
    for path in ("/tasks/", "/account/", reverse("annotation:withdraw", args=[task.key])):
        assert page.goto(live_server.url + path).status == 200, path
        found += serious(page)
    assert found == []


def test_the_annotate_page_in_all_its_states(page: Any, live_server: Any) -> None:
    work = WorkspacePage(page, live_server.url, make_annotate_task("Emma left. Rolf stayed. She burned the mill."))
    found = serious(page)
    work.mark("Emma left. Rolf", types=(1, 2))
    work.mark("left. Rolf stayed", "", ())
    work.mark("burned the mill", types=(3, 4, 5, 6, 7, 8))
    work.wait_saved()
    work.drag("She")
    work.write("Who?", 1, 7)
    found += serious(page)
    page.keyboard.press("Escape")
    page.locator("h1, .bar-title").first.click()
    page.keyboard.press("g")
    expect(page.locator("#guidelines")).to_be_visible()
    found += serious(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    found += serious(page)
    page.keyboard.press("Escape")
    page.locator("#submit").click()
    expect(page.locator("#submit-dialog")).to_be_visible()
    found += serious(page)
    page.keyboard.press("Escape")
    page.route("**/api/**", lambda route: route.abort())
    work.mark("She")
    work.wait_state("Not saved")
    page.set_viewport_size({"width": 768, "height": 1024})
    found += serious(page)
    page.set_viewport_size({"width": 390, "height": 844})
    assert found + serious(page) == []


def test_the_comparison_page(page: Any, live_server: Any) -> None:
    task = make_compare_task("Emma left. Rolf stayed. " * 80, "Nobody came.")
    log_in(page.context, task.annotator.user, live_server.url)
    page.goto(live_server.url + reverse("annotation:compare", args=[task.key]))
    page.keyboard.press("a")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-problem]")).to_contain_text("no answer yet")
    found = serious(page)
    page.set_viewport_size({"width": 390, "height": 844})
    found += serious(page)
    for key in "bdnyna":
        page.keyboard.press(key)
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-submitted]")).to_be_visible()
    assert found + serious(page) == []


def test_the_pages_that_check_summaries(page: Any, live_server: Any) -> None:
    summary = checked_summary("Emma left the mill at dawn. Rolf stayed behind.")
    task = make_fine_task(summary)
    log_in(page.context, task.annotator.user, live_server.url)
    page.goto(live_server.url + reverse("annotation:fine", args=[task.key]))
    expect(page.locator("#hint-label")).to_contain_text("4 hints", timeout=30_000)
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.locator("#search").fill("rolf")
    expect(page.locator(".source-count")).to_have_text("1 of 1")
    found = serious(page)
    page.set_viewport_size({"width": 390, "height": 844})
    found += serious(page)
    for scale in ("0-5", "0-100"):
        task = make_coarse_task(summary, another_summary("Nobody left.", summary), scale=scale)
        log_in(page.context, task.annotator.user, live_server.url)
        page.goto(live_server.url + reverse("annotation:coarse", args=[task.key]))
        page.wait_for_selector("#not-started", state="detached")
        found += serious(page)
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at=timezone.now())
    other = task.study.summaries.exclude(pk=summary.pk).get()
    second = Assignment.objects.create(
        key=uuid.uuid4(), study=task.study, annotator=task.annotator, task="coarse", summary=other, order=1
    )
    Assignment.objects.filter(pk=second.pk).update(state="submitted", ended_at=timezone.now())
    for each in (task, second):
        Rating.objects.create(assignment=each, value=40)
    page.goto(live_server.url + reverse("annotation:coarse-together", args=[task.key]))
    page.wait_for_selector("#not-started", state="detached")
    assert found + serious(page) == []


def test_the_review_page(page: Any, live_server: Any) -> None:
    summary = make_summary("Emma left. Rolf stayed.")
    study = Study.objects.create(name="blind", title="Blind", phase=Study.Phase.REVIEWING)
    study.summaries.add(summary)
    marks = make_marks(summary, make_judge(), spans=[[(0, 10)], [(11, 15), (0, 4)]])
    for order, mark in enumerate(marks.annotations.order_by("pk")):
        ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=mark, order=order)
    reviewer = User.objects.create(username="rev", role="annotator")
    task = Assignment.objects.create(
        key=uuid.uuid4(), study=study, summary=summary, annotator=annotator_of(reviewer), task="review"
    )
    log_in(page.context, reviewer, live_server.url)
    page.goto(f"{live_server.url}/tasks/")
    found = serious(page)
    page.goto(f"{live_server.url}/tasks/{task.key}/review/")
    page.wait_for_load_state("networkidle")
    found += serious(page)
    page.keyboard.press("2")
    assert found + serious(page) == []
