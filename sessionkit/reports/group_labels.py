"""What a report calls groups: the labels that study.toml gives their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sessionkit.study import Study

IDS = ("session_id", "user_id", "topic_id", "judgment_key")
"""Columns by which tables are joined; their values keep their names, and topics have labels where they are shown."""


def labeled(study: Study, columns: Sequence[str]) -> Study:
    """Return the study with labels in place of the names that these columns of sessions and users hold.

    The sessions that a condition left out are labeled alike: a user's previous session may be among them.

    Parameters
    ----------
    study
        The study, with its labels in its settings.
    columns
        Columns that make groups; ids are left as they are.
    """
    labels = study.settings.labels
    tables = {}
    for name in ("sessions", "users"):
        named = [column for column in columns if column in study.columns(name) and column not in IDS]
        if labels and named:
            tables[name] = study.table(name).with_columns(pl.col(named).cast(pl.String).replace(labels))
    if not tables:
        return study
    unrestricted = None if study.unrestricted is None else labeled(study.unrestricted, columns)
    return replace(study.with_tables(**tables), unrestricted=unrestricted)
