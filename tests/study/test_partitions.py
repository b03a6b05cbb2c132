"""A partition added to a saved study: one new day beside the others.

Uniting tables: nothing twice, nothing lost, nothing that contradicts.
"""

import os
import threading
import warnings

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.study import add_partition, package, verify_hashes
from sessionkit.study import partitions as module
from sessionkit.study.partitions import conformed, tell_of_other_grades, united_judgments, united_users
from tests.study.days import DAY, FIRST, same_scores, same_study, small

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture
def days(tmp_path):
    return small(FIRST).save(tmp_path / "days", partition_by="date")


@pytest.mark.slow
@quiet
def test_a_day_is_added(days):
    before = {path: path.stat().st_ino for path in days.path.rglob("*.parquet") if "date=" in str(path)}
    whole = add_partition(days.path, small(DAY), "date", "2026-11-21")
    assert [part.folder for part in whole.storage.stored] == ["date=2026-11-19", "date=2026-11-20", "date=2026-11-21"]
    same_study(whole, small(FIRST | DAY))
    same_scores(whole, small(FIRST | DAY))
    assert all(part.numbered for part in whole.storage.stored)
    assert {path: path.stat().st_ino for path in before} == before  # links: nothing was written again
    assert verify_hashes(whole) == ()
    assert [path.name for path in days.path.parent.iterdir()] == ["days"]


@quiet
@pytest.mark.slow
def test_a_day_without_the_column_gets_it(days):
    day = small(DAY)
    bare = day.with_tables(sessions=day.sessions.drop("date"))
    same_study(add_partition(days.path, bare, "date", "2026-11-21"), small(FIRST | DAY))


@quiet
@pytest.mark.slow
def test_a_partition_of_null(days):
    whole = add_partition(days.path, small({"s9": ("u9", None, "a")}), "date", None)
    assert whole.storage.stored[-1].folder == "date=__HIVE_DEFAULT_PARTITION__" or whole.storage.stored[
        0
    ].folder.endswith("__")
    assert whole.sessions.filter(pl.col("date").is_null()).collect()["session_id"].to_list() == ["s9"]


@quiet
@pytest.mark.slow
def test_a_day_is_replaced(days):
    wrong = {"s8": ("u8", "2026-11-21", "cc"), "s3": ("u3", "2026-11-21", "a")}
    added = add_partition(days.path, small(wrong), "date", "2026-11-21")
    assert added.facts.repeats_in_lists == 1
    other = add_partition(days.path, small({"s7": ("u7", "2026-11-22", "a")}), "date", "2026-11-22")
    assert len(other.sources) == len(days.sources) + 2 * len(small(DAY).sources)
    whole = add_partition(days.path, small(DAY), "date", "2026-11-21")
    same_study(whole, small(FIRST | DAY | {"s7": ("u7", "2026-11-22", "a")}))
    same_scores(whole, small(FIRST | DAY | {"s7": ("u7", "2026-11-22", "a")}))
    assert whole.sources == (*days.sources, *small({"s7": ("u7", "2026-11-22", "a")}).sources, *small(DAY).sources)
    kept = [part.sha256["results"] for part in other.storage.stored if "11-21" not in part.folder]
    assert [part.sha256["results"] for part in whole.storage.stored if "11-21" not in part.folder] == kept


@quiet
@pytest.mark.slow
def test_what_was_rejected_of_a_replaced_day_goes_with_it(days):
    def with_a_bad_row(doc):
        results = {
            "session_id": ["s5", "s5"],
            "query_position": [1, 1],
            "rank": [1, None],
            "doc_id": [doc, f"bad {doc}"],
        }
        with pytest.warns(match="1 record rejected"):
            return sk.from_tables(results, {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]})

    for doc in ("one", "two"):
        whole = add_partition(days.path, with_a_bad_row(doc), "date", "2026-11-21")
        (row,) = whole.rejected.collect().rows(named=True)
        assert f"bad {doc}" in str(row)
        assert whole.storage.partitioned.added[0].rejected == 1


@quiet
@pytest.mark.slow
def test_new_judgments_make_old_numbers_stale_and_nothing_else(days):
    more = {"a": 1, "aa": 3, "c": 2}  # between those that are there; b stays judged
    whole = add_partition(days.path, small(DAY, more), "date", "2026-11-21")
    assert [part.numbered for part in whole.storage.stored] == [False, False, True]
    alone = small(FIRST | DAY, {"a": 1, "b": 2, "aa": 3, "c": 2})
    assert sorted(whole.judgments.collect().rows()) == sorted(alone.judgments.collect().rows())
    same_study(whole, alone)
    same_scores(whole, alone)
    assert_frame_equal(sk.explain(whole, "sDCG@10"), sk.explain(alone, "sDCG@10"))
    fresh = whole.save(days.path.parent / "fresh")
    assert all(part.numbered for part in fresh.storage.stored)
    same_scores(fresh, alone)


