"""The kind of job that judges summaries."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.db.models import Q
from django.utils import timezone

from annotation.error_types import ensure_error_types
from annotation.judge.batch_strategy import judge_in_batches
from annotation.judge.judges import JudgeRefused, lock_judge, parameters_of
from annotation.judge.launch_plan import JUDGE, judged_summary
from annotation.judge.parsing import State
from annotation.judge.strategy import SentenceVerdict, judge_sentences
from annotation.models import Annotation, AnnotationErrorType, AnnotationSet, Annotator, Span, Verdict
from summarizer.models import Job, JobItem, Sentence, Summary
from summarizer.providers.base import FailureKind
from summarizer.strategies.base import Failure, Strategy, StrategyFailed
from summarizer.text import canonical_text


class JudgeKind:
    """An item is a summary; its job's parameters name the judge: {"judge": id}."""

    name = JUDGE
    result_template = "annotation/job_result_judge.html"
    refusal_fails = False

    def same_work(self, parameters: Mapping[str, Any]) -> Q:
        """A judge marks a summary once, for all studies."""
        return Q(job__parameters__judge=parameters.get("judge"))

    def lock_work(self, job: Job) -> None:
        lock_judge(job.parameters["judge"])

    def strategy(self, item: JobItem) -> Strategy[list[SentenceVerdict]]:
        """Raises `StrategyFailed` when the endpoint has another model since the launch, or the summary is marked."""
        summary, judge = summary_of_item(item), judge_of_item(item)
        try:
            settings = parameters_of(judge).settings()
        except JudgeRefused as error:
            raise failed("before the first call", str(error)) from error
        _require_unmarked(judge, summary, "before the first call")
        judging = judge_sentences if settings.batch_size is None else judge_in_batches
        return judging(judged_summary(summary, summary.sentences.order_by("index")), settings)

    def save(self, item: JobItem, result: Any) -> None:
        """Store the judge's set. Raises `StrategyFailed` when the judge has marked the summary in another job."""
        judge, summary = judge_of_item(item), summary_of_item(item)
        _require_unmarked(judge, summary, "storing the verdicts")
        save_verdicts(judge=judge, summary=summary, verdicts=result)


def _require_unmarked(judge: Annotator, summary: Summary, step: str) -> None:
    if AnnotationSet.objects.filter(annotator=judge, summary=summary, study=None).exists():
        raise failed(step, f"{judge} has marked this summary already. Its first marks stay.")


def save_verdicts(*, judge: Annotator, summary: Summary, verdicts: Sequence[SentenceVerdict]) -> AnnotationSet:
    """Store one submitted set: a verdict for every sentence and a mark on the whole of each confused one.

    `verdicts` belong to the summary's sentences by index and must be complete. Runs in the caller's transaction.
    """
    sentences = list(summary.sentences.order_by("index"))
    annotation_set = AnnotationSet.objects.create(
        annotator=judge, summary=summary, state=AnnotationSet.State.SUBMITTED, submitted_at=timezone.now()
    )
    marks = _save_marks(annotation_set, sentences, [each for each in verdicts if each.state is State.CONFUSED])
    Verdict.objects.bulk_create(
        Verdict(
            annotation_set=annotation_set,
            sentence=sentence,
            state=verdict.state.value,
            annotation=marks.get(verdict.index),
            call_id=verdict.call_id,
            problem=short_problem(verdict.problem),
        )
        for sentence, verdict in zip(sentences, verdicts, strict=True)
    )
    return annotation_set


def _save_marks(
    annotation_set: AnnotationSet, sentences: Sequence[Sentence], confused: Sequence[SentenceVerdict]
) -> dict[int, Annotation]:
    """The marks of the confused sentences, by the sentence's index."""
    text = annotation_set.summary.text
    marks = Annotation.objects.bulk_create(
        Annotation(annotation_set=annotation_set, client_key=uuid4(), questions=canonical_text(verdict.questions)[0])
        for verdict in confused
    )
    by_index = {verdict.index: mark for verdict, mark in zip(confused, marks, strict=True)}
    Span.objects.bulk_create(
        Span(annotation=mark, start=start, end=end, quote=text[start:end])
        for index, mark in by_index.items()
        for start, end in [(sentences[index].start, sentences[index].end)]
    )
    types = {row.key: row for row in ensure_error_types()}
    AnnotationErrorType.objects.bulk_create(
        AnnotationErrorType(annotation=by_index[verdict.index], errortype=types[key])
        for verdict in confused
        for key in verdict.types
    )
    return by_index


def failed(step: str, message: str) -> StrategyFailed:
    return StrategyFailed(step, Failure(FailureKind.PERMANENT, message))


def judge_of_item(item: JobItem) -> Annotator:
    return Annotator.objects.select_related("endpoint", "prompt_set").get(pk=item.job.parameters["judge"])


def summary_of_item(item: JobItem) -> Summary:
    if item.summary is None:
        raise ValueError(f"{item} has no summary.")
    return item.summary


def short_problem(text: str) -> str:
    """In one line, as long as its column at most."""
    limit = 300
    line = " ".join(canonical_text(text)[0].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
