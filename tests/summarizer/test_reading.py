from summarizer.reading import without_hard_breaks


def test_paragraphs_broken_to_fit_a_page_are_joined() -> None:
    text = (
        "Chapter 1\n\n\nEmma left the mill that day, and nobody in the whole of the village\n"
        "knew where she had gone, or when she would be with them again, or if\n"
        "she would.\n\nRolf stayed."
    )
    assert without_hard_breaks(text) == (
        "Chapter 1\n\n\nEmma left the mill that day, and nobody in the whole of the village knew where she had gone, "
        "or when she would be with them again, or if she would.\n\nRolf stayed."
    )


def test_verse_headings_and_indented_lines_stay_as_they_are() -> None:
    text = (
        "CHAPTER I\nThe River\n\nThe mill stood still,\nthe river ran.\n\n"
        "    An indented line that is long enough to have been broken to fit,\n    and another one.\n"
    )
    assert without_hard_breaks(text) == text
