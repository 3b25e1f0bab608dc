"""What the launch page offers to choose from."""

from django.db.models import Case, QuerySet, Value, When

from summarizer.models import Book, Endpoint, PromptSet, System
from summarizer.services.endpoints import endpoint_named
from summarizer.services.prompt_sets import built_in_names, load_prompt_set
from summarizer.strategies.methods import METHODS


def launchable_books() -> QuerySet[Book]:
    """Books that have a text; the text itself is loaded when it is needed."""
    return Book.objects.exclude(text_sha256="").defer("text")


def launchable_systems() -> QuerySet[System]:
    """Systems that more books can be summarized with."""
    systems = System.objects.filter(strategy__in=METHODS, endpoint__isnull=False)
    return systems.select_related("endpoint", "prompt_set")


def launchable_endpoints() -> QuerySet[Endpoint]:
    """Endpoints that can make summaries, the baseline first."""
    endpoint_named("extractive")
    first = Case(When(provider=Endpoint.Provider.EXTRACTIVE, then=Value(0)), default=Value(1))
    return Endpoint.objects.exclude(provider=Endpoint.Provider.RULES).order_by(first, "name")


def launchable_prompt_sets() -> QuerySet[PromptSet]:
    """Prompt sets that some strategy can use, our own first, then the newest."""
    default = load_prompt_set("default")
    for name in built_in_names():
        load_prompt_set(name)
    usable = [
        prompt_set.pk
        for prompt_set in PromptSet.objects.all()
        if any(set(method.prompt_files) <= prompt_set.files.keys() for method in METHODS.values())
    ]
    first = Case(When(pk=default.pk, then=Value(0)), default=Value(1))
    return PromptSet.objects.filter(pk__in=usable).order_by(first, "-created_at")
