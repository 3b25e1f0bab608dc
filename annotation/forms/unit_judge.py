"""The form that launches a judge of units."""

from typing import Any

from django import forms

from annotation.forms.judge import EndpointChoice, PromptSetChoice
from annotation.judge.judges import MAX_ANSWER_TOKENS, TEMPERATURE, JudgeRefused
from annotation.models import FaithfulnessPlan
from annotation.unit_judge.judges import unit_judge_parameters
from annotation.unit_judge.passages import MOST_PASSAGES, NEIGHBOURS, PASSAGES
from annotation.unit_judge.selectors import (
    summaries_with_units,
    unit_judging_endpoints,
    unit_judging_prompt_sets,
)
from summarizer.forms.launch import BudgetField, RunChoice
from summarizer.identifiers import row_ids
from summarizer.jobs.launch_keys import LaunchKey
from summarizer.jobs.services import run_problem
from summarizer.models import Endpoint, PromptSet, Summary


class UnitJudgeForm(forms.Form):
    """Which summaries of a study are judged, and by whom. Gives `parameters` and `summaries` in the cleaned data.

    `summary` holds the ticked ones; it counts only where `offered` says that there was a list to tick in.
    """

    client_key = forms.UUIDField(widget=forms.HiddenInput)
    endpoint = EndpointChoice(queryset=Endpoint.objects.none(), empty_label=None, label="Judge")
    prompt_set = PromptSetChoice(
        queryset=PromptSet.objects.none(),
        empty_label=None,
        label="Prompts",
        help_text="The file judge_unit.txt of the set is sent.",
    )
    passages = forms.IntegerField(
        initial=PASSAGES,
        min_value=1,
        max_value=MOST_PASSAGES,
        help_text=f"How many sentences of the book are shown with a unit: those that most likely bear on it, each with "
        f"{NEIGHBOURS} before and after it. Fewer where the context window ends. Another number is another judge.",
    )
    temperature = forms.FloatField(initial=TEMPERATURE, min_value=0, max_value=2)
    max_answer_tokens = forms.IntegerField(
        initial=MAX_ANSWER_TOKENS,
        min_value=16,
        max_value=100_000,
        label="Longest answer, in tokens",
        help_text="About one unit. Models that reason first need more.",
    )
    repeat = forms.IntegerField(
        initial=1,
        min_value=1,
        max_value=1000,
        label="Run",
        help_text="2 or more judges the same units again, as a judge of its own.",
    )
    run = RunChoice()
    budget_usd = BudgetField()

    _JUDGE = ("endpoint", "prompt_set", "passages", "temperature", "max_answer_tokens", "repeat")

    def __init__(self, *args: Any, plan: FaithfulnessPlan, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study, self.offered = plan.study, summaries_with_units(plan)
        self.fields["endpoint"].queryset = unit_judging_endpoints()  # type: ignore[attr-defined]
        self.fields["prompt_set"].queryset = unit_judging_prompt_sets()  # type: ignore[attr-defined]

    @property
    def launch_key(self) -> LaunchKey:
        """Of a valid form."""
        asked = {name: self.cleaned_data.get(name) for name in (*self.fields, "summaries") if name != "client_key"}
        return LaunchKey.of(self.cleaned_data["client_key"], {**asked, "study": self.study})

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        data["summaries"] = self.ticked
        if not self.errors.keys() & set(self._JUDGE):
            try:
                data["parameters"] = unit_judge_parameters(**{name: data[name] for name in self._JUDGE})
            except JudgeRefused as error:
                self.add_error(None, str(error))
        if data.get("endpoint") and (problem := run_problem(data.get("run", ""), data["endpoint"])):
            self.add_error("run", problem)
        return data

    @property
    def has_endpoints(self) -> bool:
        return unit_judging_endpoints().exists()

    @property
    def ticked(self) -> list[Summary]:
        """All at first."""
        if not self.is_bound or not self.data.get("offered"):
            return self.offered
        values = self.data.getlist("summary") if hasattr(self.data, "getlist") else self.data.get("summary", [])
        ids = row_ids(str(value) for value in values)
        return [summary for summary in self.offered if summary.pk in ids]

    @property
    def ticked_ids(self) -> set[int]:
        return {summary.pk for summary in self.ticked}
