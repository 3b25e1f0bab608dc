"""Who was shown which marks. Whoever has seen them can't mark or review that book on their own any more."""

from collections.abc import Iterable

from annotation.access import Login, id_of, require_not_blind
from annotation.models import MarksSeen, Study
from summarizer.models import Summary


def reveal_study(*, user: Login, study: Study) -> None:
    """The same for all summaries of a study at once."""
    require_not_blind(user, study=study)
    seen = (MarksSeen(user_id=id_of(user), summary_id=pk) for pk in study.summaries.values_list("pk", flat=True))
    MarksSeen.objects.bulk_create(seen, ignore_conflicts=True)


def reveal_marks(*, user: Login, study: Study, summary: Summary) -> None:
    """Call this before showing who marked what on a summary. Raises Blinded where the person must not see it yet."""
    reveal_marks_of(user=user, study=study, summaries=[summary.pk])


def reveal_marks_of(*, user: Login, study: Study, summaries: Iterable[int]) -> None:
    """The same for marks on several summaries, by their ids."""
    require_not_blind(user, study=study)
    user_id = id_of(user)
    MarksSeen.objects.bulk_create(
        (MarksSeen(user_id=user_id, summary_id=summary) for summary in summaries), ignore_conflicts=True
    )
