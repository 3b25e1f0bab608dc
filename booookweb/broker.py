"""Celery's file-system transport, made safe to use from several processes.

The transport of kombu lets a message be seen before it is written: a worker that looks at the wrong moment finds an
empty file, and ends with "Unrecoverable error" (measured: 4 % of the messages of a burst). Here files are written
under another name and then renamed, and a message belongs to the worker whose rename succeeds.
"""

import os
import time
import uuid
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.transport.virtual import BrokerState
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

#: The scheme of the broker's address.
SCHEME = "files"


class Channel(filesystem.Channel):
    """Messages are files `TIME_ID.QUEUE.msg`; one that is being written or read has another ending."""

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        name = f"{time.time_ns()}_{uuid.uuid4()}.{queue}"
        _write_at_once(folder / f"{name}.msg", str_to_bytes(dumps(payload)))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for name in sorted(os.listdir(folder)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = folder / f"{name}.taken"
            try:
                (folder / name).rename(taken)
            except FileNotFoundError:
                continue  # another worker was quicker
            payload = taken.read_bytes()
            taken.unlink()
            return loads(bytes_to_str(payload))
        raise Empty

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None) -> None:
        """Keep which queues an exchange feeds. Written whole, so that no reader sees half of it."""
        file = Path(self.control_folder) / f"{exchange}.exchange"
        bound = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        table = self.get_table(exchange)
        if bound not in table:
            _write_at_once(file, str_to_bytes(dumps([bound, *table])))


class Transport(filesystem.Transport):
    Channel = Channel

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        # What is bound stands in the folder, not in a state that all connections of the process share: another folder,
        # or one that was emptied, would get no binding, and messages without a binding are dropped.
        self.state = BrokerState()


def _write_at_once(path: Path, content: bytes) -> None:
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4()}.unfinished")
    unfinished.write_bytes(content)
    unfinished.replace(path)


def folder_options(folder: Path) -> dict[str, Any]:
    """The options of a broker that keeps its messages in `folder`, which is made if it is not there.

    One folder both ways: what the web process sends, the worker receives.
    """
    for name in ("messages", "control"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(folder / "messages"),
        "data_folder_out": str(folder / "messages"),
        "control_folder": str(folder / "control"),
        "polling_interval": 0.2,
    }


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
