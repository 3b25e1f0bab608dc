"""FINE and COARSE results of others, from CSV."""

import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.faithfulness.plans import create_plan
from annotation.models import Assignment, Evidence, FaithfulnessPlan, Rating, Unit, UnitJudgement
from annotation.selectors.pay import pay_of_people
from annotation.services.studies import add_summaries, create_study
from booookweb.models import Role
from scoring.imports import ImportRefused
from scoring.imports.judgements import import_judgements
from scoring.selectors.faithfulness import study_faithfulness
from tests.factories import make_annotator, make_summary, make_user

pytestmark = pytest.mark.django_db

TEXT = "Emma left the mill and Rolf stayed. Mia sailed. Emma left the mill."
FINE = ("book", "system", "annotator", "unit", "supported", "comment", "seconds", "evidence", "hints")
COARSE = ("book", "system", "annotator", "rating")


@pytest.fixture
def study():
    summary = make_summary(TEXT, "The Mill")
    summary.system.name = "tiny"
    summary.system.save()
    summary.book.text, summary.book.text_sha256 = "One day Emma left the old mill.", "0" * 64
    summary.book.save()
    study = create_study(name="elsewhere")
    add_summaries(study=study, summaries=[summary])
    return study


def table(columns, *rows):
    output = io.StringIO()
    writer = csv.writer(output)
    writer.writerow(columns)
    writer.writerows(("The Mill", "tiny", *row) for row in rows)
    return output.getvalue().encode()


def fine(*rows):
    return table(FINE, *((*row, *[""] * (len(FINE) - 2 - len(row))) for row in rows))


JUDGED = fine(
    ("ann", "Emma left the mill", "yes", "plain", "12.4", "Emma left", "yes"),
    ("ann", "and Rolf stayed.", "No"),
    ("bob", "Emma left the mill", "false"),
    ("bob", "Mia sailed.", "supported", "", "30"),
)


def test_units_are_found_in_the_summary_and_judgements_stored(study):
    result = import_judgements(data=JUDGED, study=study)
    assert result == {
        "study": "elsewhere",
        "kind": "fine",
        "people": 2,
        "tasks": 2,
        "unchanged": 0,
        "answers": 4,
    }
    units = [(unit.quote, unit.start, unit.same_as and unit.same_as.index) for unit in Unit.objects.order_by("index")]
    assert units == [
        ("Emma left the mill", 0, None),
        ("and Rolf stayed.", 19, None),
        ("Mia sailed.", 36, None),
        ("Emma left the mill", 48, 0),
    ]
    answers = UnitJudgement.objects.order_by("pk").values_list(
        "sampled__assignment__annotator__pseudonym", "sampled__unit__index", "supported", "active_seconds"
    )
    assert list(answers) == [("ann", 0, True, 12), ("ann", 1, False, 0), ("bob", 0, False, 0), ("bob", 2, True, 30)]
    assert Evidence.objects.values_list("start", "end", "quote").get() == (8, 17, "Emma left")
    assert Assignment.objects.get(annotator__pseudonym="ann").unit_sample.hints_shown
    plan = FaithfulnessPlan.objects.get()
    assert (plan.unit_rule, plan.state, plan.fine_overlap, plan.coarse_overlap) == ("imported", "closed", 2, 0)
    assert pay_of_people(study) == []


def test_words_inside_other_words_are_no_repeated_unit():
    text = "Her husband left. He came and left."
    summary, study = make_summary(text, "The Mill"), create_study(name="elsewhere")
    add_summaries(study=study, summaries=[summary])
    rows = fine(("ann", "and left", "yes")).replace(b"tiny", summary.system.name.encode())
    import_judgements(data=rows, study=study)
    assert Unit.objects.get().start == text.index("came") + len("came ")


def test_a_second_import_changes_nothing_and_ratings_join(study):
    import_judgements(data=JUDGED, study=study)
    again = import_judgements(data=JUDGED, study=study)
    assert (again["tasks"], again["unchanged"]) == (0, 2)
    rated = import_judgements(data=table(COARSE, ("ann", "4"), ("cleo", "0")), study=study)
    assert (rated["kind"], rated["people"], rated["tasks"]) == ("coarse", 2, 2)
    assert sorted(Rating.objects.values_list("value", flat=True)) == [0, 4]
    plan = FaithfulnessPlan.objects.get()
    assert (plan.fine_overlap, plan.coarse_overlap) == (2, 2)
    assert import_judgements(data=table(COARSE, ("ann", "4")), study=study)["unchanged"] == 1


