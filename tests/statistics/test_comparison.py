"""A comparison as papers print it: significance marked, test and correction named, as LaTeX that compiles.

What a comparison was made of, unit by unit: it agrees with the means, the wins and the estimate.
"""

import re
import shutil
import subprocess

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.statistics import units
from tests.statistics.layouts import EXAMPLE_S, apart, by_topic, crossing, simulated
from tests.support.clinic import read_clinic
from tests.support.payloads import MARKUP, SCRIPTS
from tests.support.statements import claim_of


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
    assert table.note == f"*: p \u2264 0.05. The claim is about {found.claim}."
    assert claim_of(found)[:2] == ("users", (12, 12))


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
    assert table.note.startswith("Letters name the groups")
    assert ", p \u2264 0.05. " in table.note


def test_a_mixed_model_is_printed_like_a_comparison():
    found = sk.compare(read_clinic(), "nsDCG@10", population="users,topics")
    table = found.paper_table()
    row = found.table.row(0, named=True)
    assert table.rows[0][:3] == tuple(f"{row[name]:.4f}" for name in ("mean_a", "mean_b", "estimate"))
    assert "mixed model" in table.caption
    assert found.claim in table.note


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


def wide(found):
    return found.units.pivot(on="system_id", index="unit", values="value")


def test_paired_units_are_those_of_the_test():
    found = sk.compare(by_topic(EXAMPLE_S[:, :2]))
    row = found.table.row(0, named=True)
    units = wide(found)
    assert units.height == row["n_a"]
    d = units[row["b"]] - units[row["a"]]
    assert d.mean() == pytest.approx(row["estimate"])
    assert ((d > 0).sum(), (d < 0).sum()) == (row["wins"], row["losses"])
    assert not found.units["adjusted"].any()


def test_users_of_a_crossover_are_adjusted_for_topics():
    table = crossing(simulated(1, effect=0.2)[:, 0])
    found = sk.compare(table)
    row = found.table.row(0, named=True)
    assert found.units["adjusted"].all()
    units = wide(found)
    assert units.height == row["n_a"]
    assert (units[row["b"]] - units[row["a"]]).mean() == pytest.approx(row["estimate"])  # the design is balanced
    d = units[row["b"]] - units[row["a"]]
    assert ((d > 0).sum(), (d < 0).sum()) == (row["wins"], row["losses"])
    told = f"({row['b']} higher for {row['wins']}, lower for {row['losses']}, adjusted for topics)"
    assert told in found.reading
    one = found.units.filter(pl.col("unit") == units["unit"][0]).row(0, named=True)
    of_topic = table.group_by("topic_id").agg(topic=pl.col("value").mean())
    own = table.filter(user_id=one["unit"], system_id=one["system_id"]).join(of_topic, on="topic_id")
    assert one["value"] == pytest.approx((own["value"] - own["topic"]).mean() + table["value"].mean())


def test_separate_units_have_one_group_each_and_undefined_ones_none():
    found = sk.compare(apart([np.array([1.0, 2.0, np.nan]), np.array([3.0, 5.0])]))
    assert found.units["unit"].is_unique().all()
    assert sorted(found.units["value"]) == [1.0, 2.0, 3.0, 5.0]


def test_very_many_units_are_not_listed(monkeypatch):
    monkeypatch.setattr(units, "MOST_UNITS", 3)
    found = sk.compare(by_topic(EXAMPLE_S[:, :2]))
    assert found.units.is_empty()
    assert found.units.columns == ["measure", "unit", "system_id", "value", "adjusted"]


def test_differences_within_levels_are_of_the_same_unit_and_level():
    """30 users searched 4 topics with both systems: 120 differences, those of the table of scores."""
    places = [(user, topic, system) for user in range(30) for topic in "ABCD" for system in (1, 2)]
    values = np.random.default_rng(7).normal(size=len(places))
    table = pl.DataFrame(
        {
            "session_id": [f"s{place:03}" for place in range(len(places))],
            "user_id": [f"u{user:02}" for user, _, _ in places],
            "topic_id": [topic for _, topic, _ in places],
            "system_id": [f"S{system}" for _, _, system in places],
            "measure": "sDCG@10",
            "value": values,
        }
    )
    found = sk.compare(table, within="topic_id", population="users")
    differences = found.unit_differences("sDCG@10", "S1", "S2")
    assert differences.columns == ["topic_id", "unit", "a", "b", "difference"]
    expected = table.pivot(on="system_id", index=["topic_id", "user_id"], values="value").sort("topic_id", "user_id")
    assert differences.select("topic_id", "unit").rows() == expected.select("topic_id", "user_id").rows()
    assert differences["difference"].to_list() == pytest.approx((expected["S2"] - expected["S1"]).to_list())
    means = differences.group_by("topic_id", maintain_order=True).agg(pl.col("difference").mean())
    assert means["difference"].to_list() == pytest.approx(found.table["estimate"].to_list())


def test_each_level_of_a_crossover_has_its_own_users():
    """The clinic within the two halves of its topics: a user is in both levels, and is paired within each."""
    table = crossing(simulated(1, effect=0.2)[:, 0]).with_columns(half=pl.col("topic_id").is_in(["A", "C"]))
    found = sk.compare(table, within="half", population="users", test="least-squares")
    differences = found.unit_differences("sDCG@10", "S1", "S2")
    assert differences.select("half", "unit").is_unique().all()
    assert len(differences) == found.table["n_a"].sum()


def test_a_level_without_a_unit_that_met_all_groups_is_compared_beside_the_others():
    """Of three users of one level none has a value for both systems; those of the other level have."""
    rows = [
        (
            f"{user}{system}",
            f"u{user}",
            system,
            level,
            float(user % 3 + place) if level == "full" or place == 0 else None,
        )
        for level, users in (("full", range(6)), ("bare", range(6, 9)))
        for user in users
        for place, system in enumerate("AB")
    ]
    schema = ["session_id", "user_id", "system_id", "level", "value"]
    scores = pl.DataFrame(rows, schema=schema, orient="row").with_columns(measure=pl.lit("gain"))
    units = sk.compare(scores, within="level").units
    assert units.schema["unit"] == pl.String
    assert units["level"].to_list() == ["full"] * 12
