"""Figures of single sessions: what made the value of one, what happened in it when, and two of one topic side by side."""

from __future__ import annotations

import warnings
from contextlib import suppress

import polars as pl

from sessionkit import charts
from sessionkit.charts.canvas import Limits, extent
from sessionkit.charts.kinds.session_timeline import MOST
from sessionkit.charts.session_panels import MOST_RANKS
from sessionkit.display.labels import label
from sessionkit.display.numbers import compact, counted, share_text
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError
from sessionkit.reports.choices import Choices
from sessionkit.reports.explorer.widget import results_shown
from sessionkit.reports.figures.figure import Figure
from sessionkit.robustness.bounds import bounds
from sessionkit.scoring import exact
from sessionkit.scoring.batch import batches
from sessionkit.scoring.explain import explain, one_session
from sessionkit.scoring.ideals import require_curve, session_vectors
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.needs import columns_read
from sessionkit.scoring.score import score
from sessionkit.sessions.timeline import SessionContrast, most_contrasting, timeline
from sessionkit.statistics.bands import EVERYONE, UNKNOWN, grouped_sessions
from sessionkit.study import Study
from sessionkit.study.counts import session_columns, was_clicked
from sessionkit.study.selection import with_sessions

SCALES = ("rank", "grade", "contribution")
"""Columns of results that have a scale in a card."""


def waterfall(study: Study, choices: Choices) -> Figure:
    """What each document and query adds to the value of a session."""
    measure = _of_sessions(choices, "waterfall")
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


def session_card(study: Study, choices: Choices) -> Figure:
    """One session on a page: queries, lists with grades and clicks, gain beside its ideal, and time."""
    measure = _of_sessions(choices, "session-card", choices.ratio)
    session = _session(study, choices)
    own = one_session(study, session)
    rows = _results_of_card(own, measure)
    text = pl.col("query_text") if "query_text" in study.columns("queries") else pl.lit(None, pl.String)
    queries = own.queries.select("query_position", "results_status", text=text).collect().sort("query_position")
    times: pl.DataFrame | None = None
    clicks: pl.DataFrame | None = None
    with suppress(DataError):  # no times were logged
        times, clicks = timeline(own, session)
    if "documents" in choices.redaction.kinds:
        number = pl.concat_str(pl.lit("document "), pl.col("doc_id").rank("dense").cast(pl.String))
        rows = rows.with_columns(doc_id=number)
        clicks = None if clicks is None else clicks.with_columns(doc_id=pl.lit("document"))
    if "queries" in choices.redaction.kinds:
        queries = queries.with_columns(text=pl.lit(None, pl.String))
    about = _about(study, choices, session)
    title = f"{about[:1].upper()}{about[1:]}"
    value, head = _head_of_card(own, study, choices, measure, rows)
    head += _not_drawn(own, measure, rows)
    chart = charts.session_card(
        rows,
        queries,
        curve=_curve_of_card(own, measure, rows) if value is not None else None,
        times=times,
        clicks=clicks,
        head=head,
        measure=str(measure),
        limits=choices.limits,
        synthetic=choices.synthetic,
        title=title,
    )
    grades = (
        " Chips are grades, stronger shades are higher; an open chip is a result that is unjudged or does not count."
    )
    changes = " Terms added to the query before are bold, removed terms struck."
    has_text = queries.get_column("text").count() > 0 if "text" in queries.columns else False
    caption = (
        f"{' '.join(f'{line}.' for line in head)} Each list runs from left to right by rank."
        f"{grades if study.facts.judgments else ''}{changes if has_text else ''}"
    )
    return Figure("session-card", title, chart, caption)


def card_limits(study: Study, choices: Choices) -> Limits:
    """What the cards of all sessions show, for them to have one scale."""
    measure = _of_sessions(choices, "session-card", choices.ratio)
    rows = _results_of_card(study, measure)
    limits = {name: extent(rows, name) for name in SCALES}
    curves = _curve_of_card(study, measure, rows) if study.facts.judgments else None
    return limits if curves is None else limits | {name: extent(curves, name) for name in ("slot", "value", "ideal")}


