"""Copies of studies: they score as the study does, and nothing in them says who searched, what, or when.

Seconds in place of times of day, against a walk over the events of random logs.

The log in a new order, whatever it is cut into on the way.
"""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from frictionless import Package
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.privacy import pseudonymize
from sessionkit.privacy.pseudonymize import PLACE, in_new_order
from sessionkit.scoring.measures.grammar import example_of
from sessionkit.scoring.measures.registry import MEASURES
from sessionkit.study import verify_hashes
from sessionkit.study.numbering import QUERIES, RESULTS
from sessionkit.study.package import ROWS
from sessionkit.study.schema import TABLES
from sessionkit.study.storage import LOG as LOG_TABLES
from sessionkit.study.storage import StudyBatch
from tests.scoring.measures.logged import click_times, issue_times, lists_of, logs, study_of
from tests.support.clinic import read_clinic
from tests.support.examples import examples

SAYS = "zq"
LOG = ("sessions", "queries", "results")
KEYS = {
    "users": ["user_id"],
    "sessions": ["session_id"],
    "queries": ["session_id", "query_position"],
    "results": ["session_id", "query_position", "rank"],
}
OF_WORDS = ("QueryTerms", "QueryOverlap")
DECLARED = {"max_grade": 3, "collection_size": 1000}
quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


def every_measure():
    """Every measure but those of the words of queries, as one of sessions."""
    for name, measure in MEASURES.items():
        if name in OF_WORDS or isinstance(measure, type(sk.mean)) or name in ("avgpos",):
            continue
        one = example_of(measure)
        yield sk.mean(one) if one.level == "query" else one


def renamed(made, column="session_id"):
    """Pseudonyms by originals."""
    return dict(made.mapping.filter(column=column).select("original", "pseudonym").iter_rows())


def values(study, measures, names=None):
    """Values and judged shares by session and measure, the sessions called as the copy calls them."""
    table = sk.score(study, measures, per="session").select("session_id", "measure", "value", "judged")
    if names is not None:
        table = table.with_columns(pl.col("session_id").replace_strict(names, return_dtype=pl.String))
    return table.sort("session_id", "measure").rows()


def everything(directory):
    """All that the files of a study say, as text: every value, and their bytes, in which footers are not compressed."""
    texts = []
    for path in sorted(Path(directory).rglob("*")):
        if path.is_file():
            # hashes and sizes of the copy's own files are other numbers every time, which may hold any digits
            own = re.sub(r"[0-9a-f]{64}|\"bytes\": \d+", "", path.read_bytes().decode("latin-1"))
            texts += [str(path.relative_to(directory)), own]
        if path.suffix == ".parquet":
            texts.append(pl.read_parquet(path, hive_partitioning=False, glob=False).write_ndjson())
    return "\n".join(texts)


def tables(study):
    """The tables of a study in memory."""
    return {name: study.table(name).collect() for name in (*TABLES, "rejected")}


