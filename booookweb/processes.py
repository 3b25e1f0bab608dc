"""The two processes that `manage.py up` starts: web server and worker.

Each watches a pipe that its parent holds open. When the parent is gone, however it ended, the pipe closes and the
process ends itself, so that killing `up` leaves nothing running.
"""

import os
import signal
import sys
import threading
import time
import warnings

#: Time that a process whose parent is gone gets to stop by itself.
GRACE_SECONDS = 5


def end_with_parent(pipe: int) -> None:
    """End this process once the other end of `pipe` (a file descriptor) is closed. Returns at once."""

    def watch() -> None:
        while os.read(pipe, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="end-with-parent").start()


def run_web(host: str, port: int) -> None:
    import waitress

    from booookweb.wsgi import application

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    waitress.serve(application, host=host, port=port, threads=8, ident=None)


def run_worker() -> None:
    from celery.exceptions import SecurityWarning

    from booookweb.celery import app

    # Celery warns root about unpickling messages; this project's messages are JSON only.
    warnings.simplefilter("ignore", SecurityWarning)
    app.worker_main(["--quiet", "worker", "--loglevel=warning", "--without-mingle", "--without-gossip"])


def main(arguments: list[str]) -> None:
    """`web PIPE HOST PORT` or `worker PIPE`."""
    # Ctrl-C in the terminal reaches the whole group; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "booookweb.settings")
    kind, pipe, *rest = arguments
    end_with_parent(int(pipe))
    if kind == "web":
        run_web(rest[0], int(rest[1]))
    else:
        run_worker()


if __name__ == "__main__":
    main(sys.argv[1:])
