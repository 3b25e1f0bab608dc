"""Celery tasks: wake-ups that take ids and call a service."""

from celery import shared_task

from scoring.services.export_jobs import MAKE_EXPORT, make_export


@shared_task(name=MAKE_EXPORT)
def run_export(export_id: int) -> None:
    make_export(export_id)
