"""Pseudonyms of judgment keys, by their values: what was judged together stays together, in every table.

A key is made of what it equals in every row of sessions or queries: the topic, the session, the user, the text or id of the
query. It then takes that thing's pseudonyms, or stays where that thing is kept. A key made otherwise, or that no session or
query refers to, may hold anything and has a pseudonym of its own.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from sessionkit.choices import StudyTable
from sessionkit.privacy.options import LABELS, Column
from sessionkit.privacy.pseudonyms import Names, RandomOrder, drawn
from sessionkit.study.study import Study

KEY = "judgment_key"
MADE_OF: dict[StudyTable, tuple[str, ...]] = {
    "sessions": ("topic_id", "session_id", "user_id"),
    "queries": ("query_text", "query_id", "session_id"),
}
"""What keys can be made of, by the table that has both; the first that fits."""


def names_of_keys(
    study: Study, domains: Mapping[Column, str], names: Mapping[str, Names], chance: RandomOrder
) -> Names:
    """Return what stands in place of each judgment key; no two keys become one.

    Parameters
    ----------
    domains
        The columns that are replaced, each with whose pseudonyms it takes.
    names
        These pseudonyms.
    """
    made: list[pl.DataFrame] = []
    for name, candidates in MADE_OF.items():
        if KEY not in study.columns(name):
            continue
        of = made_of(study, name, candidates)
        keys = _distinct(study, name)
        if of is None:
            continue
        taken = domains.get((name, of))
        labels = keys if taken is None else names[taken].of(keys)
        made.append(pl.DataFrame({"value": keys, "label": labels.alias("label"), "kept": taken is None}))
    every = pl.concat([_distinct(study, name) for name in (*MADE_OF, "judgments") if KEY in study.columns(name)])
    empty = pl.DataFrame(schema={"value": pl.String, "label": pl.String, "kept": pl.Boolean})
    # a text that is a topic here and a session there is replaced
    known = (
        pl.concat([empty, *made]).sort("kept", maintain_order=True).unique("value", keep="first", maintain_order=True)
    )
    others = every.unique().to_frame("value").join(known, on="value", how="anti")["value"]
    own = drawn(others, LABELS[KEY], chance, KEY)
    both = Names(pl.concat([known["value"], own.values]), pl.concat([known["label"], own.labels]))
    if both.labels.is_duplicated().any():  # a kept topic is called like a pseudonym
        return drawn(both.values, LABELS[KEY], chance, KEY)
    return both


def made_of(study: Study, name: StudyTable, candidates: tuple[str, ...]) -> str | None:
    """The column of a table of which its judgment keys are made; None where they are not made of one."""
    there = [column for column in candidates if column in study.columns(name)]
    same = study.table(name).select(is_always(KEY, column).alias(column) for column in there).collect()
    return next((column for column in there if same.item(0, column)), None)


def _distinct(study: Study, name: StudyTable) -> pl.Series:
    """The distinct judgment keys of a table."""
    return study.table(name).select(pl.col(KEY).drop_nulls().unique()).collect().to_series().alias("value")


def is_always(column: str, other: str) -> pl.Expr:
    """Whether a column of texts is another in every row in which it is known."""
    return (pl.col(column).is_null() | pl.col(column).eq_missing(pl.col(other))).all()
