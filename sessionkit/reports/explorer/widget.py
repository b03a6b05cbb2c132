"""The session explorer as part of a page: its data in compact columns, and the places in which they are shown."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from sessionkit.charts.files import script, spec_of
from sessionkit.charts.session_panels import gain_layers
from sessionkit.charts.theme import INK
from sessionkit.display.labels import label, printable_column
from sessionkit.display.templates import rendered
from sessionkit.reports.choices import Redaction
from sessionkit.reports.parts import Widget
from sessionkit.robustness.session_table import SESSION_COUNTS, column_names, score
from sessionkit.scoring import exact
from sessionkit.scoring.batch import batches
from sessionkit.scoring.explain import explain
from sessionkit.scoring.filter import defined_sessions
from sessionkit.scoring.ideals import session_vectors
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.needs import columns_read
from sessionkit.sessions.timeline import most_contrasting
from sessionkit.statistics.bands import UNKNOWN
from sessionkit.study import Study
from sessionkit.study.identifiers import extras_of

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
        The sessions, see `sessionkit.reports.explorer.widget`.
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
    ``queries`` (``x``: the last slot of a query) and ``names`` (what stands at the ends of lines: ``name`` at ``x`` and ``y``, with
    ``align``, ``dx`` and ``dy``).
    """
    axis, scale = alt.Axis(grid=False, tickMinStep=1), alt.Scale(nice=False)
    x = alt.X(field="x", type="quantitative", title="Slot along the session's lists", axis=axis, scale=scale)
    y = alt.Y(field="gain", type="quantitative", title=title)
    (other,) = gain_layers(alt.NamedData("other"), x, y, ideal=False)
    other.mark.color, other.mark.strokeDash = INK, [7, 3]
    ends = alt.Chart(alt.NamedData("queries")).mark_rule(color="#c8c8c8", strokeDash=[2, 3]).encode(x)
    names = alt.Chart(alt.NamedData("names")).mark_text(
        align=alt.ExprRef("datum.align"), dx=alt.ExprRef("datum.dx"), dy=alt.ExprRef("datum.dy"), limit=ROOM_OF_NAMES
    )
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


QUERY = ["session_id", "query_position"]
RESULT = [*QUERY, "doc_id", "_again"]
TEXTS = ("title", "snippet")
"""What a log can have of results to be read: columns of these names."""
LEVELS = 100
"""Different texts that a column of the table may have; free text is not in the table."""
MOST_COLUMNS = 30
"""Columns of the log that the table has at most."""


@dataclass(frozen=True, eq=False)
class Columns:
    """What the explorer shows.

    Parameters
    ----------
    sessions
        ``session_id``, ``user_id``, ``system_id``, ``topic_id``, ``defined`` (whether it has a value), ``lead``
        (what the ideal adds in slots before any query).
    queries
        `QUERY`, ``query_text`` (null where not logged or left out), ``results_status``, ``many`` (results held),
        ``deeper`` and ``deeper_clicks`` (results beyond, and clicks on them), ``ideal`` (what the ideal adds in each
        slot of the query; null where it has none) and ``gap`` (the same of slots after it that are no query's).
    results
        `QUERY`, ``rank``, ``doc_id`` (null where left out), ``document`` (number of the document), ``clicked``,
        ``grade``, ``contribution`` (null where the result does not count) and ``counted`` (the rank that counts); those of
        `TEXTS` that the log has, unless they are left out.
    table
        ``session_id`` and what else the table of sessions shows, see `table_columns`.
    primary
        The measure of the table's scores.
    """

    sessions: pl.DataFrame
    queries: pl.DataFrame
    results: pl.DataFrame
    table: pl.DataFrame
    primary: str

    @property
    def texts(self) -> list[str]:
        """Those of `TEXTS` that results have here."""
        return [name for name in TEXTS if name in self.results.columns]

    def without(self, text: str) -> Columns:
        """The same without one of `TEXTS`."""
        return replace(self, results=self.results.drop(text))

    def only(self, chosen: pl.Series) -> Columns:
        """The same of some of the sessions: whether each is, in order."""
        sessions = self.sessions.filter(chosen)
        those = pl.col("session_id").is_in(sessions["session_id"].implode())
        results = self.results.filter(those)
        return Columns(
            sessions,
            self.queries.filter(those),
            results.with_columns(_numbered(results, "document")),
            self.table.filter(those),
            self.primary,
        )


