"""Figures of one session: what made its value, and what happened when."""

from __future__ import annotations

import polars as pl

from sessionkit import charts
from sessionkit.analysis.groups import EVERYONE, UNKNOWN, grouped_sessions
from sessionkit.charts.session_timeline import MOST
from sessionkit.errors import DataError, UsageError
from sessionkit.report.apart.drawn import Drawn
from sessionkit.report.choices import Choices
from sessionkit.report.phrases import many
from sessionkit.scoring.explain import explain, one_session
from sessionkit.study import Study

CLICKED = ("query_position", "rank", "doc_id")


def waterfall(study: Study, choices: Choices) -> Drawn:
    """What each document and query adds to the value of a session."""
    measure = choices.exact or choices.measure
    if measure.level != "session":
        better = f"mean({measure})" if measure.level == "query" else "sDCG@10"
        raise UsageError(f"waterfall explains the value of a session, which {measure} has not; ask for {better}")
    session = _session(study, choices)
    frame = explain(study, measure, session)
    if frame.is_empty():
        raise UsageError(f"session {session!r} has no results to explain; choose another: --session ID")
    if "documents" in choices.redaction.kinds:
        number = pl.col("doc_id").rank("dense").cast(pl.String)
        frame = frame.with_columns(doc_id=pl.concat_str(pl.lit("document "), number))
    title = "What made the value of a session"
    chart = charts.waterfall(
        frame,
        measure=str(measure),
        synthetic=choices.synthetic,
        title=title,
        subtitle=_about(study, choices, session),
    )
    adding = frame.filter(pl.col("contribution") != 0).height
    caption = (
        f"{measure} of {_about(study, choices, session)}, from the top: each document adds to its query, the queries add to "
        f"{frame.get_column('contribution').sum():.4f}. {adding} of {many(frame.height, 'result')} that count add anything."
    )
    return Drawn(title, chart, caption)


def session_timeline(study: Study, choices: Choices) -> Drawn:
    """Queries, result lists, clicks and dwell of a session in time."""
    if "issued_at" not in study.columns("queries"):
        known = ", ".join(study.columns("queries"))
        raise DataError(f"session-timeline needs the times of queries, issued_at; the queries have {known}")
    session = _session(study, choices)
    own = one_session(study, session)
    queries = own.queries.filter(pl.col("issued_at").is_not_null()).sort("query_position").collect()
    if queries.is_empty():
        raise DataError(f"session {session!r} has no times of queries; choose another: --session ID")
    about = own.sessions.collect()
    clicks = _clicks(own)
    times = [queries.get_column("issued_at").min(), clicks.get_column("clicked_at").min()]
    times += [about.get_column("started_at").min()] if "started_at" in about.columns else []
    began = min(time for time in times if time is not None)
    end = about.get_column("ended_at").max() if "ended_at" in about.columns else None
    shown = own.results.group_by("query_position").agg(results=pl.len().cast(pl.Int64)).collect()
    rows = queries.join(shown, on="query_position", how="left", maintain_order="left").select(
        "query_position",
        text=_text(queries, choices),
        start=_seconds(pl.col("issued_at"), began),
        end=_seconds(pl.col("issued_at").shift(-1).fill_null(pl.lit(end)), began),
        results=pl.col("results").fill_null(0),
    )
    seen = clicks.with_columns(at=_seconds(pl.col("clicked_at"), began)).drop("clicked_at")
    if "documents" in choices.redaction.kinds:
        seen = seen.with_columns(doc_id=pl.lit("document"))
    title = "A session in time"
    chart = charts.session_timeline(
        rows.head(MOST), seen, synthetic=choices.synthetic, title=title, subtitle=_about(study, choices, session)
    )
    first = f", of which the first {MOST} are shown" if len(rows) > MOST else ""
    told = f"{many(len(seen), 'click')}, with their ranks above those that stand apart" if len(seen) else "no clicks"
    until = "the next one was issued" + (" or the session ended" if end is not None else "")
    number = "1 query" if len(rows) == 1 else f"{len(rows)} queries"
    whose = _about(study, choices, session)
    caption = f"{number}{first} of {whose}, with the time until {until}, and {told}."
    return Drawn(title, chart, caption)


def _text(queries: pl.DataFrame, choices: Choices) -> pl.Expr:
    """What was typed, unless it is not known or must be left out."""
    known = "query_text" in queries.columns and "queries" not in choices.redaction.kinds
    return pl.col("query_text") if known else pl.lit(None, pl.String)


def _clicks(own: Study) -> pl.DataFrame:
    """The clicks that have a time: query_position, rank, doc_id, clicked_at, dwell."""
    columns = own.columns("results")
    if "clicked_at" not in columns:
        without = own.results.select(*CLICKED, dwell=pl.lit(None, pl.Float64)).clear().collect()
        return without.insert_column(3, pl.Series("clicked_at", [], own.queries.collect_schema()["issued_at"]))
    dwell = pl.col("dwell_seconds") if "dwell_seconds" in columns else pl.lit(None, pl.Float64)
    clicked = own.results.filter(pl.col("clicked_at").is_not_null())
    return clicked.select(*CLICKED, "clicked_at", dwell=dwell).collect()


def _seconds(time: pl.Expr, began: object) -> pl.Expr:
    """Seconds from the beginning of the session."""
    return (time - pl.lit(began)).dt.total_microseconds() / 1e6


def _session(study: Study, choices: Choices) -> str:
    """The session that is asked for, or the one with the most logged queries; the first by name of equals."""
    if choices.session is not None:
        return choices.session
    logged = study.queries.filter(pl.col("results_status") != "not_logged").group_by("session_id")
    counts = logged.agg(number=pl.len().cast(pl.Int64))
    top = counts.sort("number", "session_id", descending=[True, False]).head(1).collect()
    if top.is_empty():
        raise UsageError("no session has a logged query")
    return str(top.item(0, "session_id"))


def _about(study: Study, choices: Choices, session: str) -> str:
    """The session, its group and topic in words."""
    own = one_session(study, session)
    row = own.sessions.select("session_id", "topic_id").collect()
    name = choices.redaction.frame(row.select("session_id"), study).item()
    group = grouped_sessions(own, choices.by).item(0, "group")
    words = [f"session {name}", *([group] if group not in (EVERYONE, UNKNOWN) else [])]
    topic = row.item(0, "topic_id")
    return ", ".join([*words, *([f"topic {topic}"] if topic is not None else [])])
