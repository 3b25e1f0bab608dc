"""Whoever has yet to judge marks blindly sees no marks, sources, counts or scores, whatever their role."""

import re
from copy import deepcopy

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.urls import reverse

from annotation.access import (
    Blinded,
    annotator_of,
    blinded_summary_ids,
    own_blinded_summary_ids,
    require_not_blind,
    require_unsealed,
)
from annotation.models import Annotator, Assignment, Study, UnitJudgement
from annotation.services.review import decide, submit_review
from annotation.services.studies import add_member, add_summaries, close_study, create_study
from booookweb.access import ROUTES
from booookweb.models import Role
from summarizer.models import Job, JobItem, LLMAttempt, LLMCall
from tests.factories import make_coarse_task, make_fine_task, make_judge, make_marks, make_summary, make_user
from tests.sources import checked_summary
from tests.world import all_routes, make_task, make_world

pytestmark = pytest.mark.django_db

#: Routes that a blind researcher or admin may open, because they show no marks, verdicts, counts of marks or scores.
#: Every other route that names a study, a summary or a judge's job must refuse: a new one does, or is argued for here.
SHOWS_NO_MARKS = {
    "annotation:study": "tasks and people, no marks",
    "annotation:study-settings": "settings",
    "annotation:study-summaries": "which summaries, not what was marked on them",
    "annotation:study-judges": "which judges, and how many summaries they finished",
    "annotation:study-members": "people",
    "annotation:study-consent": "what people agreed to, which books they knew, and who withdrew, without numbers",
    "annotation:study-invitations": "links by which people join",
    "annotation:study-withdraw": "whom to withdraw; numbers are left out for the blind",
    "annotation:study-guidelines": "what people are asked to do",
    "annotation:study-guidelines-version": "what people are asked to do",
    "annotation:study-comparisons": "rounds and counts of their tasks, no answers",
    "annotation:comparison-round": "which pairs, questions and people, no answers",
    "annotation:study-faithfulness": "what is asked, units, and counts of tasks, no judgements",
    "annotation:faithfulness-work": "what settings would take",
    "annotation:summary-units": "a summary's text, cut into units",
    "annotation:judge-units": "what judging units would take, no verdicts",
    "annotation:judge-units-plan": "what judging units would take, no verdicts",
    "annotation:study-terms": "last days and rates of pay",
    "annotation:study-walk-annotate": "a summary's text; nothing is stored",
    "annotation:study-walk-review": "a summary's text with made-up marks; nothing is stored",
    "annotation:study-walk-compare": "two summaries' texts as A and B, without their systems; nothing is stored",
    "annotation:study-open-annotating": "what opening would do",
    "annotation:study-open-review": "what opening would do",
    "annotation:study-close": "what closing would do",
    "scoring:methods": "how figures are computed",
    "summarizer:summary": "the text, as in the person's task, and its system",
    "summarizer:summary-tree": "intermediate summaries of the book",
    "rest-api:summary": "the text, as in the person's task, and its system",
    "rest-api:summary-nodes": "intermediate summaries of the book",
    "rest-api:study": "settings, names of judges, and counts of tasks",
    "rest-api:study-summaries": "which summaries, not what was marked on them",
    "rest-api:study-members": "people",
    "rest-api:study-faithfulness": "what is asked, and counts of tasks, no judgements",
    "rest-api:study-units": "summaries' texts, cut into units",
    "rest-api:study-phase": "what opening and closing would do",
}
#: Their page is about several summaries; it hides what was found on those that the person is blind to.
HIDES_ROWS = {"summarizer:job", "summarizer:job-progress"}
POINTS_AT_MARKS = {"slug", "study", "summary"}


def points_at_marks(route):
    short = route.name.split(":")[-1]
    by_pk = "pk" in route.arguments and short.split("-")[0] == "summary"
    return bool(POINTS_AT_MARKS & set(route.arguments)) or by_pk


REFUSING = [route for route in all_routes() if points_at_marks(route) and route.name not in SHOWS_NO_MARKS]
HIDING = [route for route in all_routes() if route.name in HIDES_ROWS]


@pytest.fixture(scope="module")
def made_world(shared_rows):
    return make_world()


@pytest.fixture
def world(made_world):
    return deepcopy(made_world)


def log_in_blind(client, world, role):
    user = make_user(role)
    make_task(user, "review", world.study)
    client.force_login(user)
    return user


