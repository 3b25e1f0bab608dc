"""Judge files: a verdict for every sentence by position, and a mark for every confused one."""

from dataclasses import dataclass
from pathlib import Path

from django.utils import timezone

from annotation.models import Annotation, AnnotationSet, Annotator, ErrorType, Study, Verdict
from annotation.release.files import ReleaseError, ReleaseFiles
from annotation.release.judgements import JudgementFile, Placed, Row, is_demonstration, place_rows, read_judgements
from annotation.services.release.record import Record, counted
from annotation.services.release.systems import Summaries
from annotation.services.release.writing import NewMark, imported_annotator, note_unknown_types, write_marks
from summarizer.models import Sentence, Summary

#: Who judged in the release.
MODEL = "gpt-4"
NO_QUESTION = "types without a question"
NOT_LISTED = "The imported file lists all sentences, but not this one."


@dataclass(frozen=True)
class JudgeImport:
    study: Study
    summaries: Summaries
    absent: str
    types: dict[str, ErrorType]
    record: Record

    def take_files(self, files: ReleaseFiles) -> None:
        for mode, paths in (
            (Annotator.Mode.SENTENCE, files.judgements),
            (Annotator.Mode.BATCH, files.batch_judgements),
        ):
            for system, path in paths.items():
                self._take_file(system, path, mode, files.name(path))

    def _take_file(self, system: str, path: Path, mode: Annotator.Mode, where: str) -> None:
        if system not in self.summaries:
            self.record.note(where, f"Judges summaries of {system}, but no file holds those summaries: left out.")
            return
        file = read_judgements(path)
        judge = self._judge(mode, "" if file.lists_clean else self.absent)
        self.study.judges.add(judge)
        judged = set(AnnotationSet.objects.filter(annotator=judge).values_list("summary_id", flat=True))
        for book, summary in self.summaries[system].items():
            if (rows := self._rows(file, book, where)) is not None:
                self._take_summary(judge, summary, rows, file, f"{where}, {book}", judged)
        for book in sorted(file.books.keys() - self.summaries[system].keys()):
            self.record.note(where, f"{book} has judgements but no summary: left out.")

    def _judge(self, mode: Annotator.Mode, absent: str) -> Annotator:
        """An imported judge for each rule: what an absent book means changes the verdicts."""
        other = self.study.judges.filter(endpoint=None, mode=mode).exclude(absent_rule__in=("", absent)).first()
        if other is not None and absent:
            raise ReleaseError(
                f"This study was imported with --absent {other.absent_rule}. "
                f"Import into another study to see the figures with {absent}."
            )
        words = [f"{MODEL} (release", Annotator.Mode(mode).label.lower(), *([f"absent: {absent}"] if absent else [])]
        judge, created = imported_annotator(
            f"{', '.join(words)})", Annotator.Kind.JUDGE, model=MODEL, mode=mode, absent_rule=absent
        )
        self.record.created["judges"] += created
        return judge

    def _rows(self, file: JudgementFile, book: str, where: str) -> list[Row] | None:
        """What the file says about a book, by the rule for absent ones; None where it was not judged."""
        rows = file.books.get(book)
        if file.lists_clean:
            if rows is None:
                self.record.note(where, f"{book} is not listed: not judged.")
            return rows
        if self.absent == Annotator.AbsentRule.PUBLISHED and is_demonstration(book):
            if rows:
                self.record.note(
                    where, f"{book} is a demonstration of the prompt: {counted(len(rows), 'mark')} left out."
                )
            return None
        if self.absent == Annotator.AbsentRule.NOT_JUDGED and book not in file.books:
            return None
        return rows or []

    def _take_summary(
        self, judge: Annotator, summary: Summary, rows: list[Row], file: JudgementFile, where: str, judged: set[int]
    ) -> None:
        sentences = list(summary.sentences.all())
        texts = [summary.text[sentence.start : sentence.end] for sentence in sentences]
        placed = place_rows(rows, texts, lists_clean=file.lists_clean)
        marks = {
            position: _mark(position, row, sentences[position]) for position, row in sorted(placed.confused.items())
        }
        self._note(placed, list(marks.values()), where)
        if summary.pk in judged:
            self._note_other_judgements(judge, summary, placed, where)
            return
        annotation_set = AnnotationSet.objects.create(
            annotator=judge, summary=summary, state=AnnotationSet.State.SUBMITTED, submitted_at=timezone.now()
        )
        annotations = write_marks(annotation_set, summary.text, list(marks.values()), self.types, self.record)
        verdicts = _verdicts(annotation_set, sentences, placed, dict(zip(marks, annotations, strict=True)))
        self.record.created["verdicts"] += len(Verdict.objects.bulk_create(verdicts))

    def _note_other_judgements(self, judge: Annotator, summary: Summary, placed: Placed, where: str) -> None:
        """A judge marks a summary once, so an earlier import stays; where it said something else, that is told."""
        confused = Verdict.objects.filter(
            annotation_set__annotator=judge, annotation_set__summary=summary, state=Verdict.State.CONFUSED
        )
        if set(confused.values_list("sentence__index", flat=True)) != placed.confused.keys():
            self.record.note(
                where, f"{judge} was imported with other judgements before: those stay, these are left out."
            )

    def _note(self, placed: Placed, marks: list[NewMark], where: str) -> None:
        for row in placed.unmatched:
            self.record.note(where, f"No sentence of the summary reads “{row.text}”: its mark is left out.")
        for row in placed.trimmed:
            self.record.note(where, f"“{row.text}” is a sentence only after trimming: taken as that one.")
        if copies := len(placed.unlisted):
            self.record.note(
                where,
                f"A repeated sentence is listed once: {counted(copies, 'copy')} without judgement, out of the score.",
            )
        if lacking := len(placed.missing):
            self.record.note(where, f"{counted(lacking, 'sentence')} not listed: unparsed, so there is no final score.")
        if bare := sum(NO_QUESTION in mark.flags for mark in marks):
            self.record.note(where, f"{counted(bare, 'mark')} with types and no question: taken as confused.")
        note_unknown_types(where, marks, self.types, self.record)


def _mark(position: int, row: Row, sentence: Sentence) -> NewMark:
    return NewMark(
        name=f"sentence {position}",
        spans=((sentence.start, sentence.end),),
        questions=row.questions,
        types=row.types,
        flags=() if row.questions else (NO_QUESTION,),
    )


def _verdicts(
    annotation_set: AnnotationSet, sentences: list[Sentence], placed: Placed, annotations: dict[int, Annotation]
) -> list[Verdict]:
    verdicts = []
    for position, sentence in enumerate(sentences):
        if position in placed.unlisted:
            continue
        state, problem = Verdict.State.CLEAN, ""
        if position in annotations:
            state = Verdict.State.CONFUSED
        elif position in placed.missing:
            state, problem = Verdict.State.UNPARSED, NOT_LISTED
        verdicts.append(
            Verdict(
                annotation_set=annotation_set,
                sentence=sentence,
                state=state,
                annotation=annotations.get(position),
                problem=problem,
            )
        )
    return verdicts
