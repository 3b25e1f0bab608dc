"""A study's deadlines and pay, and who is owed what."""

import csv
from decimal import Decimal, InvalidOperation

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import require_own_tasks_done
from annotation.forms.terms import StudyTermsForm
from annotation.models import FaithfulnessPlan, Study
from annotation.selectors.pay import PersonPay, pay_of_people, rates_of, study_cost
from annotation.services.pay import PayError, note_payment, undo_payment
from annotation.views.study_settings import change_settings
from summarizer.identifiers import row_id

COLUMNS = (
    "pseudonym",
    "summaries_annotated",
    "active_hours",
    "summaries_reviewed",
    "marks_reviewed",
    "active_review_hours",
    "comparisons",
    "active_comparison_hours",
    "units_judged",
    "summaries_rated",
    "active_checking_hours",
    "annotating_usd",
    "reviewing_usd",
    "comparing_usd",
    "checking_usd",
    "total_usd",
    "paid_usd",
    "due_usd",
)


@require_http_methods(["GET", "POST"])
def study_terms(request: HttpRequest, slug: str) -> HttpResponse:
    template = "annotation/study_terms.html"
    return change_settings(request, slug, StudyTermsForm, template=template, done="Deadlines and pay saved.")


@require_http_methods(["GET", "POST"])
def study_payouts(request: HttpRequest, slug: str) -> HttpResponse:
    study = _study_of_payouts(request, slug)
    if request.method == "POST":
        _note(request, study)
        return redirect("annotation:study-payouts", slug)
    people = pay_of_people(study)
    context = {
        "study": study,
        "people": people,
        "rates": rates_of(study),
        "cost": study_cost(study, people),
        "checks": FaithfulnessPlan.objects.filter(study=study).exists(),
    }
    return render(request, "annotation/study_payouts.html", context)


@require_safe
def study_payouts_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """One line a person, under the pseudonym; amounts in US dollars."""
    study = _study_of_payouts(request, slug)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="payouts-{study.name}.csv"'
    writer = csv.writer(response)
    writer.writerow(COLUMNS)
    writer.writerows(_row(person) for person in pay_of_people(study))
    return response


def _study_of_payouts(request: HttpRequest, slug: str) -> Study:
    """Once there is a review, pay tells how many marks summaries have."""
    study = get_object_or_404(Study, name=slug)
    if study.review_items.exists():
        require_own_tasks_done(request.user, study=study)
    return study


def _row(person: PersonPay) -> list[object]:
    work, earned = person.work, person.earned
    return [
        person.annotator.pseudonym,
        work.annotated,
        f"{work.hours:.2f}",
        work.reviewed,
        work.marks,
        f"{work.review_hours:.2f}",
        work.compared,
        f"{work.comparison_hours:.2f}",
        work.units,
        work.ratings,
        f"{work.checking_hours:.2f}",
        *(
            f"{each:.2f}"
            for each in (earned.annotating, earned.reviewing, earned.comparing, earned.checking, earned.total)
        ),
        f"{person.paid:.2f}",
        f"{person.due:.2f}",
    ]


def _note(request: HttpRequest, study: Study) -> None:
    try:
        if "undo" in request.POST:
            undo_payment(study=study, payment_id=row_id(request.POST["undo"]) or 0)
            messages.success(request, "The payment is taken back: it is due again.")
            return
        payment = note_payment(
            study=study,
            annotator_id=row_id(request.POST.get("person", "")) or 0,
            amount=_amount(request.POST.get("amount", "")),
            by=request.user,
        )
        messages.success(request, f"Noted: {payment.annotator} was paid ${payment.amount}.")
    except PayError as error:
        messages.error(request, str(error))


def _amount(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise PayError("This form is incomplete. Reload the page and try again.") from error
