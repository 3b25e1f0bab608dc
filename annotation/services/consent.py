"""Consent in versions: a changed text asks again. Accepting, and saying whether one knows a book."""

from django.db import IntegrityError, transaction

from annotation.models import BookKnowledge, Consent, ConsentText, Study, Withdrawal
from annotation.selectors.consent import newest_text


class ConsentError(Exception):
    """Why this can't be stored now, and what to do."""


@transaction.atomic
def change_consent_text(*, study: Study, text: str, base: int, author_id: int | None = None) -> ConsentText | None:
    """A new version, which everybody is asked to accept before they go on; None if nothing changed.

    `base` is the number of the version that it was written from, or 0. Raises ConsentError if somebody made another
    one meanwhile, or if the study is closed.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    text = text.replace("\r\n", "\n") if text.strip() else ""
    newest = study.consent_texts.order_by("-number").first()
    number = newest.number if newest else 0
    if study.phase == Study.Phase.CLOSED:
        raise ConsentError("This study is closed; its consent text stays as people accepted it.")
    if base != number:
        raise ConsentError(f"Version {number} was made while you wrote. Your text is kept below; save it again.")
    if text == (newest.text if newest else ""):
        return None
    return ConsentText.objects.create(study=study, number=number + 1, text=text, author_id=author_id)


@transaction.atomic
def accept_consent(*, study_id: int, annotator_id: int, text_id: int) -> Consent:
    """Store that the person accepts the text that was shown. Sent again, it changes nothing.

    Raises ConsentError if it is not the study's newest text any more, or if the person has withdrawn.
    """
    Study.objects.select_for_update().get(pk=study_id)  # no other text, and no withdrawal, comes in between
    if Withdrawal.objects.filter(study=study_id, annotator=annotator_id).exists():
        raise ConsentError("You have withdrawn from this study, so there is nothing to accept any more.")
    text = newest_text(study_id)
    if text is None or text.pk != text_id:
        raise ConsentError("The text was changed while you read it. Please read it again.")
    consent, _ = Consent.objects.get_or_create(text=text, annotator_id=annotator_id, withdrawn_at=None)
    return consent


def answer_about_book(*, annotator_id: int, book_id: int, answer: str) -> BookKnowledge:
    """Store whether the person has read the book. The first answer stays."""
    if answer not in BookKnowledge.Answer.values:
        raise ConsentError("Choose one of the answers.")
    try:
        with transaction.atomic():
            known, _ = BookKnowledge.objects.get_or_create(
                annotator_id=annotator_id, book_id=book_id, defaults={"answer": answer}
            )
    except IntegrityError:  # answered in another tab at the same moment
        known = BookKnowledge.objects.get(annotator=annotator_id, book=book_id)
    return known