def test_ratings_are_on_the_scale_that_is_named_with_them(study):
    """Also where a file of units, which have none, made the plan."""
    import_judgements(data=JUDGED, study=study)
    import_judgements(data=table(COARSE, ("ann", "1"), ("bob", "5")), study=study, scale="1-5")
    assert [task.score for task in study_faithfulness(study).summaries[0].coarse] == [0, 100]
    with pytest.raises(ImportRefused, match="are from 1 to 5, and these are said to be on another scale"):
        import_judgements(data=table(COARSE, ("cleo", "0")), study=study, scale="0-5")
    assert import_judgements(data=table(COARSE, ("ann", "1")), study=study)["unchanged"] == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (fine(), "holds no answers"),
        (fine(("ann", "Emma left the mill", "maybe")), "Line 2: “maybe” is no answer"),
        (fine(("ann", "Nobody came.", "yes")), "Line 2: “Nobody came.” is not in the summary"),
        (fine(("ann", "Mia sailed.", "yes"), ("ann", "Mia sailed.", "no")), "Line 3: ann said the opposite"),
        (fine(("ann", "Mia sailed.", "yes", "", "x")), "Line 2: “x” is no number of seconds"),
        (fine(("ann", "Mia sailed.", "yes", "", "", "Rolf came")), "Line 2: the evidence is not in the book"),
        (table(COARSE, ("ann", "6")), "Line 2: “6” is no whole number from 0 to 5"),
        (table(COARSE, ("ann", "2.5")), "Line 2: “2.5” is no whole number"),
        (table(COARSE, ("ann", "4"), ("ann", "5")), "Line 3: ann rated this summary in line 2 already"),
        (table(COARSE, ("P-LOGIN", "4")), "Line 2: “P-LOGIN” is the name of somebody else"),
        (b"book,system\nThe Mill,tiny", "The heading lacks"),
        (b"book,system,annotator,rating\nThe Mill,other,ann,4", "Line 2: the study has no summary of"),
    ],
)
def test_a_file_is_taken_whole_or_not_at_all(study, data, words):
    person = make_annotator()
    person.pseudonym = "P-LOGIN"
    person.save()
    with pytest.raises(ImportRefused, match=words):
        import_judgements(data=data, study=study)
    assert not FaithfulnessPlan.objects.exists()
    assert not Assignment.objects.exists()


def test_other_answers_of_the_same_person_are_refused(study):
    import_judgements(data=JUDGED, study=study)
    with pytest.raises(ImportRefused, match="bob has other answers"):
        import_judgements(data=fine(("bob", "Mia sailed.", "no")), study=study)
    with pytest.raises(ImportRefused, match="none of the summary’s units"):
        import_judgements(data=fine(("cleo", "sailed.", "no")), study=study)


def test_a_study_that_asks_people_here_takes_none(study):
    create_plan(study=study)
    with pytest.raises(ImportRefused, match="has a plan of its own"):
        import_judgements(data=JUDGED, study=study)


def test_files_are_brought_in_by_the_pages(client, study):
    client.force_login(make_user(Role.RESEARCHER))
    page = reverse("scoring:import-judgements", args=["elsewhere"])
    assert page in client.get(reverse("annotation:study-faithfulness", args=["elsewhere"])).content.decode()
    bad = client.post(page, {"file": SimpleUploadedFile("x.csv", b"book"), "scale": "0-5"})
    assert bad.status_code == 400
    assert "The heading lacks" in bad.content.decode()
    done = client.post(page, {"file": SimpleUploadedFile("x.csv", JUDGED), "scale": "0-5"}, follow=True)
    assert "4 judgements of units by 2 people read." in done.content.decode()
    assert "These judgements were imported." in done.content.decode()
    article = b'{"article": "Mia sails the sea .", "human": "Mia sails ."}'
    file = SimpleUploadedFile("articles.jsonl", article)
    done = client.post(reverse("scoring:import-articles"), {"file": file, "study": "articles"}, follow=True)
    assert "1 summary of 1 system in the study. New here: 1 book, 1 summary." in done.content.decode()
    file.seek(0)
    again = client.post(reverse("scoring:import-articles"), {"file": file, "study": "another"}, follow=True)
    assert "1 summary of 1 system in the study. New here: 0 books, 0 summaries." in again.content.decode()
