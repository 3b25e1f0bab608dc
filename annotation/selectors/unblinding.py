"""Whether a study was unblinded, by whom and why."""

from annotation.models import Assignment, Study, Unblinding


def unblinding_of(study: Study) -> Unblinding | None:
    return Unblinding.objects.filter(study=study).select_related("by").first()


def unblinding_gaps(study: Study) -> list[str]:
    """What an unblinding now would end before it is finished, as sentences."""
    unfinished = study.assignments.filter(task=Assignment.Task.REVIEW, state=Assignment.State.OPEN).count()
    if not unfinished:
        return []
    tasks = "1 review task is" if unfinished == 1 else f"{unfinished} review tasks are"
    return [f"{tasks} not submitted; unblinding ends {'it' if unfinished == 1 else 'them'} without counting."]
