"""Kinds of jobs. An app registers its own (in `AppConfig.ready`), so the runner needs to know none of them."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q

if TYPE_CHECKING:
    from summarizer.models import Job, JobItem
    from summarizer.strategies.base import Strategy


class JobKind(Protocol):
    """What the runner must know about a kind of job."""

    name: str
    #: Template with the kind's own part of the job page.
    result_template: str
    #: Whether a call that the model refuses fails the item. Where it does not, a refusal is an answer like any other.
    refusal_fails: bool

    def same_work(self, parameters: Mapping[str, Any]) -> Q:
        """Items of jobs of this kind that find what a job with these parameters finds, on the same book or summary."""
        ...

    def lock_work(self, job: "Job") -> None:
        """Lock what a launch of the same work locks before it looks at what is there, until the transaction ends."""
        ...

    def strategy(self, item: "JobItem") -> "Strategy[Any]":
        """The pure strategy of one item, made from what the database holds."""
        ...

    def save(self, item: "JobItem", result: Any) -> None:
        """Store the result. Runs inside the transaction that marks the item done."""
        ...


Viewer = AbstractBaseUser | AnonymousUser
#: Ids of summaries of which a person may not know yet what a job found on them.
Hides = Callable[[Viewer], Collection[int]]

_kinds: dict[str, JobKind] = {}
_hides: dict[str, Hides] = {}


def register(kind: JobKind, *, hides: Hides = lambda viewer: ()) -> None:
    """`hides`: for a kind whose tokens and cost tell what it found, the summaries that they are hidden for."""
    _kinds[kind.name] = kind
    _hides[kind.name] = hides


def job_kind(name: str) -> JobKind:
    """Raises KeyError for a kind that no installed app registered."""
    return _kinds[name]


def summaries_hidden_from(viewer: Viewer, kind: str) -> Collection[int]:
    return _hides[kind](viewer)
