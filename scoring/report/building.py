"""Building the report of a study."""

from collections import Counter, defaultdict
from collections.abc import Mapping

from annotation.models import Annotator, ErrorType, Study
from annotation.selectors.unblinding import unblinding_of
from scoring.report.agreement.building import agreement_figures
from scoring.report.agreement.structure import AgreementOptions
from scoring.report.faithfulness.building import faithfulness_report
from scoring.report.faithfulness.structure import FaithfulnessReport
from scoring.report.guesses import guess_figures
from scoring.report.metrics import ROUGE, metric_figures, rouge_figures
from scoring.report.pools import pools_of
from scoring.report.precision import precision_figures
from scoring.report.preferences import preference_figures
from scoring.report.structure import HumanFigures, JudgeName, Report, SummaryFigures, SystemFigures
from scoring.report.summaries import summary_figures
from scoring.report.systems import NOT_READ, human_figures, judge_figures
from scoring.report.texts import TextFigures, text_figures
from scoring.selectors.faithfulness import study_faithfulness
from scoring.selectors.guesses import guess_counts
from scoring.selectors.guidelines import guidelines_used
from scoring.selectors.marks import MarkedSummary, StudyMarks, study_marks
from scoring.selectors.metrics import metric_values
from scoring.selectors.preferences import preference_counts
from scoring.selectors.reviews import decisions_by_source
from scoring.selectors.rouge import rouge_of
from scoring.selectors.work import judging_costs, people_cost, study_costs
from scoring.statistics.booookscore import mean_score
from scoring.statistics.statistic import Statistic
from summarizer.models import System


def build_report(study: Study, *, with_texts: bool = True, options: AgreementOptions | None = None) -> Report:
    """All figures of a study as they are now. The number of queries does not depend on the study's size.

    `with_texts=False` leaves out what only the report shows: the trigram figures, which read every summary and every
    book, people's scores by units, and what has a page of its own: the agreement of people and judges (`options`), and
    faithfulness.
    """
    marks = study_marks(study)
    judges = judge_names(marks.judges)
    summaries = [summary_figures(summary, marks, judges, with_units=with_texts) for summary in marks.summaries]
    places = {summary.book_id: summary.book_place for summary in marks.summaries}
    texts = text_figures(study, places) if with_texts else {}
    costs = judging_costs(study)
    rouge = rouge_of(study)
    preferences = preference_counts(study)
    metrics = metric_values(study) | ({ROUGE: rouge} if rouge else {})
    return Report(
        study=study.name,
        title=study.title,
        is_sample=marks.has_sample_people,
        systems=[_system(system, marks, summaries, judges, texts, costs, rouge) for system in marks.systems],
        summaries=summaries,
        judges=judges,
        precision=precision_figures(decisions_by_source(study), judges, study.seed),
        preferences=preferences,
        preference_tests=preference_figures(preferences.choices, study.seed),
        pools=pools_of(marks, judges),
        metrics=metric_figures(metrics, summaries, judges),
        costs=study_costs(study, [judge.id for judge in judges]),
        people_cost=people_cost(study),
        error_types=list(ErrorType.objects.order_by("order").values_list("key", flat=True)),
        unblinding=unblinding_of(study),
        guesses=guess_figures(guess_counts(study)),
        guidelines=guidelines_used(study),
        agreement=agreement_figures(marks, judges, summaries, options) if with_texts else None,
        faithfulness=_faithfulness(study, summaries) if with_texts else None,
    )


def _faithfulness(study: Study, summaries: list[SummaryFigures]) -> FaithfulnessReport | None:
    found = study_faithfulness(study)
    return faithfulness_report(found, summaries) if found else None


def judge_names(judges: list[Annotator]) -> list[JudgeName]:
    """Judges by the model, or by the endpoint for baselines; by pseudonym where name and mode don't tell them apart."""
    names = {judge.pk: _name(judge) for judge in judges}
    shared = Counter((names[judge.pk], judge.mode) for judge in judges)
    for judge in judges:
        if shared[_name(judge), judge.mode] > 1:
            names[judge.pk] = judge.pseudonym
    by_name = Counter(names.values())
    return [
        JudgeName(
            id=judge.pk,
            name=names[judge.pk],
            mode=judge.mode,
            label=_label(judge, names[judge.pk], alone=by_name[names[judge.pk]] == 1),
            absent=judge.absent_rule,
            is_baseline=judge.is_baseline,
            is_sample=judge.is_sample,
        )
        for judge in judges
    ]


def _name(judge: Annotator) -> str:
    return judge.model or (judge.endpoint.name if judge.endpoint else "") or judge.pseudonym


def _label(judge: Annotator, name: str, *, alone: bool) -> str:
    """The name; with the mode where two judges differ in it alone, except for the one that goes by sentence."""
    if judge.is_baseline:
        return f"{name} (no LLM)"
    return name if alone or judge.mode == Annotator.Mode.SENTENCE else f"{name} ({judge.mode})"


def _system(
    system: System,
    marks: StudyMarks,
    figures: list[SummaryFigures],
    judges: list[JudgeName],
    texts: dict[int, TextFigures],
    costs: Mapping[tuple[int, int], float | None],
    rouge: Mapping[int, float],
) -> SystemFigures:
    chosen = [
        (summary, figure)
        for summary, figure in zip(marks.summaries, figures, strict=True)
        if summary.system_id == system.pk
    ]
    summaries, own = [summary for summary, _ in chosen], [figure for _, figure in chosen]
    human = human_figures(summaries, own, marks.study.seed)
    of_judges = [
        judge_figures(judge, summaries, own, marks.study.seed, costs.get((judge.id, system.pk)))
        for judge in judges
        if any(judge.id in summary.judges for summary in summaries)
    ]
    text = texts.get(system.pk)
    unread = Statistic.undefined(NOT_READ)
    return SystemFigures(
        id=system.pk,
        name=system.name,
        is_baseline=system.is_baseline,
        summaries=len(summaries),
        sentences=sum(summary.sentences for summary in summaries),
        mean_tokens=mean_score(float(summary.tokens) for summary in summaries),
        repeated_trigrams=text.repeated if text else unread,
        novel_trigrams=text.novel if text else unread,
        rouge=rouge_figures([rouge[each.id] for each in summaries if each.id in rouge], marks.study.seed),
        human=human,
        judges=of_judges,
        error_types=_error_types(system, marks, summaries, judges, human),
    )


def _error_types(
    system: System,
    marks: StudyMarks,
    summaries: list[MarkedSummary],
    judges: list[JudgeName],
    human: HumanFigures,
) -> dict[str, dict[str, float]]:
    """Marks with each type, by the sentences that the source looked at (once for every person who did)."""
    looked_at: dict[int | None, int] = defaultdict(int)
    for summary in summaries:
        looked_at[None] += summary.sentences * len(summary.people)
        for judge_id, judged in summary.judges.items():
            looked_at[judge_id] += summary.sentences - len(judged.unparsed) - len(judged.absent)
    labels: dict[int | None, str] = {None: "human", **{judge.id: judge.label for judge in judges}}
    return {
        labels[source]: {
            key: count / sentences for key, count in marks.error_types.get((system.pk, source), {}).items()
        }
        for source in labels
        if (sentences := looked_at[source])
    }
