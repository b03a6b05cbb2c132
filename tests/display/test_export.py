"""Tables in every form: what is exported says what the page says, and no text in it becomes anything but text."""

import csv
import io
import re
import shutil
import subprocess
from dataclasses import replace

import polars as pl
import pytest

from sessionkit.display.export import ROWS, csv_table, latex_table, markdown_table
from sessionkit.display.tables import table_of
from sessionkit.reports.page import html_table
from tests.support.payloads import COMMANDS, CONTROLS, FORMULAS, MARKS, SCRIPTS, TURNS

HOSTILE = (*COMMANDS, *MARKS, *SCRIPTS[:1], *FORMULAS, *TURNS[:1], *CONTROLS, "Jörg Łukasz \u2013 \u03ba \u4e2d")


def hostile():
    """A table whose caption, headings, cells and note are hostile."""
    numbers = {HOSTILE[1]: [0.5] * len(HOSTILE), "=n": range(len(HOSTILE))}
    frame = pl.DataFrame({"name": HOSTILE, **numbers, "again": HOSTILE})
    marks = {(0, 1): "*", (1, 0): "\\^"}
    return table_of(HOSTILE[0], frame, note=HOSTILE[1], strong=frozenset({(0, 1)}), marks=marks)


def scores():
    """A plain table: a best value, a mark, a negative number, nothing."""
    frame = pl.DataFrame({"system_id": ["S1", "S2", "S3"], "value": [0.12345, -0.5, None]})
    return table_of("Scores by system", frame, note="A note.", strong=frozenset({(0, 1)}), marks={(1, 1): "*"})


def test_latex_says_what_the_table_says():
    assert latex_table(scores(), "main results") == (
        "\\begin{table}\n  \\centering\n  \\caption{Scores by system}\n  \\label{tab:main-results}\n"
        "  \\begin{tabular}{lr}\n    \\toprule\n    System & Value \\\\\n    \\midrule\n"
        "    S1 & \\textbf{0.1235}\\phantom{\\textsuperscript{{*}}} \\\\\n"
        "    S2 & $-$0\\rlap{.5000\\textsuperscript{{*}}}\\phantom{\\textbf{.0000}\\textsuperscript{{*}}} \\\\\n"
        "    S3 & \\textendash{} \\\\\n"
        "    \\bottomrule\n  \\end{tabular}\n  \\par\\smallskip\\footnotesize A note.\n\\end{table}\n"
    )


def test_a_shorter_number_ends_in_what_it_lacks():
    frame = pl.DataFrame({"p": [0.0496, 1e-5, None, 0.12], "n": [5, 10, 1204, 3]})
    table = latex_table(table_of("Caption", frame, marks={(1, 0): "**", (3, 0): "*"}))
    mark, lacking = r"\textsuperscript{{*}}", r"\textsuperscript{{*}{*}}"
    cells = [line.strip().removesuffix(r" \\").split(" & ") for line in table.splitlines() if " & " in line][1:]
    assert cells == [
        [rf"0.0496\phantom{{{lacking}}}", "5"],
        [rf"\textless{{}}0.001{lacking}\phantom{{0}}", "10"],
        [r"\textendash{}", "1,204"],
        [rf"0.120{mark}\phantom{{0{mark}}}", "3"],
    ]


def test_counts_below_values_are_flush_right_under_a_rule():
    frame = pl.DataFrame({"measure": ["P@5", "Queries", "Sessions"], "value": ["0.4489", "2.53", "60"]})
    table = replace(table_of("Caption", frame), numeric=(False, True), has_counts_below=True)
    body = latex_table(table).partition("\\midrule\n")[2].partition("    \\bottomrule")[0]
    assert body == (
        "    P@5 & 0.4489 \\\\\n    Queries & 2.53\\phantom{00} \\\\\n    \\midrule\n    Sessions & 60 \\\\\n"
    )
    assert r"60\phantom{.0000}" in latex_table(replace(table, has_counts_below=False))


def aligned():
    """A table with numbers of different decimals, marks, bold ones and missing ones."""
    frame = pl.DataFrame({"value": [0.1234, -0.5, 12.25, None, 3.0], "p": [0.0496, 1e-5, 0.12, None, 0.05]})
    marks = {(1, 0): "***", (2, 0): "*", (4, 1): "a"}
    return table_of("Caption", frame, strong=frozenset({(0, 0), (2, 1)}), marks=marks, decimals=[4, 4, 2, 2, 3])


