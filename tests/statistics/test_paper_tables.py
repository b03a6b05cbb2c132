"""What papers print: means across, differences with interval, p and n; headings in words, labels of their own, LaTeX that compiles.

Tables of papers: all rows, a study's own column names, its labels, and a label of its own for each table.

The columns of all findings: a name means one thing, and groups stand in a column of their own name.
"""

import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache, partial

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.display.export import latex_table, markdown_table
from sessionkit.display.numbers import DECIMALS, listed
from sessionkit.display.tables import heading, table_of
from sessionkit.display.terminal import cells_of
from sessionkit.reports.page import html_table
from sessionkit.scoring.score import OF_SPREAD
from sessionkit.statistics.findings import paper_label
from sessionkit.statistics.paper_tables import breakdown_table, pair_table, score_table, spread_table, worded
from tests.support.clinic import read_clinic

MEASURES = ["nsDCG@10", "sDCG@10"]
FINDINGS = {
    "compare": lambda study: sk.compare(study, MEASURES),
    "compare of one": lambda study: sk.compare(study, "nsDCG@10"),
    "compare of four": lambda study: sk.compare(study, MEASURES, by="topic_id"),
    "compare within": lambda study: sk.compare(study, MEASURES, within="skill"),
    "mixed model": lambda study: sk.compare(study, MEASURES, population="users,topics"),
    "mixed model of four": lambda study: sk.compare(study, "nsDCG@10", by="topic_id", population="users,topics"),
    "breakdown tests": lambda study: sk.breakdown_tests(study, "nDCG@10", draws=200),
    "breakdown tests of two": lambda study: sk.breakdown_tests(study, "nDCG@10", "last,first", draws=200),
    "correlate": lambda study: sk.correlate(study, MEASURES, ["satisfaction", "Queries"], draws=200),
    "correlate by one": lambda study: sk.correlate(study, MEASURES, "satisfaction", coefficients="kendall", draws=200),
    "bounds": lambda study: sk.bounds(study, MEASURES),
    "effort": lambda study: sk.effort(study, "nsDCG@10"),
    "judge noise": lambda study: sk.judge_noise(study, MEASURES, draws=3),
    "judge noise of four": lambda study: sk.judge_noise(study, "nsDCG@10", by="topic_id", population="users", draws=3),
    "judgment loss": lambda study: sk.judgment_loss(study, "nsDCG@10", draws=3),
    "discriminate": lambda study: sk.discriminate(study, MEASURES, draws=200),
    "power": lambda study: sk.power(study, "nsDCG@10", difference=0.2),
    "calibrate": lambda study: sk.calibrate(study, draws=200),
}  # fmt: skip
SWEEP = {"sweep": lambda study: sk.sweep(study, "nsDCG@10", {"b": [2, 4]})}


@cache
def found_by(name):
    """What one of them finds in the clinic's study."""
    return (FINDINGS | SWEEP)[name](read_clinic())


def scores(rows, *keys):
    """A table of scores: the keys, measure, value, n, undefined, judged."""
    return pl.DataFrame(rows, schema=[*keys, "measure", "value", "n", "undefined", "judged"], orient="row")


def test_more_measures_than_systems_stand_below_each_other_and_n_in_a_row():
    rows = [(system, measure, number / 8, 60 + (system == "B"), 0, share)
            for system, share in (("A", 0.25), ("B", 0.5)) for number, measure in enumerate(("x", "y", "z"))]  # fmt: skip
    table = score_table(scores(rows, "system_id"))
    assert table.headers == ("Measure", "A", "B")
    assert table.rows == (
        ("x", "0.0000", "0.0000"), ("y", "0.1250", "0.1250"), ("z", "0.2500", "0.2500"), ("n", "60", "61"),
    )  # fmt: skip
    assert table.caption.startswith("Means by system over sessions; ")
    assert table.note == "Judged results: 25.0% (A), 50.0% (B)."
    assert table.has_counts_below
    assert not table.strong  # the larger mean is not singled out
    assert not table.marks


