"""Faithfulness figures of a study: a section of the report, and a page of its own."""
