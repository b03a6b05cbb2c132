"""Halves of characters in JSON, as programs write them that cut a text in the middle of an emoji."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessionkit.readers.io import json as module
from sessionkit.readers.io.files import open_log
from sessionkit.readers.io.json import as_objects, json_items, loads, unrounded


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
VALUES = [*NUMBERS, *HALVES]
ROW = '{"session_id": %s, "query_position": 1, "rank": 1, "doc_id": %s, "noise": [": 12345678901234567890", 1e400]}'


@pytest.mark.parametrize("form", ["lines", "array"])
def test_different_values_stay_different_ids(write, quiet_read, form):
    rows = [ROW % (value, value) for value in VALUES]
    text = "\n".join(rows) if form == "lines" else f"[{', '.join(rows)}]"
    study = quiet_read(write("log.ndjson" if form == "lines" else "log.json", text))
    ids = study.sessions.collect()["session_id"]
    assert len(ids) == ids.n_unique() == len(VALUES)
    assert set(WHOLE) < set(ids)
    assert study.results.collect()["doc_id"].n_unique() == len(VALUES)
    assert study.results.collect()["noise"].unique().to_list() == ['[": 12345678901234567890","1e400"]']


TIME = '"2025-01-02T10:00:00Z"'
UBI = f'{{"query_id": %s, "user_query": "lamp", "query_response_hit_ids": [%s], "timestamp": {TIME}, "session_id": %s}}'


@pytest.mark.parametrize("as_list", [False, True])
def test_different_values_stay_different_in_ubi(write, quiet_read, as_list):
    rows = [UBI % ((value,) * 3) for value in VALUES]
    text = f"[{', '.join(rows)}]" if as_list else "\n".join(rows)
    study = quiet_read(write("log.json", text), format="ubi")
    for ids in (study.results.collect()["doc_id"], study.queries.collect()["query_id"]):
        assert ids.n_unique() == len(VALUES)
        assert set(WHOLE) < set(ids)


def test_documents_of_judgments_are_those_of_the_log(write, quiet_read):
    log = write("log.ndjson", "\n".join(ROW % (f'"s{place}"', value) for place, value in enumerate(VALUES)))
    rated = ", ".join(f'{{"docId": {value}, "rating": "1.0"}}' for value in VALUES)
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