def test_groups_have_a_row_where_measures_are_no_more_and_n_a_column():
    rows = [(system, measure, 0.5, 60, 0, None) for system in "ABC" for measure in ("x", "y")]
    table = score_table(scores(rows, "system_id"))
    assert table.headers == ("System", "x", "y", "n")
    assert table.rows == tuple((system, "0.5000", "0.5000", "60") for system in "ABC")
    assert table.note is None


def test_systems_stand_side_by_side_below_each_measure():
    rows = [(system, topic, measure, 0.5 if measure == "x" else 2.0, 15 + (topic == "t2"), 0, share)
            for system, share in (("A", 0.2), ("B", 0.4)) for topic in ("t1", "t2") for measure in ("x", "y")]  # fmt: skip
    table = score_table(scores(rows, "system_id", "topic_id"))
    assert table.spans == (("", 1), ("x", 2), ("y", 2), ("", 1))
    assert table.headers == ("Topic", "A", "B", "A", "B", "n")
    assert table.full_headers == ("Topic", "x, A", "x, B", "y, A", "y, B", "n")
    assert table.rows[1] == ("t2", "0.5000", "0.5000", "2.000", "2.000", "16")
    tex = latex_table(table)
    assert r" & \multicolumn{2}{c}{x} & \multicolumn{2}{c}{y} &  \\" in tex
    assert r"\cmidrule(lr){2-3} \cmidrule(lr){4-5}" in tex
    assert "| Topic | x, A | x, B | y, A | y, B | n |" in markdown_table(table)


def test_unequal_numbers_of_systems_stand_side_by_side_too():
    rows = [(system, topic, "x", 0.5, n, 0, None)
            for system, topic, n in (("A", "t1", 3), ("B", "t1", 4), ("A", "t2", 5), ("B", "t2", 6))]  # fmt: skip
    table = score_table(scores(rows, "system_id", "topic_id"))
    assert table.caption.startswith("x: means by system and topic ")
    assert table.headers == ("Topic", "A", "B", "n, A", "n, B")
    assert [row[3:] for row in table.rows] == [("3", "4"), ("5", "6")]


def test_sessions_without_a_value_are_counted():
    rows = [
        ("A", "x", 0.5, 60, 0, 0.5),
        ("A", "y", 3.0, 56, 4, 0.25),
        ("B", "x", 0.5, 58, 2, 0.5),
        ("B", "y", None, 0, 60, 0.25),
    ]
    table = score_table(scores(rows, "system_id"))
    assert table.headers == ("System", "x", "y", "Sessions")
    assert table.rows == (("A", "0.5000", "3.000", "60"), ("B", "0.5000", "\u2013", "60"))
    assert table.caption.startswith("Means by system over ")
    for part in ("4 sessions of A by y", "2 sessions of B by x", "60 sessions of B by y"):
        assert part in table.note
    assert table.note.endswith("Judged results: x 50.0% (A), 50.0% (B); y 25.0% (A), 25.0% (B).")


def test_a_spread_has_the_groups_of_a_measure_below_each_other():
    spread = [0.25, 0.5, 0.25, 0.75, 0.0, 1.0, 0.1, 0.2, None]
    rows = [
        ("A", "x", 0.5, 60, 0, 0.5, *spread),
        ("A", "y", 2.0, 2, 58, 0.5, 1.4142, 2.0, None, None, 1.0, 13.0, 0.0, 0.5, [1.0, 3.0]),
        ("B", "x", None, 0, 60, 0.5, *[None] * 9),
        ("B", "y", 3.0, 1, 59, 0.5, None, 3.0, None, None, 3.0, 3.0, 0.0, 0.0, [3.0]),
    ]
    frame = pl.DataFrame(rows, schema=[*scores([], "system_id").columns, *OF_SPREAD], orient="row")
    table = spread_table(frame)
    assert table.headers == ("Measure", "System", "n", "Undefined", "Mean (SD)", "Median [Q1, Q3]")
    assert table.rows == (
        ("x", "A", "60", "0", "0.5000 (0.2500)", "0.5000 [0.2500, 0.7500]"),
        ("x", "B", "0", "60", "\u2013", "\u2013"),
        ("y", "A", "2", "58", "2.00 (1.41)", "1.00, 3.00"),
        ("y", "B", "1", "59", "3.00 (\u2013)", "3.00"),
    )
    assert (
        table.caption == "Scores of sessions by system: mean (SD) and median [Q1, Q3] over the n sessions with a value"
    )
    few = "Fewer than five values are listed in place of median and quartiles."
    assert table.note == f"{few} Judged results: 50.0% (A), 50.0% (B)."
    more = spread_table(frame.filter(measure="x"), ("min", "max", "at_zero", "at_one"))
    assert more.headers == ("System", *table.headers[2:], "Minimum", "Maximum", "At 0", "At 1")
    assert more.rows[0][-4:] == ("0.0000", "1.0000", "10.0%", "20.0%")
    assert more.caption.startswith("x: scores of sessions by system")


