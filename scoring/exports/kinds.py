"""The kinds of records that an export holds: which columns of which rows leave, and under what names they are linked.

Every field of a model is a column, a link, part of a nested list, or left out on purpose; a test holds the tables to
that, so that a new field is decided about and never forgotten.
"""

from annotation import models as annotation
from scoring.exports.faithfulness import FAITHFULNESS
from scoring.exports.kind import Kind, same
from scoring.models import MetricValue, Report
from summarizer import models as summarizer

#: Grows when a reader of the old one could misread the new one.
FORMAT_VERSION = 1
FORMAT = "booook-web-study"


#: What summaries and judges were made with, in the order of the file: a link leads to an earlier line only.
MAKING = (
    Kind(
        "prompt_set",
        summarizer.PromptSet,
        ("name", "content_sha256", "placeholders", "files", "created_at"),
    ),
    Kind(
        "endpoint",
        summarizer.Endpoint,
        ("name", "provider", "model", "context_window", "price_prompt", "price_cached", "price_completion"),
        # Addresses, names of keys and limits belong to the machine, not to the study.
        left_out=(
            "base_url",
            "api_key_variable",
            "concurrency",
            "requests_per_minute",
            "tokens_per_minute",
            "parameter_replacements",
            "created_at",
        ),
    ),
    Kind(
        "error_type",
        annotation.ErrorType,
        ("key", "name", "tag", "definition", "example", "colour", "order", "retired"),
    ),
    Kind(
        "annotator",
        annotation.Annotator,
        (
            "kind",
            "pseudonym",
            "left_at",
            "is_sample",
            "model",
            "mode",
            "batch_size",
            "passages",
            "temperature",
            "max_answer_tokens",
            "repeat",
            "absent_rule",
            "created_at",
        ),
        same(endpoint="endpoint", prompt_set="prompt_set"),
        left_out=("user",),
    ),
    Kind(
        "book",
        summarizer.Book,
        ("title", "author", "genres", "publication_date", "source_name", "tokens", "created_at"),
        nested=("text_sha256",),
        source_columns=("source_format", "text", "warnings"),
        source_nested=("sections",),
        left_out=("added_by",),
    ),
    Kind(
        "system",
        summarizer.System,
        (
            "name",
            "strategy",
            "model",
            "context_window",
            "chunk_size",
            "max_summary_tokens",
            "temperature",
            "cleaned",
            "created_at",
        ),
        same(endpoint="endpoint", prompt_set="prompt_set"),
        left_out=("identity",),  # made from row ids
    ),
    Kind(
        "summary",
        summarizer.Summary,
        (
            "text",
            "text_sha256",
            "tokens",
            "splitter",
            "source_cut",
            "source_tokens",
            "source_tokens_read",
            "created_at",
        ),
        same(book="book", system="system", cleaned_from="summary"),
        nested=("sentences",),
        left_out=("job_item",),  # the item names the summary
    ),
    Kind(
        "job",
        summarizer.Job,
        (
            "kind",
            "plan",
            "run",
            "budget_usd",
            "created_at",
            "paused_at",
            "cancelled_at",
            "idle_seconds",
            "idle_until",
        ),
        same(endpoint="endpoint"),
        nested=("key", "parameters"),
        left_out=("client_key", "launched_by"),
    ),
    Kind(
        "item",
        summarizer.JobItem,
        (
            "index",
            "state",
            "claims",
            "calls_done",
            "calls_planned",
            "error_kind",
            "queued_at",
            "started_at",
            "ended_at",
        ),
        same(job="job", book="book", summary="summary"),
        nested=("made",),
        left_out=("lease", "lease_expires_at", "heartbeat_at", "step", "error"),
    ),
    Kind(
        "call",
        summarizer.LLMCall,
        ("step", "key", "model", "prompt_sha256", "parameters", "state", "created_at"),
        same(item="item", endpoint="endpoint"),
    ),
    Kind(
        "attempt",
        summarizer.LLMAttempt,
        (
            "number",
            "state",
            "failure_kind",
            "finish_reason",
            "prompt_tokens",
            "cached_tokens",
            "completion_tokens",
            "cost_usd",
            "possible_cost_usd",
            "latency_ms",
            "started_at",
            "ended_at",
        ),
        same(call="call"),
        # Of judges of sentences always; what was answered to parts of a book may tell it, so only with the source.
        nested=("reply",),
        left_out=("batch", "failure"),
    ),
    Kind(
        "node",
        summarizer.SummaryNode,
        ("kind", "level", "index", "text", "tokens", "asked_words", "removed", "chunk_start", "chunk_end"),
        same(summary="summary", call="call"),
        nested=("sources", "context"),
        is_source=True,
    ),
    Kind(
        "reference",
        summarizer.ReferenceSummary,
        ("source", "text", "text_sha256", "created_at"),
        same(book="book"),
        is_source=True,
    ),
)

