"""Out and in again: nothing is lost, and nothing leaves that should not."""

import hashlib
import json
from io import StringIO

import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import Annotation, AnnotationSet, Annotator, Study
from annotation.services.studies import create_study
from booookweb.demo import add_demo
from scoring.exports.kinds import KINDS, OF_STUDY
from scoring.report import build_report
from scoring.report.writing import report_json
from summarizer.models import Book, Endpoint, LLMAttempt, Section, Summary
from summarizer.services.summaries import create_summary
from summarizer.text import canonical_text
from tests.factories import make_annotator, make_marks, make_summary
from tests.scoring.exports.whole_study import SECRETS, SOURCE_WORDS, empty_database, whole_study


def export(study, path, *options):
    output = StringIO()
    call_command("export", study, "--format", "jsonl", "--output", str(path), *options, stdout=output)
    assert json.loads(output.getvalue())["bytes"] == path.stat().st_size
    return path.read_bytes()


def bring_in(path, study):
    output = StringIO()
    call_command("import_export", str(path), "--study", study, stdout=output)
    return json.loads(output.getvalue())


def records(data):
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def figures_of(study):
    """All but those that read books or their references, whose texts may be gone."""
    found = report_json(build_report(study, with_texts=False))
    for system in found["systems"]:
        del system["rouge_l"]
    return found | {"metrics": [each for each in found["metrics"] if each["name"] != "ROUGE-L"]}


def test_every_field_is_written_or_left_out_on_purpose():
    through_others = {"summaries", "judges", "error_types", "sources", "context", "sentence"}
    for kind in KINDS:
        named = {*kind.columns, *kind.source_columns, *kind.nested, *kind.source_nested, *kind.left_out}
        named |= {column for column, _ in kind.links.values()}
        fields = {each.name for each in [*kind.model._meta.concrete_fields, *kind.model._meta.many_to_many]}
        assert fields - named <= {"id", OF_STUDY, *through_others, *EXTRA.get(kind.name, ())}, kind.name


#: Fields that nested keys are made from.
EXTRA = {
    "book": {"text_sha256", "absent_text_sha256"},
    "job": {"parameters"},
    "attempt": {"reply"},
    "gold_event": {"content"},
}


@pytest.mark.django_db
@pytest.mark.parametrize("options", [(), ("--with-source",)], ids=["without source", "with source"])
def test_a_whole_study_goes_out_comes_in_and_goes_out_the_same(tmp_path, options):
    figures = figures_of(whole_study())
    out = export("whole", tmp_path / "one.jsonl", *options)
    counts = records(out)[0]["counts"]
    assert {name for name, count in counts.items() if not count} == (set() if options else {"node", "reference"})
    empty_database()
    created = bring_in(tmp_path / "one.jsonl", "whole")["created"]
    assert created == {name: count for name, count in counts.items() if count}
    assert export("whole", tmp_path / "two.jsonl", *options) == out
    assert figures_of(Study.objects.get()) == figures


@pytest.mark.django_db
def test_a_second_import_changes_nothing_and_another_name_shares_what_no_study_owns(tmp_path):
    whole_study()
    path = tmp_path / "one.jsonl"
    export("whole", path, "--with-source")
    assert bring_in(path, "whole") == {"study": "whole", "created": {}, "unchanged": True}
    created = bring_in(path, "copy")["created"]
    shared = {
        "prompt_set",
        "endpoint",
        "error_type",
        "annotator",
        "book",
        "system",
        "summary",
        "node",
        "metric",
        "reference",
    }
    ledger = {"job", "item", "call", "attempt", "book_knowledge"}
    assert created.keys().isdisjoint(shared | ledger | {"verdict"})
    assert (created["set"], created["mark"]) == (3, 2)  # of people; the judge's are the same for both
    assert bring_in(path, "copy")["unchanged"] is True
    copy = export("copy", tmp_path / "copy.jsonl", "--with-source")
    ours, theirs = records(copy), records(path.read_bytes())
    assert [each for each in ours[1:-1] if each["record"] != "study"] == [
        each for each in theirs[1:-1] if each["record"] != "study"
    ]


@pytest.mark.django_db
def test_what_must_stay_stays_and_the_books_words_leave_only_when_asked_for(tmp_path):
    whole_study()
    without = export("whole", tmp_path / "without.jsonl").decode()
    whole = export("whole", tmp_path / "with.jsonl", "--with-source").decode()
    for secret in SECRETS:
        assert secret not in without
        assert secret not in whole
    for words in SOURCE_WORDS:
        assert words not in without
        assert words in whole
    assert "Answer: unparsed" in without  # what a judge replied is about the summary


