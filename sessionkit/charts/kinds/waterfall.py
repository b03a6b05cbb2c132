"""One session explained: what each document adds to its query, and each query to the value of the session."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from sessionkit.charts.encodings import checked, grade_text, stacked, tip, values
from sessionkit.charts.theme import ACCENT, FAINT, INK, PALE
from sessionkit.display.labels import inert, plain, printable_column
from sessionkit.errors import UsageError

COLUMNS = ("query_position", "rank", "doc_id", "grade", "contribution")
KINDS = {"Document": PALE, "Query": ACCENT, "Session": INK}
MOST_DOCUMENTS, MOST_QUERIES = 14, 8
"""Documents, and queries, that have a row each: those that add most. With a title of several lines 200 mm hold no more rows."""
ROW = 17
"""Height of a row."""
LAST = 2**40
"""Stands after every rank."""


def waterfall(
    explained: Any,  # noqa: ANN401  # anything tabular
    *,
    measure: str = "Value",
    synthetic: bool = False,
    title: str | None = None,
    subtitle: str | None = None,
    width: float | None = None,
    height: float | None = None,
) -> alt.LayerChart:
    """Draw how the value of a session builds up, from the top: the documents of each query, the query, the session.

    Documents that add nothing have no row. Of more than 8 queries, those that add least share one row before the session's. Of more
    than 14 documents of the others, those that add most have a row and the rest of each query share one.

    Parameters
    ----------
    explained
        A frame of `sessionkit.explain` of one session: query_position, rank, doc_id, grade, contribution.
    measure
        Text of the measure, for the axis.
    synthetic, title, subtitle
        As for `session_curve`.
    width, height
        Of the plot, or of each panel, in pixels.

    Raises
    ------
    UsageError
        A column is missing, there are no rows, or the measure has no value for this session.
    """
    frame = checked(explained, COLUMNS, "sessionkit.explain")
    places, amounts = pl.col("query_position", "rank").cast(pl.Int64), pl.col("grade", "contribution").cast(pl.Float64)
    frame = frame.with_columns(places, amounts).sort("query_position", "rank")
    if frame.get_column("contribution").null_count() == len(frame):
        raise UsageError(f"{measure} has no value for this session, since nothing is judged for it")
    queries = _queries(frame)
    shown = queries.top_k(MOST_QUERIES, by=[pl.col("added").abs(), -pl.col("query_position")])
    documents = _documents(frame.join(shown, on="query_position", how="semi"))
    rows = _placed(documents, shown, queries.join(shown, on="query_position", how="anti"))
    order = [inert(label) for label in rows.get_column("label")]
    added = alt.Axis(title=["Cumulated contribution", plain("measure", measure)])
    lines = alt.Axis(title=None, labelLimit=260, ticks=False, domain=False, labelOverlap=False)
    y = alt.Y(field="label", type="nominal", axis=lines, scale=alt.Scale(domain=order, paddingInner=0.25))
    only = [kind for kind in KINDS if kind in set(rows.get_column("kind"))]
    scale = alt.Scale(domain=only, range=[KINDS[kind] for kind in only])
    tips = [
        tip("label", "Row"),
        tip("grade", "Grade"),
        tip("added", "Adds", "+.4f"),
        tip("to", "Cumulated value", ".4f"),
    ]
    tips.append(tip("many", "Results", "d"))
    bars = (
        alt.Chart(values(rows), height=alt.Step(ROW))
        .mark_bar()
        .encode(
            y=y,
            x=alt.X(field="from", type="quantitative", axis=added),
            x2=alt.X2(field="to"),
            color=alt.Color(field="kind", type="nominal", scale=scale, legend=None),
            tooltip=tips,
        )
    )
    ends = alt.X(field="to", type="quantitative", axis=added)
    amount = alt.Text(field="added", type="quantitative", format="+.3f")
    words = alt.Chart(values(rows)).mark_text(align="left", dx=4, fontSize=10, color=INK)
    zero = alt.Chart().mark_rule(color=FAINT, strokeWidth=1).encode(x=alt.XDatum(0))
    return stacked(
        [bars, words.encode(y=y, x=ends, text=amount), zero], title, synthetic, subtitle, width=width, height=height
    )


def _documents(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each document that adds most, and one for the rest of each query."""
    adding = frame.filter(pl.col("contribution") != 0)
    top = adding.top_k(MOST_DOCUMENTS, by=[pl.col("contribution").abs(), -pl.col("query_position"), -pl.col("rank")])
    rest = adding.join(top, on=["query_position", "rank"], how="anti")
    is_single = pl.len().over("query_position") == 1  # takes a row in any case, and so has its name
    top, rest = pl.concat([top, rest.filter(is_single)]), rest.filter(~is_single)
    place = pl.concat_str(pl.lit("Q"), pl.col("query_position").cast(pl.String))
    one = top.select(
        "query_position",
        "rank",
        label=pl.concat_str(place, pl.lit(" rank "), pl.col("rank").cast(pl.String), pl.lit("  "), _short("doc_id")),
        grade=grade_text("grade"),
        added="contribution",
        many=pl.lit(1, pl.Int64),
    )
    number = pl.len().cast(pl.String)
    others = rest.group_by("query_position", maintain_order=True).agg(
        rank=pl.lit(LAST - 1),
        label=pl.concat_str(place.first(), pl.lit("  "), number, pl.lit(" results together")),
        added=pl.col("contribution").sum(),
        many=pl.len().cast(pl.Int64),
    )
    return pl.concat([one, others], how="diagonal").with_columns(kind=pl.lit("Document"))


