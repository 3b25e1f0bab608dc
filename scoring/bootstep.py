"""What every Celery worker runs for exports beside its tasks."""

from typing import Any

from celery import bootsteps


class ExportsStep(bootsteps.StartStopStep):
    """A thread that sends again what lost its message or its worker, and deletes what expired."""

    requires = ("celery.worker.components:Pool",)

    def start(self, worker: Any) -> None:
        from scoring.services.export_jobs import sweep_exports
        from summarizer.jobs.sweep import Rounds

        self._rounds = Rounds(sweep_exports, "sweep of exports")
        self._rounds.start()

    def close(self, worker: Any) -> None:
        self._rounds.stop()
