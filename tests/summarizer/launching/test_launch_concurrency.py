"""Two people launch at one instant."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from summarizer.models import Book, Job, PromptSet, System
from summarizer.services import launch, systems
from summarizer.services.launch import LaunchRefused, launch_summaries
from summarizer.services.systems import SystemParameters, system_for

pytestmark = pytest.mark.django_db(transaction=True)


def together(*works: Callable[[], Any]) -> list[Any]:
    """What each returned or raised, in threads of their own."""

    def run(work: Callable[[], Any]) -> Any:
        try:
            return work()
        except LaunchRefused as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


def meet_after(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    """Both threads have done `name` once before either goes on (or one waits for a lock that the other holds)."""
    barrier = threading.Barrier(2)
    done = getattr(module, name)

    def wait(*arguments: Any, **values: Any) -> Any:
        result = done(*arguments, **values)
        with suppress(threading.BrokenBarrierError):
            barrier.wait(5)
        return result

    monkeypatch.setattr(module, name, wait)


def test_two_prompt_sets_with_the_same_used_files_make_one_system(
    parameters: SystemParameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sets have other names and differ in a file that summarizing does not use."""
    files = {**parameters.prompt_set.files, "get_annotations.txt": "Another {summary} {sentence}"}
    other = PromptSet.objects.create(name="mine", content_sha256="0" * 64, placeholders="named", files=files)
    meet_after(monkeypatch, systems, "free_name")
    both = together(
        lambda: system_for(parameters=parameters),
        lambda: system_for(parameters=replace(parameters, prompt_set=other)),
    )
    assert both[0] == both[1] == System.objects.get()


def test_of_two_launches_of_one_summary_one_is_refused(
    book: Book, parameters: SystemParameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    meet_after(monkeypatch, launch, "plan_launch")
    both = together(*[lambda: launch_summaries(parameters=parameters, books=[book])] * 2)
    job = Job.objects.get()
    (refused,) = (each for each in both if isinstance(each, LaunchRefused))
    assert str(refused) == f"The Mill: Job {job.pk} is making this summary already."
