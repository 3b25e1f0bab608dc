"""Faithfulness: whether each clause of a summary, or a summary as a whole, says what its source says."""