def test_one_group_of_all_sessions_has_a_row_per_measure():
    table = score_table(scores([("x", 0.25, 7, 0, 1.0), ("y", 0.5, 7, 0, 1.0)]))
    assert table.headers == ("Measure", "Mean", "n")
    assert table.rows == (("x", "0.2500", "7"), ("y", "0.5000", "7"))


@pytest.mark.parametrize("name", ["breakdown tests", "breakdown tests of two"])
def test_parts_have_a_row_per_group_pair_and_test(name):
    found = found_by(name)
    table = found.paper_table()
    pair = ["Pair"] if "two" in name else []
    assert table.headers == ("System", "Test", *pair, "Difference", "95% interval", "p", "n")
    assert len(table.rows) == found.table.height
    for row, cells in zip(found.table.iter_rows(named=True), table.rows, strict=True):
        numbers = (f"{row['estimate']:.4f}", f"[{row['low']:.4f}, {row['high']:.4f}]")
        n = row["users"] if row["test"].startswith("user") else row["sessions"]
        named = (f"{row['part']} \u2212 {row['against']}",) if pair else ()
        assert cells == (row["system_id"], row["test"], *named, *numbers, cells[-2], str(n))
    assert "p not corrected" in table.caption
    assert "n users or sessions" in table.caption
    assert table.note.endswith("about users like these.")


def test_correlations_have_two_decimals_and_name_what_they_are_with():
    found = found_by("correlate by one")
    table = found.paper_table()
    assert table.headers == ("Measure", "Kendall tau-b", "95% interval", "p", "n")
    row = found.table.row(0, named=True)
    assert table.rows[0][:3] == ("nsDCG@10", f"{row['value']:.2f}", f"[{row['low']:.2f}, {row['high']:.2f}]")
    assert table.caption.startswith(
        "Kendall tau-b with satisfaction over sessions; intervals: percentile bootstrap; p not corrected"
    )
    assert table.caption.endswith("n sessions of 30 users")
    significant = [place for place, p in enumerate(found.table["p"]) if p <= 0.05]
    assert table.marks == {(place, 1): "*" for place in significant}
    assert found_by("correlate").paper_table().headers[:3] == ("With", "Measure", "Coefficient")


def test_bounds_are_no_intervals():
    found = found_by("bounds")
    table = found.paper_table()
    assert table.headers == ("System", "Measure", "Mean", "Lower", "Upper", "Could change", "n")
    row = found.bounds.row(0, named=True)
    assert table.rows[0][2:] == (*(f"{row[name]:.4f}" for name in ("value", "lower", "upper")), "60", "60")
    assert "no confidence intervals" in table.caption
    assert "may not reach them (nsDCG@10)" in table.note


def test_a_mixed_model_of_several_groups_names_pairs():
    found = found_by("mixed model of four")
    table = found.paper_table()
    assert table.headers == ("Pair", "Difference", "95% interval", "p", "n")
    assert [row[0] for row in table.rows] == [f"{b} \u2212 {a}" for a, b in found.table.select("a", "b").rows()]
    assert table.caption.startswith(
        "nsDCG@10, differences of pairs, by topic: mixed model, user and topic \u00d7 user random"
    )
    assert "after Bonferroni over 6 comparisons" in table.caption


