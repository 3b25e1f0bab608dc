"""What a study's plan for faithfulness asks, of whom, and what it lacks before it can open."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from annotation.assignment import Item, May, Person, shortage
from annotation.deadlines import deadline_problem
from annotation.faithfulness.sampling import Amount
from annotation.models import Assignment, FaithfulnessPlan, Study, StudyMember
from annotation.selectors.assignment import people_of
from annotation.selectors.comparisons import reviewers_to_keep
from annotation.selectors.qualification import qualification_problems
from annotation.selectors.studies import summary_names
from summarizer.models import Book

FINE, COARSE = Assignment.Task.FINE, Assignment.Task.COARSE
#: Who may have which kind of task on a book.
MAY: dict[str, May] = {FINE: Person.may_judge_units, COARSE: Person.may_rate}
#: Seconds that a judgement of a unit took in the published study, reading included (LongEval, section 3.3).
SECONDS_PER_UNIT = 41
#: How many books a sentence names before it counts the rest.
NAMED = 5


def plan_of(study: Study) -> FaithfulnessPlan | None:
    return FaithfulnessPlan.objects.filter(study=study).select_related("study").first()


def overlap_of(plan: FaithfulnessPlan, task: str) -> int:
    return plan.fine_overlap if task == FINE else plan.coarse_overlap


def amount_of(plan: FaithfulnessPlan) -> Amount:
    return Amount(share=plan.share, number=plan.units_per_summary)


def different_units(plan: FaithfulnessPlan) -> dict[int, int]:
    """By summary of the study: how many units it has, repeated ones apart. 0 where it was not cut yet."""
    counted = plan.units.filter(same_as=None).order_by().values_list("summary").annotate(Count("pk"))
    return dict.fromkeys(plan.study.summaries.order_by("pk").values_list("pk", flat=True), 0) | dict(counted)


def items_to_check(plan: FaithfulnessPlan, task: str) -> list[Item]:
    """The study's summaries; to be judged unit by unit they weigh as many as a person is asked about."""
    asked = Counter(asked_per_summary(plan)) if task == FINE else Counter[int]()
    summaries = plan.study.summaries.order_by("pk").values_list("pk", "book")
    return [Item(summary, book, asked[summary] if task == FINE else 1) for summary, book in summaries]


def asked_per_summary(plan: FaithfulnessPlan) -> dict[int, int]:
    """By summary of the study: how many units one person is asked about."""
    amount = amount_of(plan)
    return {summary: amount.of(units) for summary, units in different_units(plan).items()}


@dataclass(frozen=True)
class PlannedWork:
    """What a plan asks for in all. Rated summaries have no published time."""

    summaries: int
    units: int
    #: Of them the repeated ones, which are not asked again.
    repeated: int
    #: Judgements of units by all people together, and ratings.
    judgements: int
    ratings: int
    #: How many people it takes at least.
    people: int

    @property
    def time(self) -> str:
        """Of judging all units, in words."""
        return self.time_of_each(1)

    def time_of_each(self, people: int) -> str:
        """The same, of each of so many people."""
        minutes = max(1, round(self.judgements * SECONDS_PER_UNIT / 60 / people)) if self.judgements else 0
        return f"{minutes} min" if minutes < 120 else f"{minutes / 60:,.0f} h"

    @property
    def per_summary(self) -> float | None:
        return self.units / self.summaries if self.summaries else None


def planned_work(plan: FaithfulnessPlan) -> PlannedWork:
    """For settings that may not be stored yet."""
    asked = asked_per_summary(plan)
    units = plan.units.filter(summary__in=list(asked)).order_by()
    return PlannedWork(
        summaries=len(asked),
        units=units.count(),
        repeated=units.exclude(same_as=None).count(),
        judgements=sum(asked.values()) * plan.fine_overlap,
        ratings=len(asked) * plan.coarse_overlap,
        people=plan.fine_overlap + plan.coarse_overlap,
    )


