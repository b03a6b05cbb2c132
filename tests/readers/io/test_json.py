"""Items of JSON documents, read in pieces as in_batches as one character.

Halves of characters in JSON, as programs write them that cut a text in the middle of an emoji.

NDJSON: late keys, nested values, broken lines.

JSON objects in bulk: read together or one by one, the values are the same.
"""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.errors import DataError
from sessionkit.readers.io import json as module
from sessionkit.readers.io.files import open_log
from sessionkit.readers.io.json import Shapes, as_items, as_objects, json_items, loads, unrounded
from sessionkit.readers.raw import LINE, RAW
from sessionkit.readers.read import read
from sessionkit.study.checks import RECORD
from tests.support.examples import examples
from tests.support.messages import match_parts

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.lists(st.dictionaries(st.text(max_size=4), VALUES, max_size=3), max_size=5)


def opened(folder, text):
    path = folder / "document.json"
    path.write_text(text, encoding="utf-8")
    return open_log(path.name, folder, folder)


def values_in(folder, text):
    return [item.value for item in json_items(opened(folder, text))]


@settings(deadline=None)
@given(OBJECTS, st.sampled_from([None, 1, 4]), st.integers(1, 40))
def test_items_are_those_of_a_parser_however_they_come(tmp_path_factory, objects, indent, chunk):
    folder = tmp_path_factory.mktemp("items")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "CHUNK", chunk)
        array = json.dumps(objects, indent=indent, ensure_ascii=False)
        assert values_in(folder, array) == objects
        if objects:
            one_after_another = "\n\n".join(json.dumps(one, indent=indent) for one in objects)
            assert values_in(folder, one_after_another) == objects


