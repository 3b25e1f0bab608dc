"""Run a judge on summaries, or say what that would cost."""

from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.access import sealed_summary_ids
from annotation.judge.judges import (
    BATCH_SIZE,
    MAX_ANSWER_TOKENS,
    TEMPERATURE,
    JudgeParameters,
    JudgeRefused,
    judge_parameters,
)
from annotation.judge.launch_plan import JudgePlan, plan_judge_job
from annotation.judge.selectors import JudgedCounts, judged_counts, summaries_to_choose
from annotation.judge.services import JudgeLaunch, launch_judge_job
from annotation.models import Study
from annotation.services.studies import StudyError
from scoring.statistics.booookscore import judge_score
from summarizer.jobs.selectors import JobProgress, job_progress
from summarizer.jobs.services import JobError
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
from summarizer.models import Summary, System
from summarizer.services.endpoints import EndpointError, endpoint_named
from summarizer.services.prompt_sets import PromptSetError, load_prompt_set

#: The figures of a launch with nothing left to do.
NOTHING_SPENT = {
    "calls": 0,
    "attempts": 0,
    "prompt_tokens": 0,
    "cached_tokens": 0,
    "completion_tokens": 0,
    "cost_usd": 0.0,
    "possible_cost_usd": 0.0,
    "wall_s": 0.0,
}
#: In place of what was found on a summary of a study that is being reviewed.
SEALED = "Under blind review: what was found stays hidden until the study is unblinded or closed."
REFUSALS = (JudgeRefused, StudyError, JobError, EndpointError, PromptSetError)


class Command(BaseCommand):
    help = "Judge the sentences of summaries. Prints one JSON document."

    def add_arguments(self, parser: CommandParser) -> None:
        chosen = parser.add_mutually_exclusive_group(required=True)
        chosen.add_argument("--system", help="name of the system whose summaries are judged")
        chosen.add_argument("--summary", type=row_number, nargs="+", metavar="ID", help="the summaries to judge")
        parser.add_argument("--endpoint", required=True, help="name of the endpoint; rules is the baseline without LLM")
        parser.add_argument(
            "--mode",
            choices=["sentence", "batch"],
            default="sentence",
            help="one call a sentence, or several sentences a call (another judge: their marks never mix)",
        )
        parser.add_argument(
            "--batch-size",
            type=whole_number,
            default=BATCH_SIZE,
            help="with --mode batch: sentences a call asks about at most; not to be taken for --batch, which is the "
            "server's Batch API",
        )
        parser.add_argument("--prompts", default="default", help="a prompt set's name, or a folder of prompt files")
        parser.add_argument("--temperature", type=float, default=TEMPERATURE)
        parser.add_argument(
            "--max-answer-tokens",
            type=whole_number,
            default=MAX_ANSWER_TOKENS,
            help="longest answer about a sentence (a call about ten gets ten times that); models that reason before "
            "they answer need more",
        )
        parser.add_argument("--study", help="name of the study in which the judge's marks count")
        parser.add_argument(
            "--repeat", type=whole_number, default=1, help="2 or more: judge again, as a judge of its own"
        )
        add_run_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            parameters = _parameters(options)
            study = _study(options["study"])
            summaries = _summaries(options, study)
            run = run_of(options, parameters.endpoint)
            if options["dry_run"]:
                planned = plan_judge_job(parameters=parameters, summaries=summaries, run=run)
                self.stdout.write(as_json(_planned(planned)))
                return
            launch = launch_judge_job(
                parameters=parameters, summaries=summaries, study=study, budget_usd=options["budget"], run=run
            )
        except REFUSALS as error:
            raise CommandError(str(error)) from error
        progress = _progress(launch, wait=options["wait"])
        self.stdout.write(as_json(_result(launch, summaries, progress)))
        if progress and options["wait"]:
            raise_if_unfinished(progress)


def _progress(launch: JudgeLaunch, *, wait: bool) -> JobProgress | None:
    if launch.job is None:
        return None
    return finish_with_bar(launch.job) if wait else job_progress(launch.job)


