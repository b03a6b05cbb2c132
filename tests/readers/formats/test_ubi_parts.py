"""Large logs in parts of whole sessions: which they are, and that they say what the whole log says."""

import json
import random

import polars as pl
import pytest

from sessionkit.readers.events.lists import AT, FILE, KEY
from sessionkit.readers.formats import ubi
from sessionkit.readers.formats.ubi import in_parts as split
from sessionkit.readers.formats.ubi_queries import SIZE
from sessionkit.readers.formats.ubi_records import QUERY, WHAT
from sessionkit.readers.raw import OnDisk
from sessionkit.readers.records import Log
from sessionkit.study.checks import RECORD


def log_of(seed):
    """Lines of a log: queries sent again, lists of hits and of impressions, clicks on what is listed and on what is not."""
    rng = random.Random(seed)  # noqa: S311 - a made-up log
    for number in range(30):
        own = {"application": "shop", "query_id": f"q{number}", "client_id": f"c{rng.randrange(3)}"}
        at = {"timestamp": f"2026-01-01T10:{number:02}:00Z"}
        hits = rng.sample("ABCDEF", rng.randrange(7))
        yield {**own, **at, "user_query": rng.choice(["lamp", "lamps", "toner"]), "query_response_hit_ids": hits}
        for place in range(rng.randrange(5)):
            event = {"action_name": rng.choice(["click", "impression"]), "session_id": f"s{rng.randrange(9)}"}
            attributes = {"object": {"object_id": rng.choice("ABCDEFG")}, "position": {"ordinal": place // 2}}
            yield {**own, **at, **event, "event_attributes": attributes}


@pytest.mark.slow
@pytest.mark.parametrize("rules", [["same", "paging", "typing"], []])
def test_parts_say_what_the_whole_says(rules, write, quiet_read, in_batches, same_study, monkeypatch):  # noqa: PLR0917 - fixtures
    path = write("log.ndjson", "".join(json.dumps(record) + "\n" for record in log_of(len(rules))))
    config = {"format": "ubi", "merge_queries": rules}
    whole = quiet_read(path, config=config)
    in_batches()
    monkeypatch.setattr(ubi, "ROWS", 10)
    same_study(quiet_read(path, config=config), whole)


def test_parts_are_whole_sessions_of_about_a_size(tmp_path, monkeypatch):
    records, work = tmp_path / "records", tmp_path / "work"
    for folder in (records, work):
        folder.mkdir()
    monkeypatch.setattr(ubi, "ROWS", 6)
    names = {KEY: ["d", "c", "b", "a"], "session_id": ["t", "t", "s", "r"], RECORD: [4, 3, 2, 1], SIZE: [2, 9, 0, 4]}
    queries = pl.LazyFrame(names).with_columns(pl.lit(0, pl.Int32).alias(FILE), pl.lit(None, pl.Datetime()).alias(AT))
    hits = queries.select(FILE, RECORD, pl.lit(QUERY).alias(WHAT), hits=pl.Series([["x"], ["y", "z"], [], ["w"]]))
    marks = pl.LazyFrame({KEY: ["d"], RECORD: [9], "doc_id": ["x"]}).with_columns(pl.lit(0, pl.Int32).alias(FILE))
    whole, parts = split(queries, hits, marks, Log((), None, OnDisk(records), work, is_large=True))
    # a and b take 5 and 1 of 6 rows; c and d, which begin another part, are one session
    found = [
        (
            part.queries.select(KEY, "session_id").collect().rows(),
            part.hits.select(KEY, "hits").collect().rows(),
            part.marks.select(KEY, "doc_id").collect().rows(),
        )
        for part in parts
    ]
    assert found == [
        ([(0, "r"), (1, "s")], [(0, ["w"])], []),
        ([(2, "t"), (3, "t")], [(2, ["y", "z"]), (3, ["x"])], [(3, "x")]),
    ]
    assert [frame.select(pl.len()).collect().item() for frame in (whole.queries, whole.hits, whole.marks)] == [4, 3, 1]
