"""What the endpoint pages read."""

from django.db.models import Count, QuerySet

from summarizer.models import Endpoint


def llm_endpoints() -> QuerySet[Endpoint]:
    """The endpoints that people set up, with the number of their `systems_made` and `jobs_run`."""
    return Endpoint.objects.filter(provider=Endpoint.Provider.OPENAI).annotate(
        systems_made=Count("systems", distinct=True), jobs_run=Count("jobs", distinct=True)
    )
