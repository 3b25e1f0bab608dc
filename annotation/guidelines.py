"""A study's guidelines: Markdown that a researcher writes, shown as harmless HTML."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown import markdown

TAGS = {
    *("p", "br", "hr", "h2", "h3", "h4", "ul", "ol", "li", "blockquote", "pre"),
    *("strong", "em", "del", "code", "a", "table", "thead", "tbody", "tr", "th", "td"),
}


def guidelines_html(text: str) -> SafeString:
    """Markdown as HTML without scripts, styles, images or anything else that could load from elsewhere.

    The page has its own first heading, so those of the text begin below it.
    """
    html = markdown(text, extensions=["tables", "sane_lists"], output_format="html")
    html = html.replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    return mark_safe(nh3.clean(html, tags=TAGS, attributes={"a": {"href", "title"}}))  # noqa: S308  cleaned just here