@quiet
def test_sessions_of_another_partition_are_refused(days):
    with pytest.raises(DataError, match=r"session 's2' is already .*date=2026-11-20"):
        add_partition(days.path, small({"s2": ("u", "2026-11-21", "a")}), "date", "2026-11-21")


@quiet
@pytest.mark.slow
def test_other_settings_are_refused(days):
    with pytest.raises(DataError, match=r"max_grade is 3.0 .*and None"):
        add_partition(days.path, small(DAY, max_grade=3), "date", "2026-11-21")
    assert add_partition(days.path, small(DAY, title="Day"), "date", "2026-11-21").settings.title is None


@quiet
@pytest.mark.parametrize(("before", "after"), [(None, "empty"), ("empty", None), ("not_logged", "empty")])
def test_what_missing_positions_meant_when_a_log_was_read_may_differ(tmp_path, before, after):
    """It is spent at reading: the lists it made are in the tables."""

    def run(session, missing):
        rows = {
            "session_id": [session] * 2,
            "query_position": [1, 3],
            "rank": [1, 1],
            "doc_id": ["a", "b"],
            "system_id": [session] * 2,
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sk.DataWarning)
            return sk.from_tables(rows, missing_positions=missing)

    saved = run("s1", before).save(tmp_path / "study", partition_by="system_id")
    united = add_partition(saved.path, run("s2", after), "system_id", "s2")
    assert united.settings.missing_positions == before
    status = {None: "not_logged"}
    assert united.queries.filter(pl.col("query_position") == 2).select(
        "results_status"
    ).collect().to_series().to_list() == [
        status.get(before, before),
        status.get(after, after),
    ]


@quiet
@pytest.mark.slow
def test_studies_in_other_partitions_are_refused(days, tmp_path):
    with pytest.raises(UsageError, match=r"date.*\(\.\.\., partition_by='system_id'"):
        add_partition(days.path, small(DAY), "system_id", "S")
    plain = small(DAY).save(tmp_path / "plain")
    with pytest.raises(UsageError, match="not partitioned, not by date"):
        add_partition(plain.path, small(DAY), "date", "x")
    with pytest.raises(UsageError, match="not on this machine"):
        add_partition("s3://bucket/study", small(DAY), "date", "x")


@quiet
def test_values_other_than_said_are_refused(days):
    with pytest.raises(DataError, match=r"sessions.date is '2026-11-21' .*'s0'.* date=2026-11-22"):
        add_partition(days.path, small(DAY), "date", "2026-11-22")
    assert not (days.path / "sessions" / "date=2026-11-22").exists()


@quiet
@pytest.mark.slow
def test_users_are_united(days, tmp_path):
    def with_ages(sessions, ages):
        made = small(sessions)
        return made.with_tables(users=pl.LazyFrame({"user_id": list(ages), "age": list(ages.values())}))

    first = with_ages(FIRST, {"u1": 30, "u2": None}).save(tmp_path / "aged", partition_by="date")
    with pytest.raises(DataError, match=r"users: age of 'u1' is 31 .*added .*30 "):
        add_partition(first.path, with_ages(DAY, {"u1": 31, "u3": 1}), "date", "2026-11-21")
    whole = add_partition(first.path, with_ages(DAY, {"u1": 30, "u3": 1}), "date", "2026-11-21")
    assert whole.users.collect().rows() == [("u1", 30), ("u2", None), ("u3", 1)]
    # u3 was only in the day that is replaced, and may be described anew; what is not said contradicts nothing
    whole = add_partition(first.path, with_ages(DAY, {"u1": None, "u3": 2}), "date", "2026-11-21")
    assert whole.users.collect().rows() == [("u1", 30), ("u2", None), ("u3", 2)]


