"""A study with a row of every kind that an export has, and of those that it must not have."""

import hashlib
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import uuid4

from django.apps import apps
from django.db import connection, transaction

from annotation.faithfulness.plans import create_plan
from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    BookKnowledge,
    Comparison,
    ComparisonAnswer,
    ComparisonSheet,
    ComparisonTally,
    Consent,
    ConsentText,
    Evidence,
    GoldDecision,
    GoldEvent,
    GoldSet,
    GoldSource,
    GoldSpan,
    GuidelinesVersion,
    KnownPlace,
    KnownSummary,
    OriginGuess,
    PlantedMark,
    Rating,
    ReviewDecision,
    ReviewItem,
    SampledUnit,
    Span,
    Study,
    StudyMember,
    Unblinding,
    UnitJudgement,
    UnitSample,
    UnitVerdict,
    Verdict,
)
from annotation.services.comparison_rounds import create_round
from annotation.services.studies import create_study
from booookweb.models import User
from scoring.models import MetricValue, Report
from summarizer.models import (
    Book,
    Endpoint,
    Job,
    JobItem,
    LLMAttempt,
    LLMCall,
    PromptSet,
    Section,
    Summary,
    SummaryNode,
    System,
)
from summarizer.services.references import add_reference
from summarizer.services.summaries import create_summary
from summarizer.text import text_sha256
from tests.factories import make_marks, make_user
from tests.prepared import FILLED_BY_MIGRATIONS

#: What must leave no application: names, addresses, ids of platforms, and what checks are made of.
SECRETS = (
    "grace.hopper",
    "grace@example.org",
    "SECRET_API_KEY",
    "10.1.2.3",
    "COMPLETED-CODE",
    "a planted question",
    "The known brook",
    "a check's question",
)
BOOK_TEXT = "Emma leaves the mill.\nRolf stays 😀.\n\n<b>Mia</b> sails & returns."
SOURCE_WORDS = ("sails & returns", "a summary of a chunk", "reply about a chunk", "A reference: Emma")


def whole_study() -> Study:
    user = make_user(name="grace.hopper")
    User.objects.filter(pk=user.pk).update(email="grace@example.org", first_name="Grace")
    person = Annotator.objects.create(kind="person", pseudonym="P-AAA222", user=user)
    reviewer = Annotator.objects.create(kind="person", pseudonym="P-BBB333", left_at=_at(3))
    endpoint = Endpoint.objects.create(
        name="local",
        base_url="http://10.1.2.3/v1",
        model="tiny",
        api_key_variable="SECRET_API_KEY",
        price_prompt=Decimal("0.15"),
    )
    prompts = PromptSet.objects.create(
        name="ours", content_sha256="ab" * 32, placeholders="named", files={"z.txt": "{text}", "a.txt": "{summary}"}
    )
    judge = Annotator.objects.create(
        kind="judge",
        pseudonym="tiny judge",
        endpoint=endpoint,
        prompt_set=prompts,
        model="tiny",
        mode="sentence",
        temperature=0.0,
        max_answer_tokens=256,
    )
    study = create_study(
        name="whole",
        title="The whole <study>",
        seed=7,
        completion_code="COMPLETED-CODE",
        pay_per_summary=Decimal("1.70"),
        annotate_by=date(2030, 1, 2),
        import_notes=[{"where": "x", "what": "y"}],
    )
    first, second = _summaries(endpoint, prompts)
    study.summaries.add(first, second)
    study.judges.add(judge)
    for each in (person, reviewer):
        StudyMember.objects.create(study=study, annotator=each, reviews=each == reviewer)
    _judge(study, judge, first, endpoint)
    _compare(study, person, first, second)
    _faithfulness(study, person, reviewer, first)
    _judge_units(study, first, endpoint, prompts)
    _people(study, person, reviewer, first, second)
    _gold(study, person, first)
    MetricValue.objects.create(summary=first, name="BLANC", value=0.125)
    add_reference(book=first.book, text="A reference: Emma leaves the mill.", source="a publisher")
    _report(study)
    _kept_inside(study, person, reviewer, first)
    return study


