"""The net sees what changes, a value, a warning, a chart, and nothing where nothing does; collected reads can be done again."""

import shutil
import warnings

import polars as pl
import pytest

import sessionkit as sk
from tests.support.net import answers, formats, reads
from tests.support.net.collection import Collection
from tests.support.net.folders import differences, write
from tests.support.net.outcomes import exact, outcome

TABLE = {"results": {"session_id": ["s", "s"], "query_position": [1, 1], "rank": [1, 2], "doc_id": ["a", "b"]}}
MEASURES = [("session", ("nsDCG@10",))]


@pytest.fixture
def recorded(tmp_path):
    """Record something in a folder; return the folder."""

    def recorded(name, record):
        work = tmp_path / f"work of {name}"
        work.mkdir()
        write(tmp_path / name / "part", record(work))
        shutil.rmtree(work)
        return tmp_path / name

    return recorded


def scores(work):
    return answers.scores(work, MEASURES, curves=False, spark=False)


@pytest.mark.slow
def test_a_changed_value_is_seen_of_one_store_too(recorded, monkeypatch):
    before, score = recorded("before", scores), sk.score

    def otherwise(*given, **named):
        found = score(*given, **named)
        return found.with_columns(pl.col("value") * (1 + 2**-52)) if "cache" in named else found

    monkeypatch.setattr(sk, "score", otherwise)
    assert [*differences(before, recorded("after", scores)).values()] == [["part/scores session.txt"]]


@pytest.mark.slow
def test_a_changed_warning_and_a_changed_error_are_seen(recorded, monkeypatch):
    def logs(work):
        return formats.outcomes(work, ("trec_run by score",), ("cut",), long=False)

    before, again, read = recorded("before", logs), recorded("again", logs), sk.read
    assert differences(before, again) == {}

    def warned(*given, **named):
        if "memory" in named:
            warnings.warn("something else", sk.DataWarning, stacklevel=2)
        elif "strict" in named:
            raise sk.DataError("another")
        return read(*given, **named)

    monkeypatch.setattr(sk, "read", warned)
    found = differences(before, recorded("after", logs))
    assert {len(names) for names in found.values()} == {1}
    assert any("+DataWarning: something else" in difference for difference in found)
    assert any("+DataError: another" in difference for difference in found)


@pytest.mark.slow
def test_a_changed_chart_is_seen(recorded):
    def plain(work):
        return answers.charts(work, ["waterfall"])

    def titled(work):
        return answers.charts(work, ["waterfall"], ["--title", "Another"])

    (difference,) = differences(recorded("before", plain), recorded("after", titled))
    assert '"Another"' in difference


def test_what_was_collected_is_read_again(tmp_path, recorded):
    log = tmp_path / "test_x0"
    log.mkdir()
    (log / "log.csv").write_text("session_id,query_position,rank,doc_id\ns,1,1,a\ns,1,zero,b\n")
    (log / "study.toml").write_text(f'[results]\npath = "{log}/log.csv"\n')
    collection = Collection(tmp_path / "reads", tmp_path / "tree")
    collection.temporary = tmp_path
    collection._keep("read", (log / "study.toml",), {"strict": False})
    collection._keep("read", (log / "study.toml",), {"strict": False})
    collection._keep("from_tables", (), {"results": pl.DataFrame(TABLE["results"])})
    collection._keep("read", (str(log / "nowhere.csv"),), {"memory": "50MB"})
    assert len((tmp_path / "reads" / "cases.jsonl").read_text().splitlines()) == 3
    shutil.rmtree(log)

    def again(work):
        return reads.outcomes(tmp_path / "reads", work)

    before = recorded("before", again)
    assert differences(before, recorded("again", again)) == {}
    texts = "".join(path.read_text() for path in (before / "part").iterdir())
    assert "'rejected': 1" in texts
    assert "2 rows" in texts
    assert "HOME/log/nowhere.csv" in texts
    assert str(tmp_path) not in texts


def test_outcomes_are_exact_and_without_places(tmp_path):
    assert [exact(value) for value in (0.1, 1.0, -0.0, 1, None, "1")] == [
        "0.1 0x1.999999999999ap-4",
        "1.0",
        "-0.0",
        "1",
        "None",
        "'1'",
    ]
    assert outcome((tmp_path / "x").read_text, tmp_path).startswith("FileNotFoundError: [Errno 2]")
    assert str(tmp_path) not in outcome((tmp_path / "x").read_text, tmp_path)
    frame = pl.DataFrame({"a": [0.1] * 5000})
    other = frame.with_columns(a=pl.when(pl.int_range(pl.len()) == 4321).then(0.1 + 2**-56).otherwise("a"))
    assert outcome(lambda: frame) != outcome(lambda: other)
