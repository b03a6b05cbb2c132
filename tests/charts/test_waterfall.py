"""One session explained."""

import polars as pl
import pytest

from sessionkit.charts import save, waterfall
from sessionkit.charts.kinds.waterfall import MOST_DOCUMENTS, MOST_QUERIES
from sessionkit.errors import UsageError


def explained(*contributions):
    """What `sessionkit.explain` says of a session, a tuple of contributions for each query."""
    rows = [
        (query, rank, f"d{query}.{rank}", 1.0, value)
        for query, each in enumerate(contributions, 1)
        for rank, value in enumerate(each, 1)
    ]
    schema = ["query_position", "rank", "doc_id", "grade", "contribution"]
    return pl.DataFrame(rows, schema=schema, orient="row", strict=False)


def bars_of(chart, datasets):
    """Rows of the bars: label, from, to."""
    return [(row["label"], row["from"], row["to"]) for row in dict(datasets(chart))["bar"]]


def test_documents_add_up_to_queries_and_queries_to_the_session(datasets):
    assert bars_of(waterfall(explained((2.0, 0.0, 0.5), (0.0,), (1.0,))), datasets) == [
        ("Q1 rank 1  d1.1", 0, 2),
        ("Q1 rank 3  d1.3", 2, 2.5),
        ("Query 1", 0, 2.5),
        ("Query 2", 2.5, 2.5),
        ("Q3 rank 1  d3.1", 2.5, 3.5),
        ("Query 3", 2.5, 3.5),
        ("Session", 0, 3.5),
    ]


def test_documents_that_add_least_share_a_row_and_nothing_is_lost(datasets):
    rows = bars_of(waterfall(explained([1.0] * (MOST_DOCUMENTS - 1), [2.0, 0.5, 0.25])), datasets)
    assert ("Q2  2 results together", MOST_DOCUMENTS - 1 + 2, MOST_DOCUMENTS - 1 + 2.75) in rows
    assert rows[-1] == ("Session", 0, MOST_DOCUMENTS - 1 + 2.75)
    assert len(rows) == MOST_DOCUMENTS + 1 + 2 + 1  # documents, the two, queries, session


def test_the_only_document_that_would_share_a_row_has_its_name(datasets):
    rows = bars_of(waterfall(explained([1.0] * MOST_DOCUMENTS, [0.5])), datasets)
    assert ("Q2 rank 1  d2.1", MOST_DOCUMENTS, MOST_DOCUMENTS + 0.5) in rows


def test_queries_that_add_least_share_a_row(datasets):
    rows = bars_of(waterfall(explained(*[(0.25,)] * 50, (1.0,))), datasets)
    assert sum(label.startswith("Query") for label, _, _ in rows) == MOST_QUERIES
    assert rows[-4:] == [
        ("Q51 rank 1  d51.1", 1.75, 2.75),
        ("Query 51", 1.75, 2.75),
        ("43 more queries", 2.75, 13.5),
        ("Session", 0, 13.5),
    ]


@pytest.mark.few(1, slow=1)
@pytest.mark.parametrize("width", ["84mm", "174mm"])
def test_no_waterfall_is_higher_than_200_mm(tmp_path, width):
    subtitle = "Session of a searcher with a long name, on a topic with a long name"
    contributions = [[n / 10, 1 / n] * 20 for n in range(1, 41)]
    chart = waterfall(explained(*contributions), title="Value of a session " * 4, subtitle=subtitle, synthetic=True)
    head = save(chart, tmp_path / "a.svg", width=width, style="paper").read_text("utf-8").partition(">")[0]
    assert float(head.partition('height="')[2].partition("pt")[0]) * 25.4 / 72 <= 200


def test_a_session_without_a_value_is_refused():
    with pytest.raises(UsageError, match="nDCG@3 has no value"):
        waterfall(explained((None, None)).cast({"contribution": pl.Float64}), measure="nDCG@3")


def test_names_of_documents_lose_their_middle():
    frame = explained((1.0,)).with_columns(doc_id=pl.lit("https://example.org/" + "x" * 50 + "/the-end.html"))
    spec = waterfall(frame).to_dict()
    (label, *_) = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert label == "Q1 rank 1  https://example.or…the-end.html"


@pytest.mark.slow
def test_a_session_is_drawn_to_the_last_digit_alike_however_its_rows_stand(datasets):
    frame = explained(*[(0.1 * n, 0.7 / n, 1 / 3) for n in range(1, 41)])
    drawn = {str(bars_of(waterfall(frame.sample(fraction=1, shuffle=True, seed=n)), datasets)) for n in range(20)}
    assert len(drawn) == 1
