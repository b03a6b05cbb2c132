"""effort: curves read horizontally as Järvelin & Kekäläinen do, plateaus, and what a measure's searcher looks at."""

import math

import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring import reduction
from tests.support.clinic import read_clinic


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.fixture
def worked():
    """Research Notes 2002-2: gains 3, 2, 3, 0, 0, 1, 2, 2, 3, 0 of a recall base 3 3 3 2 2 2 1 1 1 1."""
    return sk.from_tables(
        results={
            "session_id": ["s"] * 10,
            "query_position": [1] * 10,
            "rank": range(1, 11),
            "doc_id": list("abcxydefgz"),
        },
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 10, "doc_id": list("abcdefghij"), "grade": [3, 2, 3, 1, 2, 2, 3, 1, 1, 1]},
    )


def test_the_worked_list(worked):
    # CG 3 5 8 8 8 9 11 13 16 16 against 3 6 9 11 13 15 16 17 18 19: 9 is reached at rank 6, 11 at 7, 13 at 8, 15 and 16 at 9
    found = sk.effort(worked, "CG@12", by=None)
    assert found.reach["documents"].to_list() == [1, 3, 6, 7, 8, 9, 9, *[None] * 5]
    assert found.reach["mean_curve"].to_list() == found.reach["documents"].to_list()
    assert found.reach["reached"].to_list() == [1] * 7 + [0] * 5
    # the ideal stops rising at rank 10, where the list has 16 of 19
    assert found.plateau.select("mean", "median", "beyond").row(0) == (10.0, 10, 0)
    assert found.plateau["gained"].item() == pytest.approx(16 / 19)
    reach = next(statement.values for statement in found.of_kind("reach") if statement.values["rank"] == 3)
    assert [reach[name] for name in ("reached", "units", "unit", "documents")] == [1, 1, "list", 6]


def test_a_gain_is_reached_as_the_weights_are_written():
    """0.7 and 0.1 shown, 0.8 not shown: after two results the list has what the ideal has at rank 1, and a gain of 0.8."""
    assert 0.7 + 0.1 < 0.8  # in doubles
    study = sk.from_tables(
        results={"session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": list("ab")},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("abc"), "grade": [2, 1, 3]},
    )
    effort = sk.effort(study, "CG(gain=0-0.1-0.7-0.8)@2", gain=0.8, by=None)
    assert effort.reach.select("rank", "documents").rows() == [(1, 2), (2, None)]
    assert effort.spent.select("along", "amount", "reached").rows()[-1] == ("results", 2, 1)


def test_curves_are_read_against_that_of_another_system(worked):
    """A has 3, 5, 8, 8, 8, 9 of the worked list; B shows the same documents but the first: 0, 2, 5, 5, 5, 6."""
    shown = list("abcxyd")
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 6 + ["t"] * 6, "query_position": [1] * 12, "rank": [*range(1, 7)] * 2,
            "doc_id": [*shown, "z", *shown[1:]],
        },
        sessions={"session_id": ["s", "t"], "topic_id": ["t", "t"], "system_id": ["A", "B"]},
        judgments=worked.judgments.collect(),
    )  # fmt: skip
    read = sk.effort(study, "CG@6", against="A")
    # B has A's 3 after 3 results, A's 5 after 3 too, and never 8 or 9
    rows = [(1, 3.0, 3, 2.0), (2, 5.0, 3, 0.5), *((rank, 8.0, None, None) for rank in (3, 4, 5)), (6, 9.0, None, None)]
    assert read.against.columns == ["system_id", "against", "rank", "gain", "mean_curve", "more"]
    assert read.against.rows() == [("B", "A", *row) for row in rows]
    (against,) = read.of_kind("against")
    assert against.values == {"group": "B", "against": "A", "rank": [1, 3, 5], "mean_curve": [3, None, None]}
    # A has what B has after 2 results, 2, after its first, what it has after 3 and later, 5, after 2, and 6 after 3
    other = sk.effort(study, "CG@6", against="B").against.select("rank", "gain", "mean_curve", "more").rows()
    assert other[:2] == [(2, 2.0, 1, -0.5), (3, 5.0, 2, pytest.approx(-1 / 3))]
    assert other[-1] == (6, 6.0, 3, -0.5)
    assert read.reach.equals(sk.effort(study, "CG@6").reach)
    assert "against" not in sk.effort(study, "CG@6").tables()
    for wrong, message in (("C", "no group 'C' .*; groups: A, B"), (5, "no group 5 to read")):
        with pytest.raises(UsageError, match=message):
            sk.effort(study, "CG@6", against=wrong)
    with pytest.raises(UsageError, match="there is no other group"):
        sk.effort(study, "CG@6", by="topic_id", against="t")
    with pytest.raises(UsageError, match="against=A: RBP"):
        sk.effort(study, "RBP(p=0.8)", against="A")


