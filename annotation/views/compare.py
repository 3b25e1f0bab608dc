"""The comparison page: two summaries of a book side by side, without the systems that wrote them."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation.access import own_assignment
from annotation.api.comparison import SheetSerializer
from annotation.models import Assignment
from annotation.selectors.comparing import questions_asked, sheet_content, texts_of
from annotation.selectors.marks import next_task
from annotation.selectors.tasks import place_among_tasks
from annotation.services.guidelines import meet_guidelines


@require_safe
@ensure_csrf_cookie
@cache_control(private=True, no_store=True)
def compare(request: HttpRequest, key: UUID) -> HttpResponse:
    assignment = own_assignment(request.user, key, Assignment.Task.COMPARE)
    number, total = place_among_tasks(assignment)
    questions = questions_asked(assignment)
    text_a, text_b = texts_of(assignment)
    context = {
        "assignment": assignment,
        "guidelines_met": meet_guidelines(assignment),
        "book": assignment.compared.first.book.title,
        "texts": [("a", "Summary A", text_a), ("b", "Summary B", text_b)],
        "questions": questions,
        "number": number,
        "total": total,
        "next_task": next_task(assignment),
        "page_data": {
            "task": str(assignment.key),
            "api": reverse("annotation-api:comparison", args=[assignment.key]),
            "login": reverse("login"),
            "sheet": SheetSerializer(sheet_content(assignment)).data,
            "slots": [
                {"slot": answer.slot, "required": question.required}
                for question in questions
                for answer in question.answers
            ],
        },
    }
    return render(request, "annotation/compare.html", context)