def columns_of_sessions(
    study: Study,
    measure: GainMeasure,
    redaction: Redaction,
    whole: Study,
    *,
    primary: Measure | None = None,
    is_bounded: bool = True,
) -> Columns:
    """Lay some sessions out for the explorer.

    Parameters
    ----------
    study
        The study with the sessions alone that are held.
    measure
        A session measure with a cutoff, whose contributions and curves are shown.
    redaction
        What is left out; ids are numbered as in the `whole` study.
    primary
        The measure whose score the table of sessions shows with its bounds; by default `measure`.
    is_bounded
        Whether the table has bounds, for which the whole study is read.
    """
    left_out = {
        *(TEXTS if "documents" in redaction.kinds else ()),
        *(TEXTS[1:] if "queries" in redaction.kinds else ()),
    }
    texts = [name for name in TEXTS if name in study.columns("results") and name not in left_out]
    results, queries = results_shown(study, measure, texts), _queries(study)
    # where unjudged results are removed, results from below the cutoff come to count
    within = (pl.col("rank") <= measure.cutoff) | pl.col("counted").is_not_null()
    shown, beyond = results.filter(within), results.filter(~within).group_by(QUERY)
    queries = queries.join(shown.group_by(QUERY).agg(many=pl.len()), on=QUERY, how="left")
    clicks = pl.col("clicked").fill_null(value=False).sum()
    queries = queries.join(beyond.agg(deeper=pl.len(), deeper_clicks=clicks), on=QUERY, how="left")
    runs, defined = _curves(study, measure)
    own, gaps = runs.filter("own").drop("own"), runs.filter(~pl.col("own")).drop("own").rename({"ideal": "gap"})
    queries = queries.join(own, on=QUERY, how="left").join(gaps, on=QUERY, how="left").sort(QUERY)
    counts = ["many", "deeper", "deeper_clicks"]
    sessions = study.sessions.select("session_id", "user_id", "system_id", "topic_id").sort("session_id").collect()
    lead = gaps.filter(pl.col("query_position") == 0).select("session_id", lead="gap")
    sessions = sessions.join(lead, on="session_id", how="left", maintain_order="left")
    sessions = sessions.join(defined, on="session_id", how="left", maintain_order="left")
    if "documents" in redaction.kinds:
        shown = shown.with_columns(doc_id=pl.lit(None, pl.String))
    if "queries" in redaction.kinds:
        queries = queries.with_columns(query_text=pl.lit(None, pl.String))
    table = table_columns(whole, study, primary or measure, has_extras=not redaction.kinds, is_bounded=is_bounded)
    return Columns(
        redaction.frame(sessions, whole),
        redaction.frame(queries.with_columns(pl.col(counts).fill_null(0)), whole),
        redaction.frame(shown, whole),
        redaction.frame(table, whole),
        str(primary or measure),
    )


def table_columns(whole: Study, held: Study, measure: Measure, *, has_extras: bool, is_bounded: bool) -> pl.DataFrame:
    """Return what the table of sessions shows beside their names, a row for each session in the order of their ids.

    Parameters
    ----------
    whole
        The study.
    held
        The study with the sessions alone that are shown.
    measure
        The measure of the scores and of their bounds under missing judgments.
    has_extras
        Whether ratings and covariates, the further columns of sessions and users, may be shown.
    is_bounded
        Whether there are bounds. Which documents of a topic are not judged is known only of the whole study, which is read for them.

    Returns
    -------
    polars.DataFrame
        ``session_id``, then columns of ``sessionkit.score(wide=True)``: those of the measure if there are judgments; counts
        that the log tells; numbers and texts of few values among the further columns.
    """
    extras = [name for table in ("sessions", "users") for name in extras_of(whole)[table]]
    names = column_names(measure)
    study = whole if is_bounded else held
    if {*names} & {*study.columns("sessions"), *study.columns("users")}:  # which score refuses
        tables = {name: study.table(name).drop(names, strict=False) for name in ("sessions", "users")}
        study = study.with_tables(**tables)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = score(study, measure, per="session", wide=True)
    table = table.join(held.sessions.select("session_id").collect(), on="session_id", how="semi", maintain_order="left")
    shown = [*names, *SESSION_COUNTS[1:]]
    shown += [name for name in table.columns if has_extras and name in extras and _is_short(table[name])][:MOST_COLUMNS]
    is_told = table.select(pl.all().is_not_null().any()).row(0, named=True)
    unknown = () if is_bounded else names[1:3]
    return table.select("session_id", *(name for name in dict.fromkeys(shown) if is_told[name] and name not in unknown))