def test_curves_of_sessions_are_read_as_the_verb_curve_has_them(clinic):
    curves = sk.curve(clinic, "sDCG@5").select("system_id", "slot", "value")
    first, second = (curves.filter(system_id=system).select("slot", "value").rows() for system in ("S1", "S2"))
    expected = [
        (slot, value, next((at for at, other in second if other >= value), None)) for slot, value in first if value > 0
    ]
    read = sk.effort(clinic, "sDCG@5", against="S1").against
    assert read.select("rank", "gain", "mean_curve").rows() == expected


def test_a_plateau_beyond_the_cutoff(worked):
    plateau = sk.effort(worked, "nCG@5", by=None).plateau.row(0, named=True)
    assert (plateau["mean"], plateau["beyond"]) == (10.0, 1)
    assert plateau["gained"] == pytest.approx(8 / 13)


def test_a_session_reads_on_in_its_next_query():
    # CG-like: no discounts, X = 2. Ideal list 2, 1: 2 after the first, 3 after both. Query 1 shows one result, of grade 1;
    # query 2 nothing, then 2: 1, 1, 3: 2 after three results and two queries, and 3 too
    study = sk.from_tables(
        results={"session_id": ["s"] * 3, "query_position": [1, 2, 2], "rank": [1, 1, 2], "doc_id": ["b", "x", "a"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [2, 1]},
    )
    found = sk.effort(study, "sDCG(discount=none,query_discount=none)@2", by=None)
    assert found.reach.select("rank", "documents", "queries", "mean_curve").rows() == [(1, 3, 2, 4), (2, 3, 2, 4)]


def test_reach_is_that_of_each_sessions_own_curve(clinic):
    found = sk.effort(clinic, "sDCG@10")
    curves = sk.curve(clinic, "sDCG@10", per="session", after_stop="null")
    shown = clinic.results.filter(pl.col("rank") <= 10).group_by("session_id", "query_position").len().collect()
    shown = {(session, query): many for session, query, many in shown.iter_rows()}
    systems = dict(clinic.sessions.select("session_id", "system_id").collect().iter_rows())
    needed = {}
    for (session,), curve in curves.group_by("session_id"):
        rows = curve.sort("slot").filter(pl.col("value").is_not_null()).to_dicts()
        for rank in range(1, 11):
            target = rows[rank - 1]["ideal"]
            at = next((row for row in rows if row["value"] >= target - 1e-12), None)
            read = None
            if at is not None:
                before = sum(shown.get((session, query), 0) for query in range(1, at["query_position"]))
                read = before + at["rank"]
            needed.setdefault((systems[session], rank), []).append(read)
    for row in found.reach.iter_rows(named=True):
        values = needed[row["system_id"], row["rank"]]
        there = sorted(value for value in values if value is not None)
        assert (row["units"], row["reached"]) == (len(values), len(there))
        half = math.ceil(len(values) / 2)
        assert row["documents"] == (there[half - 1] if len(there) >= half else None)
        assert row["mean_documents"] == (pytest.approx(sum(there) / len(there)) if there else None)


def test_what_a_searcher_looks_at_of_the_lists_as_shown():
    # RBP p = .5 on lists of 2 and 3: (1.5 + 1.75) / 2; as costs 10 each, and 7 for the query
    study = sk.from_tables(
        results={
            "session_id": list("aabbb"),
            "query_position": [1] * 5,
            "rank": [1, 2, 1, 2, 3],
            "doc_id": list("vwxyz"),
        },
        sessions={"session_id": ["a", "b"], "topic_id": ["t", "t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["v"], "grade": [1]},
    )
    found = sk.effort(study, "RBP(p=0.5)@5", by=None, document_cost=10, query_cost=7)
    assert found.searcher.select("horizon", "documents", "cost").rows() == [
        ("endless", 2.0, 27.0),
        ("one list of 5", 1.9375, 26.375),
        ("as shown", 1.625, 23.25),
    ]
    assert found.chances.select("place", "seen", "goes_on", "stops").row(1) == (2, 0.5, 0.5, 0.25)
    assert found.reach.is_empty()
    assert [statement.values["measure"] for statement in found.of_kind("no_curve")] == ["RBP(p=0.5)@5"]
    # sDCG of a session: documents 1 + .5 of its one list
    shown = sk.effort(study, "sDCG@2", by=None).searcher.filter(horizon="as shown")
    assert shown["documents"].item() == 1.5
    assert shown["queries"].item() == 1.0


@pytest.mark.few(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "measure", ["sDCG@10", "DCG@10", "nsDCG(duplicates=first,ideal=spread)@5", "sRBP(b=0.6,p=0.9)@10"]
)
def test_blocks_do_not_matter(clinic, tmp_path, monkeypatch, measure):
    found = sk.effort(clinic, measure)
    clinic.save(tmp_path / "clinic")
    monkeypatch.setattr(reduction, "ROWS", 1_000)
    again = sk.effort(sk.open_study(tmp_path / "clinic"), measure)
    assert found.reading == again.reading
    for name, table in found.tables().items():
        assert table.equals(again.tables()[name]), name


def test_where_nothing_is_relevant():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [0]},
    )
    for measure in ("sDCG@3", "CG@3"):
        found = sk.effort(study, measure, by=None)
        assert found.reach.is_empty()
        assert found.plateau.is_empty()
        assert found.of_kind("no_gain")


@pytest.mark.parametrize(
    ("measure", "options", "error", "said"),
    [
        ("mean(DCG@10)", {}, MeasureError, "measure inside: DCG@10"),
        ("sDCG", {}, MeasureError, "needs a cutoff"),
        ("nsDCG(normalize=query)@3", {}, MeasureError, "normalize=query"),
        ("ERR(max_grade=2)@3", {}, MeasureError, "neither curves"),
        ("RBP", {}, MeasureError, "needs p"),
        ("sDCG@3", {"by": "nobody"}, UsageError, "by=nobody"),
        ("sDCG@3", {"query_cost": -1}, UsageError, "query_cost"),
    ],
)
def test_what_is_refused(worked, measure, options, error, said):
    with pytest.raises(error, match=said):
        sk.effort(worked, measure, **options)


def test_what_gains_nothing_is_not_said_to_be_irrelevant():
    made = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [2]},
    )
    # a searcher who never stops (p = 1) gains 1 - p = 0 of each document, relevant as it is
    (no_gain,) = sk.effort(made, "sRBP(b=0.5,p=1)@2", by=None).of_kind("no_gain")
    assert no_gain.values["unit"] == "session"
    assert "relevant" not in no_gain.text