#: The study itself and what people and judges did in it.
STUDY = (
    Kind(
        "study",
        annotation.Study,
        (
            "name",
            "title",
            "guidelines",
            "phase",
            "annotation_overlap",
            "review_overlap",
            "types_shown_in_review",
            "review_shown_as",
            "annotate_by",
            "review_by",
            "compare_by",
            "faithfulness_by",
            "pay_per_summary",
            "pay_per_hour",
            "pay_per_reviewed_summary",
            "pay_per_reviewed_mark",
            "pay_per_review_hour",
            "pay_per_comparison",
            "pay_per_comparison_hour",
            "pay_per_unit",
            "pay_per_unit_hour",
            "pay_per_rating",
            "pay_per_rating_hour",
            "asks_about_book",
            "seed",
            "import_notes",
            "is_sample",
            "created_at",
        ),
        nested=("summaries", "judges"),
        left_out=("created_by", "completion_code", "completion_url"),
    ),
    Kind("guidelines", annotation.GuidelinesVersion, ("number", "text", "note", "created_at"), left_out=("author",)),
    Kind("consent_text", annotation.ConsentText, ("number", "text", "created_at"), left_out=("author",)),
    Kind(
        "consent",
        annotation.Consent,
        ("accepted_at",),
        same(text="consent_text", annotator="annotator"),
        left_out=("withdrawn_at",),  # of withdrawn ones nothing leaves
    ),
    Kind(
        "book_knowledge",
        annotation.BookKnowledge,
        ("answer", "answered_at"),
        same(annotator="annotator", book="book"),
    ),
    Kind(
        "member",
        annotation.StudyMember,
        ("annotates", "reviews", "compares", "judges_units", "rates"),
        same(annotator="annotator"),
        left_out=("invitation", "label"),
    ),
    Kind(
        "set",
        annotation.AnnotationSet,
        ("state", "version", "active_seconds", "created_at", "submitted_at", "skip_reason"),
        same(annotator="annotator", summary="summary", guidelines="guidelines"),
        left_out=("purpose",),
    ),
    Kind(
        "mark",
        annotation.Annotation,
        ("client_key", "questions", "version", "flags", "created_at", "updated_at"),
        {"set": ("annotation_set", "set"), "guidelines": ("guidelines", "guidelines")},
        nested=("spans", "error_types"),
    ),
    Kind(
        "verdict",
        annotation.Verdict,
        ("state", "problem"),
        {"set": ("annotation_set", "set"), "mark": ("annotation", "mark"), "call": ("call", "call")},
        nested=("sentence",),
    ),
    Kind(
        "review_item",
        annotation.ReviewItem,
        ("order",),
        {"mark": ("annotation", "mark")},
        left_out=("key", "planted"),
    ),
    Kind(
        "decision",
        annotation.ReviewDecision,
        ("agreement", "reasons", "comment", "shown_as", "created_at", "updated_at"),
        same(item="review_item", reviewer="annotator", guidelines="guidelines"),
    ),
    Kind(
        "round",
        annotation.ComparisonRound,
        ("name", "overlap", "state", "created_at"),
        nested=("questions",),
    ),
    Kind(
        "comparison",
        annotation.Comparison,
        ("round",),
        same(asked_in="round", first="summary", second="summary"),
    ),
    Kind(
        "answer",
        annotation.ComparisonAnswer,
        ("question", "words", "answer", "comment"),
        same(comparison="comparison", annotator="annotator", guidelines="guidelines"),
    ),
    Kind(
        "tally",
        annotation.ComparisonTally,
        ("round", "question", "answer", "count"),
        same(annotator="annotator", system="system"),
    ),
    Kind(
        "task",
        annotation.Assignment,
        ("task", "order", "state", "active_seconds", "created_at", "ended_at", "withdrawn_marks"),
        same(annotator="annotator", summary="summary", comparison="comparison"),
        nested=("sheet",),
        left_out=("key", "purpose"),
    ),
    *FAITHFULNESS,
    Kind(
        "guess",
        annotation.OriginGuess,
        ("order", "guess", "updated_at"),
        {"task": ("assignment", "task"), "item": ("item", "review_item")},
    ),
    Kind(
        "gold_set",
        annotation.GoldSet,
        ("state", "version", "created_at"),
        same(summary="summary"),
    ),
    Kind(
        "gold_decision",
        annotation.GoldDecision,
        ("client_key", "outcome", "questions", "reason", "version", "pseudonym", "at"),
        same(gold_set="gold_set"),
        nested=("spans", "error_types", "sources"),
        left_out=("by",),
    ),
    Kind(
        "gold_event",
        annotation.GoldEvent,
        ("version", "act", "pseudonym", "at", "client_key"),
        same(gold_set="gold_set"),
        nested=("content",),
        left_out=("by",),
    ),
    Kind("metric", MetricValue, ("name", "value", "created_at"), same(summary="summary")),
    Kind("unblinding", annotation.Unblinding, ("pseudonym", "reason", "at"), left_out=("by",)),
    Kind(
        "report",
        Report,
        ("number", "note", "content", "content_sha256", "pseudonym", "created_at"),
        left_out=("by",),
    ),
)

KINDS: tuple[Kind, ...] = (*MAKING, *STUDY)
BY_NAME: dict[str, Kind] = {kind.name: kind for kind in KINDS}
#: Foreign key to the study itself: in every record of these models, and never written.
OF_STUDY = "study"


def columns_and_links(kind: Kind, *, with_source: bool) -> tuple[list[str], list[tuple[str, str]]]:
    """Names for `values_list`: columns, and attribute names of foreign keys with the kinds they lead to."""
    links: list[tuple[str, str]] = [(f"{column}_id", target) for column, target in kind.links.values()]
    return list(kind.columns_of(with_source=with_source)), links
