"""What a person can do about a failed item, in plain words, by the kind of its error. "Try again" is a button."""

from summarizer.engine.work import BUDGET
from summarizer.providers.base import FailureKind

#: Error kinds of an item beyond `FailureKind` and `BUDGET`.
WORKER_LOST = "worker lost"
UNEXPECTED = "error"
#: The server has no Batch API, refused a batch whole, or knows it no more.
NO_BATCHES = "no batches"
BATCH_REFUSED = "batch refused"
BATCH_LOST = "batch lost"

ADVICE: dict[str, str] = {
    FailureKind.TRANSIENT: "The server failed or could not be reached several times in a row. Check that it runs, "
    "then choose Try again: finished calls are kept.",
    FailureKind.RATE_LIMITED: "The server kept asking to slow down. Lower the endpoint's limits, wait a little, "
    "then choose Try again.",
    FailureKind.QUOTA_EXHAUSTED: "The account behind the key has no money or quota left. Top it up, "
    "then choose Try again.",
    FailureKind.CONTEXT_TOO_LONG: "The prompt does not fit the model's window. Check the endpoint's window, "
    "or launch with smaller chunks.",
    FailureKind.REFUSED: "The model refused to answer. Try again, or use another model or prompt set for this book.",
    FailureKind.FILTERED: "The server's content filter stopped the answer. Try again, or use another model "
    "for this book.",
    FailureKind.TRUNCATED: "The answers kept being cut off at the limit. Try again, or launch with a larger limit.",
    FailureKind.EMPTY: "The model kept answering nothing. Try again, or use another model.",
    FailureKind.UNUSABLE: "The model's answers were whole, but not what was asked for. Try again, or use another "
    "model or prompt set.",
    FailureKind.MALFORMED: "The server's answers could not be read. Check that the address is that of an "
    "OpenAI-compatible server, then choose Try again.",
    FailureKind.UNSUPPORTED_PARAMETER: "The server refuses a parameter that has no replacement. Use another model "
    "or endpoint.",
    FailureKind.PERMANENT: "The server refused the request. Check the endpoint's address, model and key, "
    "then choose Try again.",
    BUDGET: "The job's budget would not cover the next call. Raise the budget, then choose Try again: "
    "finished calls are kept.",
    NO_BATCHES: "This server has no Batch API, so nothing was sent and nothing is paid. Choose Try again without "
    "batches: each call is then a request of its own, at the full price.",
    BATCH_REFUSED: "The server took none of the batch's calls, so nothing is paid for it. If its queue for batches is "
    "full, wait a while and choose Try again; or choose Try again without batches, at the full price.",
    BATCH_LOST: "The calls of this batch may have been billed, and their answers are gone. Look for the batch in your "
    "account with the server. Try again sends the calls that have no answer once more, and they are paid again.",
    WORKER_LOST: "The worker that ran this ended without a word several times, perhaps for lack of memory. "
    "Check the worker's log, then choose Try again: finished calls are kept.",
    UNEXPECTED: "This is a fault of the program. Its details are in the worker's log; Try again makes "
    "only the calls that are missing.",
}


def advice(error_kind: str) -> str:
    """What to do about an error of this kind; empty for no error."""
    return ADVICE.get(error_kind, ADVICE[UNEXPECTED] if error_kind else "")
