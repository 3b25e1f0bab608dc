"""A hierarchical book of which a question fails while later chunks are under way: a retry asks only what is missing."""

from collections import Counter

import pytest

from summarizer.jobs.services import retry_job
from summarizer.models import Summary
from summarizer.services.launch import launch_summaries
from summarizer.services.systems import SystemParameters
from tests.llm_server import NAMED, LLMServer, Request, Scripted
from tests.summarizer.launching.conftest import run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("refused", ["level 0, chunk 1 of 28", "level 1, merge 1"])
def test_the_last_chunk_is_brought_to_its_end_when_the_book_fails_before_it(
    llm_server: LLMServer, make_book, parameters: SystemParameters, refused: str
) -> None:
    """The last chunk is cut off at 81 words, the first that it is asked for, and answered at the second try."""
    job = launch_summaries(parameters=parameters, books=[make_book(sentences=300)])
    refuses = True

    def is_refused(request: Request) -> bool:
        is_merge = "You join several of these summaries" in request.prompt
        return (
            is_merge if refused.startswith("level 1") else "Mill begins. On day 0 " in request.prompt and not is_merge
        )

    def rule(request: Request) -> Scripted | None:
        if refuses and is_refused(request):
            return NAMED["refusal"]()
        if "On day 299 " in request.prompt and "81 words" in request.prompt:
            return NAMED["length"]()
        return None

    llm_server.script(rule)
    run(job)
    item = job.items.get()
    assert (item.state, item.error_kind, item.step) == ("failed", "refused", refused)
    refuses = False
    retry_job(job=job)
    run(job)
    assert job.items.get().state == "done"
    assert Summary.objects.count() == 1
    asked_twice = [prompt for prompt, count in Counter(llm_server.prompts).items() if count > 1]
    assert len(asked_twice) == 1
    assert "On day 299 " not in asked_twice[0]