BROKEN = """[
  {"a": 1},

  {"a": 2 "b": {
    "c": 3
  }},
  {"a":
    4},
  {"a": 5
"""


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_a_broken_item_is_one_item_and_the_next_is_found(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(module, "CHUNK", chunk)
    file = opened(tmp_path, BROKEN)
    items = list(json_items(file))
    assert [(item.number, item.line, item.value, item.broken) for item in items] == [
        (1, 2, {"a": 1}, False),
        (2, 4, None, True),
        (3, 7, {"a": 4}, False),
        (4, 9, None, True),
        (5, 10, None, True),  # the array is never closed
    ]
    assert items[1].text == '{"a": 2 "b": {\n    "c": 3\n  }}'
    located = as_items(file)(pl.Series([2, 3]))
    assert located.select(RECORD, LINE).rows() == [(2, 4), (3, 7)]
    assert located[RAW].to_list() == [items[1].text, '{"a":\n    4}']


def test_text_that_is_not_utf_8_is_refused(tmp_path):
    path = tmp_path / "document.json"
    path.write_bytes(b'[{"a": "\xe4"}]')
    with pytest.raises(DataError, match="not UTF-8"):
        list(json_items(open_log(path.name, tmp_path, tmp_path)))


ROWS = [
    {"session_id": "s", "query_position": 1, "rank": 1, "doc_id": "a\nb 😀", "note": None, "tags": ["x"]},
    {"session_id": "s", "query_position": 1, "rank": 2, "doc_id": "c", "late": 1.5},
    {"session_id": "s", "query_position": 1, "rank": "x", "doc_id": "d"},
]


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_an_array_of_objects_is_a_table(write, quiet_read, rejects, indent):
    """As pandas writes ``to_json(orient="records")``."""
    lines = quiet_read(write("log.ndjson", "".join(json.dumps(row) + "\n" for row in ROWS)))
    array = quiet_read(write("log.json", json.dumps(ROWS, indent=indent)))
    assert array.results.collect().to_dicts() == lines.results.collect().to_dicts()
    assert [(s.path, s.records, s.rejected) for s in array.sources] == [("log.json", 3, 1)]
    ((record, line, rule, value, raw),) = rejects(array)
    assert (record, rule, value, json.loads(raw)) == (3, "rank_is_an_integer", "x", ROWS[2])
    assert raw in json.dumps(ROWS, indent=indent)
    assert line == {None: 1, 0: 19, 2: 19}[indent]


def test_items_of_a_table_that_are_no_objects_are_kept_aside(write, quiet_read, rejects):
    text = json.dumps(ROWS[:2], indent=1).replace("\n]", ',\n 7,\n {"rank": 3, "doc_id: 4},\n {"session_id": "t"')
    study = quiet_read(write("log.json", text))
    assert study.facts.results == 2
    found = [(record, rule, raw) for record, _, rule, _, raw in rejects(study)]
    assert [row[:2] for row in found] == [(number, "line_is_json") for number in (3, 4, 5, 6)]
    assert [row[2] for row in found] == ["7", '{"rank": 3, "doc_id: 4}', '{"session_id": "t"', ""], "it is not closed"


@pytest.mark.slow
def test_arrays_in_batches(write, in_batches, quiet_read, same_study):
    rows = [{**dict(list(ROWS[1].items())[:4]), "session_id": f"s{number:02}"} for number in range(40)]
    path = write("log.json", json.dumps(rows))
    one = quiet_read(path)
    in_batches()
    same_study(quiet_read(path), one)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[]", ("empty JSON array", "no records")),
        (
            '[["session_id"], ["s"]]',
            ("JSON array of lists", "without names", "object for each"),
        ),
        ('{"session_id":{"0":"s"},"rank":{"0":1}}', ("JSON by columns", "pandas", "write a JSON")),
        ('{"columns":["session_id"],"index":[0],"data":[["s"]]}', ("JSON by columns",)),
        ('{"schema":{"fields":[{"name":"index"}]},"data":[{"index":0}]}', ("JSON by columns",)),
    ],
)
def test_json_of_other_shapes_is_named_with_what_to_write(write, text, parts):
    log = write("log.csv", "session_id,query_position,rank,doc_id\ns,1,1,A\n")
    path = write("odd.json", text)
    for source, options in ((path, {"format": "tables"}), (log, {"judgments": path})):
        with pytest.raises(DataError, match=match_parts("odd.json", *parts)):
            read(source, **options)


def test_judgments_may_be_an_array_too(judged):
    rows = [{"query": "lamp", "doc": "A", "grade": 2}, {"query": "desk lamp", "doc": "B", "grade": 1}]
    for indent in (None, 2):
        judgments = judged("j.json", json.dumps(rows, indent=indent)).judgments.collect()
        assert judgments.select("judgment_key", "doc_id", "grade").rows() == [
            ("lamp", "A", 2.0),
            ("desk lamp", "B", 1.0),
        ]


def restated(text):
    """The text as its UTF-16 says it: of halves that stand alone, which are no characters, the digits stand there."""
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", errors="surrogatepass")
    return "".join(f"\ufffd{ord(one):04x}" if 0xD800 <= ord(one) < 0xE000 else one for one in joined)


@settings(deadline=None, max_examples=40)
@given(st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from('\ud83d\ude00\\\\"ud')), max_size=12))
def test_as_restated(text):
    line = json.dumps(text)
    assert loads(line) == restated(text)
    (mended,) = unrounded(pl.Series([line]))
    assert json.loads(mended) == restated(text)
    assert unrounded(pl.Series(["1", line, None, line])).to_list() == ["1", mended, None, mended]


def test_items_of_documents(tmp_path, monkeypatch):
    text = r'[{"a": "cut \ud83d"}, {"a": "\uDE00 \ud83d\ude00", "\ud83d": 1}, {"a": "\\ud83d"}]'
    (tmp_path / "log.json").write_text(text)
    for chunk in (1, 5, 1 << 20):
        monkeypatch.setattr(module, "CHUNK", chunk)
        assert [item.value for item in json_items(open_log("log.json", tmp_path, tmp_path))] == [
            {"a": "cut \ufffdd83d"},
            {"a": "\ufffdde00 \U0001f600", "\ufffdd83d": 1},
            {"a": "\\ud83d"},
        ]


