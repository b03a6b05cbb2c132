"""study.toml: what is refused, and how it is said."""

from datetime import UTC, datetime

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.config import as_config
from sessionkit.readers.read import read


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[results\n", "is not TOML"),
        (f"max_grade = {'9' * 5000}\n", "TOML: Exceeds the limit"),
        (f"max_grade = {'[' * 20000}{']' * 20000}\n", "nested too deeply"),
        ("max_grades = 2\n", "key 'max_grades'; .*'max_grade'"),
        ('[results]\npath = "x"\nseperator = ","\n', r"\[results\]: .*'seperator'; .*'separator'"),
        ('[sessions]\npath = "x"\nempty_list = "none"\n', "unknown key 'empty_list'"),
        ("[results]\nquote = false\n", r"\[results\]: 'path' is missing"),
        ('max_grade = "two"\n', "max_grade = 'two': .*'number'"),
        ("max_grade = -1\n", "max_grade = -1"),
        ('merge = "average"\n', "merge = 'average': not one of"),
        ("unjudged_grades = [1]\n", "unjudged_grades"),
        ('[results]\npath = "x"\ncolumns = { rank = 0 }\n', "results.columns.rank = 0"),
        ('[results]\npath = "x"\nquote = 3\n', "results.quote = 3"),
        ('timezone = "Mars"\n', "toml: timezone is 'Mars', .*zone"),
        ('[results]\npath = "x"\ntimezone = "Mars"\n', "toml: timezone is 'Mars', .*zone"),
        (
            '[results]\npath = "x"\ncolumns = { rank = true }\n',
            "rank = true: .*name .*number",
        ),
        ('[results]\npath = "x"\nquote = "xx"\n', "quote = 'xx': too long"),
        (
            '[defaults]\nstarted_at = "yesterday"\n',
            "defaults.started_at = 'yesterday': .*_datetime",
        ),
        ("[defaults]\nsession_order = 0\n", "defaults.session_order = 0: .*_least_1"),
        ('[defaults]\nsession_id = "a"\n', "defaults.session_id: every"),
        ("[defaults]\n__x = 1\n", "defaults.__x: .*reserved"),
        ("[defaults]\nsystem_id = [1]\n", "defaults.system_id"),
    ],
)
def test_refusals_name_the_place(tmp_path, toml, words):
    path = tmp_path / "study.toml"
    path.write_text(toml)
    with pytest.raises(DataError, match=words) as caught:
        read(path)
    assert str(caught.value).count("\n") <= 1


def test_a_missing_one(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read(tmp_path / "study.toml")


def test_values(tmp_path):
    config = as_config(
        {"max_grade": 2, "results": {"path": "r.csv"}, "defaults": {"system_id": "bm25"}}, "study.toml", tmp_path
    )
    assert (config.format, config.settings.max_grade, config.defaults) == ("tables", 2.0, {"system_id": "bm25"})
    given = {"topic_id": 7, "started_at": "2026-03-02 13:00", "wave": 2, "remark": True}
    typed = as_config({"timezone": "Europe/Vienna", "defaults": given}, "study.toml", tmp_path).defaults
    noon = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)  # Vienna is an hour ahead in winter
    assert typed == {"topic_id": "7", "started_at": noon, "wave": 2, "remark": True}
    assert config.tables == {"results": {"path": "r.csv"}}
