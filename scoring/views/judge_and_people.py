"""Can the judge replace people: the page of a study, and the sentences on which they differ."""

from typing import Any

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
from scoring.report.agreement.structure import ALWAYS_CLEAN, AgreementReport, JudgeAgreement, PeopleAgreement
from scoring.report.building import judge_names
from scoring.report.structure import JudgeName
from scoring.report.summaries import summary_figures
from scoring.selectors.differences import JUDGE_ONLY, PEOPLE_ONLY, places, sentences_to_read
from scoring.selectors.marks import StudyMarks, study_marks, types_of_marks
from scoring.statistics.alternative import EPSILON
from scoring.views import agreement_tables as tables
from scoring.views import further_tables as further
from summarizer.identifiers import row_id

SENTENCES_A_PAGE = 25


@require_safe
def judge_and_people(request: HttpRequest, slug: str) -> HttpResponse:
    """Query: `judge`, whose details are shown (else the first that can be compared), and what the form asks."""
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    marks = study_marks(study)
    judges = judge_names(marks.judges)
    summaries = [summary_figures(summary, marks, judges) for summary in marks.summaries]
    form = AgreementForm({"epsilon": EPSILON, **request.GET.dict()})
    report = agreement_figures(marks, judges, summaries, form.options())
    judge = _chosen(report.judges, request.GET.get("judge"))
    context = {
        "study": study,
        "is_sample": marks.has_sample_people,
        "report": report,
        "form": form,
        "judge": judge,
        "against_people": tables.against_people_table(report),
        "lists": tables.lists(study.name, report.judges),
        "spans": tables.spans_table(report),
        "pairs": tables.pairs_table(report.people),
        "marked": any(summary.people for summary in marks.summaries),
        "recall": further.recall_table(report.recall),
        "recall_shares": further.recall_shares(report.recall),
        "warnings": list(dict.fromkeys(row.warning for row in report.recall.rows if row.warning)),
        **_alternative(report),
        **_ranking(report),
        **_details(judge, report.people, marks),
    }
    return render(request, "scoring/judge_and_people.html", context)


def _alternative(report: AgreementReport) -> dict[str, Any]:
    tested = [each for each in report.alternative if each.test.people]
    return {
        "alternative": further.alternative_table(report.alternative),
        "tested": [(each, further.left_out_table(each)) for each in tested if each.name != ALWAYS_CLEAN],
    }


def _ranking(report: AgreementReport) -> dict[str, Any]:
    return {
        "orders": further.orders_table(report.ranking.orders),
        "differences": [
            (further.source_name(each.source), each, further.differences_table(each, report.ranking.difference))
            for each in report.ranking.sources
            if each.pairs
        ],
    }


def _chosen(judges: list[JudgeAgreement], text: str | None) -> JudgeAgreement | None:
    """An LLM before the rule baseline, one that can be compared before one that can't."""
    wanted = row_id(text or "")
    ordered = sorted(judges, key=lambda each: (each.judge.id != wanted, not each.row.sentences, each.judge.is_baseline))
    return ordered[0] if ordered else None


def _details(judge: JudgeAgreement | None, people: PeopleAgreement, marks: StudyMarks) -> dict[str, Any]:
    if judge is None or not judge.row.sentences:
        return {}
    study = marks.study.name
    return {
        "controls": tables.controls_table(judge),
        "above_rules": tables.decimal_cell(judge.above_rules, signed=True),
        "of_systems": tables.systems_table(judge, study, {system.name: system.pk for system in marks.systems}),
        "of_types": tables.types_table(judge, people, study),
    }


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


def _of_type(marks: StudyMarks, key: str) -> dict[int, list[str]] | None:
    return types_of_marks(marks, key=key) if key else None
