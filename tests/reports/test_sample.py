"""Which sessions a page holds.

Sessions picked while a study is read are those that a look at its tables finds, numbers and all.
"""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.reports.sample import drawn, in_memory, only, pick, pick_tasks
from sessionkit.scoring import reduction
from tests.reports.mixed_logs import mixed
from tests.support.score_way import score_way


def test_a_draw_is_the_same_every_time_and_begins_with_the_smaller_ones():
    study = mixed()
    ids = drawn(study, 20)["session_id"].to_list()
    assert drawn(mixed(), 20)["session_id"].to_list() == ids
    assert drawn(study, 7)["session_id"].to_list() == ids[:7]
    assert len(set(ids)) == 20
    assert ids != sorted(ids)


def test_all_sessions_are_drawn_where_there_are_no_more(tmp_path):
    study = mixed(sessions=9)
    assert sorted(drawn(study, 1000)["session_id"]) == [f"s{number:04}" for number in range(9)]
    assert drawn(study.save(tmp_path / "study", partition_by="system_id"), 4).equals(drawn(study, 4))


def test_a_study_of_all_its_sessions_is_the_study_itself_unless_its_files_are_in_another_order(tmp_path):
    study = mixed(sessions=9).save(tmp_path / "study")
    assert only(study, drawn(study, 9)) is study
    assert only(study, drawn(study, 8)) is not study
    parted = study.save(tmp_path / "parted", partition_by="system_id")
    assert only(parted, drawn(parted, 9)) is not parted


MEASURES = ["sDCG@10", "nsDCG(unjudged=skip)@10", "mean(nDCG@10)", "sDCG(grades=user,duplicates=first)@10"]


@pytest.fixture(scope="module", params=["in memory", "saved", "partitioned"])
def study(request, tmp_path_factory):
    made = mixed(own_keys=True)
    if request.param == "in memory":
        return made
    by = "system_id" if request.param == "partitioned" else None
    return made.save(tmp_path_factory.mktemp("picking") / "study", partition_by=by)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
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


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_fewer_of_what_was_picked(study):
    ids = drawn(study, 17)
    few = only(pick(study, ids["session_id"]), ids.head(5))
    theirs = in_memory(only(study, ids.head(5)))
    assert few.facts == theirs.with_tables().facts
    assert in_memory(few) is few
    assert_frame_equal(few.results.collect(), theirs.results.collect())
    assert_frame_equal(sk.score(few, MEASURES, per="session"), sk.score(theirs, MEASURES, per="session"))


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
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