@pytest.mark.slow
@quiet
@settings(max_examples=examples(4, least=1), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_score_is_the_same_to_the_bit(data):
    from tests.scoring.studies import COLUMNS, sessions, study_of

    measures = [*every_measure()]
    columns = {**{table: [*names] for table, names in COLUMNS.items()}, "judgments": ["subtopic_id"]}
    keyed = data.draw(st.booleans())
    study = study_of(
        *data.draw(sessions(keys_per_query=keyed, columns=columns)), keys_per_query=keyed, columns=columns, **DECLARED
    )
    things = data.draw(st.sampled_from(["", "documents", "documents,topics,systems"]))
    # numbers drawn for an extra may happen to repeat ids, which is told elsewhere: they are asked to stay
    made = sk.pseudonymize(study, keep="extras", replace=things, drop="query_text" if things else "")
    assert values(study, measures, renamed(made)) == values(made.study, measures)


@quiet
@pytest.mark.slow
@pytest.mark.parametrize("key", ["session_id", "user_id", "query_text", "other", "mixed"])
def test_scores_are_the_same_whatever_judgments_are_keyed_by(key):
    texts = ["cat", "dog", "cat", "cat"]
    ids, users = ["1", "2", "3"], ["u1", "u2", "u1"]
    of_queries = {"query_text": texts, "mixed": ["1", "dog", None, "cat"]}.get(key)
    of_sessions = {"session_id": ids, "user_id": users, "other": ["1:a", "2:a", "3:a"], "mixed": ["1", "1", "2"]}.get(
        key
    )
    keys = sorted({*(of_queries or []), *(of_sessions or [])} - {None}) if key != "mixed" else ["1", "2", "cat", "dog"]
    study = sk.from_tables(
        # topics are called as sessions are: 1 is both
        sessions={"session_id": ids, "user_id": users, "topic_id": ["1", "1", "2"]}
        | ({"judgment_key": of_sessions} if of_sessions else {}),
        queries={"session_id": ["1", "1", "2", "3"], "query_position": [1, 2, 1, 1], "query_text": texts}
        | ({"judgment_key": of_queries} if of_queries else {}),
        results={
            "session_id": list("112233"),
            "query_position": [1, 2, 1, 1, 1, 1],
            "rank": [1, 1, 1, 2, 1, 2],
            "doc_id": list("ababab"),
        },
        judgments={
            "judgment_key": [key for key in [*keys, "nowhere"] for _ in "ab"],
            "doc_id": [*"ab"] * (len(keys) + 1),
            "grade": [float(n % 3) for n in range(2 * len(keys) + 2)],
        },
    )
    measures = ["sDCG", "mean(nDCG)", "last(P@1)"]
    for options in ({}, {"keep": "queries"}, {"keep": "sessions"}, {"replace": "topics"}):
        made = sk.pseudonymize(study, **options)
        names = renamed(made) if options.get("keep") != "sessions" else None
        assert values(study, measures, names) == values(made.study, measures)
        before, after = (one.judgments.select("judgment_key").collect().to_series() for one in (study, made.study))
        assert after.n_unique() == before.n_unique()
        assert "nowhere" not in after


@quiet
@pytest.mark.parametrize("key", ["topic_id", "session_id", "user_id"])
def test_nothing_in_a_copy_says_who_searched_what_and_when(leaky, tmp_path, key):
    study = leaky(key)
    written = study.save(tmp_path / "study")
    assert everything(written.path).count(SAYS) > 100
    assert written.facts.sessions == 4
    assert written.rejected.collect().height >= 4
    made = sk.pseudonymize(written)
    copy = made.save(tmp_path / "copy")
    said = everything(copy.path)
    assert SAYS not in said
    for date in ("2021", "05:06", "1614", "Bucharest", "1970-05"):
        assert date not in said
    for source in written.sources:
        assert source.sha256 not in said
        assert f'"bytes": {source.bytes}' not in json.dumps(
            json.loads((copy.path / "datapackage.json").read_text())["sessionkit"]
        )
    assert SAYS not in made.reading
    assert SAYS not in made.table.write_ndjson()
    # but the steward can find everything back
    originals = set(made.mapping.get_column("original"))
    assert {"zquser101", "zquser102", "zquser103", "zqsession1", "zqtext one", "zqid4", "zqjudge0"} <= originals


@quiet
@pytest.mark.slow
def test_a_copy_is_a_study(leaky, tmp_path):
    made = sk.pseudonymize(leaky())
    copy = made.save(tmp_path / "copy")
    assert verify_hashes(copy) == ()
    assert Package.metadata_validate(json.loads((copy.path / "datapackage.json").read_text())) is not None
    assert list(Package.metadata_validate(json.loads((copy.path / "datapackage.json").read_text()))) == []
    for name, key in KEYS.items():
        frame = copy.table(name).collect()
        assert frame.equals(frame.sort(key))
        assert not any(dtype.is_temporal() for dtype in frame.schema.values())
    assert copy.facts == replace(leaky().facts)
    assert vars(copy.facts) == vars(copy.with_tables().facts)


@quiet
def test_accounts_stay(leaky):
    study = leaky()
    before, after = (sk.check(one)["sources"] for one in (study, sk.pseudonymize(study).study))
    counts = ["read_as", "records", "rows", "empty_lists", "rejected", "merged", "idle"]
    assert after.select(counts).rows() == before.select(counts).rows()
    assert after.get_column("source").to_list() == [f"source {n}" for n in range(1, 6)]
    broken = [note for note in sk.pseudonymize(study).study.notes if "rejected" in note]
    assert len(broken) == 1
    assert "1 record of results (rank_" in broken[0]


@quiet
def test_names_are_the_same_in_every_table(leaky):
    study = leaky("session_id")
    made = sk.pseudonymize(study, replace="documents")
    before, after = tables(study), tables(made.study)
    people, sessions, texts = renamed(made, "user_id"), renamed(made), renamed(made, "query_text")
    assert sorted(people.values()) == ["user-0001", "user-0002", "user-0003"]
    wanted = before["sessions"].select(
        pl.col("session_id").replace_strict(sessions), pl.col("user_id").replace_strict(people), "topic_id"
    )
    assert after["sessions"].select("session_id", "user_id", "topic_id").rows() == wanted.sort("session_id").rows()
    place = ["session_id", "query_position"]
    wanted = before["queries"].select(
        pl.col("session_id").replace_strict(sessions), "query_position", pl.col("query_text").replace_strict(texts)
    )
    assert after["queries"].select(*place, "query_text").rows() == wanted.sort(place).rows()
    documents = renamed(made, "doc_id")
    for name, key in (("results", "session_id"), ("judgments", "judgment_key")):
        keys = sessions if key == "session_id" else renamed(made, "judgment_key")
        wanted = before[name].select(pl.col(key).replace_strict(keys), pl.col("doc_id").replace_strict(documents))
        assert sorted(after[name].select(key, "doc_id").rows()) == sorted(wanted.rows())
    known = {key: label for key, label in renamed(made, "judgment_key").items() if key in sessions}
    assert known == sessions


@quiet
def test_what_is_asked_for_is_done(leaky):
    made = sk.pseudonymize(
        leaky(),
        keep="queries,times,title,comment",
        replace=["documents", "topics", "systems", "reason"],
        drop="results.position,age",
    )
    after = tables(made.study)
    assert after["queries"]["query_text"].unique().sort().to_list() == ["zqtext one", "zqtext three", "zqtext two"]
    assert "issued_at" in after["queries"].columns
    assert made.study.settings.title == "zqtitle"
    assert made.study.settings.timezone == "Europe/Bucharest"
    assert set(after["sessions"]["comment"]) == {"zqcomment1", "zqcomment2", "zqcomment3", "zqcomment4"}
    assert "epoch" in after["sessions"].columns  # it tells no more than the times that stay
    assert set(after["results"]["doc_id"]) <= {f"document-{n:04}" for n in range(1, 5)}
    assert set(after["judgments"]["judgment_key"]) == {"topic-0001", "topic-0002", "key-0001"}
    assert set(after["sessions"]["system_id"]) == {"system-0001", "system-0002"}
    assert set(after["judgments"]["reason"]) == {"reason-0001"}
    assert "position" not in after["results"].columns
    assert after["users"].columns == ["user_id"]  # the number repeats the id


@quiet
def test_everything_can_be_kept(leaky):
    study = leaky("session_id")
    made = sk.pseudonymize(study, keep="users,sessions,queries,judges,times,extras,title")
    for name in LOG:
        assert made.study.table(name).collect().equals(study.table(name).collect())
    assert made.mapping.get_column("original").to_list() == ["zqnobody"]


@quiet
@pytest.mark.slow
def test_a_seed_gives_the_same_copy_and_none_another_one():
    rows = {
        "session_id": [f"s{n}" for n in range(40)],
        "query_position": [1] * 40,
        "rank": [1] * 40,
        "doc_id": ["d"] * 40,
    }
    study = sk.from_tables(results=rows)
    shuffled = sk.from_tables(results=pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=1))
    one = sk.pseudonymize(study, seed=5).mapping
    assert one.equals(sk.pseudonymize(shuffled, seed=5).mapping)
    for other in (sk.pseudonymize(study, seed=6), sk.pseudonymize(study)):
        assert not one.equals(other.mapping)
    assert not sk.pseudonymize(study).mapping.equals(sk.pseudonymize(study).mapping)
    for seed in (-1, 1.5, True):
        with pytest.raises(UsageError, match="seed must be a whole number"):
            sk.pseudonymize(study, seed=seed)


