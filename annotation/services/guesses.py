"""A reviewer's guesses of who made the marks, given before the last review task is submitted."""

from collections.abc import Mapping

from django.db import transaction

from annotation.drawing import draw
from annotation.models import Assignment, OriginGuess
from annotation.selectors.guesses import forms_shown, guesses_asked, guesses_missing
from annotation.selectors.review import items_of, undecided
from annotation.services.review import ReviewError, ReviewIncomplete, locked_task, require_open, submit_review

Guess = OriginGuess.Guess


class GuessesMissing(ReviewError):
    """The reviewer has yet to guess the origin of some marks."""

    code = "guesses"


@transaction.atomic
def draw_marks(*, assignment: Assignment) -> None:
    """Store which marks are guessed; a second call changes nothing.

    Raises ReviewLocked, or ReviewIncomplete while marks have no answer: nobody is set to think about sources before.
    """
    require_open(locked_task(assignment))
    if undecided(assignment).exists():
        raise ReviewIncomplete("Answer all marks first.")
    if OriginGuess.objects.filter(assignment=assignment).exists():
        return
    drawn = draw(forms_shown(assignment), seed=f"{assignment.study.seed} guesses {assignment.order}")
    items = {item.order: item for item in items_of(assignment).filter(order__in=drawn)}
    OriginGuess.objects.bulk_create(
        OriginGuess(assignment=assignment, item=items[place], order=order) for order, place in enumerate(drawn)
    )


@transaction.atomic
def save_guesses(*, assignment: Assignment, guesses: Mapping[str, str]) -> None:
    """Store guesses by the keys of their marks; what is no guess or no drawn mark is left as it is."""
    require_open(locked_task(assignment))
    for guess in OriginGuess.objects.filter(assignment=assignment).select_related("item"):
        given = guesses.get(str(guess.item.key), "")
        if given in Guess.values and given != guess.guess:
            guess.guess = given
            guess.save(update_fields=["guess", "updated_at"])


@transaction.atomic
def submit_with_guesses(*, assignment: Assignment) -> Assignment:
    """Submit a review of a person; the last one in a study needs the guesses too. Raises GuessesMissing, and as
    `submit_review` does."""
    current = locked_task(assignment)
    if current.state == Assignment.State.OPEN and not undecided(current).exists():
        require_open(current)
        if guesses_asked(current) and guesses_missing(current):
            raise GuessesMissing("One question is left: guess who made some of these marks.")
    return submit_review(assignment=assignment)
