"""The people of a study beside one another."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.access import require_not_blind
from annotation.models import Study
from annotation.selectors.known import check_results
from scoring.selectors.people import PersonBesideOthers, people_beside_others
from scoring.statistics.far import CASES, DEVIATIONS, OTHERS, Comparison
from scoring.tables import Cell, Described, Table
from scoring.tables.cells import NOTHING, text_cell

RULE = (
    f"Submitted work of each person, with n (summaries; for precision decisions), beside the median of the others. "
    f"Far: more than {DEVIATIONS} median absolute deviations of the others from their median. Minutes and precision "
    f"over what was recorded and decided; precision in percent, with partial agreement."
)


@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    found = people_beside_others(study)
    context = {
        "study": study,
        "people": found,
        "table": _described(found),
        "results": check_results(study),
        "deviations": DEVIATIONS,
        "cases": CASES,
        "others": OTHERS,
    }
    return render(request, "scoring/people.html", context)


def people_tables(study: Study) -> dict[str, Described]:
    """For files, by key."""
    found = people_beside_others(study)
    return {"people": _described(found)} if found else {}


def _described(people: list[PersonBesideOthers]) -> Described:
    columns = ["Person", "Marks per 100 sentences", "Active minutes per summary", "Precision by reviewers, %"]
    rows = [
        [
            text_cell(person.pseudonym),
            _beside(person.marks),
            _beside(person.minutes),
            _beside(person.precision, scale=100),
        ]
        for person in people
    ]
    n = "1 person" if len(people) == 1 else f"{len(people)} people"
    return Described("people", "People compared", RULE, n, "people", Table(columns, rows))


def _beside(compared: Comparison | None, *, scale: int = 1) -> Cell:
    """A person's value, with n and the median of the others below; far or not, where that can be said."""
    if compared is None:
        return NOTHING
    note = f"n {compared.n}"
    if compared.median is not None:
        note += f"; others {scale * compared.median:.1f} (of {compared.others})"
    if compared.far is None:
        note += "; too little to say"
    return Cell(
        f"{scale * compared.value:.1f}",
        note=note,
        badges=(("warning", "Far"),) if compared.far else (),
        value=compared.value,
        beside={
            "n": compared.n,
            "median of others": compared.median,
            "others": compared.others,
            "far": {True: "yes", False: "no", None: ""}[compared.far],
        },
    )
