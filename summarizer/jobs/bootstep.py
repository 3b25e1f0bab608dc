"""What every Celery worker of the project runs beside its tasks, and how it stops."""

from typing import Any

from celery import bootsteps


class JobsStep(bootsteps.StartStopStep):
    """Runs the sweep; when the worker is told to stop, lets the engine make no new call.

    `close` comes before the pool waits for its tasks: those end once the calls in flight have been recorded, and their
    items go back to the queue. Without it a stop would wait for whole books.
    """

    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        from summarizer.jobs.sweep import Sweep

        self._sweep = Sweep()
        self._sweep.start()

    def close(self, worker: Any) -> None:
        from django.conf import settings

        from summarizer.engine.loop import stop_engine

        self._sweep.stop()
        stop_engine(settings.WORKER_STOP_SECONDS)

    def stop(self, worker: Any) -> None:
        """Nothing is left to do after `close`."""

    def terminate(self, worker: Any) -> None:
        """As `stop`."""