@pytest.mark.few(6)
@pytest.mark.parametrize("name", FINDINGS)
def test_papers_have_few_columns(name):
    table = found_by(name).paper_table()
    assert len(table.headers) <= 9
    assert table.rows
    assert table.caption


OWN = {"skill"}
"""Columns of the clinic's users."""


@pytest.mark.few(8)
@pytest.mark.parametrize("name", [*FINDINGS, *SWEEP])
def test_no_heading_is_a_name_of_a_column(name):
    found = found_by(name)
    tables = {
        **found.tables(),
        **({"examined": found.examined, "expected": found.expected} if name == "calibrate" else {}),
    }
    for title, frame in tables.items():
        headers = table_of(title, frame).headers
        wrong = [header for header, column in zip(headers, frame.columns, strict=True)
                 if column not in OWN and ("_" in header or (header in ("a", "b") and {"a", "b"} <= {*frame.columns}))]  # fmt: skip
        assert wrong == []
    if name not in SWEEP:
        assert not [header for header in found.paper_table().headers if "_" in header]


@pytest.mark.parametrize("name", [*FINDINGS, *SWEEP])
def test_a_terminal_and_a_paper_round_alike(name):
    for title, frame in found_by(name).tables().items():
        table = table_of(title, frame, limit=len(frame))
        for place, column in enumerate(frame):
            if column.dtype.is_float():
                shown = [row[place].replace("\u2013", "") for row in table.rows]
                assert shown == cells_of(column)


def test_numbers_of_a_column_have_one_number_of_decimals():
    assert DECIMALS == 4
    frame = pl.DataFrame({"residual": [0.5409, 0.25], "sd": [1.0, 0.333], "margin": [0.074, 2.0], "share": [0.25, 1.0],
                          "df": [20.0, 3.25], "p": [0.5, 0.0001], "Queries": [3.0, 2.0]})  # fmt: skip
    assert table_of("t", frame).rows == (
        ("0.5409", "1.0000", "0.0740", "25.0%", "20", "0.500", "3"),
        ("0.2500", "0.3330", "2.0000", "100.0%", "3.25", "<0.001", "2"),
    )


def label_of(tex):
    """The label of a table."""
    (label,) = re.findall(r"\\label\{tab:([A-Za-z0-9.-]+)\}", tex)
    return label


def test_no_two_findings_have_one_label():
    study = read_clinic()
    again = {
        "others": sk.compare(study, "sDCG@10"),
        "by skill": sk.compare(study, "nsDCG@10", by="skill"),
        "at least": sk.compare(study, "nsDCG@10", where="queries >= 2"),
        "at most": sk.compare(study, "nsDCG@10", where="queries <= 2"),
    }
    labels = [label_of(found.to_latex()) for found in [*map(found_by, FINDINGS), *again.values()]]
    assert len({*labels}) == len(labels)
    tables = found_by("compare").tables()
    assert len({label_of(found_by("compare").to_latex(name)) for name in tables}) == len(tables)
    assert labels[0] == "compare-nsDCG-10-sDCG-10"
    assert label_of(sk.compare(study, "sDCG@10").to_latex()) == label_of(again["others"].to_latex())  # every time


def test_labels_tell_apart_what_their_letters_do_not():
    long = [f"nsDCG(b={number})@10" for number in range(2, 30)]
    labels = [
        paper_label("compare", {"measures": measures}, where)
        for measures in (["P@5"], long, long[:-1], ["column(a}b)"], ["column(a{b)"])
        for where in (None, "a = 'x'", "a = 'X'", "a = '\ud800'")
    ]
    assert len({*labels}) == len(labels)
    assert all(re.fullmatch(r"[A-Za-z0-9.-]{1,67}", label) for label in labels)