def _queries(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each query."""
    each = frame.group_by("query_position", maintain_order=True).agg(
        added=pl.col("contribution").sum(), many=pl.len().cast(pl.Int64), rank=pl.lit(LAST)
    )
    label = pl.concat_str(pl.lit("Query "), pl.col("query_position").cast(pl.String))
    return each.with_columns(label=label, kind=pl.lit("Query"))


def _placed(documents: pl.DataFrame, queries: pl.DataFrame, left_out: pl.DataFrame) -> pl.DataFrame:
    """The rows in order, each from where the one before it ended; queries span their documents, the session all."""
    placed = pl.concat([documents, queries], how="diagonal").sort("query_position", "rank")
    is_document = pl.col("kind") == "Document"
    placed = placed.with_columns(to=pl.when(is_document).then("added").otherwise(0.0).cum_sum())
    placed = placed.with_columns((pl.col("to") - pl.col("added")).alias("from"))
    every = pl.concat([queries, left_out]).sort("query_position")
    reached, total = queries.sort("query_position").get_column("added").sum(), every.get_column("added").sum()
    ends: list[tuple[Any, ...]] = [("Session", "Session", total, 0.0, total, every.get_column("many").sum())]
    if len(left_out):
        label = "1 more query" if len(left_out) == 1 else f"{len(left_out):,} more queries"
        ends.insert(
            0, (label, "Query", left_out.get_column("added").sum(), reached, total, left_out.get_column("many").sum())
        )
    schema = {
        "label": pl.String,
        "kind": pl.String,
        "added": pl.Float64,
        "from": pl.Float64,
        "to": pl.Float64,
        "many": pl.Int64,
    }
    shown = pl.concat([placed, pl.DataFrame(ends, schema=schema, orient="row")], how="diagonal")
    return shown.select("label", "kind", "grade", "added", "from", "to", "many")


def _short(name: str) -> pl.Expr:
    """A document's name, the middle of a long one left out."""
    text = printable_column(name)
    cut = pl.concat_str(text.str.slice(0, 18), pl.lit("…"), text.str.slice(-12))
    return pl.when(text.str.len_chars() > 32).then(cut).otherwise(text)