def roles_of(route):
    return [role for role in (Role.RESEARCHER, Role.ADMIN) if role in (ROUTES[route.name] or ())]


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
@pytest.mark.parametrize("route", REFUSING, ids=lambda route: route.name)
def test_a_blind_person_is_refused_with_an_explanation(client, world, route, role):
    if role not in roles_of(route):
        pytest.skip("not for this role")
    colleague = make_user(role)
    address = world.address(route, colleague)
    client.force_login(colleague)
    assert client.get(address).status_code != 403
    log_in_blind(client, world, role)
    for method in ("get", "post"):
        response = getattr(client, method)(address)
        if response.status_code == 405:
            continue
        assert response.status_code == 403
        assert "stay hidden from you until then" in response.content.decode()
        assert b"sentinel" not in response.content


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
@pytest.mark.parametrize("route", HIDING, ids=lambda route: route.name)
def test_a_judges_job_hides_what_it_found(client, world, route, role):
    log_in_blind(client, world, role)
    page = client.get(world.address(route, make_user())).content.decode()
    assert "Hidden until you have submitted your own task on this summary" in page
    assert "sentinel" not in page


def make_priced_job(world, summary):
    """A judge's job on an LLM: long answers cost more, and they are those that find something."""
    job = Job.objects.create(kind="judge", endpoint=world.endpoint, parameters={"judge": world.judge.pk})
    item = JobItem.objects.create(job=job, index=0, summary=summary, state="done")
    call = LLMCall.objects.create(item=item, step="1", key=f"k{job.pk}", endpoint=world.endpoint, prompt_sha256="")
    cost = {"cost_usd": "642.42", "possible_cost_usd": "700"}  # not to be found in a time, as 42.42 seconds were
    tokens = {"prompt_tokens": 10, "completion_tokens": 31337}
    LLMAttempt.objects.create(call=call, number=1, state="answered", **tokens, **cost)
    return job


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.ADMIN])
def test_tokens_and_cost_of_a_judge_do_not_tell_what_it_found(client, world, role):
    job, other = make_priced_job(world, world.summary), make_priced_job(world, make_summary())
    page, part = reverse("summarizer:job", args=[job.pk]), reverse("summarizer:job-progress", args=[job.pk])
    addresses = [page, part, reverse("summarizer:jobs")]
    client.force_login(make_user(role))
    for address in addresses:
        assert "642.42" in client.get(address).content.decode()
    assert "31,337" in client.get(page).content.decode()

    log_in_blind(client, world, role)
    for address in (page, part):
        shown = client.get(address).content.decode()
        assert "642.42" not in shown
        assert "31,337" not in shown
    assert client.get(reverse("summarizer:jobs")).content.decode().count("642.42") == 1  # of the other job
    assert "642.42" in client.get(reverse("summarizer:job", args=[other.pk])).content.decode()


@pytest.mark.parametrize("name", sorted(SHOWS_NO_MARKS))
def test_pages_without_marks_stay_open_and_show_none(client, world, name):
    route = next((route for route in all_routes() if route.name == name), None)
    if route is None:
        pytest.skip("no such page yet")
    user = log_in_blind(client, world, next(iter(roles_of(route)), Role.RESEARCHER))
    address = world.address(route, user)
    response = client.get(address, follow=True)
    if response.status_code == 405:
        response = client.post(address)
    assert response.status_code == 200
    assert b"sentinel" not in response.content


def test_whoever_checks_a_summary_sees_nothing_of_others_on_it(client):
    """Neither its system nor marks, judges and people, nor the answers of others to the same questions."""
    summary = checked_summary("Emma left the mill. Rolf stayed behind.")
    summary.system.name = summary.system.model = "sentinel system"
    summary.system.save()
    make_marks(summary, make_judge("sentinel judge"), questions="Who is the sentinel?")
    others = make_fine_task(summary)
    UnitJudgement.objects.create(sampled=others.sampled_units.get(position=0), comment="sentinel", version=1)
    for make, names in (
        (make_fine_task, ("annotation:fine", "annotation-api:fine", "annotation-api:fine-hints")),
        (make_coarse_task, ("annotation:coarse", "annotation-api:coarse", "annotation-api:coarse-together")),
    ):
        task = make(summary, annotator=annotator_of(make_user(Role.ADMIN)))
        client.force_login(task.annotator.user)
        for name in names:
            response = client.get(reverse(name, args=[task.key]))
            assert response.status_code == 200, name
            assert b"sentinel" not in response.content
        with pytest.raises(Blinded):
            require_not_blind(task.annotator.user, summary_ids=[summary.pk])


# --- who is blind, to what, and until when --------------------------------------------------------------------------