@pytest.mark.parametrize(("title", "text"), [(r"cats \ud83d", "cats \ufffdd83d"), (r"cats \uDE00", "cats \ufffdde00")])
def test_lines_of_tables(write, quiet_read, title, text):
    row = '{"session_id":"s","query_position":1,"rank":%d,"doc_id":"x%d","title":"%s"}\n'
    study = quiet_read(write("log.ndjson", row % (1, 1, "dogs") + row % (2, 2, title)))
    assert study.results.collect()["title"].to_list() == ["dogs", text]


WHOLE = [
    *(str(2**power + more) for power in (53, 63, 64, 127, 128) for more in (-1, 0, 1)),
    "9" * 19,
    "9" * 5000,
    "9" * 4999,
]
NUMBERS = [
    *WHOLE,
    *(f"-{digits}" for digits in WHOLE),
    "1e400",
    "1e401",
    "1e-400",
    "-1e400",
    "0.1",
    "0.1000000000000000055",
]
NUMBERS += [
    "9007199254740992.5",
    "9007199254740993.5",
    "123456789.123456789123",
    "123456789.123456789124",
    "0",
    "1",
    "-1",
]
HALVES = [r'"\ud800"', r'"\udfff"', r'"\udc00"', r'"a\ud800"', '"\ufffd"', r'"\ud83d\ude00"', r'"\\ud800"']
JSON_TEXT_VALUES = [*NUMBERS, *HALVES]
ROW = '{"session_id": %s, "query_position": 1, "rank": 1, "doc_id": %s, "noise": [": 12345678901234567890", 1e400]}'


@pytest.mark.parametrize("form", ["lines", "array"])
def test_different_values_stay_different_ids(write, quiet_read, form):
    rows = [ROW % (value, value) for value in JSON_TEXT_VALUES]
    text = "\n".join(rows) if form == "lines" else f"[{', '.join(rows)}]"
    study = quiet_read(write("log.ndjson" if form == "lines" else "log.json", text))
    ids = study.sessions.collect()["session_id"]
    assert len(ids) == ids.n_unique() == len(JSON_TEXT_VALUES)
    assert set(WHOLE) < set(ids)
    assert study.results.collect()["doc_id"].n_unique() == len(JSON_TEXT_VALUES)
    assert study.results.collect()["noise"].unique().to_list() == ['[": 12345678901234567890","1e400"]']


TIME = '"2025-01-02T10:00:00Z"'
UBI = f'{{"query_id": %s, "user_query": "lamp", "query_response_hit_ids": [%s], "timestamp": {TIME}, "session_id": %s}}'


@pytest.mark.parametrize("as_list", [False, True])
def test_different_values_stay_different_in_ubi(write, quiet_read, as_list):
    rows = [UBI % ((value,) * 3) for value in JSON_TEXT_VALUES]
    text = f"[{', '.join(rows)}]" if as_list else "\n".join(rows)
    study = quiet_read(write("log.json", text), format="ubi")
    for ids in (study.results.collect()["doc_id"], study.queries.collect()["query_id"]):
        assert ids.n_unique() == len(JSON_TEXT_VALUES)
        assert set(WHOLE) < set(ids)


def test_documents_of_judgments_are_those_of_the_log(write, quiet_read):
    log = write("log.ndjson", "\n".join(ROW % (f'"s{place}"', value) for place, value in enumerate(JSON_TEXT_VALUES)))
    rated = ", ".join(f'{{"docId": {value}, "rating": "1.0"}}' for value in JSON_TEXT_VALUES)
    lists = f'{{"name": "a", "judgmentRatings": [{{"query": "lamp", "ratings": [{rated}]}}]}}'
    study = quiet_read(log, judgments=[write("list.json", lists)])
    assert set(study.judgments.collect()["doc_id"]) == set(study.results.collect()["doc_id"])


