"""What a report was made with: versions, judges, prompts, and the rules of its figures."""

from typing import Any

from django.conf import settings

from annotation.models import Annotator, Study
from scoring.report.agreement.structure import AgreementOptions
from scoring.report.structure import Report
from scoring.statistics.intervals import RESAMPLES
from summarizer.models import System

#: The rules of the figures, in short; the methods page has them in full.
RULES = {
    "Score, people, published": "1 - (single marks + relations) / sentences",
    "Score, people, by sentence": "1 - sentences touched by a mark / sentences",
    "Score, judge": "clean sentences / sentences, by position; a summary with an unparsed sentence has bounds only",
    "Several people": "mean over the submitted sets of a summary, then over summaries",
    "System": "plain mean over its scored summaries; different splitters are never averaged",
    "Intervals": f"95 %, percentile bootstrap over books, {RESAMPLES:,} resamples, seeded",
    "Precision": "(agree + partially agree) / decided; strict: agree / decided",
    "ROUGE-L": r"F1 of the longest common subsequence of lower-cased \w+ tokens with the best reference of the book",
    "Faithfulness": "supported / judged units, or a rating on 0 to 100; mean over people, then over summaries",
    "Trigrams": r"lower-cased \w+ tokens; repeated: 1 - distinct / all; novel: distinct not in the book / distinct",
}


def made_with(study: Study, report: Report, options: AgreementOptions) -> dict[str, Any]:
    """Plain values."""
    judges = {judge.pk: judge for judge in study.judges.select_related("prompt_set")}
    systems = System.objects.filter(summaries__studies=study).distinct().select_related("prompt_set").order_by("name")
    return {
        "software": f"Booook Web {settings.VERSION}",
        "splitters": sorted(study.summaries.order_by().values_list("splitter", flat=True).distinct()),
        "seed": study.seed,
        "resamples": RESAMPLES,
        "epsilon": options.epsilon,
        "guidelines": [used.version for used in report.guidelines if used.version is not None],
        "systems": [_system(system) for system in systems],
        "judges": [{"judge": name.label, **_judge(judges[name.id])} for name in report.judges] + _of_units(report),
        "rules": RULES,
    }


def _system(system: System) -> dict[str, Any]:
    return {
        "system": system.name,
        "strategy": system.strategy,
        "model": system.model,
        "chunk_size": system.chunk_size,
        "max_summary_tokens": system.max_summary_tokens,
        "temperature": system.temperature,
        "prompt_set": system.prompt_set.name if system.prompt_set else None,
        "prompt_set_sha256": system.prompt_set.content_sha256 if system.prompt_set else None,
    }


def _of_units(report: Report) -> list[dict[str, Any]]:
    """The judges of units, by name."""
    found = report.faithfulness.unit_judges.judges if report.faithfulness else []
    if not found:
        return []
    rows = Annotator.objects.filter(pk__in=[each.id for each in found]).select_related("prompt_set")
    judges = {judge.pk: judge for judge in rows}
    return [{"judge": each.name, "passages": each.passages, **_judge(judges[each.id])} for each in found]


def _judge(judge: Annotator) -> dict[str, Any]:
    return {
        "model": judge.model,
        "mode": judge.mode,
        "sentences_a_call": judge.batch_size,
        "temperature": judge.temperature,
        "repeat": judge.repeat,
        "absent": judge.absent_rule or None,
        "prompt_set": judge.prompt_set.name if judge.prompt_set else None,
        "prompt_set_sha256": judge.prompt_set.content_sha256 if judge.prompt_set else None,
    }
