"""Jobs and the ledger of LLM calls.

A job is one launch, a job item its unit of work (a book to summarize, a summary to judge). Items are claimed by
compare-and-set with a lease. A call has a key that states all that affects its output; a finished one is never
made again. An attempt is written before its request leaves and completed after.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from summarizer.models.books import Book
from summarizer.models.systems import Endpoint


class Job(models.Model):
    """One launch. Its state follows from its items and the two flags (see `summarizer.jobs.selectors`)."""

    class Run(models.TextChoices):
        """How the calls are made: each as a request of its own, or in batches that the server answers within a day."""

        DIRECT = "direct", "At once"
        BATCH = "batch", "By batch"

    #: Key of the job kind in `summarizer.jobs.kinds`: "summarize", "judge", "judge-units".
    kind = models.CharField(max_length=20)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="jobs")
    #: What the kind needs beyond the items, as ids and plain values.
    parameters = models.JSONField(default=dict)
    #: The plan as shown before the launch: calls, tokens, cost.
    plan = models.JSONField(default=dict)
    run = models.CharField(max_length=10, choices=Run.choices, default=Run.DIRECT)
    budget_usd = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    #: Key of the launch that made it (`LaunchRequest`), by which exports tell it from others.
    client_key = models.UUIDField(null=True, blank=True, unique=True)
    launched_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True)
    #: For how long, since its first start, nothing of it ran: paused, ended, or without a worker. Noted up to then.
    idle_seconds = models.FloatField(default=0)
    idle_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"Job {self.pk}"


class LaunchRequest(models.Model):
    """A launch as it was sent: sent again, it answers with the same job. Several may lead to one job, which goes on."""

    #: Made by whoever launches: in the browser with the form, by a program for its request.
    key = models.UUIDField(unique=True)
    #: SHA-256 over what was asked for.
    asked_sha256 = models.CharField(max_length=64)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="launch_requests")
    launched_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.job}, launched with {self.key}"


class JobItem(models.Model):
    class State(models.TextChoices):
        QUEUED = "queued", "Waiting"
        RUNNING = "running", "Running"
        #: Its calls are in batches on the server; no worker holds it until they have ended.
        IN_BATCH = "in batch", "Waiting for the batch"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    #: States in which something is still to come.
    UNFINISHED = (State.QUEUED, State.RUNNING, State.IN_BATCH)

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="items")
    index = models.PositiveIntegerField()
    #: What is worked on: a book (summarize) or a summary (judge).
    book = models.ForeignKey(Book, null=True, blank=True, on_delete=models.PROTECT, related_name="job_items")
    summary = models.ForeignKey(
        "summarizer.Summary", null=True, blank=True, on_delete=models.PROTECT, related_name="job_items"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    #: Who works on it and until when; a lease that ran out lets another worker take over.
    lease = models.UUIDField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    #: How often it was claimed; a worker that always dies is stopped by a bound on it.
    claims = models.PositiveIntegerField(default=0)
    #: Current step in words and progress in calls; the total may grow when answers are asked again.
    step = models.CharField(max_length=200, blank=True)
    calls_done = models.PositiveIntegerField(default=0)
    calls_planned = models.PositiveIntegerField(default=0)
    #: A `FailureKind`, or a key of `summarizer.jobs.advice.ADVICE` ("budget", "worker lost", "error").
    error_kind = models.CharField(max_length=30, blank=True)
    error = models.TextField(blank=True)
    queued_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["job", "index"]
        constraints = [
            models.UniqueConstraint(fields=["job", "index"], name="job_item_index_once"),
            models.UniqueConstraint(fields=["job", "book"], name="job_item_book_once"),
            models.UniqueConstraint(fields=["job", "summary"], name="job_item_summary_once"),
            models.CheckConstraint(
                condition=Q(book__isnull=False, summary__isnull=True) | Q(book__isnull=True, summary__isnull=False),
                name="job_item_one_subject",
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_expires_at"], name="job_item_to_sweep")]

    def __str__(self) -> str:
        return f"{self.job}, item {self.index + 1}"


class LLMCall(models.Model):
    """One answer that is wanted. `key` = SHA-256 over job item, step, prompt hash, model and parameters."""

    class State(models.TextChoices):
        OPEN = "open", "Open"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    item = models.ForeignKey(JobItem, on_delete=models.CASCADE, related_name="calls")
    step = models.CharField(max_length=200)
    key = models.CharField(max_length=64, unique=True)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="calls")
    model = models.CharField(max_length=200, blank=True)
    prompt_sha256 = models.CharField(max_length=64)
    #: As asked for and as really used (a server may refuse a parameter).
    parameters = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.item}: {self.step}"


class LLMBatch(models.Model):
    """Calls of an item that went up together (OpenAI Batch API). Written, with its attempts as sent, before it goes up.

    `key` is the batch's metadata on the server: by it one is found again whose id was never stored.
    """

    class State(models.TextChoices):
        PREPARING = "preparing", "Going up"
        OPEN = "open", "On the server"
        COLLECTED = "collected", "Collected"
        #: It never came to the server; its attempts were given back.
        WITHDRAWN = "withdrawn", "Not sent"
        #: The server refused it whole, before any call was made; its attempts were given back.
        REFUSED = "refused", "Refused"
        #: The server knows it no more.
        LOST = "lost", "Lost, may be billed"

    #: States in which its outcome is still to come.
    UNSETTLED = (State.PREPARING, State.OPEN)

    item = models.ForeignKey(JobItem, on_delete=models.CASCADE, related_name="batches")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="+")
    key = models.UUIDField(unique=True)
    #: Where it went up: the endpoint may be pointed elsewhere meanwhile.
    base_url = models.CharField(max_length=500)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PREPARING)
    remote_id = models.CharField(max_length=200, blank=True)
    #: In the server's word: "validating", "in_progress", "finalizing", "completed", ...
    remote_status = models.CharField(max_length=50, blank=True)
    #: What it asks first, in words, and how many calls it holds.
    first_step = models.CharField(max_length=200)
    calls = models.PositiveIntegerField()
    #: As the server counts them.
    answered = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    #: What is wrong with it, or with the last look at it.
    problem = models.TextField(blank=True)
    #: When it is looked at next; who changes it by compare-and-set looks at it.
    poll_at = models.DateTimeField()
    cancel_sent_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "LLM batches"
        indexes = [models.Index(fields=["state", "poll_at"], name="llm_batch_to_poll")]

    def __str__(self) -> str:
        return f"{self.item}: batch {self.remote_id or self.key}"

    @property
    def status_words(self) -> str:
        """The server's word for it, to be read."""
        return self.remote_status.replace("_", " ")


