"""Faithfulness figures of a study, in the report, on the pages and as charts; worked out by hand."""

import csv
import io
import re
import uuid
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import (
    Assignment,
    FaithfulnessPlan,
    Rating,
    SampledUnit,
    Study,
    UnitJudgement,
    UnitSample,
)
from scoring.charts.registry import FAITHFULNESS_CHARTS
from scoring.models import MetricValue
from summarizer.models import Summary
from tests.factories import make_annotator, make_pair, make_plan, make_user
from tests.scoring.exports.test_dataset_and_script import recomputed
from tests.scoring.test_report import add_judge, add_verdicts, report

pytestmark = pytest.mark.django_db

#: One needs a judge of units.
DRAWN = FAITHFULNESS_CHARTS.keys() - {"faithfulness-judges"}
#: Three different units; the first stands twice.
TEXT = "One. Two. One. Four."


def judged(study, summary, person, answers, *, seconds=(), hints=True, state="submitted", purpose="study"):
    """A task about units 1, 2 and 4 of the summary, with as many answers as are given."""
    task = Assignment.all_purposes.create(
        key=uuid.uuid4(),
        study=study,
        annotator=person,
        task="fine",
        summary=summary,
        state=state,
        purpose=purpose,
        ended_at=None if state == "open" else timezone.now(),
    )
    UnitSample.objects.create(assignment=task, seed="s", hints_shown=hints)
    units = study.faithfulness.units.filter(summary=summary, same_as=None).order_by("index")
    for position, (unit, supported) in enumerate(zip(units, answers, strict=False)):
        sampled = SampledUnit.objects.create(assignment=task, unit=unit, position=position)
        UnitJudgement.objects.create(
            sampled=sampled,
            supported=supported,
            active_seconds=seconds[position] if seconds else 0,
            judged_at=None if supported is None else timezone.now(),
        )
    return task


def rated(study, summary, person, value, **fields):
    task = Assignment.objects.create(
        key=uuid.uuid4(),
        study=study,
        annotator=person,
        task="coarse",
        summary=summary,
        state="submitted",
        ended_at=timezone.now(),
    )
    at = None if value is None else timezone.now()
    return Rating.objects.create(assignment=task, value=value, rated_at=at, **fields)


def planned(*summaries, **settings):
    plan = make_plan(*summaries, state=FaithfulnessPlan.State.OPEN, **settings)
    Study.objects.filter(pk=plan.study_id).update(name="own", title="Our own", phase="closed")
    return Study.objects.get(pk=plan.study_id)


@pytest.fixture
def people():
    return [make_annotator() for _ in range(4)]


@pytest.fixture
def summaries():
    """Two systems, alpha and beta, on two books."""
    one, two = make_pair(TEXT, TEXT, title="Book 1"), make_pair(TEXT, TEXT, title="Book 2")
    alpha, beta = one[0].system, one[1].system
    for name, system in (("alpha", alpha), ("beta", beta)):
        type(system).objects.filter(pk=system.pk).update(name=name)
    Summary.objects.filter(pk=two[0].pk).update(system=alpha)
    Summary.objects.filter(pk=two[1].pk).update(system=beta)
    return [one[0], two[0], one[1], two[1]]


@pytest.fixture
def study(summaries, people):
    """Ada and Ben judge units, Cy and Dee rate from 0 to 5. Only Ada judged the last summary, which nobody rated."""
    study = planned(*summaries, fine_overlap=2, coarse_overlap=2, hints="randomised")
    ada, ben, cy, dee = people
    for summary, of_ada, of_ben in zip(
        summaries,
        [(True, True, False), (True, True, True), (False, True, True), (True, False, False)],
        [(True, False, False), (True, True, True), (False, False, False), None],
        strict=True,
    ):
        judged(study, summary, ada, of_ada, seconds=(30, 20, 10), hints=True)
        if of_ben:
            judged(study, summary, ben, of_ben, seconds=(10, 20, 30), hints=False)
    rated(study, summaries[0], cy, 4)
    rated(study, summaries[0], dee, 2, first_value=5, recalibrated_at=timezone.now())
    rated(study, summaries[1], cy, 5)
    rated(study, summaries[2], cy, 1)
    rated(study, summaries[2], dee, 1)
    return study


