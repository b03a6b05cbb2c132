"""The tipping point: a difference as scored, with unjudged results skipped, and its bounds; judged shares and what reverses it."""

from dataclasses import replace
from functools import partial

import pytest

import sessionkit as sk
from sessionkit.charts import data, spec_of, tipping_point
from sessionkit.errors import UsageError
from sessionkit.robustness.missing_judgments import Bounds, Candidate, Estimate, missing_judgments
from tests.support.clinic import read_clinic
from tests.support.messages import messages_with

MEASURE = sk.parse_measure("sDCG@2")


def missing(judged=("a", "n"), systems="AB", users=1):
    """A shows x, y and B a, n, as one list each; grades 2 for a, 0 for n."""
    docs = {"A": "xy", "B": "an", "C": "ax"}
    lists = [(f"{system}{user}", system, f"u{user}") for system in systems for user in range(users)]
    rows = [(name, 1, rank, doc) for name, system, _ in lists for rank, doc in enumerate(docs[system], 1)]
    names = ("session_id", "query_position", "rank", "doc_id")
    sessions = {
        "session_id": [name for name, _, _ in lists],
        "system_id": [system for _, system, _ in lists],
        "user_id": [user for _, _, user in lists],
        "topic_id": ["t"] * len(lists),
    }
    judgments = {
        "judgment_key": ["t"] * len(judged),
        "doc_id": [*judged],
        "grade": [2 if doc == "a" else 0 for doc in judged],
    }
    results = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return missing_judgments(sk.from_tables(results, judgments, sessions=sessions, max_grade=2), MEASURE)


def rows_of(chart):
    """The rows of a forest by group and kind."""
    return {(row["group"], row["kind"]): row for row in data(chart)[0].iter_rows(named=True)}


def below(chart):
    """The lines below the title."""
    lines = spec_of(chart)["title"].get("subtitle", [])
    return [lines] if isinstance(lines, str) else lines


def test_rows_are_the_difference_its_interval_and_its_bounds():
    chart = tipping_point(missing(users=2), title="T")
    rows = rows_of(chart)
    pair = "B \u2212 A"
    assert [*rows] == [(pair, "As scored"), (pair, "Unjudged results skipped"), (pair, "Bounds")]
    # B has 2; x and y of the best grade make 2 + 2 / (1 + log2 2) = 3
    assert [rows[pair, "Bounds"][name] for name in ("lower", "upper", "value")] == [-1, 2, None]
    assert [rows[pair, "As scored"][name] for name in ("value", "n", "lower")] == [2, 2, None]
    shares, reversal = below(chart)
    assert shares == "Mean judged share: A 0.0%, B 100.0%"
    assert messages_with([reversal], "Reversed by 2 of 2 unjudged documents", "best grade")


def test_what_nothing_can_reverse_says_so():
    assert messages_with(below(tipping_point(missing(("a", "n", "x")), title="T"))[-1:], "No grades", "reverse")


@pytest.mark.slow
def test_numbers_beside_the_rows_are_those_of_compare():
    study = read_clinic()
    found = missing_judgments(study, sk.parse_measure("nsDCG@10"))
    texts = [row["text"] for row in next(iter(spec_of(tipping_point(found))["datasets"].values()))]
    judged = sk.compare(study, "Judged@10").table.row(0, named=True)
    difference, low, high = (100 * judged[name] for name in ("estimate", "low", "high"))
    assert f"Difference {difference:.1f} points [\u2212{-low:.1f}, {high:.1f}], n = 30 users" in below(
        tipping_point(found, title="T")
    )
    row = sk.compare(study, "nsDCG(unjudged=skip)@10").table.row(0, named=True)
    estimate, low, high = (f"{abs(row[name]):.3f}".removeprefix("0") for name in ("estimate", "low", "high"))
    assert row["low"] < 0
    assert texts[1] == f"+{estimate} [\u2212{low}, {high}], n = 30 users"
    limits = sk.bounds(study, "nsDCG@10").differences.row(0, named=True)
    lower, upper = (f"{abs(limits[name]):.3f}".removeprefix("0") for name in ("lower", "upper"))
    assert limits["lower"] < 0
    assert texts[2] == f"\u2212{lower} to {upper}, no confidence interval"


