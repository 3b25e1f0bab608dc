"""The faithfulness figures of a study as they are now, by themselves."""

from annotation.models import Study
from scoring.report.building import judge_names
from scoring.report.faithfulness.building import faithfulness_report
from scoring.report.faithfulness.structure import FaithfulnessReport
from scoring.report.summaries import summary_figures
from scoring.selectors.faithfulness import study_faithfulness
from scoring.selectors.marks import study_marks


def read_faithfulness(study: Study) -> FaithfulnessReport | None:
    """None where the study does not ask for it. The number of queries does not depend on the study's size."""
    found = study_faithfulness(study)
    if found is None:
        return None
    marks = study_marks(study)
    judges = judge_names(marks.judges)
    judged = [summary_figures(summary, marks, judges) for summary in marks.summaries] if judges else []
    return faithfulness_report(found, judged)
