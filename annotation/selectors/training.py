"""Who is done with the training of a study, who is not yet, and who did not pass."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import (
    Annotation,
    AnnotationSet,
    Assignment,
    KnownPlace,
    KnownSummary,
    Purpose,
    Study,
    StudyMember,
    Training,
    TrainingAttempt,
    TrainingPass,
)


def training_of(study: Study) -> Training | None:
    return Training.objects.filter(study=study).first()


def training_summaries(study: Study) -> QuerySet[KnownSummary]:
    """In the order in which people meet them."""
    known = study.known_summaries.filter(purpose=Purpose.TRAINING).select_related("summary__book", "summary__system")
    return known.defer("summary__text", "summary__book__text").prefetch_related("places").order_by("pk")


def must_train(*, study_id: int, annotator_id: int) -> bool:
    """The person annotates in a study that asks for training, and is not done with it."""
    member = StudyMember.objects.filter(study=study_id, annotator=annotator_id, annotates=True)
    return Training.objects.filter(_not_done(annotator_id), Exists(member), study=study_id).exists()


def trained() -> Q:
    """Sets whose person need not train any more (or that are the training): the same in a query, for annotating."""
    person = {"study": OuterRef("study"), "annotator": OuterRef("annotator")}
    return (
        Q(purpose=Purpose.TRAINING)
        | ~Q(Exists(Training.objects.filter(study=OuterRef("study"))))
        | Q(Exists(TrainingAttempt.objects.filter(**person, passed=True)))
        | Q(Exists(TrainingPass.objects.filter(**person)))
    )


def studies_to_train_for(user_id: int) -> set[int]:
    """The studies in which the person annotates and is not done with the training."""
    person = {"study": OuterRef("study"), "annotator": OuterRef("annotator")}
    members = StudyMember.objects.filter(
        ~Exists(TrainingAttempt.objects.filter(**person, passed=True)),
        ~Exists(TrainingPass.objects.filter(**person)),
        annotator__user=user_id,
        annotates=True,
        study__training__isnull=False,
    )
    return set(members.values_list("study", flat=True))


def not_trained(study: Study, *, failed_only: bool) -> set[int]:
    """Who of those who annotate did not pass; without `failed_only` also those who may still."""
    training = training_of(study)
    if training is None or (failed_only and not training.qualifies):
        return set()
    done = {
        *study.training_attempts.filter(passed=True).values_list("annotator", flat=True),
        *study.training_passes.values_list("annotator", flat=True),
    }
    people = set(study.members.filter(annotates=True).values_list("annotator", flat=True)) - done
    if not failed_only:
        return people
    last = training_summaries(study).last()
    return people & set(study.training_attempts.filter(known=last).values_list("annotator", flat=True))


def _not_done(annotator_id: int) -> Q:
    attempts = TrainingAttempt.objects.filter(study=OuterRef("study"), annotator=annotator_id, passed=True)
    passes = TrainingPass.objects.filter(study=OuterRef("study"), annotator=annotator_id)
    return ~Q(Exists(attempts)) & ~Q(Exists(passes))


@dataclass(frozen=True)
class Standing:
    """Where a person stands in the training of a study."""

    training: Training
    attempts: Sequence[TrainingAttempt]
    summaries: int
    by_hand: TrainingPass | None = None

    @property
    def passed(self) -> bool:
        return self.by_hand is not None or any(attempt.passed for attempt in self.attempts)

    @property
    def left(self) -> int:
        """Training summaries that the person may still work on."""
        return 0 if self.passed else self.summaries - len(self.attempts)

    @property
    def failed(self) -> bool:
        return not self.passed and not self.left


def standing_of(study: Study, annotator_id: int) -> Standing | None:
    """None if the study asks for no training."""
    return next(iter(_standings(study, [annotator_id]).values()), None)


def _standings(study: Study, people: Sequence[int]) -> dict[int, Standing]:
    training = training_of(study)
    if training is None:
        return {}
    summaries = training_summaries(study).count()
    attempts: dict[int, list[TrainingAttempt]] = defaultdict(list)
    for attempt in study.training_attempts.filter(annotator__in=people).order_by("pk"):
        attempts[attempt.annotator_id].append(attempt)
    passes = {each.annotator_id: each for each in study.training_passes.filter(annotator__in=people)}
    return {key: Standing(training, attempts[key], summaries, passes.get(key)) for key in people}


@dataclass(frozen=True)
class MemberStanding:
    member: StudyMember
    standing: Standing


def standings_of(study: Study) -> list[MemberStanding]:
    """Everybody who annotates, by pseudonym; the number of queries does not grow with them."""
    members = list(study.members.filter(annotates=True).select_related("annotator").order_by("annotator__pseudonym"))
    standings = _standings(study, [member.annotator_id for member in members])
    return [MemberStanding(member, standings[member.annotator_id]) for member in members if standings]


def last_training(study: Study, annotator_id: int) -> Assignment | None:
    """The person's newest training task that has feedback."""
    tasks = Assignment.all_purposes.filter(study=study, annotator=annotator_id, purpose=Purpose.TRAINING)
    return tasks.filter(state=Assignment.State.SUBMITTED).order_by("pk").last()


