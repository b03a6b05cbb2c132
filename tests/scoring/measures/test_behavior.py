"""Counts of queries, results and clicks against counting by hand.

Durations, times to the first click and dwell times against a walk over the events.

Terms of queries and what became of them: sets restated, and texts that mean harm.

Documents shown, repeated, judged and relevant against counting by hand.
"""

import itertools
import re
import unicodedata
import warnings
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, MeasureError
from sessionkit.scoring.measures.behavior import KINDS, compared, terms_of
from sessionkit.study.counts import counted_sessions
from tests.support.examples import examples

from .logged import QUERIES, RESULTS, began, click_times, issue_times, lists_of, logs, scored, study_of, was_clicked

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
CASES = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "cases" / "public"
FEW = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quiet
@FEW
@given(log=logs())
def test_restated(log):
    asked = (
        "Queries",
        "Results",
        "Results@2",
        "Clicks",
        "Clicks@2",
        "DeepestClick",
        "DeepestClick@2",
        "Abandoned",
        "Clicks(queries=1)",
    )
    found = scored(log, *asked)
    for number, session in enumerate(log[0]):
        lists = lists_of(session)
        rows = [result for query in lists for result in query["results"]]
        high = [result for result in rows if result["rank"] <= 2]
        early = [result for query in session["queries"][:1] for result in query["results"]]

        def clicks(results):
            return sum(int(was_clicked(r)) if r["clicks"] is None else r["clicks"] for r in results)

        wanted = {
            "Queries": len(session["queries"]),
            # what a list that was not logged showed is not known; that nothing on it was clicked is
            "Results": len(rows) if lists else None,
            "Results@2": len(high) if lists else None,
            "Clicks": clicks(rows),
            "Clicks@2": clicks(high),
            "DeepestClick": max((r["rank"] for r in rows if was_clicked(r)), default=None),
            "DeepestClick@2": max((r["rank"] for r in high if was_clicked(r)), default=None),
            "Abandoned": 0.0 if any(map(was_clicked, rows)) else 1.0,
            "Clicks(queries=1)": clicks(early),
        }
        assert {text: values[number] for text, values in found.items()} == wanted


@pytest.mark.slow
@quiet
@FEW
@given(log=logs())
def test_one_column_is_enough(log):
    for kept in ("clicked", "clicks", "clicked_at", "click_elapsed_seconds"):
        without = [name for name in RESULTS if name != kept]
        found = scored(log, "Abandoned", without=without)["Abandoned"]
        for number, session in enumerate(log[0]):
            values = [result[kept] for query in lists_of(session) for result in query["results"]]
            clicked = any(values) if kept in ("clicked", "clicks") else any(value is not None for value in values)
            assert found[number] == (0.0 if clicked else 1.0)


@quiet
def test_missing_columns_are_named():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    for measure in ("Clicks", "DeepestClick"):
        with pytest.raises(DataError, match=f"{measure} needs .*clicked, clicks, clicked_at"):
            sk.score(study, [measure], per="session")
    with pytest.raises(MeasureError, match="no parameter 'grades'"):
        sk.score(study, ["Queries(grades=user)"], per="session")


@quiet
def test_whether_a_session_was_abandoned_is_not_known_where_clicks_are_not_logged():
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    study = sk.from_tables(results=results)
    assert sk.score(study, ["Abandoned"], per="session")["value"].to_list() == [None]
    with pytest.warns(DataWarning, match=r"Abandoned .* 1 of 1: s; .*not logged"):
        sk.score(study, ["Abandoned"], per="session")
    clicked = sk.from_tables(results=results | {"clicked": [False]})
    assert sk.score(clicked, ["Abandoned"], per="session")["value"].to_list() == [1.0]


