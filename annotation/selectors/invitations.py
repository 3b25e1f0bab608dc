"""What somebody who opens an invitation link is told before they join."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median

from django.db.models import Max, Min, Sum

from annotation.deadlines import last_day
from annotation.models import AnnotationSet, Assignment, ComparisonRound, FaithfulnessPlan, Invitation, Study, Training
from annotation.pay import in_words
from annotation.selectors.consent import newest_text
from annotation.selectors.pay import rates_of
from annotation.selectors.training import training_of

#: How many tasks tell how long one takes.
LEAST_TASKS = 5
#: English text, with the tokens that are counted here.
WORDS_PER_TOKEN = 0.75


@dataclass(frozen=True)
class Asked:
    """A kind of work that people who join are asked for."""

    task: str
    #: What it is worth, in words; empty where nothing is set.
    pay: str
    #: Median active minutes of the tasks that were submitted so far; None while they are few.
    minutes: int | None
    due: date | None


@dataclass(frozen=True)
class TakingPart:
    asked: Sequence[Asked]
    #: Words of the shortest and of the longest summary, roughly; None while there is none.
    words: tuple[int, int] | None
    training: Training | None
    asks_consent: bool
    #: Whether there are tasks of such a kind already.
    begun: bool
    #: Who made the study; empty where that login is gone.
    run_by: str


def taking_part(invitation: Invitation) -> TakingPart:
    """What the study asks of those who join by the link, for what, and who runs it, as far as that is known."""
    study = invitation.study
    wanted = {
        Assignment.Task.ANNOTATE: invitation.annotates,
        Assignment.Task.REVIEW: invitation.reviews and study.review_overlap > 0,
        Assignment.Task.COMPARE: invitation.compares,
        Assignment.Task.FINE: invitation.judges_units,
        Assignment.Task.COARSE: invitation.rates,
    }
    rates = rates_of(study)
    return TakingPart(
        asked=[
            Asked(str(task), in_words(rates, str(task)), _usual_minutes(study, task), last_day(study, task))
            for task, is_wanted in wanted.items()
            if is_wanted
        ],
        words=_words(study),
        training=training_of(study) if invitation.annotates else None,
        asks_consent=newest_text(study.pk) is not None,
        begun=has_begun(invitation),
        run_by=study.created_by.get_username() if study.created_by else "",
    )


def has_begun(invitation: Invitation) -> bool:
    study = invitation.study
    rounds = ComparisonRound.objects.filter(study=study, state=ComparisonRound.State.OPEN)
    plans = FaithfulnessPlan.objects.filter(study=study, state=FaithfulnessPlan.State.OPEN)
    return (
        study.phase != Study.Phase.SETUP
        or (invitation.compares and rounds.exists())
        or ((invitation.judges_units or invitation.rates) and plans.exists())
    )


def _words(study: Study) -> tuple[int, int] | None:
    tokens = study.summaries.aggregate(least=Min("tokens"), most=Max("tokens"))
    if not tokens["most"]:
        return None
    return _roughly(tokens["least"] * WORDS_PER_TOKEN), _roughly(tokens["most"] * WORDS_PER_TOKEN)


def _roughly(words: float) -> int:
    """To the next ten, from 300 on to the next hundred."""
    unit = 100 if words >= 300 else 10
    return max(unit, round(words / unit) * unit)


def _usual_minutes(study: Study, task: Assignment.Task) -> int | None:
    seconds = [each for each in _seconds(study, task) if each]
    return max(1, round(median(seconds) / 60)) if len(seconds) >= LEAST_TASKS else None


def _seconds(study: Study, task: Assignment.Task) -> Iterable[int | None]:
    """Active time on each submitted task; attention checks and training apart."""
    if task == Assignment.Task.ANNOTATE:
        sets = AnnotationSet.objects.filter(study=study, state=AnnotationSet.State.SUBMITTED)
        return sets.order_by().values_list("active_seconds", flat=True)
    submitted = study.assignments.filter(task=task, state=Assignment.State.SUBMITTED).order_by()
    if task == Assignment.Task.FINE:
        seconds = submitted.annotate(seconds=Sum("sampled_units__judgement__active_seconds"))
        return seconds.values_list("seconds", flat=True)
    fields = {
        Assignment.Task.COMPARE: "comparison_sheet__active_seconds",
        Assignment.Task.COARSE: "rating__active_seconds",
    }
    return submitted.values_list(fields.get(task, "active_seconds"), flat=True)