@pytest.mark.django_db
def test_the_header_counts_and_the_end_holds_the_hash_of_all_before(tmp_path):
    whole_study()
    data = export("whole", tmp_path / "one.jsonl")
    header, *body, end = records(data)
    assert (header["record"], header["format"], header["version"]) == ("header", "booook-web-study", 1)
    for name, count in header["counts"].items():
        assert sum(each["record"] == name for each in body) == count
    last = data[data.rindex(b"\n", 0, -1) + 1 :]
    assert end == {
        "record": "end",
        "lines": len(body) + 1,
        "sha256": hashlib.sha256(data[: -len(last)]).hexdigest(),
    }
    sets = [each for each in body if each["record"] == "set"]
    # Looked and found nothing, and not done, are told apart.
    assert sorted(each["state"] for each in sets) == ["skipped", "submitted", "submitted", "submitted"]


@pytest.mark.django_db
def test_an_imported_endpoint_has_no_address_and_its_jobs_keep_what_they_cost(tmp_path):
    whole_study()
    export("whole", tmp_path / "one.jsonl")
    empty_database()
    bring_in(tmp_path / "one.jsonl", "whole")
    assert Endpoint.objects.get().base_url == "https://not-set.invalid/v1"
    assert Annotator.objects.exclude(user=None).count() == 0
    assert str(LLMAttempt.objects.filter(call__step="chunk 1").get().cost_usd) == "0.00000123"


@pytest.mark.django_db
def test_a_book_without_its_text_gets_it_from_a_later_file(tmp_path):
    whole_study()
    export("whole", tmp_path / "without.jsonl")
    export("whole", tmp_path / "with.jsonl", "--with-source")
    empty_database()
    bring_in(tmp_path / "without.jsonl", "whole")
    assert Book.objects.get().text == ""
    bring_in(tmp_path / "with.jsonl", "copy")
    assert Book.objects.get().text.startswith("Emma leaves")
    assert Section.objects.count() == 2
    assert Summary.objects.count() == 3


TEXT = st.text(
    st.sampled_from("ab. \n\r😀é́\u2028\u00a0<>&\"'=\\{}👨🏻\u200d🚒") | st.characters(exclude_categories=["Cs", "Cc"]),
    max_size=60,
)


@pytest.mark.django_db
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXT, min_size=1, max_size=3), data=st.data())
def test_any_text_and_any_marks_come_back_the_same(tmp_path, texts, data):
    empty_database()
    study = create_study(name="any", guidelines=canonical_text(texts[0])[0])
    person = make_annotator()
    for raw in texts:
        base = make_summary()
        summary = create_summary(book=base.book, system=make_summary().system, text=raw)
        study.summaries.add(summary)
        edge = st.integers(0, len(summary.text))
        places = st.lists(st.tuples(edge, edge).filter(lambda place: place[0] < place[1]), min_size=1, max_size=2)
        spans = data.draw(st.lists(places, max_size=3)) if summary.text else []
        make_marks(summary, person, study=study, spans=spans, questions=canonical_text(raw)[0])
    out = export("any", tmp_path / "one.jsonl")
    marks = list(Annotation.objects.order_by("pk").values_list("questions", "spans__start", "spans__quote"))
    empty_database()
    bring_in(tmp_path / "one.jsonl", "any")
    assert list(Annotation.objects.order_by("pk").values_list("questions", "spans__start", "spans__quote")) == marks
    assert AnnotationSet.objects.count() == len(texts)
    assert export("any", tmp_path / "two.jsonl") == out


@pytest.mark.django_db(transaction=True)  # the ledger writes through a connection of its own
def test_the_studies_of_the_demo_come_back_the_same(tmp_path, settings):
    settings.VAR_DIR = tmp_path
    add_demo()
    names = ["sample", "first-study", "first-comparison"]
    out = [export(name, tmp_path / f"{name}.jsonl", "--with-source") for name in names]
    assert records(out[0])[0]["counts"]["verdict"] > 50
    empty_database()
    for name in names:
        bring_in(tmp_path / f"{name}.jsonl", name)
    assert [export(name, tmp_path / f"{name}.again", "--with-source") for name in names] == out
