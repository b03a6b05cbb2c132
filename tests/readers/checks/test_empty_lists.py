"""Lists that were empty, however the log says so: in place of a rank or a document, in another column, by an empty rank."""

import json

import polars as pl
import pytest

import sessionkit as sk

COLUMNS = ["session_id", "query_position", "rank", "doc_id", "title", "clicks"]
ROWS = [
    ("a", 1, 1, "x", "cats", 0),
    ("a", 1, 2, "y", "no hits", 1),
    ("a", 2, None, "no hits", None, None),
    ("a", 3, "no hits", None, None, None),
    ("a", 4, None, None, "No Hits", None),
    ("b", 1, None, None, " no hits ", None),
    ("b", 2, 1, "no hits", None, None),
    ("b", 3, None, "z", "no hits", None),
    ("b", 4, 1, None, "no hits", None),
    ("b", 5, None, None, None, "no hits"),
    ("b", 6, "x", "z", "no hits", None),
    ("b", 7, 1, "z", None, None),
]
STATUSES = {
    "a": ["shown", "empty", "empty", "not_logged"],
    "b": ["empty", "empty", "empty", "empty", "empty", "not_logged", "shown"],
}
"""In a 4 the text is another one; in b 6 a document has something for a rank, though no number."""
TOML = '[results]\npath = "{}"\nempty_list = {}\n'


def statuses(study):
    """Return the status of every query by session."""
    found = study.queries.collect().group_by("session_id", maintain_order=True).agg("results_status")
    return dict(found.rows())


def written(write, kind, rows=ROWS):
    """Write rows as a file of this kind; return its name."""
    text = [["" if value is None else str(value) for value in row] for row in rows]
    if kind == "ndjson":
        lines = [{name: value for name, value in zip(COLUMNS, row, strict=True) if value is not None} for row in rows]
        write("log.ndjson", "".join(json.dumps(line) + "\n" for line in lines))
    elif kind == "parquet":
        columns = {name: [value or None for value in values] for name, *values in zip(COLUMNS, *text, strict=True)}
        pl.DataFrame(columns, schema=dict.fromkeys(COLUMNS, pl.String)).write_parquet(write("log.parquet", ""))
    else:
        separator = {"csv": ",", "tsv": "\t"}[kind]
        write(f"log.{kind}", "".join(separator.join(row) + "\n" for row in [COLUMNS, *text]))
    return f"log.{kind}"


@pytest.mark.few(4)
@pytest.mark.parametrize("parts", [False, True], ids=["whole", "in parts"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "ndjson", "parquet"])
def test_in_any_column_of_a_row_that_is_no_result(write, quiet_read, in_batches, kind, parts):
    name = written(write, kind)
    if parts:
        in_batches(rows=3)
    study = quiet_read(write("study.toml", TOML.format(name, '"no hits"')))
    assert statuses(study) == STATUSES
    assert study.results.collect().select("session_id", "query_position", "rank", "doc_id").rows() == [
        ("a", 1, 1, "x"),
        ("a", 1, 2, "y"),
        ("b", 7, 1, "z"),
    ]
    assert study.rejected.collect().select("record", "rule").rows() == [
        (5, "rank_is_given"),
        (11, "rank_is_an_integer"),
    ]
    (source,) = study.sources
    assert (source.records, source.rows, source.empty_lists, source.rejected) == (12, 3, 7, 2)


def test_a_result_of_that_title_stays_and_is_counted(write, quiet_read):
    study = quiet_read(write("study.toml", TOML.format(written(write, "csv", ROWS[:2]), '"no hits"')))
    assert study.results.collect()["title"].to_list() == ["cats", "no hits"]
    said = "results: 1 row with a rank, a document and, in another column, the text of empty_list; kept as results"
    assert said in study.notes