def test_of_many_groups_twelve_are_read_out():
    names = [f"S{n:02}" for n in range(14)]
    made = sk.from_tables(
        results={
            "session_id": names, "query_position": [1] * 14, "rank": [1] * 14, "doc_id": ["a"] * 14, "topic_id": ["t"] * 14,
            "system_id": names,
        },
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [2]},
    )  # fmt: skip
    found = sk.effort(made, "nsDCG@2")
    assert found.reach["system_id"].n_unique() == 14
    named = [f"S{n:02}" for n in range(12)]
    for kind in ("plateau", "spent", "shown_lists"):
        assert [statement.values["group"] for statement in found.of_kind(kind)] == named
    assert found.statements[-1].values == {"count": 2, "what": "group", "verb": "effort", "total": 14}


def test_a_gain_is_reached_after_so_many_results_queries_and_minutes():
    """Gains 1, 0 | 2 (asked at 90 s), then 3 at once, then nothing: 3 after three results, a query and a half minute; after one; never."""
    study = sk.from_tables(
        results={
            "session_id": ["s", "s", "s", "t", "u"],
            "query_position": [1, 1, 2, 1, 1],
            "rank": [1, 2, 1, 1, 1],
            "doc_id": ["b", "x", "a", "c", "x"],
        },
        queries={
            "session_id": ["s", "s", "t", "u"],
            "query_position": [1, 2, 1, 1],
            "elapsed_seconds": [0.0, 90.0, 0.0, None],
        },
        sessions={"session_id": list("stu"), "topic_id": ["t"] * 3},
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("abc"), "grade": [2, 1, 3]},
    )
    measure = "sDCG(discount=none,query_discount=none)@2"
    found = sk.effort(study, measure, by=None)
    assert found.gain == 3.0
    assert found.spent.select("along", "amount", "reached", "units").rows() == [
        ("results", 0, 0, 3), ("results", 1, 1, 3), ("results", 3, 2, 3),
        ("queries", 0, 0, 3), ("queries", 1, 1, 3), ("queries", 2, 2, 3),
        ("minutes", 0, 1, 2), ("minutes", 2, 2, 2),
    ]  # fmt: skip
    (spent,) = found.of_kind("spent")
    assert spent.values == {
        "group": "all sessions", "unit": "session", "units": 3, "reached": 2, "gain": 3.0, "half": {"results": 3, "queries": 2},
    }  # fmt: skip
    less = sk.effort(study, measure, by=None, gain=1).spent.filter(pl.col("along") == "results")
    assert less.select("amount", "reached").rows() == [(0, 0), (1, 2)]
    of_lists = sk.effort(study, "CG@2", by=None, gain=2).spent
    assert of_lists.select("along", "amount", "reached", "units").rows() == [("results", 0, 0, 4), ("results", 1, 2, 4)]
    for wrong in (0, -1, math.inf, True, "3"):
        with pytest.raises(UsageError, match=r"gain must be .* above 0"):
            sk.effort(study, measure, by=None, gain=wrong)