@pytest.fixture
def researcher(client):
    client.force_login(make_user("researcher"))
    return client


def figures():
    return report("own")["faithfulness"]


def page(client, name="faithfulness", *args):
    response = client.get(reverse(f"scoring:{name}", args=["own", *args]))
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def test_scores_of_systems(study):
    """Of four places the first unit has two. alpha: (75 + 50) / 2 and 100; beta: (50 + 0) / 2 and 50."""
    alpha, beta = figures()["systems"]
    assert (alpha["system"], alpha["summaries"]) == ("alpha", 2)
    assert (alpha["fine"]["value"], alpha["fine"]["n"], alpha["fine"]["tasks"]) == (81.25, 2, 4)
    assert (beta["fine"]["value"], beta["fine"]["n"], beta["fine"]["tasks"]) == (37.5, 2, 3)
    # Ratings 4 and 2 of 5 are 80 and 40, 5 is 100, 1 is 20: (60 + 100) / 2, and 20.
    assert (alpha["coarse"]["value"], alpha["coarse"]["n"], alpha["coarse"]["tasks"]) == (80, 2, 3)
    assert (beta["coarse"]["value"], beta["coarse"]["n"]) == (20, 1)
    # Resampled people: the first summary has 50, 62.5 or 75. Resampled books: 62.5, both, or 100.
    assert alpha["fine"]["ci95"] == [75, 87.5]
    assert alpha["fine"]["ci95_over_books"] == [62.5, 100]
    assert beta["coarse"]["ci95_over_books"] is None
    assert "two books" in beta["coarse"]["ci95_over_books_reason"]


def test_scores_of_summaries(study):
    first, _, _, last = figures()["summaries"]
    assert first["fine"] == {"people": 2, "score": 62.5, "deviation": 12.5, "range": 25}
    assert first["coarse"] == {"people": 2, "score": 60, "deviation": 20, "range": 40}
    assert (last["fine"]["people"], last["fine"]["deviation"], last["coarse"]) == (1, None, None)
    assert first["units"] == 4


def test_the_spread_of_both_ways_of_asking(study):
    """FINE: deviations 12.5, 0 and 25; COARSE: 20 and 0. On the two summaries with both: (7.5 - 25) / 2."""
    spread = figures()["spread"]
    assert (spread["fine"]["summaries"], spread["fine"]["deviation"]["value"]) == (3, 12.5)
    assert spread["fine"]["range"]["value"] == 25
    assert (spread["coarse"]["deviation"]["value"], spread["coarse"]["range"]["value"]) == (10, 20)
    assert spread["coarse_minus_fine"]["deviation"]["value"] == -8.75
    assert spread["coarse_minus_fine"]["range"]["value"] == -17.5


def test_agreement_on_units(study):
    """Nine units by both, six of them unanimous; 11 of 18 judgements say supported: by chance (121 + 49) / 324."""
    agreement = figures()["agreement"]
    assert (agreement["units"], agreement["judgements"], agreement["units_by_people"]) == (9, 18, {"2": 9})
    assert agreement["unanimous"]["value"] == agreement["percent"]["value"] == pytest.approx(2 / 3)
    assert agreement["fleiss"]["value"] == pytest.approx(23 / 77)
    assert agreement["randolph"]["value"] == pytest.approx(1 / 3)


