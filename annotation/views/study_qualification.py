"""A study's qualification test: making it, statement by statement, and who has passed it."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotation.access import require_own_tasks_done
from annotation.faithfulness import qualifications
from annotation.faithfulness.proposal_job import launch_proposals, plan_proposals
from annotation.faithfulness.qualifying import QualificationError, let_qualify
from annotation.faithfulness.selectors import plan_of
from annotation.faithfulness.unit_lists import words_and_cuts_of
from annotation.forms.qualification import (
    ProposalForm,
    ProposalLaunchForm,
    QualificationForm,
    QualificationTextForm,
    qualification_values,
)
from annotation.models import Annotator, FaithfulnessPlan, Qualification, Study
from annotation.selectors.qualification import (
    making_state,
    originals_for,
    qualification_of,
    statements_of,
    tested_members,
    wanted_changes,
)
from annotation.services.studies import StudyError
from summarizer.identifiers import row_id
from summarizer.jobs.services import JobError

#: How many summaries of the library are offered at once.
OFFERED = 20


@require_http_methods(["GET", "POST"])
def study_qualification(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    require_own_tasks_done(request.user, study)
    plan = plan_of(study)
    if plan is None:
        return redirect("annotation:study-faithfulness", slug)
    page = _Page(request, study, plan)
    if request.method == "POST" and (done := page.act()):
        return done
    return render(request, "annotation/faithfulness/qualification.html", page.context())


@require_http_methods(["GET", "POST"])
def qualification_units(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the text of the test is cut into statements, until one of them is changed."""
    study = get_object_or_404(Study, name=slug)
    require_own_tasks_done(request.user, study)
    qualification = qualification_of(study)
    if qualification is None:
        return redirect("annotation:study-qualification", slug)
    if request.method == "POST":
        try:
            qualifications.cut_statements_anew(qualification=qualification)
            messages.success(request, "Cut anew by the rule.")
        except StudyError as error:
            messages.error(request, str(error))
        return redirect("annotation:qualification-units", slug)
    statements = statements_of(qualification)
    changed = any(each.change or each.proposal or each.dropped for each in statements)
    context = {
        "study": study,
        "qualification": qualification,
        "units": [each.unit for each in statements],
        "editable": _in_setup(study, qualification.plan) and qualification.test is None and not changed,
        "page_data": words_and_cuts_of(qualification.original, [each.unit for each in statements]),
        "api": reverse("annotation-api:qualification-units", args=[slug]),
    }
    return render(request, "annotation/faithfulness/qualification_units.html", context)


@require_http_methods(["GET", "POST"])
def qualification_propose(request: HttpRequest, slug: str) -> HttpResponse:
    """Asks an LLM for changes: what that takes and costs, and then the launch."""
    study = get_object_or_404(Study, name=slug)
    require_own_tasks_done(request.user, study)
    qualification = qualification_of(study)
    if qualification is None or qualification.test or not _in_setup(study, qualification.plan):
        return redirect("annotation:study-qualification", slug)
    form = ProposalLaunchForm(request.POST) if request.method == "POST" else ProposalForm(request.GET or None)
    context: dict[str, Any] = {"study": study, "qualification": qualification, "form": form, "client_key": uuid4()}
    if form.is_valid():
        data = form.cleaned_data
        try:
            if isinstance(form, ProposalLaunchForm):
                job = launch_proposals(
                    study=study,
                    endpoint=data["endpoint"],
                    max_answer_tokens=data["max_answer_tokens"],
                    planned_calls=data["planned_calls"],
                    budget_usd=data["budget_usd"],
                    launched_by=request.user,  # type: ignore[arg-type]  # logged in: the route's roles say so
                    launch_key=form.launch_key(study),
                )
                return redirect("summarizer:job", job.pk)
            context["planned"] = plan_proposals(qualification, data["endpoint"], data["max_answer_tokens"])
        except (StudyError, JobError) as error:
            form.add_error(None, str(error))
    return render(request, "annotation/faithfulness/qualification_propose.html", context)


