"""The form that launches summaries."""

from decimal import Decimal
from typing import Any

from django import forms

from summarizer.identifiers import row_id
from summarizer.jobs.launch_keys import LaunchKey
from summarizer.jobs.services import run_problem
from summarizer.models import Book, Endpoint, Job, PromptSet, System
from summarizer.services.systems import (
    CHUNK_SIZE,
    MAX_SUMMARY_TOKENS,
    SMALLEST_CHUNK,
    SMALLEST_SUMMARY,
    TEMPERATURE,
    ParametersRefused,
    SystemParameters,
    parameters_of,
)
from summarizer.strategies.methods import METHODS

_LARGEST = 10_000_000
#: Without its key, a form that is sent twice would launch twice.
_NO_KEY = "This form has lost its key. Reload the page and fill it in again."


class EndpointChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Endpoint) -> str:
        return f"{obj.name}: {obj.model}" if obj.is_llm else "Extractive baseline (no LLM)"


class PromptSetChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: PromptSet) -> str:
        usable = [method.label for method in METHODS.values() if set(method.prompt_files) <= obj.files.keys()]
        only = f": {' and '.join(usable).lower()} only" if len(usable) < len(METHODS) else ""
        return f"{obj.name}, version of {obj.created_at:%d %b %Y} ({obj.content_sha256[:8]}){only}"


class RunChoice(forms.ChoiceField):
    """At once or by batch. A form that does not say runs at once."""

    def __init__(self) -> None:
        super().__init__(
            choices=[(Job.Run.DIRECT, "At once"), (Job.Run.BATCH, "By batch, at half the price")],
            initial=Job.Run.DIRECT,
            label="How to run",
            help_text="By batch on servers with OpenAI's Batch API: up to 24 hours for each round of answers.",
        )

    def clean(self, value: Any) -> str:
        return str(super().clean(value or Job.Run.DIRECT))


class BudgetField(forms.DecimalField):
    def __init__(self) -> None:
        super().__init__(
            required=False,
            min_value=Decimal("0.0001"),
            max_digits=12,
            decimal_places=4,
            label="Budget, in USD",
            help_text="No call is made that could go over it.",
        )


class BooksChoice(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    def clean(self, value: Any) -> Any:
        for text in value or ():
            if row_id(str(text)) is None:
                raise forms.ValidationError(self.error_messages["invalid_pk_value"], params={"pk": str(text)[:50]})
        return super().clean(value)


class LaunchForm(forms.Form):
    """Books, and an existing system or the parameters of a new one. Gives `parameters` in the cleaned data."""

    client_key = forms.UUIDField(
        widget=forms.HiddenInput,
        error_messages={"required": _NO_KEY, "invalid": _NO_KEY},
    )
    books = BooksChoice(
        queryset=Book.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one book: a job without books has nothing to do."},
    )
    system = forms.ModelChoiceField(queryset=System.objects.none(), required=False, empty_label="A new system")
    endpoint = EndpointChoice(queryset=Endpoint.objects.none(), empty_label=None)
    strategy = forms.ChoiceField(
        choices=[(key, method.label) for key, method in METHODS.items()], initial="hierarchical"
    )
    prompt_set = PromptSetChoice(queryset=PromptSet.objects.none(), empty_label=None, label="Prompts")
    chunk_size = forms.IntegerField(
        initial=CHUNK_SIZE,
        min_value=SMALLEST_CHUNK,
        max_value=_LARGEST,
        label="Chunk size, in tokens",
    )
    max_summary_tokens = forms.IntegerField(
        initial=MAX_SUMMARY_TOKENS,
        min_value=SMALLEST_SUMMARY,
        max_value=_LARGEST,
        label="Longest summary, in tokens",
    )
    temperature = forms.FloatField(initial=TEMPERATURE, min_value=0, max_value=2)
    cleaned = forms.BooleanField(
        required=False,
        label="Clean the summaries",
        help_text="One more call a book takes out traces of the stepwise making. Both versions are kept.",
    )
    run = RunChoice()
    budget_usd = BudgetField()

    _NEW_SYSTEM = ("endpoint", "strategy", "prompt_set", "chunk_size", "max_summary_tokens", "temperature", "cleaned")

    def __init__(self, *args: Any, books: Any, systems: Any, endpoints: Any, prompt_sets: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = {"books": books, "system": systems, "endpoint": endpoints, "prompt_set": prompt_sets}
        for name, queryset in choices.items():
            self.fields[name].queryset = queryset  # type: ignore[attr-defined]
        for name in self._NEW_SYSTEM:
            self.fields[name].required = name != "cleaned" and not self.data.get("system")
        if (method := METHODS.get(self.data.get("strategy", ""))) and not method.is_chunked:
            # The page does not send it; its initial value is taken and not used.
            self.fields["chunk_size"].disabled = True
        for name in ("chunk_size", "max_summary_tokens", "temperature", "budget_usd"):
            self.fields[name].widget.attrs["inputmode"] = "decimal"

    @property
    def launch_key(self) -> LaunchKey:
        """Of a valid form."""
        asked = {name: self.cleaned_data.get(name) for name in self.fields if name != "client_key"}
        if asked["system"]:
            asked |= dict.fromkeys(self._NEW_SYSTEM)  # what stands in these is not read
        return LaunchKey.of(self.cleaned_data["client_key"], asked)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if self.errors.keys() & {"system", *self._NEW_SYSTEM}:
            return data
        if data.get("system"):
            try:
                data["parameters"] = parameters_of(data["system"])
            except ParametersRefused as error:
                self.add_error("system", str(error))
                return data
        else:
            data["parameters"] = SystemParameters(**{name: data[name] for name in self._NEW_SYSTEM})
        if problem := run_problem(data.get("run", ""), data["parameters"].endpoint):
            self.add_error("run", problem)
        return data
