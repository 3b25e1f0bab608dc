"""One summary, all eyes: who marked which sentence, and what they asked."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Prefetch

from annotation.models import Annotation, AnnotationSet, Annotator, Study, Verdict
from annotation.selectors.gold import submitted_sets
from scoring.report.building import judge_names
from scoring.statistics.booookscore import SentenceGrid, judge_score, published_score, sentence_score
from scoring.statistics.statistic import Statistic
from summarizer.models import Summary

MARKED, CLEAN, UNPARSED, ABSENT = "marked", "clean", "unparsed", "absent"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Mark:
    source: "Source"
    annotation: Annotation
    quotes: list[str]
    #: One-based numbers of the other sentences that the mark touches.
    elsewhere: list[int]


@dataclass(eq=False)
class Source:
    """One lane: a person or a judge."""

    letter: str
    name: str
    is_judge: bool
    is_baseline: bool
    is_sample: bool
    marks: int
    #: Person: published and by sentence. Judge: the score twice over.
    score: Statistic
    published: Statistic | None
    unparsed: int
    #: A judge's bounds in percent while sentences are unparsed, for example "80.0 to 85.0"; else "".
    bounds: str = ""


@dataclass
class Line:
    number: int
    text: str
    starts_paragraph: bool
    #: (source, state) for each lane.
    cells: list[tuple[Source, str]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)


@dataclass(frozen=True)
class Lanes:
    sources: list[Source]
    lines: list[Line]


def summary_lanes(study: Study, summary: Summary, letters: Mapping[int, str] | None = None) -> Lanes:
    """Submitted marks of the study's people and judges, by sentence; people first. A fixed number of queries.

    `letters`: of each annotator, where the same ones stand elsewhere too; else in the order of the lanes.
    """
    ranges = list(summary.sentences.values_list("start", "end"))
    lines = [
        Line(number, summary.text[start:end], number == 1 or "\n" in summary.text[ranges[number - 2][1] : start])
        for number, (start, end) in enumerate(ranges, start=1)
    ]
    grid = SentenceGrid(ranges)
    labels = {judge.id: judge.label for judge in judge_names(list(study.judges.select_related("endpoint")))}
    sources = []
    for index, annotation_set in enumerate(_sets(study, summary)):
        letter = letters[annotation_set.annotator_id] if letters else letter_of(index)
        sources.append(_add_lane(letter, annotation_set, lines, grid, labels))
    return Lanes(sources, lines)


@dataclass(frozen=True)
class BookLanes:
    """All summaries of a book in a study, by system; a source has the same letter in each."""

    summaries: list[tuple[Summary, Lanes]]

    @property
    def sources(self) -> list[tuple[Source, int]]:
        """Everybody who looked at any of them, by letter, with the number of summaries that they looked at."""
        found: dict[str, list[Source]] = defaultdict(list)
        for _, lanes in self.summaries:
            for source in lanes.sources:
                found[source.letter].append(source)
        return [(found[letter][0], len(found[letter])) for letter in sorted(found, key=lambda each: (len(each), each))]


def book_lanes(study: Study, summaries: Sequence[Summary]) -> BookLanes:
    """`summaries`: of one book. A fixed number of queries for each."""
    sets = AnnotationSet.objects.none()
    for summary in summaries:
        sets = sets | submitted_sets(study, summary)
    ordered = sets.order_by("-annotator__kind", "annotator__pseudonym").values_list("annotator_id", flat=True)
    letters = {annotator: letter_of(index) for index, annotator in enumerate(dict.fromkeys(ordered))}
    return BookLanes([(summary, summary_lanes(study, summary, letters)) for summary in summaries])


def letter_of(index: int) -> str:
    """The short name of the source at this position."""
    return LETTERS[index] if index < len(LETTERS) else str(index + 1)


def _sets(study: Study, summary: Summary) -> list[AnnotationSet]:
    annotations = Annotation.objects.prefetch_related("spans", "error_types").order_by("id")
    return list(
        submitted_sets(study, summary)
        .select_related("annotator__endpoint")
        .prefetch_related(
            Prefetch("annotations", annotations),
            Prefetch("verdicts", Verdict.objects.select_related("sentence")),
        )
    )


def _add_lane(
    letter: str, annotation_set: AnnotationSet, lines: list[Line], grid: SentenceGrid, labels: dict[int, str]
) -> Source:
    annotator = annotation_set.annotator
    annotations = list(annotation_set.annotations.all())
    touched: dict[int, list[Annotation]] = defaultdict(list)
    places: dict[int, list[int]] = {}
    for annotation in annotations:
        spans = [(span.start, span.end) for span in annotation.spans.all()]
        places[annotation.pk] = sorted({position for span in spans for position in grid.touched(span)})
        for position in places[annotation.pk]:
            touched[position].append(annotation)
    states = _states(annotation_set, len(lines), set(touched))
    source = _source(letter, annotator, labels.get(annotator.pk, annotator.pseudonym), states, len(annotations))
    for position, line in enumerate(lines):
        line.cells.append((source, states[position]))
        for annotation in touched[position]:
            others = [other + 1 for other in places[annotation.pk] if other != position]
            quotes = [span.quote for span in annotation.spans.all()]
            line.marks.append(Mark(source, annotation, quotes, others))
    return source


def _states(annotation_set: AnnotationSet, sentences: int, touched: set[int]) -> list[str]:
    """State of every sentence for one source. A judge's come from its verdicts, a person's from the marks."""
    if annotation_set.annotator.kind == Annotator.Kind.PERSON:
        return [MARKED if position in touched else CLEAN for position in range(sentences)]
    words = {Verdict.State.CONFUSED: MARKED, Verdict.State.CLEAN: CLEAN, Verdict.State.UNPARSED: UNPARSED}
    missing = ABSENT if annotation_set.annotator.endpoint_id is None else UNPARSED
    states = [missing] * sentences
    for verdict in annotation_set.verdicts.all():
        states[verdict.sentence.index] = words[Verdict.State(verdict.state)]
    return states


def _source(letter: str, annotator: Annotator, name: str, states: list[str], marks: int) -> Source:
    sentences = len(states)
    is_judge = annotator.kind == Annotator.Kind.JUDGE
    bounds = ""
    if is_judge:
        judged = judge_score(
            sentences=sentences - states.count(ABSENT),
            confused=states.count(MARKED),
            unparsed=states.count(UNPARSED),
        )
        score, published = judged.score, None
        if states.count(UNPARSED) and judged.low is not None and judged.high is not None:
            bounds = f"{100 * judged.low:.1f} to {100 * judged.high:.1f}"
    else:
        score = sentence_score({position for position, state in enumerate(states) if state == MARKED}, sentences)
        published = published_score(marks, sentences)
    return Source(
        letter=letter,
        name=name,
        is_judge=is_judge,
        is_baseline=annotator.is_baseline,
        is_sample=annotator.is_sample,
        marks=marks,
        score=score,
        published=published,
        unparsed=states.count(UNPARSED),
        bounds=bounds,
    )