@pytest.mark.slow
def test_decimal_marks_stand_below_each_other(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no TeX")
    rows = [line.removesuffix(r" \\").split(" & ") for line in latex_table(aligned()).splitlines() if " & " in line][1:]
    lines = [r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\begin{document}"]
    for cells in rows:
        for column, cell in enumerate(cells):
            whole = re.match(r"\s*(\\textbf\{)?((?:\$-\$|\\textless\{\})?\d+)", cell)
            if whole is not None:
                bold = r"\bfseries " if whole[1] else ""
                lines.append(rf"\setbox0\hbox{{{cell.strip()}}}\setbox2\hbox{{{bold}{whole[2]}}}")
                lines.append(rf"\typeout{{Behind {column} \the\dimexpr\wd0-\wd2\relax}}")
    (tmp_path / "paper.tex").write_text("\n".join([*lines, r"\end{document}"]), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    behind = re.findall(r"^Behind (\d) ([\d.]+)pt", (tmp_path / "paper.log").read_text(errors="replace"), re.MULTILINE)
    for column in "01":
        widths = [float(width) for each, width in behind if each == column]
        assert len(widths) == 4
        assert max(widths) - min(widths) < 0.01


def test_a_table_wider_than_a_column_of_two_goes_over_both():
    frame = pl.DataFrame({f"column {number}": [0.12345] for number in range(8)})
    wide, folded, narrow = (latex_table(table_of("Caption", frame.select(frame.columns[:many]))) for many in (8, 5, 3))
    assert [text.count("{table*}") for text in (wide, folded, narrow)] == [2, 0, 0]
    assert r"\shortstack[r]{column\\0} & " in folded
    assert r"column 0 & column 1 & column 2 \\" in narrow


def test_latex_is_typeset_whatever_stands_in_it(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no TeX")
    lines = [r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{booktabs}"]
    lines += [r"\begin{document}", latex_table(hostile()), latex_table(scores()), r"\end{document}"]
    (tmp_path / "paper.tex").write_text("\n".join(lines), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "paper.log").read_text(errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert not re.search(r"^! |Missing character|undefined", log, re.MULTILINE)
    assert "root:" not in log


@pytest.mark.slow
def test_what_is_printed_is_what_was_written_and_reads_well_as_source(tmp_path):
    if shutil.which("pdflatex") is None or shutil.which("pdftotext") is None:
        pytest.skip("there is no TeX, or nothing reads its pages")
    text = "S1 (n = 1,204, 33.4%), S2: a,,b ,,, c--d ---e x-y what?` no!` why? <<m>> ''o''"
    table = table_of(text, pl.DataFrame({"a": ["b"]}))
    assert "(n = 1,204, 33.4\\%), S2: a,{},b" in latex_table(table)
    lines = [r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{booktabs}", r"\begin{document}"]
    (tmp_path / "paper.tex").write_text("\n".join([*lines, latex_table(table), r"\end{document}"]), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    read = subprocess.run(["pdftotext", "paper.pdf", "-"], cwd=tmp_path, capture_output=True, check=True, text=True)
    assert text.replace(" ", "") in re.sub(r"\s", "", read.stdout)


def test_markdown_says_what_the_table_says():
    assert markdown_table(scores()) == (
        "**Scores by system**\n\n| System | Value |\n| :-- | --: |\n| S1 | **0.1235** |\n| S2 | -0.5000\\* |\n"
        "| S3 | \u2013 |\n\nA note.\n"
    )


def test_markdown_holds_no_markup_but_its_own():
    text = markdown_table(hostile())
    rows = [line for line in text.split("\n") if line.startswith("|")]
    assert len(rows) == 2 + len(HOSTILE)
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 5 for row in rows)  # four cells a row
    bare = re.sub(r"\\.", "", text).replace("**", "")
    assert not re.search(r"[`*_\[\]<>#$~]", bare)
    assert "\x00" not in text
    assert "\u202e" not in text


def test_csv_has_the_numbers_unrounded_and_no_formula():
    rows = list(csv.reader(io.StringIO(csv_table(hostile()))))
    assert rows[0] == ["name", HOSTILE[1], "'=n", "again"]
    names = [row[0] for row in rows[1:]]
    assert (
        names
        == [row[3] for row in rows[1:]]
        == [("'" + text if text in FORMULAS or text[0] == "-" else text) for text in HOSTILE]
    )
    assert csv_table(scores()) == "system_id,value\nS1,0.12345\nS2,-0.5\nS3,\n"


def test_html_offers_every_form_to_be_saved():
    text = html_table(scores(), "table-1")
    assert re.findall('download="([^"]+)" href="data:([^;]+);', text) == [
        ("table-1.tex", "application/x-tex"),
        ("table-1.md", "text/markdown"),
        ("table-1.csv", "text/csv"),
    ]
    assert re.search('"number"><strong>0.1235</strong></td>', text)
    assert '"number">\u22120.5000<sup>*</sup></td>' in text


def test_a_row_of_counts_alone_in_its_float_has_one_rule_above_it():
    frame = pl.DataFrame({"measure": [f"M{row}" for row in range(ROWS)] + ["Sessions"], "value": [0.5] * ROWS + [60.0]})
    for rows, rules in ((ROWS + 1, 2), (ROWS, 2)):  # two headings, or one and the counts
        table = replace(table_of("Caption", frame.tail(rows), limit=rows), has_counts_below=True)
        tex = latex_table(table)
        assert tex.count("\\begin{tabular}") == 1 + rows // (ROWS + 1)
        assert tex.count("\\midrule") == rules
        assert "\\midrule\n    \\midrule" not in tex
