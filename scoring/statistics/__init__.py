"""Pure statistics over marks: numbers in, numbers out, no Django.

A statistic that is not defined is None with a reason (`Statistic`), never NaN, 0 or 1.
"""
