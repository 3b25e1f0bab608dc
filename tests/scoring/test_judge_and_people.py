"""The page "Judge and people", its lists of sentences, and the same figures in the report; worked out by hand."""

import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.error_types import ensure_error_types
from annotation.models import Annotation, ErrorType, MarksSeen
from summarizer.models import Endpoint, Summary
from tests.factories import make_annotator, make_summary
from tests.scoring.test_report import add_judge, add_set, add_verdicts, make_study, report, strict

pytestmark = pytest.mark.django_db

TEXT = "One. Two. Three. Four."
SENTENCES = [(0, 4), (5, 9), (10, 16), (17, 22)]


def verdicts(*confused):
    return ["confused" if index in confused else "clean" for index in range(4)]


def mark(study, summary, person, *positions):
    return add_set(study, summary, [SENTENCES[position] for position in positions], annotator=person)


@pytest.fixture
def study():
    """Two books. Ada marked sentences 1 and 2 of the first and 1 of the second, Ben 1 of the first; the judge 2 and 3
    of the first and 1 of the second."""
    study, [first, second] = make_study(TEXT, TEXT)
    ada, ben = make_annotator(), make_annotator()
    mark(study, first, ada, 0, 1)
    mark(study, first, ben, 0)
    mark(study, second, ada, 0)
    judge = add_judge(study, model="m", mode="sentence")
    add_verdicts(judge, first, verdicts(1, 2))
    add_verdicts(judge, second, verdicts(0))
    return study


