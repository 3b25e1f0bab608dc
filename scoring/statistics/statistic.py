"""A figure, or the reason why there is none."""

import math
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Statistic:
    """`value`, or None and then the `reason` as a sentence for the reader."""

    value: float | None
    reason: str = ""

    @classmethod
    def undefined(cls, reason: str) -> Self:
        return cls(None, reason)

    @classmethod
    def of(cls, value: float) -> Self:
        """Raises ValueError for NaN and infinity: a caller has to say why its figure is not defined."""
        if not math.isfinite(value):
            raise ValueError("A statistic must be finite, or undefined with a reason.")
        return cls(float(value))
