"""An invented story and summaries of it, on which people try out how summaries are checked. Pure."""

TITLE = "The Lamp at Quill Point"

SOURCE = """\
Nora Vane had kept the lamp at Quill Point for eleven years when the letter came. She read it twice at the \
kitchen table, put it under the sugar bowl, and went up to trim the wick.

“They will send a machine in the spring,” she told her brother that evening. “It needs no keeper.” Tom mended \
clocks in the village and trusted machines more than people, but he said that no machine would hear a rowing \
boat in the fog.

The winter was mild. The herring came early, and the boats went out in all weathers. Nora oiled the stairs, \
counted the candles, and wrote no answer to the letter.

In February the fog lay on the water for three days. On the second night the oil ran out, and the lamp went dark \
while four boats were still at sea. Nora lit the candles, but they were no more than a row of sparks. Down in \
the village Tom ran to the church and pulled the bell rope until his hands bled. One after the other, the boats \
followed the sound into the harbour.

The machine came in April, in nine crates. Nora signed for it, and then she asked the driver whether he would \
take the old lamp away. He would not. It stands in Tom’s window now, between the clocks, and on foggy evenings \
he lights it.
"""

#: What the example asks about, one statement a sentence: by a hint, by searching, and not supported.
STATEMENTS = (
    "Nora Vane has kept the lamp at Quill Point for eleven years.",
    "When the lamp goes dark in the fog, her brother Tom rings the church bell.",
    "The machine arrives in autumn.",
)
SUMMARY = " ".join(STATEMENTS)
#: Another summary of the story; the source supports all of it.
OTHER_SUMMARY = (
    "After eleven years as keeper of the lamp, Nora is told that a machine will come. Her brother Tom guides four "
    "boats home through the fog with the church bell. In April the machine is there, and the old lamp "
    "goes to Tom’s window."
)
#: A rating that is too low for it, by scale.
OTHER_RATING = {"0-5": 3, "1-5": 3, "0-100": 60}

_HINTS = (
    ("Nora Vane had kept the lamp at Quill Point for eleven years when the letter came.", "The winter was mild."),
    ("The herring came early, and the boats went out in all weathers.", "It stands in Tom’s window now"),
    ("“They will send a machine in the spring,”", "The machine came in April, in nine crates."),
)


def example_hints() -> dict[str, list[list[int]]]:
    """By statement, as the pages get them: places `[start, end)` of the source, the likeliest first."""
    return {str(at): [_place(quote) for quote in quotes] for at, quotes in enumerate(_HINTS)}


def _place(quote: str) -> list[int]:
    start = SOURCE.index(quote)
    return [start, start + len(quote)]
