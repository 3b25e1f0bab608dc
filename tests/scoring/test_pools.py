"""Several judges on the same summaries: majority, mean and agreement in report, command and dashboard, by hand."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.models import Annotator, Study
from booookweb.models import Role
from scoring.report import build_report
from scoring.report.writing import report_json
from summarizer.models import Endpoint, Job, JobItem, LLMAttempt, LLMCall
from summarizer.services.endpoints import endpoint_named
from tests.factories import make_summary, make_user
from tests.scoring.test_report import add_verdicts

pytestmark = pytest.mark.django_db

STATES = {"c": "clean", "x": "confused", "u": "unparsed"}


@pytest.fixture
def study():
    """One system, The Mill with four sentences and The Pier with two; three judges by sentence, one of a batch mode.

              Mill    Pier
    one       x c c x  c c
    two       x c x u  c x
    three     c c x x  -
    several   x x x x  c c
    """
    mill = make_summary("Emma left. Rolf stayed. Ida sings. Snow fell.", title="The Mill")
    pier = make_summary("Mia waits. Ida came.", title="The Pier")
    pier.system = mill.system
    pier.save()
    study = Study.objects.create(name="several", title="Several judges", phase=Study.Phase.CLOSED)
    study.summaries.add(mill, pier)
    endpoint = Endpoint.objects.create(name="llm", base_url="http://llm.example/v1", model="judge-1")
    for name, mode, on_mill, on_pier in [
        ("one", "sentence", "xccx", "cc"),
        ("two", "sentence", "xcxu", "cx"),
        ("three", "sentence", "ccxx", ""),
        ("several", "batch", "xxxx", "cc"),
    ]:
        judge = Annotator.objects.create(
            kind="judge", pseudonym=name, endpoint=endpoint, model=f"model {name}", mode=mode, max_answer_tokens=1
        )
        study.judges.add(judge)
        judged(judge, mill, on_mill)
        judged(judge, pier, on_pier)
    return study


def judged(judge, summary, states):
    if states:
        add_verdicts(judge, summary, [STATES[state] for state in states])


def together(study):
    return report_json(build_report(study, with_texts=False))["judges_together"]


def test_a_pool_is_of_one_mode_and_over_what_all_its_judges_judged(study):
    pool = together(study)["pools"][0]
    assert [each["mode"] for each in together(study)["pools"]] == ["sentence"]
    assert sorted(pool["judges"]) == ["model one", "model three", "model two"]
    system = pool["systems"][0]
    assert (system["summaries"], system["judged_by_some_only"], system["sentences"]) == (1, 1, 4)
    # Majorities over the four sentences: 2 of 3 confused, clean, 2 of 3 confused, 2 of 3 confused whatever "two" says.
    assert pool["summaries"][0]["votes"] == ["confused", "clean", "confused", "confused"]
    assert pool["summaries"][0]["shares_confused"] == [pytest.approx(2 / 3), 0.0, pytest.approx(2 / 3), None]
    assert (system["majority"]["score"], system["majority"]["bounds"]) == (0.25, [0.25, 0.25])
    assert (system["ties"], system["unparsed"]) == (0, 0)
    # The judges have 0.5, 0.25 to 0.5 and 0.5: no mean yet, but bounds.
    assert system["mean"]["score"] is None
    assert system["mean"]["bounds"] == [pytest.approx((0.5 + 0.25 + 0.5) / 3), 0.5]
    assert "no readable judgement" in pool["summaries"][0]["mean"]["reasons"]["score"]


def test_agreement_of_all_and_of_pairs_goes_over_what_all_and_both_parsed(study):
    found = together(study)
    agreement = found["pools"][0]["agreement"]
    # Three sentences with three labels: 2 + 1, 0 + 3, 2 + 1. Agreeing pairs: 1/3, 1, 1/3; 4 of 9 labels are "confused".
    assert agreement["sentences"] == 3
    assert agreement["percent"] == pytest.approx(5 / 9)
    by_chance = (4 / 9) ** 2 + (5 / 9) ** 2
    assert agreement["fleiss"] == pytest.approx((5 / 9 - by_chance) / (1 - by_chance))
    assert agreement["randolph"] == pytest.approx(1 / 9)
    pairs = {tuple(sorted(pair["judges"])): pair for pair in found["pairs"]}
    assert len(pairs) == 6  # those of different modes too: that merges nothing
    pair = pairs["model one", "model two"]
    # Five sentences, one of them unparsed left out: xcc cc beside xcx cx.
    assert (pair["summaries"], pair["sentences"]) == (2, 5)
    assert pair["percent"] == pytest.approx(3 / 5)
    expected = 1 / 5 * 3 / 5 + 4 / 5 * 2 / 5
    assert pair["kappa"] == pytest.approx((3 / 5 - expected) / (1 - expected))
    assert pairs["model one", "model three"]["sentences"] == 4


def test_ties_are_stated_and_the_judges_keep_their_rows(study):
    Annotator.objects.get(pseudonym="three").judged_studies.clear()
    report = report_json(build_report(study, with_texts=False))
    system = report["judges_together"]["pools"][0]["systems"][0]
    # One and two: both, none, split, two is missing; The Pier: none, split.
    assert (system["summaries"], system["ties"], system["unparsed"]) == (2, 2, 1)
    assert (system["majority"]["score"], system["majority"]["n"]) == (None, 0)
    assert system["majority"]["bounds"] == [pytest.approx((0.25 + 0.5) / 2), pytest.approx((0.75 + 1) / 2)]
    assert sorted(judge["judge"] for judge in report["systems"][0]["judges"]) == [
        "model one",
        "model several",
        "model two",
    ]


def test_a_baseline_has_no_vote_and_one_judge_is_no_pool(study):
    for name in ("two", "three"):
        Annotator.objects.get(pseudonym=name).judged_studies.clear()
    rules = Annotator.objects.create(kind="judge", pseudonym="rules", endpoint=endpoint_named("rules"), mode="sentence")
    study.judges.add(rules)
    judged(rules, study.summaries.first(), "cc" if study.summaries.first().sentences.count() == 2 else "cccc")
    found = together(study)
    assert found["pools"] == []
    assert [sorted(pair["judges"]) for pair in found["pairs"]] == [["model one", "model several"]]


def test_the_command_and_the_dashboard_show_it(study, client):
    out = StringIO()
    call_command("report", "several", format="text", stdout=out)
    assert "pool of judges, sentence: " in out.getvalue()
    assert "majority 25.0 (n = 1), mean 41.7 to 50.0 (0 decided)" in out.getvalue()
    client.force_login(make_user(Role.RESEARCHER))
    page = " ".join(client.get(reverse("scoring:dashboard", args=["several"])).content.decode().split())
    assert "Several judges together" in page
    assert "1 more judged by some only" in page
    assert '41.7 to 50.0<small class="cell-note">bounds; 0 decided</small>' in page
    assert "Over the 3 sentences with a readable answer of each" in page


def test_beside_a_score_that_is_not_complete_stand_coverage_bounds_and_cost(study, client):
    judge = Annotator.objects.get(pseudonym="two")
    summary = study.summaries.get(book__title="The Mill")
    job = Job.objects.create(kind="judge", endpoint=judge.endpoint, parameters={"judge": judge.pk})
    item = JobItem.objects.create(job=job, index=0, summary=summary)
    call = LLMCall.objects.create(item=item, step="sentence 1", key="k", endpoint=judge.endpoint, prompt_sha256="x")
    LLMAttempt.objects.create(call=call, number=1, state="answered", prompt_tokens=5, cost_usd="1.25")
    client.force_login(make_user(Role.RESEARCHER))
    row = next(
        each for each in report_json(build_report(study))["systems"][0]["judges"] if each["judge"] == "model two"
    )
    # Mill 0.25 to 0.5, Pier 0.5; five of six sentences could be read.
    assert (row["score"], row["n"], row["coverage"], row["bounds"]) == (0.5, 1, pytest.approx(5 / 6), [0.375, 0.5])
    assert row["cost_usd"] == 1.25
    words = "1 of 2 not complete, coverage 83.3 %: all 2 give 37.5 to 50.0; cost $1.25"
    page = " ".join(client.get(reverse("scoring:dashboard", args=["several"])).content.decode().split())
    assert page.count(words) >= 2
    marks = client.get(reverse("scoring:summary-marks", args=["several", summary.pk])).content.decode()
    assert "no score yet, 25.0 to 50.0" in marks
    csv = client.get(reverse("scoring:chart", args=["several", "scores", "csv"])).content.decode()
    assert "coverage" in csv.split("\n")[0]
    out = StringIO()
    call_command("report", "several", stdout=out)
    assert json.loads(out.getvalue())["costs"]["judging"]["cost_usd"] == 1.25
