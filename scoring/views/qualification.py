"""How groups of people did in a study's qualification test, and who belongs to which."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.access import require_not_blind
from annotation.models import Study
from annotation.selectors.qualification import qualification_of, tested_members
from annotation.services.studies import StudyError, label_members
from scoring.selectors.qualification import group_of, groups_of_people
from scoring.tables.qualification import qualification_tables


@require_http_methods(["GET", "POST"])
def qualification(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_not_blind(request.user, study=study)
    people = tested_members(study)
    if request.method == "POST":
        labels = {row.member.pk: request.POST.get(f"label-{row.member.pk}") for row in people}
        try:
            label_members(study=study, labels={pk: text for pk, text in labels.items() if text is not None})
            messages.success(request, "Saved.")
        except StudyError as error:
            messages.error(request, str(error))
        return redirect("scoring:qualification", slug)
    context = {
        "study": study,
        "qualification": qualification_of(study),
        "table": qualification_tables(groups_of_people(study)).get("groups"),
        "people": [{"row": row, "group": group_of(row.member)} for row in people],
    }
    return render(request, "scoring/qualification.html", context)
