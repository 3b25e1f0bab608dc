"""Studies: the list, one study's page, its settings, and the steps from phase to phase."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import has_own_tasks, own_blinded_summary_ids
from annotation.forms.studies import NewStudyForm, StudySettingsForm
from annotation.models import Study, StudyMember
from annotation.selectors.known import check_results
from annotation.selectors.left_out import left_out
from annotation.selectors.overdue import deadlines_of
from annotation.selectors.pay import StudyCost, pay_of_people, rates_of, study_cost
from annotation.selectors.placing import marks_to_place
from annotation.selectors.progress import free_places, progress_of
from annotation.selectors.setup import setup_steps
from annotation.selectors.stage import nobody_marks, stage_of
from annotation.selectors.studies import (
    annotating_problems,
    coming_review_problems,
    members_of,
    review_gaps,
    review_problems,
    studies_with_counts,
)
from annotation.selectors.unblinding import unblinding_of
from annotation.services.studies import (
    StudyError,
    close_study,
    create_study,
    default_guidelines,
    open_annotating,
    open_review,
)
from annotation.views.study_settings import change_settings


@require_safe
def study_list(request: HttpRequest) -> HttpResponse:
    return render(request, "annotation/studies.html", {"studies": studies_with_counts()})


@require_http_methods(["GET", "POST"])
def study_add(request: HttpRequest) -> HttpResponse:
    form = NewStudyForm(request.POST or None, initial={"guidelines": default_guidelines(), "asks_about_book": True})
    if form.is_valid():
        try:
            study = create_study(**form.cleaned_data, created_by=request.user)
        except StudyError as error:
            form.add_error("name", str(error))
        else:
            return redirect("annotation:study", study.name)
    return render(request, "annotation/study_add.html", {"form": form})


@require_safe
def study_page(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    progress = progress_of(study)
    members = list(members_of(study))
    hidden = own_blinded_summary_ids(request.user)
    problems = annotating_problems(study) if study.phase == Study.Phase.SETUP else []
    steps = setup_steps(study, people_short=bool(problems))
    is_blind = has_own_tasks(request.user, study, hidden)
    missing = (step for step in steps if not step.done and not step.optional)
    context = {
        "study": study,
        "steps": steps,
        "next_step": next(missing, None) if study.phase == Study.Phase.SETUP else None,
        "problems": problems,
        "nobody_marks": nobody_marks(members),
        "coming_problems": coming_review_problems(study),
        "progress": progress,
        "deadlines": deadlines_of(study),
        "cost": _cost(study, hidden),
        "people": [{"member": member, **progress.people[member.annotator_id]} for member in members],
        "free_places": free_places(study),
        "left_out": left_out(study, hidden=hidden),
        "unblinding": unblinding_of(study),
        "is_blind": is_blind,
        "marks_to_place": 0 if is_blind else sum(not is_placed for _, is_placed in marks_to_place(study)),
        "results": [] if is_blind else check_results(study),
        "phases": _phases(study, members),
    }
    return render(request, "annotation/study.html", context)


def _cost(study: Study, hidden: set[int]) -> StudyCost | None:
    """What people's work costs. Once there is a review, it tells how many marks there are: not to the blind."""
    if not rates_of(study).any:
        return None
    if hidden and study.review_items.exists() and study.summaries.filter(pk__in=hidden).exists():
        return None
    return study_cost(study, pay_of_people(study))


@require_http_methods(["GET", "POST"])
def study_settings(request: HttpRequest, slug: str) -> HttpResponse:
    template = "annotation/study_settings.html"
    return change_settings(request, slug, StudySettingsForm, template=template, done="Settings saved.")


@dataclass(frozen=True)
class Step:
    """A page that asks before a study moves on: what will happen, and what stands against it."""

    title: str
    button: str
    effects: tuple[str, ...]
    act: Callable[[Study, bool], Study]
    #: What to say when it is done.
    done: str
    problems: Callable[[Study], list[str]] = lambda study: []
    gaps: Callable[[Study], list[str]] = lambda study: []
    danger: bool = False


OPEN_ANNOTATING = Step(
    title="Open annotating",
    button="Open annotating",
    effects=(
        "Every person gets their tasks, in an order of their own.",
        "The study's summaries and the number of people per summary can no longer be changed.",
        "Members see no marks, sources or scores of this study until their own tasks are submitted.",
    ),
    act=lambda study, _: open_annotating(study=study),
    done="Annotating is open: everybody finds their tasks under “My tasks”.",
    problems=annotating_problems,
)
OPEN_REVIEW = Step(
    title="Open the review",
    button="Open the review",
    effects=(
        "All marks of people and of the study's judges are mixed in a random order that is stored.",
        "Annotating ends: no mark can be changed any more.",
        "Reviewers get their tasks. Until they submit them they see no sources, dashboards or exports.",
    ),
    act=lambda study, accepted: open_review(study=study, accept_incomplete=accepted),
    done="The review is open: reviewers find their tasks under “My tasks”.",
    problems=review_problems,
    gaps=review_gaps,
)
CLOSE = Step(
    title="Close the study",
    button="Close the study",
    effects=(
        "Tasks that are still open end and do not count; what was submitted stays.",
        "A closed study can't be opened again.",
    ),
    act=lambda study, _: close_study(study=study),
    done="The study is closed. What was submitted stays.",
    danger=True,
)


def study_open_annotating(request: HttpRequest, slug: str) -> HttpResponse:
    return _step(request, slug, OPEN_ANNOTATING)


def study_open_review(request: HttpRequest, slug: str) -> HttpResponse:
    return _step(request, slug, OPEN_REVIEW)


def study_close(request: HttpRequest, slug: str) -> HttpResponse:
    return _step(request, slug, CLOSE)


@require_http_methods(["GET", "POST"])
def _step(request: HttpRequest, slug: str, step: Step) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    refused = ""
    if request.method == "POST":
        try:
            study = step.act(study, "accept" in request.POST)
        except StudyError as error:
            refused = str(error)
        else:
            messages.success(request, step.done)
            return redirect("annotation:study", study.name)
    problems = step.problems(study)
    context = {
        "study": study,
        "step": step,
        "problems": problems,
        "gaps": [] if problems else step.gaps(study),
        "refused": "" if problems else refused,
    }
    return render(request, "annotation/study_step.html", context, status=409 if refused else 200)


def _phases(study: Study, members: Collection[StudyMember]) -> list[dict[str, object]]:
    """The phases for the bar at the top of a study's page: those that it goes through, and what it is at in words."""
    now = Study.Phase(study.phase)
    if nobody_marks(members) and now in (Study.Phase.SETUP, Study.Phase.CLOSED):
        values = [Study.Phase.SETUP, Study.Phase.CLOSED]
    else:
        values = [
            phase for phase in Study.Phase if phase != Study.Phase.REVIEWING or study.review_overlap or phase == now
        ]
    labels: dict[Study.Phase, str] = {phase: str(phase.label) for phase in values} | {now: stage_of(study)}
    at = values.index(now)
    return [
        {"label": labels[phase], "done": number < at, "current": number == at} for number, phase in enumerate(values)
    ]
