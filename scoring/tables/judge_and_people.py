"""The tables of the page "Judge and people", each with its rule: for the page and for its files."""

from collections.abc import Mapping

from scoring.report.agreement.structure import ALWAYS_CLEAN, AgreementReport, JudgeAgreement
from scoring.tables import Described
from scoring.tables import agreement_tables as tables
from scoring.tables import further_tables as further

SENTENCES = (
    "Confusing or not, sentence by sentence, over the summaries that both scored, each person on a summary adding its "
    "sentences. Shares in percent; 95 % intervals resample books."
)
TYPES = (
    "A sentence counts for a type if a mark on it has the type. “Marked at all”: of the sentences that people marked "
    "with it, the share that the judge marked. Shares in percent; 95 % intervals resample books."
)
SPANS = (
    "Same span: 2 × marks with a partner that has exactly the same place or places / all marks. Characters: 2 × shared "
    "/ all of both. In percent; 95 % intervals resample books."
)
ALTERNATIVE = (
    "Alternative annotator test (arXiv 2501.10970) over books, epsilon {epsilon:g}, the false discovery rate "
    "controlled; the score of a side on a book is Cohen's kappa with the labels of all others, and no better than "
    "chance never wins."
)
LEFT_OUT = (
    "Shares of books won, in percent (a tie counts for both). One-sided at 0.05, epsilon {epsilon:g}; p adjusted by "
    "Benjamini and Yekutieli."
)
RECALL = (
    "Capture-recapture over sentences with an upheld mark: Chapman for two sources, Chao's lower bound for more. "
    "95 % intervals resample books; in brackets as if sentences were independent."
)
SHARES = "What each source found, by the estimate of all confusing sentences, in percent."
ORDERS = (
    "Kendall's tau-b of the mean scores of systems over the summaries that both scored, people by the sentence rule; "
    "95 % intervals resample books."
)
DIFFERENCES = (
    "Mean difference in points of 100 over the books that both have; two-sided paired t-test, corrected for all pairs "
    "of the source by Holm; the smallest true difference found with 80 % probability. 95 % intervals resample books."
)
PAIRS = "Sentence by sentence over the summaries that both marked. F1 in percent; 95 % intervals resample books."


def agreement_tables(
    report: AgreementReport, judge: JudgeAgreement | None, study: str, systems: Mapping[str, int], n: str, query: str
) -> dict[str, Described]:
    """By key, for files: with all rows. `judge`: whose details there are; `systems`: ids by name."""
    epsilon = report.options.epsilon
    people = tables.against_people_table(report)
    found = [
        Described("people", "Agreement with people, sentence by sentence", SENTENCES, n, "agreement", people),
        *(details_of(report, judge, study, systems, n) if judge and judge.row.sentences else []),
        Described("spans", "Agreement of spans", SPANS, n, "agreement", tables.spans_table(report)),
        Described(
            "alternative",
            "Alternative annotator test",
            ALTERNATIVE.format(epsilon=epsilon),
            n,
            "alternative",
            further.alternative_table(report.alternative),
        ),
        *_left_out(report, n),
        Described(
            "recall", "All confusing sentences, estimated", RECALL, n, "recall", further.recall_table(report.recall)
        ),
        Described(
            "recall-shares",
            "Share of all confusing sentences that each source finds",
            SHARES,
            n,
            "recall",
            further.recall_shares(report.recall),
        ),
        Described("orders", "Order of systems", ORDERS, n, "ranking", further.orders_table(report.ranking.orders)),
        *_differences(report, n),
        Described("pairs", "Agreement of each two people", PAIRS, n, "agreement", tables.pairs_table(report.people)),
    ]
    return {each.key: _asked(each, query) for each in found if each.table.rows}


def _asked(described: Described, query: str) -> Described:
    return Described(**{**vars(described), "query": query})


def details_of(
    report: AgreementReport, judge: JudgeAgreement, study: str, systems: Mapping[str, int], n: str
) -> list[Described]:
    """The judge and its controls, by system and by error type."""
    name = judge.judge.label
    return [
        Described("controls", f"{name} and its controls", SENTENCES, n, "agreement", tables.controls_table(judge)),
        Described(
            "systems",
            f"Agreement of people and {name} on each system",
            SENTENCES,
            n,
            "agreement",
            tables.systems_table(judge, study, systems),
        ),
        Described(
            "types",
            f"Agreement of people and {name} by error type",
            TYPES,
            n,
            "agreement",
            tables.types_table(judge, report.people, study),
        ),
    ]


def _left_out(report: AgreementReport, n: str) -> list[Described]:
    """For each judge that was tested the people who were left out, under "left-out-1" and so on."""
    rule = LEFT_OUT.format(epsilon=report.options.epsilon)
    return [
        Described(
            f"left-out-{number}",
            f"{each.name}: each person left out in turn",
            rule,
            n,
            "alternative",
            further.left_out_table(each),
        )
        for number, each in enumerate(report.alternative, start=1)
        if each.test.people and each.name != ALWAYS_CLEAN
    ]


def _differences(report: AgreementReport, n: str) -> list[Described]:
    """By source, under "differences-1" and so on, people first."""
    return [
        Described(
            f"differences-{number}",
            f"Differences of systems by {further.source_name(each.source)}",
            DIFFERENCES,
            n,
            "ranking",
            further.differences_table(each, report.ranking.difference),
        )
        for number, each in enumerate(report.ranking.sources, start=1)
        if each.pairs
    ]
