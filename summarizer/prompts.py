"""Prompt templates: which placeholders a file has, and putting text in exactly once.

Two ways of writing a template:

* named (our own sets): `{text}`, `{words}`. Nothing else is special, so an example in JSON needs no escaping.
* positional (the public release's layout): `{}` are filled in the order of `ORDERS`, a file with fewer takes the first
  ones; names work there too, and doubled braces stand for single ones.

Text that was put in is never scanned again: braces in a book are harmless.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Placeholders = Literal["named", "positional"]

#: What the positional placeholders of each file stand for, in order; the keys are all files a prompt set may hold.
ORDERS: dict[str, tuple[str, ...]] = {
    "get_annotations.txt": ("summary", "sentence"),
    "get_annotations_v2.txt": ("summary", "sentences"),
    "get_summaries_hier/init.txt": ("text", "words"),
    "get_summaries_hier/merge.txt": ("text", "words"),
    "get_summaries_hier/merge_context.txt": ("context", "text", "words"),
    "get_summaries_inc/init.txt": ("text", "words", "words"),
    "get_summaries_inc/intermediate.txt": ("text", "summary", "words", "words"),
    "get_summaries_inc/compress.txt": ("summary", "summary_words", "words", "words"),
    "remove_artifacts.txt": ("summary",),
    # Beyond the release's layout:
    "judge_unit.txt": ("summary", "passages", "unit"),
    "get_summaries_one_pass.txt": ("text", "words"),
    "answers.txt": (),
}

#: No prompt, but what is done with the answers of weak models: any of `ANSWER_RULES`, one a line.
ANSWERS = "answers.txt"
ANSWER_RULES = ("cut at the last sentence end", "remove sentences copied from the prompt")

#: What a file must have to be of use; the word limit may be missing (the release's simplest prompts).
REQUIRED: dict[str, tuple[str, ...]] = {
    "get_annotations.txt": ("summary", "sentence"),
    "get_annotations_v2.txt": ("summary", "sentences"),
    "get_summaries_hier/init.txt": ("text",),
    "get_summaries_hier/merge.txt": ("text",),
    "get_summaries_hier/merge_context.txt": ("context", "text"),
    "get_summaries_inc/init.txt": ("text",),
    "get_summaries_inc/intermediate.txt": ("text", "summary"),
    "get_summaries_inc/compress.txt": ("summary",),
    "remove_artifacts.txt": ("summary",),
    "judge_unit.txt": ("passages", "unit"),
    "get_summaries_one_pass.txt": ("text",),
}

_NAME = re.compile(r"\{([a-z_]+)\}")
_POSITIONAL = re.compile(r"\{\{|\}\}|\{([a-z_]*)\}")


class PromptError(ValueError):
    """A template that cannot be used; the message says what is missing and where."""


def render(template: str, values: Mapping[str, str], placeholders: Placeholders, order: Sequence[str]) -> str:
    """The prompt: `template` with `values` put in, in one pass over the template.

    `order` names the positional placeholders and is not used for named ones. Braces that are no known placeholder
    stay. Raises `PromptError` when the template has more `{}` than `order` has names.
    """
    if placeholders == "named":
        return _NAME.sub(lambda match: values.get(match[1], match[0]), template)
    names = iter(order)

    def replace(match: re.Match[str]) -> str:
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if match[1]:
            return values.get(match[1], match[0])
        try:
            return values[next(names)]
        except StopIteration:
            raise PromptError(_too_many(order)) from None

    return _POSITIONAL.sub(replace, template)


def present(template: str, placeholders: Placeholders, order: Sequence[str]) -> set[str]:
    """Names of the placeholders that `template` has (any name in braces). Raises `PromptError` for too many `{}`."""
    if placeholders == "named":
        return set(_NAME.findall(template))
    found = [match[1] for match in _POSITIONAL.finditer(template) if match[1] is not None]
    positional = found.count("")
    if positional > len(order):
        raise PromptError(_too_many(order))
    return {name for name in found if name} | set(order[:positional])


def check(
    template: str, required: Iterable[str], placeholders: Placeholders = "named", order: Sequence[str] = ()
) -> None:
    """Raises `PromptError` when `template` lacks one of the `required` placeholders."""
    missing = [name for name in required if name not in present(template, placeholders, order)]
    if not missing:
        return
    wanted = ", ".join(f"{{{name}}}" for name in missing)
    if placeholders == "positional":
        raise PromptError(f"it has too few {{}} placeholders: {wanted} is not put in anywhere.")
    raise PromptError(f"the placeholder {wanted} is missing. Write it where that text belongs.")


def answer_rules(text: str) -> tuple[str, ...]:
    """The rules that the file `ANSWERS` states. Raises `PromptError` for a line that is none."""
    stated = [line.strip() for line in text.splitlines() if line.strip()]
    if unknown := [line for line in stated if line not in ANSWER_RULES]:
        raise PromptError(f"it says {unknown[0]!r}. Known rules, one a line: {', '.join(map(repr, ANSWER_RULES))}.")
    return tuple(rule for rule in ANSWER_RULES if rule in stated)


def _too_many(order: Sequence[str]) -> str:
    return f"it has more {{}} placeholders than can be filled: at most {len(order)} ({', '.join(order)})."


@dataclass(frozen=True, slots=True)
class PromptFiles:
    """The files of one prompt set, ready to be filled."""

    files: Mapping[str, str]
    placeholders: Placeholders

    def render(self, path: str, **values: str) -> str:
        """The prompt of file `path` with `values` put in."""
        return render(self.files[path], values, self.placeholders, ORDERS[path])

    @property
    def answer_rules(self) -> tuple[str, ...]:
        """Which of `ANSWER_RULES` the set asks for."""
        return answer_rules(self.files.get(ANSWERS, ""))

    def require(self, paths: Iterable[str]) -> None:
        """Raises `PromptError` naming every one of `paths` that is not there."""
        missing = [path for path in paths if path not in self.files]
        if missing:
            raise PromptError(f"It lacks {', '.join(missing)}.")