@quiet
def test_queries_of_which_no_list_was_logged():
    """A click log: one click in three queries of v1 over 7 minutes, none in v2, one after 20 seconds in v3."""
    study = sk.read(CASES / "click_log_without_lists.toml")
    expected = {
        "Queries": [3, 1, 1],
        "Clicks": [1, 0, 1],
        "Abandoned": [0, 1, 0],
        "Duration": [7 * 60, 0, 20],
        "TimeToFirstClick": [10, None, 20],
        # crow; crow skull; raven
        "QueryTerms": [(1 + 2 + 1) / 3, 1, 1],
        "QueryOverlap": [(1 / 2 + 0) / 2, None, None],
        # which results the other lists showed is not known
        "Results": [1, None, 1],
    }
    scores = sk.score(study, [*expected], per="session").sort("session_id")
    values = {name: scores.filter(measure=name)["value"].to_list() for name in expected}
    assert values == {name: pytest.approx(wanted) for name, wanted in expected.items()}
    counted = counted_sessions(study, ["queries", "clicks", "duration_seconds", "results"])
    names = ["Queries", "Clicks", "Duration", "Results"]
    assert counted.select(pl.exclude("session_id")).rows() == [*zip(*(expected[name] for name in names), strict=True)]


def test_clicks_are_known_where_lists_were_observed_in_part():
    study = sk.read(CASES / "click_log_without_lists.toml")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sk.score(study, ["Queries", "Clicks", "Abandoned", "Duration"])


@quiet
def test_a_bare_table_of_queries_has_behavior():
    """Two queries 5 minutes apart, and a session of one; nothing is known of lists or clicks."""
    queries = {
        "session_id": ["s", "s", "z"],
        "query_position": [1, 2, 1],
        "query_text": ["crow", "crow skull", "owl"],
        "issued_at": ["2026-01-05T09:00:00Z", "2026-01-05T09:05:00Z", "2026-01-05T09:00:00Z"],
    }
    study = sk.from_tables(queries=queries)
    scores = sk.score(study, ["Queries", "Duration", "QueryTerms", "Abandoned", "Results"], per="session")
    values = scores.sort("session_id").group_by("measure", maintain_order=True).agg("value").rows()
    assert dict(values) == {
        "Queries": [2, 1], "Duration": [300, 0], "QueryTerms": [1.5, 1], "Abandoned": [None] * 2, "Results": [None] * 2,
    }  # fmt: skip
    assert sk.describe(study).lengths.select("queries", "sessions").rows() == [(1, 1), (2, 1)]
    assert sk.session_survival(study, by=None)["sessions"].to_list() == [2, 1]
    assert sk.reformulations(study, None).select("session_id", "reformulation").rows() == [("s", "specialization")]


@quiet
def test_readers_agree_on_a_log_of_clicks(tmp_path):
    """The same queries and clicks as AOL writes them, as events, and as a table: the measures of behavior are the same."""
    rows = [
        ("v1", "crow", "2006-03-01 10:00:00", "3", "http://w7.org"), ("v1", "crow skull", "2006-03-01 10:05:00", "", ""),
        ("v1", "raven", "2006-03-01 10:07:00", "", ""), ("v2", "tarot", "2006-03-04 18:00:00", "", ""),
        ("v3", "owl", "2006-03-04 18:00:00", "1", "http://w2.org"),
    ]  # fmt: skip
    numbers = {"v1": "1", "v2": "2", "v3": "3"}
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    lines += ["\t".join((numbers[user], *more)) for user, *more in rows]
    (tmp_path / "aol.txt").write_text("\n".join(lines) + "\n")
    events = ["user,event,query,time,position,work"]
    for user, text, time, rank, url in rows:
        events.append(f"{user},search,{text},{time},,")
        events += [f"{user},select,{text},{time},{rank},{url}"] if url else []
    (tmp_path / "events.csv").write_text("\n".join(events) + "\n")
    (tmp_path / "events.toml").write_text(
        'format = "events"\npath = "events.csv"\ntimezone = "UTC"\n'
        'columns = { user_id = "user", query_text = "query", time = "time", event = "event", rank = "position", doc_id = "work" }\n'
        'events = { query = "search", click = "select" }\n'
    )
    measures = ["Queries", "Clicks", "Abandoned", "Duration", "QueryTerms", "QueryOverlap", "DeepestClick"]
    values = []
    for study in (sk.read(tmp_path / "aol.txt", format="aol"), sk.read(tmp_path / "events.toml")):
        scores = sk.score(study, measures, per="session").sort("user_id", maintain_order=True)
        values.append(scores.select("measure", "value").rows())
    assert values[0] == values[1]
    assert [value for name, value in values[0] if name == "Queries"] == [3, 1, 1]
    assert [value for name, value in values[0] if name == "Abandoned"] == [0, 1, 0]


