"""Trying an endpoint before a job does: does the model answer, how large is its window, which parameters it takes."""

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from summarizer.engine.lanes import REPLACEMENTS
from summarizer.models import Endpoint
from summarizer.providers.base import CompletionRequest, FailureKind, ProviderFailure
from summarizer.providers.openai_models import (
    ServedModel,
    Window,
    model_named,
    served_models,
    window_in_props,
    window_of_loaded,
)

if TYPE_CHECKING:
    from summarizer.providers.openai import OpenAIProvider

#: Seconds until a test of the connection gives up, and how many of them are kept for what is asked besides.
TEST_TIMEOUT = 25.0
LOOK_UP_SECONDS = 5.0
#: Seconds for finding out whether the server keeps a model to a JSON schema.
SCHEMA_SECONDS = 5.0
#: Names of other models that are shown.
SHOWN_MODELS = 10
#: The parameters as a job sends them; a model that reasons before it answers may need some room.
TRIAL_TOKENS = 64
TRIAL_TEMPERATURE = 0.5
#: The form of an answer as a judge of several sentences a call asks for it.
TRIAL_FORMAT: Mapping[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "trial",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"word": {"type": "string"}},
            "required": ["word"],
            "additionalProperties": False,
        },
    },
}


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """What a test found: `answered` or not, in words, with the server's own words as detail.

    `other_models` are names that the server lists, closest first, where the one asked for is not among them; `window`
    is None where the server does not say; `replacements` is None where it was not found out which parameters it takes,
    `keeps_schema` where it was not found out whether its answers keep to a JSON schema.
    """

    answered: bool
    message: str
    detail: str = ""
    other_models: list[str] = field(default_factory=list)
    window: Window | None = None
    entered_window: int = 0
    replacements: Mapping[str, str | None] | None = None
    keeps_schema: bool | None = None

    @property
    def window_is_too_large(self) -> bool:
        """The entered window is larger than the server's."""
        return self.window is not None and self.entered_window > self.window.tokens

    @property
    def parameters(self) -> list[str]:
        """In words: which parameters the server takes."""
        if self.replacements is None:
            return []
        taken = [name for name in REPLACEMENTS if name not in {*self.replacements, FORMAT}]
        words = [f"Takes {' and '.join(taken)}."] if taken else []
        for refused, instead in self.replacements.items():
            if instead:
                words.append(f"Takes {instead} in place of {refused}.")
            elif refused != FORMAT:
                words.append(f"Takes no {refused}: answers are made at the server's default.")
        return [*words, *_SCHEMA_WORDS[self.keeps_schema]]


FORMAT = "response_format"
_SCHEMA_WORDS: dict[bool | None, list[str]] = {
    True: ["Keeps answers to a JSON schema."],
    False: ["Does not keep answers to a JSON schema: those in JSON are read as they come."],
    None: [],
}


_FAILURES: dict[FailureKind, str] = {
    FailureKind.TRANSIENT: "The server could not be reached or is in trouble. Check the address and that it runs.",
    FailureKind.RATE_LIMITED: "The server answers, but asks to slow down. Try again in a moment.",
    FailureKind.QUOTA_EXHAUSTED: "The key is known, but its account has no money or quota left.",
    FailureKind.CONTEXT_TOO_LONG: "The server says that even a very short prompt does not fit. Check the model.",
    FailureKind.REFUSED: "The model answers, but refused a harmless request. It may not suit this work.",
    FailureKind.FILTERED: "The server's content filter stopped a harmless request. It may not suit this work.",
    FailureKind.EMPTY: "The server answers, but the model said nothing.",
    FailureKind.MALFORMED: "Something answers there, but not as an OpenAI-compatible server does. Check the address: "
    "it mostly ends in /v1.",
    FailureKind.UNSUPPORTED_PARAMETER: "The server refuses a parameter that has no replacement.",
    FailureKind.PERMANENT: "The server refused the request. Check the key, the model's name and the address.",
}


def try_connection(*, endpoint: Endpoint) -> ConnectionTest:
    """Send a short prompt, as a job would, and look up the model. The endpoint may be unsaved; nothing is stored.

    At most eight requests, of which two cost a few tokens, and `TEST_TIMEOUT` seconds in all.
    """
    variable = endpoint.api_key_variable
    if variable and not os.environ.get(variable, "").strip():
        return ConnectionTest(
            False,
            f"The environment variable {variable} is not set where this server runs. Set it (for example in .env) "
            "and start again.",
        )
    return asyncio.run(_test(endpoint))


