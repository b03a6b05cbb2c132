"""Schema files as values, and where they are found."""

from pathlib import Path

import polars as pl

from sessionkit.study import schema


def test_tables_stand_parents_first():
    for position, name in enumerate(schema.TABLES):
        for key in schema.document(name).get("foreignKeys", []):
            assert key["reference"]["resource"] in schema.TABLES[:position]


def test_fields_carry_types_and_limits():
    rank = schema.table("results").by_name["rank"]
    assert (rank.dtype, rank.required, rank.minimum) == (pl.Int32(), True, 1)
    assert schema.table("queries").by_name["results_status"].enum == (
        "shown",
        "empty",
        "partly_observed",
        "not_logged",
    )


def test_rules_are_found_by_kind_and_table():
    results = schema.table("results")
    assert results.rule("known", "queries").name == "query_is_known"
    assert results.rule("unique").name == "rank_is_unique_in_list"


def test_the_wheels_folder_is_preferred(tmp_path, monkeypatch):
    (tmp_path / "sessionkit" / "study").mkdir(parents=True)
    (tmp_path / "schemas").mkdir()
    monkeypatch.setattr(schema, "__file__", str(tmp_path / "sessionkit" / "study" / "schema.py"))
    schema._folder.cache_clear()
    assert schema._folder() == Path(tmp_path / "schemas"), "editable installs"
    (tmp_path / "sessionkit" / "schemas").mkdir()
    schema._folder.cache_clear()
    assert schema._folder() == Path(tmp_path / "sessionkit" / "schemas"), "wheels"
    monkeypatch.undo()
    schema._folder.cache_clear()
