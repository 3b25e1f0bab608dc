"""What can be put into a study: summaries, people, judges."""

from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Q, QuerySet

from annotation.models import Annotator, Study
from summarizer.models import Summary, System


def summaries_to_add(study: Study, *, book: str = "", system: int | None = None) -> QuerySet[Summary]:
    """Summaries that are not in the study, by book and system; `book` is part of a title or an author."""
    summaries = Summary.objects.exclude(studies=study).select_related("book", "system__endpoint")
    if book:
        summaries = summaries.filter(Q(book__title__icontains=book) | Q(book__author__icontains=book))
    if system:
        summaries = summaries.filter(system=system)
    return summaries.defer("text", "book__text").order_by("book__title", "book", "system__name")


def systems_with_summaries() -> QuerySet[System]:
    return System.objects.annotate(summary_count=Count("summaries")).filter(summary_count__gt=0).order_by("name")


@dataclass(frozen=True)
class SystemInStudy:
    system: System
    summaries: int


def systems_of(study: Study) -> list[SystemInStudy]:
    """The study's systems, each with the number of the study's summaries that it made."""
    systems = System.objects.select_related("endpoint").filter(summaries__studies=study).order_by("name")
    counted = systems.annotate(in_study=Count("summaries", distinct=True))
    return [SystemInStudy(system, system.in_study) for system in counted]


def summaries_in(study: Study) -> QuerySet[Summary]:
    summaries = study.summaries.select_related("book", "system__endpoint").defer("text", "book__text")
    return summaries.order_by("book__title", "book", "system__name")


def people_to_add(study: Study) -> QuerySet[AbstractBaseUser]:
    """Everybody who can log in and is not a member yet, whatever their role; nobody who withdrew."""
    people = get_user_model().objects.filter(is_active=True)
    gone = Annotator.objects.filter(withdrawals__study=study, user__isnull=False)
    people = people.exclude(annotator__memberships__study=study).exclude(pk__in=gone.values("user"))
    return people.order_by("username")


def judges_of(study: Study, *, inside: bool) -> QuerySet[Annotator]:
    """Judges that the study counts, or all others, with the number of its summaries that they have `judged`.

    Those that judge units make no marks to count.
    """
    judges = Annotator.objects.filter(kind=Annotator.Kind.JUDGE).exclude(mode=Annotator.Mode.UNIT)
    judges = judges.filter(judged_studies=study) if inside else judges.exclude(judged_studies=study)
    return judges.select_related("endpoint").annotate(
        judged=Count(
            "annotation_sets",
            filter=Q(annotation_sets__study=None, annotation_sets__summary__studies=study),
            distinct=True,
        )
    )