def test_an_open_task_makes_blind_to_its_summary_in_every_study(world):
    user = make_user(Role.ADMIN)
    world.study.unblinding.delete()
    task = make_task(user, "review", world.study)
    other = create_study(name="other")
    add_summaries(study=other, summaries=[world.summary, make_summary()])
    assert blinded_summary_ids(user) == {world.summary.pk}
    for what in ({"study": world.study}, {"study": other}, {"summary_ids": [0, world.summary.pk]}, {}):
        with pytest.raises(Blinded, match="stay hidden from you"):
            require_not_blind(user, **what)
    require_not_blind(user, summary_ids=[make_summary().pk])
    require_not_blind(user, summary_ids=[])
    require_not_blind(make_user(Role.RESEARCHER), study=other)

    decide(assignment=task, item_key=world.item.key, agreement="agree")
    assert blinded_summary_ids(user) == {world.summary.pk}
    submit_review(assignment=task)
    assert own_blinded_summary_ids(user) == set()
    require_not_blind(user, study=other)
    close_study(study=world.study)
    require_not_blind(user, study=Study.objects.get(pk=world.study.pk))
    assert blinded_summary_ids(user) == set()


def test_no_other_study_tells_which_marks_of_a_sealed_one_are_a_judges(client, world):
    """A judge marks a summary once for all studies, so one that is made beside a review would show its sources."""
    world.study.unblinding.delete()
    researcher = make_user(Role.RESEARCHER)
    client.force_login(researcher)
    other = create_study(name="other")
    add_summaries(study=other, summaries=[world.summary, make_summary()])
    require_not_blind(researcher, study=other)  # without the judge it has no marks of the review
    other.judges.add(world.judge)
    addresses = [
        reverse("scoring:summary-marks", args=["other", world.summary.pk]),
        reverse("scoring:report", args=["other"]),
        reverse("rest-api:study-annotations", args=["other"]),
        reverse("rest-api:study-report", args=["other"]),
    ]
    for address in addresses:
        response = client.get(address)
        assert (response.status_code, "is under blind review" in response.content.decode()) == (403, True), address
        assert b"sentinel" not in response.content
    with pytest.raises(Blinded, match="is under blind review"):
        require_unsealed(other)  # as commands ask
    other.summaries.remove(world.summary)
    require_not_blind(researcher, study=other)
    other.summaries.add(world.summary)
    close_study(study=world.study)
    assert all(client.get(address).status_code == 200 for address in addresses)


def test_whoever_is_to_annotate_or_review_is_blind_before_the_tasks_are_given_out():
    user, summary = make_user(Role.RESEARCHER), make_summary()
    study = create_study(name="pilot")
    add_summaries(study=study, summaries=[summary])
    assert blinded_summary_ids(user) == set()
    add_member(study=study, annotator=annotator_of(user), annotates=False)
    assert blinded_summary_ids(user) == {summary.pk}
    study.phase = "annotating"
    study.save()
    assert blinded_summary_ids(user) == {summary.pk}
    study.phase = "reviewing"
    study.save()
    assert own_blinded_summary_ids(user) == set()


def test_an_annotator_of_a_study_that_annotates_is_blind_while_tasks_are_open_and_then_no_more():
    user, summary = make_user(Role.RESEARCHER), make_summary()
    study = create_study(name="pilot")
    add_summaries(study=study, summaries=[summary])
    add_member(study=study, annotator=annotator_of(user), reviews=False)
    task = make_task(user, "annotate", study)
    assert blinded_summary_ids(user) == {summary.pk}
    Assignment.objects.filter(pk=task.pk).update(state="submitted", ended_at=task.created_at)
    assert blinded_summary_ids(user) == set()


def test_closing_a_study_ends_blindness(world):
    user = make_user(Role.RESEARCHER)
    make_task(user, "review", world.study)
    close_study(study=world.study)
    assert blinded_summary_ids(user) == set()


def test_the_check_takes_a_few_queries_whatever_the_size(world, django_assert_max_num_queries):
    user = make_user(Role.RESEARCHER)
    make_task(user, "review", world.study)
    with django_assert_max_num_queries(2), pytest.raises(Blinded):
        require_not_blind(user, study=world.study)


# --- pseudonyms -----------------------------------------------------------------------------------------------------


def test_a_person_has_one_annotator_with_a_pseudonym_that_says_nothing():
    user = make_user(name="oli.loi")  # in letters that no pseudonym has
    annotator = annotator_of(user)
    assert annotator_of(user) == annotator
    assert annotator.kind == Annotator.Kind.PERSON
    assert re.fullmatch("P-[A-HJKMNP-Z2-9]{6}", annotator.pseudonym)
    assert annotator.pseudonym != annotator_of(make_user()).pseudonym


def test_nobody_logged_in_is_nobody():
    with pytest.raises(PermissionDenied):
        annotator_of(AnonymousUser())
