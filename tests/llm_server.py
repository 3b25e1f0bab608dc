"""A scripted server that speaks the OpenAI chat-completions protocol over real HTTP and counts what it is asked.

In a test:                      with LLMServer() as server: server.base_url, server.calls, server.script(...)
By hand, or as a subprocess:    python tests/llm_server.py --port 8199 [--latency 0.1] [--scripted 429,500,empty]
                                GET /scripted  -> {"calls", "open", "highest_open", "batches"}
                                POST /scripted {"next": ["429"]}
                                It takes batches too (`tests.batch_api`): server.batches.done_after = 3

What is put in the queue (`then`) is used up first, in order; after it the rule (`script`) answers, and what the rule
leaves out (None) is answered plausibly, see `plausible_answer`.
"""

import argparse
import asyncio
import hashlib
import json
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

# By hand this file is run from anywhere.
sys.path.append(str(Path(__file__).resolve().parent.parent))
from tests.batch_api import BatchAPI
from tests.judge_answers import about_each


@dataclass(frozen=True)
class Request:
    """A request as it came in. `at` and `answered` are seconds of the monotonic clock."""

    number: int
    prompt: str
    body: dict[str, Any]
    headers: dict[str, str]
    at: float

    @property
    def max_tokens(self) -> int:
        return int(self.body.get("max_completion_tokens") or self.body.get("max_tokens") or 1_000)


