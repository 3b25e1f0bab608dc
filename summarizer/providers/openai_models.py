"""What servers say of their models beside the OpenAI protocol: names and context windows. Pure.

The list of models (GET /models) is OpenAI's own; the window in it is each server's addition, if it says it at all:
vLLM `max_model_len`, OpenRouter and others `context_length`, Groq `context_window`, Mistral `max_context_length`,
llama.cpp `meta.n_ctx`. Older llama.cpp says it in GET /props, Ollama in GET /api/ps, once the model is loaded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from summarizer.text import storable

_WINDOW_FIELDS = ("max_model_len", "context_length", "context_window", "max_context_length")
#: Ollama leaves this tag out where it is the one that is meant.
_DEFAULT_TAG = ":latest"


@dataclass(frozen=True, slots=True)
class Window:
    """A context window in tokens. `is_maximum`: the model's own; what the server gives it may be less."""

    tokens: int
    is_maximum: bool = False


@dataclass(frozen=True, slots=True)
class ServedModel:
    name: str
    window: Window | None = None


def served_models(listed: Any) -> list[ServedModel]:
    """The models in the body of GET /models; none if it can't be read."""
    return [ServedModel(storable(entry["id"]), _window_of(entry)) for entry in _entries(listed, "data", "id")]


def model_named(name: str, models: list[ServedModel]) -> ServedModel | None:
    return next((model for model in models if _is_called(model.name, name)), None)


def window_in_props(properties: Any) -> Window | None:
    """The window in llama.cpp's GET /props: that of one slot, which is what a request gets."""
    settings = properties.get("default_generation_settings") if isinstance(properties, Mapping) else None
    tokens = _count(settings.get("n_ctx")) if isinstance(settings, Mapping) else None
    return Window(tokens) if tokens else None


def window_of_loaded(loaded: Any, name: str) -> Window | None:
    """The window that Ollama gave to the model called `name`, in GET /api/ps.

    It cuts longer prompts without a word, so the model's own maximum (POST /api/show) would mislead.
    """
    for entry in _entries(loaded, "models", "name"):
        if _is_called(entry["name"], name) and (tokens := _count(entry.get("context_length"))):
            return Window(tokens)
    return None


def _window_of(entry: Mapping[str, Any]) -> Window | None:
    for field in _WINDOW_FIELDS:
        if tokens := _count(entry.get(field)):
            return Window(tokens)
    meta = entry.get("meta")
    if not isinstance(meta, Mapping):
        return None
    if tokens := _count(meta.get("n_ctx")):
        return Window(tokens)
    trained = _count(meta.get("n_ctx_train"))
    return Window(trained, is_maximum=True) if trained else None


def _entries(body: Any, key: str, name: str) -> list[Mapping[str, Any]]:
    found = body.get(key) if isinstance(body, Mapping) else None
    if not isinstance(found, list):
        return []
    return [entry for entry in found if isinstance(entry, Mapping) and isinstance(entry.get(name), str)]


def _is_called(served: str, name: str) -> bool:
    return served.removesuffix(_DEFAULT_TAG) == name.removesuffix(_DEFAULT_TAG)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