class _Page:
    def __init__(self, request: HttpRequest, study: Study, plan: FaithfulnessPlan) -> None:
        self.request, self.study, self.plan = request, study, plan
        self.qualification = qualification_of(study)
        self.action = request.POST.get("action", "")
        data = request.POST if self.action == "settings" else None
        initial = qualification_values(self.qualification) if self.qualification else None
        self.settings = QualificationForm(data, initial=initial)
        self.text = QualificationTextForm(study, request.POST if self.action == "write" else None)

    def act(self) -> HttpResponseRedirect | None:
        """None where the page is shown again with what is wrong."""
        form = {"settings": self.settings, "write": self.text}.get(self.action)
        if form is not None and not form.is_valid():
            return None
        try:
            if self.qualification is None:
                _BEGIN.get(self.action, _unknown)(self)
            else:
                _CHANGE.get(self.action, _unknown)(self)
        except (StudyError, QualificationError) as error:
            messages.error(self.request, str(error))
            if form is not None:  # what was typed stays
                return None
        address = reverse("annotation:study-qualification", args=[self.study.name])
        unit = row_id(self.request.POST.get("unit", ""))
        return HttpResponseRedirect(f"{address}#statement-{unit}" if unit else address)

    def context(self) -> dict[str, Any]:
        context: dict[str, Any] = {
            "study": self.study,
            "plan": self.plan,
            "qualification": self.qualification,
            "in_setup": _in_setup(self.study, self.plan),
            "closed": self.study.phase == Study.Phase.CLOSED,
        }
        if self.qualification is None:
            return context | self._to_begin_with()
        statements = statements_of(self.qualification)
        return context | {
            "settings": self.settings,
            "statements": statements,
            "state": making_state(statements),
            "wanted": wanted_changes(statements),
            "people": tested_members(self.study),
        }

    def _to_begin_with(self) -> dict[str, Any]:
        words = self.request.GET.get("q", "").replace("\0", "").strip()[:200]
        others = originals_for(self.study, words)
        return {"q": words, "others": others[:OFFERED], "more": others.count() > OFFERED, "text": self.text}

    @property
    def made(self) -> Qualification:
        if self.qualification is None:
            raise StudyError("There is no test.")
        return self.qualification

    @property
    def unit(self) -> int:
        return row_id(self.request.POST.get("unit", "")) or 0

    @property
    def said(self) -> str:
        return self.request.POST.get("text", "").replace("\0", "")

    def choose(self) -> None:
        pk = row_id(self.request.POST.get("summary", "")) or 0
        qualifications.create_qualification(
            plan=self.plan, original=get_object_or_404(originals_for(self.study, "").defer(None), pk=pk)
        )

    def write(self) -> None:
        qualifications.create_from_text(plan=self.plan, **self.text.cleaned_data)

    def save_settings(self) -> None:
        qualifications.update_qualification(qualification=self.made, **self.settings.cleaned_data)
        messages.success(self.request, "Saved.")

    def propose(self) -> None:
        number = qualifications.propose_changes(qualification=self.made)
        if number:
            messages.success(self.request, f"{number} {'change' if number == 1 else 'changes'} proposed.")
        else:
            messages.info(self.request, "The rules find nothing more to propose. Change statements by hand.")

    def accept(self) -> None:
        qualifications.accept_change(
            qualification=self.made, unit_id=self.unit, text=self.said, by_id=self.request.user.pk
        )

    def drop(self) -> None:
        qualifications.drop_change(qualification=self.made, unit_id=self.unit, by_id=self.request.user.pk)

    def change(self) -> None:
        qualifications.write_change(
            qualification=self.made, unit_id=self.unit, text=self.said, by_id=self.request.user.pk
        )

    def leave_out(self) -> None:
        qualifications.set_asked(qualification=self.made, unit_id=self.unit, asked=False)

    def ask(self) -> None:
        qualifications.set_asked(qualification=self.made, unit_id=self.unit, asked=True)

    def make(self) -> None:
        if self.request.POST.get("checked") != "on":
            raise StudyError("Tick the box once you have checked the statements that are not changed.")
        qualifications.make_test(qualification=self.made, by_id=self.request.user.pk)
        messages.success(self.request, "The test is made.")

    def take_apart(self) -> None:
        qualifications.take_apart(qualification=self.made)

    def delete(self) -> None:
        qualifications.delete_qualification(qualification=self.made)
        messages.success(self.request, "The test is gone. The study asks for none.")

    def let_pass(self) -> None:
        key = row_id(self.request.POST.get("person", "")) or 0
        person = get_object_or_404(Annotator, pk=key, memberships__study=self.study)
        reason = self.request.POST.get("reason", "").replace("\0", "")
        let_qualify(study=self.study, annotator=person, reason=reason, by_id=self.request.user.pk)
        messages.success(self.request, f"{person} may work now.")


def _in_setup(study: Study, plan: FaithfulnessPlan) -> bool:
    return plan.state == FaithfulnessPlan.State.SETUP and study.phase != Study.Phase.CLOSED


def _unknown(page: _Page) -> None:
    raise StudyError("This page was out of date. Look at it again, and then try again.")


_BEGIN: dict[str, Callable[[_Page], None]] = {"choose": _Page.choose, "write": _Page.write}
_CHANGE: dict[str, Callable[[_Page], None]] = {
    "settings": _Page.save_settings,
    "propose": _Page.propose,
    "accept": _Page.accept,
    "drop": _Page.drop,
    "change": _Page.change,
    "leave-out": _Page.leave_out,
    "ask": _Page.ask,
    "make": _Page.make,
    "take-apart": _Page.take_apart,
    "delete": _Page.delete,
    "pass": _Page.let_pass,
}
