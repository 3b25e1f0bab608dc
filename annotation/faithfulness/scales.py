"""The scales of whole-summary ratings, and how a rating becomes a score from 0 to 100."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    lowest: int
    highest: int

    def on_hundred(self, value: float) -> float:
        """0 for the lowest, 100 for the highest, in even steps: 0-5 is multiplied by 20, as in the LongEval release."""
        return 100 * (value - self.lowest) / (self.highest - self.lowest)

    def holds(self, value: int) -> bool:
        return self.lowest <= value <= self.highest


#: By `FaithfulnessPlan.Scale`.
SCALES = {"0-5": Scale(0, 5), "1-5": Scale(1, 5), "0-100": Scale(0, 100)}
