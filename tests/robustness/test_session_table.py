"""One row per session: every column against a loop over the tables, or against the verb that it comes from."""

import re
import shutil
import subprocess
import warnings
from dataclasses import replace

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.display.export import latex_table
from sessionkit.errors import DataWarning, UsageError
from sessionkit.robustness.session_table import measures_in
from sessionkit.statistics.paper_tables import session_rows_table
from tests.support.clinic import read_clinic, saved_clinic
from tests.support.messages import match_parts, messages_with
from tests.support.payloads import EACH
from tests.support.random_studies import draw_study

MEASURES = ["nsDCG@10", "mean(P@5)", "mean(E@5)", "Queries"]
SIDES = ("", " lower", " upper", " judged")


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.fixture(scope="module")
def table(clinic):
    return sk.score(clinic, MEASURES, per="session", wide=True)


def small(judgments=(("t", "a", 1),), max_grade=2, **sessions):
    """Return two sessions, one with documents a and b, one with c, on topic t."""
    ids = {"session_id": ["s1", "s2"], "topic_id": ["t", "t"]}
    names = ("judgment_key", "doc_id", "grade")
    return sk.from_tables(
        results={
            "session_id": ["s1", "s1", "s2"],
            "query_position": [1, 2, 1],
            "rank": [1, 1, 1],
            "doc_id": ["a", "b", "c"],
        },
        judgments=dict(zip(names, map(list, zip(*judgments, strict=True)), strict=True)) if judgments else None,
        sessions=ids | sessions,
        max_grade=max_grade,
    )


def wide(study, measures="sDCG@1", **options):
    return sk.score(study, measures, per="session", wide=True, **options)


def test_columns_stand_in_a_stated_order(clinic, table):
    bounded = [f"{measure}{side}" for measure in MEASURES[:3] for side in SIDES]
    first = ["session_id", "user_id", "system_id", "topic_id", *bounded, "Queries"]
    first += ["queries", "results", "clicks", "duration_seconds"]
    assert table.columns[: len(first)] == first
    assert {*table.columns[len(first) :]} == {*clinic.columns("sessions"), *clinic.columns("users")} - {*first}
    assert measures_in(table) == MEASURES


def test_values_and_bounds_are_those_of_the_verb(clinic, table):
    units = sk.bounds(clinic, MEASURES, per="session", wanted=0).units
    for measure in MEASURES[:3]:
        expected = units.filter(measure=measure).sort("session_id")
        assert table["session_id"].to_list() == expected["session_id"].to_list()
        for column, side in ((measure, "value"), (f"{measure} lower", "lower"), (f"{measure} upper", "upper")):
            assert table[column].to_list() == expected[side].to_list()


def test_bounds_of_a_session_worked_out_by_hand():
    # s1: a gains 1; b, unjudged, gains 0 to 2, divided by 1 + log4(2) = 1.5. s2: c gains 0 to 2.
    rows = wide(small()).select("session_id", *(f"sDCG@1{side}" for side in SIDES)).rows()
    assert rows == [("s1", 1.0, 1.0, pytest.approx(1 + 2 / 1.5), 0.5), ("s2", 0.0, 0.0, 2.0, 0.0)]


def test_a_measure_of_which_lower_is_better_is_bounded_in_its_own_scale():
    # E@1 = 1 - F@1: with b not relevant s1 shows nothing relevant in its second list
    row = wide(small(judgments=(("t", "a", 1), ("t", "x", 1))), "mean(E@1)").row(0, named=True)
    assert row["mean(E@1) lower"] <= row["mean(E@1)"] <= row["mean(E@1) upper"]
    assert row["mean(E@1)"] == pytest.approx(1 - (2 * 1 / (1 + 2) + 0) / 2)


