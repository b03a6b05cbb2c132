"""study.toml: what is refused, and how it is said."""

import pytest

from sessionkit.errors import DataError
from sessionkit.readers.config import as_config, read_config


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[results\n", "is not TOML"),
        ("max_grades = 2\n", "unknown key 'max_grades'; did you mean 'max_grade'"),
        ('[results]\npath = "x"\nseperator = ","\n', r"\[results\]: unknown key 'seperator'; did you mean 'separator'"),
        ('[sessions]\npath = "x"\nempty_list = "none"\n', "unknown key 'empty_list'"),
        ("[results]\nquote = false\n", r"\[results\]: 'path' is missing"),
        ('max_grade = "two"\n', "max_grade = 'two': not of type 'number'"),
        ("max_grade = -1\n", "max_grade = -1"),
        ('merge = "mean"\n', "merge = 'mean': not one of"),
        ("unjudged_grades = [1]\n", "unjudged_grades"),
        ('[results]\npath = "x"\ncolumns = { rank = 0 }\n', "results.columns.rank = 0"),
        ('[results]\npath = "x"\nquote = 3\n', "results.quote = 3"),
        ('timezone = "Mars"\n', "no time zone"),
        ('[results]\npath = "x"\ntimezone = "Mars"\n', "no time zone"),
        ("[defaults]\nsystem_id = [1]\n", "defaults.system_id"),
    ],
)
def test_refusals_name_the_place(tmp_path, toml, words):
    path = tmp_path / "study.toml"
    path.write_text(toml)
    with pytest.raises(DataError, match=words) as caught:
        read_config(path)
    assert str(caught.value).count("\n") <= 1


def test_a_missing_one(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_config(tmp_path / "study.toml")


def test_values(tmp_path):
    config = as_config(
        {"max_grade": 2, "results": {"path": "r.csv"}, "defaults": {"system_id": "bm25"}}, "study.toml", tmp_path
    )
    assert (config.format, config.settings.max_grade, config.defaults) == ("tables", 2.0, {"system_id": "bm25"})
    assert config.tables == {"results": {"path": "r.csv"}}
