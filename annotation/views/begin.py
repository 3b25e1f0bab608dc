"""Before a task: the study's consent text, and the question whether the person has read the book."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access import FAITHFULNESS, PHASE_OF_TASK, book_of, task_to_begin
from annotation.faithfulness.qualifying import QualificationError, begin_test
from annotation.guidelines import guidelines_html
from annotation.models import Assignment, BookKnowledge, Purpose, Study
from annotation.selectors.consent import accepted_before, book_to_ask_about, consent_to_ask
from annotation.selectors.qualification import begun_test, last_attempt, standing_in
from annotation.selectors.training import last_training, must_train, standing_of
from annotation.services.consent import ConsentError, accept_consent, answer_about_book
from annotation.services.training import TrainingError, begin_training
from summarizer.identifiers import row_id


@never_cache
@require_http_methods(["GET", "POST"])
def begin(request: HttpRequest, key: UUID) -> HttpResponse:
    """Asks what is still to be asked, one after the other, and leads on to the task."""
    assignment = task_to_begin(request.user, key)
    if request.method == "POST":
        return _store(request, assignment) or redirect("annotation:begin", key)
    study, annotator = assignment.study, assignment.annotator_id
    if text := consent_to_ask(study_id=study.pk, annotator_id=annotator):
        again = accepted_before(text, annotator)
        context = {"study": study, "text": text, "html": guidelines_html(text.text), "again": again}
        return render(request, "annotation/consent.html", context)
    if assignment.purpose != Purpose.TRAINING and assignment.task in PHASE_OF_TASK:
        standing = standing_of(study, annotator)
        if standing and must_train(study_id=study.pk, annotator_id=annotator):
            over = study.phase != Study.Phase.ANNOTATING
            context = {"study": study, "standing": standing, "last": last_training(study, annotator), "over": over}
            return render(request, "annotation/training.html", context)
    if assignment.purpose != Purpose.QUALIFICATION and assignment.task in FAITHFULNESS:
        test = standing_in(study, annotator)
        if test and not test.passed:
            context = {
                "study": study,
                "task": assignment,
                "standing": test,
                "last": last_attempt(study, annotator),
                "begun": begun_test(study, annotator),
            }
            return render(request, "annotation/faithfulness/begin_test.html", context)
    book = book_of(assignment)
    if book_to_ask_about(study=study, annotator_id=annotator, book_id=book.pk):
        return render(request, "annotation/book_question.html", {"book": book, "answers": BookKnowledge.Answer.choices})
    return redirect(f"annotation:{assignment.task}", key)


def _store(request: HttpRequest, assignment: Assignment) -> HttpResponse | None:
    """None where the next question follows on this page."""
    try:
        if "train" in request.POST:
            task = begin_training(study=assignment.study, annotator_id=assignment.annotator_id)
            return redirect("annotation:annotate", task.key)
        if "test" in request.POST:
            test = begin_test(study=assignment.study, annotator_id=assignment.annotator_id)
            return redirect("annotation:fine", test.key)
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
    except (ConsentError, TrainingError, QualificationError) as error:
        messages.warning(request, str(error))
    return None