ODD = st.text('a":,[]{}\\1234567890.e', max_size=40)
ANY = st.recursive(
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD, inner, max_size=3),
)


@settings(deadline=None, max_examples=30)
@given(st.lists(ANY, min_size=1, max_size=5))
def test_texts_with_numbers_in_them_stay_as_they_are(values):
    lines = pl.Series([json.dumps(value, ensure_ascii=False) for value in values])
    for value, line in zip(values, unrounded(lines), strict=True):
        assert _plain(json.loads(line)) == _plain(value)


def _plain(value):
    """A value with its numbers as texts of their kind."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value if isinstance(value, str) else json.dumps(value)


@given(st.lists(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**70), 2**70))))
def test_only_numbers_that_would_be_rounded_become_texts(numbers):
    """Within lists too, which are kept as they are: a double stays a number, and no digit is lost."""
    line = json.dumps({"kept": numbers})
    (mended,) = unrounded(pl.Series([line]))
    exact = [one if isinstance(one, float) or -(2**63) <= one < 2**64 else str(one) for one in numbers]
    assert json.loads(mended)["kept"] == exact
    (spelled,) = as_objects(pl.Series([line]))
    for kept, one in zip(json.loads(spelled)["kept"], exact, strict=True):  # polars reads some doubles one bit off
        assert kept == (one if isinstance(one, str | int) else pytest.approx(one, rel=1e-14))


def lines(*records):
    return "".join(
        (record if isinstance(record, str) else json.dumps(record, ensure_ascii=False)) + "\n" for record in records
    )


NDJSON_ROW = {"session_id": "s", "query_position": 1, "rank": 1, "doc_id": "a"}


def test_types_of_json_do_not_matter(write, quiet_read):
    path = write(
        "log.ndjson",
        lines(
            NDJSON_ROW,
            {**NDJSON_ROW, "session_id": 7, "rank": "2"},
            {**NDJSON_ROW, "session_id": "7", "rank": 3.0, "clicked": True},
        ),
    )
    assert quiet_read(path).results.collect().rows() == [
        ("7", 1, 2, "a", None),
        ("7", 1, 3, "a", True),
        ("s", 1, 1, "a", None),
    ]


def test_keys_that_appear_late_and_nested_values_are_kept(write, quiet_read):
    path = write(
        "log.jsonl",
        lines(NDJSON_ROW, {**NDJSON_ROW, "rank": 2, "late": 5, "it's": "q", "a.b": "dot", "nested": {"k": [1, "x"]}}),
    )
    results = quiet_read(path).results.collect()
    assert results.select("late", "it's", "a.b", "nested").row(1) == (5, "q", "dot", '{"k":[1,"x"]}')


def test_a_key_may_hold_an_object_here_and_a_number_there(write, quiet_read):
    path = write(
        "log.ndjson",
        lines(
            {**NDJSON_ROW, "x": 1},
            {**NDJSON_ROW, "rank": 2, "x": {"k": 2}, "y": "late"},
            {**NDJSON_ROW, "rank": 3, "x": [3]},
        ),
    )
    assert quiet_read(path).results.collect().select("x", "y").rows() == [
        ("1", None),
        ('{"k":2}', "late"),
        ("[3]", None),
    ]


def test_an_empty_key_gets_a_name(write, quiet_read):
    results = quiet_read(write("log.ndjson", lines({"": "first", **NDJSON_ROW}))).results.collect()
    assert results.select("column_1").item() == "first"


def test_broken_lines_are_rejected_with_their_number(write, quiet_read, rejects):
    path = write(
        "log.ndjson", "\ufeff" + lines(NDJSON_ROW, "", '{"session_id":', "[1]", {**NDJSON_ROW, "rank": "first"}, "{}")
    )
    assert rejects(quiet_read(path)) == [
        (3, 3, "line_is_json", '{"session_id":', '{"session_id":'),
        (4, 4, "line_is_json", "[1]", "[1]"),
        (5, 5, "rank_is_an_integer", "first", json.dumps({**NDJSON_ROW, "rank": "first"})),
        (6, 6, "session_id_is_given", None, "{}"),
    ]


def test_text_is_kept_as_it_is(write, quiet_read):
    texts = ['"quoted"', "tab\there", "line\nbreak", "\u00fc\u2028", "</script>", " ", "null", "\\"]
    path = write(
        "log.ndjson", lines(*({**NDJSON_ROW, "rank": rank, "doc_id": text} for rank, text in enumerate(texts, start=1)))
    )
    assert quiet_read(path).results.collect()["doc_id"].to_list() == texts


def test_one_broken_line_costs_the_fast_way_for_itself_alone(write, quiet_read, rejects, monkeypatch):
    looked = []
    monkeypatch.setattr(module, "as_objects", lambda lines: looked.append(len(lines)) or as_objects(lines))
    rows = [{**NDJSON_ROW, "session_id": f"s{number}", "dwell_seconds": number + 0.25} for number in range(1, 2000)]
    whole = quiet_read(write("whole.ndjson", lines(*rows)))
    of_whole, looked[:] = sum(looked), []
    study = quiet_read(write("log.ndjson", lines(*rows[:1000], '{"session_id":', *rows[1000:])))
    assert study.results.collect().equals(whole.results.collect())
    assert rejects(study) == [(1001, 1001, "line_is_json", '{"session_id":', '{"session_id":')]
    assert sum(looked) <= of_whole + 100  # not 2,000: lines of a known shape are not taken apart one by one


@pytest.mark.parametrize("content", ["hello\n", "[1]\n[2]\n"])
def test_files_that_hold_no_object(write, quiet_read, content):
    with pytest.raises(DataError, match=match_parts("no line", "JSON object")):
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
    with pytest.raises(DataError, match=match_parts("pattern of names", "rename")):
        quiet_read(write("log.ndjson", lines({**NDJSON_ROW, key: "x"})))


RECORDS = [
    NDJSON_ROW,
    {**NDJSON_ROW, "rank": 2, "note": 'a "b"\\'},
    {**NDJSON_ROW, "rank": 3, "x": 0.25, "y": -12, "z": None},
    {**NDJSON_ROW, "rank": True},
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("odd", [[], [""], ['{"rank": 1.0}'], ['{"rank": 1e5}'], ["no JSON"]], ids=repr)
def test_what_is_read_at_once_is_what_is_read_line_by_line(tmp_path, end, odd):
    """Where all lines are plain another parser reads them; one that is not decides for all."""
    path = tmp_path / "log[1].ndjson"
    path.write_text(end.join([*map(json.dumps, RECORDS), *odd, json.dumps(NDJSON_ROW)]), encoding="utf-8", newline="")
    file = open_log(path.name, tmp_path, tmp_path)
    at_once, by_line = (module.read_ndjson(file, "results", at_once=whole).frame.collect() for whole in (True, False))
    assert at_once.equals(by_line)
    assert at_once["rank"].to_list()[:4] == ["1", "2", "3", "true"]


texts = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=6)
numbers = st.one_of(st.integers(-(10**19), 10**19), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(texts, numbers, st.booleans(), st.none(), st.sampled_from([0.0, -0.0, 1.5, 1e-7, 1e22, 3.0, -0.25]))
values = st.one_of(
    scalars, scalars, scalars, st.lists(scalars, max_size=2), st.dictionaries(texts, scalars, max_size=2)
)
objects = st.fixed_dictionaries(
    {"a": values}, optional={"b": values, "it's": scalars, "\u00fc": scalars, "x.y": scalars}
)
spellings = st.sampled_from([{}, {"separators": (",", ":")}, {"ensure_ascii": False}])


@st.composite
def shaped_lines(draw):
    """Lines of a log: objects, mostly of few shapes, in several spellings, and some that are none."""
    rows = [json.dumps(row, **draw(spellings)) for row in draw(st.lists(objects, min_size=1, max_size=8))]
    return rows + draw(st.lists(st.sampled_from(["[1]", "{", "null", '{"a":1,"a":2}', "{}", ' {"a": 1} ']), max_size=2))


def one_by_one(rows, keys):
    """Return the values that each line has by itself."""
    alone = pl.Series("line", rows)
    return {
        key: [Shapes({key: None}, regular=False).values(alone[n : n + 1])[key][0] for n in range(len(rows))]
        for key in keys
    }


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(rows=shaped_lines())
def test_values_are_those_of_each_line_by_itself(rows):
    shapes = Shapes()
    series = pl.Series("line", rows)
    shapes.look(series)
    shapes.see(series)
    made = shapes.values(series)
    assert made.to_dict(as_series=False) == one_by_one(rows, shapes.keys)
    found = [json.loads(text) for text in as_objects(series).drop_nulls()]
    assert set(shapes.keys) == {key for row in found for key in row}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('{"a":"x"}', "x"),
        ('{"a": 12}', "12"),
        ('{"a": 0.5}', "0.5"),
        ('{"a": 1.0}', "1.0"),
        ('{"a": -0.0}', "-0.0"),
        ('{"a": 999999999999999.0}', "999999999999999.0"),
        ('{"a": true}', "true"),
        ('{"a": null}', None),
        ('{"a": "\\u00fc\\n"}', "\u00fc\n"),
    ],
)
def test_plain_lines_have_a_known_shape(line, value):
    shapes = Shapes()
    shapes.see(pl.Series([line] * 3))
    assert shapes.regular
    assert shapes.values(pl.Series([line]))["a"].to_list() == [value]


def test_whole_numbers_with_a_fraction_beside_texts_that_look_like_them():
    lines = pl.Series(
        ['{"a":"x.0","b":1.0}', '{"a":"\\"b\\": 3.0,","b":7}', '{"a":"b","b":null}', '{"a":"","b":-12.0}']
    )
    shapes = Shapes()
    shapes.look(lines)
    assert shapes.regular
    assert shapes.values(lines).rows() == [("x.0", "1.0"), ('"b": 3.0,', "7"), ("b", None), ("", "-12.0")]


@pytest.mark.parametrize(
    "line",
    ['{"a": 1.00}', '{"a\\\\": 1}', '{"a": 1e5}', '{"a": [1]}', '{"a": -0}', '{"a":1}{', '{"a":"\\ud83d\\ude00"}'],
)
def test_other_lines_have_none(line):
    shapes = Shapes()
    shapes.see(pl.Series([line]))
    assert not shapes.regular


def test_keys_stand_in_the_order_of_their_appearance():
    shapes = Shapes()
    shapes.look(pl.Series(['{"z": [1], "b": 2}', '{"a": 1}', '{"b": 1, "c": 1}']))
    shapes.see(pl.Series(['{"d": 1}', '{"late": {"k": 1}}']))
    assert list(shapes.keys) == ["z", "b", "a", "c", "d", "late"]


@pytest.mark.parametrize("key", ["end\\", "\\", "a\\x", "a\\\\b", "a\\'b", 'a\\"b', "it's"])
@pytest.mark.parametrize("value", ["v", "back\\slash", None, True, 3, [1, {"a": "b"}]])
def test_a_key_with_a_backslash_has_its_values(key, value):
    lines = pl.Series([json.dumps({"a": [], key: value}), json.dumps({"a": {}})])
    found = Shapes({"a": None, key: None}, regular=False).values(lines)[key].to_list()
    spelled = value if value is None or isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    assert found == [spelled, None]