@quiet
def test_more_clicks_than_results():
    """Two results, one clicked three times, one once: four clicks."""
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 2,
            "query_position": [1] * 2,
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "clicks": [3, None],
            "clicked": [True, True],
            "topic_id": ["t"] * 2,
        },
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    assert sk.score(study, ["Clicks", "Clicks@1"], per="session").get_column("value").to_list() == [4.0, 3.0]


@quiet
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(log=logs())
def test_durations_restated(log):
    found = scored(log, "Duration", "TimeToFirstClick", "Dwell")
    for number, session in enumerate(log[0]):
        start, clicks = began(session), click_times(session)
        issued = [time for time in issue_times(session) if time is not None]
        clicked = [time for _, _, time in clicks if time is not None]
        ends = issued + [time + (row["dwell_seconds"] or 0) for _, row, time in clicks if time is not None]
        told = session["ended_at"]
        whole = told is not None and start is not None and told >= start
        duration = told - start if whole else max(ends, default=None)
        waited = min(clicked) - min(issued, default=0) if clicked else None
        rows = [result for query in session["queries"] for result in query["results"]]
        dwelt = [row["dwell_seconds"] for row in rows if row["dwell_seconds"] is not None]
        dwell = sum(dwelt) if dwelt else None if any(map(was_clicked, rows)) else 0
        assert found["Duration"][number] == duration
        assert found["TimeToFirstClick"][number] == (waited if waited is not None and waited >= 0 else None)
        assert found["Dwell"][number] == dwell


@quiet
def test_a_session_by_hand():
    """Begun at 9:00:00; queries after 5 and 65 s; clicks after 20 and 70 s, read for 40 and 15 s; ended after 100 s."""
    lists = [
        {"issued_at": 5.0, "clicked_at": 20.0, "dwell_seconds": 40.0},
        {"issued_at": 65.0, "clicked_at": 70.0, "dwell_seconds": 15.0},
    ]
    nothing = dict.fromkeys([*QUERIES, *RESULTS])
    queries = [
        {**nothing, **event, "logged": True, "results": [{**nothing, **event, "rank": 1, "doc_id": "a"}]}
        for event in lists
    ]
    told = ([{"started_at": 0.0, "ended_at": 100.0, "queries": queries}], {"a": 1})
    assert scored(told, "Duration", "TimeToFirstClick", "Dwell") == {
        "Duration": [100.0],
        "TimeToFirstClick": [15.0],
        "Dwell": [55.0],
    }
    # how long it took outweighs when it ended
    lasted = study_of(told)
    lasted = lasted.with_tables(sessions=lasted.sessions.with_columns(duration_seconds=pl.lit(99.5)))
    assert sk.score(lasted, ["Duration"], per="session")["value"].to_list() == [99.5]
    # without the ends: from the first query, after 5 s, to 70 + 15 s
    assert scored(([{**told[0][0], "started_at": None, "ended_at": None}], {"a": 1}), "Duration")["Duration"] == [80.0]


@quiet
def test_durations_missing_columns_are_named():
    log = ([{"started_at": None, "ended_at": None, "queries": []}], {"a": 1})
    bare = study_of(log, without=["started_at", "ended_at", *QUERIES, *RESULTS])
    with pytest.raises(DataError, match=r"^Duration ") as error:
        sk.score(bare, ["Duration"], per="session")
    columns = ("started_at", "ended_at", "duration_seconds", "issued_at")
    assert all(name in str(error.value) for name in columns)
    with pytest.raises(DataError, match=r"TimeToFirstClick .*_at, click_elapsed_seconds"):
        sk.score(bare, ["TimeToFirstClick"], per="session")
    with pytest.raises(DataError, match="dwell_seconds"):
        sk.score(bare, ["Dwell"], per="session")


