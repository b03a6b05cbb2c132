"""Numbers in prose and cells of a page: what no line end parts, minus signs, thousands, and one way to set p-values."""

import ast
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.charts import spec_of
from sessionkit.display.export import latex_table, markdown_table
from sessionkit.display.numbers import p_text, set_numbers, share_text
from sessionkit.display.tables import table_of
from sessionkit.display.templates import worded
from sessionkit.display.terminal import table_text
from sessionkit.display.text import html_of
from sessionkit.reports.page import html_table
from sessionkit.robustness.missing_judgments import missing_judgments

SPACE = "\xa0"


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("a difference (p = 0.120; 40 users)", "p = 0.120"),
        ("a difference (p < 0.001; 40 users)", "p < 0.001"),
        ("a mean (n = 1,200)", "n = 1,200"),
        ("a mean of 1,200 sessions", "1,200 sessions"),
        ("95% interval 0.1 to 0.2", "95% interval"),
        ("with 95% CI 0.1 to 0.2", "95% CI"),
        ("after 12 s of dwell", "12 s"),
    ],
)
def test_no_line_ends_between_a_number_and_what_it_is_of(text, pair):
    assert pair.replace(" ", SPACE) in set_numbers(text)
    assert str(worded(text)).count(" ") == set_numbers(text).count(" ")
    assert pair.replace(" ", SPACE).replace("<", "&lt;") in html_of([text], [])


@pytest.mark.parametrize(
    "text",
    ["map = 3", "users 12", "40 usersets", "by S-1 on 2011-03-04", "nDCG@10 sorted", "step = 2"],
)
def test_other_words_stay_as_they_are(text):
    assert set_numbers(text) == text


def test_numbers_below_0_have_a_minus_sign_on_a_page_and_a_hyphen_in_text():
    table = table_of("T", pl.DataFrame({"system_id": ["S-1"], "value": [-0.25]}), note="At least -0.5 (-1 to -0.1).")
    page = html_table(table)
    assert "\u22120.2500" in page
    assert "At least \u22120.5 (\u22121 to \u22120.1)." in page
    assert "S-1" in page
    assert "-0.2500" in markdown_table(table)
    assert "$-$0.2500" in latex_table(table)
    assert "-0.2500" in table_text(table.frame)


def test_counts_have_commas_and_other_whole_numbers_have_none():
    frame = pl.DataFrame({"results": [27966], "year": [2011], "rank": [1000]})
    assert table_of("T", frame).rows == (("27,966", "2011", "1000"),)
    assert table_text(frame).split()[-3:] == ["27,966", "2011", "1000"]


def test_p_values_are_set_by_one_function():
    """No other file writes a p-value itself."""
    root = Path(sk.__file__).parent
    own = re.compile(r"(?m)^(?!\s*p = ).*\bp (?:=|<) (?:\{|%)")
    files = [path for path in root.rglob("*.py") if own.search(path.read_text(encoding="utf-8"))]
    assert [path.name for path in files] == ["numbers.py"]
    assert p_text(0.0001) == "p < 0.001"


@given(st.integers(1, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0, 1, 2]))
def test_only_all_reads_100_percent_and_only_nothing_0(counts, decimals):
    part, n = counts
    number = float(share_text(part / n, decimals).removesuffix("%"))
    assert (number == 100) == (part == n)
    assert (number == 0) == (part == 0)
    assert abs(number - 100 * part / n) <= 0.5 * 10**-decimals


PACKAGE = Path(sk.__file__).parent
OWN_PERCENTS = {"share_text", "short_share_text", "PAIRS", "level_text"}
"""What may set a percentage: shares, the pattern that keeps one with its unit, and the confidence of an interval."""


def percents(tree):
    """The lines of a module that set a percentage by a number format, or write a percent sign behind a number."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for part, after in zip(node.values, [*node.values[1:], None], strict=True):
                if not isinstance(part, ast.FormattedValue):
                    continue
                form = ast.unparse(part.format_spec).strip("f'\"") if part.format_spec else ""
                behind = after.value if isinstance(after, ast.Constant) else ""
                if form.endswith("%") or re.match(r"%(?!\w)", behind):
                    yield node.lineno
        elif isinstance(node, ast.Constant) and re.search(r"^[+~]?\.\d+~?[%p]$|\{\}%", str(node.value)):
            yield node.lineno


def may_set_percentages(statement):
    """Whether a statement of a module defines one of `OWN_PERCENTS`."""
    targets = [statement, *getattr(statement, "targets", [])]
    return any(getattr(target, "name", getattr(target, "id", "")) in OWN_PERCENTS for target in targets)


MAY_HOLD_PERCENTS = re.compile(r"%|\dp[\"']|~p[\"']")
"""What a module that sets a percentage has in its text; to parse all modules takes seconds."""


@pytest.mark.slow
def test_share_text_alone_sets_percentages():
    texts = {path.relative_to(PACKAGE): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    lines = [
        f"{path}:{line}"
        for path, text in texts.items()
        if MAY_HOLD_PERCENTS.search(text)
        for statement in ast.parse(text).body
        if not may_set_percentages(statement)
        for line in percents(statement)
    ]
    assert not lines, "use sessionkit.display.numbers.share_text; in charts with_percents and share_tip"
    faults = ['f"{x:.1%}"', 'f"{x:.0f}%"', 'tip("a", "A", ".1%")', 'pl.format("{}%", x)', 'axis(".0p")']
    assert all(MAY_HOLD_PERCENTS.search(fault) for fault in faults)
    assert {*percents(ast.parse("\n".join(faults)))} == {1, 2, 3, 4, 5}  # the check finds what it is for
    for path in PACKAGE.rglob("*.js"):
        assert not re.search(r"toFixed\(\d+\)\}%", path.read_text("utf-8")), path


def test_one_pair_of_grades_in_300_that_differs_is_said():
    documents = [f"d{number}" for number in range(300)]
    judgments = pl.DataFrame({
        "judgment_key": "t", "doc_id": documents * 2, "judge_id": ["ada"] * 300 + ["bob"] * 300, "grade": [1] * 599 + [0],
    })  # fmt: skip
    log = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d0"], "topic_id": ["t"]}
    reading = sk.agreement(sk.from_tables(log, judgments=judgments)).reading
    assert "99.7% of the pairs" in reading  # 299 / 300


def test_one_result_in_4000_that_is_not_judged_is_said():
    documents = [f"d{number}" for number in range(4000)]
    results = pl.DataFrame(
        {"session_id": documents, "query_position": 1, "rank": 1, "doc_id": documents, "topic_id": "t"}
    )
    judgments = {"judgment_key": ["t"] * 3999, "doc_id": documents[:-1], "grade": [1] * 3999}
    study = sk.from_tables(results, judgments=judgments, max_grade=1)
    bounds = sk.bounds(study, "sDCG@1", by=None)
    # 3999 / 4000 = 99.975%
    assert "99.98%" in bounds.reading
    assert "100%" not in bounds.reading
    assert "99.98%" in table_text(sk.score(study, "sDCG@1", by=None))
    missing = missing_judgments(study, sk.parse_measure("sDCG@1"))
    assert spec_of(sk.charts.tipping_point(missing))["title"]["text"] == "Mean judged share: all sessions 99.98%"
