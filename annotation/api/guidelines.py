"""Which version of the guidelines a page that sends an answer shows."""

from rest_framework.request import Request

from annotation.services.guidelines import version_shown
from summarizer.identifiers import row_id

#: Sent by `ask` in static/js/page.js with the number that the page was served with.
HEADER = "X-Guidelines-Version"


def guidelines_shown(request: Request, study_id: int | None) -> int | None:
    """The key of the version that the page names; of the newest one where it names none of the study."""
    return version_shown(study_id=study_id, number=row_id(request.headers.get(HEADER, "")))