REFORMULATION_FEW = settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.too_slow])
WORDS = st.lists(st.sampled_from(["a", "B", "c-d", "Ölpreis", "٣", "東京", "e\u0301"]), max_size=4).map(" ".join)


def terms(text):
    """The distinct terms of a text, restated."""
    plain = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return set(
        re.sub(r"[^\w]|_", " ", "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in kept)).split()
    )


def named(before, after):
    """The kind of step, restated with sets."""
    if before == after:
        return "repeat"
    if not before & after:
        return "new"
    if before < after:
        return "specialization"
    return "generalization" if after < before else "substitution"


@REFORMULATION_FEW
@given(st.lists(WORDS, min_size=2, max_size=6))
def test_reformulation_restated(texts):
    frame = pl.DataFrame({"before": texts[:-1], "after": texts[1:]}).with_columns(terms_of(pl.all()))
    found = compared(frame["before"], frame["after"])
    for row, before, after in zip(found.rows(named=True), texts, texts[1:], strict=False):
        a, b = terms(before), terms(after)
        assert row == {
            "terms": len(b),
            "previous_terms": len(a),
            "shared": len(a & b),
            "overlap": len(a & b) / len(a | b) if a | b else 1.0,
            "kind": named(a, b),
        }
        assert row["kind"] in KINDS


@REFORMULATION_FEW
@given(st.text(max_size=30))
def test_terms_of_any_text(text):
    found = pl.select(terms_of(pl.lit(text, pl.String))).item().to_list()
    assert len(found) == len(set(found))
    assert all(term and term == term.lower() for term in found)
    assert not any(
        unicodedata.category(c)[0] in "CZ" and unicodedata.category(c) != "Cn" for term in found for c in term
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Jaguar\u202e speed\u200f", ["jaguar", "speed"]),
        ("a\x00b\x1b[31m\tc\r\nd", ["a", "b", "31m", "c", "d"]),
        ("ﬁsh", ["fish"]),
        ("'; DROP TABLE queries; --", ["drop", "table", "queries"]),
        ("<script>alert(1)</script>", ["script", "alert", "1"]),
        ("", []),
        (" \u00a0?!", []),
        (None, None),
    ],
)
def test_hostile_texts(text, wanted):
    found = pl.select(terms_of(pl.lit(text, pl.String))).item()
    assert (None if found is None else found.to_list()) == wanted


