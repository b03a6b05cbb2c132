"""The result lists of User Behavior Insights: lists of hits, else impressions and clicked objects by their ordinals.

Ordinals count from 0 or from 1, by application. Two objects at one ordinal are in the order in which they came, the later
one rank down: clients that write 1 for an ordinal of 0 make such lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from sessionkit.contract import table
from sessionkit.display.words import counted
from sessionkit.readers.events.result_lists import AT, FROM, KEY, KIND, MANY, NOUN, PLACE, Found, found

ORDINAL, IS_CLICK, NTH, BASE = "__ordinal", "__is_click", "__nth", "__base"


@dataclass(frozen=True)
class Actions:
    """Which action_name means what.

    Parameters
    ----------
    impressions, clicks, conversions
        Names of actions; a conversion is counted in a column of its name.
    """

    impressions: Sequence[str]
    clicks: Sequence[str]
    conversions: Sequence[str]

    @property
    def columns(self) -> dict[str, str]:
        """For each action the column of results that counts it."""
        return {
            **{name: column_of(name) for name in self.conversions},
            **dict.fromkeys(self.impressions, "impressions"),
            **dict.fromkeys(self.clicks, "clicks"),
        }


def column_of(action: str) -> str:
    """Return the name of the column that counts an action.

    >>> column_of("add-to-cart"), column_of("saved")
    ('add_to_cart', 'saved_events')
    """
    name = re.sub(r"\W+", "_", action).strip("_").lower() or "conversions"
    taken = {*table("results").names, "impressions", "list_from"}
    return f"{name}_events" if name in taken else name


def marks_of(events: pl.LazyFrame, actions: Actions, dwell: float | None) -> pl.LazyFrame:
    """Return the events on results; `dwell` is the unit of dwell_time in seconds, None where it is not to be read."""
    column = pl.col("action_name").replace_strict(actions.columns, default=None, return_dtype=pl.String)
    spent = pl.col("dwell_time").cast(pl.Float64, strict=False) * (dwell or 1.0)
    return events.filter(column.is_not_null(), pl.col("object_id").is_not_null()).select(
        KEY,
        *PLACE,
        AT,
        "application",
        "query_id",
        (pl.col("action_name") + " events").alias(NOUN),
        column.alias(MANY),
        pl.col("ordinal").str.replace(r"\.0+$", "").cast(pl.Int64, strict=False).alias(ORDINAL),
        doc_id="object_id",
        clicked_at=AT,
        **({"dwell_seconds": pl.when(spent >= 0).then(spent)} if dwell else {}),
    )


def lists_of(hits: pl.LazyFrame, marks: pl.LazyFrame, bases: pl.DataFrame) -> tuple[pl.LazyFrame, Found]:
    """Return one row per result, and the lists with several objects at one ordinal.

    Parameters
    ----------
    hits
        Queries with lists of hits.
    bases
        As :func:`bases_of` returns them.
    """
    listed = hits.select(
        KEY,
        *PLACE,
        pl.lit("results of hit lists").alias(KIND),
        pl.lit("hit list").alias(FROM),
        doc_id="hits",
        rank=pl.int_ranges(1, pl.col("hits").list.len() + 1, dtype=pl.Int64),
    )
    seen = marks.filter(pl.col(MANY).is_in(["impressions", "clicks"]), pl.col(ORDINAL).is_not_null())
    seen = seen.join(hits, on=KEY, how="anti").with_columns(IS_CLICK_OF.alias(IS_CLICK))
    first = seen.sort(KEY, IS_CLICK, *PLACE).unique([KEY, "doc_id"], keep="first", maintain_order=True)
    app = pl.col("application").fill_null("")
    of = bases.select("application", pl.col(BASE).cast(pl.Int64)).lazy()
    ordered = first.with_columns(app).join(of, on="application").sort(KEY, ORDINAL, AT, *PLACE)
    said = pl.col(ORDINAL) - pl.col(BASE) + 1
    nth = pl.int_range(pl.len(), dtype=pl.Int64).over(KEY)
    ranked = ordered.with_columns(said.alias("said"), nth.alias(NTH))
    rank = pl.col(NTH) + (pl.col("said") - pl.col(NTH)).cum_max().over(KEY)
    ranked = ranked.with_columns(rank=rank).collect().lazy()
    rows = ranked.select(
        KEY,
        *PLACE,
        pl.col(NOUN).alias(KIND),
        pl.when(IS_CLICK).then(pl.lit("clicks")).otherwise(pl.lit("impressions")).alias(FROM),
        "doc_id",
        "rank",
    )
    tied = found(ranked.filter(pl.col("rank") != pl.col("said")), "query_id", distinct=True)
    return pl.concat([listed.explode("doc_id", "rank"), rows], how="diagonal_relaxed"), tied


IS_CLICK_OF = pl.col(MANY) == "clicks"
"""Whether a mark is a click."""


def bases_of(marks: pl.LazyFrame, base: int | None) -> pl.DataFrame:
    """Return for each application what its ordinals count from, and what says so.

    `base` is what they count from; None: 0 or 1 by the least ordinal of an impression (else of a click) of the application.
    """
    ordinals = marks.filter(pl.col(MANY).is_in(["impressions", "clicks"]), pl.col(ORDINAL).is_not_null())
    app = pl.col("application").fill_null("")
    least = ordinals.with_columns(app).group_by("application", "query_id", MANY).agg(pl.col(ORDINAL).min())
    each = least.group_by("application", MANY).agg(
        pl.col(ORDINAL).min().alias("least"),
        pl.col("query_id").sort_by(ORDINAL, "query_id").first().alias("first"),
        (pl.col(ORDINAL) == 0).sum().alias("zeros"),
        pl.len().alias("lists"),
    )
    best = each.sort("application", MANY, descending=[False, True]).unique(
        "application", keep="first", maintain_order=True
    )
    inferred = (pl.col("least") > 0).cast(pl.Int64) if base is None else pl.lit(base, dtype=pl.Int64)
    return best.with_columns(inferred.alias(BASE)).sort("application").collect()


def noted_bases(bases: pl.DataFrame, base: int | None) -> list[str]:
    """Return what is to be said of what ordinals count from."""
    if base is not None:
        return []
    return [
        f"application {row['application']!r}: ordinals count from {row[BASE]}, by the least of {row[MANY]} in "
        f"{counted(row['lists'], 'list')} ({row['zeros']:,} with a 0; least in query {row['first']!r}: {row['least']}); "
        "ordinal_base in a study.toml says otherwise"
        for row in bases.rows(named=True)
    ]


def noted_ties(tied: Found) -> list[str]:
    """Return what is to be said of lists with two objects at one ordinal."""
    many, first = tied
    if not many:
        return []
    return [
        f"{counted(many, 'list')} without hits with several objects at one ordinal (first: query {first!r}); they "
        "are ranked in their order in the log"
    ]


def docid_warnings(queries: pl.LazyFrame, hits: pl.LazyFrame, marks: pl.LazyFrame) -> list[str]:
    """Return warnings of applications whose hits seem to be numbers internal to the search engine."""
    app = pl.col("system_id").fill_null("").alias("application")
    apps = queries.select(KEY, app)
    is_small = pl.col("doc_id").str.contains(r"^\d{1,9}$")
    first = hits.select(KEY, doc_id=pl.col("hits").list.drop_nulls().list.first()).drop_nulls("doc_id")
    some = first.join(apps, on=KEY).group_by("application").agg(is_small.all()).filter("doc_id").select("application")
    if some.head(1).collect().is_empty():
        return []
    suspect = apps.join(some, on="application", how="semi")
    shown = hits.join(suspect, on=KEY).select("application", doc_id="hits").explode("doc_id").drop_nulls("doc_id")
    numbers = shown.group_by("application").agg(is_small.all().alias("small"), pl.col("doc_id").min().alias("example"))
    met = shown.join(marks, on="doc_id", how="semi").select("application").unique()
    touched = marks.select(KEY).join(apps, on=KEY)
    left = numbers.filter("small").join(touched, on="application", how="semi").join(met, on="application", how="anti")
    rows = left.sort("application").collect().rows(named=True)
    return [
        f"application {row['application']!r}: all hits are small whole numbers (such as {row['example']!r}) and no event "
        "names one of them; they look like the engine's own document numbers, written where object_id_field was not given"
        for row in rows
    ]
