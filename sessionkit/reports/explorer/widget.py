"""The explorer as part of a page: data in columns with what repeats numbered, and the places in which they are shown."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import polars as pl

from sessionkit.analysis.groups import UNKNOWN
from sessionkit.analysis.session_contrast import most_contrasting
from sessionkit.charts.files import spec_of
from sessionkit.charts.scripts import script
from sessionkit.charts.session_panels import gain_layers
from sessionkit.charts.theme import INK
from sessionkit.display.labels import label, printable_column
from sessionkit.display.templates import rendered
from sessionkit.reports.explorer.columns import TEXTS, Columns
from sessionkit.reports.parts import Widget
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import GainMeasure

NAME = "explorer"
LONGEST = 300
"""Characters of a text that are shown."""
TITLES = {
    "lower": "Lower bound",
    "upper": "Upper bound",
    "judged": "Judged",
    "results": "Results",
    "clicks": "Clicks",
    "duration_seconds": "Seconds",
}
"""What columns of the table of sessions are called, of a measure without its name."""
WIDTH, HEIGHT, ROOM_OF_NAMES = 640, 240, 150
"""Of the chart of a session, and of the names beside it, in pixels."""
STATUSES = ("shown", "empty", "partly_observed", "not_logged")


def widget(columns: Columns, measure: GainMeasure, *, synthetic: bool = False, drawn: bool = False) -> Widget:
    """Return the explorer of some sessions.

    Parameters
    ----------
    columns
        The sessions, see `sessionkit.reports.explorer.columns`.
    measure
        The measure that contributions and curves are of.
    synthetic
        Whether the drawing says that the data are made up.
    drawn
        Whether the sessions were drawn from more.
    """
    scripts = (script("reports/drawing.js"), script("reports/explorer/explorer.js"))
    return Widget(
        NAME + "-widget",
        rendered("reports/explorer/places.html"),
        data_of(columns, measure, synthetic=synthetic, drawn=drawn),
        scripts,
    )


def data_of(columns: Columns, measure: GainMeasure, *, synthetic: bool = False, drawn: bool = False) -> dict[str, Any]:
    """Return the sessions as a JSON value of columns."""
    sessions, queries, results = columns.sessions, columns.queries, columns.results
    adding = pl.concat(
        [pl.concat([queries["ideal"], queries["gap"], sessions["lead"]]).explode(), results["contribution"]]
    )
    values = adding.drop_nulls().unique().sort()
    ideals, runs = _runs([queries["ideal"], queries["gap"], sessions["lead"]], values)
    grades = results["grade"].drop_nulls().unique().sort()
    closed = results["counted"].is_not_null() & (results["counted"] != results["rank"])
    place = pl.int_range(1, pl.len() + 1).over("session_id", "query_position")
    straight = bool(results.select((pl.col("rank") == place).all()).item())
    order = sessions.select("session_id").with_row_index("nth")
    count = order.join(
        queries.group_by("session_id").agg(n=pl.len()), on="session_id", how="left", maintain_order="left"
    )
    return {
        "measure": str(measure),
        "primary": columns.primary,
        "cutoff": measure.cutoff,
        "table": [  # the explorer adds up the score of its own measure
            _tabled(column, columns.primary) for column in columns.table.drop("session_id", str(measure), strict=False)
        ],
        "pair": _pair(columns, measure, drawn=drawn),
        "chart": gain_spec(f"{measure} so far{' (synthetic data)' if synthetic else ''}"),
        "values": values.to_list(),
        "ideals": ideals,
        "grades": grades.to_list(),
        "sessions": {
            "id": _shown(sessions["session_id"]).to_list(),
            **{name: _coded(sessions[f"{name}_id"]) for name in ("user", "system", "topic")},
            "queries": count["n"].fill_null(0).to_list(),
            "defined": _flags(sessions["defined"]),
            "lead": _unless_empty(runs[2]),
        },
        "queries": {
            "position": queries["query_position"].to_list(),
            "text": _coded(queries["query_text"]),
            "status": "".join(str(STATUSES.index(status)) for status in queries["results_status"]),
            **{name: queries[name].to_list() for name in ("many", "deeper", "deeper_clicks")},
            "ideal": runs[0],
            "gap": _unless_empty(runs[1]),
        },
        "results": {
            "document": results["document"].to_list(),
            "rank": None if straight else results["rank"].to_list(),
            "counted": results["counted"].to_list() if closed.any() else None,
            "clicked": None if results["clicked"].null_count() == len(results) else _flags(results["clicked"]),
            "grade": _found(results["grade"], grades),
            "value": _found(results["contribution"], values),
            **{name: _coded(results[name]) if name in columns.texts else None for name in TEXTS},
        },
        "documents": None if results["doc_id"].null_count() else _documents(results),
    }


def gain_spec(title: str) -> dict[str, Any]:
    """Return the chart of the gain of a session before its ideal, or before the gain of another session, without data.

    The explorer fills in the data sets ``gain`` and ``other`` (see `sessionkit.charts.session_panels.gain_layers`),
    ``queries`` (``x``: the last slot of a query) and ``names`` (``x``, ``y`` and ``name``: what stands at the ends of lines).
    """
    axis, scale = alt.Axis(grid=False, tickMinStep=1), alt.Scale(nice=False)
    x = alt.X(field="x", type="quantitative", title="Slot along the session's lists", axis=axis, scale=scale)
    y = alt.Y(field="gain", type="quantitative", title=title)
    (other,) = gain_layers(alt.NamedData("other"), x, y, ideal=False)
    other.mark.color, other.mark.strokeDash = INK, [7, 3]
    ends = alt.Chart(alt.NamedData("queries")).mark_rule(color="#c8c8c8", strokeDash=[2, 3]).encode(x)
    names = alt.Chart(alt.NamedData("names")).mark_text(align="left", dx=6, limit=ROOM_OF_NAMES)
    names = names.encode(y=alt.Y(field="y", type="quantitative"), text=alt.Text(field="name", type="nominal"), x=x)
    chart = alt.layer(ends, *gain_layers(alt.NamedData("gain"), x, y), other, names, width=WIDTH, height=HEIGHT)
    return spec_of(chart, check=False)


def _tabled(column: pl.Series, primary: str) -> dict[str, Any]:
    """A column of the table of sessions: numbers as they are shown, or texts, each once."""
    name = label(column.name, LONGEST)
    title = TITLES.get(name.removeprefix(f"{primary} "), name)
    if column.dtype.is_numeric():
        return {"name": name, "title": title, "values": column.cast(pl.Float64).round_sig_figs(6).to_list()}
    return {"name": name, "title": title, **_coded(column.cast(pl.String))}


def _pair(columns: Columns, measure: GainMeasure, *, drawn: bool) -> dict[str, Any] | None:
    """The two sessions that it opens on, by their places, and how they were chosen; None where no topic has two with a value."""
    total = exact.unfixed(exact.fixed(pl.col("contribution")).sum())
    values = columns.results.group_by("session_id").agg(value=total, judged=pl.col("grade").is_not_null().mean())
    known = columns.sessions.with_row_index("session").join(values, on="session_id", how="left", maintain_order="left")
    found = most_contrasting(
        known.select(
            "session",
            "topic_id",
            "judged",
            group=pl.col("system_id").fill_null(UNKNOWN),
            value=pl.when("defined").then(pl.col("value").fill_null(0)),
        )
    )
    if found is None:
        return None
    told = f"{found.told(str(measure), drawn=drawn)} {found.judged_told}".rstrip()
    return {"sessions": list(found.sessions), "told": told}


def _runs(columns: list[pl.Series], values: pl.Series) -> tuple[list[list[int]], list[list[int]]]:
    """Lists of numbers, each kept once as numbers of `values`; and for each column which list stands where, -1 for none."""
    texts = [_texts(column, values) for column in columns]
    distinct = pl.concat(texts).drop_nulls().unique().sort()
    codes = [[-1 if code is None else code for code in _numbers(text, distinct)] for text in texts]
    return [[int(number) for number in text.split(",")] for text in distinct], codes


def _texts(column: pl.Series, values: pl.Series) -> pl.Series:
    """Lists of numbers as text."""
    rows = column.alias("one").to_frame().with_row_index("row").drop_nulls("one").explode("one")
    codes = pl.Series("code", np.searchsorted(values.to_numpy(), rows["one"].to_numpy()), dtype=pl.Int64)
    texts = rows.select("row", codes.cast(pl.String)).group_by("row").agg(pl.col("code").str.join(","))
    every = pl.DataFrame({"row": range(len(column))}, schema={"row": pl.UInt32})
    return every.join(texts, on="row", how="left", maintain_order="left")["code"]


def _numbers(texts: pl.Series, known: pl.Series) -> list[int | None]:
    """The place of each text among those known."""
    frame = known.alias("text").to_frame().with_row_index("code")
    return texts.alias("text").to_frame().join(frame, on="text", how="left", maintain_order="left")["code"].to_list()


def _found(column: pl.Series, known: pl.Series) -> list[int]:
    """The place of each number among those known, -1 for null."""
    places = np.searchsorted(known.to_numpy(), column.fill_null(0.0).to_numpy())
    return np.where(column.is_null().to_numpy(), -1, places).tolist()


def _flags(column: pl.Series) -> str:
    """A character for each of true, false and null."""
    return "".join("-" if flag is None else "1" if flag else "0" for flag in column.to_list())


def _coded(column: pl.Series) -> dict[str, list[Any]]:
    """Texts, each once, and which stands where; -1 for null."""
    names = column.drop_nulls().unique().sort()
    codes = [-1 if code is None else code for code in _numbers(column, names)]
    return {"names": _shown(names).to_list(), "codes": codes}


def _documents(results: pl.DataFrame) -> list[str]:
    """The documents by their numbers."""
    known = results.select("document", "doc_id").unique().sort("document")
    every = pl.DataFrame({"document": range(int(known["document"].max() or 0) + 1)}, schema={"document": pl.UInt32})  # type: ignore[arg-type]
    return _shown(every.join(known, on="document", how="left", maintain_order="left")["doc_id"].fill_null("")).to_list()


def _shown(column: pl.Series) -> pl.Series:
    """Texts as the page shows them, see `sessionkit.display.labels.label`; most are short."""
    texts = column.alias("text").to_frame().select("text", shown=printable_column("text"))
    long = pl.col("shown").str.len_chars() > LONGEST
    cut = pl.col("text").map_elements(lambda text: label(text, LONGEST), return_dtype=pl.String)
    return texts.select(pl.when(long).then(pl.when(long).then(cut)).otherwise("shown")).to_series()


def _unless_empty(codes: list[int]) -> list[int] | None:
    """The codes, unless all are of nothing."""
    return codes if any(code >= 0 for code in codes) else None
