"""A study written as events, in any order of rows, is the study that tables of queries and results say."""

from datetime import UTC, datetime

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.readers.read import read

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
QUERY = st.tuples(st.sampled_from(["otter", "beaver", "swan"]), st.lists(st.booleans(), min_size=1, max_size=4))
LOG = st.lists(st.lists(QUERY, min_size=1, max_size=4), min_size=1, max_size=3)


@settings(max_examples=15, deadline=None)
@given(LOG, st.integers(0, 2**32), st.sampled_from(["time", "elapsed_seconds", "event_order"]))
def test_events_in_any_order_of_rows_are_the_same_study(tmp_path_factory, log, seed, clock):
    events, queries, results = [], [], []
    for number, session in enumerate(log):
        ids = {"user": f"u{number}", "task": "A"}
        second = 0
        for position, (text, clicked) in enumerate(session, 1):
            key = {"session_id": f"u{number}/A", "query_position": position}
            queries.append({**key, "query_text": text})
            events.append({**ids, "second": second, "event": "query", "query_text": text, "doc_id": None, "rank": None})
            for rank, is_clicked in enumerate(clicked, 1):
                shown = {
                    "doc_id": f"d{number}{position}{rank}",
                    "rank": rank,
                }  # lists of one text differ, so none is merged
                results.append({**key, **shown, "clicks": int(is_clicked)})
                for event in ["impression", *(["click"] if is_clicked else [])]:
                    second += 10
                    events.append({**ids, "second": second, "event": event, "query_text": None, **shown})
            second += 10
    rows = pl.DataFrame(events, infer_schema_length=None).sample(fraction=1, shuffle=True, seed=seed)
    if clock == "time":
        rows = rows.with_columns(second=pl.lit(NOON) + pl.duration(seconds="second"))
    folder = tmp_path_factory.mktemp("events")
    rows.write_parquet(folder / "events.parquet")
    columns = {"session_id": ["user", "task"], clock: "second"}
    study = read(folder / "events.parquet", config={"format": "events", "columns": columns})
    for name, expected in (("queries", queries), ("results", results)):
        frame = pl.DataFrame(expected, infer_schema_length=None)
        found = getattr(study, name).collect().select(frame.columns)
        assert found.rows() == frame.sort(*frame.columns[:2]).rows(), name