def plan_problems(plan: FaithfulnessPlan) -> list[str]:
    """Why a plan can't be opened, as sentences that say what to do."""
    study = plan.study
    if late := deadline_problem(study, FINE):
        return [late]
    if not study.summaries.exists():
        return ["The study has no summaries yet. Choose some."]
    if not plan.fine_overlap and not plan.coarse_overlap:
        return ["Nobody is asked anything: let at least one person judge units, or rate, each summary."]
    if study.phase == Study.Phase.SETUP and (before := work_that_comes_first(checkers_of(study))):
        return [before]
    problems = [*_without_text(study), *(_without_units(plan) if plan.fine_overlap else [])]
    problems += qualification_problems(study)
    people = people_of(study)
    for task in (FINE, COARSE):
        if overlap_of(plan, task):
            problems += _short_of_people(plan, task, people)
    return problems


def checkers_of(study: Study) -> list[StudyMember]:
    """The study's members, by pseudonym."""
    members = study.members.filter(annotator__kind="person").select_related("annotator")
    return list(members.order_by("annotator__pseudonym"))


def checking_too(members: Sequence[StudyMember]) -> list[StudyMember]:
    """Who judges units or rates, and has other work that comes before."""
    return [each for each in members if (each.annotates or each.reviews) and (each.judges_units or each.rates)]


def work_that_comes_first(members: Sequence[StudyMember]) -> str:
    """Why a plan can't be opened while its study is set up, and the ways out; empty where nobody marks or reviews."""
    marking = [each for each in members if each.annotates or each.reviews]
    if not marking:
        return ""
    checking = len(checking_too(marking))
    others = len(marking) - checking
    ways = [
        f"{_number(len(marking), 'person annotates or reviews', 'people annotate or review')} in this study, as "
        "everybody does who is added without saying otherwise, and reading a book comes after that."
    ]
    if checking:
        ways.append(
            f"{_number(checking, 'of them judges units or rates', 'of them judge units or rate')}: take annotating and "
            "reviewing from them, here or under People, if this is all they are to do."
        )
    if others:
        ways.append(
            f"{_number(others, 'does', 'do')} neither: choose under Who does what whether they judge units or rate, or "
            "take them out under People."
        )
    return " ".join([*ways, "Or open annotating first, if the summaries are to be marked as well."])


def _without_text(study: Study) -> list[str]:
    books = Book.objects.filter(summaries__studies=study, text="").order_by("title", "pk").distinct()
    titles = list(dict.fromkeys(books.values_list("title", flat=True)))
    if not titles:
        return []
    rest = f" and {len(titles) - NAMED} more" if len(titles) > NAMED else ""
    return [
        f"Summaries are checked against the book, and {_number(len(titles), 'book is', 'books are')} here without "
        f"text: {', '.join(titles[:NAMED])}{rest}. Add the text under Books, or take the summaries out of the study."
    ]


def _without_units(plan: FaithfulnessPlan) -> list[str]:
    missing = [summary for summary, units in different_units(plan).items() if not units]
    if not missing:
        return []
    return [
        f"{_number(len(missing), 'summary is', 'summaries are')} not cut into units: {summary_names(missing)}. Cut "
        "what is missing, or take out those that are empty."
    ]


def _short_of_people(plan: FaithfulnessPlan, task: str, people: Sequence[Person]) -> list[str]:
    study, overlap, doing = plan.study, overlap_of(plan, task), "judge units" if task == FINE else "rate"
    if not any((person.judges_units if task == FINE else person.rates) for person in people):
        return [f"Nobody is chosen to {doing}. Choose who does."]
    short = shortage(
        items_to_check(plan, task),
        people,
        annotation_overlap=overlap,
        review_overlap=reviewers_to_keep(study),
        may=MAY[task],
    )
    problems = []
    if short.annotators:
        problems.append(
            f"{_number(len(short.annotators), 'summary has', 'summaries have')} fewer than "
            f"{_number(overlap, 'person', 'people')} who may {doing}: {summary_names(short.annotators)}. Nobody does "
            "while they still have the book to annotate or compare, or once they reviewed it, saw who marked what on "
            f"it, or checked it the other way. Choose more people who {doing}, or ask fewer per summary."
        )
    if short.reviewers:
        problems.append(
            f"{_number(len(short.reviewers), 'summary', 'summaries')} would leave too few people to review the marks "
            f"on the book, which needs {_number(study.review_overlap, 'reviewer', 'reviewers')} who did not read it: "
            f"{summary_names(short.reviewers)}. Choose people who do not review, or open this after the review."
        )
    return problems


def _number(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