def test_counts_and_judged_shares_are_those_of_loops_over_the_log(clinic, table):
    judged = {
        (row["judgment_key"], row["doc_id"])
        for row in clinic.judgments.collect().to_dicts()
        if row["grade"] is not None
    }
    results = clinic.results.collect().partition_by("session_id", as_dict=True)
    queries = clinic.queries.collect()["session_id"].to_list()
    sessions = {row["session_id"]: row for row in clinic.sessions.collect().to_dicts()}
    for row in table.iter_rows(named=True):
        session = sessions[row["session_id"]]
        shown = results[row["session_id"],].to_dicts()
        assert row["queries"] == queries.count(row["session_id"]) == row["Queries"]
        assert row["results"] == len(shown)
        assert row["clicks"] == sum(one["clicked"] for one in shown)
        assert row["duration_seconds"] == (session["ended_at"] - session["started_at"]).total_seconds()
        within = [(session["topic_id"], one["doc_id"]) in judged for one in shown if one["rank"] <= 10]
        assert row["nsDCG@10 judged"] == pytest.approx(sum(within) / len(within))
        assert (row["satisfaction"], row["topic_id"]) == (session["satisfaction"], session["topic_id"])


@pytest.mark.parametrize("seed", [3, 11])
def test_bounds_are_the_values_where_every_result_is_judged(seed):
    measures = ["nsDCG@5", "mean(nDCG@5)", "sDCG@5", "mean(E@5)"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        study = draw_study(seed).study
        shown = study.results.join(study.sessions.select("session_id", "judgment_key"), on="session_id")
        pairs = shown.select("judgment_key", "doc_id").unique().drop_nulls()
        judgments = pl.concat(
            [study.judgments.select("judgment_key", "doc_id", "grade"), pairs.with_columns(grade=pl.lit(0.0))]
        )
        study = study.with_tables(judgments=judgments.group_by("judgment_key", "doc_id").agg(pl.col("grade").max()))
        units = sk.bounds(study, measures, per="session", wanted=0, max_grade=9).units
        table = wide(replace(study, settings=replace(study.settings, max_grade=9.0)), measures)
    for measure in measures:
        expected = units.filter(measure=measure).sort("session_id")
        for column, side in ((f"{measure} lower", "lower"), (f"{measure} upper", "upper")):
            for ours, theirs in zip(table[column], expected[side], strict=True):
                assert ours == (None if theirs is None else pytest.approx(theirs, abs=1e-12))


def test_without_a_known_top_of_the_scale_a_warning_says_why_there_are_no_bounds():
    study = small(max_grade=None)
    expected = match_parts("sDCG@1 has no bounds", "no max_grade", "set max_grade = 1", "study.toml")
    with pytest.warns(DataWarning, match=expected):
        table = wide(study, ["sDCG@1", "mean(P@1)"])
    assert table["sDCG@1 lower"].dtype == pl.Float64
    assert table["sDCG@1 lower"].null_count() == table["sDCG@1 upper"].null_count() == 2
    assert table["mean(P@1) lower"].to_list() == [0.5, 0.0]  # a binary measure needs no top
    assert table["mean(P@1) upper"].to_list() == [1.0, 1.0]


def test_a_measure_without_bounds_says_why():
    with pytest.warns(DataWarning, match="has no bounds: unjudged=skip"):
        table = wide(small(), "sDCG(unjudged=skip)@1")
    assert table["sDCG(unjudged=skip)@1 upper"].null_count() == 2


def test_without_judgments_there_are_counts_and_no_bounds():
    with pytest.warns(DataWarning, match="undefined for 2 of 2") as caught:
        table = wide(small(judgments=(), max_grade=None))
    assert not [one for one in caught if "no bounds" in str(one.message)]
    assert table.select("sDCG@1", "sDCG@1 lower", "sDCG@1 upper").null_count().row(0) == (2, 2, 2)
    assert table.select("queries", "results", "clicks", "duration_seconds").rows() == [
        (2, 2, None, None),
        (1, 1, None, None),
    ]
    assert table.schema["clicks"] == pl.Int64


@pytest.mark.parametrize("side", SIDES)
def test_a_column_of_the_log_that_has_the_name_is_refused(side):
    study = small(**{f"sDCG@1{side}": [1, 2]})
    with pytest.raises(UsageError, match=re.escape(f"already have a column 'sDCG@1{side}'; rename it in study.toml")):
        wide(study)


def test_a_count_of_the_log_stands_in_place_of_ours():
    table = wide(small(duration_seconds=[60.0, None], clicks=[7, 8]))
    assert table["duration_seconds"].to_list() == [60.0, None]
    assert table["clicks"].to_list() == [7, 8]
    assert table.columns.count("clicks") == 1


def test_a_condition_limits_the_sessions_and_what_they_show():
    table = wide(small(), where="session_id = 's1'")
    assert table["session_id"].to_list() == ["s1"]


def test_a_cache_gives_the_same_table(tmp_path, table):
    study = sk.open_study(saved_clinic())
    for _ in range(2):
        assert sk.score(study, MEASURES, per="session", wide=True, cache=tmp_path / "cache").equals(table)


def test_papers_list_sessions_with_bounds_counts_and_ratings(table):
    text = session_rows_table(table, ["nsDCG@10", "Queries"], ["satisfaction"])
    assert text.headers == (
        "Session", "User", "System", "Topic", "nsDCG@10", "Judged", "Queries", "Results", "Clicks", "Minutes", "satisfaction",
    )  # fmt: skip
    row = table.row(1, named=True)
    value, lower, upper = (f"{row[f'nsDCG@10{side}']:.4f}" for side in SIDES[:3])
    assert text.rows[1][4] == f"{value} [{lower}, {upper}]"
    assert text.rows[1][5] == f"{row['nsDCG@10 judged']:.1%}"
    assert text.rows[1][-2] == f"{row['duration_seconds'] / 60:.1f}"
    assert "no confidence intervals" in text.note
    assert "Lower is better: mean(E@5)." in session_rows_table(table, ["mean(E@5)"], []).note


def test_papers_say_where_no_judgment_could_change_a_value():
    judged = small(judgments=(("t", "a", 1), ("t", "b", 0), ("t", "c", 2)))
    text = session_rows_table(wide(judged), ["sDCG@1"], [])
    assert [row[text.headers.index("sDCG@1")] for row in text.rows] == ["1.000", "2.000"]
    assert messages_with([text.note], "No further judgment", "value of sDCG@1")


def test_long_tables_are_typeset_in_parts_whatever_the_log_says(tmp_path, table):
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no TeX")
    hostile = pl.Series([EACH[place % len(EACH)] for place in range(len(table))])
    table = table.with_columns(user_id=hostile, satisfaction=hostile)
    tex = latex_table(session_rows_table(table, ["nsDCG@10"], ["satisfaction"]), "sessions")
    assert tex.count(r"\begin{table*}") == tex.count(r"\caption{") == 3
    assert tex.count(r"\label{tab:sessions}") == 1
    assert tex.count(r"\addtocounter{table}{-1}") == tex.count("(continued)") == 2
    assert len(re.findall(r"\bc\d{3} & ", tex)) == 120
    lines = [r"\documentclass[twocolumn]{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{booktabs}"]
    lines += [r"\begin{document}", tex, r"See Table~\ref{tab:sessions}.", r"\end{document}"]
    (tmp_path / "paper.tex").write_text("\n".join(lines), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "root:" not in (tmp_path / "paper.log").read_text(errors="replace")


def test_a_rating_named_as_a_count_stands_beside_the_count_in_a_paper():
    lists = {
        "session_id": ["s"] * 2,
        "query_position": [1, 2],
        "rank": [1, 1],
        "doc_id": ["a", "b"],
        "topic_id": ["t"] * 2,
    }
    judgments = {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}
    study = sk.from_tables(
        results=lists, judgments=judgments, sessions={"session_id": ["s"], "Queries": [9]}, max_grade=1
    )
    wide = sk.score(study, "sDCG@10", per="session", wide=True)
    paper = session_rows_table(wide, ["sDCG@10"], ["Queries"])
    cells = dict(zip(paper.headers, paper.rows[0], strict=True))
    assert (cells["Queries"], cells["Queries (log)"]) == ("2", "9")