def test_a_column_that_is_called_as_what_is_counted_still_makes_the_groups():
    rows = [
        ("few", "m", 0.25, 6, 0, 0.5),
        ("many", "m", 0.75, 5, 1, 0.5),
        ("many", "o", 0.5, 6, 0, 0.5),
        ("few", "o", 1.0, 6, 0, 0.5),
    ]
    table = score_table(scores(rows, "sessions"))
    assert table.headers == ("sessions", "m", "o", "Sessions")
    assert table.rows == (("few", "0.2500", "1.0000", "6"), ("many", "0.7500", "0.5000", "6"))


def test_the_n_of_pairs_stand_in_the_order_of_their_names():
    unequal = pl.DataFrame(
        {
            "measure": ["m"] * 3, "a": ["A", "A", "B"], "b": ["B", "C", "C"], "mean_a": [1.0] * 3, "mean_b": [2.0] * 3,
            "estimate": [1.0] * 3, "low": [0.5] * 3, "high": [1.5] * 3, "p_adjusted": [0.5] * 3,
            "n_a": [10, 10, 20], "n_b": [20, 30, 30],
        }
    )  # fmt: skip
    table = pair_table(unequal, "caption", "note", 0.95)
    assert table.headers[0] == "Pair"
    assert table.headers[-2:] == ("n, first of pair", "n, second of pair")
    assert [(row[0], *row[-2:]) for row in table.rows] == [
        ("B \N{MINUS SIGN} A", "20", "10"), ("C \N{MINUS SIGN} A", "30", "10"), ("C \N{MINUS SIGN} B", "30", "20"),
    ]  # fmt: skip
    differing = unequal.head(2).with_columns(a=pl.lit("A"), b=pl.lit("B"))
    assert pair_table(differing, "caption", "note", 0.95).headers[-2:] == ("n, A", "n, B")


def test_a_table_of_pairs_says_once_what_all_rows_share_and_rounds_each_measure_to_four_digits():
    table = pl.DataFrame(
        {
            "measure": ["nsDCG@10", "Duration"], "a": ["A", "A"], "b": ["B", "B"], "mean_a": [0.48921, 521.3542],
            "mean_b": [0.55954, 560.0625], "estimate": [0.07033, 38.7083], "low": [0.01562, None], "high": [0.12494, 199.4871],
            "p_adjusted": [0.006, 1.0], "n_a": [24, 24], "n_b": [24, 24],
        }
    )  # fmt: skip
    both = pair_table(table, "B minus A: a test, n = 24 users", "Note.", 0.95)
    assert both.headers == ("Measure", "A", "B", "Difference", "95% interval", "p")
    assert both.rows == (
        ("nsDCG@10", "0.4892", "0.5595", "0.0703", "[0.0156, 0.1249]", "0.006"),
        ("Duration, s", "521.4", "560.1", "38.7", "(\N{MINUS SIGN}\N{INFINITY}, 199.5]", "1.000"),
    )
    assert both.frame.columns[-3:] == ["low", "high", "p_adjusted"]  # unrounded, each end by itself
    one = pair_table(table.tail(1).with_columns(n_b=pl.lit(25), low=None, high=None), "B minus A", "Note.", 0.95)
    assert one.caption == "Duration, s: B minus A"
    assert one.rows == (("521.4", "560.1", "38.7", "\N{EN DASH}", "1.000"),)
    assert one.note == "n = 24 (A) and 25 (B). Note."


@pytest.mark.parametrize("layout", ["side by side", "below each other", "with intervals"])
def test_every_layout_of_parts_says_what_is_left_out(layout):
    systems = ["A"] if layout == "side by side" else [f"S{number}" for number in range(9)]
    columns = ["system_id", "part", "rank", "value", "n_sessions", "left_out_single_query", "left_out_undefined"]
    frame = pl.DataFrame([(system, "last", 1, 0.5, 4, 3, 0) for system in systems], schema=columns, orient="row")
    if layout == "with intervals":
        frame = frame.with_columns(low=pl.lit(0.25), high=pl.lit(0.75))
    table = breakdown_table(frame, "P@1", "sessions", 0.95)
    assert table.note == f"Left out: {listed([f'3 sessions of one query ({system})' for system in systems])}."


