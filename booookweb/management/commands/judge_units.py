"""Run a judge on the units of a study's summaries, or say what that would cost."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.access import sealed_summary_ids
from annotation.faithfulness.selectors import plan_of
from annotation.judge.judges import MAX_ANSWER_TOKENS, TEMPERATURE, JudgeParameters
from annotation.judge.launch_plan import JudgePlan
from annotation.judge.services import JudgeLaunch
from annotation.models import FaithfulnessPlan, Study
from annotation.unit_judge.judges import unit_judge_parameters
from annotation.unit_judge.launch_plan import plan_unit_job
from annotation.unit_judge.passages import NEIGHBOURS, PASSAGES
from annotation.unit_judge.selectors import UnitCounts, summaries_with_units, unit_counts
from annotation.unit_judge.services import launch_unit_job
from booookweb.management.commands.judge import NOTHING_SPENT, REFUSALS, SEALED
from scoring.statistics.unit_judge import unit_score
from summarizer.jobs.selectors import JobProgress, job_progress
from summarizer.management.book_files import as_json
from summarizer.management.job_reports import (
    add_run_arguments,
    figures,
    finish_with_bar,
    raise_if_unfinished,
    run_of,
    time_planned,
)
from summarizer.management.options import row_number, whole_number
from summarizer.models import Summary
from summarizer.services.endpoints import endpoint_named
from summarizer.services.prompt_sets import load_prompt_set


class Command(BaseCommand):
    help = "Judge the units of a study's summaries beside passages of their books. Prints one JSON document."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--study", required=True, help="name of the study whose units are judged")
        parser.add_argument("--summary", type=row_number, nargs="+", metavar="ID", help="only these of its summaries")
        parser.add_argument("--endpoint", required=True, help="name of the endpoint")
        parser.add_argument(
            "--passages",
            type=whole_number,
            default=PASSAGES,
            metavar="N",
            help=f"show the N sentences of the book that most likely bear on a unit, each with {NEIGHBOURS} before and "
            "after it; fewer where the context window ends (another number is another judge)",
        )
        parser.add_argument("--prompts", default="default", help="a prompt set's name, or a folder of prompt files")
        parser.add_argument("--temperature", type=float, default=TEMPERATURE)
        parser.add_argument(
            "--max-answer-tokens",
            type=whole_number,
            default=MAX_ANSWER_TOKENS,
            help="longest answer about a unit; models that reason before they answer need more",
        )
        parser.add_argument(
            "--repeat", type=whole_number, default=1, help="2 or more: judge again, as a judge of its own"
        )
        add_run_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        plan = _plan(options["study"])
        summaries = _summaries(plan, options["summary"])
        try:
            parameters = _parameters(options)
            run = run_of(options, parameters.endpoint)
            if options["dry_run"]:
                planned = plan_unit_job(parameters=parameters, plan=plan, summaries=summaries, run=run)
                self.stdout.write(as_json(_planned(planned, plan)))
                return
            launch = launch_unit_job(
                parameters=parameters, plan=plan, summaries=summaries, budget_usd=options["budget"], run=run
            )
        except REFUSALS as error:
            raise CommandError(str(error)) from error
        progress = _progress(launch, wait=options["wait"])
        self.stdout.write(as_json(_result(launch, plan, summaries, progress)))
        if progress and options["wait"]:
            raise_if_unfinished(progress)


def _progress(launch: JudgeLaunch, *, wait: bool) -> JobProgress | None:
    if launch.job is None:
        return None
    return finish_with_bar(launch.job) if wait else job_progress(launch.job)


def _plan(name: str) -> FaithfulnessPlan:
    study = Study.objects.filter(name=name).first()
    if study is None:
        raise CommandError(f"There is no study called {name!r}. Make it with create_study.")
    if plan := plan_of(study):
        return plan
    raise CommandError(f"The study {name!r} has no plan for faithfulness, so no units. Make it on the study's page.")


def _summaries(plan: FaithfulnessPlan, ids: list[int] | None) -> list[Summary]:
    """The study's, or those named, in the order in which they were named."""
    found = {summary.pk: summary for summary in summaries_with_units(plan)}
    if ids is None:
        return list(found.values())
    wanted = list(dict.fromkeys(ids))
    if missing := [pk for pk in wanted if pk not in found]:
        raise CommandError(f"There is no summary {', '.join(map(str, missing))} in this study.")
    return [found[pk] for pk in wanted]


