"""Judges of units beside people, in the report, on the pages and as files; worked out by hand."""

import csv
import io
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Annotator, UnitVerdict
from scoring.report.faithfulness.reading import read_faithfulness
from scoring.study_report.faithfulness import faithfulness_parts
from summarizer.models import Endpoint, Job
from tests.factories import make_user
from tests.scoring.test_faithfulness import (
    figures,
    page,
    people,
    planned,
    researcher,
    study,
    summaries,
)
from tests.scoring.test_report import add_calls, report
from tests.sources import with_source

pytestmark = pytest.mark.django_db

#: Fixtures that this file shares.
__all__ = ["people", "researcher", "study", "summaries"]

NAME = "m, units by 10 passages"


def different(study, summary):
    return study.faithfulness.units.filter(summary=summary, same_as=None).order_by("index")


def verdicts(study, judge, summary, said, passages=()):
    """On units 1 (which stands twice), 2 and 4 of the summary; None is unparsed."""
    states = {True: "supported", False: "unsupported", None: "unparsed"}
    for unit, supported in zip(different(study, summary), said, strict=True):
        UnitVerdict.objects.create(
            annotator=judge,
            unit=unit,
            state=states[supported],
            passages=list(passages),
            rule="bm25 1, 2 neighbours",
            problem="It says neither." if supported is None else "",
        )


def make_unit_judge(name=NAME):
    server, _ = Endpoint.objects.get_or_create(name="server", base_url="http://localhost/v1", model="m")
    return Annotator.objects.create(
        kind="judge", mode="unit", pseudonym=name, endpoint=server, model="m", passages=10, repeat=len(name)
    )


@pytest.fixture
def judge(study, summaries):
    """Supports all of the first summary; the second unit of the next can't be read; nothing of the third; no fourth."""
    judge = make_unit_judge()
    verdicts(study, judge, summaries[0], (True, True, True))
    verdicts(study, judge, summaries[1], (True, None, True))
    verdicts(study, judge, summaries[2], (False, False, False))
    add_calls("judge-units", judge.endpoint, summary=summaries[0], costs=["0.50", "0.25"], judge=judge)
    Job.objects.update(parameters={"judge": judge.pk, "study": study.pk})
    return judge


def of_judge():
    (found,) = figures()["unit_judges"]["judges"]
    return found


def test_scores_with_coverage_bounds_and_cost(judge):
    """alpha: 100, and of four places one unread (75 to 100). beta: 0, and one summary not judged."""
    found = of_judge()
    assert (found["judge"], found["passages"], found["calls"], found["cost_usd"]) == (NAME, 10, 2, 0.75)
    alpha, beta = found["systems"]
    assert (alpha["summaries"], alpha["judged"], alpha["n"], alpha["value"]) == (2, 2, 1, 100)
    assert (alpha["coverage"], alpha["bounds"], alpha["cost_usd"]) == (7 / 8, [87.5, 100], 0.75)
    assert (beta["summaries"], beta["judged"], beta["n"], beta["value"]) == (2, 1, 1, 0)
    assert (beta["coverage"], beta["bounds"], beta["cost_usd"]) == (1, [0, 0], None)
    second = found["summaries"][1]
    assert (second["supported"], second["unsupported"], second["unparsed"]) == (3, 0, 1)
    assert (second["score"], second["coverage"], second["bounds"]) == (None, 0.75, [75, 100])
    assert second["score_reason"]


def test_people_stand_beside_it_on_the_same_summaries(judge):
    """People have 62.5 and 100 on alpha, 25 on beta's first; the judge 100, none and 0. alpha: 62.5 - 100; both
    systems: (62.5 + 25) / 2 beside (100 + 0) / 2."""
    found = of_judge()
    alpha, beta = (system["paired"] for system in found["systems"])
    assert (alpha["summaries"], alpha["people"]["value"], alpha["judge"]["value"]) == (1, 62.5, 100)
    assert alpha["difference"]["value"] == -37.5
    assert (beta["summaries"], beta["difference"]["value"]) == (1, 25)
    assert (found["paired"]["summaries"], found["paired"]["people"]["value"]) == (2, 43.75)
    assert (found["paired"]["judge"]["value"], found["paired"]["difference"]["value"]) == (50, -6.25)
    assert [each["people"] for each in found["summaries"]] == [
        {"score": 62.5, "n": 2},
        {"score": 100, "n": 2},
        {"score": 25, "n": 2},
    ]


