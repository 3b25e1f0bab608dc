"""An LLM proposes changes of statements: how it is asked and read, what a launch does, and what is stored of it."""

from uuid import uuid4

import pytest
from django.urls import reverse

from annotation.faithfulness.proposal_job import PerturbKind, plan_proposals
from annotation.faithfulness.proposing import Proposed, ToChange, propose, read_change
from annotation.faithfulness.qualifications import create_qualification, drop_change, write_change
from annotation.models import Perturbation
from booookweb.models import Role
from summarizer.jobs import queue
from summarizer.jobs.runner import run_item
from summarizer.models import Endpoint, Job
from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Answer, Failure, StrategyFailed
from tests.annotation.faithfulness.tested_studies import body, ferry, make_study_to_test
from tests.factories import make_user
from tests.llm_server import completion

REFUSED = Proposed(9, "", "Refused: No.")
ALL = ToChange("He sang. She slept.", ((7, "He sang.", 3), (9, "She slept.", 3)), 100)


def drive(strategy, *batches):
    """The names of the steps of each batch, and the result, for these outcomes."""
    asked, steps = [], next(strategy)
    for outcomes in batches:
        asked.append([step.name for step in steps])
        try:
            steps = strategy.send(outcomes)
        except StopIteration as end:
            return asked, end.value
    raise AssertionError("It asks for more.")


# --- the strategy ---------------------------------------------------------------------------------------------------


def test_each_statement_is_asked_about_with_its_summary():
    steps = next(propose(ALL))
    assert [step.name for step in steps] == ["statement 1", "statement 2"]
    assert "<summary>\nHe sang. She slept.\n</summary>" in steps[1].prompt
    assert "<statement>\nShe slept.\n</statement>" in steps[1].prompt
    assert "{" not in steps[1].prompt
    assert (steps[0].max_tokens, steps[0].expected_tokens) == (100, 13)


def test_texts_can_not_end_their_tags():
    steps = next(propose(ToChange("A </summary> {statement}", ((1, "B </statement>", 3),), 100)))
    assert steps[0].prompt.count("</summary>") == steps[0].prompt.count("</statement>") == 1
    assert "A ‹/summary> {statement}" in steps[0].prompt


def test_what_can_not_be_used_is_asked_for_once_more():
    first = [Answer("Changed: He wept."), Answer("I would rather not.")]
    asked, found = drive(propose(ALL), first, [Answer("Changed: She woke.")])
    assert asked == [["statement 1", "statement 2"], ["statement 2, try 2"]]
    assert found == [Proposed(7, "He wept."), Proposed(9, "She woke.")]
    refused = [Answer("Changed: He wept."), Failure(FailureKind.REFUSED, "No.")]
    assert drive(propose(ALL), refused) == ([["statement 1", "statement 2"]], [Proposed(7, "He wept."), REFUSED])
    _, found = drive(propose(ALL), first, [Answer("Changed: she slept")])
    assert found[1] == Proposed(9, "", "The answer says what the statement said.")


def test_an_endpoint_that_can_not_answer_fails():
    strategy = propose(ALL)
    next(strategy)
    refused = Failure(FailureKind.PERMANENT, "The key is refused.")
    with pytest.raises(StrategyFailed, match="The key is refused"):
        strategy.send([refused, refused])


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Changed: He wept.", "He wept."),
        ("**Changed:** He wept.", "He wept."),
        ("Let me see.\nChanged: He sang.\nNo.\nchanged:  He  wept. \n", "He wept."),
        ("Changed:\nHe wept.", "He wept."),
        ("He wept.", ""),
        ("Changed:", ""),
        ("Changed: He sang!", ""),
        ("Changed: " + "x" * 1001, ""),
    ],
)
def test_answers_are_read(reply, text):
    found, problem = read_change(reply, "He sang.")
    assert found == text
    assert bool(problem) is not bool(text)


# --- the job --------------------------------------------------------------------------------------------------------


@pytest.fixture
def endpoint(db):
    return Endpoint.objects.create(
        name="llm",
        provider="openai",
        base_url="http://127.0.0.1:9/v1",
        model="small",
        context_window=8000,
        price_prompt=1,
        price_completion=2,
    )


@pytest.fixture
def qualification(db):
    return create_qualification(plan=make_study_to_test().faithfulness, original=ferry())


@pytest.fixture
def admin(client, qualification):
    client.force_login(make_user(Role.ADMIN))
    return client


def address(qualification):
    return reverse("annotation:qualification-propose", args=[qualification.plan.study.name])


def launch(client, qualification, endpoint, **changes):
    sent = {"endpoint": endpoint.pk, "max_answer_tokens": 400, "client_key": str(uuid4()), "planned_calls": 2}
    return client.post(address(qualification), sent | changes)


def test_what_it_takes_is_shown_before_the_launch(admin, qualification, endpoint):
    shown = body(admin.get(address(qualification)))
    assert "What it takes" not in shown
    shown = body(admin.get(address(qualification), {"endpoint": endpoint.pk, "max_answer_tokens": 400}))
    assert '<span class="number">2</span> calls' in shown
    Endpoint.objects.update(context_window=300)
    shown = body(admin.get(address(qualification), {"endpoint": endpoint.pk, "max_answer_tokens": 400}))
    assert "context window has 300" in shown


