from summarizer.models.books import Book, ReferenceSummary, Section
from summarizer.models.jobs import Job, JobItem, LaunchRequest, LLMAttempt, LLMBatch, LLMCall
from summarizer.models.summaries import Sentence, Summary, SummaryNode
from summarizer.models.systems import Endpoint, PromptSet, System

__all__ = [
    "Book",
    "Endpoint",
    "Job",
    "JobItem",
    "LLMAttempt",
    "LLMBatch",
    "LLMCall",
    "LaunchRequest",
    "PromptSet",
    "ReferenceSummary",
    "Section",
    "Sentence",
    "Summary",
    "SummaryNode",
    "System",
]