def test_the_shares_that_reach_a_gain_are_those_of_each_session_and_intervals_wilsons(clinic):
    found = sk.effort(clinic, "sDCG@10", gain=2.5).spent
    curves = sk.curve(clinic, "sDCG@10", per="session", after_stop="null")
    shown = clinic.results.filter(pl.col("rank") <= 10).group_by("session_id", "query_position").len().collect()
    shown = {(session, query): many for session, query, many in shown.iter_rows()}
    systems = dict(clinic.sessions.select("session_id", "system_id").collect().iter_rows())
    asked = {
        (s, q): at for s, q, at in clinic.queries.select("session_id", "query_position", "issued_at").collect().rows()
    }
    began = dict(clinic.sessions.select("session_id", "started_at").collect().rows())
    needed = {"S1": [], "S2": []}
    for (session,), curve in curves.group_by("session_id"):
        at = next((row for row in curve.sort("slot").to_dicts() if (row["value"] or 0) >= 2.5), None)
        spent = dict.fromkeys(("results", "queries", "minutes"), math.inf)
        if at is not None:
            last = at["query_position"]
            before = sum(shown.get((session, query), 0) for query in range(1, last))
            minutes = math.ceil((asked[session, last] - began[session]).total_seconds() / 60)
            spent = {"results": before + at["rank"], "queries": last, "minutes": minutes}
        needed[systems[session]].append(spent)
    assert set(found["along"]) == {"results", "queries", "minutes"}
    for row in found.iter_rows(named=True):
        own = [spent[row["along"]] for spent in needed[row["system_id"]]]
        reached = sum(amount <= row["amount"] for amount in own)
        assert (row["reached"], row["units"]) == (reached, len(own))
        theirs = stats.binomtest(reached, len(own)).proportion_ci(0.95, method="wilson")
        assert (row["low"], row["high"]) == pytest.approx((theirs.low, theirs.high))


def test_queries_without_time_are_in_no_minute():
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]}
    judgments = {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}
    assert set(sk.effort(sk.from_tables(results, judgments), "sDCG@1", by=None).spent["along"]) == {
        "results",
        "queries",
    }