def test_metrics_beside_people(study, summaries):
    for summary, value in zip(summaries, (0.5, 0.9, 0.1, 0.3), strict=True):
        MetricValue.objects.create(summary=summary, name="ROUGE-L", value=value)
    judge = add_judge(study, model="m", mode="sentence")
    for summary, confused in zip(summaries, (1, 0, 3), strict=False):
        add_verdicts(judge, summary, ["confused"] * confused + ["clean"] * (4 - confused))
    rows = {each["metric"]: each for each in figures()["metrics"]}
    rouge = rows["ROUGE-L"]
    # FINE 62.5, 100, 25, 50: the same order; r = 31.875 / sqrt(2929.6875 x 0.35).
    assert (rouge["fine"]["n"], rouge["fine"]["kendall_tau_b"]["value"]) == (4, pytest.approx(1))
    assert rouge["fine"]["pearson"]["value"] == pytest.approx(0.99542, abs=1e-5)
    assert rouge["fine"]["pearson"]["ci95"][0] < 0.99542
    # COARSE has 60, 100 and 20 on three of them: a line with 0.5, 0.9 and 0.1.
    assert (rouge["coarse"]["n"], rouge["coarse"]["pearson"]["value"]) == (3, pytest.approx(1))
    # The judge has 0.75, 1 and 0.25 beside 62.5, 100 and 25: 28.125 / sqrt(2812.5 x 7 / 24).
    assert rows["BooookScore by m"]["fine"]["pearson"]["value"] == pytest.approx(0.98198, abs=1e-5)
    assert rows["Rating as a whole (COARSE)"]["fine"]["n"] == 3
    assert rows["Rating as a whole (COARSE)"]["coarse"] is None
    assert "equal" in rows["Length in tokens"]["fine"]["pearson"]["reason"]


def test_partial_annotation_learning_and_hints(study):
    found = figures()
    partial = found["partial"]
    assert (partial["tasks"], partial["summaries"], partial["tasks_without_all_units"]) == (7, 4, 0)
    half, whole = (next(row for row in partial["rows"] if row["percent"] == percent) for percent in (50, 100))
    assert (half["units"], whole["units"]) == (2, 3)  # 1.5 of 3 is rounded up, as a plan's sample is
    assert (whole["kendall_tau_b"], whole["band90"], whole["deviation"]) == (1, [1, 1], pytest.approx(12.5))
    assert half["kendall_tau_b"] < 1
    learning = found["learning"]
    assert (learning["tasks"], learning["people"], learning["spearman"]["value"]) == (7, 2, 0)
    # Three units are in fifths 1, 2 and 4; Ada took 30, 20, 10 seconds four times, Ben the reverse three times.
    assert [each["judgements"] for each in learning["fifths"]] == [7, 7, 0, 7, 0]
    assert learning["fifths"][0]["mean_seconds"] == pytest.approx((4 * 30 + 3 * 10) / 7)
    hints = found["hints"]
    assert (hints["seconds"]["with"], hints["seconds"]["without"], hints["seconds"]["n"]) == (20, 20, [12, 9])
    assert (hints["seconds"]["difference"]["value"], hints["accuracy"]["with"]) == (0, None)
    assert "truth is known" in hints["accuracy"]["with_reason"]
    [ada, ben] = found["people"]
    assert (ada["units"], ada["seconds"], ada["supported"]) == (12, 20, pytest.approx(8 / 12))
    assert (ben["agreement"], ben["pairs"]) == (pytest.approx(6 / 9), 9)


def test_only_submitted_work_of_people_on_the_study_counts(study, summaries, people):
    before = figures()
    erin = make_annotator()
    judged(study, summaries[3], erin, (True, True, True), state="open")
    judged(study, summaries[2], erin, (True, True, True), state="skipped")
    judged(study, summaries[1], erin, (False, False, False), purpose="attention")
    judged(study, summaries[0], erin, (False, False, False), purpose="training")
    judged(study, summaries[3], people[1], (None, None))
    judge = add_judge(study)
    judged(study, summaries[3], judge, (True, True, True))
    rated(study, summaries[3], erin, None)
    rated(study, summaries[3], judge, 5)
    other = make_plan(summaries[0], state="open").study
    judged(other, summaries[0], erin, (False, False, False))
    assert figures() == before


def test_a_part_of_the_units_is_no_full_annotation(study, summaries):
    judged(study, summaries[3], make_annotator(), (True, None))
    partial = figures()["partial"]
    assert (partial["tasks"], partial["tasks_without_all_units"]) == (7, 1)


