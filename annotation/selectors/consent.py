"""What a person still has to agree to or answer before a task, and who agreed to what."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from annotation.models import BookKnowledge, Consent, ConsentText, Study, StudyMember


def newest_text(study_id: int) -> ConsentText | None:
    """The consent text that a study asks people to accept now; None if it asks for nothing."""
    newest = ConsentText.objects.filter(study=study_id).order_by("-number").first()
    return newest if newest and newest.text else None


def consent_to_ask(*, study_id: int, annotator_id: int) -> ConsentText | None:
    """The text that the person has yet to accept; None if there is nothing to ask."""
    text = newest_text(study_id)
    if text is None or _accepted(text, annotator_id):
        return None
    return text


def accepted_before(text: ConsentText, annotator_id: int) -> bool:
    """Whether the person accepted another version of the study's text."""
    consents = Consent.objects.filter(text__study=text.study_id, annotator=annotator_id, withdrawn_at=None)
    return consents.exclude(text=text).exists()


def studies_without_consent(user_id: int) -> set[int]:
    """The studies of a person's tasks whose consent text, as it is now, they have yet to accept."""
    newer = ConsentText.objects.filter(study=OuterRef("study"), number__gt=OuterRef("number"))
    accepted = Consent.objects.filter(text=OuterRef("pk"), annotator__user=user_id, withdrawn_at=None)
    texts = ConsentText.objects.filter(
        ~Exists(newer), ~Exists(accepted), ~Q(text=""), study__assignments__annotator__user=user_id
    )
    return set(texts.order_by().values_list("study", flat=True))


def book_to_ask_about(*, study: Study, annotator_id: int, book_id: int) -> bool:
    """The person has yet to say whether they have read this book."""
    return study.asks_about_book and not BookKnowledge.objects.filter(annotator=annotator_id, book=book_id).exists()


def nothing_to_ask() -> Q:
    """Rows with a study, an annotator and a summary whose person is ready: the same as the two above, in a query."""
    newer = ConsentText.objects.filter(study=OuterRef("study"), number__gt=OuterRef("number"))
    accepted = Consent.objects.filter(text=OuterRef("pk"), annotator=OuterRef(OuterRef("annotator")), withdrawn_at=None)
    unaccepted = ConsentText.objects.filter(
        ~Exists(newer), ~Exists(accepted), ~Q(text=""), study=OuterRef("study")
    ).order_by()
    known = BookKnowledge.objects.filter(annotator=OuterRef("annotator"), book=OuterRef("summary__book"))
    return ~Q(Exists(unaccepted)) & (Q(study__asks_about_book=False) | Q(Exists(known)))


def _accepted(text: ConsentText, annotator_id: int) -> bool:
    return Consent.objects.filter(text=text, annotator=annotator_id, withdrawn_at=None).exists()


@dataclass(frozen=True)
class MemberConsent:
    member: StudyMember
    #: The newest text that the person accepted, if any.
    accepted: Consent | None
    is_current: bool
    books: list[BookKnowledge]


def consents_of(study: Study) -> list[MemberConsent]:
    """For each member of the study what they accepted last, and which of its books they knew."""
    newest = newest_text(study.pk)
    members = list(study.members.select_related("annotator").order_by("annotator__pseudonym"))
    people = [member.annotator_id for member in members]
    accepted = {
        consent.annotator_id: consent
        for consent in Consent.objects.filter(text__study=study, annotator__in=people, withdrawn_at=None)
        .select_related("text")
        .order_by("text__number")
    }
    books: dict[int, list[BookKnowledge]] = defaultdict(list)
    known = BookKnowledge.objects.filter(annotator__in=people, book__in=study.summaries.values("book"))
    for each in known.select_related("book").defer("book__text").order_by("book__title", "pk"):
        books[each.annotator_id].append(each)
    return [
        MemberConsent(member, consent, consent is not None and consent.text == newest, books[member.annotator_id])
        for member in members
        for consent in [accepted.get(member.annotator_id)]
    ]
