"""Start the web server and one worker, and end both together."""

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.request import urlopen

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

START_SECONDS = 60
STOP_SECONDS = 8


class Command(BaseCommand):
    help = "Prepare the database, then run the web server and one worker until Ctrl-C."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--demo", action="store_true", help="add the demo data where it is not there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        _check_port(host, port)
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        logins = _demo_logins() if options["demo"] else ""
        pair = Pair(host, port)
        signal.signal(signal.SIGTERM, _interrupt)
        signal.signal(signal.SIGINT, _interrupt)
        try:
            pair.start()
            self.stdout.write(f"{logins}\nBooook Web runs at {pair.address} - Ctrl-C stops it.")
            self.stdout.flush()
            ended = pair.wait()
        except KeyboardInterrupt:
            self.stdout.write("Stopping.")
            return
        finally:
            pair.stop()
        raise CommandError(ended)


class Pair:
    """Web server and worker as children of this process."""

    def __init__(self, host: str, port: int) -> None:
        reachable = "127.0.0.1" if host == "0.0.0.0" else f"[{host}]" if ":" in host else host  # noqa: S104 - compared only
        self.address = f"http://{reachable}:{port}"
        self._arguments = {"web": [host, str(port)], "worker": []}
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._pipe_ends: list[int] = []

    def start(self) -> None:
        """Start both and wait until the web server answers. Raises CommandError if one of them does not come up."""
        for kind, arguments in self._arguments.items():
            child_end, own_end = os.pipe()
            self._pipe_ends.append(own_end)
            self._children[kind] = subprocess.Popen(
                [sys.executable, "-m", "booookweb.processes", kind, str(child_end), *arguments],
                pass_fds=[child_end],
                cwd=settings.BASE_DIR,
            )
            os.close(child_end)
        deadline = time.monotonic() + START_SECONDS
        while not _answers(f"{self.address}/health/"):
            if ended := self._ended():
                raise CommandError(ended)
            if time.monotonic() > deadline:
                raise CommandError(f"The web server did not answer within {START_SECONDS} seconds.")
            time.sleep(0.1)

    def wait(self) -> str:
        """Block until one of the two ends; returns which and how."""
        while not (ended := self._ended()):
            time.sleep(0.3)
        return ended

    def stop(self) -> None:
        """End both: ask, and after `STOP_SECONDS` insist."""
        for child in self._children.values():
            child.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for child in self._children.values():
            try:
                child.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def _ended(self) -> str:
        for kind, child in self._children.items():
            if (code := child.poll()) is not None:
                name = {"web": "web server", "worker": "worker"}[kind]
                return f"The {name} ended (exit code {code}), so everything was stopped. Its reason stands above."
        return ""


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _check_port(host: str, port: int) -> None:
    if not 0 < port < 65536:
        raise CommandError(f"{port} is not a port. Take a number from 1 to 65535.")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise CommandError(
                    f"Port {port} is taken: something else, or another Booook Web, listens there. "
                    f"Stop it, or take another port: make run PORT={port + 1 if port < 65535 else 8000}"
                ) from None
            raise CommandError(f"Can't listen on {host}:{port}: {error.strerror or error}.") from None


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=2) as response:  # noqa: S310 - our own address on this machine
            return bool(response.status == 200)
    except OSError:
        return False


def _demo_logins() -> str:
    from booookweb.demo import add_demo

    logins = add_demo()
    lines = [f"  {login['role']:<11} {login['name']:<14} {login['password']}" for login in logins]
    return "\n".join(["", f"Logins (also in {_shortest(settings.VAR_DIR / 'logins.json')}):", *lines])


def _shortest(path: Path) -> str:
    """A path below the current folder without that folder, any other in full."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
