"""One report of a study, from which the command, the JSON page and the dashboard all take their figures."""

from scoring.report.building import build_report
from scoring.report.structure import Report

__all__ = ["Report", "build_report"]