@dataclass(frozen=True)
class FailedTraining:
    study_title: str
    #: Of the task whose page has the feedback.
    key: UUID


def failed_trainings(user_id: int) -> list[FailedTraining]:
    """Studies at work whose training the person did not pass."""
    tasks = Assignment.all_purposes.filter(
        annotator__user=user_id,
        purpose=Purpose.TRAINING,
        state=Assignment.State.SUBMITTED,
        study__phase=Study.Phase.ANNOTATING,
        study__training__qualifies=True,
    )
    last = {task.study_id: task for task in tasks.select_related("study").order_by("pk")}
    return [
        FailedTraining(task.study.title, task.key)
        for task in last.values()
        if (standing := standing_of(task.study, task.annotator_id)) and standing.failed
    ]


@dataclass(frozen=True)
class PlaceFeedback:
    """A known place with the rest of its sentences around it, and the person's marks that touch it."""

    place: KnownPlace
    before: str
    after: str
    marks: Sequence[Annotation]


@dataclass(frozen=True)
class Feedback:
    attempt: TrainingAttempt
    places: Sequence[PlaceFeedback]
    #: The person's marks where none was expected.
    elsewhere: Sequence[Annotation]


def feedback_on(assignment: Assignment) -> Feedback | None:
    """What a person is told about a training summary that they submitted; None before."""
    attempt = TrainingAttempt.objects.filter(
        study=assignment.study_id, annotator=assignment.annotator_id, known__summary=assignment.summary_id
    ).first()
    if attempt is None:
        return None
    annotation_set = AnnotationSet.all_purposes.get(
        study=assignment.study_id, annotator=assignment.annotator_id, summary=assignment.only_summary
    )
    marks = list(annotation_set.annotations.prefetch_related("spans", "error_types").order_by("pk"))
    text = assignment.only_summary.text
    sentences = list(assignment.only_summary.sentences.values_list("start", "end"))
    places = list(attempt.known.places.prefetch_related("error_types"))
    touching = {place.pk: [mark for mark in marks if _touches(mark, place)] for place in places}
    found = {mark.pk for marks_here in touching.values() for mark in marks_here}
    return Feedback(
        attempt=attempt,
        places=[_place_feedback(place, text, sentences, touching[place.pk]) for place in places],
        elsewhere=[mark for mark in marks if mark.pk not in found],
    )


def _place_feedback(
    place: KnownPlace, text: str, sentences: Sequence[tuple[int, int]], marks: Sequence[Annotation]
) -> PlaceFeedback:
    around = [(start, end) for start, end in sentences if start < place.end and place.start < end]
    first = min([start for start, _ in around] + [place.start])
    last = max([end for _, end in around] + [place.end])
    return PlaceFeedback(place, text[first : place.start], text[place.end : last], marks)


def _touches(mark: Annotation, place: KnownPlace) -> bool:
    return any(span.start < place.end and place.start < span.end for span in mark.spans.all())
