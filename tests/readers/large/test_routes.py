"""Logs read as they come: packed ones too, with numbers read as numbers where that changes nothing."""

import errno
import json

import polars as pl
import pytest

from sessionkit.errors import UsageError
from sessionkit.readers.large import large_study
from sessionkit.readers.read import read
from tests.readers.large.test_large_study import COLUMNS, RESULTS, ROWS, log, outcome

QUERIES = list(dict.fromkeys((session, position) for session, position, _ in ROWS))


@pytest.mark.few(1)
@pytest.mark.parametrize("packing", [".gz", ".zst"])
@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_packed_logs_in_order_are_read_as_they_come(write, small, kind, packing):
    rows = [dict(zip(COLUMNS["results"], (*row, f"d{n}"), strict=False)) for n, row in enumerate(ROWS)]
    text = log(ROWS) if kind == "csv" else "".join(json.dumps(row) + "\n" for row in rows)
    path = write(f"log.{kind}{packing}", text)
    one = outcome(path)
    taken = small()
    assert outcome(path) == one
    assert taken == ["Streamed"]
    path.write_bytes(path.read_bytes()[:-40])
    assert "cut short" in outcome(path)


@pytest.mark.slow
def test_numbers_in_some_pieces_and_texts_in_others_come_out_the_same(write, small):
    rows = [[s, str(q), str(r), "d"] for s, q, r in ROWS]
    for place, (column, text) in {
        3: (1, "2.0"),
        20: (2, " 3"),
        21: (2, "x"),
        40: (2, "99999999999"),
        50: (1, ""),
    }.items():
        rows[place][column] = text
    path = write("log.csv", RESULTS + "".join(",".join(row) + "\n" for row in rows))
    one = outcome(path)
    taken = small()
    assert outcome(path) == one
    assert taken == ["Streamed"]
    assert [row[4:6] for row in one["rejected"][1]] == [
        ("rank_is_an_integer", "x"),
        ("rank_is_an_integer", "99999999999"),
        ("query_position_is_given", None),
    ]


@pytest.mark.slow
def test_texts_of_numbers_that_mean_something_else_are_left_as_they_are(write, small):
    write("log.csv", RESULTS + "".join(f"{s},{q},{r},d\n" for s, q, r in ROWS) + "t,1,00,\nu,1,0,d\nv,-1,1,d\n")
    path = write("study.toml", '[results]\npath = "log.csv"\nempty_list = "00"\nnull = ["", "-1"]\nbase = 1\n')
    one = outcome(path)
    small()
    assert outcome(path) == one
    assert [row[1:6:4] for row in one["rejected"][1]] == [(56, "0"), (57, None)]
    assert one["facts"]["empty"] == 1


@pytest.mark.few(1)
@pytest.mark.parametrize(("given", "course"), [(("queries", "results"), "Streamed"), (("results",), "Staged")])
def test_queries_that_are_judged_by_their_texts_are_read_as_they_come(write, small, given, course):
    """Where queries are told by results alone, the whole log says whether a session has one key."""
    write("queries.csv", "session_id,query_position,query_text\n" + "".join(f"{s},{q},text {q} \n" for s, q in QUERIES))
    texts = "session_id,query_position,rank,doc_id,query_text\n"
    write("results.csv", texts + "".join(f"{s},{q},{r},d{r},text {q}\n" for s, q, r in ROWS))
    graded = write("graded.csv", "query,docid,rating\ntext 1,d1,2\ntext 2,d2,1\n")
    path = write("study.toml", "".join(f'[{name}]\npath = "{name}.csv"\n' for name in given))
    one = outcome(path, judgments=graded)
    taken = small()
    assert outcome(path, judgments=graded) == one
    assert taken == [course]
    keys = [name for name, _ in one["queries"][0]].index("judgment_key")
    assert {row[keys] for row in one["queries"][1]} >= {"text 1", "text 2"}


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (pl.exceptions.ComputeError("a rule that cannot be computed"), pl.exceptions.PolarsError),
        (PermissionError(errno.EACCES, "not allowed"), UsageError),
        (UsageError("no space is left"), UsageError),
    ],
)
def test_what_goes_wrong_while_a_log_comes_is_said_and_not_read_over(write, small, monkeypatch, error, raised):
    """Only a file that cannot be read as it comes is read another way."""
    small()
    tried = []

    def fail(*_):
        tried.append(error)
        raise error

    monkeypatch.setattr(large_study, "assemble", fail)
    with pytest.raises(raised, match=str(error.args[-1])):
        read(write("log.csv", log(ROWS)))
    assert len(tried) == 1
