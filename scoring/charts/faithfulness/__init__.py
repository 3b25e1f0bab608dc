"""Charts of a study's faithfulness figures, for the page of their own. Rows come from a `FaithfulnessReport`."""
