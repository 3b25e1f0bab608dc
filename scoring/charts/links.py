"""Where the marks of charts lead: to the sentences behind them, or to a list from which it is one click more."""

from urllib.parse import urlencode

from django.urls import reverse

from scoring.charts.chart import Row
from scoring.report.structure import PEOPLE, Report
from scoring.selectors.differences import PEOPLE_ONLY
from scoring.selectors.marks_to_read import OUTSIDE, REVIEWED


class ChartLinks:
    """The addresses are made of parts, because a chart may have thousands of points."""

    def __init__(self, report: Report, study: str) -> None:
        self._dashboard = reverse("scoring:dashboard", args=[study])
        self._marks = reverse("scoring:marks", args=[study])
        self._answers = reverse("scoring:answers", args=[study])
        self._differences = reverse("scoring:differences", args=[study])
        self._summaries = reverse("scoring:summary-marks", args=[study, 0]).removesuffix("0/")
        self._systems = {system.name: system.id for system in report.systems}
        self._judges = {judge.label: judge.id for judge in report.judges}

    def of(self, key: str, row: Row) -> str:
        """The address for a row of the chart `key`; "" where there is nothing to read."""
        if "summary" in row:
            return f"{self._summaries}{row['summary']}/"
        if key == "scores":
            return f"{self._dashboard}?{urlencode({'system': row['system']})}#summaries"
        if key == "differences":
            query = {"judge": self._judges[row["source"]], "side": PEOPLE_ONLY, "system": self._systems[row["system"]]}
            return f"{self._differences}?{urlencode(query)}"
        if key == "error-types":
            return self._list(row["source"], system=self._systems[row["system"]], type=row["type"])
        if key == "precision":
            return self._list(row["source"], decision=REVIEWED)
        if key == "preferences":
            return f"{self._answers}?{urlencode({name: value for name, value in row['about'].items() if value})}"
        return ""

    def _list(self, source: str, **choices: object) -> str:
        """Marks of people, of a judge, or of judges that are known from a review alone."""
        wanted = PEOPLE if source == PEOPLE else self._judges.get(source, f"{OUTSIDE}{source}")
        return f"{self._marks}?{urlencode({'source': wanted, **choices})}"
