"""Reads units and what people made of them back."""

from annotation.models import Evidence, SampledUnit, Unit
from scoring.imports.context import Context, checked_values
from scoring.imports.inserting import insert_exactly
from scoring.imports.matching import Batch
from scoring.imports.spans import check_spans, texts_of
from summarizer.models import Book

PLACE = ("start", "end", "hint_rank")


def check_units(context: Context, batch: Batch) -> None:
    texts = texts_of(row.summary_id for _, row in batch)
    for line, row in batch:
        check_spans(line, texts[row.summary_id], [(row.start, row.end, row.quote)])


def check_asked(context: Context, batch: Batch) -> None:
    """Nobody is asked about a unit that says the same as one before it: an answer there would count nowhere."""
    units = Unit.objects.filter(pk__in={row.unit_id for _, row in batch}, same_as__isnull=False)
    repeated = set(units.order_by().values_list("pk", flat=True))
    for line, row in batch:
        if row.unit_id in repeated:
            line.refuse("its unit repeats another one, and answers are about the first of them.")


def check_judgements(context: Context, batch: Batch) -> None:
    for line, _ in batch:
        places = line.pairs("evidence", 3)
        quotes = line.record["evidence_quotes"] if context.with_source else [""] * len(places)
        if not isinstance(quotes, list) or len(quotes) != len(places):
            line.refuse("it must have a quote for each place of evidence.")


def check_verdicts(context: Context, batch: Batch) -> None:
    check_asked(context, batch)
    for line, row in batch:
        if row.annotator_id not in context.judges:
            line.refuse("a person gives no verdict on a unit.")
        for start, end in line.pairs("passages", 2):
            if type(start) is not int or type(end) is not int or not 0 <= start < end:
                line.refuse("a passage must be a place of the book, [start, end).")


def link_repeats(context: Context, new: Batch) -> None:
    """A repeated unit comes after the first one, but perhaps in another batch: so it is looked up once written."""
    for line, unit in new:
        index = line.record["same_as"]
        if index is None:
            continue
        before = type(index) is int and 0 <= index < unit.index
        first = before and Unit.objects.filter(plan=unit.plan_id, summary=unit.summary_id, index=index).first()
        if not first or first.same_as_id is not None:
            line.refuse("there is no such unit of its summary before it, or that one repeats another.")
        Unit.objects.filter(pk=unit.pk).update(same_as=first)


def write_evidence(context: Context, new: Batch) -> None:
    """Without the source the places alone are known."""
    texts = _texts_of_books(new) if context.with_source else {}
    rows = []
    for line, judgement in new:
        places = line.pairs("evidence", 3)
        quotes = line.record["evidence_quotes"] if context.with_source else [""] * len(places)
        for place, quote in zip(places, quotes, strict=True):
            values = checked_values(line, Evidence, dict(zip(PLACE, place, strict=True)))
            if context.with_source:
                check_spans(line, texts[judgement.sampled_id], [(values["start"], values["end"], quote)], of="book")
            rows.append(Evidence(judgement=judgement, quote=quote, **values))
    insert_exactly(rows)


def _texts_of_books(new: Batch) -> dict[int, str]:
    """By sampled unit, of judgements with evidence."""
    with_evidence = [row.sampled_id for line, row in new if line.record["evidence"]]
    books = dict(
        SampledUnit.objects.filter(pk__in=with_evidence).order_by().values_list("pk", "assignment__summary__book")
    )
    texts = dict(Book.objects.filter(pk__in=set(books.values())).order_by().values_list("pk", "text"))
    return {sampled: texts[book] for sampled, book in books.items()}