def _parameters(options: dict[str, Any]) -> JudgeParameters:
    endpoint = endpoint_named(options["endpoint"])
    return unit_judge_parameters(
        endpoint=endpoint,
        prompt_set=load_prompt_set(options["prompts"]) if endpoint.is_llm else None,
        passages=options["passages"],
        temperature=options["temperature"],
        max_answer_tokens=options["max_answer_tokens"],
        repeat=options["repeat"],
    )


def _planned(planned: JudgePlan, plan: FaithfulnessPlan) -> dict[str, Any]:
    """`units` are those that are asked about: repeated ones once, and none that this judge has judged."""
    rows = [
        {
            "summary": entry.summary.pk,
            "units": entry.count,
            "calls": entry.plan.calls if entry.plan else 0,
            **({"units_with_fewer_passages": entry.cut} if entry.cut else {}),
            **({"left_out": entry.left_out} if entry.left_out else {}),
        }
        for entry in planned.summaries
    ]
    cost = planned.total.cost_usd
    return {
        "job": None,
        "state": "planned",
        "study": plan.study.name,
        "judge": planned.judge_name,
        "summaries": rows,
        "calls": planned.total.calls,
        "attempts": 0,
        "prompt_tokens": planned.total.prompt_tokens,
        "cached_tokens": 0,
        "completion_tokens": planned.total.completion_tokens,
        "cost_usd": None if cost is None else float(cost),
        **time_planned(planned.seconds, planned.total.rounds),
    }


def _result(
    launch: JudgeLaunch, plan: FaithfulnessPlan, summaries: list[Summary], progress: JobProgress | None
) -> dict[str, Any]:
    left_out = {entry.summary.pk: entry.left_out for entry in launch.plan.left_out if not entry.is_judged}
    sealed = sealed_summary_ids()
    return {
        "job": launch.job.pk if launch.job else None,
        "state": progress.state if progress else "done",
        "study": plan.study.name,
        "judge": launch.judge.pseudonym,
        "summaries": [
            _sealed_row(counts)
            if counts.summary.pk in sealed
            else _summary_row(counts, left_out.get(counts.summary.pk))
            for counts in unit_counts(launch.judge, plan, summaries)
        ],
        **(figures(progress) if progress else NOTHING_SPENT),
    }


def _sealed_row(counts: UnitCounts) -> dict[str, Any]:
    hidden = {"supported": None, "unsupported": None, "unparsed": None, "score": None, "sealed": SEALED}
    return {"summary": counts.summary.pk, "units": counts.units, **hidden}


def _summary_row(counts: UnitCounts, left_out: str | None) -> dict[str, Any]:
    """Units are counted at each of their places. The score is the share of supported ones, 0 to 100; null while one has
    no readable judgement.

    Beside a missing one: its coverage, and its bounds with all such units not supported, or supported.
    """
    found = unit_score(units=counts.units, supported=counts.supported, unsupported=counts.unsupported)
    row: dict[str, Any] = {
        "summary": counts.summary.pk,
        "units": counts.units,
        "supported": counts.supported if counts.is_judged else None,
        "unsupported": counts.unsupported if counts.is_judged else None,
        "unparsed": counts.unparsed if counts.is_judged else None,
        "score": found.score.value,
    }
    if counts.is_judged and found.score.value is None:
        row |= {"coverage": found.coverage, "bounds": [found.low, found.high]}
    return {**row, "left_out": left_out} if left_out else row