@quiet
@pytest.mark.slow
def test_a_log_in_many_parts_gives_what_it_gives_in_one(monkeypatch):
    study = read_clinic()
    whole = sk.pseudonymize(study, seed=1)
    monkeypatch.setattr(pseudonymize, "rows_within", lambda _: 3000)
    parts = sk.pseudonymize(study, seed=1)
    assert ROWS > study.facts.results > 9 * 3000
    assert len(parts.study.storage.stored) == 10
    for name in TABLES:
        assert parts.study.table(name).collect().equals(whole.study.table(name).collect())
    assert values(parts.study, ["nsDCG@10"]) == values(whole.study, ["nsDCG@10"])


@quiet
@pytest.mark.slow
def test_a_partitioned_study_stays_so_unless_the_column_goes(leaky, tmp_path):
    study = leaky()
    for column, stays in (("system_id", True), ("user_id", True), ("comment", False)):
        written = study.save(tmp_path / column, partition_by=column)
        made = sk.pseudonymize(written)
        copy = made.save(tmp_path / f"copy of {column}")
        assert (copy.storage.partitioned is not None) == stays
        assert [each.values["column"] for each in made.of_kind("not_partitioned")] == ([] if stays else ["comment"])
        assert SAYS not in everything(copy.path)
        assert values(written, ["sDCG@3"], renamed(made)) == values(copy, ["sDCG@3"])