def _report(study: Study) -> None:
    content = '{"title": "The whole <study>"}'
    Report.objects.create(
        study=study,
        number=1,
        note="as submitted",
        content=content,
        content_sha256=hashlib.sha256(content.encode()).hexdigest(),
        pseudonym="P-AAA222",
        created_at=_at(9),
    )


def _at(day: int) -> datetime:
    return datetime(2026, 3, day, 12, 0, 0, 123456, tzinfo=UTC)


def _summaries(endpoint: Endpoint, prompts: PromptSet) -> tuple[Summary, Summary]:
    book = Book.objects.create(
        title="The Mill",
        author="A. B.",
        genres=["novel"],
        publication_date=date(1901, 1, 1),
        source_format="text",
        text=BOOK_TEXT,
        text_sha256=text_sha256(BOOK_TEXT),
        tokens=20,
        warnings=["sails & returns twice"],
    )
    Section.objects.create(book=book, index=0, title="One", start=0, end=21)
    Section.objects.create(book=book, index=1, start=21, end=len(BOOK_TEXT), included=False, reason="by hand")
    made = System.objects.create(
        name="tiny-2048-hier",
        strategy="hierarchical",
        endpoint=endpoint,
        prompt_set=prompts,
        model="tiny",
        context_window=8192,
        chunk_size=2048,
        max_summary_tokens=900,
        temperature=0.5,
        cleaned=True,
    )
    raw = System.objects.create(name="raw", strategy="imported")
    text = "Emma 😀 left.\r\nRolf “stayed”. <b>Who</b> & why? Rolf “stayed”."
    uncleaned = create_summary(book=book, system=raw, text="Emma left. As an AI model, bye.")
    job = Job.objects.create(kind="summarize", endpoint=endpoint, parameters={"system": made.pk, "uncleaned": raw.pk})
    item = JobItem.objects.create(job=job, index=0, book=book, state="done")
    first = create_summary(book=book, system=made, text=text, job_item=item, cleaned_from=uncleaned)
    call = _call(item, endpoint, "chunk 1", "a reply about a chunk")
    chunk, merge = (
        SummaryNode.objects.create(
            summary=first, kind=kind, level=level, index=0, text="a summary of a chunk", tokens=5, call=call
        )
        for level, kind in enumerate(("chunk", "merge"))
    )
    merge.sources.add(chunk)
    return first, create_summary(
        book=book, system=System.objects.create(name="=other", strategy="imported"), text="He went."
    )


def _call(item: JobItem, endpoint: Endpoint, step: str, reply: str) -> LLMCall:
    call = LLMCall.objects.create(
        item=item,
        step=step,
        key=text_sha256(step),
        endpoint=endpoint,
        model="tiny",
        prompt_sha256="cd" * 32,
        parameters={"temperature": 0.0, "max_tokens": 5},
        state="done",
    )
    LLMAttempt.objects.create(
        call=call,
        number=1,
        state="answered",
        reply=reply,
        prompt_tokens=7,
        cost_usd=Decimal("0.00000123"),
        ended_at=_at(1),
    )
    return call


def _judge(study: Study, judge: Annotator, summary: Summary, endpoint: Endpoint) -> None:
    job = Job.objects.create(kind="judge", endpoint=endpoint, parameters={"judge": judge.pk}, client_key=uuid4())
    item = JobItem.objects.create(job=job, index=3, summary=summary, state="done")
    marks = make_marks(summary, judge, spans=[[(0, 12)]], questions="Who is Emma?")
    states = ["confused", "clean", "unparsed", "clean"]
    for sentence, state in zip(summary.sentences.order_by("index"), states, strict=True):
        Verdict.objects.create(
            annotation_set=marks,
            sentence=sentence,
            state=state,
            annotation=marks.annotations.get() if state == "confused" else None,
            call=_call(item, endpoint, f"sentence {sentence.index}", f"Answer: {state}"),
            problem="No answer could be read." if state == "unparsed" else "",
        )


