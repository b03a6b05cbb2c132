"""A page of one session: what the person did, and what each query brought."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from sessionkit.display.labels import label
from sessionkit.display.tables import TextTable, table_of
from sessionkit.display.words import counted, listed
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.figures.figure import Figure, figures
from sessionkit.reports.material import Material
from sessionkit.scoring.explain import explain
from sessionkit.scoring.score import score

HEADINGS = {
    "query_position": "Query",
    "query_text": "Text",
    "results": "Results",
    "clicks": "Clicked",
    "judged": "Judged",
    "many": "Relevant",
}

TITLE = "Gain over the session"
NO_SPREAD = "One session has no spread, so its values have no interval and nothing is compared."


def account(of: Material) -> str:
    """What the person did in the session, in a sentence."""
    sessions = of.redaction.frame(of.study.sessions.collect(), of.study)
    row = sessions.row(0, named=True)
    user, topic = row.get("user_id"), row.get("topic_id")
    who = (
        "The person"
        if user is None
        else label(str(user))
        if "users" in of.redaction.kinds
        else f"User {label(str(user))}"
    )
    who = who[:1].upper() + who[1:]
    about = "" if topic is None else f" on topic {label(of.study.settings.labels.get(str(topic), str(topic)))}"
    system = "" if row.get("system_id") is None else f" with {label(str(row['system_id']))}"
    rows = _of_queries(of)
    saw = [counted(int(rows["results"].sum()), "result") + " shown"]
    if "clicks" in rows.columns:
        saw.append(f"{int(rows['clicks'].sum()):,} clicked")
    return f"{who} searched{about}{system}: {counted(of.study.facts.queries, 'query')}, {listed(saw)}."


def queries_table(of: Material) -> TextTable:
    """What each query brought: results, clicks, and of what is judged the value and the gain."""
    rows, measure = _of_queries(of), of.choices.measure
    headers, note = dict(HEADINGS), None
    if of.unjudged is None:
        try:
            added = explain(of.study, measure)
            value = score(of.study, of.choices.tested, per="query").select("query_position", "value")
        except (DataError, MeasureError, UsageError):
            added = value = pl.DataFrame()
        if len(added):
            of_query = added.group_by("query_position").agg(
                judged=pl.col("grade").is_not_null().sum().cast(pl.Int64),
                many=(pl.col("gain").fill_null(0) > 0).sum().cast(pl.Int64),
                contribution=pl.col("contribution").sum(),
            )
            rows = rows.join(value, on="query_position", how="left").join(of_query, on="query_position", how="left")
            rows = rows.sort("query_position").with_columns(
                pl.col("judged", "many").fill_null(0), pl.col("contribution").fill_null(0.0)
            )
            rows = rows.with_columns(cumulated=pl.col("contribution").cum_sum())
            headers |= {
                "value": str(of.choices.tested),
                "contribution": f"Adds to {measure}",
                "cumulated": f"{measure} so far",
            }
            within = "" if measure.cutoff is None else f" within rank {measure.cutoff}"
            note = f"Judged and relevant are results{within}; relevant are those with a gain."
    return table_of("What each query brought", rows, headers=headers, note=note, decimals=4)


def gain_over_session(of: Material) -> list[Figure]:
    """The curve of the session and what made its value, in words of one session."""
    caption = (
        f"{of.choices.ratio} of the session after every slot of its lists, one query after another: its gain so far, divided by that of "
        "its own ideal."
    )
    return [
        _titled(replace(one, title=TITLE, caption=caption))
        if one.kind == "session-curve" and one.chart is not None
        else one
        for one in figures(of.shown, of.choices, ("session-curve", "waterfall"))
    ]


def _titled(one: Figure) -> Figure:
    """The figure with its title in the drawing too."""
    assert one.chart is not None  # noqa: S101 - asked for by the caller
    chart = one.chart.copy()
    chart.title.text = one.title
    return replace(one, chart=chart)


def _of_queries(of: Material) -> pl.DataFrame:
    """The queries with their numbers of results and clicks; texts unless they are left out.

    Of a query whose list was not logged the number of results is not known, and it has no click.
    """
    text = "query_text" in of.study.columns("queries") and "queries" not in of.redaction.kinds
    queries = of.study.queries.select("query_position", "results_status", *(["query_text"] if text else [])).collect()
    counts = [pl.len().cast(pl.Int64).alias("results")]
    if "clicked" in of.study.columns("results"):
        counts.append(pl.col("clicked").fill_null(value=False).sum().cast(pl.Int64).alias("clicks"))
    results = of.study.results.group_by("query_position").agg(counts).collect()
    rows = queries.join(results, on="query_position", how="left").sort("query_position")
    has_list = pl.col("results_status").ne_missing("not_logged")
    rows = rows.with_columns(pl.when(has_list).then(pl.col("results").fill_null(0)))
    return rows.with_columns(pl.col(name).fill_null(0) for name in rows.columns if name == "clicks").drop(
        "results_status"
    )
