"""What a judge can be run on, and what it found, as counts."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Case, Count, Q, QuerySet, Value, When

from annotation.access import blinded_summary_ids
from annotation.judge.strategy import BATCH_PROMPT_FILE, PROMPT_FILE
from annotation.models import Annotator, Study, Verdict
from summarizer.models import Endpoint, Job, JobItem, PromptSet, Sentence, Summary, System
from summarizer.services.endpoints import endpoint_named
from summarizer.services.prompt_sets import load_prompt_set


def judging_endpoints() -> QuerySet[Endpoint]:
    """Endpoints that can judge, LLMs first."""
    endpoint_named("rules")
    last = Case(When(provider=Endpoint.Provider.RULES, then=Value(1)), default=Value(0))
    return Endpoint.objects.exclude(provider=Endpoint.Provider.EXTRACTIVE).order_by(last, "name")


def judging_prompt_sets() -> QuerySet[PromptSet]:
    """Prompt sets that have a judge's prompt, our own first, then the newest."""
    first = Case(When(pk=load_prompt_set("default").pk, then=Value(0)), default=Value(1))
    return PromptSet.objects.filter(files__has_any_keys=[PROMPT_FILE, BATCH_PROMPT_FILE]).order_by(first, "-created_at")


def summaries_to_choose(
    *, study: Study | None = None, system: System | None = None, ids: Iterable[int] = ()
) -> list[Summary]:
    """The summaries of the study, of the system, or of the system within the study; without both those with `ids`.

    Each with its number of sentences as `sentence_count`.
    """
    summaries = Summary.objects.select_related("book", "system__endpoint").order_by("book__title", "system__name", "pk")
    summaries = summaries.annotate(sentence_count=Count("sentences"))
    if study is None and system is None:
        return list(summaries.filter(pk__in=list(ids)))
    if study:
        summaries = summaries.filter(pk__in=study.summaries.values("pk"))
    return list(summaries.filter(system=system) if system else summaries)


@dataclass(frozen=True, slots=True)
class JudgedCounts:
    """A judge on one summary. `confused` and `unparsed` are None until it is judged."""

    summary: Summary
    sentences: int
    confused: int | None = None
    unparsed: int | None = None

    @property
    def is_judged(self) -> bool:
        return self.confused is not None


def judged_counts(judge: Annotator, summaries: Iterable[Summary]) -> list[JudgedCounts]:
    """Counts of a judge's verdicts for each of `summaries`, in their order, in two queries."""
    chosen = list(summaries)
    sentences = dict(
        Sentence.objects.filter(summary__in=chosen).order_by().values_list("summary").annotate(count=Count("pk"))
    )
    verdicts = Verdict.objects.filter(annotation_set__annotator=judge, annotation_set__summary__in=chosen).order_by()
    rows = verdicts.values_list("annotation_set__summary").annotate(
        confused=Count("pk", filter=Q(state=Verdict.State.CONFUSED)),
        unparsed=Count("pk", filter=Q(state=Verdict.State.UNPARSED)),
    )
    found = {summary: (confused, unparsed) for summary, confused, unparsed in rows}
    return [
        JudgedCounts(summary, sentences.get(summary.pk, 0), *found.get(summary.pk, (None, None))) for summary in chosen
    ]


@dataclass(frozen=True, slots=True)
class UnparsedSentence:
    """A sentence without a readable answer, counted from 1, and why."""

    number: int
    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One summary of a judge job. `counts` is None while the viewer may not see what was found there."""

    item: JobItem
    counts: JudgedCounts | None
    unparsed: tuple[UnparsedSentence, ...] = ()


def judge_of(job: Job) -> Annotator:
    return Annotator.objects.select_related("endpoint", "prompt_set").get(pk=job.parameters["judge"])


def judged_items(job: Job, viewer: AbstractBaseUser | AnonymousUser) -> list[JudgedItem]:
    """The summaries of a judge job with what was found, except where the viewer still has to judge blindly."""
    judge = judge_of(job)
    hidden = blinded_summary_ids(viewer)
    items = list(job.items.select_related("summary__book", "summary__system__endpoint").order_by("index"))
    seen = [item.summary for item in items if item.summary and item.summary.pk not in hidden]
    counts = {each.summary.pk: each for each in judged_counts(judge, seen)}
    unparsed = _unparsed_sentences(judge, seen)
    return [
        JudgedItem(item, counts.get(item.summary_id or 0), tuple(unparsed.get(item.summary_id or 0, [])))
        for item in items
    ]


def _unparsed_sentences(judge: Annotator, summaries: Iterable[Summary]) -> dict[int, list[UnparsedSentence]]:
    verdicts = Verdict.objects.filter(
        annotation_set__annotator=judge, annotation_set__summary__in=list(summaries), state=Verdict.State.UNPARSED
    ).select_related("sentence__summary")
    found: dict[int, list[UnparsedSentence]] = {}
    for verdict in verdicts.order_by("sentence__summary", "sentence__index"):
        sentence = verdict.sentence
        text = sentence.summary.text[sentence.start : sentence.end]
        found.setdefault(sentence.summary_id, []).append(UnparsedSentence(sentence.index + 1, text, verdict.problem))
    return found
