"""The Batch API of the scripted server (`tests.llm_server`): files, batches, and what becomes of their lines.

A line is answered by the same script as a request of its own, and counted like one. A batch is done after so many looks
at it; until then its lines are not made, so a test can change the script meanwhile.
"""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

#: Answers one line: the status and the body of its response.
Answer = Callable[[dict[str, Any], dict[str, str]], tuple[int, Any]]


@dataclass
class ScriptedBatch:
    """A batch as the server keeps it; `polls` counts how often it was asked after."""

    id: str
    file_id: str
    metadata: dict[str, str]
    lines: list[dict[str, Any]]
    headers: dict[str, str]
    status: str = "validating"
    created_at: int = field(default_factory=lambda: int(time.time()))
    polls: int = 0
    completed: int = 0
    failed: int = 0
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: list[dict[str, Any]] = field(default_factory=list)

    @property
    def prompts(self) -> list[str]:
        return [line["body"]["messages"][0]["content"] for line in self.lines]

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "errors": {"object": "list", "data": self.errors} if self.errors else None,
            "input_file_id": self.file_id,
            "completion_window": "24h",
            "status": self.status,
            "output_file_id": self.output_file_id,
            "error_file_id": self.error_file_id,
            "created_at": self.created_at,
            "in_progress_at": None,
            "expires_at": self.created_at + 86_400,
            "finalizing_at": None,
            "completed_at": None,
            "failed_at": None,
            "expired_at": None,
            "cancelling_at": None,
            "cancelled_at": None,
            "request_counts": {"total": len(self.lines), "completed": self.completed, "failed": self.failed},
            "metadata": self.metadata or None,
        }


