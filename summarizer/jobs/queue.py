"""Wake-ups for the workers. A message only says "look at this item": the database holds the truth."""

import logging
from collections.abc import Iterable
from typing import Any

from celery import current_app
from kombu.exceptions import KombuError, OperationalError

logger = logging.getLogger(__name__)

RUN_ITEM = "summarizer.run_item"

#: A connection that broke while it was not used is made anew once; a broker that is away is not waited for.
_ONCE_MORE = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}

#: Messages held back by a worker that is stopping (see `hold`); None while none are.
_held: list[int] | None = None


def hold() -> None:
    """Hold back messages from now on: a worker that is stopping would take them itself."""
    global _held
    _held = _held if _held is not None else []


def send_held() -> None:
    """Send what was held back, and hold back nothing any more."""
    global _held
    held, _held = _held or [], None
    send(held)


def send(item_ids: Iterable[int]) -> None:
    """Send a message for each item.

    A broker that can't be reached is no loss: the workers' sweep finds queued items that have no message.
    """
    if _held is not None:
        _held.extend(item_ids)
        return
    try:
        for item_id in item_ids:
            current_app.send_task(
                RUN_ITEM, args=[int(item_id)], retry=True, retry_policy=_ONCE_MORE, ignore_result=True
            )
    except (KombuError, OSError, ValueError) as error:
        logger.warning("No wake-up could be sent (%s); the workers will find the items themselves.", error)


def waiting_messages() -> int:
    """Messages that no worker has taken yet. Raises `OperationalError` while the broker is away."""
    with current_app.connection_for_read() as connection:
        connection.ensure_connection(max_retries=1, interval_start=0)
        try:
            channel: Any = connection.default_channel
            return int(channel.queue_declare(queue=current_app.conf.task_default_queue).message_count)
        except connection.connection_errors as error:
            raise OperationalError(str(error)) from error