@dataclass(frozen=True)
class Scripted:
    """What to do with a request: wait, then answer with this status and body, or break the connection."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    #: Raw bytes in place of a JSON body.
    raw: bytes | None = None
    wait: float = 0.0
    drop: bool = False


Rule = Callable[[Request], "Scripted | str | None"]


def completion(
    text: str | None, *, finish_reason: str = "stop", usage: dict[str, Any] | None = None, refusal: str | None = None
) -> Scripted:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return Scripted(
        body={"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}], "usage": usage}
    )


def error(status: int, code: str, message: str, param: str | None = None, **headers: str) -> Scripted:
    body = {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}
    return Scripted(
        status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def rate_limited(retry_after: float | None = None) -> Scripted:
    headers = {} if retry_after is None else {"retry_after": f"{retry_after:g}"}
    return error(429, "rate_limit_exceeded", "Rate limit reached. Slow down.", **headers)


def unsupported(parameter: str) -> Scripted:
    return error(400, "unsupported_parameter", f"Unsupported parameter: '{parameter}'.", parameter)


def dropped() -> Scripted:
    return Scripted(drop=True)


def hanging(seconds: float = 60.0) -> Scripted:
    return Scripted(wait=seconds, drop=True)


#: Named answers, for the command line and for `then("429", ...)`.
NAMED: dict[str, Callable[[], Scripted]] = {
    "429": rate_limited,
    "429-retry-after": lambda: rate_limited(1),
    "500": lambda: error(500, "server_error", "The server had an error."),
    "503": lambda: error(503, "overloaded", "The server is overloaded."),
    "401": lambda: error(401, "invalid_api_key", "Incorrect API key provided."),
    "404": lambda: error(404, "model_not_found", "The model does not exist."),
    "quota": lambda: error(429, "insufficient_quota", "You exceeded your current quota."),
    "context": lambda: error(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."),
    "no-max-tokens": lambda: unsupported("max_tokens"),
    "no-response-format": lambda: unsupported("response_format"),
    "no-temperature": lambda: error(
        400,
        "unsupported_value",
        "'temperature' does not support 0.5. Only the default (1) is supported.",
        "temperature",
    ),
    "drop": dropped,
    "hang": hanging,
    "cut": lambda: Scripted(raw=b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Emma lea'),
    "html": lambda: Scripted(raw=b"<html><body>It works!</body></html>"),
    "null": lambda: completion(None),
    "null-filter": lambda: completion(None, finish_reason="content_filter"),
    "null-length": lambda: completion(None, finish_reason="length"),
    "empty": lambda: completion(""),
    "refusal": lambda: completion(None, refusal="I can't help with that."),
    "no-choices": lambda: Scripted(body={"choices": []}),
    "length": lambda: completion("Emma leaves and Rolf", finish_reason="length"),
}


class LLMServer:
    """Runs in a thread of its own, on a free port of the loopback."""

    def __init__(self, *, port: int = 0, latency: float = 0.0) -> None:
        self.port = port
        #: Seconds that every plausible answer takes.
        self.latency = latency
        #: Parameters that are refused, as newer models do: {"max_tokens", "temperature", "response_format"}.
        self.refused: set[str] = set()
        self.requests: list[Request] = []
        #: What GET brings, by path: {"/v1/models": {"data": [{"id": "test-1"}]}}; nothing else is there.
        self.pages: dict[str, Any] = {}
        #: Paths that were asked for with GET, and the key that came with each.
        self.looked_up: list[tuple[str, str]] = []
        self.open = 0
        self.highest_open = 0
        #: The Batch API; its lines are answered by the same script and counted in `requests`.
        self.batches = BatchAPI(self._answer_line)
        self._queue: deque[Scripted] = deque()
        self._rule: Rule = lambda request: None
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="llm-server", daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def calls(self) -> int:
        """Requests that came in."""
        return len(self.requests)

    @property
    def prompts(self) -> list[str]:
        return [request.prompt for request in list(self.requests)]

    def script(self, rule: Rule) -> None:
        """Answer by `rule` from now on: a text, a `Scripted`, or None for the plausible answer."""
        self._rule = rule

    def then(self, *answers: Scripted | str) -> None:
        """Answer the next requests with these, in order; a string is the name of one in `NAMED`."""
        with self._lock:
            self._queue.extend(NAMED[answer]() if isinstance(answer, str) else answer for answer in answers)

    def wait_for_calls(self, number: int, seconds: float = 20.0) -> None:
        """Block until `number` requests have come in. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while self.calls < number:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.calls} calls after {seconds} seconds, not {number}")
            time.sleep(0.01)

    def __enter__(self) -> "LLMServer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the scripted server did not start")

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        unanswered = asyncio.all_tasks(self._loop)
        for task in unanswered:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*unanswered, return_exceptions=True))
        self._loop.close()

    async def _serve(self) -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._complete)
        self.batches.add_routes(app.router)
        app.router.add_get("/scripted", self._status)
        app.router.add_post("/scripted", self._take_script)
        app.router.add_get("/{path:.*}", self._page)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._stopped.wait()
        await runner.cleanup()

    async def _complete(self, http: web.Request) -> web.StreamResponse:
        request = self._taken(await http.json(), dict(http.headers))
        self.open += 1
        self.highest_open = max(self.highest_open, self.open)
        try:
            return await self._answer(http, request, self._scripted(request))
        finally:
            self.open -= 1

    def _taken(self, body: dict[str, Any], headers: dict[str, str]) -> Request:
        prompt = "\n".join(message["content"] for message in body["messages"])
        request = Request(len(self.requests) + 1, prompt, body, headers, time.monotonic())
        self.requests.append(request)
        return request

    def _answer_line(self, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        request = self._taken(body, headers)
        scripted = self._scripted(request)
        if scripted.raw is not None or scripted.drop:
            return 500, {"error": {"message": "The server had an error.", "type": "server_error", "code": None}}
        return scripted.status, self._whole(request, scripted)

    def _scripted(self, request: Request) -> Scripted:
        with self._lock:
            if self._queue:
                return self._queue.popleft()
        for name in sorted(self.refused & set(request.body)):
            if name != "temperature" or request.body[name] != 1:
                return NAMED[f"no-{name.replace('_', '-')}"]()
        answer = self._rule(request)
        if answer is None:
            text, finish_reason = plausible_answer(request)
            return _with_wait(completion(text, finish_reason=finish_reason), self.latency)
        if isinstance(answer, str):
            return _with_wait(completion(answer), self.latency)
        return answer

    async def _answer(self, http: web.Request, request: Request, scripted: Scripted) -> web.StreamResponse:
        if scripted.wait:
            await asyncio.sleep(scripted.wait)
        if scripted.drop and http.transport is not None:
            http.transport.abort()
        if scripted.raw is not None:
            return web.Response(body=scripted.raw, content_type="application/json", status=scripted.status)
        return web.json_response(self._whole(request, scripted), status=scripted.status, headers=scripted.headers)

    def _whole(self, request: Request, scripted: Scripted) -> Any:
        """The body of an answer, with what every chat completion has."""
        body = scripted.body
        if scripted.status == 200 and isinstance(body, dict):
            body = {"id": f"scripted-{request.number}", "object": "chat.completion", "created": 0, **body}
            body["model"] = request.body.get("model", "")
            if body.get("usage") is None:
                body["usage"] = usage(request.prompt, body)
        return body

    async def _page(self, http: web.Request) -> web.Response:
        self.looked_up.append((http.path, http.headers.get("Authorization", "")))
        page = self.pages.get(http.path)
        if isinstance(page, Scripted):
            await asyncio.sleep(page.wait)
            return web.json_response(page.body, status=page.status)
        return web.json_response(page, status=404 if page is None else 200)

    async def _status(self, http: web.Request) -> web.Response:
        return web.json_response(
            {
                "calls": self.calls,
                "open": self.open,
                "highest_open": self.highest_open,
                "batches": len(self.batches.made),
            }
        )

    async def _take_script(self, http: web.Request) -> web.Response:
        wanted = await http.json()
        self.then(*wanted.get("next", []))
        self.latency = wanted.get("latency", self.latency)
        self.refused = set(wanted.get("refused", self.refused))
        return await self._status(http)


def _with_wait(scripted: Scripted, wait: float) -> Scripted:
    return Scripted(body=scripted.body, wait=wait)


def usage(prompt: str, body: dict[str, Any]) -> dict[str, Any]:
    """Token counts that are plausible and can be worked out by hand: words of the prompt, words of the answer."""
    text = body["choices"][0]["message"]["content"] if body.get("choices") else ""
    prompt_tokens, completion_tokens = len(prompt.split()), len((text or "").split())
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def plausible_answer(request: Request) -> tuple[str, str]:
    """Text and finish reason: verdicts for a judge's prompt, else a summary of the wanted length."""
    if "<unit>" in request.prompt:
        return json.dumps({"supported": not is_confusing(judged_unit(request.prompt))}), "stop"
    if '<sentence number="' in request.prompt:
        return about_each(request.prompt, judgement), "stop"
    if re.search(r"^\W*Questions:", request.prompt, re.M) and re.search(r"^\W*Types:", request.prompt, re.M):
        return verdict(judged_sentence(request.prompt)), "stop"
    return summary(request.prompt, request.max_tokens)


def judged_sentence(prompt: str) -> str:
    """The sentence that a judge's prompt asks about: the last in tags, or what follows the last "Sentence:"."""
    found = re.findall(r"<sentence>\s*(.+?)\s*</sentence>", prompt, re.S)
    found = found or re.findall(r"[Ss]entence[^:\n]{0,40}:\s*(.+)", prompt)
    return found[-1].strip() if found else prompt.strip().splitlines()[-1]


def judged_unit(prompt: str) -> str:
    """The unit that a judge's prompt asks about: the last in tags."""
    return re.findall(r"<unit>\n(.+?)\n</unit>", prompt, re.S)[-1]


def is_confusing(sentence: str) -> bool:
    """One sentence in five, always the same ones."""
    return hashlib.sha256(sentence.encode()).digest()[0] % 5 == 0


def verdict(sentence: str) -> str:
    questions, types = judgement(sentence) or ("no confusion", "no confusion")
    return f"Questions: {questions}\nTypes: {types}"


def judgement(sentence: str) -> tuple[str, str] | None:
    """Question and type, or None for a clean sentence."""
    if not is_confusing(sentence):
        return None
    name = (re.findall(r"\b[A-Z][a-z]{2,}\b", sentence) or ["this person"])[-1]
    return f"Who is {name}, and why does it matter here?", "entity omission"


def summary(prompt: str, max_tokens: int) -> tuple[str, str]:
    """Sentences made from the words of the prompt's longest paragraph, well within the words it asks for."""
    limits = [int(number.replace(",", "")) for number in re.findall(r"(\d[\d,]*)(?:\s+|-)words?\b", prompt)]
    wanted = max(8, min((limits[-1] if limits else 200) * 4 // 5, max_tokens // 2))
    words = re.findall(r"[^\W\d_]+(?:'[a-z]+)?", max(prompt.split("\n\n"), key=len)) or ["Nothing"]
    start = int(hashlib.sha256(prompt.encode()).hexdigest(), 16) % len(words)
    chosen = [words[(start + index) % len(words)] for index in range(wanted)]
    sentences = [chosen[index : index + 12] for index in range(0, len(chosen), 12)]
    return " ".join(" ".join([part[0].capitalize(), *part[1:]]) + "." for part in sentences), "stop"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8199)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that an answer takes")
    parser.add_argument("--batch-polls", type=int, default=1, help="looks at a batch until it is done")
    parser.add_argument("--scripted", default="", help=f"first answers, comma-separated: {', '.join(NAMED)}")
    parser.add_argument("--refused", default="", help="parameters that are refused: max_tokens,temperature")
    options = parser.parse_args()
    server = LLMServer(port=options.port, latency=options.latency)
    server.batches.done_after = options.batch_polls
    server.then(*filter(None, options.scripted.split(",")))
    server.refused = set(filter(None, options.refused.split(",")))
    with server:
        print(f"Scripted LLM server at {server.base_url} - Ctrl-C stops it.", flush=True)
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            print(json.dumps({"calls": server.calls, "highest_open": server.highest_open}))


if __name__ == "__main__":
    main()
