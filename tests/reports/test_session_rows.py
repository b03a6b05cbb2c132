"""Sessions picked while a study is read are those that a look at its tables finds, numbers and all."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.reports.sample import drawn, in_memory, only, pick, pick_tasks
from sessionkit.scoring import reduction
from tests.reports.mixed_logs import mixed
from tests.support.score_way import score_way

MEASURES = ["sDCG@10", "nsDCG(unjudged=skip)@10", "mean(nDCG@10)", "sDCG(grades=user,duplicates=first)@10"]
pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture(scope="module", params=["in memory", "saved", "partitioned"])
def study(request, tmp_path_factory):
    made = mixed(own_keys=True)
    if request.param == "in memory":
        return made
    by = "system_id" if request.param == "partitioned" else None
    return made.save(tmp_path_factory.mktemp("picking") / "study", partition_by=by)


@pytest.mark.few(1)
@pytest.mark.parametrize("blocks", [4, 2**21])
def test_tables_facts_and_scores_are_those_of_the_sessions_alone(study, blocks, monkeypatch):
    monkeypatch.setattr(reduction, "ROWS", blocks)
    monkeypatch.setattr(reduction, "FEWEST", blocks)
    ids = drawn(study, 17)
    found, theirs = pick(study, ids["session_id"]), in_memory(only(study, ids))
    for name in ("sessions", "queries", "results"):
        assert found.columns(name) == study.columns(name)
        assert_frame_equal(found.table(name).collect(), theirs.table(name).collect())
    assert found.facts == theirs.with_tables().facts
    for per in ("session", "system_id"):
        assert_frame_equal(sk.score(found, MEASURES, **score_way(per)), sk.score(theirs, MEASURES, **score_way(per)))


def test_fewer_of_what_was_picked(study):
    ids = drawn(study, 17)
    few = only(pick(study, ids["session_id"]), ids.head(5))
    theirs = in_memory(only(study, ids.head(5)))
    assert few.facts == theirs.with_tables().facts
    assert in_memory(few) is few
    assert_frame_equal(few.results.collect(), theirs.results.collect())
    assert_frame_equal(sk.score(few, MEASURES, per="session"), sk.score(theirs, MEASURES, per="session"))


@pytest.mark.parametrize(("table", "name"), [("queries", "length"), ("queries", "key"), ("results", "judgment")])
def test_a_column_that_blocks_make_themselves_is_refused(table, name):
    study = mixed()
    study = sk.from_tables(
        **{
            one: study.table(one).with_columns(pl.lit(1).alias(name)) if one == table else study.table(one)
            for one in ("results", "judgments", "sessions", "queries")
        }
    )
    with pytest.raises(UsageError, match=f"{table} have a column '{name}'"):
        pick_tasks(study, drawn(study, 3)["session_id"])
