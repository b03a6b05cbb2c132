"""Figures of one session: what made its value, and what happened when."""

from __future__ import annotations

import polars as pl

from sessionkit import charts
from sessionkit.analysis.groups import EVERYONE, UNKNOWN, grouped_sessions
from sessionkit.analysis.timeline import timeline
from sessionkit.charts.kinds.session_timeline import MOST
from sessionkit.display.words import counted
from sessionkit.errors import DataError, UsageError
from sessionkit.reports.choices import Choices
from sessionkit.reports.figures.figure import Figure
from sessionkit.scoring.explain import explain, one_session
from sessionkit.study import Study


def waterfall(study: Study, choices: Choices) -> Figure:
    """What each document and query adds to the value of a session."""
    measure = choices.exact or choices.measure
    if measure.level != "session":
        summed = measure.level == "query" and measure.explainable
        better = f"mean({measure})" if summed else "sDCG@10"
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
        f"{frame.get_column('contribution').sum():.4f}. {adding} of {counted(frame.height, 'result')} that count add anything."
    )
    return Figure("waterfall", title, chart, caption)


def session_timeline(study: Study, choices: Choices) -> Figure:
    """Queries, result lists, clicks and dwell of a session in time."""
    if "issued_at" not in study.columns("queries"):
        known = ", ".join(study.columns("queries"))
        raise DataError(f"session-timeline needs the times of queries, issued_at; the queries have {known}")
    session = _session(study, choices)
    try:
        rows, seen = timeline(study, session)
    except DataError as error:
        raise DataError(f"{error}; choose another: --session ID") from None
    if "queries" in choices.redaction.kinds:
        rows = rows.with_columns(text=pl.lit(None, pl.String))
    if "documents" in choices.redaction.kinds:
        seen = seen.with_columns(doc_id=pl.lit("document"))
    title = "A session in time"
    chart = charts.session_timeline(
        rows.head(MOST), seen, synthetic=choices.synthetic, title=title, subtitle=_about(study, choices, session)
    )
    first = f", of which the first {MOST} are shown" if len(rows) > MOST else ""
    told = f"{counted(len(seen), 'click')}, with their ranks above those that stand apart" if len(seen) else "no clicks"
    ended = rows.get_column("end").tail(1).is_not_null().any()
    until = "the next one was issued" + (" or the session ended" if ended else "")
    number = "1 query" if len(rows) == 1 else f"{len(rows)} queries"
    whose = _about(study, choices, session)
    caption = f"{number}{first} of {whose}, with the time until {until}, and {told}."
    return Figure("session-timeline", title, chart, caption)


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
    words = [name if name != session else f"session {name}", *([group] if group not in (EVERYONE, UNKNOWN) else [])]
    topic = row.item(0, "topic_id")
    return ", ".join([*words, *([f"topic {topic}"] if topic is not None else [])])
