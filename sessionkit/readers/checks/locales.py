"""Judgments of several locales under one key, as texts of queries of ESCI may have: what is said of them."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from sessionkit.display.words import counted
from sessionkit.readers.raw import Raw

LOCALES = ("product_locale", "query_locale", "locale")


def locale_warnings(raws: Iterable[Raw]) -> tuple[str, ...]:
    """Return warnings of keys with judgments of several locales, as texts of queries of ESCI may be."""
    said = []
    for raw in raws:
        there = raw.frame.collect_schema().names()
        for name in LOCALES:
            if name in there and {"judgment_key", "doc_id"} <= set(there):
                said += _of_locales(raw, name)
    return tuple(said)


def _of_locales(raw: Raw, name: str) -> list[str]:
    """Return the warning of keys with judgments of several locales, where there are such."""
    many = pl.col(name).drop_nulls().n_unique() > 1
    found = raw.frame.group_by("judgment_key").agg(many.alias("many")).filter("many").select("judgment_key").collect()
    if found.is_empty():
        return []
    return [
        f"{raw.source}: {counted(len(found), 'key')} with judgments of several values of {name} (first: "
        f"{found['judgment_key'].min()!r}), which count as those of one; several of one document are merged as merge says. "
        "Keep one of them in the file if the log is of one"
    ]