@quiet
def test_columns_must_fit(days, tmp_path):
    day = small(DAY)
    with pytest.raises(DataError, match=r"results.clicked is not among"):
        add_partition(days.path, day.with_tables(results=day.results.with_columns(clicked=True)), "date", "2026-11-21")
    texts = day.with_tables(queries=day.queries.with_columns(query_id=pl.lit("x")))
    with pytest.raises(DataError, match=r"queries.query_id is not"):
        add_partition(days.path, texts, "date", "2026-11-21")
    scored = small(FIRST)
    scored = scored.with_tables(results=scored.results.with_columns(weight=1)).save(tmp_path / "w", partition_by="date")
    halves = day.with_tables(results=day.results.with_columns(weight=pl.lit(0.5)))
    with pytest.raises(DataError, match=r"results.weight is Float64 .* Int32 "):
        add_partition(scored.path, halves, "date", "2026-11-21")
    unknown = add_partition(scored.path, day, "date", "2026-11-21")  # null where it is not known
    assert unknown.results.filter(pl.col("weight").is_null()).collect()["session_id"].unique().sort().to_list() == [
        "s0",
        "s3",
    ]


@quiet
def test_a_failure_half_way_leaves_the_study(days, monkeypatch):
    before = {path: path.read_bytes() for path in days.path.rglob("*") if path.is_file()}
    monkeypatch.setattr("sessionkit.study.package._descriptor", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        add_partition(days.path, small(DAY), "date", "2026-11-21")
    assert {path: path.read_bytes() for path in days.path.rglob("*") if path.is_file()} == before
    assert [path.name for path in days.path.parent.iterdir()] == ["days"]


@quiet
def test_a_study_that_changes_meanwhile_is_left_alone(days, monkeypatch):
    real = module.finish_package

    def meanwhile(*given):
        (days.path / "datapackage.json").write_text("{}")
        real(*given)

    monkeypatch.setattr(module, "finish_package", meanwhile)
    with pytest.raises(UsageError, match="changed while the partition"):
        add_partition(days.path, small(DAY), "date", "2026-11-21")
    assert (days.path / "datapackage.json").read_text() == "{}"


@quiet
@pytest.mark.slow
def test_files_are_copied_where_they_cannot_be_linked(days, monkeypatch):
    def no_links(*_, **__):
        raise OSError

    monkeypatch.setattr(os, "link", no_links)
    same_study(add_partition(days.path, small(DAY), "date", "2026-11-21"), small(FIRST | DAY))


@quiet
def test_a_column_that_is_a_date(tmp_path):
    def dated(sessions):
        made = small(sessions)
        return made.with_tables(sessions=made.sessions.with_columns(pl.col("date").str.to_date()))

    saved = dated(FIRST).save(tmp_path / "dated", partition_by="date")
    whole = add_partition(saved.path, dated(DAY), "date", "2026-11-21")
    assert whole.storage.stored[-1].folder == "date=2026-11-21"
    assert whole.sessions.collect_schema()["date"] == pl.Date
    with pytest.raises(DataError, match=r"date=today .* date, .*Date"):
        add_partition(saved.path, dated(DAY), "date", "today")


@quiet
@pytest.mark.slow
def test_days_added_at_once_are_all_there(days):
    more = [f"2026-12-{number:02}" for number in range(1, 9)]
    failed = []

    def add(date):
        try:
            add_partition(days.path, small({f"at {date}": ("u", date, "ab")}), "date", date)
        except Exception as error:  # noqa: BLE001 - a thread would hide it
            failed.append(error)

    writers = [threading.Thread(target=add, args=(date,)) for date in more]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failed == []
    whole = sk.open_study(days.path)
    assert [part.folder for part in whole.storage.stored] == [
        f"date={date}" for date in ["2026-11-19", "2026-11-20", *more]
    ]
    same_study(whole, small(FIRST | {f"at {date}": ("u", date, "ab") for date in more}))


@quiet
def test_files_of_others_are_never_removed(days):
    (days.path / "README.md").write_text("notes")
    (days.path / "figures").mkdir()
    (days.path / "figures" / "one.svg").write_text("<svg/>")
    (days.path / "sessions" / "date=2026-11-20" / "mine.parquet").write_text("")
    named = r"contains README\.md, figures, sessions/date=2026-11-20/mine\.parquet in addition to the study's files"
    with pytest.raises(UsageError, match=named):
        add_partition(days.path, small(DAY), "date", "2026-11-21")
    with pytest.raises(UsageError, match=named):
        small(DAY).save(days.path)
    assert (days.path / "README.md").read_text() == "notes"
    assert (days.path / "figures" / "one.svg").exists()


@quiet
def test_a_file_that_comes_while_a_study_is_written_stays(days, monkeypatch):
    writes = package.finish_package

    def meanwhile(*given):
        (days.path / "README.md").write_text("notes")
        return writes(*given)

    monkeypatch.setattr(package, "finish_package", meanwhile)
    with pytest.raises(UsageError, match=r"contains README\.md in addition"):
        small(DAY).save(days.path)
    assert (days.path / "README.md").read_text() == "notes"
    assert [path.name for path in days.path.parent.iterdir()] == ["days"]


NOBODY = pl.Series([], dtype=pl.String)


def judged(**columns):
    return pl.DataFrame({"judgment_key": "t", **columns})


def test_a_judgment_is_there_once_and_repeats_of_one_study_stay():
    saved = judged(doc_id=["a", "a", "b"], grade=[1.0, 1.0, 2.0])
    new = judged(doc_id=["c", "b", "a", "c", "a"], grade=[1.0, 2.0, 1.0, 1.0, 3.0])
    both = united_judgments(saved, new)
    assert both["doc_id"].to_list() == ["a", "a", "b", "c", "c", "a"]
    assert both["grade"].to_list() == [1.0, 1.0, 2.0, 1.0, 1.0, 3.0]
    assert_frame_equal(united_judgments(both, new), both)


def test_judgments_that_say_more_are_others():
    saved = judged(doc_id=["a"], grade=[1.0])
    new = judged(doc_id=["a", "a"], grade=[1.0, 1.0], judge_id=["j", None])
    assert united_judgments(saved, new)["judge_id"].to_list() == [None, "j"]
    back = united_judgments(new, saved)
    assert_frame_equal(back, new)


def test_users_keep_what_either_says():
    saved = pl.DataFrame({"user_id": ["a", "b"], "age": [30, None]})
    new = pl.DataFrame({"user_id": ["b", "c"], "age": [20, 40], "hand": ["left", None]})
    both = united_users(saved, new, NOBODY).sort("user_id")
    assert both.rows() == [("a", 30, None), ("b", 20, "left"), ("c", 40, None)]
    with pytest.raises(DataError, match=r"users: age of 'b' is 21 .*added .*20 "):
        united_users(both, pl.DataFrame({"user_id": ["b"], "age": [21]}), NOBODY)
    again = united_users(both, pl.DataFrame({"user_id": ["b"], "age": [21]}), pl.Series(["b", "c"])).sort("user_id")
    assert again.rows() == [("a", 30, None), ("b", 21, "left"), ("c", 40, None)]


@pytest.mark.parametrize(
    ("given", "wanted", "found"),
    [
        ([1, 2], pl.Float64, [1.0, 2.0]),
        ([1, 2], pl.String, ["1", "2"]),
        (["x"], pl.String, ["x"]),
        ([None], pl.Date, [None]),
        ([1], pl.Int64, [1]),
    ],
)
def test_types_that_fit(given, wanted, found):
    frame = conformed(pl.DataFrame({"x": given}), pl.Schema({"x": wanted(), "y": pl.Boolean()}), "results")
    assert frame["x"].to_list() == found
    assert frame.schema == {"x": wanted, "y": pl.Boolean}
    assert frame["y"].null_count() == len(given)


@pytest.mark.parametrize(
    ("given", "wanted"), [(["1"], pl.Int64), ([1.5], pl.Int64), ([True], pl.Int64), ([300], pl.Int8)]
)
def test_types_that_do_not_fit(given, wanted):
    with pytest.raises(DataError, match=r"results.*convert .* to "):
        conformed(pl.DataFrame({"x": given}), pl.Schema({"x": wanted()}), "results")


def test_columns_that_are_too_many():
    with pytest.raises(DataError, match=r"results.x is not among .*: y"):
        conformed(pl.DataFrame({"x": [1]}), pl.Schema({"y": pl.Int64()}), "results")


def test_what_was_known_of_a_user_stays_when_a_partition_is_replaced():
    saved = pl.DataFrame({"user_id": ["u1", "u2", "u3"], "age": [30, 40, None]})
    new = pl.DataFrame({"user_id": ["u1", "u2"], "age": pl.Series([None, 41], dtype=pl.Int64)})
    united = united_users(saved, new, pl.Series(["u1", "u2", "u3"]))
    assert united.sort("user_id").rows() == [("u1", 30), ("u2", 41)]


def test_another_grade_is_told_of():
    saved = pl.DataFrame({"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [5.0, 1.0]})
    new = pl.DataFrame({"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [1.0, 1.0]})
    with pytest.warns(DataWarning, match="1 judged documents .* grade .*: 'a' for 't': 1, 5 in"):
        tell_of_other_grades(saved, new, "max")
