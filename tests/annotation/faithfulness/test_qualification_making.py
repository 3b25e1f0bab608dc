"""Making a qualification test: from a true summary, with proposals that count only once a researcher accepts them."""

import pytest
from django.urls import reverse

from annotation.faithfulness.plans import delete_plan, open_plan
from annotation.faithfulness.qualifications import create_qualification, write_change
from annotation.faithfulness.selectors import plan_problems
from annotation.models import Perturbation, Qualification, QualificationUnit, Unit
from annotation.services.studies import StudyError, add_member
from booookweb.models import Role
from summarizer.models import Book, Summary
from tests.annotation.faithfulness.tested_studies import FERRY, JSON, body, ferry, make_study_to_test, make_tested_study
from tests.factories import make_annotator, make_summary, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher(client):
    user = make_user(Role.RESEARCHER)
    client.force_login(user)
    client.user = user
    return client


@pytest.fixture
def study():
    return make_study_to_test()


@pytest.fixture
def qualification(study):
    return create_qualification(plan=study.faithfulness, original=ferry())


def address(study):
    return reverse("annotation:study-qualification", args=[study.name])


def act(client, study, action, **data):
    return body(client.post(address(study), {"action": action, **data}, follow=True))


def statement(qualification, index):
    return qualification.statements.get(index=index)


def quotes(rows):
    return list(rows.order_by("index").values_list("quote", flat=True))


# --- what it is made from -------------------------------------------------------------------------------------------


def test_a_test_begins_with_a_summary_of_another_book_with_its_text(researcher, study):
    original, textless = ferry(), make_summary("Nobody came.", title="Without text")
    shown = body(researcher.get(address(study)))
    assert "The Ferry" in shown
    assert "Without text" not in shown
    assert "Book 1" not in shown  # the study's own
    shown = act(researcher, study, "choose", summary=original.pk)
    assert '<span class="number">4</span> statements' in shown
    qualification = Qualification.objects.get()
    assert (qualification.pass_percent, qualification.attempts, qualification.test) == (85, 2, None)
    assert quotes(qualification.statements) == [
        "Ada waited by the river.",
        "Bela came at noon with Ada.",
        "The ferry was late.",
        "Everybody sang loudly.",
    ]
    refused = researcher.post(address(study), {"action": "choose", "summary": textless.pk}, follow=True)
    assert "This page was out of date" in body(refused)  # there is a test already


def test_a_researcher_writes_the_text(researcher, study):
    book = ferry().book
    sent = {"action": "write", "book": book.pk, "text": "He came early. He left late.\r\n"}
    body(researcher.post(address(study), sent, follow=True))
    original = Qualification.objects.get().original
    assert (original.text, original.book, original.system.name) == (
        "He came early. He left late.",
        book,
        "texts for qualification tests",
    )
    act(researcher, study, "delete")
    assert not Qualification.objects.exists()
    assert not Summary.objects.filter(pk=original.pk).exists()
    assert Book.objects.filter(pk=book.pk).exists()


def test_a_text_must_be_about_a_book_of_none_of_the_studys_summaries(researcher, study):
    own = study.summaries.first().book
    shown = body(researcher.post(address(study), {"action": "write", "book": own.pk, "text": "He came."}))
    assert "Select a valid choice" in shown
    assert not Qualification.objects.exists()


def test_settings_are_kept_until_the_plan_opens(researcher, study, qualification):
    sent = {"action": "settings", "pass_percent": 70, "attempts": 1, "units_asked": 3, "answers_shown": "on"}
    assert "Saved." in body(researcher.post(address(study), sent, follow=True))
    qualification.refresh_from_db()
    kept = (qualification.pass_percent, qualification.attempts, qualification.units_asked, qualification.answers_shown)
    assert kept == (70, 1, 3, True)
    shown = body(researcher.post(address(study), {**sent, "pass_percent": 101}))
    assert "less than or equal to 100" in shown


# --- statements -----------------------------------------------------------------------------------------------------


