"""The kind of job that asks an LLM for changes of a test's statements: its plan, its launch, and what it stores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.faithfulness.proposing import PROMPT_NAME, Proposed, ToChange, expected_answer, propose
from annotation.models import FaithfulnessPlan, Perturbation, Qualification, Study
from annotation.selectors.qualification import (
    Statement,
    qualification_of,
    qualifications,
    statements_of,
    wanted_changes,
)
from annotation.services.studies import StudyError
from summarizer.jobs.launch_keys import LaunchKey, launched_with
from summarizer.jobs.services import launch_job
from summarizer.models import Endpoint, Job, JobItem
from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Failure, Strategy, StrategyFailed
from summarizer.strategies.plan import Plan, plan
from summarizer.text import canonical_text
from summarizer.tokens import count_tokens

PERTURB = "perturb"


@dataclass(frozen=True)
class ProposalPlan:
    """What asking would do and cost, as shown before it."""

    statements: list[Statement]
    plan: Plan


def plan_proposals(qualification: Qualification, endpoint: Endpoint, max_answer_tokens: int) -> ProposalPlan:
    """For as many statements as are missing to half, drawn by lot. Raises StudyError where there is none."""
    chosen = _missing(qualification)
    if not chosen:
        raise StudyError("About half of the statements are changed already, or a change is proposed for them.")
    material = _material(qualification, chosen, max_answer_tokens)
    found = plan(propose(material), endpoint, expected_answer)
    longest = found.prompt_tokens // len(chosen) + max_answer_tokens
    if longest > endpoint.context_window:
        raise StudyError(
            f"A prompt and its answer need about {longest:,} tokens, and the endpoint’s context window has "
            f"{endpoint.context_window:,}."
        )
    return ProposalPlan(chosen, found.without_result())


@transaction.atomic
def launch_proposals(
    *,
    study: Study,
    endpoint: Endpoint,
    max_answer_tokens: int,
    planned_calls: int,
    budget_usd: Decimal | None = None,
    launched_by: AbstractBaseUser | None = None,
    launch_key: LaunchKey | None = None,
) -> Job:
    """The same launch sent again, under its `launch_key`, returns the job of the first.

    Raises StudyError where there is nothing to ask, or another number of calls than was shown, and JobError.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    if launched := launched_with(launch_key, launched_by):
        return launched
    qualification = qualification_of(study)
    if qualification is None or not _is_being_made(qualification):
        raise StudyError("There is no test that is being made.")
    running = Job.objects.filter(kind=PERTURB, parameters__qualification=qualification.pk)
    if running.filter(items__state__in=JobItem.UNFINISHED).exists():
        raise StudyError("An LLM is being asked already. Look under Jobs, and decide about what it proposes first.")
    planned = plan_proposals(qualification, endpoint, max_answer_tokens)
    if planned.plan.calls != planned_calls:
        raise StudyError("The plan has changed since it was shown. Look at the new one, and launch again.")
    return launch_job(
        kind=PERTURB,
        endpoint=endpoint,
        subjects=[qualification.original],
        parameters={
            "study": study.name,
            "qualification": qualification.pk,
            "statements": [each.unit.pk for each in planned.statements],
            "max_answer_tokens": max_answer_tokens,
            "model": endpoint.model,
        },
        plan=planned.plan.as_json() | {"items": [{"calls": planned.plan.calls}]},
        budget_usd=budget_usd,
        launched_by=launched_by,
        launch_key=launch_key,
    )


class PerturbKind:
    """An item is the summary that a test is made from; its job's parameters name the test and the statements."""

    name = PERTURB
    result_template = "annotation/faithfulness/job_result_proposals.html"
    refusal_fails = False

    def same_work(self, parameters: Mapping[str, Any]) -> Q:
        """One LLM at a time, as at a launch."""
        return Q(job__parameters__qualification=parameters.get("qualification"))

    def lock_work(self, job: Job) -> None:
        Study.objects.select_for_update().filter(name=job.parameters["study"]).first()

    def strategy(self, item: JobItem) -> Strategy[list[Proposed]]:
        """Raises `StrategyFailed` when the test or its statements are gone, or the endpoint has another model."""
        parameters = item.job.parameters
        qualification = _test_of(item)
        if item.job.endpoint.model != parameters["model"]:
            raise _failed("before the first call", "The endpoint has another model now. Set it back, or launch anew.")
        wanted = set(parameters["statements"])
        chosen = [each for each in statements_of(qualification) if each.unit.pk in wanted]
        if len(chosen) != len(wanted):
            raise _failed("before the first call", "The text was cut anew since, so these statements are gone.")
        return propose(_material(qualification, chosen, parameters["max_answer_tokens"]))

    def save(self, item: JobItem, result: Any) -> None:
        """Propose what was answered for statements for which nothing was decided meanwhile, or keep why not."""
        Study.objects.select_for_update().get(name=item.job.parameters["study"])
        qualification = _test_of(item)
        free = {each.unit.pk: each for each in statements_of(qualification) if each.is_free}
        rule = f"{item.job.parameters['model']}, {PROMPT_NAME}"[:300]
        Perturbation.objects.bulk_create(
            _perturbation(each, rule, free[each.key].dropped) for each in result if each.key in free
        )


def _perturbation(answer: Proposed, rule: str, dropped: Sequence[Perturbation]) -> Perturbation:
    """Not saved. What a researcher dropped before is no answer either: the same prompt gives it again."""
    text, problem = canonical_text(answer.text)[0], answer.problem
    if text and text in {each.text for each in dropped}:
        text, problem = "", "The answer is a change that was dropped before."
    change = Perturbation(unit_id=answer.key, kind=Perturbation.Kind.LLM, proposed=text, text=text, rule=rule)
    if not text:
        change.state, change.decided_at = Perturbation.State.UNREAD, timezone.now()
        change.problem = " ".join(canonical_text(problem)[0].split())[:300] or "The answer is empty."
    return change


def _missing(qualification: Qualification) -> list[Statement]:
    """Drawn by lot, those without a usable answer last; the same ones until something is decided or answered."""
    statements = statements_of(qualification)
    answered = sum(len(each.dropped) + len(each.unread) for each in statements)
    free = [each for each in statements if each.is_free]
    Random(f"{qualification.plan.study.seed} asked {answered}").shuffle(free)
    chosen = sorted(free, key=lambda each: len(each.unread))[: wanted_changes(statements)]
    return sorted(chosen, key=lambda each: each.number)


def _material(qualification: Qualification, chosen: list[Statement], max_answer_tokens: int) -> ToChange:
    statements = tuple((each.unit.pk, each.unit.quote, count_tokens(each.unit.quote)) for each in chosen)
    return ToChange(qualification.original.text, statements, max_answer_tokens)


def _is_being_made(qualification: Qualification) -> bool:
    plan_now = qualification.plan
    in_setup = plan_now.state == FaithfulnessPlan.State.SETUP and plan_now.study.phase != Study.Phase.CLOSED
    return in_setup and qualification.test_id is None


def _test_of(item: JobItem) -> Qualification:
    found = qualifications().filter(pk=item.job.parameters["qualification"]).first()
    if found is None or not _is_being_made(found):
        raise _failed("the test", "The test was made or deleted meanwhile, so nothing is proposed any more.")
    return found


def _failed(step: str, message: str) -> StrategyFailed:
    return StrategyFailed(step, Failure(FailureKind.PERMANENT, message))