def _people(study: Study, person: Annotator, reviewer: Annotator, first: Summary, second: Summary) -> None:
    version = GuidelinesVersion.objects.get(study=study)
    GuidelinesVersion.objects.create(study=study, number=2, text="New", note="all")
    marks = make_marks(
        first,
        person,
        study=study,
        spans=[[(5, 6)], [(0, 4), (13, 17)]],
        questions="=HYPERLINK(1)",
        types=["salience", "language"],
    )
    AnnotationSet.objects.filter(pk=marks.pk).update(guidelines=version, active_seconds=61, submitted_at=_at(2))
    make_marks(second, person, study=study, spans=[])  # looked and found nothing
    AnnotationSet.objects.create(
        study=study, annotator=reviewer, summary=second, state="skipped", skip_reason="I know the book."
    )
    for summary, who, state in ((first, person, "submitted"), (second, reviewer, "skipped")):
        Assignment.objects.create(
            key=uuid4(), study=study, annotator=who, task="annotate", summary=summary, state=state, ended_at=_at(2)
        )
    review = Assignment.objects.create(
        key=uuid4(), study=study, annotator=reviewer, task="review", summary=first, state="submitted", ended_at=_at(3)
    )
    for order, mark in enumerate(Annotation.objects.filter(annotation_set__summary=first).order_by("-pk")):
        item = ReviewItem.objects.create(key=uuid4(), study=study, annotation=mark, order=order)
        ReviewDecision.objects.create(
            item=item,
            reviewer=reviewer,
            agreement=("agree", "partial", "disagree")[order],
            reasons=["answered"] if order == 1 else [],
            comment="@why",
            guidelines=version,
        )
        OriginGuess.objects.create(assignment=review, item=item, order=order, guess="llm")
    study.phase = Study.Phase.CLOSED
    study.save()
    Unblinding.objects.create(study=study, by=person.user, pseudonym="P-AAA222", reason="Done")
    text = ConsentText.objects.create(study=study, number=1, text="You agree.")
    Consent.objects.create(text=text, annotator=person)
    BookKnowledge.objects.create(annotator=person, book=first.book, answer="partly")


def _compare(study: Study, person: Annotator, first: Summary, second: Summary) -> None:
    asked_in = create_round(study=study, name="formal", overlap=1)
    comparison = Comparison.objects.create(study=study, round="formal", asked_in=asked_in, first=first, second=second)
    task = Assignment.objects.create(
        key=uuid4(),
        study=study,
        annotator=person,
        task="compare",
        comparison=comparison,
        state="submitted",
        ended_at=_at(4),
    )
    ComparisonSheet.objects.create(assignment=task, first_is_a=False, answers={"detail": {"version": 1, "answer": "b"}})
    ComparisonAnswer.objects.create(
        comparison=comparison, annotator=person, question="detail", words="Which?", answer="first", comment="\tbecause"
    )
    ComparisonTally.objects.create(
        study=study, round="pilot", annotator=person, question="preference", system=first.system, count=3
    )


def _faithfulness(study: Study, person: Annotator, reviewer: Annotator, summary: Summary) -> None:
    plan = create_plan(study=study, share=0.5, coarse_overlap=1, hints="randomised")
    fine, coarse = (
        Assignment.objects.create(
            key=uuid4(), study=study, annotator=who, task=task, summary=summary, state="submitted", ended_at=_at(6)
        )
        for who, task in ((person, "fine"), (reviewer, "coarse"))
    )
    UnitSample.objects.create(assignment=fine, seed="7 P-AAA222", hints_shown=True)
    for position, (unit, supported) in enumerate(zip(plan.units.filter(summary=summary), (True, None), strict=False)):
        sampled = SampledUnit.objects.create(assignment=fine, unit=unit, position=position)
        judgement = UnitJudgement.objects.create(
            sampled=sampled, supported=supported, comment="+so", judged_at=_at(6) if supported else None, version=2
        )
        start = BOOK_TEXT.index("sails")
        for end, rank in ((start + 15, 3), (start + 5, None)):
            Evidence.objects.create(
                judgement=judgement, start=start, end=end, quote=BOOK_TEXT[start:end], hint_rank=rank
            )
    Rating.objects.create(assignment=coarse, value=4, rated_at=_at(6), first_value=5, recalibrated_at=_at(7))


