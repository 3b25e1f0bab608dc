"""The report of a small invented release (see `release_folder`), with figures worked out by hand."""

import json
from copy import deepcopy
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import (
    Annotation,
    AnnotationSet,
    Annotator,
    Assignment,
    ReviewDecision,
    ReviewItem,
    Span,
    Study,
    Verdict,
)
from annotation.services.release import import_release
from scoring.report import build_report
from scoring.report.writing import report_json
from summarizer.models import Endpoint, Job, JobItem, LLMAttempt, LLMCall, Section, Summary, System
from tests.factories import make_annotator, make_summary
from tests.scoring.release_folder import write_release

pytestmark = pytest.mark.django_db


def strict(text):
    """JSON without NaN and Infinity, which browsers can't read."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


def report(study="small"):
    output = StringIO()
    call_command("report", study, stdout=output)
    return strict(output.getvalue())


@pytest.fixture(scope="module")
def reported(shared_rows, tmp_path_factory):
    folder = write_release(tmp_path_factory.mktemp("small") / "release")
    import_release(folder=folder, study_name="small", absent="published")
    return report()


@pytest.fixture
def small(db, reported):
    return deepcopy(reported)


def system(report, name):
    return next(system for system in report["systems"] if system["system"] == name)


def test_people_by_the_three_rules(small):
    human = system(small, "alpha-inc")["human"]
    # a: four marks on four sentences, three touched; units {0}, {1, 3}, {2}, two of them confused. b: nothing.
    # c: one mark, on its two (equal) spans in sentence 1 of 2.
    assert human["published"] == pytest.approx((0 + 1 + 0.5) / 3)
    assert human["sentence"] == pytest.approx((0.25 + 1 + 0.5) / 3)
    assert human["unit"] == pytest.approx((1 / 3 + 1 + 0.5) / 3)
    assert (human["n"], human["annotations"]) == (3, 5)


def test_people_beside_the_judge(small):
    paired = system(small, "alpha-inc")["judges"][0]["paired"]
    assert paired["n"] == 3
    assert paired["judge"] == pytest.approx((0.25 + 1 + 0.5) / 3)
    assert paired["difference_sentence"] == pytest.approx(0)
    # Published (0, 1, 0.5) beside (0.25, 1, 0.5): 0.375 / sqrt(0.5 * 0.291667).
    assert paired["pearson"] == pytest.approx(0.375 / (0.5 * 0.2916666667) ** 0.5)
    assert paired["spearman"] == paired["kendall"] == pytest.approx(1)
    # Sentences: people 1101 00 01, judge 1110 00 10: two in common, four each, four of eight agree.
    assert paired["sentences"] == 8
    assert paired["kappa"] == pytest.approx(0)
    assert paired["f1"] == pytest.approx(0.5)
    assert (paired["prevalence_human"], paired["prevalence_judge"]) == (0.5, 0.5)


def test_what_is_not_complete_has_bounds_and_a_coverage(small):
    judge = system(small, "gamma-inc")["judges"][0]
    assert (judge["judged"], judge["n"], judge["unparsed"], judge["without_judgement"]) == (3, 2, 1, 1)
    # Low: 0.5, 0.5 and 0.5; high: 0.5, 0.5 and 1. Of 7 sentences one is a copy without judgement, one unparsed.
    assert judge["bounds"] == [pytest.approx(0.5), pytest.approx(2 / 3)]
    assert judge["coverage"] == pytest.approx(5 / 6)


def test_the_rule_for_absent_books_stands_beside_the_score(small):
    assert system(small, "alpha-inc")["judges"][0]["absent"] == "published"
    assert system(small, "gamma-inc")["judges"][0]["absent"] is None


def test_error_types_by_the_sentences_that_a_source_looked_at(small):
    types = system(small, "alpha-inc")["error_types"]
    # People marked a, b and c with 8 sentences; the judge a, b, c and d with 10.
    assert types["human"] == {
        "entity omission": pytest.approx(2 / 8),
        "causal omission": pytest.approx(1 / 8),
        "discontinuity": pytest.approx(2 / 8),
    }
    assert types["gpt-4"] == {"entity omission": pytest.approx(2 / 10), "duplication": pytest.approx(2 / 10)}


def test_precision_by_source(small):
    people, judge = small["precision"]
    assert (people["source"], people["agree"], people["partial"], people["disagree"], people["n"]) == (
        "human",
        1,
        1,
        0,
        2,
    )
    assert (people["precision"], people["strict"]) == (1.0, 0.5)
    assert (judge["source"], judge["precision"], judge["strict"]) == ("gpt-4", 0.5, 0.5)


def test_preferences_by_round_and_pooled(small):
    preferences = small["preferences"]
    # Pilot: one pair, its preference answered, the rest as totals. Formal: one pair answered, three as totals.
    assert preferences["pairs"] == 5
    assert {name: entry["pairs"] for name, entry in preferences["rounds"].items()} == {"pilot": 1, "formal": 4}
    assert preferences["questions"]["preference"] == {"alpha-hier": 1 + 0 + 1, "alpha-inc": 0 + 1 + 2, "draw": 0}
    assert preferences["questions"]["structure"] == {"alpha-hier": 1 + 0 + 1, "alpha-inc": 0 + 0 + 2, "draw": 1}
    assert preferences["questions"]["contradiction"] == {"yes": 1, "no": 1 + 1 + 2}
    assert preferences["questions"]["omission"] == {
        "alpha-hier": {"yes": 1 + 1 + 1, "no": 0 + 0 + 2},
        "alpha-inc": {"yes": 0 + 0 + 2, "no": 1 + 1 + 1},
    }


def test_choices_are_tested_pooled_and_by_round_and_shown_person_by_person(small):
    tests = small["preferences"]["tests"]
    own = {each["round"]: each for each in tests if each["question"] == "preference"}
    assert set(own) == {None, "pilot", "formal"}
    pooled = own[None]
    assert (pooled["first"], pooled["second"]) == ("alpha-hier", "alpha-inc")
    assert (pooled["chose_first"], pooled["chose_second"], pooled["draws"]) == (2, 3, 0)
    assert pooled["p"] == 1.0
    assert sum(each["first"] + each["second"] for each in pooled["annotators"].values()) == 5
    assert {each["question"] for each in tests} == {"preference", "detail", "structure", "logic"}


def test_a_second_report_is_the_same(small):
    assert report() == small


def test_text_form(small):
    output = StringIO()
    call_command("report", "small", format="text", stdout=output)
    assert "people     50.0 published, 58.3 by sentence (n = 3, 5 marks)" in output.getvalue()
    assert "1 sentences unparsed: 50.0 to 66.7" in output.getvalue()


def test_an_unknown_study_is_named_and_known_ones_are_listed(small):
    with pytest.raises(CommandError, match=r"no study named nothing.*Studies here: small"):
        report("nothing")


# --- studies that were not imported ---------------------------------------------------------------------------------


def make_study(*texts):
    study = Study.objects.create(name="own", title="Our own")
    summaries = [make_summary(text, title=f"Book {index}") for index, text in enumerate(texts)]
    of_study = Summary.objects.filter(pk__in=[summary.pk for summary in summaries])
    of_study.update(system=summaries[0].system) if summaries else None
    study.summaries.set(summaries)
    return study, summaries


def add_set(study, summary, spans, state="submitted", annotator=None):
    annotation_set = AnnotationSet.objects.create(
        study=study, annotator=annotator or make_annotator(), summary=summary, state=state
    )
    for number, (start, end) in enumerate(spans):
        annotation = Annotation.objects.create(
            annotation_set=annotation_set, client_key=f"00000000-0000-0000-0000-{number:012}", questions="Why?"
        )
        Span.objects.create(annotation=annotation, start=start, end=end, quote=summary.text[start:end])
    return annotation_set


def add_judge(study, **fields):
    judge = Annotator.objects.create(kind="judge", pseudonym=f"judge {Annotator.objects.count()}", **fields)
    study.judges.add(judge)
    return judge


def add_verdicts(judge, summary, states):
    annotation_set = AnnotationSet.objects.create(annotator=judge, summary=summary, state="submitted")
    for sentence, state in zip(summary.sentences.all(), states, strict=False):
        mark = None
        if state == "confused":
            mark = Annotation.objects.create(
                annotation_set=annotation_set, client_key=f"00000000-0000-0000-0000-{sentence.pk:012}"
            )
        Verdict.objects.create(annotation_set=annotation_set, sentence=sentence, state=state, annotation=mark)


@pytest.mark.parametrize("texts", [(), ("Emma left. Rolf stayed.",), ("Emma left. Rolf stayed.", "")])
def test_studies_with_nothing_in_them_have_reasons_instead_of_figures(texts):
    make_study(*texts)
    for found in report("own")["systems"]:
        assert found["human"]["published"] is None
        assert found["human"]["reasons"]["published"] == "No summary has a score yet."
        assert found["judges"] == []


def test_one_scored_summary_has_scores_but_no_interval_and_no_correlation():
    study, [summary] = make_study("Emma left. Rolf stayed.")
    add_set(study, summary, [(0, 4)])
    add_verdicts(add_judge(study, model="m", mode="sentence"), summary, ["clean", "confused"])
    found = report("own")["systems"][0]
    assert found["human"]["sentence"] == 0.5
    assert found["human"]["ci95"] is None
    [judge] = found["judges"]
    assert (judge["score"], judge["ci95"], judge["paired"]["n"]) == (0.5, None, 1)
    assert judge["paired"]["pearson"] is None
    assert "at least three" in judge["paired"]["reasons"]["pearson"]


def test_several_people_count_as_the_mean_over_their_sets():
    study, [summary] = make_study("One. Two. Three. Four.")
    add_set(study, summary, [])  # 1.0
    add_set(study, summary, [(0, 4), (5, 9)])  # 0.5
    add_set(study, summary, [(0, 22)], state="draft")
    add_set(study, summary, [(0, 22)], state="skipped")
    human = report("own")["systems"][0]["human"]
    assert human["sentence"] == pytest.approx(0.75)
    assert (human["n"], human["annotations"]) == (1, 2)


def test_a_verdict_that_is_missing_is_never_clean():
    study, [summary] = make_study("One. Two. Three. Four.")
    server = Endpoint.objects.create(name="server", base_url="http://localhost/v1", model="m")
    judge = add_judge(study, model="m", mode="sentence", endpoint=server)
    add_verdicts(judge, summary, ["clean", "clean", "confused"])
    [figures] = report("own")["systems"][0]["judges"]
    assert figures["score"] is None
    assert (figures["unparsed"], figures["bounds"]) == (1, [0.5, 0.75])


def test_summaries_of_different_splitters_are_never_averaged():
    study, summaries = make_study("One. Two.", "One. Two.")
    Summary.objects.filter(pk=summaries[0].pk).update(splitter="another")
    for summary in summaries:
        add_set(study, summary, [])
    human = report("own")["systems"][0]["human"]
    assert human["published"] is None
    assert "different splitters" in human["reasons"]["published"]


def test_judges_of_one_model_are_told_apart():
    study, [summary] = make_study("One. Two.")
    for mode in ("sentence", "batch"):
        add_verdicts(add_judge(study, model="m", mode=mode), summary, ["clean", "clean"])
    judges = report("own")["systems"][0]["judges"]
    assert {(judge["judge"], judge["mode"]) for judge in judges} == {("m", "sentence"), ("m", "batch")}
    add_verdicts(add_judge(study, model="m", mode="batch", prompt_set=None), summary, ["clean", "clean"])
    judges = report("own")["systems"][0]["judges"]
    assert len({(judge["judge"], judge["mode"]) for judge in judges}) == 3


def test_decisions_count_when_the_review_is_submitted():
    study, [summary] = make_study("One. Two.")
    annotation_set = add_set(study, summary, [(0, 4), (5, 9)])
    reviewer = make_annotator()
    task = Assignment.objects.create(
        key="00000000-0000-0000-0000-000000000001", study=study, annotator=reviewer, task="review", summary=summary
    )
    for order, annotation in enumerate(annotation_set.annotations.all()):
        item = ReviewItem.objects.create(
            key=f"00000000-0000-0000-0000-00000000001{order}", study=study, annotation=annotation, order=order
        )
        if order == 0:
            ReviewDecision.objects.create(item=item, reviewer=reviewer, agreement="agree")
    assert [(each["n"], each["undecided"], each["precision"]) for each in report("own")["precision"]] == [(0, 2, None)]
    end_task(task, "skipped")  # the reviewer left, or the study was closed in the middle
    assert [(each["n"], each["undecided"], each["precision"]) for each in report("own")["precision"]] == [(0, 2, None)]
    end_task(task, "submitted")
    assert [(each["n"], each["undecided"], each["precision"]) for each in report("own")["precision"]] == [(1, 1, 1.0)]
    task.delete()  # imported decisions have no task
    assert [(each["n"], each["undecided"], each["precision"]) for each in report("own")["precision"]] == [(1, 1, 1.0)]


def end_task(task, state):
    Assignment.objects.filter(pk=task.pk).update(state=state, ended_at=task.created_at)


def test_novel_trigrams_are_those_that_the_included_text_lacks():
    _, [summary] = make_study("One two three four.")
    book = summary.book
    book.text = "one two three. two three four"
    book.save()
    Section.objects.create(book=book, index=0, start=0, end=14)
    Section.objects.create(book=book, index=1, start=15, end=29, included=False)
    # Of "one two three" and "two three four" the included section holds the first.
    found = report("own")["systems"][0]
    assert (found["novel_trigrams"], found["repeated_trigrams"]) == (0.5, 0.0)


def test_costs_of_making_and_judging_the_summaries():
    study, [summary] = make_study("One. Two.")
    server = Endpoint.objects.create(name="server", base_url="http://localhost/v1", model="m")
    judge = add_judge(study, model="m", mode="sentence", endpoint=server)
    add_calls("summarize", server, book=summary.book, costs=["0.25"])
    Summary.objects.filter(pk=summary.pk).update(job_item=JobItem.objects.get())
    add_calls("judge", server, summary=summary, costs=["0.50", "0.125"], judge=judge)
    add_calls("judge", server, summary=make_summary(), costs=["9"], judge=judge)
    another = Annotator.objects.create(kind="judge", pseudonym="not in the study", endpoint=server, repeat=2)
    add_calls("judge", server, summary=summary, costs=["8"], judge=another)
    assert judge.endpoint == server
    costs = report("own")["costs"]
    assert (costs["summaries"]["calls"], costs["summaries"]["cost_usd"]) == (1, 0.25)
    assert (costs["judging"]["calls"], costs["judging"]["prompt_tokens"], costs["judging"]["cost_usd"]) == (
        2,
        20,
        0.625,
    )


@pytest.mark.parametrize("held", ["uncleaned", "cleaned", "both"])
def test_costs_of_a_cleaned_summary_count_once_whichever_version_a_study_holds(held):
    """One item made both: 0.25 for the summary, 0.05 for its cleaning, where 0.40 were planned."""
    study, [uncleaned, cleaned] = make_study("In this part, one.", "One.")
    server = Endpoint.objects.create(name="server", base_url="http://localhost/v1", model="m")
    System.objects.filter(pk=uncleaned.system_id).update(endpoint=server)
    cleaning = System.objects.create(name="cleaned", strategy="imported", endpoint=server, cleaned=True)
    add_calls("summarize", server, book=uncleaned.book, costs=["0.25", "0.05"])
    parameters = {"system": cleaning.pk, "uncleaned": uncleaned.system_id}
    Job.objects.update(parameters=parameters, plan={"items": [{"calls": 2, "cost_usd": "0.40"}]})
    Summary.objects.filter(pk=cleaned.pk).update(
        book=uncleaned.book, system=cleaning, job_item=JobItem.objects.get(), cleaned_from=uncleaned
    )
    if held != "both":
        study.summaries.set([uncleaned if held == "uncleaned" else cleaned])
    costs = report("own")["costs"]["summaries"]
    assert (costs["calls"], costs["cost_usd"], costs["planned_cost_usd"]) == (2, 0.3, 0.4)


def add_calls(kind, endpoint, *, costs, judge=None, **subject):
    job = Job.objects.create(kind=kind, endpoint=endpoint, parameters={"judge": judge.pk} if judge else {})
    item = JobItem.objects.create(job=job, index=0, **subject)
    for cost in costs:
        call = LLMCall.objects.create(item=item, step="x", key=f"{item.pk} {cost}", endpoint=endpoint, prompt_sha256="")
        LLMAttempt.objects.create(
            call=call, number=1, state="answered", prompt_tokens=10, completion_tokens=5, cost_usd=cost
        )


def test_the_number_of_queries_does_not_depend_on_the_size():
    study, summaries = make_study(*["One. Two. Three."] * 5)
    judge = add_judge(study, model="m", mode="sentence")

    def fill(chosen):
        for summary in chosen:
            add_set(study, summary, [(0, 4)])
            add_verdicts(judge, summary, ["clean", "confused", "clean"])

    def queries():
        with CaptureQueriesContext(connection) as captured:
            build_report(study, with_texts=False)
        return len(captured)

    fill(summaries)
    of_five = queries()
    more = [make_summary("One. Two. Three.", title=f"Further {index}") for index in range(45)]
    study.summaries.add(*more)
    fill(more)
    assert queries() == of_five <= 34
    assert len(report_json(build_report(study))["systems"]) == 46
