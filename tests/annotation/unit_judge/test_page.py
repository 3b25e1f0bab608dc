"""The pages that launch judges of units, and the part of the job page that shows what they found."""

from uuid import uuid4

import pytest
from django.urls import reverse

from annotation.models import Annotator
from booookweb.models import Role
from summarizer.models import Job
from summarizer.services.prompt_sets import load_prompt_set
from tests.annotation.judge.conftest import run
from tests.annotation.unit_judge.conftest import NO, answer
from tests.factories import make_annotator, make_fine_task, make_user
from tests.sources import checked_summary

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]


@pytest.fixture
def admin(client):
    user = make_user(Role.ADMIN)
    client.force_login(user)
    return user


def address(plan, name="judge-units"):
    return reverse(f"annotation:{name}", args=[plan.study.name])


def filled(endpoint, **changes):
    values = {
        "client_key": str(uuid4()),
        "endpoint": endpoint.pk,
        "prompt_set": load_prompt_set("default").pk,
        "passages": "10",
        "temperature": "0",
        "max_answer_tokens": "256",
        "repeat": "1",
        "budget_usd": "",
        "offered": "1",
    }
    return {**values, **changes}


@pytest.mark.parametrize(("role", "status"), [(Role.ADMIN, 200), (Role.RESEARCHER, 403), (Role.ANNOTATOR, 403)])
def test_only_admins_launch_judges(client, plan, role, status):
    client.force_login(make_user(role))
    assert client.get(address(plan)).status_code == status
    assert client.get(reverse("annotation:judge-units-studies")).status_code == status
    assert client.post(address(plan, "judge-units-plan"), {}).status_code == status


def test_the_way_from_jobs_and_from_the_plan_s_page(client, admin, endpoint, plan, launch):
    launch()
    assert reverse("annotation:judge-units-studies") in client.get(reverse("summarizer:jobs")).content.decode()
    assert address(plan) in client.get(reverse("annotation:judge-units-studies")).content.decode()
    assert address(plan) in client.get(address(plan, "study-faithfulness")).content.decode()


def test_without_an_endpoint_the_page_leads_to_one(client, admin, plan):
    assert reverse("summarizer:endpoint-add") in client.get(address(plan)).content.decode()


def test_the_plan_states_calls_and_price(client, admin, endpoint, plan, summary):
    # A cent for each token of an answer: 4 answers of 10 tokens.
    endpoint.price_prompt, endpoint.price_completion = 0, 10_000
    endpoint.save()
    page = client.post(address(plan, "judge-units-plan"), filled(endpoint, summary=[summary.pk])).content.decode()
    assert "Judge 4 units for about $0.40" in page
    assert "scripted, units by 10 passages" in page
    assert not Annotator.objects.filter(kind="judge").exists()


def test_nothing_ticked_plans_nothing(client, admin, endpoint, plan):
    page = client.post(address(plan, "judge-units-plan"), filled(endpoint)).content.decode()
    assert "Choose summaries" in page


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"passages": "0"}, "Passages: "), ({"passages": "51"}, "Passages: "), ({"repeat": "x"}, "Run: ")],
)
def test_bad_input_is_said(client, admin, endpoint, plan, summary, changes, message):
    form = filled(endpoint, summary=[summary.pk], **changes)
    assert message in client.post(address(plan, "judge-units-plan"), form).content.decode()
    assert client.post(address(plan), form).status_code == 200
    assert not Job.objects.exists()


def test_a_launch_leads_to_the_job_and_a_double_click_to_the_same(client, admin, endpoint, plan, summary):
    form = filled(endpoint, summary=[summary.pk])
    first, second = (client.post(address(plan), form) for _ in range(2))
    job = Job.objects.get()
    assert first.url == second.url == reverse("summarizer:job", args=[job.pk])
    assert job.launched_by == admin
    again = client.post(address(plan), filled(endpoint, summary=[summary.pk]))
    assert "is at it" in again.content.decode()


def test_a_plan_that_has_changed_is_not_launched(client, admin, endpoint, plan, summary):
    form = filled(endpoint, summary=[summary.pk], plan_digest="another")
    assert "The plan has changed since it was shown" in client.post(address(plan), form).content.decode()
    assert not Job.objects.exists()


def test_the_job_page_shows_scores_bounds_and_what_was_not_judged(client, admin, llm_server, launch):
    answer(llm_server, snow="banana", sang=NO)
    job = launch().job
    run(job)
    page = " ".join(client.get(reverse("summarizer:job", args=[job.pk])).content.decode().split())
    assert "Judge units of 1 summary" in page
    # Of five places three are supported, one is not, one can't be read.
    for words in ("60.0", "80.0", "(80.0 % judged)", "1 unit not judged", "Snow fell on the mill."):
        assert words in page, words


def test_who_has_an_open_task_on_the_summary_sees_nothing_of_it(client, llm_server, endpoint):
    summary = checked_summary("Emma left the mill at dawn.")
    person = make_annotator(make_user(Role.ADMIN))
    task = make_fine_task(summary, annotator=person)
    client.force_login(person.user)
    client.post(address(task.study.faithfulness), filled(endpoint, summary=[summary.pk]))
    job = Job.objects.get()
    run(job)
    page = client.get(reverse("summarizer:job", args=[job.pk])).content.decode()
    assert "Hidden until you have submitted your own task" in page
    figures = client.get(reverse("scoring:faithfulness", args=[task.study.name]))
    assert figures.status_code == 403
