"""Keys of launches: a launch that is sent twice makes one job, and a key that names another one already is refused."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Model

from summarizer.jobs.errors import JobError
from summarizer.models import Job, LaunchRequest


class KeyTaken(JobError):
    """The key named a launch of something else, or of somebody else."""

    def __init__(self, job: Job) -> None:
        super().__init__(
            f"This key launched job {job.pk} already, with something else in it, so nothing was launched now. A new "
            "job needs a new key: a program makes one, a page has one when it is loaded again."
        )


@dataclass(frozen=True, slots=True)
class LaunchKey:
    """What names a launch, made by whoever sends it, with a digest of what it asks for.

    The digest is over what was sent, not over what came of it: sections, prices and studies may change before the same
    launch is sent again.
    """

    key: UUID
    asked_sha256: str

    @classmethod
    def of(cls, key: UUID, asked: Mapping[str, Any]) -> Self:
        """`asked`: values by name; rows count by their ids, lists as sets, and what is empty as not asked for."""
        plain = {name: _plain(value) for name, value in asked.items() if value not in (None, "", [])}
        return cls(key, hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest())


def launched_with(launch_key: LaunchKey | None, by: AbstractBaseUser | None) -> Job | None:
    """The job that this very launch made before. Raises `KeyTaken`."""
    if launch_key is None:
        return None
    request = LaunchRequest.objects.select_related("job").filter(key=launch_key.key).first()
    if request is None:
        if job := Job.objects.filter(client_key=launch_key.key).first():
            raise KeyTaken(job)  # it was launched before requests were kept
        return None
    if (request.asked_sha256, request.launched_by_id) != (launch_key.asked_sha256, by.pk if by else None):
        raise KeyTaken(request.job)
    return request.job


def note_launch(launch_key: LaunchKey | None, job: Job, by: AbstractBaseUser | None) -> None:
    """Remember what the job was launched with. Raises `KeyTaken` where another launch with this key was quicker."""
    if launch_key is None:
        return
    try:
        with transaction.atomic():
            LaunchRequest.objects.create(
                key=launch_key.key,
                asked_sha256=launch_key.asked_sha256,
                job=job,
                launched_by=by,  # type: ignore[misc]
            )
    except IntegrityError:
        raise KeyTaken(LaunchRequest.objects.select_related("job").get(key=launch_key.key).job) from None


def _plain(value: Any) -> Any:
    if isinstance(value, Model):
        return value.pk
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return sorted({_plain(each) for each in value})
