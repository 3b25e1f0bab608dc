"""What holds for every template, script and style sheet."""

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
STATIC = sorted(path for path in (ROOT / "static").rglob("*") if path.suffix in {".css", ".js", ".svg"})


def name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", TEMPLATES, ids=name)
class TestTemplate:
    def test_no_inline_script_or_style(self, path):
        """The content security policy would stop them; `json_script` data is allowed."""
        text = path.read_text()
        scripts = re.findall(r"<script\b([^>]*)>", text)
        assert [tag for tag in scripts if "src=" not in tag] == []
        assert not re.search(r"<style\b", text)
        assert not re.search(r"\sstyle\s*=", text)
        assert not re.search(r"\son[a-z]+\s*=\s*[\"']", text)
        assert "javascript:" not in text
        assert not re.search(r"hx-on|hx-vals\s*=\s*[\"']js:", text)

    def test_nothing_from_another_host(self, path):
        text = path.read_text()
        assert not re.search(r"<(script|link|img|iframe|source)\b[^>]*(src|href)=[\"'](https?:)?//", text)

    def test_no_misspelled_htmx_attribute(self, path):
        """`hx-disable-elt` does nothing; the attribute is `hx-disabled-elt`."""
        assert "hx-disable-elt" not in path.read_text()

    def test_posts_carry_the_token(self, path):
        text = path.read_text()
        for form in re.findall(r"<form\b[^>]*method=[\"']post[\"'].*?</form>", text, re.DOTALL | re.IGNORECASE):
            assert "{% csrf_token %}" in form

    def test_times_can_be_read_by_scripts(self, path):
        for tag in re.findall(r"<time\b[^>]*data-relative[^>]*>", path.read_text()):
            assert "datetime=" in tag


@pytest.mark.parametrize("path", STATIC, ids=name)
def test_static_files_load_nothing_from_another_host(path):
    text = path.read_text().replace("http://www.w3.org/", "")
    assert not re.search(r"(url\(|import\s|from\s|fetch\()\s*[\"']?(https?:)?//", text)


# --- contrast -------------------------------------------------------------------------------------------------------


def tokens():
    """Name -> (light, dark) as `#rrggbb`."""
    text = (ROOT / "static/css/tokens.css").read_text()
    return {
        match[1]: (match[2], match[3])
        for match in re.finditer(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", text)
    }


def luminance(colour):
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_right():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # the well-known grey that just fails


TYPES = [
    *("entity-omission", "event-omission", "causal-omission", "salience"),
    *("discontinuity", "duplication", "inconsistency", "language"),
]
SURFACES = ("ground", "surface")
TEXT = [
    *[(ink, surface) for ink in ("ink", "ink-soft") for surface in (*SURFACES, "surface-sunken")],
    *[(ink, surface) for ink in ("accent", "accent-hover", "danger", "bad-ink") for surface in SURFACES],
    *[(f"{state}-ink", f"{state}-tint") for state in ("info", "good", "warning", "bad")],
    *[("on-accent", "accent"), ("on-accent", "accent-hover"), ("on-danger", "danger"), ("on-danger", "danger-hover")],
    *[("ink", f"type-{key}") for key in TYPES],
    *[(f"type-{key}-ink", f"type-{key}") for key in TYPES],
    *[("ink", "mark"), ("ink", "selection"), ("ink", "accent-tint")],
]
LINES = [
    *[(f"type-{key}-line", surface) for key in TYPES for surface in (*SURFACES, f"type-{key}")],
    *[(line, surface) for line in ("line-strong", "focus", "series-human", "series-judge") for surface in SURFACES],
    *[("mark-line", surface) for surface in (*SURFACES, "mark")],
]


@pytest.mark.parametrize("form", [0, 1], ids=["light", "dark"])
def test_text_is_readable(form):
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    colours = tokens()
    weak = {pair: contrast(colours[pair[0]][form], colours[pair[1]][form]) for pair in TEXT}
    assert {pair: round(value, 2) for pair, value in weak.items() if value < 4.5} == {}


@pytest.mark.parametrize("form", [0, 1], ids=["light", "dark"])
def test_lines_and_marks_are_visible(form):
    """WCAG 2.2, 1.4.11: 3 to 1."""
    colours = tokens()
    weak = {pair: contrast(colours[pair[0]][form], colours[pair[1]][form]) for pair in LINES}
    assert {pair: round(value, 2) for pair, value in weak.items() if value < 3} == {}