def _parameters(options: dict[str, Any]) -> JudgeParameters:
    endpoint = endpoint_named(options["endpoint"])
    return judge_parameters(
        endpoint=endpoint,
        prompt_set=load_prompt_set(options["prompts"]) if endpoint.is_llm else None,
        mode=options["mode"],
        batch_size=options["batch_size"],
        temperature=options["temperature"],
        max_answer_tokens=options["max_answer_tokens"],
        repeat=options["repeat"],
    )


def _study(name: str | None) -> Study | None:
    if name is None:
        return None
    if study := Study.objects.filter(name=name).first():
        return study
    raise CommandError(f"There is no study called {name!r}. Make it with create_study.")


def _summaries(options: dict[str, Any], study: Study | None) -> list[Summary]:
    """The summaries to judge: those named, or the system's (only those in the study, if one is given)."""
    if name := options["system"]:
        system = System.objects.filter(name=name).first()
        if system is None:
            raise CommandError(f"There is no system called {name!r}.")
        if found := summaries_to_choose(study=study, system=system):
            return found
        raise CommandError(f"The system {name!r} has no summaries{' in this study' if study else ''}.")
    wanted = list(dict.fromkeys(options["summary"]))
    found = summaries_to_choose(ids=wanted)
    if missing := sorted(set(wanted) - {summary.pk for summary in found}):
        raise CommandError(f"There is no summary {', '.join(map(str, missing))}.")
    return sorted(found, key=lambda summary: wanted.index(summary.pk))


def _planned(plan: JudgePlan) -> dict[str, Any]:
    rows = [
        {
            "summary": entry.summary.pk,
            "sentences": entry.count,
            "calls": entry.plan.calls if entry.plan else 0,
            **({"left_out": entry.left_out} if entry.left_out else {}),
        }
        for entry in plan.summaries
    ]
    cost = plan.total.cost_usd
    return {
        "job": None,
        "state": "planned",
        "system": _system_name(entry.summary for entry in plan.summaries),
        "judge": plan.judge_name,
        "summaries": rows,
        "calls": plan.total.calls,
        "attempts": 0,
        "prompt_tokens": plan.total.prompt_tokens,
        "cached_tokens": 0,
        "completion_tokens": plan.total.completion_tokens,
        "cost_usd": None if cost is None else float(cost),
        **time_planned(plan.seconds, plan.total.rounds),
    }


def _result(launch: JudgeLaunch, summaries: list[Summary], progress: JobProgress | None) -> dict[str, Any]:
    left_out = {entry.summary.pk: entry.left_out for entry in launch.plan.left_out if not entry.is_judged}
    sealed = sealed_summary_ids()
    return {
        "job": launch.job.pk if launch.job else None,
        "state": progress.state if progress else "done",
        "system": _system_name(summaries),
        "judge": launch.judge.pseudonym,
        "summaries": [
            _sealed_row(counts)
            if counts.summary.pk in sealed
            else _summary_row(counts, left_out.get(counts.summary.pk))
            for counts in judged_counts(launch.judge, summaries)
        ],
        **(figures(progress) if progress else NOTHING_SPENT),
    }


def _sealed_row(counts: JudgedCounts) -> dict[str, Any]:
    hidden = {"confused": None, "unparsed": None, "score": None, "sealed": SEALED}
    return {"summary": counts.summary.pk, "sentences": counts.sentences, **hidden}


def _summary_row(counts: JudgedCounts, left_out: str | None) -> dict[str, Any]:
    """The score is the share of clean sentences by position; null while a sentence is unparsed or none is judged.

    Beside a missing one: its coverage, and its bounds with all unparsed sentences confused, or clean.
    """
    score, bounds = None, {}
    if counts.confused is not None and counts.unparsed is not None:
        found = judge_score(sentences=counts.sentences, confused=counts.confused, unparsed=counts.unparsed)
        score = found.score.value
        if counts.unparsed:
            bounds = {"coverage": found.coverage, "bounds": [found.low, found.high]}
    row = {
        "summary": counts.summary.pk,
        "sentences": counts.sentences,
        "confused": counts.confused,
        "unparsed": counts.unparsed,
        "score": score,
        **bounds,
    }
    return {**row, "left_out": left_out} if left_out else row


def _system_name(summaries: Iterable[Summary]) -> str | None:
    """The name of the system, if all summaries are by one."""
    names = {summary.system.name for summary in summaries}
    return names.pop() if len(names) == 1 else None
