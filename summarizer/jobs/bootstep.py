"""What every Celery worker of the project runs beside its tasks, and how it stops."""

from typing import Any

from celery import bootsteps, signals


class JobsStep(bootsteps.StartStopStep):
    """Runs the sweep and the watch over batches; when the worker is told to stop, lets the engine make no new call.

    Celery says so in the moment of the signal, seconds before its loop ends and its pool waits for the tasks: those end
    once the calls in flight have been recorded, and their items go back to the queue. Without it a stop would wait for
    whole books.
    """

    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        from summarizer.batches.watching import watch
        from summarizer.jobs.sweep import Rounds, sweep

        self._rounds = (Rounds(sweep, "sweep"), Rounds(watch, "watch"))
        for rounds in self._rounds:
            rounds.start()
        signals.worker_shutting_down.connect(self._make_no_new_call, weak=False)

    def close(self, worker: Any) -> None:
        for rounds in self._rounds:
            rounds.stop()
        self._make_no_new_call()

    def stop(self, worker: Any) -> None:
        """The worker takes no message any more: wake others for what it gives back."""
        from django.conf import settings

        from summarizer.engine.loop import wait_until_idle
        from summarizer.jobs import queue

        wait_until_idle(settings.WORKER_STOP_SECONDS + 1)
        queue.send_held()

    terminate = stop  # type: ignore[assignment]

    def _make_no_new_call(self, **_: Any) -> None:
        from django.conf import settings

        from summarizer.engine.loop import stop_engine
        from summarizer.jobs import queue

        queue.hold()
        stop_engine(settings.WORKER_STOP_SECONDS)
