"""Who was shown which marks. Whoever has seen them can't mark or review that book on their own any more."""

from annotation.access import Login, id_of, require_not_blind
from annotation.models import MarksSeen, Study
from summarizer.models import Summary


def reveal_marks(*, user: Login, study: Study, summary: Summary) -> None:
    """Call this before showing who marked what on a summary. Raises Blinded where the person must not see it yet."""
    require_not_blind(user, study=study)
    MarksSeen.objects.get_or_create(user_id=id_of(user), summary=summary)
