"""Judges: an endpoint with a prompt set and parameters, as an annotator."""

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from annotation.judge.strategy import BATCH_PROMPT_FILE, PROMPT_FILE, JudgeSettings
from annotation.models import Annotator
from annotation.unit_judge.strategy import PROMPT_FILE as UNIT_PROMPT_FILE
from summarizer.models import Endpoint, PromptSet
from summarizer.prompts import PromptFiles
from summarizer.services.prompt_sets import prompt_files

TEMPERATURE = 0.0
MAX_ANSWER_TOKENS = 256
#: Sentences a call in batch mode: usual (as in the public release), and at most.
BATCH_SIZE, LARGEST_BATCH = 10, 100
#: How sentences are judged.
SENTENCE_MODES = (Annotator.Mode.SENTENCE, Annotator.Mode.BATCH)
RULE_BASELINE = "Rule baseline (no LLM)"
#: The rule baseline reads the sentences themselves; its prompts only tell its calls apart in the ledger.
_RULE_PROMPTS = PromptFiles({PROMPT_FILE: "{sentence}"}, "named")


class JudgeRefused(Exception):
    """A judge or a judge run that cannot be; the message says why and what to do instead."""


@dataclass(frozen=True, slots=True)
class JudgeParameters:
    """All that makes a judge. A further run of the same one (`repeat`) is a judge of its own.

    `temperature` 0 to 2, `max_answer_tokens` (for one sentence) and `repeat` from 1; `batch_size` is 1 by sentence. The
    rule baseline has no prompt set. `passages` is 0 except for a judge of units (`annotation.unit_judge.judges`).
    """

    endpoint: Endpoint
    prompt_set: PromptSet | None
    mode: str = Annotator.Mode.SENTENCE
    temperature: float = TEMPERATURE
    max_answer_tokens: int = MAX_ANSWER_TOKENS
    repeat: int = 1
    batch_size: int = 1
    passages: int = 0

    @property
    def prompt_file(self) -> str:
        """The one file of the prompt set that this judge reads."""
        return UNIT_PROMPT_FILE if self.mode == Annotator.Mode.UNIT else self.settings().prompt_file

    def settings(self) -> JudgeSettings:
        """Of a judge of sentences."""
        prompts = prompt_files(self.prompt_set) if self.prompt_set else _RULE_PROMPTS
        batch_size = self.batch_size if self.mode == Annotator.Mode.BATCH else None
        return JudgeSettings(prompts, self.temperature, self.max_answer_tokens, batch_size)


def judge_parameters(
    *,
    endpoint: Endpoint,
    prompt_set: PromptSet | None,
    mode: str = Annotator.Mode.SENTENCE,
    temperature: float = TEMPERATURE,
    max_answer_tokens: int = MAX_ANSWER_TOKENS,
    repeat: int = 1,
    batch_size: int = BATCH_SIZE,
) -> JudgeParameters:
    """Checked parameters of a judge of sentences; what the mode or the rule baseline does not read is set aside.

    Raises `JudgeRefused`.
    """
    if mode not in SENTENCE_MODES:
        raise JudgeRefused("This judge judges units of summaries, not sentences. Run it with judge_units.")
    in_batches = mode == Annotator.Mode.BATCH
    if endpoint.provider == Endpoint.Provider.EXTRACTIVE:
        raise JudgeRefused("The extractive baseline can only summarize. Choose “rules”, the baseline that judges.")
    if repeat < 1:
        raise JudgeRefused("The number of the run (repeat) counts from 1.")
    if endpoint.provider == Endpoint.Provider.RULES:
        if in_batches:
            raise JudgeRefused(
                "The rule baseline calls no LLM, so there are no calls to put sentences together in. Choose the mode "
                "“sentence by sentence” for it."
            )
        return JudgeParameters(endpoint, None, repeat=repeat)
    if prompt_set is None:
        raise JudgeRefused("Choose a prompt set.")
    if (needed := BATCH_PROMPT_FILE if in_batches else PROMPT_FILE) not in prompt_set.files:
        raise JudgeRefused(
            f"The prompt set {prompt_set} lacks {needed}, the judge's prompt in this mode. Choose another set or mode."
        )
    if in_batches and not 1 <= batch_size <= LARGEST_BATCH:
        raise JudgeRefused(f"A call can ask about 1 to {LARGEST_BATCH} sentences.")
    require_in_range(temperature, max_answer_tokens)
    return JudgeParameters(
        endpoint, prompt_set, mode, temperature, max_answer_tokens, repeat, batch_size if in_batches else 1
    )


def require_in_range(temperature: float, max_answer_tokens: int) -> None:
    """Raises `JudgeRefused`."""
    if not 0 <= temperature <= 2:
        raise JudgeRefused("The temperature must be between 0 and 2.")
    if max_answer_tokens < 1:
        raise JudgeRefused("The longest answer must have at least one token.")


def parameters_of(judge: Annotator) -> JudgeParameters:
    """The parameters that a judge was made with. Raises `JudgeRefused` when it can no longer run as that judge."""
    return judge_parameters(
        endpoint=endpoint_of(judge),
        prompt_set=judge.prompt_set,
        mode=judge.mode,
        temperature=TEMPERATURE if judge.temperature is None else judge.temperature,
        max_answer_tokens=judge.max_answer_tokens or MAX_ANSWER_TOKENS,
        repeat=judge.repeat,
        batch_size=judge.batch_size,
    )


