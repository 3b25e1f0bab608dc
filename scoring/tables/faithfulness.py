"""The tables of the page "Faithfulness", each with its rule: for the page and for its files."""

from collections.abc import Sequence

from scoring.report.faithfulness.structure import FaithfulnessReport, SummaryFaithfulness
from scoring.tables import Described
from scoring.tables import faithfulness_tables as tables
from scoring.tables import unit_judge_tables as of_judges
from scoring.tables.dashboard import words_of

SYSTEMS = (
    "From 0 to 100: FINE is the share of supported units, COARSE a rating of the whole summary on this scale; the mean "
    "over the people of a summary, then over summaries. 95 % intervals resample the people of each summary (LongEval, "
    "appendix A); those over books resample books."
)
SPREAD = (
    "In points of 100: population standard deviation, and highest minus lowest, of the scores of the people of a "
    "summary; the mean over summaries that two people scored. 95 % intervals resample books."
)
UNITS = (
    "Over units that two people judged, repeated ones once: Fleiss' kappa, and Randolph's with chance one half. 95 % "
    "intervals resample books."
)
HINTS = (
    "Tasks that had hints by lot beside those that had none, summed over people. 95 % intervals resample people, and a "
    "pair counts half to each of its two."
)
PEOPLE = "Submitted judgements of units; shares in percent."
JUDGE_SCORES = (
    "From 0 to 100: the share of supported units, a repeated one counted each time; the mean over summaries of which "
    "every unit has a readable judgement. An unparsed one counts as neither: lowest and highest are the means over all "
    "judged summaries with such units not supported, and supported. 95 % intervals resample books."
)
JUDGES = (
    "“Not supported” or not, unit by unit, repeated ones once, each person on a unit adding one; beside each other "
    "every two people count both ways. Unparsed units are left out. Shares in percent; 95 % intervals resample books."
)
SUMMARIES = (
    "From 0 to 100, the mean over the people of a summary; spread is their population standard deviation, range the "
    "highest minus the lowest."
)


def faithfulness_tables(report: FaithfulnessReport, study: str) -> dict[str, Described]:
    """By key, for files: those that have rows, with all of them."""
    found = [*_described(report, study), summaries_described(report.summaries, study)]
    return {described.key: described for described in found if described.table.rows}


def page_tables(report: FaithfulnessReport, study: str) -> dict[str, Described]:
    """By key; without that of the summaries, of which a page shows some."""
    return {described.key: described for described in _described(report, study) if described.table.rows}


def _described(report: FaithfulnessReport, study: str) -> list[Described]:
    n = words_of(report.summaries)
    return [
        Described(
            "systems",
            "Faithfulness of each system, 0 to 100",
            SYSTEMS,
            n,
            "faithfulness-scores",
            tables.systems_table(report),
        ),
        Described(
            "spread",
            "Spread between the people of a summary, in points of 100",
            SPREAD,
            n,
            "faithfulness-spread",
            tables.spread_table(report),
        ),
        Described(
            "units",
            "Agreement on single units",
            UNITS,
            n,
            "faithfulness-agreement",
            tables.agreement_table(report),
        ),
        Described("hints", "With hints and without", HINTS, n, "faithfulness-hints", tables.hints_table(report)),
        Described("people", "People who judged units", PEOPLE, n, "faithfulness", tables.people_table(report)),
        *_of_unit_judges(report, study),
    ]


def _of_unit_judges(report: FaithfulnessReport, study: str) -> list[Described]:
    found, section = report.unit_judges, "faithfulness-judges"
    n = words_of(list({each.id: each for judge in found.judges for each in judge.summaries}.values()))
    return [
        Described(
            "judge_scores",
            "Faithfulness of each system by judges of units, 0 to 100",
            JUDGE_SCORES,
            n,
            section,
            of_judges.judge_scores_table(found),
        ),
        Described(
            "judges",
            "Judges of units beside people",
            JUDGES,
            n,
            section,
            of_judges.judge_agreement_table(found),
        ),
        Described(
            "judge_systems",
            "Judges of units beside people, system by system",
            JUDGES,
            n,
            section,
            of_judges.judge_systems_table(found),
        ),
        Described(
            "judge_summaries",
            "Judges of units, summary by summary",
            JUDGE_SCORES,
            n,
            section,
            of_judges.judged_summaries_table(found, study),
        ),
    ]


def summaries_described(shown: Sequence[SummaryFaithfulness], study: str) -> Described:
    table = tables.summaries_table(shown, study)
    title = "Faithfulness of each summary, 0 to 100"
    return Described("summaries", title, SUMMARIES, words_of(shown), "faithfulness-summaries", table)
