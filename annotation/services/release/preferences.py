"""Preferences: answers where they are exported, totals where only those exist."""

from collections import Counter
from dataclasses import dataclass

from annotation.models import Annotator, Comparison, ComparisonAnswer, ComparisonTally, Study
from annotation.release.files import ReleaseFiles, RoundFiles
from annotation.release.preferences import (
    OMISSION,
    ComparedBook,
    Count,
    read_comparisons,
    read_counts,
)
from annotation.services.release.people import person
from annotation.services.release.record import Record
from annotation.services.release.systems import SummaryImport
from summarizer.models import Summary

#: How the release names the two systems that it compares, in file names and in the files of totals.
METHODS = ("inc", "hier")


@dataclass(frozen=True)
class PreferenceImport:
    study: Study
    summaries: SummaryImport
    record: Record

    def take_files(self, files: ReleaseFiles) -> None:
        for part in files.preferences:
            annotator = person(f"release preferences, {part.person}", self.study, self.record)
            where = files.name(part.answers or part.counts or files.root)
            answered = self._take_answers(part, annotator, where)
            if part.counts is not None:
                self._take_counts(part, annotator, answered, files.name(part.counts))

    def _take_answers(self, part: RoundFiles, annotator: Annotator, where: str) -> Counter[tuple[str, str, str]]:
        """Store the answers; returns how often each was given, by question, method and answer."""
        given: Counter[tuple[str, str, str]] = Counter()
        for compared in read_comparisons(part.answers) if part.answers else []:
            sides = self._sides(compared)
            if sides is None:
                self.record.note(where, f"{compared.book}: neither summary is known, so the answers are left out.")
                continue
            comparison = self._comparison(part.round, sides)
            for question, answer in compared.answers.items():
                _, created = ComparisonAnswer.objects.get_or_create(
                    comparison=comparison,
                    annotator=annotator,
                    question=question if comparison.first == sides[0] else _swapped(question),
                    defaults={
                        "answer": answer.answer if comparison.first == sides[0] else _swapped(answer.answer),
                        "comment": answer.comment,
                    },
                )
                self.record.created["comparison answers"] += created
                given[_as_counted(question, answer.answer, sides)] += 1
        return given

    def _sides(self, compared: ComparedBook) -> tuple[Summary, Summary] | None:
        """The two summaries in the order of the export. One that no file holds is taken from the export itself."""
        known = [self._by_text(compared.book, text) for text in (compared.first, compared.second)]
        first, second = known
        if first is None and second is not None:
            first = self._partner(second, compared.book, compared.first)
        elif second is None and first is not None:
            second = self._partner(first, compared.book, compared.second)
        return None if first is None or second is None else (first, second)

    def _by_text(self, book: str, text: str) -> Summary | None:
        words = text.split()
        return next(
            (
                books[book]
                for books in self.summaries.found.values()
                if book in books and books[book].text.split() == words
            ),
            None,
        )

    def _partner(self, summary: Summary, book: str, text: str) -> Summary | None:
        """The summary by the other method of the same model and chunk size."""
        name = summary.system.name
        method = _method(name)
        if not method:
            return None
        other = name.removesuffix(method) + METHODS[1 - METHODS.index(method)]
        if known := self.summaries.found.get(other, {}).get(book):
            self.record.note(f"preferences, {book}", f"The compared text differs from the summary of {other}.")
            return known
        return self.summaries.take(other, book, text)

    def _comparison(self, round_name: str, sides: tuple[Summary, Summary]) -> Comparison:
        first, second = sorted(sides, key=lambda summary: summary.system.name)
        comparison, created = Comparison.objects.get_or_create(
            study=self.study, round=round_name, first=first, second=second
        )
        self.record.created["comparisons"] += created
        return comparison

    def _take_counts(
        self, part: RoundFiles, annotator: Annotator, given: Counter[tuple[str, str, str]], where: str
    ) -> None:
        answered_questions = {question for question, _, _ in given}
        for count in read_counts(part.counts) if part.counts else []:
            if count.question not in answered_questions:
                self._tally(part.round, annotator, count, where)
            elif given[count.question, count.side, count.answer] != count.count:
                self.record.note(
                    where,
                    f"{count.question}, {count.side or count.answer}: the total is {count.count}, but the answers "
                    f"give {given[count.question, count.side, count.answer]}. The answers count.",
                )

    def _tally(self, round_name: str, annotator: Annotator, count: Count, where: str) -> None:
        system = None
        if count.side:
            compared = {
                comparison.first.system.name: comparison.first.system
                for comparison in self.study.comparisons.select_related("first__system")
            } | {
                comparison.second.system.name: comparison.second.system
                for comparison in self.study.comparisons.select_related("second__system")
            }
            system = next((system for name, system in compared.items() if _method(name) == count.side), None)
            if system is None:
                self.record.note(where, f"No compared system is called “{count.side}”: its totals are left out.")
                return
        _, created = ComparisonTally.objects.get_or_create(
            study=self.study,
            round=round_name,
            annotator=annotator,
            question=count.question,
            system=system,
            answer=count.answer,
            defaults={"count": count.count},
        )
        self.record.created["comparison totals"] += created


def _method(system: str) -> str:
    return next((method for method in METHODS if system.endswith(method)), "")


def _swapped(value: str) -> str:
    """The same answer or question seen with the two summaries in the other order."""
    for one, other in (("first", "second"), ("second", "first")):
        if value == one or value == f"{OMISSION}-{one}":
            return value.replace(one, other)
    return value


def _as_counted(question: str, answer: str, sides: tuple[Summary, Summary]) -> tuple[str, str, str]:
    """Question, method and answer as the files of totals count them."""
    methods = {"first": _method(sides[0].system.name), "second": _method(sides[1].system.name)}
    if question.startswith(f"{OMISSION}-"):
        return OMISSION, methods[question.removeprefix(f"{OMISSION}-")], answer
    if answer in methods:
        return question, methods[answer], ""
    return question, "", answer