def _is_short(values: pl.Series) -> bool:
    """Whether values are numbers, yes or no, or texts of which there are few."""
    if values.dtype == pl.String:
        return values.n_unique() <= LEVELS
    return values.dtype.is_numeric() or values.dtype == pl.Boolean


def results_shown(study: Study, measure: Measure, texts: Sequence[str] = ()) -> pl.DataFrame:
    """Every result of the lists with what it adds, in the order shown, and these of its texts."""
    known = study.columns("results")
    read = study.results.select(
        *QUERY,
        "rank",
        "doc_id",
        "clicked" if "clicked" in known else pl.lit(None).alias("clicked"),
        *(pl.col(name).cast(pl.String).replace("", None) for name in texts),
    )
    nth = pl.int_range(pl.len()).over(*QUERY, "doc_id") if study.facts.repeats_in_lists else pl.lit(0, pl.Int64)
    again = nth.alias("_again")
    rows = read.collect().sort(*QUERY, "rank").with_columns(again)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        explained = explain(study, measure).rename({"rank": "counted"}).sort(*QUERY, "counted")
    added = explained.with_columns(again).select(*RESULT, "grade", "contribution", "counted")
    rows = rows.join(added, on=RESULT, how="left", maintain_order="left").drop("_again")
    return rows.with_columns(_numbered(rows, "doc_id"))


def _numbered(rows: pl.DataFrame, by: str) -> pl.Series:
    """The number of every result's document, in the order in which documents are first shown."""
    documents = rows.select(pl.col(by).alias("shown"))
    known = documents.unique(maintain_order=True).with_row_index("document")
    return documents.join(known, on="shown", how="left", maintain_order="left")["document"]


def _queries(study: Study) -> pl.DataFrame:
    """The queries with their texts, if the log has any."""
    text = pl.col("query_text") if "query_text" in study.columns("queries") else pl.lit(None, pl.String)
    return study.queries.select(*QUERY, "results_status", query_text=text.cast(pl.String)).collect()


def _curves(study: Study, measure: GainMeasure) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What the ideal adds in each slot of a query: `QUERY`, ``own``, ``ideal`` (a list); and which sessions are ``defined``.

    Slots of no query of the session (``own`` is false) stand with the query before them, those before any with query 0.
    """
    known = []
    empty = pl.DataFrame(
        schema={"session_id": pl.String, "query_position": pl.Int32, "own": pl.Boolean, "ideal": pl.List(pl.Float64)}
    )
    found = [empty]
    for batch in batches(study, columns_read(study, [measure])):
        vectors = session_vectors(batch, measure)
        before = pl.col("ideal").shift(1).over("session").fill_null(0)
        position = pl.col("query_position").forward_fill().over("session").fill_null(0)
        known.append(batch.sessions.select("session_id", defined=defined_sessions(batch, measure)))
        slots = vectors.select(
            session_id=batch.sessions["session_id"].gather(vectors["session"]),
            query_position=position,
            own=pl.col("query_position").is_not_null(),
            ideal=exact.unfixed(pl.col("ideal") - before),
        )
        found.append(slots.group_by(*QUERY, "own", maintain_order=True).agg("ideal"))
    return pl.concat(found), pl.concat(known)
