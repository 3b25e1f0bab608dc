"""One object of each kind, and for each route the arguments that point at them.

A new route is picked up by itself where its arguments have the usual names; otherwise add them to `_OBJECTS`.
"""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotation.access import annotator_of
from annotation.faithfulness.plans import create_plan
from annotation.judge.services import judge_for
from annotation.models import (
    Annotation,
    Annotator,
    Assignment,
    ComparisonRound,
    GuidelinesVersion,
    KnownSummary,
    ReviewItem,
    Study,
    StudyMember,
    Unblinding,
)
from annotation.release.marks import PLACE_BY_HAND
from annotation.services.invitations import make_invitation
from booookweb.models import User
from scoring.charts.registry import CHARTS
from scoring.models import Report, StudyExport
from summarizer.models import Book, Endpoint, Job, JobItem, Section, Summary
from summarizer.services.endpoints import endpoint_named
from summarizer.services.prompt_sets import load_prompt_set
from summarizer.services.references import add_reference
from tests.factories import (
    make_annotator,
    make_coarse_task,
    make_compare_task,
    make_fine_task,
    make_marks,
    make_summary,
    make_user,
)


@dataclass(frozen=True)
class Route:
    name: str
    arguments: tuple[str, ...]

    @property
    def is_api(self) -> bool:
        return "-api:" in self.name


@dataclass(frozen=True)
class World:
    """An unblinded study with a person's and a judge's marks on its one summary, and a judge's job."""

    study: Study
    summary: Summary
    book: Book
    endpoint: Endpoint
    job: Job
    judge: Annotator
    item: ReviewItem
    person: User

    def address(self, route: Route, owner: User) -> str:
        """The address of a route; tasks are the owner's."""
        return reverse(route.name, kwargs={name: self._argument(route, name, owner) for name in route.arguments})

    def _argument(self, route: Route, name: str, owner: User) -> object:
        short_name = route.name.split(":")[-1]
        if name == "key" and route.name.startswith(("annotation:", "annotation-api:")):
            return self.task_key(route, owner)
        if name == "pk":
            return self._OBJECTS[short_name.split("-")[0]](self).pk
        return self._OBJECTS[name](self)

    _OBJECTS = {
        "slug": lambda world: world.study.name,
        "study": lambda world: world.study.name,
        "book": lambda world: world.book,
        "endpoint": lambda world: world.endpoint,
        "job": lambda world: world.job,
        "person": lambda world: world.person,
        "prompt": lambda world: load_prompt_set("default"),
        "system": lambda world: world.summary.system,
        "api_token": lambda world: 1,
        "summary": lambda world: world.summary,
        "index": lambda world: 0,
        "number": lambda world: GuidelinesVersion.objects.get_or_create(study=world.study, number=1)[0].number,
        "key": lambda world: next(iter(CHARTS)),
        "mark": lambda world: mark_to_place_of(world.study),
        "known": lambda world: known_summary_of(world.study).pk,
        "form": lambda world: "csv",
        "version": lambda world: frozen_report_of(world.study).number,
        "reference": lambda world: add_reference(book=world.book, text="A reference.")[0].pk,
        "group": lambda world: "dashboard",
        "table": lambda world: "systems",
        "comparison": lambda world: world.study.comparison_rounds.get(),
        "slot": lambda world: "detail",
        "position": lambda world: 0,
        "rated": lambda world: uuid.uuid4(),
        "export": lambda world: StudyExport.objects.create(study=world.study, form="jsonl", state="done", size=0).pk,
        "token": lambda world: make_invitation(
            study=world.study, expires_at=timezone.now() + timedelta(days=1), maximum_uses=9
        )[1],
        "item": lambda world: world.item.key,
        "client_key": lambda world: world.item.annotation.client_key,
    }

    def task_key(self, route: Route, owner: User) -> uuid.UUID:
        kinds = {"review": "review", "compar": "compare", "fine": "fine", "qualification": "fine", "coarse": "coarse"}
        return self.task_of(owner, next((task for part, task in kinds.items() if part in route.name), "annotate")).key

    def task_of(self, owner: User, task: str) -> Assignment:
        """A task of this person in another study, so that it makes nobody blind to `study`."""
        existing = Assignment.objects.filter(annotator__user=owner, task=task).first()
        return existing or make_task(owner, task, make_study(make_summary()))


def make_world() -> World:
    summary = make_summary()
    book = summary.book
    Section.objects.create(book=book, index=0, title="One", start=0, end=0)
    judge = judge_for(
        endpoint=endpoint_named("rules"),
        prompt_set=load_prompt_set("default"),
        mode="sentence",
        temperature=0.0,
        repeat=1,
    )
    study = make_study(summary, phase="reviewing")
    study.judges.add(judge)
    person = make_annotator()
    StudyMember.objects.create(study=study, annotator=person, reviews=False)
    make_marks(summary, person, study=study)
    mark = make_marks(summary, judge, questions="Who is the sentinel?").annotations.get()
    job = Job.objects.create(kind="judge", endpoint=judge.endpoint, parameters={"judge": judge.pk})
    JobItem.objects.create(job=job, index=0, summary=summary, state="done")
    item = ReviewItem.objects.create(key=uuid.uuid4(), study=study, annotation=mark, order=0)
    ComparisonRound.objects.create(study=study, name="formal")
    create_plan(study=study)
    endpoint = Endpoint.objects.create(name="some-llm", base_url="http://127.0.0.1:9/v1", model="m")
    Unblinding.objects.create(study=study, reason="Every page of a study is open.")
    return World(study, summary, book, endpoint, job, judge, item, make_user())


def mark_to_place_of(study: Study) -> Annotation:
    mark = Annotation.objects.filter(annotation_set__study=study).order_by("pk")[0]
    mark.flags = [PLACE_BY_HAND]
    mark.save()
    return mark


def frozen_report_of(study: Study) -> Report:
    """Its first one."""
    return Report.objects.filter(study=study).first() or Report.objects.create(
        study=study, number=1, note="sentinel", content=json.dumps(EMPTY_REPORT), created_at=timezone.now()
    )


EMPTY_REPORT = {"title": "sentinel", "at": "2026-05-01T12:00:00+00:00", "sections": [], "charts": {}, "facts": []}


def known_summary_of(study: Study) -> KnownSummary:
    known = KnownSummary.objects.filter(study=study, purpose="check").first()
    return known or KnownSummary.objects.create(study=study, summary=make_summary(title="The Ford"), purpose="check")


def make_study(summary: Summary, phase: str = "annotating") -> Study:
    study = Study.objects.create(name=f"study-{summary.pk}", title="A study", phase=phase)
    study.summaries.add(summary)
    return study


def make_task(owner: User, task: str, study: Study) -> Assignment:
    others = {"compare": make_compare_task, "fine": make_fine_task, "coarse": make_coarse_task}
    if task in others:
        return others[task](annotator=annotator_of(owner))
    Study.objects.filter(pk=study.pk).update(phase="reviewing" if task == "review" else "annotating")
    return Assignment.objects.create(
        key=uuid.uuid4(), study=study, summary=study.summaries.get(), annotator=annotator_of(owner), task=task
    )


def all_routes() -> list[Route]:
    """Every route of the URLconf, by name."""
    return sorted(set(_walk(get_resolver(), "")), key=lambda route: route.name)


def _walk(resolver: URLResolver, prefix: str) -> Iterator[Route]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            yield from _walk(entry, f"{prefix}{entry.namespace}:" if entry.namespace else prefix)
        elif isinstance(entry, URLPattern):
            yield Route(f"{prefix}{entry.name}", tuple(entry.pattern.converters))
