"""sk.read: what kind of source is this?"""

import pytest

from sessionkit.errors import DataError, UsageError
from sessionkit.readers import FORMATS, read

LOG = "session_id,query_position,rank,doc_id,topic_id\na,1,1,x,t\n"


def test_every_format_says_what_it_is():
    for format_ in FORMATS.values():
        assert format_.description
        assert callable(format_.read)


def test_a_study_directory_is_opened(write, quiet_read, tmp_path):
    quiet_read(write("log.csv", LOG)).save(tmp_path / "out")
    assert read(tmp_path / "out").path == tmp_path / "out"


def test_a_log_described_by_a_study_toml_beside_or_elsewhere(write, quiet_read, tmp_path):
    log = write("log.txt", LOG.replace(",", ";").replace("session_id", "sid"))
    (tmp_path / "elsewhere").mkdir()
    toml = tmp_path / "elsewhere" / "study.toml"
    toml.write_text('max_grade = 2\n[results]\npath = "?"\nseparator = ";"\ncolumns = { session_id = "sid" }\n')
    study = quiet_read(log, config=toml)
    assert (study.facts.results, study.settings.max_grade, study.sources[0].path) == (1, 2.0, "log.txt")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"format": "tabels"}, UsageError, "no format 'tabels'; did you mean 'tables'"),
        ({"config": {"format": "tabels"}}, DataError, "format is 'tabels'; did you mean 'tables'"),
        ({"config": {"sessions": {"path": "nope.csv"}}}, DataError, "nope.csv: no such file"),
    ],
)
def test_refusals(write, options, error, words):
    with pytest.raises(error, match=words):
        read(write("log.csv", LOG), **options)


def test_sources_that_are_none(tmp_path, write):
    with pytest.raises(DataError, match="does not exist"):
        read(tmp_path / "log.csv")
    with pytest.raises(DataError, match="directory but not a study"):
        read(tmp_path)
    with pytest.raises(UsageError, match=r"is itself a study\.toml"):
        read(write("study.toml", ""), config={})
    with pytest.raises(DataError, match=r"neither \[results\] nor \[queries\]"):
        read(tmp_path / "study.toml")
    with pytest.raises(UsageError, match="opened as a study"):
        read(tmp_path, judgments="x")
    with pytest.raises(UsageError, match="or a dict of frames, not NoneType"):
        read(None)
