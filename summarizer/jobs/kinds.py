"""Kinds of jobs. An app registers its own (in `AppConfig.ready`), so the runner needs to know none of them."""

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from summarizer.models import JobItem
    from summarizer.strategies.base import Strategy


class JobKind(Protocol):
    """What the runner must know about a kind of job."""

    name: str
    #: Template with the kind's own part of the job page.
    result_template: str

    def strategy(self, item: "JobItem") -> "Strategy[Any]":
        """The pure strategy of one item, made from what the database holds."""
        ...

    def save(self, item: "JobItem", result: Any) -> None:
        """Store the result. Runs inside the transaction that marks the item done."""
        ...


_kinds: dict[str, JobKind] = {}


def register(kind: JobKind) -> None:
    _kinds[kind.name] = kind


def job_kind(name: str) -> JobKind:
    """Raises KeyError for a kind that no installed app registered."""
    return _kinds[name]
