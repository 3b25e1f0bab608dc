"""Before a task: the study's consent text, and the question whether the person has read the book."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import book_of, task_to_begin
from annotation.guidelines import guidelines_html
from annotation.models import Assignment, BookKnowledge
from annotation.selectors.consent import accepted_before, book_to_ask_about, consent_to_ask
from annotation.services.consent import ConsentError, accept_consent, answer_about_book
from summarizer.identifiers import row_id


@never_cache
@require_http_methods(["GET", "POST"])
def begin(request: HttpRequest, key: UUID) -> HttpResponse:
    """Asks what is still to be asked, one after the other, and leads on to the task."""
    assignment = task_to_begin(request.user, key)
    if request.method == "POST":
        _store(request, assignment)
        return redirect("annotation:begin", key)
    study, annotator = assignment.study, assignment.annotator_id
    if text := consent_to_ask(study_id=study.pk, annotator_id=annotator):
        again = accepted_before(text, annotator)
        context = {"study": study, "text": text, "html": guidelines_html(text.text), "again": again}
        return render(request, "annotation/consent.html", context)
    book = book_of(assignment)
    if book_to_ask_about(study=study, annotator_id=annotator, book_id=book.pk):
        return render(request, "annotation/book_question.html", {"book": book, "answers": BookKnowledge.Answer.choices})
    return redirect(f"annotation:{assignment.task}", key)


def _store(request: HttpRequest, assignment: Assignment) -> None:
    try:
        if "answer" in request.POST:
            answer_about_book(
                annotator_id=assignment.annotator_id,
                book_id=book_of(assignment).pk,
                answer=request.POST["answer"],
            )
        elif request.POST.get("agree") == "on":
            accept_consent(
                study_id=assignment.study_id,
                annotator_id=assignment.annotator_id,
                text_id=row_id(request.POST.get("text", "")) or 0,
            )
        else:
            messages.warning(request, "Tick the box if you agree. Without it you can’t begin.")
    except ConsentError as error:
        messages.warning(request, str(error))