class LLMAttempt(models.Model):
    """One request for a call: written as `sent` before it leaves, and completed with its outcome.

    One that was sent and never completed is `unknown`: its answer was lost and it may have been billed.
    """

    class State(models.TextChoices):
        SENT = "sent", "Sent"
        ANSWERED = "answered", "Answered"
        FAILED = "failed", "Failed"
        UNKNOWN = "unknown", "Unknown, may be billed"

    call = models.ForeignKey(LLMCall, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    #: The batch that it went up in; None for a request of its own.
    batch = models.ForeignKey(LLMBatch, null=True, blank=True, on_delete=models.SET_NULL, related_name="attempts")
    state = models.CharField(max_length=10, choices=State.choices, default=State.SENT)
    #: Class of the failure (`summarizer.providers.base.FailureKind`) and its words.
    failure_kind = models.CharField(max_length=30, blank=True)
    failure = models.TextField(blank=True)
    reply = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=50, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    cached_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    #: What the request can cost at most, counted as possible cost while `cost_usd` is not known.
    possible_cost_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    latency_ms = models.PositiveIntegerField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["call", "number"]
        constraints = [models.UniqueConstraint(fields=["call", "number"], name="llm_attempt_number_once")]

    def __str__(self) -> str:
        return f"{self.call}, attempt {self.number}"
