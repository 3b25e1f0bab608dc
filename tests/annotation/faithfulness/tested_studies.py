"""Studies that ask for a qualification test, for the tests of it."""

from django.urls import reverse

from annotation.faithfulness.plans import create_plan, open_plan
from annotation.faithfulness.qualifications import create_qualification, make_test, write_change
from annotation.models import Assignment, SampledUnit
from annotation.services.studies import add_member, add_summaries, create_study
from summarizer.models import Summary
from tests.annotation.faithfulness.test_dealing import with_text
from tests.factories import make_annotator, make_summary
from tests.sources import with_source

JSON = {"content_type": "application/json"}
#: Four statements, one a sentence.
FERRY = "Ada waited by the river. Bela came at noon with Ada. The ferry was late. Everybody sang loudly."
#: As people see them, and whether they are supported: the second and the fourth were changed.
STATEMENTS = {
    "Ada waited by the river.": True,
    "Bela came at dawn with Ada.": False,
    "The ferry was late.": True,
    "Nobody sang loudly.": False,
}


def ferry(text=FERRY):
    """A true summary of a story that no study has."""
    summary = with_source(make_summary(text, title="The Ferry"))
    return Summary.objects.get(pk=summary.pk)  # with the book's text


def make_study_to_test(overlap=1):
    """Two summaries of two books and a plan in setup; nobody is in it yet."""
    study = create_study(name="tested", title="The tested study", seed=4, review_overlap=0)
    summaries = [make_summary("Emma left. Rolf stayed.", title=f"Book {number}") for number in (1, 2)]
    add_summaries(study=study, summaries=with_text(*summaries))
    create_plan(study=study, fine_overlap=overlap, evidence_required=False)
    return study


def make_tested_study(*, people=2, overlap=1, rating=0, **settings):
    """Open, with the test above; so many people judge units, and more rate."""
    study = make_study_to_test(overlap)
    plan = study.faithfulness
    qualification = create_qualification(plan=plan, original=ferry(), **settings)
    second, fourth = qualification.statements.filter(index__in=(1, 3))
    write_change(qualification=qualification, unit_id=second.pk, text="Bela came at dawn with Ada.", by_id=None)
    write_change(qualification=qualification, unit_id=fourth.pk, text="Nobody sang loudly.", by_id=None)
    make_test(qualification=qualification, by_id=None)
    for at in range(people + rating):
        does = {"judges_units": at < people, "rates": at >= people}
        add_member(study=study, annotator=make_annotator(), annotates=False, reviews=False, **does)
    if rating:
        plan.coarse_overlap = 1
        plan.save()
    open_plan(plan=plan)
    return study


def people_of(study):
    return [member.annotator for member in study.members.order_by("pk")]


def own_task(study, annotator):
    return study.assignments.filter(annotator=annotator, state="open").order_by("pk").first()


def api(name, task, *position):
    return reverse(f"annotation-api:{name}", args=[task.key, *position])


def page(name, task):
    return reverse(f"annotation:{name}", args=[task.key])


def begin(client, task):
    """Begin the test from the page before a real task; returns the test's task."""
    answer = client.post(page("begin", task), {"test": "1"})
    return Assignment.all_purposes.get(key=answer["Location"].split("/")[2], purpose="qualify")


def answer(client, task, *wrong):
    """Answer every statement of a test, all but these as expected."""
    asked = SampledUnit.objects.filter(assignment=task).order_by("position").values_list("unit__quote", flat=True)
    judge(client, task, [STATEMENTS[quote] is not (quote in wrong) for quote in asked])


def judge(client, task, answers):
    for position, said in enumerate(answers):
        sent = {"base_version": 0, "supported": said, "comment": "", "evidence": []}
        assert client.put(api("fine-judgement", task, position), sent, **JSON).status_code == 200


def do_test(client, task, *wrong):
    """Answer every statement, and submit the test."""
    answer(client, task, *wrong)
    assert client.post(api("fine-submit", task), {}, **JSON).status_code == 200


def body(response):
    assert response.status_code == 200
    return " ".join(response.content.decode().split())
