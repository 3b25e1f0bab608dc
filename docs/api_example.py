"""A book, its summaries, a judge's marks and the report, over the API, with Python's standard library alone.

    BOOOOK_TOKEN=booook_... python docs/api_example.py http://127.0.0.1:8000 novel.txt

Needs an admin's token that may change things, and a worker that runs. It uses the baselines, which need no LLM and cost
nothing; name an endpoint of yours instead of `extractive` and `rules` for real results. Run again, it makes nothing
twice. The cells (`# %%`) open as a notebook in Jupyter, VS Code and PyCharm.
"""

# %% A small client: JSON in and out, errors as the server words them.
import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin
from uuid import NAMESPACE_URL, uuid4, uuid5


class Refused(Exception):
    """The server said no: `status`, `code` (a word), `answer` (all that it said); str() is its sentence."""

    def __init__(self, status: int, answer: dict[str, Any]) -> None:
        super().__init__(f"{answer['detail']} ({status} {answer['code']})")
        self.status, self.code, self.answer = status, answer["code"], answer


class Api:
    def __init__(self, address: str, token: str) -> None:
        if not address.startswith(("http://", "https://")):
            raise SystemExit("The address must begin with http:// or https://.")
        self.address, self.token = urljoin(address, "/api/v1/"), token

    def open(self, method: str, path: str, body: bytes | None = None, content_type: str = "application/json") -> Any:
        request = urllib.request.Request(urljoin(self.address, path), body, method=method)  # noqa: S310
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("Content-Type", content_type)
        try:
            return urllib.request.urlopen(request)  # noqa: S310
        except urllib.error.HTTPError as error:
            raise Refused(error.code, json.load(error)) from None

    def get(self, path: str, **query: Any) -> Any:
        with self.open("GET", f"{path}?{urlencode(query)}" if query else path) as answer:
            return json.load(answer)

    def post(self, path: str, **values: Any) -> Any:
        with self.open("POST", path, json.dumps(values).encode()) as answer:
            return json.load(answer)

    def every(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """All rows of a list, page by page."""
        page = self.get(path, **query)
        yield from page["results"]
        while page["next"]:
            page = self.get(page["next"])
            yield from page["results"]

    def upload(self, path: str, file: Path, **fields: str) -> Any:
        border = uuid4().hex
        parts = [f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}' for name, value in fields.items()]
        parts.append(f'Content-Disposition: form-data; name="file"; filename="{file.name}"\r\n\r\n')
        head = "\r\n".join(f"--{border}\r\n{part}" for part in parts).encode()
        body = head + file.read_bytes() + f"\r\n--{border}--\r\n".encode()
        with self.open("POST", path, body, f"multipart/form-data; boundary={border}") as answer:
            return json.load(answer)

    def download(self, path: str, target: Path) -> None:
        with self.open("GET", path) as answer, target.open("wb") as out:
            while piece := answer.read(1 << 20):
                out.write(piece)

    def wait(self, path: str, states: tuple[str, ...], seconds: float = 0.5) -> Any:
        """Ask again until it is in one of these states."""
        while (found := self.get(path))["state"] not in states:
            time.sleep(seconds)
        return found


address, book_file = sys.argv[1], Path(sys.argv[2])
api = Api(address, os.environ["BOOOOK_TOKEN"])
me = api.get("me/")
print(f"{me['username']}, {me['role']}, with the token {me['token']['name']!r}")

# %% The book. A text that is here already is refused, with the number of the book that has it.
try:
    book = api.upload("books/", book_file)
except Refused as refused:
    if refused.code != "exists":
        raise
    book = api.get(f"books/{refused.answer['book']}/")
print(f"Book {book['id']}: {book['title']}, {book['tokens']} tokens, {len(book['sections'])} sections")

# %% What would summaries cost? Nothing is launched by a dry run.
wanted = {"books": [book["id"]], "endpoint": "extractive", "strategy": "hierarchical", "chunk_size": 512}
wanted["max_summary_tokens"] = 300
plan = api.post("jobs/summarize/", **wanted, dry_run=True)["plan"]
print(f"{plan['name']}: {plan['calls']} calls, {plan['cost_usd']} USD", [item["problem"] for item in plan["items"]])


# %% Launch. The key names this launch: sent again, after a lost answer or by running this again, it pays nothing twice.
def key(what: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"{address} {what} {book['id']}"))


job = api.post("jobs/summarize/", **wanted, idempotency_key=key("summarize"))["job"]
job = api.wait(f"jobs/{job['id']}/", states=("done", "failed", "cancelled"))
print(f"Job {job['id']} {job['state']}: {job['figures']}", [item["error"] for item in job["items"] if item["error"]])

# %% The summary, its sentences, and what it was made from.
summary = api.get(f"summaries/{job['items'][0]['made']}/")
first = summary["sentences"][0]
print(f"Summary {summary['id']}: {len(summary['sentences'])} sentences, the first: ", end="")
print(summary["text"][first["start"] : first["end"]])
nodes = list(api.every(f"summaries/{summary['id']}/nodes/"))
print(f"{len(nodes)} intermediate summaries, {sum(node['kind'] == 'chunk' for node in nodes)} of chunks")

# %% A study with the summary. A name that is taken is refused with 409.
name = f"api-example-{book['id']}"
try:
    api.post("studies/", name=name, title="An example", review_overlap=0)
    api.post(f"studies/{name}/summaries/", add=[summary["id"]])
except Refused as refused:
    if refused.status != 409:
        raise
print(f"The study has {api.get(f'studies/{name}/')['summaries']} summary")

# %% A judge: its marks count in the study. Summaries that it has marked already are not judged, or paid, again.
judging = api.post("jobs/judge/", study=name, endpoint="rules", idempotency_key=key("judge"))["job"]
if judging:
    judging = api.wait(f"jobs/{judging['id']}/", states=("done", "failed", "cancelled"))
verdicts = [verdict["state"] for verdict in api.every(f"studies/{name}/verdicts/", page_size=200)]
print({state: verdicts.count(state) for state in sorted(set(verdicts))})
for mark in api.every(f"studies/{name}/annotations/", summary=summary["id"]):
    print(f"- {mark['annotator']}: {mark['questions']} {mark['error_types']} “{mark['spans'][0]['quote'][:60]}”")

# %% The report, as `manage.py report` prints it.
report = api.get(f"studies/{name}/report/")
for system in report["systems"]:
    scores = {judge["judge"]: judge["score"] for judge in system["judges"]}
    print(f"{system['system']}: {system['summaries']} summaries, {system['sentences']} sentences, {scores}")

# %% A version of it that never changes, for a paper. The list names the SHA-256 of what is stored.
if not (versions := list(api.every(f"studies/{name}/reports/"))):
    versions = [api.post(f"studies/{name}/reports/", note="A first look")]
frozen = api.get(f"studies/{name}/reports/{versions[0]['number']}/")
print(f"Version {versions[0]['number']}, {versions[0]['note']}: {[part['title'] for part in frozen['sections']]}")

# %% All of the study as a file, made by a worker.
export = api.post(f"studies/{name}/exports/", format="jsonl")
export = api.wait(f"studies/{name}/exports/{export['id']}/", states=("done", "failed"))
target = book_file.with_name(f"{name}.jsonl")
api.download(f"studies/{name}/exports/{export['id']}/file/", target)
print(f"{target.name}: {target.stat().st_size} bytes, {sum(1 for _ in target.open('rb'))} lines")
