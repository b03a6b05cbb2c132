"""The Study value: tables by name, facts, columns.

A study's memo makes a value once, in whatever thread, and holds things for the thread that holds them alone.

What a notebook shows of a study: counts that are kept with it, and what became of its records.

A study derived from another knows nothing of the tables that it no longer has.
"""

import dataclasses
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from time import sleep

import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.readers import from_tables
from sessionkit.scoring.batch import GradedPairs
from sessionkit.study.batches import slices
from sessionkit.study.settings import Settings
from sessionkit.study.storage import Storage
from sessionkit.study.study import Memo

RESULTS = {
    "session_id": ["a", "a", "a", "b"],
    "query_position": [1, 1, 2, 1],
    "rank": [1, 2, 1, 1],
    "doc_id": ["x", "x", "y", "z"],
}


@pytest.fixture
def study(recwarn):
    queries = {
        "session_id": ["a", "a", "b", "b", "b"],
        "query_position": [1, 2, 1, 2, 3],
        "results_status": [None, None, "partly_observed", "not_logged", "empty"],
    }
    return from_tables(RESULTS, queries=queries)


def test_guaranteed_columns(study):
    assert study.columns("sessions") == ("session_id", "user_id", "system_id", "topic_id", "judgment_key")
    assert study.columns("queries") == ("session_id", "query_position", "results_status")
    assert study.columns("results") == ("session_id", "query_position", "rank", "doc_id")
    assert study.columns("judgments") == ("judgment_key", "doc_id", "grade")
    assert study.judgments.collect_schema()["grade"] == pl.Float64
    assert study.results.collect_schema()["rank"] == pl.Int32


def test_unknown_tables_are_refused(study):
    with pytest.raises(UsageError, match="did you mean 'results'"):
        study.table("result")


def test_repr_says_what_it_is(study):
    assert repr(study) == "<Study: 2 sessions, 5 queries, 4 results, 0 judgments>"


def test_repr_counts_one_as_one():
    one = from_tables({name: values[:1] for name, values in RESULTS.items()})
    assert repr(one) == "<Study: 1 session, 1 query, 1 result, 0 judgments>"


@pytest.mark.parametrize("verb", [sk.score, sk.curve, sk.effort, sk.compare, sk.bounds])
def test_a_path_where_a_study_is_wanted_says_how_it_is_opened(verb, tmp_path):
    with pytest.raises(UsageError, match=r"path: sk\.open_study\('mine'\)"):
        verb("mine", "nsDCG@10")
    with pytest.raises(UsageError, match="this takes a study, not a path"):
        verb(tmp_path, "nsDCG@10")


def test_a_value_is_made_once_by_many_threads():
    memo, made = Memo(), []

    def make():
        sleep(0.01)
        made.append(1)
        return len(made)

    with ThreadPoolExecutor(8) as pool:
        assert {*pool.map(lambda _: memo.once("it", make), range(32))} == {1}


def test_making_one_value_may_wait_for_a_thread_that_makes_another():
    memo = Memo()
    with ThreadPoolExecutor(1) as pool:
        assert memo.once("outer", lambda: pool.submit(memo.once, "inner", lambda: 2).result(5) + 1) == 3


def test_what_failed_is_made_again():
    memo = Memo()
    with pytest.raises(ZeroDivisionError):
        memo.once("it", lambda: 1 / 0)
    assert memo.once("it", lambda: 1) == 1


def test_what_a_thread_holds_no_other_finds():
    memo = Memo()
    with memo.holding("one"), memo.holding(2), memo.holding("three"), ThreadPoolExecutor(1) as pool:
        assert memo.held(str) == ["one", "three"]
        assert pool.submit(memo.held, str).result() == []
    assert memo.held(object) == []


def test_a_copy_is_empty():
    memo = Memo()
    memo.once("it", lambda: 1)
    assert pickle.loads(pickle.dumps(memo)).find("it") is None  # noqa: S301 - our own