class BatchAPI:
    """What a test scripts, and what the server was asked. Files and batches are kept by id, in the order they came;
    `kept` counts the files."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        #: False: a server without a Batch API.
        self.enabled = True
        #: A batch is done at this look at it.
        self.done_after = 1
        #: How it ends then: "completed", "expired" (with only `made_before_end` lines made) or "failed".
        self.ends_as = "completed"
        self.made_before_end = 0
        #: What a batch that fails is refused for.
        self.errors = [
            {"code": "token_limit_exceeded", "line": None, "message": "Enqueued token limit reached.", "param": None}
        ]
        #: Leaves these lines (by number, from 0) out of both files.
        self.silent: set[int] = set()
        #: Leaves the end of each file of answers out, in the middle of a line.
        self.cut_answers = False
        #: The next answers to requests of a kind: 200, another status, "drop" or "hang". A batch whose answer does not
        #: come is made all the same.
        self.next_uploads: list[int | str] = []
        self.next_creates: list[int | str] = []
        self.next_contents: list[int | str] = []
        self.next_reads: list[int | str] = []
        self.next_deletes: list[int | str] = []
        self.files: dict[str, bytes] = {}
        #: Of those that were uploaded.
        self.names: dict[str, str] = {}
        self.batches: dict[str, ScriptedBatch] = {}
        self.kept = 0
        self.deleted: list[str] = []
        self.uploads = 0
        self.cancels = 0
        self.lists = 0

    @property
    def made(self) -> list[ScriptedBatch]:
        return list(self.batches.values())

    def add_routes(self, router: web.UrlDispatcher) -> None:
        router.add_post("/v1/files", self._upload)
        router.add_get("/v1/files", self._list_files)
        router.add_get("/v1/files/{id}/content", self._content)
        router.add_delete("/v1/files/{id}", self._delete)
        router.add_post("/v1/batches", self._create)
        router.add_get("/v1/batches", self._list)
        router.add_get("/v1/batches/{id}", self._read)
        router.add_post("/v1/batches/{id}/cancel", self._cancel)

    async def _upload(self, http: web.Request) -> web.StreamResponse:
        if not self.enabled:
            return _error(404, "Invalid URL (POST /v1/files)")
        self.uploads += 1
        if failed := await _scripted(http, self.next_uploads):
            return failed
        form = await http.post()
        upload = form["file"]
        if form.get("purpose") != "batch" or not isinstance(upload, web.FileField):
            return _error(400, "'purpose' must be batch and 'file' a file.")
        content = upload.file.read()
        file_id = self._keep(content)
        self.names[file_id] = upload.filename
        return web.json_response(self._file(file_id))

    async def _list_files(self, http: web.Request) -> web.StreamResponse:
        """All on one page, the newest first."""
        files = [self._file(file_id) for file_id in reversed(self.files) if file_id in self.names]
        return web.json_response({"object": "list", "data": files, "has_more": False})

    def _file(self, file_id: str) -> dict[str, Any]:
        return {
            "id": file_id,
            "object": "file",
            "bytes": len(self.files[file_id]),
            "created_at": int(time.time()),
            "filename": self.names[file_id],
            "purpose": "batch",
            "status": "processed",
        }

    async def _content(self, http: web.Request) -> web.StreamResponse:
        if failed := await _scripted(http, self.next_contents):
            return failed
        content = self.files.get(http.match_info["id"])
        if content is None:
            return _error(404, "No such File object.")
        return web.Response(body=content, content_type="application/octet-stream")

    async def _delete(self, http: web.Request) -> web.StreamResponse:
        if failed := await _scripted(http, self.next_deletes):
            return failed
        file_id = http.match_info["id"]
        if self.files.pop(file_id, None) is None:
            return _error(404, "No such File object.")
        self.deleted.append(file_id)
        return web.json_response({"id": file_id, "object": "file", "deleted": True})

    async def _create(self, http: web.Request) -> web.StreamResponse:
        asked = await http.json()
        if (
            self.next_creates
            and isinstance(self.next_creates[0], int)
            and (failed := await _scripted(http, self.next_creates))
        ):
            return failed
        content = self.files.get(asked["input_file_id"])
        if not self.enabled or content is None:
            return _error(404, "No such File object.")
        if asked["endpoint"] != "/v1/chat/completions" or asked["completion_window"] != "24h":
            return _error(400, "Invalid endpoint or completion window.")
        lines = [json.loads(line) for line in content.splitlines()]
        if len({line["custom_id"] for line in lines}) < len(lines):
            return _error(400, "Duplicate custom_id.")
        batch = ScriptedBatch(
            f"batch_{len(self.batches) + 1}",
            asked["input_file_id"],
            asked.get("metadata") or {},
            lines,
            dict(http.headers),
        )
        self.batches[batch.id] = batch
        if failed := await _scripted(http, self.next_creates):
            return failed
        return web.json_response(batch.as_json())

    async def _list(self, http: web.Request) -> web.StreamResponse:
        if not self.enabled:
            return _error(404, "Invalid URL (GET /v1/batches)")
        self.lists += 1
        limit, after = int(http.query.get("limit", "20")), http.query.get("after")
        newest = [batch.as_json() for batch in reversed(self.made)]
        start = next((place + 1 for place, batch in enumerate(newest) if batch["id"] == after), 0)
        shown = newest[start : start + limit]
        answer = {
            "object": "list",
            "data": shown,
            "first_id": shown[0]["id"] if shown else None,
            "last_id": shown[-1]["id"] if shown else None,
            "has_more": start + limit < len(newest),
        }
        return web.json_response(answer)

    async def _read(self, http: web.Request) -> web.StreamResponse:
        if failed := await _scripted(http, self.next_reads):
            return failed
        batch = self.batches.get(http.match_info["id"])
        if batch is None:
            return _error(404, "No batch found with this id.")
        batch.polls += 1
        if batch.status in ("validating", "in_progress"):
            if batch.polls >= self.done_after:
                self._finish(batch)
            else:
                batch.status = "in_progress"
        elif batch.status == "cancelling":
            self._end(batch, "cancelled", self.made_before_end)
        return web.json_response(batch.as_json())

    async def _cancel(self, http: web.Request) -> web.StreamResponse:
        batch = self.batches.get(http.match_info["id"])
        if batch is None:
            return _error(404, "No batch found with this id.")
        self.cancels += 1
        if batch.status not in ("validating", "in_progress"):
            return _error(409, f"Cannot cancel a batch with status '{batch.status}'.")
        batch.status = "cancelling"
        return web.json_response(batch.as_json())

    def _finish(self, batch: ScriptedBatch) -> None:
        if self.ends_as == "failed":
            batch.status, batch.errors = "failed", list(self.errors)
        elif self.ends_as == "expired":
            self._end(batch, "expired", self.made_before_end)
        else:
            self._end(batch, "completed", len(batch.lines))

    def _end(self, batch: ScriptedBatch, status: str, made: int) -> None:
        """Make the first `made` lines; the files hold them in an order of their own, the last first."""
        output: list[dict[str, Any]] = []
        errors: list[dict[str, Any]] = []
        for number, line in reversed(list(enumerate(batch.lines))):
            if number in self.silent:
                continue
            outcome: dict[str, Any] = {"id": f"batch_req_{number}", "custom_id": line["custom_id"], "response": None}
            if number >= made:
                errors.append({**outcome, "error": {"code": f"batch_{status}", "message": "It could not be executed."}})
                continue
            code, body = self._answer(line["body"], batch.headers)
            answered = {**outcome, "error": None}
            answered["response"] = {"status_code": code, "request_id": f"req_{number}", "body": body}
            (output if code == 200 else errors).append(answered)
        batch.status, batch.completed, batch.failed = status, len(output), len(errors)
        answers = _jsonl(output)[:-30] if self.cut_answers else _jsonl(output)
        batch.output_file_id = self._keep(answers) if output else None
        batch.error_file_id = self._keep(_jsonl(errors)) if errors else None

    def _keep(self, content: bytes) -> str:
        self.kept += 1
        file_id = f"file-{self.kept}"
        self.files[file_id] = content
        return file_id


async def _scripted(http: web.Request, answers: list[int | str]) -> web.Response | None:
    """The next of scripted answers, if it is a failure."""
    answer = answers.pop(0) if answers else 200
    if answer == "hang":
        await asyncio.sleep(60)
    if answer in ("hang", "drop") and http.transport is not None:
        http.transport.abort()
    return _error(answer, "The server had an error.") if isinstance(answer, int) and answer != 200 else None


def _jsonl(lines: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _error(status: int, message: str) -> web.Response:
    body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
    return web.json_response(body, status=status)