def test_the_same_of_frames():
    frame = pl.DataFrame({name: [row[at] for row in ROWS[:3]] for at, name in enumerate(COLUMNS)}, strict=False)
    study = sk.from_tables(frame, empty_list="no hits")
    assert statuses(study) == {"a": ["shown", "empty"]}
    nothing = {"session_id": ["a", "a"], "query_position": [1, 2], "rank": [1, None], "doc_id": ["x", None]}
    assert statuses(sk.from_tables(nothing, empty_list="")) == {"a": ["shown", "empty"]}


@pytest.mark.parametrize("null", ["", 'null = ["", "-"]\n', 'null = ["-"]\n'])
@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet"])
def test_no_text_stands_for_an_empty_rank(write, quiet_read, kind, null):
    """Only ranks are looked at: a row with rank whose title or clicks are empty is a result."""
    rows = [("a", 1, 1, "x", None, None), ("a", 2, None, "no hits", None, None), ("a", 3, None, None, "t", 0)]
    name = written(write, kind, rows)
    study = quiet_read(write("study.toml", TOML.format(name, '""') + null))
    assert statuses(study) == {"a": ["shown", "empty", "empty"]}
    assert study.sources[0].empty_lists == 2


def test_a_text_that_means_no_value_elsewhere_is_a_marker_in_place_of_a_rank(write, quiet_read):
    rows = [("a", 1, 1, "x", "-", "-"), ("a", 2, "-", "-", "-", "-")]
    name = written(write, "csv", rows)
    study = quiet_read(write("study.toml", TOML.format(name, '"-"') + 'null = ["", "-"]\n'))
    assert statuses(study) == {"a": ["shown", "empty"]}
    assert study.results.collect().select("title", "clicks").row(0) == (None, None)


def test_keys_are_no_place_for_the_text(write, quiet_read):
    """0 stands for no result, and is the name of a session and the number of a query as well."""
    rows = [("0", 0, 1, "x", "t", 0), ("0", 1, 0, None, "t", 0), ("0", 2, None, "y", None, None)]
    name = written(write, "csv", rows)
    study = quiet_read(write("study.toml", TOML.format(name, '"0"') + "base = { query_position = 0 }\n"))
    assert statuses(study) == {"0": ["shown", "empty", "not_logged"]}
    assert study.rejected.collect()["rule"].to_list() == ["rank_is_given"]


def test_scores_count_an_empty_list_that_words_mark(write, quiet_read):
    """nDCG is 1 and 0, so .5 in the mean; were the second query not logged it would be 1."""
    rows = [("t", 1, 1, "x", None, None), ("t", 2, None, "no hits", None, None)]
    path = write("study.toml", TOML.format(written(write, "csv", rows), '""') + '[defaults]\ntopic_id = "t"\n')
    study = quiet_read(path, judgments=write("qrels", "t 0 x 1\n"))
    assert sk.score(study, "mean(nDCG@10)", per="session")["value"].to_list() == [0.5]


def test_a_document_without_a_rank_is_told_of_where_no_rank_means_an_empty_list():
    rows = [("a", 1, 1, "x"), ("a", 2, None, "b"), ("a", 3, None, None), ("a", 4, None, "c")]
    frame = pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id"], orient="row")
    study = sk.from_tables(frame, empty_list="")
    said = "results: 2 rows with an empty rank but a doc_id (first: 'b') are taken as empty lists"
    assert [note for note in study.notes if note.startswith(said)]
    without = frame.with_columns(doc_id=pl.when(pl.col("rank").is_not_null()).then("doc_id"))
    assert not [note for note in sk.from_tables(without, empty_list="").notes if "something in doc_id" in note]


def test_only_rows_that_are_kept_are_called_kept():
    """Three rows have the words in their title; the rank of one is none, and another has no session."""
    rows = [("a", 1, "1", "x", "no hits"), ("a", 1, "two", "y", "no hits"), (None, 1, "1", "z", "no hits")]
    frame = pl.DataFrame(rows, schema=["session_id", "query_position", "rank", "doc_id", "title"], orient="row")
    with pytest.warns(sk.DataWarning):
        study = sk.from_tables(frame, empty_list="no hits")
    assert study.facts.results == 1
    assert [note[:14] for note in study.notes if "kept as results" in note] == ["results: 1 row"]
