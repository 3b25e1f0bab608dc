"""The page that launches judges, and the part of the job page that shows what they found."""

from uuid import uuid4

import pytest
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import Annotator, Assignment, Study
from booookweb.models import Role
from summarizer.models import Job, Summary
from summarizer.services.prompt_sets import load_prompt_set
from tests.annotation.judge.conftest import run
from tests.factories import make_summary, make_user

pytestmark = pytest.mark.django_db(transaction=True)

LAUNCH = "/judge/"
PLAN = "/judge/plan/"


@pytest.fixture
def admin(client):
    user = make_user(Role.ADMIN)
    client.force_login(user)
    return user


def filled(judge, **changes):
    values = {
        "client_key": str(uuid4()),
        "study": "",
        "system": "",
        "endpoint": judge.pk,
        "prompt_set": load_prompt_set("default").pk,
        "temperature": "0",
        "max_answer_tokens": "256",
        "repeat": "1",
        "budget_usd": "",
    }
    return {**values, **changes}


def study_with(*summaries):
    study = Study.objects.create(name="pilot", title="Pilot study")
    study.summaries.add(*summaries)
    return study


@pytest.mark.parametrize(("role", "status"), [(Role.ADMIN, 200), (Role.RESEARCHER, 403), (Role.ANNOTATOR, 403)])
def test_only_admins_launch_judges(client, role, status):
    client.force_login(make_user(role))
    assert client.get(LAUNCH).status_code == status
    assert client.post(PLAN, {}).status_code == status


def test_the_plan_appears_with_the_summaries_of_the_study(client, admin, rules, summary):
    make_summary("Another system.", title="Elsewhere")
    study_with(summary)
    page = client.post(PLAN, filled(rules, study="pilot")).content.decode()
    assert "Judge 1 summary, no cost" in page
    assert "4 sentences" in page
    assert "Elsewhere" not in page
    assert "No LLM: rule baseline" in page
    assert not Annotator.objects.filter(kind="judge").exists()


def test_the_button_states_the_price(client, admin, endpoint, summary):
    # 100,000 USD per million tokens: ten cents a token; 4 answers of 30 tokens are 12 dollars.
    endpoint.price_prompt, endpoint.price_completion = 0, 100_000
    endpoint.save()
    page = client.post(PLAN, filled(endpoint, system=summary.system.pk)).content.decode()
    assert "Judge 1 summary for about $12.00" in page


def test_unticked_summaries_stay_out_while_the_choice_is_the_same(client, admin, rules, summary):
    other = make_summary("Ida sings.")
    study = study_with(summary, other)
    ticked = filled(rules, study="pilot", scope=f"{study.pk}/", summary=[other.pk])
    client.post(LAUNCH, ticked)
    assert [item.summary for item in Job.objects.get().items.all()] == [other]


def test_ticks_of_another_choice_do_not_count(client, admin, rules, summary):
    study_with(summary)
    client.post(LAUNCH, filled(rules, study="pilot", scope="999/", summary=[]))
    assert [item.summary for item in Job.objects.get().items.all()] == [summary]


def test_a_launch_leads_to_the_job_and_a_double_click_to_the_same(client, admin, rules, summary):
    study = study_with(summary)
    values = filled(rules, study="pilot")
    first, second = client.post(LAUNCH, values), client.post(LAUNCH, values)
    job = Job.objects.get()
    assert first.url == second.url == reverse("summarizer:job", args=[job.pk])
    assert job.launched_by == admin
    assert study.judges.count() == 1
    page = client.post(LAUNCH, {**values, "repeat": 2}).content.decode()
    assert f"This key launched job {job.pk} already, with something else in it" in page
    assert Job.objects.count() == 1


def test_a_plan_that_has_changed_is_not_launched(client, admin, rules, summary):
    page = client.post(LAUNCH, filled(rules, system=summary.system.pk, plan_digest="another")).content.decode()
    assert "The plan has changed since it was shown" in page
    assert not Job.objects.exists()


def test_summaries_named_by_a_link(client, admin, rules, summary):
    page = client.get(LAUNCH, {"summary": [summary.pk, "x"]}).content.decode()
    assert f'name="offered" value="{summary.pk}"' in page
    client.post(LAUNCH, filled(rules, offered=[summary.pk]))
    assert [item.summary for item in Job.objects.get().items.all()] == [summary]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "Choose at least one summary"),
        ({"temperature": "3"}, "less than or equal to 2"),
        ({"system": "999"}, "not one of the available choices"),
        ({"budget_usd": "-1"}, "greater than or equal to"),
        ({"endpoint": ""}, "This field is required"),
    ],
)
def test_bad_input_is_said_and_nothing_is_launched(client, admin, rules, summary, changes, message):
    page = client.post(LAUNCH, filled(rules, **changes))
    assert page.status_code == 200
    assert message in page.content.decode()
    assert not Job.objects.exists()


def test_nothing_left_counts_the_judge_in_the_study(client, admin, rules, summary, launch):
    run(launch(rules, summary).job)
    study = study_with(summary)
    assert "Nothing runs and nothing is paid" in client.post(PLAN, filled(rules, study="pilot")).content.decode()
    assert client.post(LAUNCH, filled(rules, study="pilot")).url == reverse("annotation:study-judges", args=["pilot"])
    assert study.judges.count() == 1
    assert Job.objects.count() == 1


def job_page(client, job):
    return client.get(reverse("summarizer:job", args=[job.pk])).content.decode()


def test_the_job_page_shows_scores_and_what_was_not_judged(client, admin, llm_server, endpoint, summary, launch):
    clean = "Questions: no confusion\nTypes: no confusion"
    llm_server.script(lambda request: "banana" if "<sentence>\nSnow fell." in request.prompt else clean)
    other = make_summary("Ida sings. Mia waits.", title="The Pier")
    job = launch(endpoint, summary, other).job
    run(job)
    page = job_page(client, job)
    assert "75.0" in page  # The Mill: 3 of 4 clean if the unread one confuses, else all
    assert "1 of 4 sentences not judged: The Mill" in page
    assert page.count("100.0") == 2  # its upper bound, and the score of The Pier


def test_who_has_an_open_task_sees_nothing_of_that_summary(client, rules, summary, launch):
    other = make_summary("Ida sings. Ida sings.", title="The Pier")
    job = launch(rules, summary, other).job
    run(job)
    user = make_user(Role.ADMIN)
    Assignment.objects.create(
        key=uuid4(), study=study_with(summary), annotator=annotator_of(user), task="annotate", summary=summary
    )
    client.force_login(user)
    page = job_page(client, job)
    assert page.count("Hidden until you have submitted your own task") == 1
    assert "75.0" not in page  # the score of The Mill
    assert "50.0" in page  # that of The Pier


def test_many_summaries_take_a_constant_number_of_queries(client, admin, rules, django_assert_max_num_queries):
    summaries = [make_summary("Ida sings. Mia waits.") for _ in range(20)]
    study_with(*summaries)
    client.post(PLAN, filled(rules, study="pilot"))
    with django_assert_max_num_queries(30):
        client.post(PLAN, filled(rules, study="pilot"))
    assert Summary.objects.count() == 20
