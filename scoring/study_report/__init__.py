"""The report of a study as a page that prints, live or frozen: plain values that hold figures, tables and pictures."""
