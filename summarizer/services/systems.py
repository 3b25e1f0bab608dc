"""Systems: what a study compares, made from parameters when they are first used."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from django.db import IntegrityError, transaction

from summarizer.models import Endpoint, PromptSet, System
from summarizer.prompts import PromptError
from summarizer.services.prompt_sets import prompt_files, used_files
from summarizer.strategies import cleaning
from summarizer.strategies.methods import METHODS, Method
from summarizer.strategies.records import SummarySettings

#: The paper's settings (section 5).
CHUNK_SIZE = 2048
MAX_SUMMARY_TOKENS = 900
TEMPERATURE = 0.5
#: The least that makes sense, in tokens; whether it fits a window is found out by the plan.
SMALLEST_CHUNK = 64
SMALLEST_SUMMARY = 50


class ParametersRefused(Exception):
    """Parameters that no system can have; the message is for the user."""


@dataclass(frozen=True, slots=True)
class SystemParameters:
    """What makes a system, before there is one. Sizes in cl100k tokens."""

    endpoint: Endpoint
    prompt_set: PromptSet
    strategy: str = System.Strategy.HIERARCHICAL
    chunk_size: int = CHUNK_SIZE
    max_summary_tokens: int = MAX_SUMMARY_TOKENS
    temperature: float = TEMPERATURE
    cleaned: bool = False

    @property
    def method(self) -> Method:
        return METHODS[self.strategy]

    @property
    def prompt_paths(self) -> tuple[str, ...]:
        """The prompt files that are used; only these make a system another one."""
        return self.method.prompt_files + (cleaning.PROMPT_FILES if self.cleaned else ())

    @property
    def used_prompts(self) -> tuple[str, dict[str, str]]:
        return used_files(self.prompt_set, self.prompt_paths)

    @property
    def uncleaned(self) -> "SystemParameters":
        """The same without cleaning: of its summaries the cleaned ones are made."""
        return replace(self, cleaned=False)

    @property
    def piece_size(self) -> int:
        """Tokens of the pieces in which the strategy takes the book: chunks, or any where it reads all at once."""
        return self.chunk_size if self.method.is_chunked else CHUNK_SIZE

    def settings(self) -> SummarySettings:
        return SummarySettings(
            window=self.endpoint.context_window,
            chunk_size=self.chunk_size,
            max_summary_tokens=self.max_summary_tokens,
            temperature=self.temperature,
            prompts=prompt_files(self.prompt_set),
        )

    def fields(self) -> dict[str, Any]:
        """The fields of `System` that tell one from another."""
        return {
            "strategy": self.strategy,
            "endpoint": self.endpoint,
            "model": self.endpoint.model,
            "context_window": self.endpoint.context_window,
            "prompt_set": self.prompt_set,
            "chunk_size": self.chunk_size if self.method.is_chunked else 0,
            "max_summary_tokens": self.max_summary_tokens,
            "temperature": self.temperature,
            "cleaned": self.cleaned,
        }

    def identity(self) -> str:
        """SHA-256 over `fields`, with the texts of the files that are used in place of the prompt set."""
        fields = self.fields() | {
            "endpoint": self.endpoint.pk,
            "prompt_set": self.used_prompts,
            "temperature": float(self.temperature),
        }
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def check_parameters(parameters: SystemParameters) -> None:
    """Raises `ParametersRefused` for what cannot work with any book."""
    if parameters.strategy not in METHODS:
        raise ParametersRefused(
            f"The strategy {parameters.strategy!r} can't be launched. There are: {', '.join(METHODS)}."
        )
    if parameters.endpoint.provider == Endpoint.Provider.RULES:
        raise ParametersRefused("The rule baseline judges summaries. To make some without an LLM, use extractive.")
    if parameters.method.is_chunked and parameters.chunk_size < SMALLEST_CHUNK:
        raise ParametersRefused(f"The chunk size must be at least {SMALLEST_CHUNK} tokens.")
    if parameters.max_summary_tokens < SMALLEST_SUMMARY:
        raise ParametersRefused(f"The longest summary must be at least {SMALLEST_SUMMARY} tokens.")
    if not 0 <= parameters.temperature <= 2:
        raise ParametersRefused("The temperature must be between 0 and 2.")
    try:
        prompt_files(parameters.prompt_set).require(parameters.prompt_paths)
    except PromptError as error:
        use = parameters.method.label.lower() + (" with cleaning" if parameters.cleaned else "")
        raise ParametersRefused(
            f"The prompt set {parameters.prompt_set.name} can't be used for {use}. {error}"
        ) from error


def existing_system(parameters: SystemParameters) -> System | None:
    """The system of these parameters, if something was launched with them before.

    Of a prompt set only the files count that are used: a set in which another file has changed is a new row, but makes
    no other system, and nothing is to be paid again.
    """
    fields = parameters.fields()
    del fields["prompt_set"]
    used = parameters.used_prompts
    candidates = System.objects.filter(**fields).select_related("prompt_set").order_by("pk")
    for system in candidates:
        if system.prompt_set and used_files(system.prompt_set, parameters.prompt_paths) == used:
            return system
    return None


def system_for(*, parameters: SystemParameters) -> System:
    """The system of these parameters, made on first use under a readable name that no other has."""
    for _ in range(5):
        if system := existing_system(parameters):
            return system
        try:
            with transaction.atomic():
                return System.objects.create(
                    name=free_name(parameters), identity=parameters.identity(), **parameters.fields()
                )
        except IntegrityError:
            # Somebody made it, or took the name, in between: look again.
            continue
    raise ParametersRefused("The system could not be named. Try again.")


def parameters_of(system: System) -> SystemParameters:
    """The parameters of an existing system. Raises `ParametersRefused` when nothing can be made with it any more."""
    if system.endpoint is None or system.prompt_set is None:
        raise ParametersRefused(f"{system.name} was imported, so nothing can be made with it here.")
    endpoint = system.endpoint
    if (endpoint.model, endpoint.context_window) != (system.model, system.context_window):
        raise ParametersRefused(
            f"{system.name} was made with the model {system.model or 'none'} and a window of {system.context_window:,} "
            f"tokens; the endpoint {endpoint.name} now has {endpoint.model or 'none'} and {endpoint.context_window:,}. "
            "Set the endpoint back, or launch a new system."
        )
    return SystemParameters(
        endpoint=endpoint,
        prompt_set=system.prompt_set,
        strategy=system.strategy,
        chunk_size=system.chunk_size or 0,
        max_summary_tokens=system.max_summary_tokens or 0,
        temperature=system.temperature or 0.0,
        cleaned=system.cleaned,
    )


def free_name(parameters: SystemParameters) -> str:
    """A name like `extractive-2048-hier`; what differs from the usual settings is added, and a number if need be."""
    chunk_size = [str(parameters.chunk_size)] if parameters.method.is_chunked else []
    parts = [parameters.endpoint.name, *chunk_size, parameters.method.short]
    if parameters.max_summary_tokens != MAX_SUMMARY_TOKENS:
        parts.append(f"{parameters.max_summary_tokens}t")
    if parameters.temperature != TEMPERATURE:
        parts.append(f"temp{parameters.temperature:g}")
    if parameters.prompt_set.name != "default":
        parts.append(parameters.prompt_set.name)
    if parameters.cleaned:
        parts.append("cleaned")
    name = "-".join(parts)[:190]
    taken = set(System.objects.filter(name__startswith=name).values_list("name", flat=True))
    if name not in taken:
        return name
    return next(f"{name}-{number}" for number in range(2, len(taken) + 3) if f"{name}-{number}" not in taken)
