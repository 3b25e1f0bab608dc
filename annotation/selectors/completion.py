"""The completion codes of people whom a platform sent and who have done all their tasks."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from annotation.models import BEFORE_TASKS, Assignment, PlatformSession, Study


@dataclass(frozen=True)
class Completion:
    title: str
    code: str
    #: Leads back to the platform; may be empty.
    url: str


def completions_of(user_id: int) -> list[Completion]:
    """One for each study with a code that a platform sent the person to, once they have submitted and nothing is open.

    What they left out does not stand in the way: researchers see it.
    """
    tasks = Assignment.all_purposes.exclude(purpose__in=BEFORE_TASKS)  # who fails these has done no task
    own = tasks.filter(study=OuterRef("pk"), annotator__user=user_id)
    sent = PlatformSession.objects.filter(external_id__user=user_id, invitation__study=OuterRef("pk"))
    done = Study.objects.filter(
        Exists(sent),
        Exists(own.filter(state=Assignment.State.SUBMITTED)),
        ~Exists(own.filter(state=Assignment.State.OPEN)),
    ).exclude(completion_code="")
    return [
        Completion(study.title, study.completion_code, study.completion_url) for study in done.order_by("title", "pk")
    ]
