"""sweep, end to end: every setting against a score and a comparison of its own; what it says of the clinic and real sessions.

A sweep of a made-up study against plain Python.
"""

import math
import warnings
from itertools import product
from pathlib import Path

import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import DataWarning, MeasureError, UsageError
from tests.robustness.sweep_logs import log
from tests.support.clinic import read_clinic

# lists made by hand have gaps in their ranks
pytestmark = [pytest.mark.filterwarnings("ignore:.* looks deeper than was observed")]

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"


@pytest.fixture(scope="module")
def made():
    return log()


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def alone(study, row, by, **options):
    """The comparison of one setting, made by itself: its row for the leader and the next, the leader less the next."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        table = sk.compare(study, row["measure"], by, **options).table
    pair = sorted((row["leader"], row["following"]))
    found = table.filter(pl.col("a") == pair[0], pl.col("b") == pair[1]).row(0, named=True)
    if found["a"] == row["leader"]:
        low, high = found["low"], found["high"]
        found |= {
            "estimate": -found["estimate"],
            "low": None if high is None else -high,
            "high": None if low is None else -low,
        }
    return found


GRIDS = [
    ("sDCG@5", {"b": [1.5, 2, 8], "bq": "1.5:6:3", "gain": "linear,exp2,0-1-10-100"}),
    ("sDCG@5", {"cutoff": [1, 3], "duplicates": "all,first", "unjudged": "zero,skip", "depth": "all,last_click"}),
    ("nsDCG@5", {"b": [2, 5], "ideal": "repeated,spread,once", "duplicates": "all,first"}),
    ("mean(nDCG@5)", {"discount": "burges,jk2002", "b": [2, 5], "cutoff": [2, 5]}),
    ("sRBP(b=.5,p=.5)@5", {"b": [0.2, 0.5, 0.9], "p": "0.3:0.9:3"}),
    ("sDCG(undefined=zero)@5", {"discount": "log,geometric,none", "p": [0.5, 0.8]}),
]


@pytest.mark.few(1)
@pytest.mark.filterwarnings("ignore:.*upper bound")
@pytest.mark.parametrize(("measure", "vary"), GRIDS)
def test_every_setting_is_a_score_of_its_own_bit_for_bit(made, measure, vary):
    _, _, study = made
    for test in ("none", None):
        found = sk.sweep(study, measure, vary, test=test)
        assert found.table.filter("base").height == 1
        scored = found.table.drop_nulls("measure")
        assert len(scored) > 3
        scores = sk.score(study, scored["measure"].unique(maintain_order=True).to_list(), by="system_id")
        for row in scored.iter_rows(named=True):
            own = scores.filter(measure=row["measure"])
            ours = found.means.filter(pl.col("setting") == row["setting"])
            assert ours["value"].to_list() == own["value"].to_list()
            assert ours["n"].to_list() == own["n"].to_list()
            better, worse = sorted(own["value"].to_list(), reverse=True)
            assert (row["raw_difference"], row["relative"]) == (better - worse, (better - worse) / worse)


def crossed(user, topic, system):
    """Each user searches each topic once, systems alternated."""
    return (user + topic) % 2 == system


def between(user, _topic, system):
    """Each user meets one system."""
    return user % 2 == system


DESIGNS = [
    ("by user and topic", {}, {}),
    ("by user and topic", {}, {"population": "topics"}),
    ("by user and topic", {"systems": ("A", "B", "C")}, {}),
    ("by user and topic", {"systems": ("A", "B", "C")}, {"test": "wilcoxon"}),
    ("crossover", {"met": crossed, "topics": 4}, {}),
    ("crossover", {"met": crossed, "topics": 4}, {"population": "topics", "test": "randomization"}),
    ("between", {"met": between}, {}),
    ("between", {"met": between}, {"population": "topics"}),
    ("between", {"met": between, "users": 12}, {"test": "mann-whitney"}),
]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("design", "study", "options", "measure"),
    [(*one, "sDCG@5") for one in DESIGNS] + [(*DESIGNS[number], "nsDCG@5") for number in (0, 2, 4, 7)],
)
def test_every_setting_is_tested_as_a_comparison_of_its_own(design, study, options, measure):
    _, _, made = log(seed=5, **study)
    found = sk.sweep(made, measure, {"b": [2, 6]}, **options)
    assert design in found.design
    tested = 0
    for row in found.table.iter_rows(named=True):
        theirs = alone(made, row, "system_id", **options)
        for name in ("estimate", "low", "high", "p_adjusted"):
            same = theirs[name] is None or pytest.approx(theirs[name], rel=1e-9, abs=1e-12)
            assert (row[name] is None) is (theirs[name] is None)
            assert row[name] is None or row[name] == same, (row["measure"], name)
        assert row["significant"] == (theirs["p_adjusted"] <= 0.05 and row["estimate"] > 0)
        tested += 1
    assert tested == 2
    base = sk.compare(made, measure, **options)
    assert (found.claim, found.population) == (base.claim, base.population)


def test_the_clinic_reads_with_population_size_and_sensitivity(clinic):
    found = sk.sweep(clinic, "sDCG@10", {"b": "1.5:10:6", "bq": "1.5:10:6"})
    by_kind = {statement.kind: statement.values for statement in found.statements}
    assert (by_kind["grid"]["settings"], len(by_kind["grid"]["parameters"]["b"])) == (49, 7)
    assert by_kind["added"]["parameters"] == {"b": "2", "bq": "4"}
    assert by_kind["claim"]["claim"] == found.claim
    assert "30 users" in found.claim
    assert "4 topics" in found.claim
    assert (by_kind["base"]["n_leader"], by_kind["base"]["n_following"]) == (60, 60)
    assert by_kind["base"]["detectable"] > 0
    (leader,) = by_kind["leaders"]["groups"]
    assert (leader["leader"], leader["settings"]) == ("S2", 49)
    assert {(each.values["holds"], each.values["known"]) for each in found.of_kind("conclusion")} == {(49, 49)}
    assert "caution" in by_kind
    base, theirs = found.table.filter("base").row(0, named=True), sk.compare(clinic, "sDCG@10").table.row(0, named=True)
    assert (base["leader"], base["raw_difference"]) == ("S2", pytest.approx(theirs["raw_difference"]))
    assert base["p_adjusted"] == pytest.approx(theirs["p_adjusted"])
    assert list(found.tables()) == ["settings", "means", "regions", "ranges", "nearest", "parameters", "made_with"]
    assert "<table" in found._repr_html_()


def test_a_map_is_a_slice_of_the_sweep(made):
    _, _, study = made
    found = sk.sweep(study, "sDCG@5", {"b": [2, 4], "bq": [2, 4], "gain": "linear,exp2"}, test="none")
    drawn = found.map("gain", "b")
    assert drawn.select("x", "y").rows() == [("linear", "2"), ("exp2", "2"), ("linear", "4"), ("exp2", "4")]
    kept = found.table.filter(bq=4)
    assert drawn["raw_difference"].to_list() == kept["raw_difference"].to_list()
    assert found.map().height == 4
    with pytest.raises(UsageError, match=r"cutoff was not .*: b, bq, gain"):
        found.map("cutoff")
    with pytest.raises(UsageError, match="two different"):
        found.map("b", "b")


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"by": "sistem"}, UsageError, "did you mean 'system_id'"),
        ({"measure": "sRBP@5"}, MeasureError, "needs b and p"),
        ({"confidence": 0.3}, UsageError, "confidence must be"),
        ({"test": "t-test"}, UsageError, "there is no test"),
        ({"correction": "holms"}, UsageError, "did you mean 'holm'"),
        ({"seed": -1}, UsageError, "seed must be"),
        ({"population": "topic"}, UsageError, "did you mean 'topics'"),
    ],
)
def test_what_cannot_be_is_said(made, options, error, said):
    _, _, study = made
    with pytest.raises(error, match=said):
        sk.sweep(study, **{"measure": "sDCG@5", "vary": {"b": [2, 3]}} | options)


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_real_sessions_by_difficulty(tmp_path):
    config = tmp_path / "study.toml"
    columns = {
        "session": 'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User", difficulty = "Difficulty"',
        "results": 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"',
        "qrels": 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"',
    }
    tables = {"sessions": "session", "results": "results", "judgments": "qrels"}
    parts = [
        f'[{name}]\npath = "{DATA / file}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns[file]} }}\n'
        + ('empty_list = "no results"\n' if name == "results" else "")
        for name, file in tables.items()
    ]
    config.write_text("max_grade = 2\n" + "".join(parts))
    found = sk.sweep(sk.read(config), "sDCG(like=jiang2016)@9", {"b": "1.5:10:4", "bq": "1.5:10:4"}, by="difficulty")
    assert "incomplete blocks" in found.design
    assert "20 users" in found.claim
    values = found.of_kind("base")[0].values
    assert (values["verdict"], values["correction"], values["tests"]) == ("not shown", "bonferroni", 10)
    assert found.of_kind("order")
    assert found.table["outcome"].unique().to_list() == ["holds"]


def test_a_sign_test_whose_median_is_0_shows_the_side_it_tested() -> None:
    """8 of 20 users for B, none against: p = 2 / 2^8 = .0078 in every setting, the median difference is 0."""
    users = [f"u{user:02d}" for user in range(20)]
    sessions = [f"{user}{system}" for user in users for system in "AB"]
    grades = [3 if system == "B" and number < 8 else 2 for number in range(20) for system in "AB"]
    study = sk.from_tables(
        sessions={
            "session_id": sessions,
            "user_id": [user for user in users for _ in "AB"],
            "system_id": ["A", "B"] * 20,
            "topic_id": ["t"] * 40,
        },
        results={
            "session_id": sessions,
            "query_position": [1] * 40,
            "rank": [1] * 40,
            "doc_id": [f"d{g}" for g in grades],
        },
        judgments={"judgment_key": ["t", "t"], "doc_id": ["d2", "d3"], "grade": [2, 3]},
    )
    found = sk.sweep(study, "sDCG@1", {"b": [2, 3]}, test="sign")
    values = found.of_kind("base")[0].values
    assert (values["estimate"], values["low"], values["high"]) == (0.0, 0.0, 1.0)
    assert (values["p_adjusted"], values["verdict"]) == (pytest.approx(2 / 2**8), "shown")


def test_in_a_paper_two_groups_have_the_difference_of_the_second_and_many_the_leader():
    found = sk.sweep(read_clinic(), "nsDCG@10", {"b": [2, 4], "gain": ["linear", "exp2"]}, confidence=0.885)
    table = found.paper_table()
    assert table.headers == ("b", "gain", "Difference", "88.5% interval", "p")
    for row, cells in zip(found.table.iter_rows(named=True), table.rows, strict=True):
        assert row["leader"] == "S2"
        assert cells[:2] == (f"{row['b']:g}", row["gain"])
        assert cells[2:4] == (f"{row['estimate']:.4f}", f"[{row['low']:.4f}, {row['high']:.4f}]")
    marked = {(place, 2): "*" for place, p in enumerate(found.table["p_adjusted"]) if p <= 0.115}
    assert 0 < len(marked) < 4
    assert table.marks == marked
    assert "S2 minus S1, by system" in table.caption
    assert found.test in table.caption
    assert table.note.startswith("Base setting: b=2, gain=linear. ")
    assert "p \N{LESS-THAN OR EQUAL TO} 0.115." in table.note
    assert found.claim in table.note
    many = sk.sweep(read_clinic(), "nsDCG@10", {"b": [2, 4]}, by="topic_id").paper_table()
    assert many.headers == ("b", "Leader", "Next", "Difference", "95% interval", "p")
    assert "Tukey's HSD, blocked, p for" in many.caption
    untested = sk.sweep(read_clinic(), "nsDCG@10", {"b": [2, 4]}, test="none").paper_table()
    assert untested.headers == ("b", "Difference")


def test_where_the_first_of_two_groups_leads_its_difference_is_turned():
    _, _, study = log(seed=1)
    leader = sk.sweep(study, "sDCG@10", {"b": [2, 9]}).table.item(0, "leader")
    renamed = study.with_tables(
        sessions=study.sessions.with_columns(
            system_id=pl.when(pl.col("system_id") == leader).then(pl.lit("A")).otherwise(pl.lit("B"))
        )
    )
    found = sk.sweep(renamed, "sDCG@10", {"b": [2, 9]})
    assert found.table["leader"].to_list() == ["A", "A"]
    for row, cells in zip(found.table.iter_rows(named=True), found.paper_table().rows, strict=True):
        assert cells[1:3] == (
            f"{-row['estimate']:.2f}",
            f"[{-row['high']:.2f}, {-row['low']:.2f}]",
        )  # means have two digits


def by_hand(rows, grades, b, bq, gain):
    """Mean sDCG of every system, from the formula."""
    totals, systems = {}, {}
    for session, query, rank, doc, topic, system, _, _ in rows:
        systems[session] = system
        grade = grades.get((topic, doc), 0)
        worth = grade if gain == "linear" else 2**grade - 1
        if rank <= 5:
            add = worth / (1 + math.log(rank, b)) / (1 + math.log(query, bq))
            totals[session] = totals.get(session, 0) + add
    means = {}
    for system in sorted(set(systems.values())):
        values = [totals.get(session, 0) for session, of in systems.items() if of == system]
        means[system] = sum(values) / len(values)
    return means


def test_a_made_up_study_in_plain_python():
    rows, grades, study = log(seed=11, systems=("A", "B", "C", "D"))
    vary = {"b": [1.3, 2, 4, 9], "bq": [1.3, 4, 20], "gain": ["linear", "exp2"]}
    found = sk.sweep(study, "sDCG@5", vary, test="none")
    assert found.table.height == 4 * 3 * 2
    base = by_hand(rows, grades, 2, 4, "linear")
    held, order = {}, {}
    for row, (b, bq, gain) in zip(found.table.iter_rows(named=True), product(*vary.values()), strict=True):
        means = by_hand(rows, grades, b, bq, gain)
        first, second = sorted(means, key=means.get, reverse=True)[:2]
        assert (row["b"], row["bq"], row["gain"]) == (b, bq, gain)
        assert (row["leader"], row["following"]) == (first, second)
        assert row["raw_difference"] == pytest.approx(means[first] - means[second])
        assert row["tau"] == pytest.approx(stats.kendalltau([*base.values()], [*means.values()]).statistic)
        held[b, bq, gain] = first == max(base, key=base.get)
        order[b, bq, gain] = row["tau"]
        assert row["outcome"] == ("holds" if held[b, bq, gain] else "overturned")
    assert len(set(held.values())) == 2
    assert len(set(order.values())) > 1
    region = found.regions.row(0, named=True)
    assert (region["settings"], region["holds"]) == (24, sum(held.values()))
    # the region around the base, by filling it
    reached, ahead = set(), [(2, 4, "linear")]
    while ahead:
        at = ahead.pop()
        if at in reached or not held[at]:
            continue
        reached.add(at)
        for axis, values in enumerate(vary.values()):
            place = values.index(at[axis])
            beside = range(len(values)) if axis == 2 else (place - 1, place + 1)
            ahead += [(*at[:axis], values[n], *at[axis + 1 :]) for n in beside if 0 <= n < len(values)]
    assert region["connected"] == len(reached)
    assert region["share"] == sum(held.values()) / 24
