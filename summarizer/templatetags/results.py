"""What a job brought, for its page."""

from django import template
from django.db.models import QuerySet

from summarizer.models import Job, Summary, System

register = template.Library()


@register.simple_tag
def summaries_of(job: Job) -> QuerySet[Summary]:
    """The summaries that a job has made so far, in the order of its books."""
    made = Summary.objects.filter(job_item__job=job).select_related("book", "system__endpoint")
    return made.defer("text", "book__text").order_by("job_item__index")


@register.simple_tag
def system_of(job: Job) -> System | None:
    """The system that a summarizing job makes summaries by."""
    systems = System.objects.select_related("endpoint", "prompt_set")
    return systems.filter(pk=job.parameters.get("system")).first()
