"""Every error of the REST API is `{"detail": sentence, "code": word}` with the status that fits."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404
from rest_framework.exceptions import APIException
from rest_framework.response import Response

from annotation.access import Blinded
from annotation.api.errors import with_code
from annotation.judge.judges import JudgeRefused
from annotation.release.files import ReleaseError
from annotation.services.studies import StudyError
from scoring.imports import ImportRefused
from scoring.services.exporting import ExportRefused
from scoring.services.reports import ReportRefused
from summarizer.extraction import ExtractionError
from summarizer.jobs.launch_keys import KeyTaken
from summarizer.jobs.services import JobError
from summarizer.services.books import BookError, BookExists
from summarizer.services.endpoints import EndpointError
from summarizer.services.launch import LaunchRefused
from summarizer.services.prompt_sets import PromptSetError
from summarizer.services.systems import ParametersRefused
from summarizer.text import storable

#: What services refuse, whose words are for the user: status and code. The first that fits counts.
ANSWERS: tuple[tuple[type[Exception], int, str], ...] = (
    (BookExists, 409, "exists"),
    (BookError, 409, "book"),
    (ExtractionError, 400, "unreadable"),
    (ImportRefused, 400, "import"),
    (ReleaseError, 400, "import"),
    (ParametersRefused, 400, "parameters"),
    (EndpointError, 400, "endpoint"),
    (PromptSetError, 400, "prompt-set"),
    (LaunchRefused, 409, "launch"),
    (JudgeRefused, 409, "judge"),
    (KeyTaken, 409, "conflict"),
    (JobError, 409, "job"),
    (StudyError, 409, "study"),
    (ReportRefused, 400, "report"),
    (ExportRefused, 409, "export"),
    (Blinded, 403, "blind"),
)


class NotThere(APIException):
    """What the body of a request names is not here."""

    status_code = 404
    default_code = "not-found"


class Conflict(APIException):
    status_code = 409
    default_code = "conflict"


class TooLarge(APIException):
    status_code = 413
    default_code = "too-large"


def answer(exc: Exception, context: dict[str, Any]) -> Response | None:
    for kind, status, code in ANSWERS:
        if isinstance(exc, kind):
            # A message quotes what was sent, and half of a surrogate pair, which JSON can spell, fits into no answer.
            data: dict[str, Any] = {"detail": storable(str(exc)), "code": code}
            if isinstance(exc, BookExists):
                data["book"] = exc.book.pk
            return Response(data, status=status)
    if isinstance(exc, ValidationError):
        words = [f"{name}: {' '.join(said)}" for name, said in sorted(exc.message_dict.items())]
        return Response({"detail": storable(" ".join(words)), "code": "invalid"}, status=400)
    if isinstance(exc, Http404):
        return Response({"detail": "There is nothing at this address.", "code": "not-found"}, status=404)
    return with_code(exc, context)