def test_tests_of_parts_say_what_is_left_out_and_sweeps_whom_they_are_about():
    tests = found_by("breakdown tests")
    single = tests.table["left_out_single_query"].max()
    assert single > 0
    assert f"Left out: {single} sessions" in tests.paper_table().note
    swept = found_by("sweep")
    assert f"The claim is about {swept.claim}." in swept.paper_table().note


@pytest.mark.parametrize("column", ["a", "b", "measure", "pair", "n_a", "p_adjusted"])
def test_a_column_that_tables_of_pairs_have_themselves_makes_no_groups(column):
    study = read_clinic()
    named = study.with_tables(sessions=study.sessions.with_columns(pl.col("system_id").alias(column)))
    with pytest.raises(sk.UsageError, match=f"{column}.*already"):
        sk.breakdown_tests(named, "nDCG@10", by=column, draws=200)


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["onecolumn", "twocolumn"])
def test_every_layout_is_typeset_within_the_page_and_its_column(columns, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no TeX")
    study = read_clinic()
    averaged = [
        sk.score(study, [*MEASURES, "Queries"]),
        sk.score(study, MEASURES, by="system_id,topic_id"),
        sk.score(study, MEASURES, by=None),
        sk.score(study, ["nsDCG(b=3,bq=5)@10", "sDCG(b=3,bq=5)@10", "Clicks", "Queries"], by="topic_id"),
    ]
    texts = [latex_table(score_table(frame), f"score-{place}") for place, frame in enumerate(averaged)]
    spreads = [sk.score(study, MEASURES, by=by, spread=True) for by in ("all", "system_id,topic_id", "user_id")]
    texts += [latex_table(spread_table(frame), f"spread-{place}") for place, frame in enumerate(spreads)]
    texts += [found_by(name).to_latex() for name in FINDINGS]
    lines = [rf"\documentclass[{columns}]{{article}}", r"\usepackage[T1]{fontenc}", r"\usepackage{booktabs}"]
    lines += [r"\begin{document}"]
    lines += [re.sub(r"(\\begin\{table\*?\})", r"\1[p]", text) + r"\clearpage" for text in texts]
    (tmp_path / "paper.tex").write_text("\n".join([*lines, r"\end{document}"]), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "paper.log").read_text(errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert not re.search(r"^! |Missing character|multiply defined", log, re.MULTILINE)
    assert re.findall(r"Overfull \\hbox \((\d+)", log) == []
    assert found_by("compare of one").to_latex().startswith("\\begin{table}")  # one measure of two groups fits a column


@pytest.fixture(scope="module")
def clinic():
    study = read_clinic()
    return replace(study, settings=replace(study.settings, labels={"S1": "Old engine", "S2": "New engine"}))


@pytest.mark.parametrize("column", ["low", "high", "estimate", "margin", "value"])
def test_a_studys_own_column_keeps_its_name(column):
    assert heading(column) == column
    assert worded([column]) == column
    if column != "value":
        beside = {"measure": "AP", "value": [0.1, 0.2], "n": 3, "undefined": 0, "judged": 1.0}
        assert f"by {column}" in score_table(pl.DataFrame({column: ["x", "y"], **beside})).caption


def test_a_column_of_groups_keeps_its_name_beside_a_tables_own():
    rows = [("x", part, 1, 0.5, 3, 0, 0) for part in ("last", "non-last", "first", "later", "best")]
    rows += [("y", *row[1:]) for row in rows]
    names = ["estimate", "part", "rank", "value", "n_sessions", "left_out_single_query", "left_out_undefined"]
    table = breakdown_table(pl.DataFrame(rows, schema=names, orient="row"), "AP", "sessions", 0.95)
    assert table.headers[0] == "estimate"


def test_tables_for_papers_are_not_cut():
    scores = pl.DataFrame(
        {
            "session_id": [f"s{number:03}" for number in range(140)],
            "user_id": [f"u{number // 2:03}" for number in range(140)],
            "system_id": ["A", "B"] * 70,
            "measure": "sDCG@10",
            "value": [number % 7 / 10 for number in range(140)],
        }
    )
    found = sk.compare(scores)
    assert len(found.units) == 140
    assert found.to_markdown("units").count("\n| s") + found.to_markdown("units").count("\n| sDCG@10") == 140
    assert "not shown" not in found.to_latex("units")


def test_a_cut_table_of_a_page_says_where_its_rows_are():
    verb = "sessionkit compare gives them"
    small, large = (pl.DataFrame({"n": range(100), "text": text}) for text in ("x", "x" * 1_000))
    page = html_table(table_of("T", small, way_to_all=verb), "table-1")
    assert "40 more rows are not shown" in page
    assert ".csv" in page
    page = html_table(table_of("T", large, note="A note.", way_to_all=verb), "table-1")
    assert '<p class="note">A note. 40 more rows ' in page
    assert "; sessionkit compare gives them.</p>" in page
    assert ".csv" not in page
    assert "1 more row is not shown.</p>" in html_table(table_of("T", small.head(61)))
    assert "not shown" not in html_table(table_of("T", small.head(60)))


def test_labels_of_different_questions_differ():
    labels = [paper_label("score", {"by": by}) for by in (["a_b"], ["a,b"], ["a b"], ["a", "b"])]
    assert len({*labels}) == len(labels)
    assert paper_label("compare", {"measures": ["nsDCG@10"], "by": ["skill"]}) == "compare-nsDCG-10-by-skill"


def test_findings_have_the_studys_labels_in_papers(clinic):
    found = sk.compare(clinic, "sDCG@10")
    for text in (found.to_latex(), found.to_markdown(), found.to_markdown("pairs")):
        assert "Old engine" in text
        assert "New engine" in text
        assert "S1" not in text
    assert found.table.item(0, "a") == "S1"  # values stay as they are


@pytest.mark.few(3)
@pytest.mark.parametrize("form", ["latex", "markdown"])
@pytest.mark.parametrize("command", [("score", "AP"), ("curve", "sDCG@3"), ("breakdown", "nDCG@3")])
def test_commands_have_the_studys_labels_in_papers(clinic, tmp_path, capfdbinary, form, command):
    clinic.save(tmp_path / "study")
    main([command[0], str(tmp_path / "study"), command[1], "--format", form])
    text = capfdbinary.readouterr().out.decode().replace(r"\\", " ")  # a heading may have two lines
    assert "Old engine" in text
    assert "S1" not in text


FINDINGS_WITH_COLUMNS = {
    "compare": partial(sk.compare, measures=["nsDCG@10", "Queries"], by="skill"),
    "within": partial(sk.compare, measures="nsDCG@10", by="skill", within="system_id"),
    "mixed": partial(sk.compare, measures="nsDCG@10", by="skill", population="users,topics"),
    "sweep": partial(sk.sweep, measure="nsDCG@10", vary={"b": [2, 9]}, by="skill"),
    "persistence": partial(sk.sweep, measure="sRBP(b=0.6,p=0.8)@10", vary={"p": [0.2, 0.9]}, by="skill"),
    "correlate": partial(sk.correlate, measures=["nsDCG@10", "Queries"], with_="satisfaction", draws=200),
    "power": partial(
        sk.power, measure="nsDCG@10", by="skill", difference="20%", users=[30], draws=200, component_draws=50
    ),
    "bounds": partial(sk.bounds, measures="nsDCG@10", by="skill", wanted=3, per="session"),
    "judgment_loss": partial(sk.judgment_loss, measures="nsDCG@10", by="skill", fractions=[0.5, 1], draws=3),
    "judge_noise": partial(sk.judge_noise, measures="nsDCG@10", by="skill", noise=0.1, draws=3),
    "discriminate": partial(sk.discriminate, measures="nsDCG@10", by="skill"),
    "effort": partial(sk.effort, measure="nsDCG@10", by="skill"),
    "breakdown_tests": partial(sk.breakdown_tests, measure="nDCG@10", by="skill", draws=200),
    "calibrate": partial(sk.calibrate, model=["sDCG", "sRBP"], draws=200, ranks=5),
}
GROUPED = {
    "compare": ("groups", "units"),
    "within": ("groups", "units"),
    "sweep": ("means",),
    "persistence": ("means",),
    "bounds": ("bounds", "judged", "units"),
    "effort": ("reach", "plateau", "spent", "searcher"),
    "breakdown_tests": ("tests",),
}
"""Tables with a row, or several, for each group."""
WORDS = {
    "p": ("p_value", "pvalue", "asl", "p_all"),
    "significant": ("rejected", "shown"),
    "statistic": ("t", "z", "f"),
    "effect": ("effect_size",),
    "estimate": ("mean_difference",),
    "raw_difference": ("margin", "difference_raw"),
    "value": ("score",),
    "low": ("lo", "ci_low", "from"),
    "high": ("hi", "ci_high", "to"),
    "the name of the column": ("group", "by", "system"),
}
"""What a column is called, and what it is not."""
FOUND = ("estimate", "value", "mean", "tau", "variance", "sd", "share", "power", "base")
"""What low and high are the ends of: the first of these that a table has."""


@pytest.fixture(scope="module")
def clinic_tables():
    return read_clinic()


@pytest.mark.few(5)
@pytest.mark.parametrize("name", FINDINGS_WITH_COLUMNS)
def test_a_column_is_called_by_one_name_in_all_tables(name, clinic_tables):
    for table, frame in FINDINGS_WITH_COLUMNS[name](clinic_tables).tables().items():
        for word, others in WORDS.items():
            assert not {*others} & {*frame.columns}, f"{table} says {word} otherwise"
        grouped = "skill" in frame.columns
        assert grouped == (table in GROUPED.get(name, ())), table
        if grouped and table != "searcher":  # the searcher without end is of no group
            assert {*map(str, frame["skill"])} == set("1234")
        if "estimate" in frame.columns:  # beside it a difference is one of raw means, and says so
            assert "difference" not in frame.columns
        assert ("a" in frame.columns) == ("b" in frame.columns) or "b" in vary(name)
        for column in frame.columns:
            if column in ("p", "p_adjusted", "median_p", "p_independent") and column not in vary(name):
                assert frame[column].is_between(0, 1).all()
        if {"low", "high"} <= {*frame.columns}:
            of = next(each for each in FOUND if each in frame.columns)
            if frame.schema[of].is_numeric():
                inside = frame.filter(pl.col(of).is_between(pl.col("low") - 1e-12, pl.col("high") + 1e-12).not_())
                assert inside.is_empty(), f"{of} outside its interval in {table}"


def vary(name):
    """The parameters that are varied, whose values stand in columns of their names."""
    return FINDINGS_WITH_COLUMNS[name].keywords.get("vary", {})


AVERAGED = {
    "curve": lambda study, by: sk.curve(study, "nsDCG@3", by),
    "breakdown": lambda study, by: sk.breakdown(study, "nDCG@3", by=by),
    "summary": lambda study, by: sk.summary(study, by=by),
    "precision_recall": lambda study, by: sk.precision_recall(study, by=by),
    "gain_vectors": lambda study, by: sk.gain_vectors(study, "CG@3", by=by),
    "session_survival": sk.session_survival,
}


@pytest.mark.parametrize("name", AVERAGED)
def test_groups_stand_in_natural_order_in_tables_of_means_too(name, clinic_tables):
    group = pl.concat_str(pl.lit("S"), pl.col("topic_id").rank("dense") * 4)
    study = clinic_tables.with_tables(sessions=clinic_tables.sessions.with_columns(group=group))
    groups = AVERAGED[name](study, "group")["group"].unique(maintain_order=True).to_list()
    assert groups == ["S4", "S8", "S12", "S16"]
    pairs = AVERAGED[name](study, "system_id,group").select("system_id", "group").unique(maintain_order=True)
    assert pairs.rows() == sorted(pairs.rows(), key=lambda row: (row[0], int(row[1][1:])))
