"""Links by which people join a study: made, listed, revoked; and what a platform's people get at the end."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.faithfulness.selectors import plan_of
from annotation.forms.invitations import CompletionForm, InvitationForm
from annotation.models import Invitation, Study
from annotation.services.invitations import make_invitation, revoke_invitation
from annotation.services.studies import StudyError, update_study
from summarizer.identifiers import row_id

#: What Prolific puts in place of these when somebody follows the link.
PLACEHOLDERS = "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"


@never_cache
@require_http_methods(["GET", "POST"])
def study_invitations(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    action = request.POST.get("action", "")
    checking = plan_of(study) is not None
    form = InvitationForm(request.POST if action == "make" else None, checking=checking)
    completion = CompletionForm.of(study, request.POST if action == "completion" else None)
    link = ""
    if action == "make" and form.is_valid():
        try:
            link = _make(request, study, form)
        except StudyError as error:
            form.add_error(None, str(error))
        else:
            form = InvitationForm(checking=checking)
    elif action == "revoke":
        if revoke_invitation(study=study, invitation_id=row_id(request.POST.get("invitation", "")) or 0):
            messages.success(request, "Nobody can join by this link any more. Who joined stays.")
        return redirect("annotation:study-invitations", slug)
    elif action == "completion" and completion.is_valid():
        update_study(study=study, **completion.cleaned_data)
        messages.success(request, "Saved.")
        return redirect("annotation:study-invitations", slug)
    context = {
        "study": study,
        "form": form,
        "completion": completion,
        "link": link,
        "invitations": study.invitations.select_related("created_by"),
        "now": timezone.now(),
    }
    return render(request, "annotation/study_invitations.html", context)


def _make(request: HttpRequest, study: Study, form: InvitationForm) -> str:
    """The new link, shown in the answer itself and kept nowhere."""
    invitation, token = make_invitation(study=study, created_by_id=request.user.pk, **form.arguments())
    address = request.build_absolute_uri(reverse("join", args=[token]))
    return address + (PLACEHOLDERS if invitation.kind == Invitation.Kind.PLATFORM else "")
