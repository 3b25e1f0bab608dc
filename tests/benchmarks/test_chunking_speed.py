"""Chunking costs at most twice one encoding of the text, also when the text is one line (ratios of one run)."""

import time
from collections.abc import Callable
from random import Random

import pytest

from summarizer.chunking import chunk
from summarizer.tokens import count_tokens, encode

MOST = 2.0


def novel(characters: int) -> str:
    """Invented prose: paragraphs of sentences with speech, clauses and abbreviations."""
    random = Random(7)
    nouns = ["mill", "river", "captain", "letter", "morning", "Kellynch", "boat", "Mr. Rob", "house", "daughter"]
    verbs = ["left", "remembered", "walked to", "could not forgive", "had always known", "wrote of", "closed"]
    text = []
    length = 0
    while length < characters:
        sentences = []
        for _ in range(random.randint(2, 9)):
            clause = ", and ".join(
                f"the {random.choice(nouns)} {random.choice(verbs)} the {random.choice(nouns)}"
                for _ in range(random.randint(1, 4))
            )
            sentences.append(f"“{clause.capitalize()}.”" if random.random() < 0.3 else f"{clause.capitalize()}.")
        text.append(" ".join(sentences))
        length += len(text[-1])
    return "\n\n".join(text)


def fastest(work: Callable[[], object]) -> float:
    times = []
    for _ in range(9):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


@pytest.mark.parametrize("size", [2048, 512])
@pytest.mark.parametrize("one_line", [False, True])
def test_chunking_costs_at_most_two_encodings(size: int, one_line: bool) -> None:
    text = novel(700_000)
    if one_line:
        text = text.replace("\n", " ")
    assert count_tokens(text) > 100_000
    chunk(text[:10_000], size)
    ratio = fastest(lambda: chunk(text, size)) / fastest(lambda: encode(text))
    print(f"\nchunking at {size}{', one line' if one_line else ''}: {ratio:.2f} x one encode")
    assert ratio <= MOST


def test_ten_times_the_text_takes_about_ten_times_as_long() -> None:
    short, long = novel(100_000).replace("\n", " "), novel(1_000_000).replace("\n", " ")
    assert fastest(lambda: chunk(long, 512)) < 20 * fastest(lambda: chunk(short, 512))
