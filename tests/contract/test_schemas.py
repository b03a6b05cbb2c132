"""Schema files as values, and where they are found."""

from pathlib import Path

import polars as pl

from sessionkit.contract import schemas


def test_tables_stand_parents_first():
    for position, name in enumerate(schemas.TABLES):
        for key in schemas.document(name).get("foreignKeys", []):
            assert key["reference"]["resource"] in schemas.TABLES[:position]


def test_fields_carry_types_and_limits():
    rank = schemas.table("results").by_name["rank"]
    assert (rank.dtype, rank.required, rank.minimum) == (pl.Int32(), True, 1)
    assert schemas.table("queries").by_name["results_status"].enum == (
        "shown",
        "empty",
        "partly_observed",
        "not_logged",
    )


def test_rules_are_found_by_kind_and_table():
    results = schemas.table("results")
    assert results.rule("known", "queries").name == "query_is_known"
    assert results.rule("unique").name == "rank_is_unique_in_list"


def test_the_wheels_folder_is_preferred(tmp_path, monkeypatch):
    (tmp_path / "sessionkit" / "contract").mkdir(parents=True)
    (tmp_path / "schemas").mkdir()
    monkeypatch.setattr(schemas, "__file__", str(tmp_path / "sessionkit" / "contract" / "schemas.py"))
    schemas._folder.cache_clear()
    assert schemas._folder() == Path(tmp_path / "schemas"), "editable installs"
    (tmp_path / "sessionkit" / "schemas").mkdir()
    schemas._folder.cache_clear()
    assert schemas._folder() == Path(tmp_path / "sessionkit" / "schemas"), "wheels"
    monkeypatch.undo()
    schemas._folder.cache_clear()
