"""The report of a study as a page, and its frozen versions, which nothing changes."""

import hashlib
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Annotator, ReviewDecision, Study
from annotation.services.withdrawals import withdraw
from scoring.models import Report
from scoring.study_report.names import without_names
from tests.factories import make_annotator, make_marks, make_user
from tests.scoring.test_report import add_judge, add_set, add_verdicts, make_study, strict

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Ada marks one of two sentences of each of two books; the judge marks the first alone."""
    study, summaries = make_study("Emma left. Rolf stayed.", "Mia sang. Ice held.")
    ada = make_annotator()
    judge = add_judge(study, model="some-llm", mode="sentence")
    for summary, verdicts in zip(summaries, (["confused", "clean"], ["clean", "clean"]), strict=True):
        add_set(study, summary, [(0, 4)], annotator=ada)
        add_verdicts(judge, summary, verdicts)
    return study


@pytest.fixture
def researcher(client):
    client.force_login(make_user("researcher", "grace"))
    return client


def freeze(client, note="as submitted", study="own"):
    return client.post(reverse("scoring:study-report", args=[study]), {"note": note}, follow=True)


def version(client, number=1):
    return client.get(reverse("scoring:report-version", args=["own", number])).content.decode()


def test_the_page_has_figures_pictures_and_what_they_were_made_with(researcher, study):
    page = researcher.get(reverse("scoring:study-report", args=["own"])).content.decode()
    for words in (
        "BooookScore by system",
        "Scores of each system",
        "50.0",
        "Not frozen",
        "seed 0",
        "splitter",
        "some-llm",
    ):
        assert words in page, words
    assert 'src="data:image/svg+xml;base64,' in page


def test_a_frozen_version_stays_when_the_study_changes(researcher, study):
    assert "Version 1 is frozen" in freeze(researcher).content.decode()
    before = version(researcher)
    assert "by grace. as submitted" in before
    add_set(study, study.summaries.first(), [(0, 4), (11, 15)], annotator=make_annotator())
    Annotator.objects.filter(kind="judge").update(model="another")
    Study.objects.filter(pk=study.pk).update(title="Another title")
    after = version(researcher)
    paper = after[after.index('<article class="paper"') : after.index("</article>")]
    assert paper in before
    freeze(researcher, "with one more person")
    assert "75.0" in before[before.index("some-llm") :]
    assert "Another title" in version(researcher, 2)
    assert [each.note for each in Report.objects.order_by("number")] == ["as submitted", "with one more person"]


def test_the_file_is_what_was_stored(researcher, study):
    freeze(researcher)
    stored = Report.objects.get()
    response = researcher.get(reverse("scoring:report-version-file", args=["own", 1]))
    assert 'filename="own-report-1.json"' in response["Content-Disposition"]
    assert hashlib.sha256(response.content).hexdigest() == stored.content_sha256
    assert stored.content_sha256 in version(researcher)
    content = strict(response.content)
    [system] = content["figures"]["systems"]
    assert (system["human"]["sentence"], system["judges"][0]["score"]) == (0.5, 0.75)
    made = content["made_with"]
    assert (made["splitters"], made["seed"], made["resamples"]) == (["test"], 0, 1000)
    assert made["judges"][0]["model"] == "some-llm"
    assert made["software"] == "Booook Web 0.1.0"


def test_nothing_and_nobody_can_change_a_frozen_report(researcher, study):
    freeze(researcher)
    frozen = Report.objects.get()
    with pytest.raises(TypeError, match="never changes"):
        frozen.save()
    address = reverse("scoring:report-version", args=["own", 1])
    assert researcher.post(address).status_code == 405


def test_it_names_nobody_and_quotes_nothing(researcher, study):
    """After a withdrawal it still counts what the person did, says so, and holds nothing else of them."""
    ada, bea = Annotator.objects.get(kind="person"), make_annotator()
    make_marks(study.summaries.first(), bea, study=study, questions="Why does Emma leave?")
    Study.objects.filter(pk=study.pk).update(phase="closed")
    freeze(researcher)
    content = Report.objects.get().content
    for words in (ada.pseudonym, bea.pseudonym, "Why does Emma leave?", "Rolf stayed"):
        assert words not in content
    withdraw(study=study, annotator=bea, by=make_user("researcher"))
    page = version(researcher)
    assert "1 person has withdrawn from the study since" in page
    assert "People who marked</dt><dd>2" in page
    assert (
        "People who marked</dt><dd>1" in researcher.get(reverse("scoring:study-report", args=["own"])).content.decode()
    )


def test_people_stand_under_numbers_wherever_a_pseudonym_stands():
    found = without_names({"P-1": "P-1 and P-11, not XP-1", "list": [{"by": ["P-11", 3, None]}]}, ["P-1", "P-11"])
    assert found == {"P-1": "Person 1 and Person 2, not XP-1", "list": [{"by": ["Person 2", 3, None]}]}
    assert without_names({"by": {"P-1": 2}}, ["P-1"]) == {"by": {"Person 1": 2}}


def test_reviewers_have_no_name_in_it_either(researcher, study):
    from uuid import uuid4

    from annotation.models import Annotation, ReviewItem

    reviewer = make_annotator()
    mark = Annotation.objects.filter(annotation_set__annotator__kind="person").first()
    item = ReviewItem.objects.create(key=uuid4(), study=study, annotation=mark, order=0)
    ReviewDecision.objects.create(item=item, reviewer=reviewer, agreement="agree", comment="So it is.")
    freeze(researcher)
    content = Report.objects.get().content
    assert reviewer.pseudonym not in content
    assert "So it is." not in content
    assert "Reviewer Person" in content


def test_a_report_needs_to_say_what_it_is_for(researcher, study):
    assert "Say what this version is for" in freeze(researcher, " ").content.decode()
    assert not Report.objects.exists()


def test_a_study_without_anything(researcher):
    make_study()
    assert "nothing to report yet" in researcher.get(reverse("scoring:study-report", args=["own"])).content.decode()
    assert "Version 1 is frozen" in freeze(researcher).content.decode()


@pytest.mark.parametrize("phase", ["reviewing", "annotating"])
def test_it_is_sealed_as_the_live_report_is(client, researcher, study, phase):
    freeze(researcher)
    Study.objects.filter(pk=study.pk).update(phase=phase)
    if phase == "annotating":
        from tests.world import make_task

        user = make_user("researcher")
        Study.objects.filter(pk=study.pk).update(phase="annotating")
        study.summaries.set(study.summaries.all()[:1])
        make_task(user, "annotate", study)
        client.force_login(user)
    for address in (
        reverse("scoring:study-report", args=["own"]),
        reverse("scoring:report-version", args=["own", 1]),
        reverse("scoring:report-version-file", args=["own", 1]),
    ):
        assert client.get(address).status_code == 403
    assert freeze(client).status_code == 403
    assert Report.objects.count() == 1


# --- command line ---------------------------------------------------------------------------------------------------


def run(*options):
    output = StringIO()
    call_command("report", "own", *options, stdout=output)
    return output.getvalue()


def test_the_command_freezes_and_prints_versions(study):
    made = json.loads(run("--freeze", "as submitted"))
    assert made["version"] == 1
    stored = Report.objects.get()
    assert (stored.pseudonym, stored.by, made["sha256"]) == ("command line", None, stored.content_sha256)
    printed = run("--version", "1").removesuffix("\n")
    assert hashlib.sha256(printed.encode()).hexdigest() == made["sha256"]
    assert "some-llm" in run("--version", "1", "--format", "text")
    with pytest.raises(CommandError, match=r"no report of version 2\. Versions: 1"):
        run("--version", "2")
    with pytest.raises(CommandError, match="what this version is for"):
        run("--freeze", "")


def test_the_command_is_closed_under_blind_review(study):
    run("--freeze", "before")
    Study.objects.filter(pk=study.pk).update(phase="reviewing")
    for options in (("--freeze", "x"), ("--version", "1")):
        with pytest.raises(CommandError, match="under blind review"):
            run(*options)