def test_an_interval_of_a_difference_of_shares_is_cut_at_1():
    estimate = Estimate(0.6, 0.1, 1.1, 9)
    candidate = Candidate("B \u2212 A", estimate, estimate, None, None)
    of_shares = replace(missing(), measure="nsDCG@10", pair=("A", "B"), candidates=(candidate,), why_no_bounds="")
    chart = tipping_point(of_shares, title="T")
    for row in rows_of(chart).values():
        assert (row["low"], row["high"]) == (0.1, 1.0)
    assert str(spec_of(chart)).count("+.600 [.100, 1.000], n = 9") == 2
    assert below(chart)[-1].startswith("Intervals are cut")


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("systems", ["A", "ABC"])
def test_other_than_two_groups_have_means_with_their_bounds(systems):
    rows = rows_of(tipping_point(missing(("a",), systems, users=3)))
    assert [*dict.fromkeys(group for group, _ in rows)] == [*systems]
    assert [rows["A", "Bounds"][end] for end in ("lower", "upper")] == [0, 3]
    if systems == "ABC":  # C has a: 2, and x may have 2 at the second rank
        assert [rows["C", "Bounds"][end] for end in ("lower", "upper")] == [2, 3]
        assert rows["C", "As scored"]["value"] == 2


def test_a_bar_of_bounds_has_no_point_and_another_line_than_an_interval():
    candidate = Candidate("B - A", Estimate(0.15, 0.1, 0.2, 9), None, Bounds(-0.5, 0.5, is_safe=True), None)
    layers = spec_of(tipping_point(replace(missing(), candidates=(candidate,))))["layer"]
    rules = {layer["encoding"]["x"]["field"]: layer["mark"] for layer in layers if "x2" in layer["encoding"]}
    assert rules["low"]["strokeWidth"] > rules["from"]["strokeWidth"]
    points = [layer["encoding"]["x"]["field"] for layer in layers if layer["mark"]["type"] == "point"]
    assert points == ["value"]


@pytest.mark.parametrize(
    ("bounds", "drawn", "arrows"),
    [
        ((-0.9, 1.0), (-0.9, 1.0), (None, None)),  # 1.9 wide, and 0 to .2 are .2: at most ten times as wide
        ((-5.0, 0.3), (-0.4, 0.3), (-0.4, None)),  # cut at .2 x 2 below 0
        ((-5.0, 9.0), (-0.4, 0.6), (-0.4, 0.6)),
    ],
    ids=["whole", "left", "both"],
)
def test_bars_much_wider_than_the_intervals_are_cut_with_arrows(bounds, drawn, arrows):
    found = missing(users=2)
    estimate = Estimate(0.15, 0.1, 0.2, 9)
    candidate = Candidate("B - A", estimate, None, Bounds(*bounds, is_safe=True), None)
    chart = tipping_point(replace(found, candidates=(candidate,)), title="T")
    row = next(iter(spec_of(chart)["datasets"].values()))[-1]
    assert (row["from"], row["to"]) == pytest.approx(drawn)
    assert (row["arrow_left"], row["arrow_right"]) == pytest.approx(arrows)
    assert any(line.startswith("Arrows: ") for line in below(chart)) == any(arrows)
    assert rows_of(chart)["B - A", "Bounds"]["lower"] == bounds[0]  # the data are whole


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: tipping_point(missing().candidates), "draws what missing_judgments"),
        (partial(tipping_point, None), "draws what missing_judgments"),
        (lambda: tipping_point(replace(missing(), candidates=missing().candidates * 31)), "shows 30 groups, not 31"),
        (lambda: tipping_point(replace(missing(), candidates=())), "no session has.*sDCG@2"),
    ],
    ids=["candidates", "none", "many", "no_value"],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises(UsageError, match=message):
        draw()
