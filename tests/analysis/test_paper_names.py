"""Tables of papers: all rows, a study's own column names, its labels, and a label of its own for each table."""

from dataclasses import replace

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.cli import main
from sessionkit.display.tables import heading, table_of
from sessionkit.reports.page import html_table
from sessionkit.statistics.findings import paper_label
from sessionkit.statistics.paper_tables import breakdown_table, score_table, worded
from tests.support.clinic import read_clinic


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
    page = html_table(table_of("T", pl.DataFrame({"n": range(100)})), "table-1")
    assert "40 more rows are not shown; the CSV has them." in page


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


@pytest.mark.parametrize("form", ["latex", "markdown"])
@pytest.mark.parametrize("command", [("score", "AP"), ("curve", "sDCG@3"), ("breakdown", "nDCG@3")])
def test_commands_have_the_studys_labels_in_papers(clinic, tmp_path, capfdbinary, form, command):
    clinic.save(tmp_path / "study")
    main([command[0], str(tmp_path / "study"), command[1], "--format", form])
    text = capfdbinary.readouterr().out.decode().replace(r"\\", " ")  # a heading may have two lines
    assert "Old engine" in text
    assert "S1" not in text