@pytest.fixture(scope="module")
def overview_study():
    many = 40
    return sk.from_tables(
        results={
            "session_id": [f"s{place}" for place in range(many)],
            "query_position": [1] * many,
            "rank": [1] * many,
            "doc_id": ["d", "e"] * (many // 2),
            "topic_id": ["t"] * many,
        },
        judgments={"judgment_key": ["t"], "doc_id": ["d"], "grade": [2]},
        max_grade=2,
        title="A <title>",
    )


def test_a_saved_study_shows_itself_without_reading_a_table(overview_study, tmp_path, monkeypatch):
    saved = overview_study.save(tmp_path / "study")

    def read(*_, **__):
        pytest.fail("a table was read")

    monkeypatch.setattr(pl.LazyFrame, "collect", read)
    monkeypatch.setattr(pl, "collect_all", read)
    assert re.search(">results</td><td[^>]*>40</td>", saved._repr_html_())
    assert "40 sessions, 40 queries, 40 results, 1 judgment" in repr(saved)


@pytest.mark.filterwarnings("ignore::sessionkit.DataWarning")
def test_a_study_shows_what_became_of_its_records():
    lists = {
        "session_id": ["s", "s", "s"],
        "query_position": [1, 1, 1],
        "rank": ["1", "x", "2"],
        "doc_id": ["a", "b", "c"],
    }
    study = sk.from_tables(results=lists, judgments={"judgment_key": ["s"], "doc_id": ["a"], "grade": [1]})
    shown = study._repr_html_()
    assert "1 record was rejected," in shown
    cells = re.findall("<td[^>]*>(.*?)</td>", shown)
    assert "results 3 2 1" in " ".join(cells)
    assert "merged" not in shown  # no record of this study met that end


def test_many_sources_are_counted(overview_study):
    many = dataclasses.replace(overview_study, sources=overview_study.sources * 500)
    assert "more rows" in many._repr_html_()
    assert len(many._repr_html_()) < 20_000


def test_what_was_declared_is_said(overview_study):
    shown = overview_study._repr_html_()
    assert "<p>A &lt;title&gt;</p>" in shown
    assert "Declared: max_grade 2, merge max." in shown
    made_up = dataclasses.replace(
        overview_study, settings=dataclasses.replace(overview_study.settings, synthetic=True, collection_size=24900)
    )
    assert "<p>A &lt;title&gt; (synthetic)</p>" in made_up._repr_html_()
    assert "collection_size 24,900" in made_up._repr_html_()


TABLES = ("users", "sessions", "queries", "results", "judgments", "rejected")
BOUND = ("tables", "description")
KNOWN = [field.name for field in fields(Storage) if field.name not in BOUND]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    rows = {
        "session_id": ["s"],
        "query_position": [1],
        "rank": [1],
        "doc_id": ["a"],
        "system_id": ["A"],
        "topic_id": ["t"],
    }
    judgments = {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]}
    study = sk.from_tables(rows, judgments=judgments).save(
        tmp_path_factory.mktemp("saved") / "study", partition_by="system_id"
    )
    every = replace(study.storage, depths=study.depths, rows=next(iter(slices(study))))
    return replace(study, storage=replace(every, package=study.path))


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_not_replaced_by_replace(saved, name):
    with pytest.raises(UsageError, match=rf"^{name} were replaced.*with_tables\({name}=...\)"):
        replace(saved, **{name: saved.table(name).head(0)})
    bare = sk.from_tables({"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]})
    with pytest.raises(UsageError, match="with_tables"):
        replace(bare, **{name: bare.table(name).head(0)})


@pytest.mark.parametrize("name", TABLES)
def test_with_tables_forgets_what_is_known_of_the_old_ones(saved, name):
    other = saved.with_tables(**{name: saved.table(name).head(0)})
    for known in KNOWN:
        assert getattr(saved.storage, known) is not None, "else nothing is tested"
        assert not getattr(other.storage, known)
    assert getattr(other, name) is not getattr(saved, name)
    assert (other.settings, other.sources, other.path) == (saved.settings, saved.sources, saved.path)


def test_with_tables_forgets_what_was_worked_out(saved):
    GradedPairs.of(saved)
    saved.columns("queries")
    fewer = saved.with_tables(judgments=saved.judgments.head(0))
    assert len(GradedPairs.of(saved).pairs.pairs) == 1
    assert len(GradedPairs.of(fewer).pairs.pairs) == 0
    assert fewer.facts.judgments == 0
    assert saved.with_tables(queries=saved.queries.with_columns(x=pl.lit(1))).columns("queries")[-1] == "x"


def test_there_is_no_other_table(saved):
    with pytest.raises(UsageError, match=r"no table 'session'.*sessions"):
        saved.with_tables(session=saved.sessions)


@pytest.mark.parametrize(
    "given", [{"settings": Settings(merge="sum")}, {"sources": ()}, {"reader": "x"}, {"notes": ("n",)}, {"path": None}]
)
def test_another_description_keeps_the_counts_and_forgets_the_files(saved, given):
    other = replace(saved, **given)
    assert other.memo is not saved.memo
    for name in KNOWN:
        if name in ("facts", "depths"):
            assert getattr(other.storage, name) is getattr(saved.storage, name)
        else:
            assert not getattr(other.storage, name)


def test_what_is_said_again_keeps_everything(saved):
    assert replace(saved, path=saved.path).storage is saved.storage


def test_a_pickled_study_takes_its_storage_along_and_leaves_its_memo(saved):
    plain = replace(saved, storage=replace(saved.storage, rows=None))
    plain.memo.once("ours", lambda: 1)
    again = pickle.loads(pickle.dumps(plain))  # noqa: S301 - our own
    assert (again.facts, again.memo.find("ours")) == (plain.facts, None)
    assert len(again.storage.stored) == len(plain.storage.stored)
    assert replace(again, path=None).facts == plain.facts
    assert sk.score(again, "sDCG@1", per="session").equals(sk.score(plain, "sDCG@1", per="session"))
