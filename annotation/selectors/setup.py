"""The checklist of a study that is being set up."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.deadlines import DOING, FIELDS, last_day
from annotation.faithfulness.selectors import plan_of
from annotation.models import Study, StudyMember
from annotation.selectors.choices import systems_of
from annotation.selectors.consent import newest_text
from annotation.selectors.known import checks_to_give, planted_in
from annotation.selectors.pay import rates_of
from annotation.selectors.stage import nobody_marks
from annotation.selectors.training import training_of, training_summaries

#: What people do, by the field that says so; and what of it makes marks and decisions on them.
VERBS = {
    "annotates": "annotate",
    "reviews": "review",
    "compares": "compare",
    "judges_units": "judge units",
    "rates": "rate",
}
MARKING = ("annotate", "review")


@dataclass(frozen=True)
class Step:
    """A line of the checklist: what it is about, whether it is done, what there is now, and where to change it."""

    title: str
    done: bool
    text: str
    route: str
    action: str
    #: A study can open without it.
    optional: bool = False


def setup_steps(study: Study, *, people_short: bool = False) -> list[Step]:
    """`people_short`: the study's people can't serve all of its summaries."""
    members = list(study.members.all())
    return [
        _summaries(study),
        _judges(study),
        _people(members, people_short),
        _guidelines(study),
        _consent(study),
        _overlap(study),
        _terms(study),
        _training(study),
        _checks(study),
        _comparisons(study, members),
        _faithfulness(study, members),
    ]


def _summaries(study: Study) -> Step:
    systems = [f"{each.summaries} of {each.system}" for each in systems_of(study)]
    text = ", ".join(systems) if systems else "What people and judges mark. Choose them by system or by book."
    action = "Choose summaries" if study.phase == Study.Phase.SETUP else "See the summaries"
    return Step("Summaries", bool(systems), text, "annotation:study-summaries", action)


def _judges(study: Study) -> Step:
    judges = [judge.pseudonym for judge in study.judges.all()]
    text = ", ".join(judges) if judges else "An LLM or the rule baseline that marks the same summaries."
    return Step("Judges", bool(judges), text, "annotation:study-judges", "Choose judges", optional=True)


def _people(members: Sequence[StudyMember], short: bool) -> Step:
    if not members:
        text = "Who annotates, and who reviews the marks of others."
        return Step("People", False, text, "annotation:study-members", "Add people")
    done = nobody_marks(members) or (any(each.annotates for each in members) and not short)
    counts = [(sum(getattr(each, role) for each in members), verb) for role, verb in VERBS.items()]
    # Whoever is missing for marks is said, unless the study has other work alone.
    shown = [each for each in counts if each[0] or (each[1] in MARKING and not nobody_marks(members))]
    text = ", ".join(f"{count} who {_verb(count, verb)}" for count, verb in shown)
    return Step("People", done, text, "annotation:study-members", "Add or change people")


def _guidelines(study: Study) -> Step:
    written = bool(study.guidelines.strip())
    text = f"{len(study.guidelines.split())} words" if written else "What annotators read before they begin."
    return Step("Guidelines", written, text, "annotation:study-guidelines", "Edit guidelines", optional=True)


def _consent(study: Study) -> Step:
    text = newest_text(study.pk)
    words = (
        f"{len(text.text.split())} words, version {text.number}" if text else "What people agree to before they begin."
    )
    return Step("Consent", text is not None, words, "annotation:study-consent", "Edit the consent text", optional=True)


def _overlap(study: Study) -> Step:
    people = "1 person marks" if study.annotation_overlap == 1 else f"{study.annotation_overlap} people mark"
    review = {0: "no review", 1: "1 person reviews each mark"}.get(
        study.review_overlap, f"{study.review_overlap} people review each mark"
    )
    text = f"{people} each summary, {review}"
    return Step("How many people", True, text, "annotation:study-settings", "Change numbers")


def _terms(study: Study) -> Step:
    paid = rates_of(study).any
    parts = [f"{DOING[task]} until {day:%-d %B %Y}" for task in FIELDS if (day := last_day(study, task))]
    text = ", ".join([*parts, "paid"] if paid else parts) if parts or paid else "Last days, and what people are paid."
    text = text[0].upper() + text[1:]
    return Step("Deadlines and pay", bool(parts) or paid, text, "annotation:study-terms", "Set deadlines and pay", True)


def _training(study: Study) -> Step:
    training = training_of(study)
    text = "People mark a known summary and see what was expected, before their first task."
    if training:
        summaries = training_summaries(study).count()
        text = f"{summaries} {'summary' if summaries == 1 else 'summaries'}"
        text += f", passed with {training.pass_percent} % of the known places" if training.qualifies else ""
    return Step("Training", training is not None, text, "annotation:study-training", "Set up training", True)


def _checks(study: Study) -> Step:
    known, planted = len(checks_to_give(study)), planted_in(study).count()
    parts = [
        f"{known} known {'summary' if known == 1 else 'summaries'}" if known else "",
        f"{planted} planted {'mark' if planted == 1 else 'marks'}" if planted else "",
    ]
    text = ", ".join(filter(None, parts)) or "Tasks whose answer you know, hidden among the others."
    return Step("Attention checks", bool(known or planted), text, "annotation:study-checks", "Set up checks", True)


def _comparisons(study: Study, members: Sequence[StudyMember]) -> Step:
    rounds = [f"{each.name} ({each.get_state_display().lower()})" for each in study.comparison_rounds.all()]
    text = ", ".join(rounds) if rounds else "People read two summaries of a book and say which is better."
    needed = nobody_marks(members) and any(each.compares for each in members)
    action = "See the comparisons" if rounds else "Set up comparisons"
    return Step("Comparisons", bool(rounds), text, "annotation:study-comparisons", action, optional=not needed)


def _faithfulness(study: Study, members: Sequence[StudyMember]) -> Step:
    plan = plan_of(study)
    text = "People check, clause by clause, whether the book supports what summaries say."
    if plan:
        asked = [
            f"{people} {'person' if people == 1 else 'people'} {doing} each summary"
            for people, doing in ((plan.fine_overlap, "on the units of"), (plan.coarse_overlap, "rating"))
            if people
        ]
        text = ", ".join([*asked, plan.get_state_display().lower()])
    action = "See the plan" if plan else "Set up faithfulness"
    needed = nobody_marks(members) and any(each.judges_units or each.rates for each in members)
    return Step("Faithfulness", plan is not None, text, "annotation:study-faithfulness", action, optional=not needed)


def _verb(number: int, verb: str) -> str:
    """ "judges units" of one, "judge units" of several."""
    first, *rest = verb.split(" ")
    return " ".join([f"{first}s" if number == 1 else first, *rest])