def pair_limits(study: Study, choices: Choices) -> Limits:
    """What the lists of all sessions show, for pairs of them to have one scale."""
    rows = _results_of_card(study, _of_sessions(choices, "session-pair"))
    return {name: extent(rows, name) for name in SCALES}


def _results_of_card(own: Study, measure: Measure) -> pl.DataFrame:
    """The results of sessions with what they add, their clicks and their dwell."""
    rows = results_shown(own, measure)
    within = pl.col("counted").is_not_null() | (pl.col("rank") <= (measure.cutoff or MOST_RANKS))
    keys = ["session_id", "query_position", "rank"]
    if "dwell_seconds" in own.columns("results"):
        dwell = own.results.select(*keys, dwell=pl.col("dwell_seconds").cast(pl.Float64)).collect()
        rows = rows.join(dwell, on=keys, how="left", maintain_order="left")
    return rows.filter(within).sort(keys)


def _not_drawn(own: Study, measure: Measure, rows: pl.DataFrame) -> list[str]:
    """A line that says how many results and clicks lie below the ranks of the lists; none where none do."""
    clicked = was_clicked(own.columns("results")).fill_null(value=False)
    n_results, n_clicks = own.results.select(pl.len(), clicks=clicked.sum()).collect().row(0)
    below, clicks = n_results - len(rows), n_clicks - int(rows.get_column("clicked").fill_null(value=False).sum())
    if not below:
        return []
    and_clicks = f", {counted(clicks, 'click')} on them" if clicks else ""
    return [f"Not drawn: {counted(below, 'result')} below rank {measure.cutoff or MOST_RANKS}{and_clicks}"]


def _curve_of_card(own: Study, measure: Measure, rows: pl.DataFrame) -> pl.DataFrame | None:
    """The gain of each session along its lists and that of its ideal, both in the unit of its value: ``value`` ends with it."""
    try:
        require_curve(measure)
    except MeasureError:  # a curve of what results add, without an ideal
        if rows.is_empty():
            return None
        running = exact.unfixed(exact.fixed(pl.col("contribution").fill_null(0.0)).cum_sum().over("session_id"))
        slot = pl.int_range(1, pl.len() + 1).over("session_id")
        slots = rows.with_columns(slot=slot, value=running, ideal=pl.lit(None, pl.Float64))
        return slots.select("slot", "query_position", "rank", "value", "ideal")
    total, ideal = exact.unfixed(pl.col("total")), exact.unfixed(pl.col("ideal"))
    divisor = ideal.last().over("session") if getattr(measure, "normalized", False) else pl.lit(1.0)
    last = pl.col("slot") > pl.col("own")
    columns = (pl.when(~last).then(total / divisor).alias("value"), (ideal / divisor).alias("ideal"))
    curves = pl.concat(
        [  # a batch numbers its own sessions
            session_vectors(batch, measure).filter(divisor > 0).select("slot", "query_position", "rank", *columns)
            for batch in batches(own, columns_read(own, [measure]))
        ]
    )
    return None if curves.is_empty() else curves