def test_hints_are_compared_only_where_they_were_drawn_by_lot(study):
    FaithfulnessPlan.objects.update(hints="always")
    assert "by lot" in figures()["hints"]["reason"]


def test_an_export_alone_gives_the_same_figures(study, tmp_path):
    same_faithfulness(recomputed("own", tmp_path)["faithfulness"], figures())


def same_faithfulness(theirs, ours):
    """What the script found beside the report."""
    for again, system in zip(theirs["systems"], ours["systems"], strict=True):
        assert again["system"] == system["system"]
        for way in ("fine", "coarse"):
            named = {"score": "value", "n": "n", "ci95": "ci95", "ci95_over_books": "ci95_over_books"}
            assert again[way] == {key: pytest.approx(system[way][name]) for key, name in named.items()}
    for way in ("fine", "coarse"):
        same_estimates(theirs["spread"][way], ours["spread"][way], "summaries", "deviation", "range")
    same_estimates(theirs["agreement"], ours["agreement"], "units", "unanimous", "fleiss", "randolph")


def same_estimates(theirs, ours, count, *names):
    assert theirs.keys() == {count, *names}
    assert theirs[count] == ours[count]
    for name in names:
        assert theirs[name] == {key: pytest.approx(ours[name][key]) for key in ("value", "ci95")}


def test_the_report_in_words(study):
    output = StringIO()
    call_command("report", "own", format="text", stdout=output)
    text = output.getvalue()
    assert "alpha: FINE 81.2 (75.0 to 87.5) (n = 2, 4 tasks), COARSE 80.0" in text
    assert "Fleiss' kappa 0.299" in text
    assert "100 % of the units: tau-b with all 1.000" in text


def test_the_page(researcher, study, summaries):
    body = page(researcher)
    for words in ("81.2", "75.0 to 87.5", "-8.8", "0.299", "9 by 2", "Below 0: faster"):
        assert words in body, words
    for key in DRAWN:
        assert f'data-chart="drawing-{key}"' in body, key
    assert reverse("scoring:summary-faithfulness", args=["own", summaries[0].pk]) in body
    assert reverse("scoring:faithfulness", args=["own"]) in page(researcher, "dashboard")


def test_charts_as_files(researcher, study):
    for key in DRAWN:
        for form in ("svg", "csv"):
            response = researcher.get(reverse("scoring:chart", args=["own", key, form]))
            assert response.status_code == 200, (key, form)
    response = researcher.get(reverse("scoring:chart", args=["own", "faithfulness-scores", "csv"]))
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [(row["name"], row["source"], row["value"]) for row in rows] == [
        ("alpha", "FINE", "81.25"),
        ("alpha", "COARSE", "80.0"),
        ("beta", "FINE", "37.5"),
        ("beta", "COARSE", "20.0"),
    ]


def test_tables_as_files(researcher, study):
    def file(table, form):
        response = researcher.get(reverse("scoring:table", args=["own", "faithfulness", table, form]))
        assert response.status_code == 200, table
        return response.content.decode()

    for table in ("systems", "spread", "units", "hints", "people", "summaries"):
        assert "begin{tabular}" in file(table, "tex")
    [alpha, _] = csv.DictReader(io.StringIO(file("systems", "csv")))
    assert (alpha["FINE"], alpha["FINE low"], alpha["FINE high"], alpha["COARSE"]) == ("81.25", "75.0", "87.5", "80.0")
    assert alpha["FINE over books low"] == "62.5"


def test_queries_do_not_grow(researcher, study, summaries):
    def queries():
        counts = []
        for name, *args in (("faithfulness",), ("summary-faithfulness", summaries[0].pk)):
            with CaptureQueriesContext(connection) as captured:
                page(researcher, name, *args)
            counts.append(len(captured))
        return counts

    queries()
    before = queries()
    for _ in range(3):
        for summary in summaries:
            judged(study, summary, make_annotator(), (True, True, False))
            rated(study, summary, make_annotator(), 3)
    assert queries() == before