def _judge_units(study: Study, summary: Summary, endpoint: Endpoint, prompts: PromptSet) -> None:
    settings = {"model": "tiny", "mode": "unit", "passages": 10, "temperature": 0.0, "max_answer_tokens": 256}
    judge = Annotator.objects.create(
        kind="judge", pseudonym="tiny judge of units", endpoint=endpoint, prompt_set=prompts, **settings
    )
    parameters = {"judge": judge.pk, "study": study.pk}
    job = Job.objects.create(kind="judge-units", endpoint=endpoint, parameters=parameters, client_key=uuid4())
    item = JobItem.objects.create(job=job, index=0, summary=summary, state="done")
    read, unread = study.faithfulness.units.filter(summary=summary, same_as=None).order_by("index")[:2]
    UnitVerdict.objects.create(
        annotator=judge,
        unit=read,
        state="supported",
        call=_call(item, endpoint, "unit 1", "Yes: Mia sails & returns"),
        passages=[[0, 21]],
        rule="bm25 1, 2 neighbours",
    )
    UnitVerdict.objects.create(annotator=judge, unit=unread, state="unparsed", problem="No text.", rule="bm25 1")


def _gold(study: Study, person: Annotator, summary: Summary) -> None:
    gold = GoldSet.objects.create(study=study, summary=summary, version=1)
    mark = Annotation.objects.filter(annotation_set__annotator=person).order_by("pk")[0]
    decision = GoldDecision.objects.create(
        gold_set=gold, client_key=uuid4(), outcome="mark", questions="Who?", version=1, pseudonym="P-AAA222", at=_at(5)
    )
    GoldSpan.objects.create(decision=decision, start=5, end=6, quote="😀")
    GoldSource.objects.create(decision=decision, gold_set=gold, annotation=mark, annotation_version=1)
    GoldEvent.objects.create(
        gold_set=gold,
        version=1,
        act="decided",
        pseudonym="P-AAA222",
        client_key=decision.client_key,
        content={"sources": [mark.pk], "outcome": "mark", "spans": [{"start": 5, "end": 6, "quote": "😀"}]},
    )


def _kept_inside(study: Study, person: Annotator, reviewer: Annotator, summary: Summary) -> None:
    """A check with what somebody marked in it, and a planted mark with its decision and guess."""
    book = Book.objects.create(title="The known brook", source_format="none")
    system = System.objects.create(name="known", strategy="imported")
    known = create_summary(book=book, system=system, text="Water flows.")
    KnownPlace.objects.create(
        known=KnownSummary.objects.create(study=study, summary=known, purpose="check"), start=0, end=5, quote="Water"
    )
    Assignment.all_purposes.create(
        key=uuid4(), study=study, annotator=person, task="annotate", summary=known, purpose="check"
    )
    check = AnnotationSet.all_purposes.create(
        study=study, annotator=person, summary=known, purpose="check", state="submitted"
    )
    Annotation.objects.create(annotation_set=check, client_key=uuid4(), questions="a check's question")
    planted_set = AnnotationSet.all_purposes.create(
        study=study,
        annotator=Annotator.objects.create(kind="person", pseudonym="P-CCC444"),
        summary=summary,
        purpose="planted",
    )
    planted = Annotation.objects.create(annotation_set=planted_set, client_key=uuid4(), questions="a planted question")
    Span.objects.create(annotation=planted, start=0, end=4, quote=summary.text[:4])
    PlantedMark.objects.create(annotation=planted, expected="agree")
    item = ReviewItem.with_planted.create(key=uuid4(), study=study, annotation=planted, order=99, planted=True)
    ReviewDecision.with_planted.create(item=item, reviewer=reviewer, agreement="agree")
    review = Assignment.objects.get(study=study, task="review")
    OriginGuess.objects.create(assignment=review, item=item, order=99, guess="person")


def empty_database() -> None:
    """Delete every row, as if the application had just been set up: what migrations fill stays."""
    with transaction.atomic():  # foreign keys are checked at its end
        for model in apps.get_models(include_auto_created=True):
            if model._meta.db_table not in FILLED_BY_MIGRATIONS:
                model._base_manager.all()._raw_delete(connection.alias)
