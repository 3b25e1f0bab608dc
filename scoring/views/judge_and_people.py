"""Can the judge replace people: the page of a study, and the sentences on which they differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from annotation.selectors.marks import offered_error_types
from annotation.services.seen import reveal_marks_of
from scoring.forms import AgreementForm
from scoring.report.agreement.building import agreement_figures
from scoring.report.agreement.structure import AgreementReport, AlternativeFigures, JudgeAgreement, SystemDifferences
from scoring.report.building import judge_names
from scoring.report.structure import JudgeName
from scoring.report.summaries import summary_figures
from scoring.selectors.differences import JUDGE_ONLY, PEOPLE_ONLY, places, scored_by_both, sentences_to_read
from scoring.selectors.marks import StudyMarks, TypesOfMarks, study_marks, types_of_marks
from scoring.statistics.alternative import EPSILON
from scoring.tables import Described
from scoring.tables.agreement_tables import lists
from scoring.tables.cells import decimal_cell
from scoring.tables.dashboard import words_of
from scoring.tables.further_tables import source_name
from scoring.tables.judge_and_people import agreement_tables
from summarizer.identifiers import row_id

SENTENCES_A_PAGE = 25


@dataclass(frozen=True)
class ReadAgreement:
    """What the page shows: figures, the judge in detail, and the tables by key."""

    marks: StudyMarks
    report: AgreementReport
    form: AgreementForm
    judge: JudgeAgreement | None
    tables: dict[str, Described]


def read_agreement(study: Study, query: Mapping[str, str]) -> ReadAgreement:
    """`query`: `judge`, whose details are shown (else the first that can be compared), and what the form asks."""
    marks = study_marks(study)
    judges = judge_names(marks.judges)
    summaries = [summary_figures(summary, marks, judges) for summary in marks.summaries]
    form = AgreementForm({"epsilon": EPSILON, **query})
    chosen = _chosen(judges, marks, query.get("judge"))
    report = agreement_figures(marks, judges, summaries, form.options(), chosen.id if chosen else None)
    judge = next((each for each in report.judges if chosen and each.judge.id == chosen.id), None)
    asked = urlencode({name: query[name] for name in ("judge", "epsilon", "points") if query.get(name)})
    systems = {system.name: system.pk for system in marks.systems}
    found = agreement_tables(report, judge, study.name, systems, words_of(summaries), asked)
    return ReadAgreement(marks, report, form, judge, found)


@require_safe
def judge_and_people(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    read = read_agreement(study, request.GET.dict())
    report, judge = read.report, read.judge
    context = {
        "study": study,
        "is_sample": read.marks.has_sample_people,
        "report": report,
        "form": read.form,
        "judge": judge,
        "tables": {key.replace("-", "_"): each for key, each in read.tables.items()},
        "lists": lists(study.name, report.judges),
        "marked": any(summary.people for summary in read.marks.summaries),
        "warnings": list(dict.fromkeys(row.warning for row in report.recall.rows if row.warning)),
        "tested": _tested(read),
        "differences": _differences(read),
        "above_rules": decimal_cell(judge.above_rules, signed=True) if judge and judge.row.sentences else None,
    }
    return render(request, "scoring/judge_and_people.html", context)


def _tested(read: ReadAgreement) -> list[tuple[AlternativeFigures, Described]]:
    """The judges that were tested, each with the table of the people who were left out."""
    numbered = enumerate(read.report.alternative, start=1)
    return [(each, read.tables[key]) for number, each in numbered if (key := f"left-out-{number}") in read.tables]


def _differences(read: ReadAgreement) -> list[tuple[str, SystemDifferences, Described]]:
    numbered = enumerate(read.report.ranking.sources, start=1)
    return [
        (source_name(each.source), each, read.tables[key])
        for number, each in numbered
        if (key := f"differences-{number}") in read.tables
    ]


def _chosen(judges: list[JudgeName], marks: StudyMarks, text: str | None) -> JudgeName | None:
    """An LLM before the rule baseline, one that can be compared before one that can't."""
    wanted = row_id(text or "")
    ordered = sorted(judges, key=lambda each: (each.id != wanted, not scored_by_both(marks, each.id), each.is_baseline))
    return ordered[0] if ordered else None


@require_safe
def differences(request: HttpRequest, slug: str) -> HttpResponse:
    """Query: `judge`, `side` ("judge" or "people" alone marked it), `system`, `type`, `page`. Whoever reads it has seen
    the marks of these summaries."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    marks = study_marks(study)
    judges = judge_names(marks.judges)
    judge = _named(judges, request.GET.get("judge"))
    side = PEOPLE_ONLY if request.GET.get("side") == PEOPLE_ONLY else JUDGE_ONLY
    system, error_type = row_id(request.GET.get("system", "")), request.GET.get("type", "")
    found = places(marks, judge.id, side=side, system_id=system, of_type=_of_type(marks, error_type))
    page = Paginator(found, SENTENCES_A_PAGE).get_page(request.GET.get("page"))
    sentences = sentences_to_read(marks, list(page), judge.label)
    reveal_marks_of(user=request.user, study=study, summaries={each.summary_id for each in sentences})
    context = {
        "study": study,
        "judge": judge,
        "judges": judges,
        "side": side,
        "sides": [(JUDGE_ONLY, "The judge alone marked it"), (PEOPLE_ONLY, "People alone marked it")],
        "systems": marks.systems,
        "system": system,
        "error_types": offered_error_types(),
        "error_type": error_type,
        "page": page,
        "sentences": sentences,
    }
    return render(request, "scoring/differences.html", context)


def _named(judges: list[JudgeName], text: str | None) -> JudgeName:
    wanted = row_id(text or "")
    found = next((judge for judge in judges if judge.id == wanted), None) or (
        judges[0] if judges and not text else None
    )
    if found is None:
        raise Http404("This study has no such judge. The page “Judge and people” leads to the lists of all.")
    return found


def _of_type(marks: StudyMarks, key: str) -> TypesOfMarks | None:
    return types_of_marks(marks, key=key) if key else None
