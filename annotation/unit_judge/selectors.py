"""What units can be judged by, and what judges found, as counts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Case, Count, Q, QuerySet, Value, When

from annotation.access import blinded_summary_ids
from annotation.judge.selectors import judge_of
from annotation.models import Annotator, FaithfulnessPlan, Unit, UnitVerdict
from annotation.unit_judge.strategy import PROMPT_FILE
from summarizer.models import Endpoint, Job, JobItem, PromptSet, Summary
from summarizer.services.prompt_sets import load_prompt_set

State = UnitVerdict.State


def unit_judging_endpoints() -> QuerySet[Endpoint]:
    """Endpoints that can judge units: those with an LLM."""
    return Endpoint.objects.exclude(provider__in=(Endpoint.Provider.EXTRACTIVE, Endpoint.Provider.RULES)).order_by(
        "name"
    )


def unit_judging_prompt_sets() -> QuerySet[PromptSet]:
    """Prompt sets that have a prompt about a unit, our own first, then the newest."""
    first = Case(When(pk=load_prompt_set("default").pk, then=Value(0)), default=Value(1))
    return PromptSet.objects.filter(files__has_key=PROMPT_FILE).order_by(first, "-created_at")


def summaries_with_units(plan: FaithfulnessPlan) -> list[Summary]:
    """The summaries of the study, each with the number of its different units as `unit_count`."""
    different = Count("units", filter=Q(units__plan=plan, units__same_as=None))
    summaries = plan.study.summaries.select_related("book", "system__endpoint").defer("book__text")
    return list(summaries.annotate(unit_count=different).order_by("book__title", "system__name", "pk"))


def unit_judges_of(plan: FaithfulnessPlan) -> list[Annotator]:
    """Judges that have judged units of the study, by name. They are apart from the judges whose marks it counts."""
    verdicts = UnitVerdict.objects.filter(unit__plan=plan).order_by().values("annotator")
    return list(Annotator.objects.filter(pk__in=verdicts).select_related("endpoint").order_by("pseudonym"))


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """A judge on the units of one summary, a repeated unit at each of its places; what is in no state is not judged."""

    summary: Summary
    units: int
    supported: int = 0
    unsupported: int = 0
    unparsed: int = 0

    @property
    def is_judged(self) -> bool:
        return self.supported + self.unsupported + self.unparsed > 0


def unit_counts(judge: Annotator, plan: FaithfulnessPlan, summaries: Iterable[Summary]) -> list[UnitCounts]:
    """Counts for each of `summaries`, in their order, in two queries."""
    chosen = list(summaries)
    units = Unit.objects.filter(plan=plan, summary__in=chosen).order_by().values_list("pk", "summary", "same_as")
    verdicts = UnitVerdict.objects.filter(annotator=judge, unit__plan=plan, unit__summary__in=chosen).order_by()
    said = dict(verdicts.values_list("unit", "state"))
    found: dict[int, Counter[str | None]] = {summary.pk: Counter() for summary in chosen}
    for unit, summary, same_as in units:
        found[summary][said.get(same_as or unit)] += 1
    return [
        UnitCounts(
            summary,
            counts.total(),
            counts[State.SUPPORTED],
            counts[State.UNSUPPORTED],
            counts[State.UNPARSED],
        )
        for summary in chosen
        for counts in [found[summary.pk]]
    ]


@dataclass(frozen=True, slots=True)
class UnparsedUnit:
    """A unit without a readable answer, counted from 1, and why."""

    number: int
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class JudgedUnits:
    """One summary of a job. `counts` is None while the viewer may not see what was found there."""

    item: JobItem
    counts: UnitCounts | None
    unparsed: tuple[UnparsedUnit, ...] = ()


def plan_of_job(job: Job) -> FaithfulnessPlan | None:
    """Whose units a job is about; of an imported one, which names no study, by what it found."""
    plans = FaithfulnessPlan.objects.select_related("study")
    if study := job.parameters.get("study"):
        return plans.filter(study=study).first()
    return plans.filter(units__verdicts__call__item__job=job).order_by("pk").first()


def judged_units(job: Job, viewer: AbstractBaseUser | AnonymousUser) -> list[JudgedUnits]:
    """The summaries of a job with what was found, except where the viewer still has to judge blindly."""
    judge, hidden = judge_of(job), blinded_summary_ids(viewer)
    plan = plan_of_job(job)
    items = list(job.items.select_related("summary__book", "summary__system__endpoint").order_by("index"))
    seen = [item.summary for item in items if item.summary and item.summary.pk not in hidden]
    counts = {each.summary.pk: each for each in unit_counts(judge, plan, seen)} if plan else {}
    unparsed = _unparsed_units(judge, plan, seen) if plan else {}
    return [
        JudgedUnits(item, counts.get(item.summary_id or 0), tuple(unparsed.get(item.summary_id or 0, [])))
        for item in items
    ]


def _unparsed_units(
    judge: Annotator, plan: FaithfulnessPlan, summaries: Iterable[Summary]
) -> dict[int, list[UnparsedUnit]]:
    verdicts = UnitVerdict.objects.filter(
        annotator=judge, unit__plan=plan, unit__summary__in=list(summaries), state=State.UNPARSED
    ).order_by("unit__summary", "unit__index")
    found: dict[int, list[UnparsedUnit]] = {}
    for summary, index, text, problem in verdicts.values_list("unit__summary", "unit__index", "unit__quote", "problem"):
        found.setdefault(summary, []).append(UnparsedUnit(index + 1, text, problem))
    return found
