"""Tables of figures, described once: shown on pages, and written as CSV and LaTeX."""

from scoring.tables.table import Cell, Described, Table

__all__ = ["Cell", "Described", "Table"]