def test_a_launch_asks_once_and_only_what_was_shown(admin, qualification, endpoint):
    assert "The plan has changed" in body(launch(admin, qualification, endpoint, planned_calls=1))
    key = str(uuid4())
    for _ in range(2):
        assert launch(admin, qualification, endpoint, client_key=key).status_code == 302
    assert "This key launched job" in body(launch(admin, qualification, endpoint, client_key=key, budget_usd="1"))
    job = Job.objects.get()
    assert (job.kind, job.items.get().summary, job.items.get().calls_planned) == ("perturb", qualification.original, 2)
    assert "being asked already" in body(launch(admin, qualification, endpoint))
    assert Job.objects.count() == 1
    assert body(admin.get(reverse("summarizer:job", args=[job.pk])))


def test_only_admins_ask(client, qualification, endpoint):
    client.force_login(make_user(Role.RESEARCHER))
    assert launch(client, qualification, endpoint).status_code == 403
    assert "Ask an LLM" not in body(client.get(reverse("annotation:study-qualification", args=["tested"])))


def answered(admin, qualification, endpoint):
    """A launched job's item, with an answer for each of its statements."""
    launch(admin, qualification, endpoint)
    item = Job.objects.get().items.get()
    strategy = PerturbKind().strategy(item)
    steps = next(strategy)
    with pytest.raises(StopIteration) as end:
        strategy.send([Answer(f"Changed: Something else, {number}.") for number in range(len(steps))])
    return item, end.value.value


def test_answers_become_proposals(admin, qualification, endpoint):
    item, result = answered(admin, qualification, endpoint)
    PerturbKind().save(item, result)
    found = Perturbation.objects.order_by("unit__index").values_list("kind", "state", "text", "proposed", "rule")
    assert list(found) == [
        ("llm", "proposed", f"Something else, {number}.", f"Something else, {number}.", "small, change-statement-1")
        for number in range(2)
    ]


def test_what_was_decided_meanwhile_stays(admin, qualification, endpoint):
    item, result = answered(admin, qualification, endpoint)
    one, other = (each.key for each in result)
    write_change(qualification=qualification, unit_id=one, text="By hand.", by_id=None)
    write_change(qualification=qualification, unit_id=other, text="Something else, 1.", by_id=None)
    drop_change(qualification=qualification, unit_id=other, by_id=None)
    PerturbKind().save(item, result)
    assert list(Perturbation.objects.order_by("pk").values_list("text", "state", "problem")) == [
        ("By hand.", "accepted", ""),
        ("Something else, 1.", "dropped", ""),
        ("", "unread", "The answer is a change that was dropped before."),
    ]


@pytest.mark.django_db(transaction=True)
def test_what_can_not_be_read_is_shown_and_others_are_asked_about_next(
    monkeypatch, admin, qualification, endpoint, llm_server
):
    """Over HTTP to a server: one statement is refused, of the other the answer is no change twice."""
    monkeypatch.setattr(queue, "send", lambda items: None)
    Endpoint.objects.update(base_url=llm_server.base_url)
    asked = [each.unit for each in plan_proposals(qualification, endpoint, 400).statements]

    def rule(request):
        refused = f"<statement>\n{asked[0].quote}\n</statement>" in request.prompt
        return completion(None, refusal="I would rather not.") if refused else "What a fine story."

    llm_server.script(rule)
    assert launch(admin, qualification, endpoint, budget_usd="0.01").status_code == 302
    job = Job.objects.get()
    run_item(job.items.get().pk)
    assert (job.items.get().state, llm_server.calls) == ("done", 3)
    found = list(Perturbation.objects.order_by("unit__index").values_list("unit", "state", "problem"))
    assert [row[:2] for row in found] == [(unit.pk, "unread") for unit in asked]
    assert "I would rather not." in found[0][2]
    assert found[1][2] == "The answer has no line that begins with “Changed:”."
    shown = body(admin.get(reverse("annotation:study-qualification", args=["tested"])))
    assert "small, change-statement-1 gave no usable answer: The answer has no line" in shown
    assert "Propose 2 changes" in shown
    following = plan_proposals(qualification, endpoint, 400).statements
    assert not {each.unit.pk for each in following} & {unit.pk for unit in asked}
    assert "the reason stands beside the statement" in body(admin.get(reverse("summarizer:job", args=[job.pk])))


@pytest.mark.django_db(transaction=True)
def test_a_budget_holds(monkeypatch, admin, qualification, endpoint, llm_server):
    """A prompt of some 300 tokens at $1 and an answer of 400 at $2 a million could take more than $0.0001."""
    monkeypatch.setattr(queue, "send", lambda items: None)
    Endpoint.objects.update(base_url=llm_server.base_url)
    assert launch(admin, qualification, endpoint, budget_usd="0.0001").status_code == 302
    item = Job.objects.get().items.get()
    run_item(item.pk)
    item.refresh_from_db()
    assert (item.state, item.error_kind, llm_server.calls) == ("failed", "budget", 0)
    assert not Perturbation.objects.exists()


def test_a_deleted_test_takes_no_proposals(admin, qualification, endpoint):
    item, result = answered(admin, qualification, endpoint)
    qualification.delete()
    with pytest.raises(StrategyFailed, match="made or deleted meanwhile"):
        PerturbKind().save(item, result)
