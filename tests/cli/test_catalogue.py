"""measures, formats, schema."""

import json

import pytest

from sessionkit.readers import FORMATS, JUDGMENTS
from sessionkit.scoring.measures.custom import SessionColumn
from sessionkit.scoring.measures.registry import MEASURES
from sessionkit.study.schema import TABLES, document, table


def test_every_measure_is_listed_with_level_and_formula(call):
    listed = {row[0]: row[1:] for row in (line.split("\t") for line in call("measures").lines[1:])}
    assert listed.pop("column") == ["session", SessionColumn.formula]
    assert listed == {name: [one.level, one.formula] for name, one in MEASURES.items()}
    assert "such as a rating of satisfaction" in call("measures", "column").out


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_in_full(call, name):
    page = call("measures", name)
    assert page.status == 0
    for part in (MEASURES[name].formula, MEASURES[name].source, *MEASURES[name].parameters()):
        assert part in page.out


def test_the_parameters_as_data(call):
    rows = [json.loads(line) for line in call("measures", "nsDCG", "--format", "jsonl").lines]
    assert {row["parameter"]: row["default"] for row in rows}["bq"] == "4"
    assert set(rows[0]) == {"parameter", "default", "allowed", "meaning"}


def test_formats(call):
    listed = [tuple(line.split("\t")[:2]) for line in call("formats").lines[1:]]
    assert listed == [*((name, "log") for name in FORMATS), *((name, "judgments") for name in JUDGMENTS)]
    for name, entry in FORMATS.items():
        page = call("formats", name).out
        assert name in page
        assert entry.tried in page
        for key, option in entry.options.items():
            assert key in page
            assert option.meaning in page


def test_formats_of_judgments(call, refused):
    listed = [line.split("\t") for line in call("formats", "--reads", "judgments").lines[1:]]
    assert listed == [[name, "judgments", entry.description] for name, entry in JUDGMENTS.items()]
    for name, entry in JUDGMENTS.items():
        assert entry.tried in call("formats", name, "--reads", "judgments").out
    refused(2, "formats", "qrel", "--reads", "judgments", names=["no format of judgments 'qrel'; did you mean 'qrels'"])
    refused(2, "formats", "simiir", "--reads", "judgments", names=["no format of judgments 'simiir'"])


def test_a_format_of_both_is_told_of_as_both(call):
    both = call("formats", "quepid").out
    assert [both.index(f"quepid ({kind})") for kind in ("log", "judgments")] == sorted(
        both.index(f"quepid ({kind})") for kind in ("log", "judgments")
    )
    assert "quepid (log)" not in call("formats", "quepid", "--reads", "judgments").out
    assert call("formats", "qrels").out == call("formats", "qrels", "--reads", "judgments").out


@pytest.mark.parametrize("name", [*TABLES, "rejected", "study"])
def test_schema_of_a_table_is_the_file(call, name):
    assert json.loads(call("schema", name).out) == document("study.schema" if name == "study" else name)


def test_schema_lists_every_column(call):
    listed = [tuple(line.split("\t")[:2]) for line in call("schema").lines[1:]]
    assert listed == [(name, column) for name in (*TABLES, "rejected") for column in table(name).names]


def test_names_that_do_not_exist(refused):
    refused(2, "measures", "ndcg", names=["did you mean 'nDCG'"])
    refused(2, "formats", "tabels", names=["did you mean 'tables'"])
    refused(2, "schema", "result", names=["did you mean 'results'"])
