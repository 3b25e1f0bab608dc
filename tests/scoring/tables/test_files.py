"""A described table as CSV and as LaTeX, letter by letter."""

import csv
import io

from scoring.statistics.estimate import Estimate
from scoring.statistics.intervals import Interval
from scoring.statistics.statistic import Statistic
from scoring.tables import Cell, Described, Table
from scoring.tables.cells import count_cell, decimal_cell, score_cell, share_cell, text_cell
from scoring.tables.files import as_csv, as_latex, latex
from scoring.tables.html import rows_html

THIRD = Statistic.of(1 / 3)
BETWEEN = Interval(0.25, 0.5)


def described(*rows, columns=("System", "Score")):
    return Described("scores", "Scores", "In percent", "2 systems", "scores", Table(list(columns), list(rows)))


def read(table):
    return list(csv.reader(io.StringIO(as_csv(table))))


def test_csv_has_the_figure_in_full_its_interval_and_n():
    table = described([text_cell("a"), score_cell(THIRD, BETWEEN, 3)], [text_cell("b"), Cell("–")]).table
    assert table.rows[0][1].text == "33.3"
    assert table.rows[0][1].note == "25.0–50.0, n 3"
    assert read(table) == [
        ["System", "Score", "Score low", "Score high", "Score n"],
        ["a", "0.3333333333333333", "0.25", "0.5", "3"],
        ["b", "", "", "", ""],
    ]


def test_csv_says_why_there_is_no_figure():
    missing = share_cell(Estimate.undefined("People marked nothing."))
    assert read(described([text_cell("a"), missing]).table)[1] == ["a", "", "People marked nothing."]


def test_csv_is_safe_in_spreadsheets_also_in_its_heading():
    table = described([text_cell("=1+1"), count_cell(-5)], columns=("@System", "Marks")).table
    assert read(table) == [["'@System", "Marks"], ["'=1+1", "-5"]]
    quoted = described([text_cell('a, "b"\nc'), count_cell(1)]).table
    assert read(quoted)[1] == ['a, "b"\nc', "1"]


def test_files_have_the_rows_that_a_page_leaves_out():
    table = Table(["Name"], [[text_cell(str(number))] for number in range(5)], most=2)
    assert (rows_html(table).count("<tr>"), table.left_out, len(read(table))) == (2, 3, 6)


def test_html_escapes_every_text():
    cell = Cell("<i>", url="/?a&b", note="<b>", badges=(("sample", "<u>"),))
    assert rows_html(Table(["Name", 'a "b"'], [[text_cell("x"), cell]])) == (
        '<tr><td>x</td><td class="number" data-label="a &quot;b&quot;"><a href="/?a&amp;b">&lt;i&gt;</a> '
        '<span class="badge sample">&lt;u&gt;</span><small class="cell-note">&lt;b&gt;</small></td></tr>'
    )


def test_latex_is_a_table_of_booktabs_with_rule_and_n_in_its_caption():
    signed = decimal_cell(Estimate(THIRD, BETWEEN), signed=True)
    text = as_latex(described([text_cell("a_1", badges=(("baseline", "No LLM"),)), signed]), "50 % of\nit")
    assert text == (
        "% 50 % of it: Scores. Needs \\usepackage{booktabs}.\n"
        "\\begin{table}\n"
        "  \\centering\n"
        "  \\caption{Scores. In percent. 2 systems.}\n"
        "  \\label{tab:scores}\n"
        "  \\begin{tabular}{lr}\n"
        "    \\toprule\n"
        "    System & Score \\\\\n"
        "    \\midrule\n"
        "    a\\_1 (No LLM) & +0.333 {\\footnotesize +0.250 to +0.500} \\\\\n"
        "    \\bottomrule\n"
        "  \\end{tabular}\n"
        "\\end{table}\n"
    )


def test_latex_takes_no_orders_from_a_text():
    assert latex("\\input{x} $5 & 10% #1 {a}_b~c^d <e>") == (
        "\\textbackslash{}input\\{x\\} \\$5 \\& 10\\% \\#1 \\{a\\}\\_b\\textasciitilde{}c\\textasciicircum{}d "
        "\\textless{}e\\textgreater{}"
    )
    assert latex("1 − x, 2–3\n\n“q”") == "1 $-$ x, 2--3 ``q''"


def test_latex_leaves_reasons_to_the_page():
    missing = share_cell(Estimate.undefined("People marked nothing."))
    assert "a & -- \\\\" in as_latex(described([text_cell("a"), missing]), "study")
