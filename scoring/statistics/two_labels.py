"""Agreement on two labels (marked or not), from counts of sentences, for one table or many resampled ones at once.

A table is four counts in the last axis: marked by both, by the first alone, by the second alone, by neither. "First" is
the reference (people), "second" what is measured against it (a judge). Formulas give NaN where they are not defined;
`estimate` turns that into a reason.
"""

import numpy

from scoring.statistics.agreement import NO_SHARED_ITEM, NOTHING_MARKED, ONE_LABEL
from scoring.statistics.estimate import Array, Formula, ratio

BOTH, FIRST, SECOND, NEITHER = range(4)
ALL = (BOTH, FIRST, SECOND, NEITHER)

#: Share of sentences with the same label: 0 to 1.
percent = ratio((BOTH, NEITHER), ALL)
precision = ratio(BOTH, (BOTH, SECOND))
recall = ratio(BOTH, (BOTH, FIRST))
f1 = ratio((BOTH, BOTH), (BOTH, BOTH, FIRST, SECOND))
first_prevalence = ratio((BOTH, FIRST), ALL)
second_prevalence = ratio((BOTH, SECOND), ALL)


def kappa(tables: Array) -> Array:
    """Cohen's kappa (Cohen 1960): (observed - expected) / (1 - expected), -1 to 1; NaN where one label is used.

    Written in whole numbers, so that a side with one label has exactly 0:
    2 (both neither - first second) / ((both + first)(first + neither) + (both + second)(second + neither)).
    """
    both, first, second, neither = (tables[..., column] for column in ALL)
    chance = (both + first) * (first + neither) + (both + second) * (second + neither)
    return numpy.asarray(2 * (both * neither - first * second) / chance)


def ac1(tables: Array) -> Array:
    """Gwet's AC1 (Gwet 2008), from its own expected agreement 2 p (1 - p), p the mean of both prevalences; -1 to 1."""
    marked = (first_prevalence(tables) + second_prevalence(tables)) / 2
    expected = 2 * marked * (1 - marked)
    return numpy.asarray((percent(tables) - expected) / (1 - expected))


#: Name -> formula, and the reason where it is not defined.
FIGURES: dict[str, tuple[Formula, str]] = {
    "kappa": (kappa, ONE_LABEL),
    "ac1": (ac1, NO_SHARED_ITEM),
    "percent": (percent, NO_SHARED_ITEM),
    "precision": (precision, "It marked nothing."),
    "recall": (recall, "People marked nothing."),
    "f1": (f1, NOTHING_MARKED),
    "prevalence_people": (first_prevalence, NO_SHARED_ITEM),
    "prevalence_other": (second_prevalence, NO_SHARED_ITEM),
}


def always_clean(tables: Array) -> Array:
    """The tables of a second that marks nothing, beside the same first."""
    return numpy.stack(
        [
            numpy.zeros_like(tables[..., BOTH]),
            tables[..., BOTH] + tables[..., FIRST],
            numpy.zeros_like(tables[..., BOTH]),
            tables[..., SECOND] + tables[..., NEITHER],
        ],
        axis=-1,
    )


def always_confused(tables: Array) -> Array:
    """The tables of a second that marks everything, beside the same first."""
    clean = always_clean(tables)
    return clean[..., [FIRST, BOTH, NEITHER, SECOND]]


#: Columns of `coincidences`: pairs of values that are both marked, that differ, that are both clean.
MARKED, MIXED, CLEAN = range(3)


def coincidences(marking: Array, people: int) -> Array:
    """Coincidences of values (Krippendorff 2011) of sentences that `people` >= 2 looked at; shape (3,).

    `marking`: for each sentence how many of them marked it. Each pair of values counts 1 / (people - 1), both ways.
    """
    clean = people - marking
    pairs = (marking * (marking - 1), marking * clean, clean * (clean - 1))
    return numpy.array([each.sum() / (people - 1) for each in pairs])


def krippendorff_alpha(sums: Array) -> Array:
    """Krippendorff's alpha for two labels, from sums of `coincidences`: 1 - (n - 1) mixed / (marked n * clean n).

    n is the number of values, marked n and clean n are how many of them have either label.
    """
    marked, clean = sums[..., MARKED] + sums[..., MIXED], sums[..., CLEAN] + sums[..., MIXED]
    return numpy.asarray(1 - (marked + clean - 1) * sums[..., MIXED] / (marked * clean))