def test_the_text_is_cut_by_hand_until_a_statement_is_changed(researcher, study, qualification):
    shown = body(researcher.get(reverse("annotation:qualification-units", args=[study.name])))
    assert reverse("annotation-api:qualification-units", args=[study.name]) in shown
    api = reverse("annotation-api:qualification-units", args=[study.name])
    cut = FERRY.index("with Ada")
    answer = researcher.put(api, {"was": [], "cuts": [cut]}, **JSON)
    assert (answer.status_code, answer.json()["units"]) == (200, 5)
    assert quotes(qualification.statements)[1:3] == ["Bela came at noon", "with Ada."]
    assert researcher.put(api, {"was": [], "cuts": []}, **JSON).json()["current"] == [cut]
    assert researcher.put(api, {"was": [cut], "cuts": [cut + 1]}, **JSON).status_code == 409
    body(researcher.post(reverse("annotation:qualification-units", args=[study.name]), follow=True))
    assert qualification.statements.count() == 4
    write_change(
        qualification=qualification, unit_id=statement(qualification, 0).pk, text="Ada slept there.", by_id=None
    )
    refused = researcher.put(api, {"was": [], "cuts": [cut]}, **JSON)
    assert (refused.status_code, qualification.statements.count()) == (409, 4)
    assert "they would be lost" in refused.json()["detail"]


def test_proposals_are_made_for_half_and_count_only_when_accepted(researcher, study, qualification):
    assert "Propose 2 changes" in body(researcher.get(address(study)))
    assert "2 changes proposed." in act(researcher, study, "propose")
    proposals = list(Perturbation.objects.order_by("unit__index"))
    # "Ada waited by the river." has no number, denial or opposite, and there is no other name.
    assert {each.unit.index for each in proposals} <= {1, 2, 3}
    assert [(each.state, each.rule, each.decided_by, each.text == each.proposed) for each in proposals] == [
        ("proposed", "changes-1", None, True)
    ] * 2
    assert "2 proposed changes wait for your decision." in act(researcher, study, "make", checked="on")
    assert Qualification.objects.get().test is None
    one, other = proposals
    act(researcher, study, "accept", unit=one.unit_id, text=f" {one.text}  Twice. ")
    one.refresh_from_db()
    assert (one.state, one.text, one.is_edited, one.decided_by) == (
        "accepted",
        f"{one.proposed} Twice.",
        True,
        researcher.user,
    )
    act(researcher, study, "drop", unit=other.unit_id)
    other.refresh_from_db()
    assert (other.state, other.decided_by) == ("dropped", researcher.user)
    assert "1 change proposed." in act(researcher, study, "propose")
    again = Perturbation.objects.get(state="proposed")
    assert (again.unit_id, again.text) != (other.unit_id, other.text)


def test_where_no_rule_fits_statements_are_changed_by_hand(researcher, study):
    qualification = create_qualification(plan=study.faithfulness, original=ferry("He sang. She slept."))
    assert "The rules find nothing more to propose" in act(researcher, study, "propose")
    first = statement(qualification, 0)
    assert "says what the statement said before" in act(researcher, study, "change", unit=first.pk, text="he sang")
    assert "Write what the changed statement says" in act(researcher, study, "change", unit=first.pk, text=" ")
    shown = act(researcher, study, "change", unit=first.pk, text="He\r\n wept.")
    assert "He wept." in shown
    change = Perturbation.objects.get()
    assert (change.kind, change.state, change.proposed, change.text) == ("hand", "accepted", "", "He wept.")
    assert "changed already" in act(researcher, study, "change", unit=first.pk, text="He left.")
    act(researcher, study, "drop", unit=first.pk)
    assert Perturbation.objects.get().state == "dropped"


def test_a_statement_is_left_out_and_asked_again(researcher, study, qualification):
    first = statement(qualification, 0)
    act(researcher, study, "leave-out", unit=first.pk)
    assert not QualificationUnit.objects.get(pk=first.pk).asked
    act(researcher, study, "ask", unit=first.pk)
    assert QualificationUnit.objects.get(pk=first.pk).asked
    write_change(qualification=qualification, unit_id=first.pk, text="Ada slept there.", by_id=None)
    assert "Drop that first" in act(researcher, study, "leave-out", unit=first.pk)


# --- the test -------------------------------------------------------------------------------------------------------


def changed(qualification, *changes):
    for index, text in changes:
        write_change(qualification=qualification, unit_id=statement(qualification, index).pk, text=text, by_id=None)


