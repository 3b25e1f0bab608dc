"""What the engine is measured against: the official client alone, and a scripted server in a process of its own."""

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from openai import AsyncOpenAI, DefaultAioHttpClient

from tests.services import free_port
from tests.workers import PROJECT

LATENCY = 0.1


@contextlib.contextmanager
def scripted_server() -> Iterator[str]:
    """A scripted server that takes 100 ms for each answer; yields its base URL."""
    port = free_port()
    command = [sys.executable, "-m", "tests.llm_server", "--port", str(port), "--latency", str(LATENCY)]
    process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(10)


def seconds_of_bare_client(base_url: str, prompts: Sequence[str], concurrency: int, max_tokens: int) -> float:
    """Wall time of the official client for all prompts, with so many requests in flight."""

    async def main() -> float:
        client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0, http_client=DefaultAioHttpClient())
        in_flight = asyncio.Semaphore(concurrency)

        async def ask(prompt: str) -> str:
            async with in_flight:
                answer = await client.chat.completions.create(
                    model="test-1",
                    messages=[{"role": "user", "content": prompt}],
                    max_tokens=max_tokens,
                    temperature=0.5,
                )
            return answer.choices[0].message.content or ""

        try:
            await ask(prompts[0])  # connected, imported, warm
            start = time.perf_counter()
            answers = await asyncio.gather(*(ask(prompt) for prompt in prompts))
            seconds = time.perf_counter() - start
        finally:
            await client.close()
        assert all(answers)
        return seconds

    return asyncio.run(main())
