"""What a scripted judge says about several sentences in a call."""

import json
import re
from collections.abc import Callable
from typing import Any


def judged_sentences(prompt: str) -> dict[int, str]:
    """The sentences that a judge's prompt asks about, by number: in tags behind the demonstrations, or as lines."""
    task = prompt.rpartition("</summary>")[2]
    found = re.findall(r'<sentence number="(\d+)">\n(.*?)\n</sentence>', task, re.DOTALL)
    return {int(number): text for number, text in found or re.findall(r"^(\d+)\. (.+)$", prompt, re.MULTILINE)}


def entry(number: int, questions: str | None = None, *types: str) -> dict[str, Any]:
    return {"sentence_num": number, "questions": questions, "types": list(types)}


def about_each(prompt: str, answer: Callable[[str], tuple[str, str] | None]) -> str:
    """An answer about every sentence; `answer` gives a question and a type, or None for a clean one."""
    results = []
    for number, sentence in judged_sentences(prompt).items():
        said = answer(sentence)
        results.append(entry(number, said[0], said[1]) if said else entry(number))
    return json.dumps({"results": results})