def page(client, name="judge-and-people", **query):
    response = client.get(reverse(f"scoring:{name}", args=["own"]), query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", response.content.decode())


def test_the_judge_beside_people(study):
    [judge] = report("own")["agreement"]["judges"]
    # Ada 1: both, people, judge, neither once each. Ben: 0, 1, 2, 1. Ada 2: 1, 0, 0, 3. Sums 2, 2, 3, 5.
    assert (judge["summaries"], judge["books"], judge["sentences"]) == (2, 2, 12)
    assert judge["precision"]["value"] == pytest.approx(2 / 5)
    assert judge["recall"]["value"] == pytest.approx(2 / 4)
    assert judge["f1"]["value"] == pytest.approx(4 / 9)
    # Observed 7/12; expected (4 * 5 + 8 * 7) / 144.
    assert judge["kappa"]["value"] == pytest.approx((7 / 12 - 76 / 144) / (1 - 76 / 144))
    # Expected 2 * 3/8 * 5/8.
    assert judge["ac1"]["value"] == pytest.approx((7 / 12 - 30 / 64) / (34 / 64))
    assert (judge["prevalence_people"]["value"], judge["prevalence_other"]["value"]) == (4 / 12, 5 / 12)
    # Two books resample to the first alone (F1 2/7), both, or the second alone (F1 1).
    assert judge["f1"]["ci95"] == [pytest.approx(2 / 7), 1.0]
    assert (judge["judge_only"], judge["people_only"]) == (1, 1)


def test_people_beside_each_other(study):
    people = report("own")["agreement"]["people"]
    # On the first book two people marked the first sentence and one the second; every pair both ways.
    assert (people["summaries"], people["sentences"]) == (1, 8)
    assert people["f1"]["value"] == people["precision"]["value"] == people["recall"]["value"] == pytest.approx(2 / 3)
    assert people["krippendorff_alpha"]["value"] == pytest.approx(1 - 7 / 15)
    assert people["kappa"]["ci95"] is None
    # Spans: of three marks two are the same; 4 of 8 and 4 characters are shared.
    assert people["spans"]["exact_f1"]["value"] == pytest.approx(2 / 3)
    assert people["spans"]["character_f1"]["value"] == pytest.approx(8 / 12)
    [pair] = people["pairs"]
    assert (pair["summaries"], pair["sentences"], pair["kappa"]["value"]) == (1, 4, pytest.approx(0.5))


def test_a_person_alone_has_a_reason_and_no_figure():
    study, [summary] = make_study(TEXT)
    mark(study, summary, make_annotator(), 0)
    people = report("own")["agreement"]["people"]
    assert people["kappa"] == {"value": None, "ci95": None, "reason": "No summary was marked by two people."}
    assert people["spans"]["exact_f1"]["value"] is None


def test_controls_over_the_same_sentences(study):
    clean, confused, rules = report("own")["agreement"]["judges"][0]["controls"]
    assert (clean["name"], clean["sentences"], clean["kappa"]["value"], clean["recall"]["value"]) == (
        "always clean",
        12,
        0.0,
        0.0,
    )
    assert clean["precision"]["value"] is None
    assert (confused["kappa"]["value"], confused["recall"]["value"]) == (0.0, 1.0)
    assert confused["f1"]["value"] == pytest.approx(8 / 16)
    assert (rules["sentences"], rules["kappa"]["value"]) == (0, None)
    assert "costs nothing" in rules["kappa"]["reason"]


def test_the_rule_baseline_beside_the_judge(study):
    endpoint = Endpoint.objects.create(name="rules", provider="rules")
    baseline = add_judge(study, endpoint=endpoint, mode="sentence")
    first = study.summaries.order_by("pk")[0]
    add_verdicts(baseline, first, verdicts(0))
    judge, rules = report("own")["agreement"]["judges"]
    assert rules["baseline"] is True
    assert judge["controls"][2]["sentences"] == 8
    # On the first book: the judge 1, 2, 3, 2 and the rules 2, 1, 0, 5.
    of_judge = (3 / 8 - 32 / 64) / (32 / 64)
    of_rules = (7 / 8 - 36 / 64) / (28 / 64)
    assert judge["controls"][2]["kappa"]["value"] == pytest.approx(of_rules)
    assert judge["kappa_above_rules"]["value"] == pytest.approx(of_judge - of_rules)
    assert "This is the rule baseline" in rules["kappa_above_rules"]["reason"]


def test_spans_beside_a_judge_are_snapped_to_sentences():
    study, [summary] = make_study(TEXT)
    # "Tw" lies in the second sentence, "ee. Fo" touches the third and the fourth.
    add_set(study, summary, [(5, 7), (13, 19)])
    add_verdicts(add_judge(study, model="m", mode="sentence"), summary, verdicts(1, 2))
    spans = report("own")["agreement"]["judges"][0]["spans_snapped"]
    # [5, 9) has a partner of two and two marks. Characters: 4 + 12 beside 4 + 6, 10 of them shared.
    assert spans["exact_f1"]["value"] == pytest.approx(2 / 4)
    assert spans["character_f1"]["value"] == pytest.approx(20 / 26)


def give_types(study):
    """Ada's marks are entity omissions, the judge's inconsistencies, but for the second book's."""
    ensure_error_types()
    types = {key: ErrorType.objects.get(key=key) for key in ("entity omission", "inconsistency")}
    for annotation in Annotation.objects.select_related("annotation_set__annotator", "annotation_set__summary__book"):
        by_judge = annotation.annotation_set.annotator.kind == "judge"
        second = annotation.annotation_set.summary.book.title == "Book 1"
        annotation.error_types.add(types["inconsistency" if by_judge and not second else "entity omission"])


def test_error_types(study):
    give_types(study)
    [judge] = report("own")["agreement"]["judges"]
    types = {row["name"]: row for row in judge["error_types"]}
    # People named it on 2 + 1 + 1 sentences; the judge on the second book's first one, which is Ada's.
    entity = types["entity omission"]
    assert (entity["recall"]["value"], entity["precision"]["value"]) == (0.25, 1.0)
    # The judge marked Ada's second sentence too, and called it something else.
    assert entity["found_at_all"]["value"] == pytest.approx(2 / 4)
    assert types["inconsistency"]["precision"]["value"] == 0.0
    assert types["inconsistency"]["found_at_all"]["value"] is None
    assert types["language"]["f1"]["value"] is None


def test_summaries_that_are_not_wholly_judged_are_left_out(study):
    first = study.summaries.order_by("pk")[0]
    endpoint = Endpoint.objects.create(name="server", base_url="http://localhost/v1", model="m")
    judge = add_judge(study, model="other", mode="sentence", endpoint=endpoint)
    add_verdicts(judge, first, ["confused", "clean", "unparsed", "clean"])
    found = {each["judge"]: each for each in report("own")["agreement"]["judges"]}["other"]
    assert (found["sentences"], found["kappa"]["value"]) == (0, None)


def test_sentences_of_different_splitters_are_not_counted_together(study):
    Summary.objects.filter(pk=study.summaries.order_by("pk")[0].pk).update(splitter="another")
    [judge] = report("own")["agreement"]["judges"]
    assert "different splitters" in judge["kappa"]["reason"]
    assert judge["systems"][0]["f1"]["value"] is None


def test_text_form(study):
    output = StringIO()
    call_command("report", "own", format="text", stdout=output)
    assert "m: kappa 0.118" in output.getvalue()
    assert "  always clean: kappa 0.000" in output.getvalue()


# --- pages ----------------------------------------------------------------------------------------------------------


def test_the_page_shows_the_figures_of_the_report(researcher, study):
    shown = page(researcher)
    assert "0.118" in shown  # kappa, (84 - 76) / (144 - 76)
    assert "1 sentence that the judge alone marked" in shown
    assert "Always clean" in shown
    assert reverse("scoring:judge-and-people", args=["own"]) in page(researcher, "dashboard")


def test_studies_without_people_or_judges(researcher):
    make_study()
    assert "No marks of people yet" in page(researcher)
    assert researcher.get(reverse("scoring:differences", args=["own"])).status_code == 404
    strict(researcher.get(reverse("scoring:report", args=["own"])).content)


def test_sentences_that_one_side_alone_marked(researcher, study):
    judge = study.judges.get()
    alone = page(researcher, "differences", judge=judge.pk)
    assert '<p class="reading">Three.</p>' in alone
    assert alone.count('class="reading"') == 1
    assert "#s3" in alone
    people = page(researcher, "differences", judge=judge.pk, side="people")
    assert '<p class="reading">One.</p>' in people
    assert "marked by 2 of 2 people" in people
    assert people.count("Why?") == 2  # the questions of both


def test_the_list_can_be_filtered(researcher, study):
    give_types(study)
    judge, other = study.judges.get(), make_summary(TEXT)
    study.summaries.add(other)
    mark(study, other, make_annotator(), 3)
    add_verdicts(judge, other, verdicts())
    people = {"judge": judge.pk, "side": "people"}
    assert page(researcher, "differences", **people).count('class="reading"') == 2
    [found] = re.findall(r'class="reading">(\w+)', page(researcher, "differences", **people, system=other.system_id))
    assert found == "Four"
    assert page(researcher, "differences", **people, type="entity omission").count('class="reading"') == 1
    assert "No such sentence" in page(researcher, "differences", **people, type="language")
    assert researcher.get(reverse("scoring:differences", args=["own"]), {"judge": "0"}).status_code == 404


def test_whoever_reads_the_list_has_seen_the_marks(researcher, study):
    page(researcher, "differences")
    # The first book alone has such a sentence.
    assert [each.summary_id for each in MarksSeen.objects.all()] == [study.summaries.order_by("pk")[0].pk]
    page(researcher, "differences")
    assert MarksSeen.objects.count() == 1


def test_long_lists_have_pages(researcher):
    study, [summary] = make_study(" ".join(f"Sentence {number}." for number in range(30)))
    mark_nothing = make_annotator()
    add_set(study, summary, [], annotator=mark_nothing)
    add_verdicts(add_judge(study, model="m", mode="sentence"), summary, ["confused"] * 30)
    assert page(researcher, "differences").count('class="reading"') == 25
    assert page(researcher, "differences", page=2).count('class="reading"') == 5


def test_queries_do_not_grow_with_the_study(researcher, study):
    def queries():
        counts = []
        for name in ("judge-and-people", "differences"):
            with CaptureQueriesContext(connection) as captured:
                page(researcher, name)
            counts.append(len(captured))
        return counts

    queries()  # the first request of a session may write it
    before = queries()
    judge = study.judges.get()
    for number in range(12):
        summary = make_summary(TEXT, title=f"Further {number}")
        study.summaries.add(summary)
        for _ in range(3):
            mark(study, summary, make_annotator(), 0, 3)
        add_verdicts(judge, summary, verdicts(1))
    assert queries() == before
    assert max(before) <= 30
