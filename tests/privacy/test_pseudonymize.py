"""Copies of studies: they score as the study does, and nothing in them says who searched, what, or when."""

import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from frictionless import Package
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.privacy import pseudonymize
from sessionkit.scoring.measures.grammar import example_of
from sessionkit.scoring.measures.registry import MEASURES
from sessionkit.study import verify_hashes
from sessionkit.study.package import ROWS
from sessionkit.study.schema import TABLES
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
pytestmark = quiet


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


def test_accounts_stay(leaky):
    study = leaky()
    before, after = (sk.check(one)["sources"] for one in (study, sk.pseudonymize(study).study))
    counts = ["read_as", "records", "rows", "empty_lists", "rejected", "merged", "idle"]
    assert after.select(counts).rows() == before.select(counts).rows()
    assert after.get_column("source").to_list() == [f"source {n}" for n in range(1, 6)]
    broken = [note for note in sk.pseudonymize(study).study.notes if "rejected" in note]
    assert len(broken) == 1
    assert "1 record of results (rank_is_an_integer)" in broken[0]


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


def test_everything_can_be_kept(leaky):
    study = leaky("session_id")
    made = sk.pseudonymize(study, keep="users,sessions,queries,judges,times,extras,title")
    for name in LOG:
        assert made.study.table(name).collect().equals(study.table(name).collect())
    assert made.mapping.get_column("original").to_list() == ["zqnobody"]


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


@pytest.mark.slow
def test_a_partitioned_study_stays_so_unless_the_column_goes(leaky, tmp_path):
    study = leaky()
    for column, stays in (("system_id", True), ("user_id", True), ("comment", False)):
        written = study.save(tmp_path / column, partition_by=column)
        made = sk.pseudonymize(written)
        copy = made.save(tmp_path / f"copy of {column}")
        assert (copy.storage.partitioned is not None) == stays
        assert ("No longer partitioned: comment was replaced or left out." in made.reading) != stays
        assert SAYS not in everything(copy.path)
        assert values(written, ["sDCG@3"], renamed(made)) == values(copy, ["sDCG@3"])


def test_a_study_of_nothing_is_copied():
    study = sk.from_tables(
        sessions={"session_id": [], "user_id": [], "started_at": []},
        results={"session_id": [], "query_position": [], "rank": [], "doc_id": []},
    )
    assert sk.pseudonymize(study).study.facts == study.facts


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
