"""Judges of units: an endpoint with a prompt set, a number of passages and parameters, as an annotator."""

from annotation.judge.judges import (
    MAX_ANSWER_TOKENS,
    TEMPERATURE,
    JudgeParameters,
    JudgeRefused,
    endpoint_of,
    require_in_range,
)
from annotation.models import Annotator
from annotation.unit_judge.passages import MOST_PASSAGES, PASSAGES
from annotation.unit_judge.strategy import PROMPT_FILE, UnitSettings
from summarizer.models import Endpoint, PromptSet
from summarizer.services.prompt_sets import prompt_files


def unit_judge_parameters(
    *,
    endpoint: Endpoint,
    prompt_set: PromptSet | None,
    passages: int = PASSAGES,
    temperature: float = TEMPERATURE,
    max_answer_tokens: int = MAX_ANSWER_TOKENS,
    repeat: int = 1,
) -> JudgeParameters:
    """Checked parameters of a judge of units. Raises `JudgeRefused`."""
    if not endpoint.is_llm:
        raise JudgeRefused("A baseline calls no LLM, and none of them can judge units. Choose an endpoint with an LLM.")
    if prompt_set is None:
        raise JudgeRefused("Choose a prompt set.")
    if PROMPT_FILE not in prompt_set.files:
        raise JudgeRefused(f"The prompt set {prompt_set} lacks {PROMPT_FILE}, the prompt about a unit. Choose another.")
    if not 1 <= passages <= MOST_PASSAGES:
        raise JudgeRefused(f"A call can show the passages around 1 to {MOST_PASSAGES} sentences.")
    if repeat < 1:
        raise JudgeRefused("The number of the run (repeat) counts from 1.")
    require_in_range(temperature, max_answer_tokens)
    return JudgeParameters(
        endpoint,
        prompt_set,
        Annotator.Mode.UNIT,
        temperature,
        max_answer_tokens,
        repeat,
        passages=passages,
    )


def unit_parameters_of(judge: Annotator) -> JudgeParameters:
    """The parameters that a judge was made with. Raises `JudgeRefused` when it can no longer run as that judge."""
    if judge.mode != Annotator.Mode.UNIT:
        raise JudgeRefused(f"The judge {judge} judges sentences, not units.")
    return unit_judge_parameters(
        endpoint=endpoint_of(judge),
        prompt_set=judge.prompt_set,
        passages=judge.passages,
        temperature=TEMPERATURE if judge.temperature is None else judge.temperature,
        max_answer_tokens=judge.max_answer_tokens or MAX_ANSWER_TOKENS,
        repeat=judge.repeat,
    )


def settings_of(parameters: JudgeParameters) -> UnitSettings:
    """Raises `JudgeRefused` without a prompt set."""
    if parameters.prompt_set is None:
        raise JudgeRefused("Choose a prompt set.")
    return UnitSettings(prompt_files(parameters.prompt_set), parameters.temperature, parameters.max_answer_tokens)