def _head_of_card(
    own: Study, study: Study, choices: Choices, measure: Measure, rows: pl.DataFrame
) -> tuple[float | None, list[str]]:
    """The value of a session, and the lines above its lists: user, ratings; score, bounds, judged share."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        session, value = score(own, measure, per="session").select("session_id", "value").row(0)
    row = choices.redaction.frame(own.sessions.collect(), study).row(0, named=True)
    user = row.get("user_id")
    who = [user if "users" in choices.redaction.kinds else f"user {label(str(user))}"] if user is not None else []
    ratings = [
        f"{name} {row[name]:g}"
        for name in session_columns(study)
        if isinstance(row.get(name), int | float) and not isinstance(row[name], bool)
    ]
    about = ", ".join([*who, *ratings])
    lines = [f"{about[:1].upper()}{about[1:]}"] if about else []
    if not study.facts.judgments:
        return None, [*lines, "The study has no judgments, so no result has a gain"]
    judged = rows.get_column("grade").count()
    limits = _bounds_by_session(study, measure).get(session)
    share = f"{judged:,} of {counted(len(rows), 'result')} judged"
    if value is None:
        return None, [*lines, f"{measure} is not defined for this session; {share}"]
    between = ""
    if limits is not None and limits[0] < limits[1]:
        low, high = map(compact, limits)
        between = f", between {low} and {high} whatever the grades of unjudged documents" if low != high else ""
    return value, [*lines, f"{measure} {compact(value)}{between}; {share}"]


def _bounds_by_session(study: Study, measure: Measure) -> dict[str, tuple[float, float]]:
    """The least and the greatest value that each session could have; none where the measure has no bounds.

    Only all sessions together show which documents of a topic have no grade. So a study keeps the bounds for the cards to come.
    """

    def compute_bounds() -> dict[str, tuple[float, float]]:
        if measure.inner.gain_measure is None:
            return {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            try:
                units = bounds(study, measure, per="session", wanted=0).units
            except (DataError, MeasureError, UsageError):
                return {}  # a measure without bounds
        if units is None:
            return {}
        columns = units.filter(pl.col("lower").is_not_null()).select("session_id", "lower", "upper")
        return {session: (lower, upper) for session, lower, upper in columns.iter_rows()}

    computed: dict[str, tuple[float, float]] = study.memo.once(("bounds by session", str(measure)), compute_bounds)
    return computed


def session_timeline(study: Study, choices: Choices) -> Figure:
    """Queries, result lists, clicks and dwell of a session in time."""
    if not {"issued_at", "elapsed_seconds"} & {*study.columns("queries")}:
        columns = ", ".join(study.columns("queries"))
        raise DataError(
            f"session-timeline needs the times of queries, issued_at or elapsed_seconds; the queries have {columns}"
        )
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
    told = counted(len(seen), "click") if len(seen) else "no clicks"
    ended = rows.get_column("end").tail(1).is_not_null().any()
    until = "the next one was issued" + (" or the session ended" if ended else "")
    number = "1 query" if len(rows) == 1 else f"{len(rows)} queries"
    whose = _about(study, choices, session)
    caption = f"{number}{first} of {whose}, and {told}. A thin line runs from each query until {until}; it is not time spent on the list."
    return Figure("session-timeline", title, chart, caption)


def session_pair(study: Study, choices: Choices) -> Figure:
    """Two sessions of one topic side by side: those asked for, or the pair that differs most among those judged alike."""
    measure = _of_sessions(choices, "session-pair")
    pair, chosen = _pair(study, choices, measure)
    both = with_sessions(study, pl.Series(list(pair)))
    rows = results_shown(both, measure)
    within = pl.col("counted").is_not_null() | (pl.col("rank") <= (measure.cutoff or MOST_RANKS))
    side = pl.col("session_id").replace_strict({name: place for place, name in enumerate(pair)}, return_dtype=pl.Int64)
    rows = rows.filter(within).sort(side, "query_position", "rank")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # shares of two sessions alone say nothing about the study
        scores = score(both, measure, per="session")
    values = dict(scores.select("session_id", "value").rows())
    shares = dict(scores.select("session_id", _judged_if_any(study)).rows())
    for name, value in values.items():
        if value is None:
            raise UsageError(f"session {name!r} has no value of {measure}; choose others: --sessions ID,ID")
    text = pl.col("query_text") if "query_text" in study.columns("queries") else pl.lit(None, pl.String)
    queries = both.queries.select("session_id", "query_position", text=text).collect().sort(side, "query_position")
    if "documents" in choices.redaction.kinds:
        number = pl.col("doc_id").rank("dense").cast(pl.String)
        rows = rows.with_columns(doc_id=pl.concat_str(pl.lit("document "), number))
    if "queries" in choices.redaction.kinds:
        queries = queries.with_columns(text=pl.lit(None, pl.String))
    groups = dict(grouped_sessions(both, choices.by).filter(~pl.col("group").is_in([EVERYONE, UNKNOWN])).rows())
    names = pl.DataFrame({"session_id": list(pair)})
    shown = dict(zip(pair, choices.redaction.frame(names, study).get_column("session_id").to_list(), strict=True))
    topic = both.sessions.select("topic_id").head(1).collect().item()
    about = f"topic {label(topic)}" if topic is not None else "the log names no topics"
    title = "Two sessions of one topic"
    chart = charts.session_pair(
        choices.redaction.frame(rows, study),
        choices.redaction.frame(queries, study),
        groups={shown[name]: group for name, group in groups.items()},
        measure=str(measure),
        limits=choices.limits,
        synthetic=choices.synthetic,
        title=title,
        subtitle=about,
    )
    told = []
    for name in pair:
        called = f"session {label(name)}" if shown[name] == name else shown[name]
        share = shares.get(name)
        judged = "" if share is None else f", {share_text(share)} judged"
        told.append(f"{called}{f', {label(groups[name])}' if name in groups else ''} ({compact(values[name])}{judged})")
    parts = [
        f"{told[0][:1].upper()}{told[0][1:]} and {told[1]} by {measure}, {about}.",
        *([chosen] if chosen else []),
        "Each list runs from left to right by rank: bars are what results add to the value of the session, on one scale; chips "
        "are grades, stronger shades higher, open where a result was not judged or does not count"
        + ("; triangles are clicks." if rows.get_column("clicked").fill_null(value=False).any() else "."),
    ]
    if rows.get_column("rank").max() > MOST_RANKS:  # type: ignore[operator]
        parts.append(f"Ranks to {MOST_RANKS} are drawn; the sum of a query counts all.")
    return Figure("session-pair", title, chart, " ".join(parts))


def _pair(study: Study, choices: Choices, measure: Measure) -> tuple[tuple[str, str], str]:
    """The sessions asked for, or the most contrasting pair and how it was chosen."""
    if choices.sessions:
        if len(choices.sessions) != 2 or len({*choices.sessions}) != 2:
            raise UsageError(
                f"session-pair draws two different sessions, not {', '.join(map(repr, choices.sessions))}; "
                "such as --sessions s1,s2"
            )
        first, second = choices.sessions
        topics = [one_session(study, name).sessions.select("topic_id").collect().item() for name in (first, second)]
        if topics[0] != topics[1]:
            has = [f"{name!r} has {'no topic' if of is None else f'topic {of}'}"
                   for name, of in zip(choices.sessions, topics, strict=True)]  # fmt: skip
            raise UsageError(
                f"session-pair draws two sessions of one topic, whose lists can be compared: session {has[0]}, {has[1]}"
            )
        return (first, second), ""
    if study.facts.sessions < 2:
        raise UsageError(f"session-pair draws two sessions, and there is {counted(study.facts.sessions, 'session')}")
    values = score(study, measure, per="session").select("session_id", "value", _judged_if_any(study))
    if not values.get_column("value").count():
        why = "" if study.facts.judgments else ": the study has no judgments"
        raise UsageError(f"{measure} has no value in any session{why}")
    rows = study.sessions.select("session_id", "topic_id").collect().join(values, on="session_id")
    rows = rows.join(grouped_sessions(study, choices.by), on="session_id").rename({"session_id": "session"})
    found: SessionContrast | None = most_contrasting(rows)
    if found is None:
        raise UsageError(f"no topic has two sessions with a value of {measure}, so there is no pair to draw")
    groups = "systems" if choices.by == "system_id" else f"values of {choices.by}"
    return (str(found.sessions[0]), str(found.sessions[1])), found.told(str(measure), groups)


def _judged_if_any(study: Study) -> pl.Expr:
    """The judged shares of sessions; null where the study has no judgments, as a measure of clicks needs none."""
    return pl.col("judged") if study.facts.judgments else pl.lit(None, pl.Float64).alias("judged")


def _of_sessions(choices: Choices, kind: str, usual: Measure | None = None) -> Measure:
    """The measure that is drawn, of which a session has a value that is a sum over its results."""
    measure = choices.exact or usual or choices.measure
    if measure.level != "session":
        summed = measure.level == "query" and measure.explainable
        better = f"mean({measure})" if summed else "sDCG@10"
        raise UsageError(f"{kind} explains the value of a session, which {measure} has not; ask for {better}")
    return measure


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