def test_agreement_with_people_and_of_people(judge):
    """Both 4 (third summary), people alone 3 (first), the judge alone 2 (third), neither 7; the unread unit is out.

    People both ways: both 4, one 3, other 3, neither 8.
    """
    found = of_judge()["beside_people"]
    assert (found["units"], found["judgements"]) == (8, 16)
    assert found["percent"]["value"] == pytest.approx(11 / 16)
    assert found["precision"]["value"] == pytest.approx(4 / 6)
    assert found["recall"]["value"] == pytest.approx(4 / 7)
    assert found["f1"]["value"] == pytest.approx(8 / 13)
    assert found["kappa"]["value"] == pytest.approx(11 / 31)
    assert found["ac1"]["value"] == pytest.approx(21 / 53)
    among = figures()["unit_judges"]["people_beside_people"]
    assert (among["units"], among["judgements"]) == (9, 18)
    assert among["kappa"]["value"] == pytest.approx(23 / 77)
    assert among["f1"]["value"] == pytest.approx(8 / 14)


def test_agreement_by_system(judge):
    alpha, beta = of_judge()["systems"]
    assert alpha["beside_people"]["judgements"] == 10
    assert alpha["beside_people"]["percent"]["value"] == pytest.approx(0.7)
    assert alpha["beside_people"]["kappa"]["value"] == 0
    assert alpha["beside_people"]["precision"]["value"] is None
    assert beta["beside_people"]["percent"]["value"] == pytest.approx(4 / 6)
    # Ada and Ben on the third summary: both 2, one 2, other 2.
    assert beta["people_beside_people"]["kappa"]["value"] == pytest.approx(-0.5)


def test_accuracy_where_the_truth_is_known(researcher, judge, study, summaries):
    different(study, summaries[0]).filter(quote="One.").update(expected=True)
    different(study, summaries[2]).filter(quote="Two.").update(expected=True)
    # What can't be read is neither right nor wrong.
    different(study, summaries[1]).filter(quote="Two.").update(expected=True)
    assert {name: of_judge()["accuracy"][name] for name in ("right", "n", "share")} == {
        "right": 1,
        "n": 2,
        "share": 0.5,
    }
    assert of_judge()["known_unjudged"] == 1
    words = f"{NAME}: 1 of 2 right, where the truth of a unit is known. Of 1 more it has no judgement that can be read."
    assert words in page(researcher)


def test_judges_change_nothing_of_people_and_are_not_mixed(judge, study):
    with_judge = figures()
    UnitVerdict.objects.all().delete()
    without = figures()
    assert without["unit_judges"]["judges"] == []
    for name in ("systems", "agreement", "people", "judgements", "spread"):
        assert with_judge[name] == without[name], name
    assert [system["judges"] for system in report("own")["systems"]] == [[], []]


def test_what_it_cost_is_a_part_of_the_study_s_cost(judge):
    costs = report("own")["costs"]
    assert (costs["judging_units"]["calls"], costs["judging_units"]["cost_usd"]) == (2, 0.75)
    assert costs["judging"]["calls"] == 0


def test_the_report_in_words(judge):
    output = StringIO()
    call_command("report", "own", format="text", stdout=output)
    text = output.getvalue()
    assert f"{NAME}, alpha: 100.0 (n = 1); 1 of 2 not complete, coverage 87.5 %: all 2 give 87.5 to 100.0" in text
    assert "; cost $0.75" in text
    assert f"{NAME}, beta: 0.0 (n = 1); 1 of 2 not judged; cost not known" in text
    assert "people beside people: kappa 0.299" in text
    assert f"{NAME} beside people: kappa 0.355" in text
    assert f"{NAME} and people on the same summaries: people 43.8, judge 50.0, people minus judge -6.2 (n = 2)" in text


