"""Opening the sources of a study's reviewed marks."""

from django.db import transaction

from annotation.access import Login, annotator_of, id_of, require_own_tasks_done
from annotation.models import Assignment, Study, Unblinding
from annotation.selectors.unblinding import unblinding_gaps
from annotation.services.assignment import release_tasks
from annotation.services.studies import StudyError

#: Stands in for a person's pseudonym where a study was unblinded by a command, which knows no person.
COMMAND_LINE = "command line"


@transaction.atomic
def unblind(*, study: Study, user: Login | None, reason: str, accept_unfinished: bool = False) -> Unblinding:
    """Freeze the study's review and let its sources be seen; who (None = a command), when and why are stored.

    Review tasks that are not submitted end without counting, if `accept_unfinished`. Raises Blinded for whoever has an
    open task on a summary of the study, and StudyError where there is nothing to unblind, or no reason.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    if user:
        require_own_tasks_done(user, study)
    if study.phase != Study.Phase.REVIEWING:
        raise StudyError("Only a study that is being reviewed can be unblinded.")
    if Unblinding.objects.filter(study=study).exists():
        raise StudyError("This study is unblinded already.")
    if not reason.strip():
        raise StudyError("Say why the sources are opened now; it is stored and stands in the report.")
    if not accept_unfinished and (gaps := unblinding_gaps(study)):
        raise StudyError(" ".join([*gaps, "Wait for them, or confirm that they end."]))
    release_tasks(study=study, task=Assignment.Task.REVIEW)
    return Unblinding.objects.create(
        study=study,
        by_id=id_of(user) if user else None,
        pseudonym=annotator_of(user).pseudonym if user else COMMAND_LINE,
        reason=reason.strip()[:1000],
    )