@pytest.mark.slow
@quiet
def test_texts_of_a_megabyte():
    long = "x" * 2**20
    study = sk.from_tables(
        queries={"session_id": ["s"] * 3, "query_position": [1, 2, 3], "query_text": [long, long + " y", "z " * 2**19]},
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    found = sk.score(study, ["QueryTerms", "QueryOverlap"], per="session").get_column("value").to_list()
    assert found == [pytest.approx(4 / 3), 0.25]
    assert sk.reformulations(study, None)["reformulation"].to_list() == ["specialization", "new"]


@quiet
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.lists(st.tuples(st.none() | WORDS, st.sampled_from([True, True, False])), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    )
)
def test_measures_of_sessions(sessions):
    rows = [(f"s{s}", q, *row) for s, queries in enumerate(sessions) for q, row in enumerate(queries, 1)]
    schema = {"session_id": pl.String, "query_position": pl.Int32, "query_text": pl.String, "results_status": pl.String}
    frame = [(s, q, text, "empty" if logged else "not_logged") for s, q, text, logged in rows]
    study = sk.from_tables(
        sessions={"session_id": [f"s{s}" for s in range(len(sessions))], "topic_id": ["t"] * len(sessions)},
        queries=pl.DataFrame(frame, schema=schema, orient="row"),
        results=pl.DataFrame(
            schema={"session_id": pl.String, "query_position": pl.Int32, "rank": pl.Int32, "doc_id": pl.String}
        ),
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    # blank texts count as not given, as everywhere in a log
    given_texts = dict(
        zip(
            [tuple(row[:2]) for row in rows],
            study.queries.sort("session_id", "query_position").collect()["query_text"],
            strict=True,
        )
    )
    found = sk.score(study, ["QueryTerms", "QueryOverlap"], per="session").sort("session_id")
    for s, queries in enumerate(sessions):
        texts = [given_texts[f"s{s}", q] for q, _ in enumerate(queries, 1)]
        said = [terms(text) for text in texts if text is not None]
        steps = [len(a & b) / len(a | b) if a | b else 1.0 for a, b in itertools.pairwise(said)]
        mine = found.filter(pl.col("session_id") == f"s{s}")["value"].to_list()
        assert mine[0] == (pytest.approx(sum(map(len, said)) / len(said)) if said else None)
        assert mine[1] == (pytest.approx(sum(steps) / len(steps)) if steps else None)


DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "ir_metrics"


@quiet
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(log=logs())
def test_result_counts_restated(log):
    asked = (
        "UniqueDocs",
        "UniqueDocs@2",
        "Repeats",
        "Repeats@2",
        "Judged",
        "Judged@2",
        "RelevantSeen",
        "RelevantSeen(min_grade=2)@2",
        "RelevantSeen(depth=last_click)",
    )
    found = scored(log, *asked)
    grades = log[1]
    for number, session in enumerate(log[0]):
        lists = lists_of(session)
        rows = [result for query in lists for result in query["results"]]
        high = [result for result in rows if result["rank"] <= 2]
        seen = [
            result
            for query in lists
            for result in query["results"]
            if result["rank"] <= max((r["rank"] for r in query["results"] if r["clicked"]), default=0)
        ]

        def different(results, lowest=None):
            return len({r["doc_id"] for r in results if lowest is None or grades.get(r["doc_id"], -1) >= lowest})

        def judged(results):
            return sum(r["doc_id"] in grades for r in results) / len(results) if results else None

        def relevant(results, lowest=1):
            return different(results, lowest) if grades else None

        wanted = {
            "UniqueDocs": different(rows),
            "UniqueDocs@2": different(high),
            "Repeats": len(rows) - different(rows),
            "Repeats@2": len(high) - different(high),
            "Judged": judged(rows),
            "Judged@2": judged(high),
            "RelevantSeen": relevant(rows),
            "RelevantSeen(min_grade=2)@2": relevant(high, 2),
            "RelevantSeen(depth=last_click)": relevant(seen),
        }
        assert {text: values[number] for text, values in found.items()} == (wanted if lists else dict.fromkeys(wanted))


def test_a_click_is_a_click():
    """The plain rule that these tests share with those of clicks."""
    assert was_clicked({"clicked": None, "clicks": None, "clicked_at": 1.0, "click_elapsed_seconds": None})
    assert not was_clicked({"clicked": False, "clicks": 2, "clicked_at": 1.0, "click_elapsed_seconds": None})


@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_a_real_user_study(tmp_path):
    """80 sessions, 388 queries, 3,446 results, all judged, 773 of them repeats across queries (FORMULAS section 2)."""
    tables = {
        "sessions": ("session", 'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic"'),
        "results": ("results", 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"'),
        "judgments": ("qrels", 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"'),
    }
    config = tmp_path / "study.toml"
    config.write_text(
        'format = "tables"\n'
        + "".join(
            f'[{table}]\npath = "{DATA / name}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns} }}\n'
            + ('empty_list = "no results"\n' if table == "results" else "")
            for table, (name, columns) in tables.items()
        )
    )
    names = ["Queries", "Results", "UniqueDocs", "Repeats", "Judged"]
    found = (
        sk.score(sk.read(config), names, per="session")
        .group_by("measure")
        .agg(sum=pl.col("value").sum(), least=pl.col("value").min())
    )
    sums = dict(zip(found["measure"], found["sum"], strict=True))
    assert sums == {"Queries": 388, "Results": 3446, "UniqueDocs": 3446 - 773, "Repeats": 773, "Judged": 80}