def test_making_it_puts_the_changes_into_the_text(researcher, study, qualification):
    changed(qualification, (1, "Bela came at dawn with Ada."), (3, "Nobody sang."))
    act(researcher, study, "leave-out", unit=statement(qualification, 2).pk)
    assert "Tick the box" in act(researcher, study, "make")
    assert "The test is made." in act(researcher, study, "make", checked="on")
    made = Qualification.objects.get()
    assert made.checked_by == researcher.user
    assert made.test.text == "Ada waited by the river. Bela came at dawn with Ada. The ferry was late. Nobody sang."
    units = Unit.all_purposes.filter(summary=made.test).order_by("index")
    assert list(units.values_list("quote", "expected")) == [
        ("Ada waited by the river.", True),
        ("Bela came at dawn with Ada.", False),
        ("The ferry was late.", None),
        ("Nobody sang.", False),
    ]
    assert all(made.test.text[unit.start : unit.end] == unit.quote for unit in units)
    assert not study.faithfulness.units.filter(summary=made.test).exists()
    refused = act(researcher, study, "drop", unit=statement(qualification, 1).pk)
    assert "Take it apart to change its statements" in refused
    act(researcher, study, "take-apart")
    assert not Unit.all_purposes.filter(purpose="qualify").exists()
    assert not Summary.objects.filter(pk=made.test_id).exists()
    assert Perturbation.objects.filter(state="accepted").count() == 2


def test_a_statement_that_is_said_twice_is_asked_where_its_first_place_is_left_out(researcher, study):
    text = "Ada sang. Bela came at noon. Ada sang. Ada sang."
    qualification = create_qualification(plan=study.faithfulness, original=ferry(text), units_asked=3)
    changed(qualification, (1, "Bela came at dawn."))
    act(researcher, study, "leave-out", unit=statement(qualification, 0).pk)
    assert "An attempt can’t ask 3 statements: there are 2." in act(researcher, study, "make", checked="on")
    act(researcher, study, "settings", pass_percent=85, attempts=2, units_asked=2)
    act(researcher, study, "make", checked="on")
    units = Unit.all_purposes.filter(purpose="qualify").order_by("index")
    assert list(units.values_list("expected", "same_as__index")) == [
        (None, None),
        (False, None),
        (True, None),
        (True, 2),
    ]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ([], "statements that are changed and statements that are not"),
        ([(0, "A."), (1, "B."), (2, "C."), (3, "D.")], "statements that are changed and statements that are not"),
        ([(0, "The ferry was LATE")], "Statement 1 now says what statement 3 says, which is supported"),
    ],
)
def test_a_text_that_is_no_test_is_refused(researcher, study, qualification, changes, why):
    changed(qualification, *changes)
    assert why in act(researcher, study, "make", checked="on")
    assert Qualification.objects.get().test is None
    assert not Unit.all_purposes.filter(purpose="qualify").exists()


def test_a_plan_opens_only_with_a_made_test(study, qualification):
    add_member(study=study, annotator=make_annotator(), annotates=False, reviews=False, judges_units=True)
    problem = "The qualification test is not made yet. Finish it, or delete it."
    assert plan_problems(study.faithfulness) == [problem]


def test_an_open_test_stays(researcher):
    study = make_tested_study()
    for action in ("take-apart", "delete", "propose"):
        assert "The plan was opened" in act(researcher, study, action)
    sent = {"action": "settings", "pass_percent": 1, "attempts": 1}
    assert "The plan was opened" in body(researcher.post(address(study), sent, follow=True))
    assert Qualification.objects.get().pass_percent == 85
    shown = body(researcher.get(address(study)))
    assert "2 left" in shown
    assert "Make the test" not in shown


def test_a_deleted_plan_takes_its_test_along(study, qualification):
    changed(qualification, (1, "B."))
    delete_plan(plan=study.faithfulness)
    assert not Qualification.objects.exists()
    assert not QualificationUnit.objects.exists()


def test_whoever_will_do_the_test_does_not_see_how_it_is_made(researcher, study, qualification):
    annotator = make_annotator(researcher.user)
    add_member(study=study, annotator=annotator, annotates=False, reviews=False, judges_units=True)
    for answer in (
        researcher.get(address(study)),
        researcher.get(reverse("annotation:qualification-units", args=[study.name])),
        researcher.put(
            reverse("annotation-api:qualification-units", args=[study.name]),
            {"was": [], "cuts": []},
            **JSON,
        ),
    ):
        assert answer.status_code == 403
        assert "at noon" not in answer.content.decode()


def test_opening_deals_to_everybody_and_leaves_the_test_to_them():
    study = make_tested_study()
    assert study.assignments.count() == 2
    assert not study.assignments.filter(summary__book__title="The Ferry").exists()
    with pytest.raises(StudyError, match="opened already"):
        open_plan(plan=study.faithfulness)
