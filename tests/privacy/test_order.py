"""The log in a new order, whatever it is cut into on the way."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.privacy.pseudonymize import PLACE, in_new_order
from sessionkit.study.numbering import QUERIES, RESULTS
from sessionkit.study.storage import LOG, StudyBatch
from tests.support.examples import examples


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
    tables = {name: pl.concat([getattr(part, name) for part in made]) for name in LOG}
    assert tables["sessions"].rows() == [(f"{place:02}",) for place in range(size)]
    for name, counts in (("queries", queries), ("results", results)):
        rows = [(f"{place:02}", place, n) for place in range(size) for n in range(counts[places.index(place)])]
        assert tables[name].rows() == rows