@pytest.mark.once
def test_the_page(researcher, judge):
    body = page(researcher)
    for words in (
        "Judges of units",
        NAME,
        "People beside each other",
        "87.5",
        "1 not complete",
        "1 not judged",
        "0.355",
        "0.75",
    ):
        assert words in body, words


@pytest.mark.once
def test_the_chart_has_people_beside_it(researcher, judge):
    assert 'data-chart="drawing-faithfulness-judges"' in page(researcher)
    assert researcher.get(reverse("scoring:chart", args=["own", "faithfulness-judges", "svg"])).status_code == 200
    response = researcher.get(reverse("scoring:chart", args=["own", "faithfulness-judges", "csv"]))
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [(row["name"], row["source"], row["n"], row["value"], row["coverage"]) for row in rows] == [
        ("alpha", "People (FINE)", "2", "81.25", ""),
        ("beta", "People (FINE)", "2", "37.5", ""),
        ("alpha", NAME, "1", "100.0", "0.875"),
        ("beta", NAME, "1", "0.0", "1.0"),
    ]


def test_frozen_reports_have_it(judge, study):
    title, charts, tables = faithfulness_parts(read_faithfulness(study), "own")[-1]
    assert (title, charts) == ("Judges of units", ("faithfulness-judges",))
    assert [table.title for table in tables] == [
        "Faithfulness of each system by judges of units, 0 to 100",
        "Judges of units beside people",
        "Judges of units beside people, system by system",
    ]


@pytest.mark.once
@pytest.mark.parametrize("table", ["judge_scores", "judges", "judge_systems", "judge_summaries"])
@pytest.mark.parametrize("form", ["csv", "tex"])
def test_tables_as_files(researcher, judge, table, form):
    response = researcher.get(reverse("scoring:table", args=["own", "faithfulness", table, form]))
    assert response.status_code == 200
    text = response.content.decode()
    assert "passages" in text
    if (table, form) == ("judge_scores", "csv"):
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [(row["System"], row["Faithfulness"], row["Lowest"], row["Highest"]) for row in rows] == [
            ("alpha", "100.0", "87.5", "100.0"),
            ("beta", "0.0", "0.0", "0.0"),
        ]


def test_a_judge_alone_is_shown_as_such(researcher, summaries):
    study = planned(*summaries)
    verdicts(study, make_unit_judge(), summaries[0], (True, True, False))
    body = page(researcher)
    assert "so a judge stands alone here" in body
    assert "75.0" in body
    assert of_judge()["beside_people"]["kappa"]["value"] is None


def test_one_summary_unit_by_unit(researcher, study, summaries):
    with_source(summaries[0], "She did so at dawn. He did not.", left_out=[])
    verdicts(study, make_unit_judge(), summaries[0], (True, None, False), passages=[[0, 19], [20, 31]])
    body = page(researcher, "summary-faithfulness", summaries[0].pk)
    for words in (
        "She did so at dawn.",
        "The 2 passages that it was shown",
        "answer not readable",
        "It says neither.",
        "2 supported, 1 not, 1 not readable; a judge, from passages of the book",
        'data-state="unparsed" data-kind="judge"',
    ):
        assert words in body, words


def test_nobody_sees_it_while_their_own_task_is_open(client, judge, study, summaries):
    person = Annotator.objects.filter(kind="person").first()
    user = make_user("researcher")
    Annotator.objects.filter(pk=person.pk).update(user=user)
    study.assignments.filter(annotator=person).update(state="open", ended_at=None)
    client.force_login(user)
    for name, arguments in (("faithfulness", ["own"]), ("summary-faithfulness", ["own", summaries[0].pk])):
        assert client.get(reverse(f"scoring:{name}", args=arguments)).status_code == 403


def test_queries_do_not_grow(researcher, judge, study, summaries):
    def queries():
        counts = []
        for name, *args in (("faithfulness",), ("summary-faithfulness", summaries[0].pk)):
            with CaptureQueriesContext(connection) as captured:
                page(researcher, name, *args)
            counts.append(len(captured))
        return counts

    queries()
    before = queries()
    for name in ("another", "a third judge"):
        further = make_unit_judge(name)
        for summary in summaries:
            verdicts(study, further, summary, (True, False, None))
    assert queries() == before
