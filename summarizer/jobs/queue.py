"""Wake-ups for the workers. A message only says "look at this item": the database holds the truth."""

import logging
from collections.abc import Iterable
from typing import Any

from celery import current_app
from kombu.exceptions import KombuError

logger = logging.getLogger(__name__)

RUN_ITEM = "summarizer.run_item"

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
            current_app.send_task(RUN_ITEM, args=[int(item_id)], retry=False, ignore_result=True)
    except (KombuError, OSError, ValueError) as error:
        logger.warning("No wake-up could be sent (%s); the workers will find the items themselves.", error)


def waiting_messages() -> int:
    """Messages that no worker has taken yet."""
    with current_app.connection_for_read() as connection:
        channel: Any = connection.default_channel
        return int(channel.queue_declare(queue=current_app.conf.task_default_queue).message_count)
