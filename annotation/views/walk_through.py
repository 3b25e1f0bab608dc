"""A walk through a study as people who annotate, review and compare would see it, which leaves nothing behind.

The pages are the real ones, for a task that is in no table. Their script answers in the server's place and keeps
everything in the window (`static/js/walk_through.js`).
"""

from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.guidelines import guidelines_html
from annotation.models import Annotator, Assignment, Study
from annotation.selectors.marks import offered_error_types
from annotation.views.annotate import page_data
from annotation.views.review import REASONS
from annotation.walk_through import example_items, example_pair, example_questions


@require_safe
def walk_annotate(request: HttpRequest, slug: str) -> HttpResponse:
    task = _task(slug, Assignment.Task.ANNOTATE)
    if task is None:
        return _nothing_to_show(request, slug)
    error_types = offered_error_types()
    data = page_data(task, error_types)
    data |= {"tasks": _back(slug), "workspace": {**data["workspace"], "editable": True}}
    context = {
        **_context(task),
        "error_types": error_types,
        "guidelines": guidelines_html(task.study.guidelines),
        "page_data": data,
    }
    return render(request, "annotation/annotate.html", context)


@require_safe
def walk_review(request: HttpRequest, slug: str) -> HttpResponse:
    task = _task(slug, Assignment.Task.REVIEW)
    if task is None:
        return _nothing_to_show(request, slug)
    data = {
        "task": str(task.key),
        "api": reverse("annotation-api:review", args=[task.key]),
        "login": reverse("login"),
        "tasks": _back(slug),
        "active_seconds": 0,
        "items": example_items(task),
    }
    return render(request, "annotation/review.html", {**_context(task), "reasons": REASONS, "page_data": data})


@require_safe
def walk_compare(request: HttpRequest, slug: str) -> HttpResponse:
    study = get_object_or_404(Study, name=slug)
    pair = example_pair(study)
    if pair is None:
        messages.info(request, "Choose two summaries of one book first: the walk-through shows them side by side.")
        return redirect("annotation:study", slug)
    questions, key = example_questions(study), uuid4()
    slots = [{"slot": each.slot, "required": question.required} for question in questions for each in question.answers]
    context = {
        "walk_through": study,
        "book": pair[0].book.title,
        "texts": [("a", "Summary A", pair[0].text), ("b", "Summary B", pair[1].text)],
        "questions": questions,
        "number": 1,
        "total": max(1, study.comparisons.exclude(asked_in=None).count()),
        "page_data": {
            "task": str(key),
            "api": reverse("annotation-api:comparison", args=[key]),
            "login": reverse("login"),
            "sheet": {"state": Assignment.State.OPEN, "active_seconds": 0, "answers": []},
            "slots": slots,
        },
    }
    return render(request, "annotation/compare.html", context)


def _task(slug: str, kind: str) -> Assignment | None:
    """A task on the study's first summary, under a key that nobody has; it is never saved."""
    study = get_object_or_404(Study, name=slug)
    summary = study.summaries.select_related("book").order_by("pk").first()
    if summary is None:
        return None
    nobody = Annotator(kind=Annotator.Kind.PERSON, pseudonym="")
    return Assignment(key=uuid4(), study=study, annotator=nobody, summary=summary, task=kind)


def _context(task: Assignment) -> dict[str, object]:
    return {
        "walk_through": task.study,
        "assignment": task,
        "summary": task.summary,
        "number": 1,
        "total": task.study.summaries.count(),
    }


def _back(slug: str) -> str:
    return reverse("annotation:study", args=[slug])


def _nothing_to_show(request: HttpRequest, slug: str) -> HttpResponse:
    messages.info(request, "Choose summaries first: the walk-through shows the study's first one.")
    return redirect("annotation:study", slug)
