"""What reviewers guessed about who made the marks."""

from django.db.models import Count

from annotation.models import Assignment, OriginGuess, Study

Counts = dict[str, dict[str, int]]


def guess_counts(study: Study) -> Counts:
    """Origin ("person" or "llm") -> guess -> how often, over submitted tasks. A baseline's marks count as an LLM's."""
    guesses = OriginGuess.Guess
    counts: Counts = {origin: dict.fromkeys(guesses.values, 0) for origin in (guesses.PERSON.value, guesses.LLM.value)}
    rows = (
        OriginGuess.objects.filter(
            assignment__study=study, assignment__state=Assignment.State.SUBMITTED, item__planted=False
        )
        .exclude(guess="")
        .order_by()
        .values_list("item__annotation__annotation_set__annotator__kind", "guess")
        .annotate(Count("pk"))
    )
    for kind, guess, count in rows:
        counts["person" if kind == "person" else "llm"][guess] += count
    return counts
