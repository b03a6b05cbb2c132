"""A comparison as papers print it: significance marked, test and correction named, as LaTeX that compiles."""

import re
import shutil
import subprocess

import polars as pl
import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic
from tests.support.payloads import MARKUP, SCRIPTS


def scored(shifts, users=12, spread=0.1):
    """Every user with every system, whose values lie apart by these shifts, and two measures of which one tells nothing."""
    rows = [
        (
            f"s{user}{system}",
            f"u{user:02}",
            system,
            measure,
            shift * (measure == "told") + spread * ((7 * user + 3 * place) % 5),
        )
        for user in range(users)
        for place, (system, shift) in enumerate(shifts.items())
        for measure in ("told", "alike")
    ]
    return pl.DataFrame(rows, schema=["session_id", "user_id", "system_id", "measure", "value"], orient="row")


def test_two_systems_have_a_row_per_measure_and_a_mark_where_they_differ():
    found = sk.compare(scored({"A": 0.0, "B": 2.0}))
    table = found.paper_table()
    assert table.headers == ("Measure", "A", "B", "Difference", "95% interval", "p")
    shown = {row[0]: row[1:] for row in table.rows}
    for row in found.table.iter_rows(named=True):
        places = 3 if row["mean_b"] > 1 else 4  # four digits
        cells = [f"{row[name]:.{places}f}" for name in ("mean_a", "mean_b", "estimate", "low", "high")]
        assert list(shown[row["measure"]][:4]) == [*cells[:3], f"[{cells[3]}, {cells[4]}]"]
    significant = [place for place, p in enumerate(found.table["p_adjusted"]) if p <= 0.05]
    assert significant == [0]
    assert table.marks == {(0, 3): "*"}
    assert table.strong == frozenset()  # the larger mean is not singled out
    assert "paired t" in table.caption
    assert "after Bonferroni over 2 comparisons" in table.caption
    assert "n = 12 users" in table.caption
    assert table.note == "*: p \u2264 0.05. The claim is about users like these 12 users."


def test_seven_systems_have_a_row_each_and_letters_of_those_from_which_they_differ():
    systems = dict(zip("ABCDEFG", [0, 0, 0, 0, 0, 0, 3.0], strict=True))
    found = sk.compare(scored(systems))
    table = found.paper_table()
    assert table.headers == ("", "System", "told", "alike")
    assert [row[:2] for row in table.rows] == list(zip("abcdefg", "ABCDEFG", strict=True))
    means = found.table.filter(measure="told")
    assert table.rows[6][2] == f"{means.filter(b='G')['mean_b'][0]:.4f}"
    assert {place: mark for place, mark in table.marks.items() if place[1] == 2} == {
        **{(place, 2): "g" for place in range(6)},
        (6, 2): "abcdef",
    }
    assert not [place for place in table.marks if place[1] == 3]
    assert "Tukey" in table.caption
    assert table.note.startswith("Letters name the groups from which a mean differs, p \u2264 0.05.")


def test_a_mixed_model_is_printed_like_a_comparison():
    found = sk.compare(read_clinic(), "nsDCG@10", population="users,topics")
    table = found.paper_table()
    row = found.table.row(0, named=True)
    assert table.rows[0][:3] == tuple(f"{row[name]:.4f}" for name in ("mean_a", "mean_b", "estimate"))
    assert "mixed model" in table.caption
    assert "users like these 30 and topics like these 4" in table.note


def test_populations_of_both_kinds_are_told_apart():
    study = read_clinic()
    assert isinstance(sk.compare(study, "nsDCG@10", population="topics,users"), sk.MixedModel)
    for options, says in (
        ({"population": "users,topics", "test": "t"}, "which has no test=t"),
        ({"random": "user_id"}, "add population=users,topics"),
    ):
        with pytest.raises(sk.UsageError, match=says):
            sk.compare(study, "nsDCG@10", **options)
    with pytest.raises(sk.UsageError, match="which only compare fits"):
        sk.sweep(study, "nsDCG@10", {"b": [2, 3]}, population="users,topics")


@pytest.mark.slow
def test_the_tables_are_typeset_whatever_the_names_are(tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no TeX")
    names = [*SCRIPTS[:2], *MARKUP[:2], "a_b & c", "50% $x$", "#1"]
    many = sk.compare(scored({name: float(place) for place, name in enumerate(names)}))
    two = sk.compare(scored({names[0]: 0.0, names[-1]: 2.0}))
    lines = [r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{booktabs}", r"\begin{document}"]
    lines += [many.to_latex(), two.to_latex(), two.to_latex("pairs"), r"\end{document}"]
    (tmp_path / "paper.tex").write_text("\n".join(lines), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "paper.log").read_text(errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert not re.search(r"^! |Missing character", log, re.MULTILINE)