@quiet
def test_a_study_of_nothing_is_copied():
    study = sk.from_tables(
        sessions={"session_id": [], "user_id": [], "started_at": []},
        results={"session_id": [], "query_position": [], "rank": [], "doc_id": []},
    )
    assert sk.pseudonymize(study).study.facts == study.facts


@quiet
@pytest.mark.parametrize("merge", ["max", "mean", "first"])
def test_the_order_of_judgments_tells_no_judge_unless_it_decides(merge):
    judges = [f"judge {name}" for name in "abcdefgh"]
    judgments = {"judgment_key": ["t"] * 8, "doc_id": ["d"] * 8, "judge_id": judges, "grade": [0.0, 1.0] * 4}
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d"], "topic_id": ["t"]}
    study = sk.from_tables(results, judgments, merge=merge)
    made = sk.pseudonymize(study, seed=3)
    back = {label: judge for judge, label in renamed(made, "judge_id").items()}
    order = [back[label] for label in made.study.judgments.collect()["judge_id"]]
    assert (order == judges) == (merge == "first")
    assert values(study, ["sDCG"], renamed(made)) == values(made.study, ["sDCG"])


@quiet
@pytest.mark.slow
def test_judges_in_turn_stay_in_their_order():
    rows = [("t", doc, f"j{judge}", float(judge % 2)) for doc in "abcdef" for judge in range(2)]
    judgments = pl.DataFrame(rows, schema=["judgment_key", "doc_id", "judge_id", "grade"], orient="row")
    results = {"session_id": ["s"] * 6, "query_position": [1] * 6, "rank": [1, 2, 3, 4, 5, 6], "doc_id": [*"abcdef"]}
    sessions = {"session_id": ["s"], "topic_id": ["t"]}
    study = sk.from_tables(sessions=sessions, results=results, judgments=judgments, merge="alternate")
    for _ in range(4):
        made = sk.pseudonymize(study)
        assert values(study, ["sDCG"], renamed(made)) == values(made.study, ["sDCG"])


TIMES = ["Duration", "TimeToFirstClick", "Dwell", "sU(horizon=100)", "sTBG", "Clicks", "Abandoned"]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(log=logs())
def test_seconds_are_those_that_scoring_finds(log):
    study = study_of(log)
    made = sk.pseudonymize(study, keep="sessions")
    queries, results = made.study.queries.collect(), made.study.results.collect()
    assert queries["elapsed_seconds"].to_list() == [time for session in log[0] for time in issue_times(session)]
    clicked = results.filter(
        "clicked"
        if "clicks" not in results.columns
        else pl.coalesce("clicked", pl.col("clicks") > 0, pl.col("click_elapsed_seconds").is_not_null())
    )
    assert clicked["click_elapsed_seconds"].to_list() == [
        time for session in log[0] for *_, time in click_times(session)
    ]
    assert len(results) == sum(len(query["results"]) for session in log[0] for query in lists_of(session))
    scores = [sk.score(one, TIMES, per="session").drop("user_id") for one in (study, made.study)]
    assert scores[0].equals(scores[1])


