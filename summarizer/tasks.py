"""Celery tasks: wake-ups that take ids and call a service."""

from celery import shared_task

from summarizer.jobs import runner
from summarizer.jobs.queue import RUN_ITEM


@shared_task(name=RUN_ITEM)
def run_item(item_id: int) -> None:
    """Work on a job item. A message that comes twice makes no second call."""
    runner.run_item(item_id)
