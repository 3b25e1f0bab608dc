"""Can the judge replace people: agreement, the alternative annotator test, recall, and the ranking of systems."""