def session_orders(**columns):
    """The place of each session in its user's part, of a log that has these columns of sessions."""
    rows = {"session_id": [*"abcd"], "user_id": ["u", "u", "v", None], **columns}
    queries = {"session_id": [*"abcd"], "query_position": [1] * 4}
    if "issued_at" in rows:
        queries["issued_at"] = rows.pop("issued_at")
    results = {**queries, "rank": [1] * 4, "doc_id": ["x"] * 4}
    study = sk.from_tables(
        sessions=rows, queries=queries, results={name: results[name] for name in results if name != "issued_at"}
    )
    copy = sk.pseudonymize(study, keep="sessions").study
    if "session_order" not in copy.columns("sessions"):
        return None
    return copy.sessions.collect()["session_order"].to_list()


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
def test_the_order_of_sessions_stays_where_times_told_it():
    days = [datetime(2021, 1, day, tzinfo=UTC) for day in (2, 1, 3, 4)]
    assert session_orders(started_at=days) == [2, 1, 1, None]
    assert session_orders(issued_at=days) == [2, 1, 1, None]
    assert session_orders(started_at=[None, *days[1:]], issued_at=days) == [2, 1, 1, None]
    assert session_orders(started_at=days, session_order=[1, 2, 1, 1]) == [1, 2, 1, 1]
    assert session_orders(started_at=[None] * 4) is None
    assert session_orders() is None
    assert session_orders(started_at=days, user_id=[None] * 4) is None


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_query_whose_list_was_not_logged_begins_a_session():
    """The first of three queries, a minute before the second, is a query of the searcher like the others."""
    minutes = [datetime(2021, 1, 1, 9, minute, tzinfo=UTC) for minute in (0, 1, 3)]
    study = sk.from_tables(
        queries={
            "session_id": ["s"] * 3,
            "query_position": [1, 2, 3],
            "issued_at": minutes,
            "results_status": ["not_logged", "shown", "shown"],
        },
        results={"session_id": ["s"] * 2, "query_position": [2, 3], "rank": [1, 1], "doc_id": ["a", "b"]},
    )
    copy = sk.pseudonymize(study).study
    assert copy.queries.collect()["elapsed_seconds"].to_list() == [0.0, 60.0, 180.0]
    assert [sk.score(one, ["Duration"], per="session")["value"].to_list() for one in (study, copy)] == [[180.0]] * 2


def log_of(places, queries, results):
    """A log as `Renaming.part` makes it: every query and result says to which session it belongs."""
    ids = [f"{place:02}" for place in places]
    sessions = pl.DataFrame(
        {"session_id": ids, PLACE: places, QUERIES: queries, RESULTS: results},
        schema_overrides={"session_id": pl.String, PLACE: pl.UInt32, QUERIES: pl.Int32, RESULTS: pl.Int32},
    )
    of_queries = [(place, n) for place, many in zip(places, queries, strict=True) for n in range(many)]
    of_results = [(place, n) for place, many in zip(places, results, strict=True) for n in range(many)]
    own = {"own": pl.Int64, "n": pl.Int64}
    return StudyBatch(
        sessions, pl.DataFrame(of_queries, own, orient="row"), pl.DataFrame(of_results, own, orient="row")
    )


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_sessions_come_in_their_new_order_with_what_is_theirs(tmp_path_factory, data):
    size = data.draw(st.integers(0, 9))
    places = data.draw(st.permutations(range(size)))
    queries, results = ([data.draw(st.integers(0, 3)) for _ in places] for _ in "qr")
    ends = sorted(data.draw(st.sets(st.integers(0, size), max_size=3)) | {0, size})
    cuts = [slice(start, end) for start, end in zip(ends, ends[1:] or ends, strict=False)]
    parts = [log_of(places[cut], queries[cut], results[cut]) for cut in cuts]
    many = data.draw(st.integers(1, 4)) if size else 1
    made = list(in_new_order(parts, size, many, tmp_path_factory.mktemp("aside")))
    assert len(made) <= many
    tables = {name: pl.concat([getattr(part, name) for part in made]) for name in LOG_TABLES}
    assert tables["sessions"].rows() == [(f"{place:02}",) for place in range(size)]
    for name, counts in (("queries", queries), ("results", results)):
        rows = [(f"{place:02}", place, n) for place in range(size) for n in range(counts[places.index(place)])]
        assert tables[name].rows() == rows