def endpoint_of(judge: Annotator) -> Endpoint:
    """The endpoint that a judge runs on. Raises `JudgeRefused` when it is no longer what the judge was made with."""
    if judge.endpoint is None:
        raise JudgeRefused(f"The judge {judge} was imported. It cannot run here.")
    if judge.endpoint.model != judge.model:
        raise JudgeRefused(
            f"The endpoint {judge.endpoint} has another model now ({judge.endpoint.model}, not {judge.model}). "
            "Set it back and retry, or launch anew with the other model, which is another judge."
        )
    return judge.endpoint


def existing_judge(parameters: JudgeParameters) -> Annotator | None:
    """The judge that was made with these parameters.

    Of its prompt set only the judge's own prompt counts: a set in which another file has changed is a new row, but
    makes no other judge, and nothing is to be paid again.
    """
    fields = _fields(parameters)
    del fields["prompt_set"]
    candidates = Annotator.objects.filter(**fields).select_related("prompt_set").order_by("pk")
    path = parameters.prompt_file
    wanted = _prompt(parameters.prompt_set, path)
    return next((each for each in candidates if _prompt(each.prompt_set, path) == wanted), None)


def _prompt(prompt_set: PromptSet | None, path: str) -> tuple[str, str] | None:
    return (prompt_set.files.get(path, ""), prompt_set.placeholders) if prompt_set else None


def judge_for(
    *,
    endpoint: Endpoint,
    prompt_set: PromptSet | None,
    mode: str = Annotator.Mode.SENTENCE,
    temperature: float = TEMPERATURE,
    repeat: int = 1,
    max_answer_tokens: int = MAX_ANSWER_TOKENS,
    batch_size: int = BATCH_SIZE,
) -> Annotator:
    """The judge with these parameters, made on first use. Raises `JudgeRefused`."""
    return judge_with(
        judge_parameters(
            endpoint=endpoint,
            prompt_set=prompt_set,
            mode=mode,
            temperature=temperature,
            max_answer_tokens=max_answer_tokens,
            repeat=repeat,
            batch_size=batch_size,
        )
    )


def judge_with(parameters: JudgeParameters) -> Annotator:
    """The judge with these (checked) parameters, made on first use."""
    if judge := existing_judge(parameters):
        return judge
    try:
        with transaction.atomic():
            return Annotator.objects.create(pseudonym=free_name(parameters), **_fields(parameters))
    except IntegrityError:
        if judge := existing_judge(parameters):  # another launch made it meanwhile
            return judge
        raise


def lock_judge(judge_id: int) -> Annotator:
    """Lock a judge until the transaction ends: its launches come one after the other, so nothing is paid twice."""
    return Annotator.objects.select_for_update(of=("self",)).get(pk=judge_id)


def free_name(parameters: JudgeParameters) -> str:
    """The name that a new judge gets: the endpoint's, with whatever is not as usual or tells it from its namesakes."""
    parts = [parameters.endpoint.name if parameters.endpoint.is_llm else RULE_BASELINE]
    if parameters.mode == Annotator.Mode.BATCH:
        parts.append(f"{parameters.batch_size} sentences a call")
    if parameters.mode == Annotator.Mode.UNIT:
        parts.append(f"units by {parameters.passages} passage{'' if parameters.passages == 1 else 's'}")
    if parameters.prompt_set and parameters.prompt_set.name != "default":
        parts.append(f"prompts {parameters.prompt_set.name}")
    if parameters.temperature != TEMPERATURE:
        parts.append(f"temperature {parameters.temperature:g}")
    if parameters.max_answer_tokens != MAX_ANSWER_TOKENS:
        parts.append(f"answers to {parameters.max_answer_tokens} tokens")
    if parameters.repeat != 1:
        parts.append(f"run {parameters.repeat}")
    name = ", ".join(parts)[:120]
    taken = {judge.pseudonym: judge for judge in Annotator.objects.filter(pseudonym__startswith=name)}
    if namesake := taken.get(name):
        name = f"{name}, {_difference(parameters, namesake)}"[:180]
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return next(each for each in [name, *numbered] if each not in taken)


def _difference(parameters: JudgeParameters, namesake: Annotator) -> str:
    if namesake.endpoint != parameters.endpoint or parameters.prompt_set is None:
        return "run here"  # the namesake was imported, or is a person's pseudonym
    if namesake.model != parameters.endpoint.model:
        return parameters.endpoint.model
    return f"prompts {parameters.prompt_set.content_sha256[:8]}"


def _fields(parameters: JudgeParameters) -> dict[str, object]:
    return {
        "kind": Annotator.Kind.JUDGE,
        "endpoint": parameters.endpoint,
        "model": parameters.endpoint.model,
        "prompt_set": parameters.prompt_set,
        "mode": parameters.mode,
        "batch_size": parameters.batch_size,
        "passages": parameters.passages,
        "temperature": parameters.temperature,
        "max_answer_tokens": parameters.max_answer_tokens,
        "repeat": parameters.repeat,
    }
