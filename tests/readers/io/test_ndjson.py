"""NDJSON: late keys, nested values, broken lines."""

import json

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.io import json as ndjson
from sessionkit.readers.io import json as shapes
from sessionkit.readers.io.files import open_log
from sessionkit.readers.io.json import as_objects


def lines(*records):
    return "".join(
        (record if isinstance(record, str) else json.dumps(record, ensure_ascii=False)) + "\n" for record in records
    )


ROW = {"session_id": "s", "query_position": 1, "rank": 1, "doc_id": "a"}


def test_types_of_json_do_not_matter(write, quiet_read):
    path = write(
        "log.ndjson",
        lines(ROW, {**ROW, "session_id": 7, "rank": "2"}, {**ROW, "session_id": "7", "rank": 3.0, "clicked": True}),
    )
    assert quiet_read(path).results.collect().rows() == [
        ("7", 1, 2, "a", None),
        ("7", 1, 3, "a", True),
        ("s", 1, 1, "a", None),
    ]


def test_keys_that_appear_late_and_nested_values_are_kept(write, quiet_read):
    path = write(
        "log.jsonl", lines(ROW, {**ROW, "rank": 2, "late": 5, "it's": "q", "a.b": "dot", "nested": {"k": [1, "x"]}})
    )
    results = quiet_read(path).results.collect()
    assert results.select("late", "it's", "a.b", "nested").row(1) == (5, "q", "dot", '{"k":[1,"x"]}')


def test_a_key_may_hold_an_object_here_and_a_number_there(write, quiet_read):
    path = write(
        "log.ndjson",
        lines({**ROW, "x": 1}, {**ROW, "rank": 2, "x": {"k": 2}, "y": "late"}, {**ROW, "rank": 3, "x": [3]}),
    )
    assert quiet_read(path).results.collect().select("x", "y").rows() == [
        ("1", None),
        ('{"k":2}', "late"),
        ("[3]", None),
    ]


def test_an_empty_key_gets_a_name(write, quiet_read):
    results = quiet_read(write("log.ndjson", lines({"": "first", **ROW}))).results.collect()
    assert results.select("column_1").item() == "first"


def test_broken_lines_are_rejected_with_their_number(write, quiet_read, rejects):
    path = write("log.ndjson", "\ufeff" + lines(ROW, "", '{"session_id":', "[1]", {**ROW, "rank": "first"}, "{}"))
    assert rejects(quiet_read(path)) == [
        (3, 3, "line_is_json", '{"session_id":', '{"session_id":'),
        (4, 4, "line_is_json", "[1]", "[1]"),
        (5, 5, "rank_is_an_integer", "first", json.dumps({**ROW, "rank": "first"})),
        (6, 6, "session_id_is_given", None, "{}"),
    ]


def test_text_is_kept_as_it_is(write, quiet_read):
    texts = ['"quoted"', "tab\there", "line\nbreak", "\u00fc\u2028", "</script>", " ", "null", "\\"]
    path = write(
        "log.ndjson", lines(*({**ROW, "rank": rank, "doc_id": text} for rank, text in enumerate(texts, start=1)))
    )
    assert quiet_read(path).results.collect()["doc_id"].to_list() == texts


def test_one_broken_line_costs_the_fast_way_for_itself_alone(write, quiet_read, rejects, monkeypatch):
    looked = []
    for module in (ndjson, shapes):
        monkeypatch.setattr(module, "as_objects", lambda lines: looked.append(len(lines)) or as_objects(lines))
    rows = [{**ROW, "session_id": f"s{number}", "dwell_seconds": number + 0.25} for number in range(1, 2000)]
    whole = quiet_read(write("whole.ndjson", lines(*rows)))
    of_whole, looked[:] = sum(looked), []
    study = quiet_read(write("log.ndjson", lines(*rows[:1000], '{"session_id":', *rows[1000:])))
    assert study.results.collect().equals(whole.results.collect())
    assert rejects(study) == [(1001, 1001, "line_is_json", '{"session_id":', '{"session_id":')]
    assert sum(looked) <= of_whole + 100  # not 2,000: lines of a known shape are not taken apart one by one


@pytest.mark.parametrize("content", ["hello\n", "[1]\n[2]\n"])
def test_files_that_hold_no_object(write, quiet_read, content):
    with pytest.raises(DataError, match="no line of it is a JSON object"):
        quiet_read(write("log.ndjson", content))


def test_text_that_is_not_utf8(write, quiet_read):
    with pytest.raises(DataError, match="not UTF-8"):
        quiet_read(write("log.ndjson", b'{"session_id":"\xe9"}\n'))


def test_every_line_that_is_no_object_breaks_the_same_rule_beside_nested_values(write, quiet_read, rejects):
    """A nested value is of no known shape, so that every line is looked at."""
    nested = '{"session_id":"s","query_position":1,"rank":1,"doc_id":"a","tags":["x"]}\n'
    study = quiet_read(write("log.ndjson", nested + '7\n[\n"x"\n'))
    assert [row[0:4:2] for row in rejects(study)] == [(2, "line_is_json"), (3, "line_is_json"), (4, "line_is_json")]


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_in_a_column_of_its_own_costs_no_record(write, quiet_read, rejects, value):
    row = {"session_id": "a", "query_position": 1, "rank": 1, "doc_id": "x", "weight": 1.5}
    text = lines(row, row | {"rank": 2, "doc_id": "y"}).replace("1.5", value, 1) + "{'no': JSON}\n"
    study = quiet_read(write("results.ndjson", text))
    assert study.results.collect()["doc_id"].to_list() == ["x", "y"]
    assert [row[1:3] for row in rejects(study)] == [(3, "line_is_json")]


@pytest.mark.parametrize("key", ["^doc.*$", "*"])
def test_a_key_that_reads_as_a_pattern_is_refused(write, quiet_read, key):
    with pytest.raises(DataError, match="reads as a pattern of names; rename it"):
        quiet_read(write("log.ndjson", lines({**ROW, key: "x"})))


RECORDS = [
    ROW,
    {**ROW, "rank": 2, "note": 'a "b"\\'},
    {**ROW, "rank": 3, "x": 0.25, "y": -12, "z": None},
    {**ROW, "rank": True},
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("odd", [[], [""], ['{"rank": 1.0}'], ['{"rank": 1e5}'], ["no JSON"]], ids=repr)
def test_what_is_read_at_once_is_what_is_read_line_by_line(tmp_path, end, odd):
    """Where all lines are plain another parser reads them; one that is not decides for all."""
    path = tmp_path / "log[1].ndjson"
    path.write_text(end.join([*map(json.dumps, RECORDS), *odd, json.dumps(ROW)]), encoding="utf-8", newline="")
    file = open_log(path.name, tmp_path, tmp_path)
    at_once, by_line = (ndjson.read_ndjson(file, "results", at_once=whole).frame.collect() for whole in (True, False))
    assert at_once.equals(by_line)
    assert at_once["rank"].to_list()[:4] == ["1", "2", "3", "true"]