async def _test(endpoint: Endpoint) -> ConnectionTest:
    # The client takes a second to import, so only what makes calls imports it.
    from summarizer.providers.openai import OpenAIProvider

    provider = OpenAIProvider(endpoint)
    replacements: dict[str, str | None] = {}
    try:
        async with asyncio.timeout(TEST_TIMEOUT - LOOK_UP_SECONDS - SCHEMA_SECONDS):
            message, answer = await _ask_for_a_word(provider, endpoint.model, replacements)
        keeps_schema = await _keeps_schema(provider, endpoint.model, replacements)
        look_ups = _LookUps(provider)
        models = await look_ups.models()
        window = await look_ups.window(endpoint, models)
    except TimeoutError:
        seconds = TEST_TIMEOUT - LOOK_UP_SECONDS - SCHEMA_SECONDS
        return ConnectionTest(
            False,
            f"No answer within {seconds:.0f} seconds. Check the address and the server. One that loads the model first "
            "may need longer: try again.",
        )
    except ProviderFailure as failure:
        return await _failed(provider, endpoint.model, failure)
    finally:
        await provider.close()
    return ConnectionTest(
        answered=True,
        message=message,
        detail=answer,
        other_models=_other_models(endpoint.model, models),
        window=window,
        entered_window=endpoint.context_window,
        replacements=replacements,
        keeps_schema=keeps_schema,
    )


async def _ask_for_a_word(
    provider: "OpenAIProvider", model: str, replacements: dict[str, str | None]
) -> tuple[str, str]:
    """What to say of the answer, and the answer. Fills `replacements`. Raises `ProviderFailure`."""
    while True:
        request = CompletionRequest(
            "Answer with the single word: ready", model, TRIAL_TOKENS, TRIAL_TEMPERATURE, replacements=replacements
        )
        try:
            return f"The model {model} answers.", (await provider.complete(request)).text[:200]
        except ProviderFailure as failure:
            if failure.kind is FailureKind.TRUNCATED:
                return f"The model {model} answers (its answer was longer than asked for).", ""
            refused = failure.parameter if failure.kind is FailureKind.UNSUPPORTED_PARAMETER else None
            if refused not in REPLACEMENTS or refused in replacements:
                raise
            replacements[refused] = REPLACEMENTS[refused]


async def _keeps_schema(provider: "OpenAIProvider", model: str, replacements: dict[str, str | None]) -> bool | None:
    """Whether an answer keeps to a JSON schema; None where that stays open. A refusal goes into `replacements`."""
    request = CompletionRequest(
        'Answer with the single word "ready", as JSON under the key "word".',
        model,
        TRIAL_TOKENS,
        TRIAL_TEMPERATURE,
        response_format=TRIAL_FORMAT,
        replacements=replacements,
    )
    try:
        async with asyncio.timeout(SCHEMA_SECONDS):
            return _is_of_the_form((await provider.complete(request)).text)
    except TimeoutError:
        return None
    except ProviderFailure as failure:
        if failure.parameter != FORMAT:
            return None
        replacements[FORMAT] = REPLACEMENTS[FORMAT]
        return False


def _is_of_the_form(answer: str) -> bool:
    try:
        word = json.loads(answer)
    except ValueError:
        return False
    return isinstance(word, dict) and isinstance(word.get("word"), str)


async def _failed(provider: "OpenAIProvider", model: str, failure: ProviderFailure) -> ConnectionTest:
    """What to say of a request that failed; where the model's name may be wrong, with the names that there are."""
    models = await _LookUps(provider).models() if failure.kind is FailureKind.PERMANENT else []
    if others := _other_models(model, models):
        return ConnectionTest(False, f"The server does not list a model called {model}.", failure.message, others)
    return ConnectionTest(False, _FAILURES[failure.kind], failure.message)


def _other_models(name: str, models: list[ServedModel]) -> list[str]:
    """Names that the server lists, closest to `name` first; none if it lists the model itself."""
    if model_named(name, models):
        return []
    likeness = {model.name: SequenceMatcher(None, name.lower(), model.name.lower()).ratio() for model in models}
    return sorted(likeness, key=lambda other: (-likeness[other], other))[:SHOWN_MODELS]


class _LookUps:
    """What a server may say besides answering, in `LOOK_UP_SECONDS` in all; nothing where it does not."""

    def __init__(self, provider: "OpenAIProvider") -> None:
        self._provider = provider
        self._deadline = asyncio.get_running_loop().time() + LOOK_UP_SECONDS

    async def models(self) -> list[ServedModel]:
        return served_models(await self._json("/models"))

    async def window(self, endpoint: Endpoint, models: list[ServedModel]) -> Window | None:
        """The window of the endpoint's model; a server that lists a single model answers with that one."""
        listed = model_named(endpoint.model, models) or (models[0] if len(models) == 1 else None)
        if listed and listed.window and not listed.window.is_maximum:
            return listed.window
        root = endpoint.base_url.removesuffix("/v1")
        return (
            window_in_props(await self._json(f"{root}/props"))
            or window_of_loaded(await self._json(f"{root}/api/ps"), endpoint.model)
            or (listed.window if listed else None)
        )

    async def _json(self, address: str) -> Any:
        try:
            async with asyncio.timeout_at(self._deadline):
                return await self._provider.look_up(address)
        except (ProviderFailure, TimeoutError):
            return None
