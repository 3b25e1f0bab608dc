"""Reference summaries: their record, file and page; ROUGE-L and other measures in figures, worked out by hand."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scoring.models import MetricValue
from scoring.selectors import rouge
from scoring.selectors.rouge import rouge_of
from summarizer.models import Book, ReferenceSummary
from summarizer.services.books import BookError
from summarizer.services.references import add_reference, remove_reference
from tests.factories import make_summary
from tests.scoring.test_report import add_set, make_study, report

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Two books of one system; the first has two references."""
    study, [first, _] = make_study("Emma left the mill.", "Rolf stayed.")
    add_reference(book=first.book, text="Emma stayed at the mill.", source="a publisher")  # emma the mill: 6 / 9
    add_reference(book=first.book, text="Emma left.")  # 4 / 6
    return study


def test_the_best_reference_counts_and_books_without_one_are_left_out(study):
    [system] = report("own")["systems"]
    assert system["rouge_l"] == {
        "score": pytest.approx(2 / 3),
        "n": 1,
        "ci95": None,
    }


def test_it_is_a_column_of_the_system_table(researcher, study):
    table = reverse("scoring:table", args=["own", "dashboard", "systems", "csv"])
    head, row = researcher.get(table).content.decode().split("\n")[:2]
    assert "ROUGE-L,ROUGE-L low,ROUGE-L high,ROUGE-L n" in head
    assert "0.6666666666666666,,,1" in row
    ReferenceSummary.objects.all().delete()
    assert "ROUGE-L" not in researcher.get(table).content.decode()
    assert "has a reference summary" in report("own")["systems"][0]["rouge_l"]["reasons"]["score"]


def test_scores_are_computed_once_and_never_out_of_date(study, monkeypatch):
    computed = []
    monkeypatch.setattr(rouge, "_kept", {})
    plain = rouge.rouge_l
    monkeypatch.setattr(rouge, "rouge_l", lambda *texts: computed.append(texts) or plain(*texts))
    first = study.summaries.get(book__title="Book 0")
    assert rouge_of(study) == {first.pk: pytest.approx(2 / 3)}
    assert len(computed) == 2
    with CaptureQueriesContext(connection) as captured:
        rouge_of(study)
    assert (len(computed), len(captured)) == (2, 2)
    add_reference(book=first.book, text="Emma left the mill!")
    assert rouge_of(study)[first.pk] == 1
    remove_reference(reference=ReferenceSummary.objects.latest("pk"))
    assert rouge_of(study)[first.pk] == pytest.approx(2 / 3)


def test_other_measures_have_means_and_go_together_with_scores(researcher):
    """BLANC 1, 2, 3 beside people's scores 1/2, 1, 0: r = -0.5 of (1, 2, 3) and (1/2, 1, 0), rho the same."""
    study, summaries = make_study(*["Emma left. Rolf stayed."] * 3)
    for summary, spans, value in zip(summaries, ([(0, 4)], [], [(0, 4), (11, 15)]), (1, 2, 3), strict=True):
        add_set(study, summary, spans)
        MetricValue.objects.create(summary=summary, name="BLANC", value=value)
    [metric] = report("own")["metrics"]
    assert metric["systems"] == {summaries[0].system.name: {"mean": 2.0, "n": 3}}
    [people] = metric["correlations"]
    assert (people["source"], people["n"]) == ("human", 3)
    assert people["pearson"] == pytest.approx(-0.5)
    assert people["spearman"] == pytest.approx(-0.5)
    page = researcher.get(reverse("scoring:dashboard", args=["own"])).content.decode()
    assert "Other measures" in page
    assert "-0.500" in page


# --- in ------------------------------------------------------------------------------------------------------------


def bring_in(path):
    output = StringIO()
    call_command("import_references", str(path), stdout=output)
    return json.loads(output.getvalue())


def test_import_from_each_kind_of_file(tmp_path):
    book = make_summary(title="The Mill").book
    path = tmp_path / "references.json"
    path.write_text(json.dumps({"The Mill": ["One.", "Two."], "The Ford": "Three."}))
    assert bring_in(path) == {"references": 3, "new": 3}
    assert bring_in(path) == {"references": 3, "new": 0}
    assert [each.text for each in book.references.all()] == ["One.", "Two."]
    assert Book.objects.get(title="The Ford").source_format == "none"
    table = tmp_path / "references.csv"
    table.write_text("book,summary,source\nThe Mill,Four.,a publisher\n")
    assert bring_in(table) == {"references": 1, "new": 1}
    assert ReferenceSummary.objects.get(text="Four.").source == "a publisher"
    lines = tmp_path / "references.jsonl"
    lines.write_text('{"book": "The Mill", "summary": "Five."}\n{"book": "The Mill"}\n')
    with pytest.raises(CommandError, match="Line 2: summary is missing"):
        bring_in(lines)
    assert not ReferenceSummary.objects.filter(text="Five.").exists()


def test_the_same_text_is_stored_once_and_an_empty_one_never():
    book = make_summary().book
    assert [add_reference(book=book, text=text)[1] for text in ("One.\r\n", "One.\n")] == [True, False]
    with pytest.raises(BookError, match="no text"):
        add_reference(book=book, text=" \n")


def test_the_page_of_a_book(researcher):
    book = make_summary().book
    page, add = reverse("summarizer:book", args=[book.pk]), reverse("summarizer:book-reference-add", args=[book.pk])
    shown = researcher.post(add, {"text": "<b>Emma</b> left.", "source": "a publisher"}, follow=True).content.decode()
    assert "The reference was added" in shown
    assert "&lt;b&gt;Emma&lt;/b&gt; left." in shown
    assert "has no text" in researcher.post(add, {"text": ""}, follow=True).content.decode()
    [reference] = book.references.all()
    elsewhere = make_summary().book
    for owner, status in ((elsewhere, 404), (book, 302)):
        address = reverse("summarizer:book-reference-remove", args=[owner.pk, reference.pk])
        assert researcher.post(address).status_code == status
    assert "a publisher" not in researcher.get(page).content.decode()
