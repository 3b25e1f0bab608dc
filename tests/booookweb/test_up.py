"""`manage.py up`: web server and worker start together and end together, however it ends."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.running import PROJECT, RunningSystem, running_system
from tests.services import free_port

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"), pytest.mark.long]


def children_of(process: subprocess.Popen[bytes]) -> dict[str, int]:
    """Process ids of the web server and the worker under `up`, by name."""
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            words = (folder / "cmdline").read_bytes().decode().split("\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == process.pid and "booookweb.processes" in words:
            found[words[words.index("booookweb.processes") + 1]] = int(folder.name)
    return found


def is_running(process_id: int) -> bool:
    try:
        state = Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_ended(process_ids: list[int], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while any(map(is_running, process_ids)):
        assert time.monotonic() < deadline, f"still running after {seconds} s: {process_ids}"
        time.sleep(0.1)


def started(system: RunningSystem) -> tuple[subprocess.Popen[bytes], dict[str, int]]:
    assert system.process is not None
    children = children_of(system.process)
    assert set(children) == {"web", "worker"}
    return system.process, children


def test_interrupt_ends_both_in_seconds(tmp_path: Path) -> None:
    with running_system(tmp_path) as system:
        process, children = started(system)
        process.send_signal(signal.SIGINT)
        assert process.wait(15) == 0
        wait_until_ended(list(children.values()), 1)


def test_killing_up_leaves_nothing_running(tmp_path: Path) -> None:
    with running_system(tmp_path) as system:
        process, children = started(system)
        process.kill()
        wait_until_ended(list(children.values()), 15)


@pytest.mark.parametrize(("ended", "words"), [("web", "The web server ended"), ("worker", "The worker ended")])
def test_either_ending_ends_the_other_with_a_reason(tmp_path: Path, ended: str, words: str) -> None:
    with running_system(tmp_path) as system:
        process, children = started(system)
        os.kill(children[ended], signal.SIGKILL)
        assert process.wait(20) == 1
        wait_until_ended(list(children.values()), 1)
        assert words in system.log.read_text()
        assert "Traceback" not in system.log.read_text()


def up(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "up", *arguments],
        cwd=PROJECT,
        env={**os.environ, "BOOOOKWEB_VAR": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_taken_port_is_one_clear_line(tmp_path: Path) -> None:
    with socket.socket() as other:
        port = free_port()
        other.bind(("127.0.0.1", port))
        other.listen()
        result = up(tmp_path, "--port", str(port))
    assert result.returncode == 1
    assert result.stderr.strip().startswith(f"CommandError: Port {port} is taken")
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_port_that_is_none_is_one_clear_line(tmp_path: Path) -> None:
    result = up(tmp_path, "--port", "70000")
    assert result.returncode == 1
    assert "70000 is not a port" in result.stderr
