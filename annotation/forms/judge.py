"""The form that launches a judge."""

from typing import Any

from django import forms

from annotation.judge.judges import (
    BATCH_SIZE,
    LARGEST_BATCH,
    MAX_ANSWER_TOKENS,
    RULE_BASELINE,
    TEMPERATURE,
    JudgeRefused,
    judge_parameters,
)
from annotation.judge.selectors import judging_endpoints, judging_prompt_sets, summaries_to_choose
from annotation.models import Annotator, Study
from summarizer.forms.launch import BudgetField, RunChoice
from summarizer.identifiers import row_ids
from summarizer.jobs.launch_keys import LaunchKey
from summarizer.jobs.services import run_problem
from summarizer.models import Endpoint, PromptSet, Summary, System


class EndpointChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # not subscriptable at run time
    def label_from_instance(self, obj: Endpoint) -> str:
        return f"{obj.name}: {obj.model}" if obj.is_llm else RULE_BASELINE


class PromptSetChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: PromptSet) -> str:
        return f"{obj.name}, version of {obj.created_at:%d %b %Y} ({obj.content_sha256[:8]})"


class ModeChoice(forms.ChoiceField):
    """A form that does not say goes sentence by sentence."""

    def __init__(self) -> None:
        super().__init__(
            choices=[
                (Annotator.Mode.SENTENCE, "One call a sentence"),
                (Annotator.Mode.BATCH, "Several sentences a call"),
            ],
            initial=Annotator.Mode.SENTENCE,
            label="Mode",
            help_text="Several a call cost far less, as the summary is not sent with each. It is another judge: the "
            "marks of the two never mix.",
        )

    def clean(self, value: Any) -> str:
        return str(super().clean(value or Annotator.Mode.SENTENCE))


class JudgeLaunchForm(forms.Form):
    """What is judged, and by whom. Gives `parameters` and `summaries` in the cleaned data.

    The summaries are those of the study, of the system, of the system within the study, or those named one by one
    (`offered`). `summary` holds the ticked ones; it counts only while `scope` says that they were offered for the
    study and the system that are chosen now.
    """

    client_key = forms.UUIDField(widget=forms.HiddenInput)
    study = forms.ModelChoiceField(
        queryset=Study.objects.none(),
        required=False,
        to_field_name="name",
        empty_label="No study",
        help_text="Its summaries are judged, and the judge's marks count in it.",
    )
    system = forms.ModelChoiceField(
        queryset=System.objects.none(),
        required=False,
        empty_label="All systems",
        help_text="Only summaries by this system.",
    )
    endpoint = EndpointChoice(queryset=Endpoint.objects.none(), empty_label=None, label="Judge")
    prompt_set = PromptSetChoice(
        queryset=PromptSet.objects.none(),
        empty_label=None,
        label="Prompts",
        help_text="Scores are comparable with published ones only with the published prompts. To use those, load their "
        "folder with the command judge --prompts.",
    )
    mode = ModeChoice()
    batch_size = forms.IntegerField(
        initial=BATCH_SIZE,
        required=False,
        min_value=1,
        max_value=LARGEST_BATCH,
        label="Sentences a call",
        help_text="At most; counts with several sentences a call.",
    )
    temperature = forms.FloatField(initial=TEMPERATURE, min_value=0, max_value=2)
    max_answer_tokens = forms.IntegerField(
        initial=MAX_ANSWER_TOKENS,
        min_value=16,
        max_value=100_000,
        label="Longest answer, in tokens",
        help_text="About one sentence; a call about ten gets ten times that. Models that reason first need more.",
    )
    repeat = forms.IntegerField(
        initial=1,
        min_value=1,
        max_value=1000,
        label="Run",
        help_text="2 or more judges the same summaries again, as a judge of its own.",
    )
    run = RunChoice()
    budget_usd = BudgetField()

    _JUDGE = ("endpoint", "prompt_set", "mode", "batch_size", "temperature", "max_answer_tokens", "repeat")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = {
            "study": Study.objects.order_by("title"),
            "system": System.objects.filter(summaries__isnull=False).distinct(),
            "endpoint": judging_endpoints(),
            "prompt_set": judging_prompt_sets(),
        }
        for name, queryset in choices.items():
            self.fields[name].queryset = queryset  # type: ignore[attr-defined]

    @property
    def launch_key(self) -> LaunchKey:
        """Of a valid form."""
        asked = {name: self.cleaned_data.get(name) for name in (*self.fields, "summaries") if name != "client_key"}
        return LaunchKey.of(self.cleaned_data["client_key"], asked)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors.keys() & {"study", "system"}:
            data["offered"] = self._offered(data)
            data["summaries"] = self._ticked(data["offered"])
        if not self.errors.keys() & set(self._JUDGE):
            values = {name: data[name] for name in self._JUDGE}
            try:
                data["parameters"] = judge_parameters(**{**values, "batch_size": values["batch_size"] or BATCH_SIZE})
            except JudgeRefused as error:
                self.add_error(None, str(error))
        if data.get("endpoint") and (problem := run_problem(data.get("run", ""), data["endpoint"])):
            self.add_error("run", problem)
        return data

    @property
    def scope(self) -> str:
        """What the offered summaries were chosen by."""
        study, system = self.cleaned_data.get("study"), self.cleaned_data.get("system")
        return f"{study.pk if study else ''}/{system.pk if system else ''}"

    def _offered(self, data: dict[str, Any]) -> list[Summary]:
        return summaries_to_choose(study=data["study"], system=data["system"], ids=self._ids("offered"))

    def _ticked(self, offered: list[Summary]) -> list[Summary]:
        if self.data.get("scope") != self.scope:
            return offered
        ticked = self._ids("summary")
        return [summary for summary in offered if summary.pk in ticked]

    def _ids(self, name: str) -> set[int]:
        values = self.data.getlist(name) if hasattr(self.data, "getlist") else self.data.get(name, [])
        return row_ids(str(value) for value in values)
