"""Figures in templates."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from scoring.report.incomplete import incomplete_words
from scoring.report.writing import decimal
from scoring.statistics.statistic import Statistic
from scoring.tables.html import rows_html

register = template.Library()
register.filter("rows_html", rows_html)
register.filter("incomplete_words", incomplete_words)


@register.simple_tag
def figure(statistic: Statistic) -> str | SafeString:
    """The figure with three decimals, or a dash with the reason why there is none."""
    if statistic.value is not None:
        return decimal(statistic)
    return format_html('<span title="{0}">–<span class="visually-hidden"> {0}</span></span>', statistic.reason)
