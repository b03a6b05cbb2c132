"""The wall of sessions: the gain, queries and clicks of every session, a small panel for each, on as many sheets as they need."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import polars as pl

from sessionkit import charts
from sessionkit.charts.canvas import Limits, extent
from sessionkit.charts.kinds.session_wall import MOST, place_sessions, share_cells, wall_sessions
from sessionkit.charts.print_layout import NARROW
from sessionkit.display.labels import natural_sort
from sessionkit.display.numbers import capital, counted
from sessionkit.errors import DataWarning, UsageError, suggestion
from sessionkit.reports.choices import TOP, Choices, normalized
from sessionkit.reports.figures.figure import Figure
from sessionkit.robustness.session_table import column_names, score
from sessionkit.scoring.ideals import require_curve
from sessionkit.scoring.measures.base import GainMeasure
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.sessions.curve import curve_with_stops
from sessionkit.statistics.bands import grouped_sessions
from sessionkit.study import Study
from sessionkit.study.counts import was_clicked
from sessionkit.study.selection import with_sessions

ORDERS = ("user", "score", "judged", "queries")
"""Orders of panels that have a name of their own; others are columns."""
COLUMNS = {"user": "user_id", "score": "value"}
"""The columns of those whose name is another."""
DESCENDING = ("score", "judged", "queries")
"""Orders whose highest value stands first."""
PAGE_HEIGHT, ABOVE_PANELS, ABOVE_NARROW = 666.0, 70.0, 112.0
"""Points that a sheet of print is high at most, 235 mm, and those that titles take of them, on a wide and a narrow sheet."""
MOST_SHEETS = 50
"""Sheets that one figure has: 10,000 sessions."""


def session_wall(study: Study, choices: Choices) -> Figure:
    """Draw every session as a small panel, in sheets."""
    return draw_wall(study, choices)


def draw_wall(
    study: Study,
    choices: Choices,
    ids: pl.Series | None = None,
    *,
    is_bounded: bool = True,
    whole: Study | None = None,
) -> Figure:
    """Draw sessions as small panels, in sheets.

    Parameters
    ----------
    study, choices
        As of every figure.
    ids
        The sessions that are drawn, a random sample, which the caption names as one; by default all sessions.
    is_bounded
        Whether panels have bounds under missing judgments, for which all sessions of the study are read.
    whole
        The study whose sessions and users have numbers where their ids are redacted, if `study` is a part of it.
    """
    whole = whole or study
    measure = _drawn_measure(choices)
    tables = wall_tables(study, measure, choices.by, ids, is_bounded=is_bounded)
    n_drawn = len(tables.sessions)
    if not n_drawn:
        raise UsageError("the study has no session to draw")
    if n_drawn > MOST * MOST_SHEETS:
        raise UsageError(
            f"{n_drawn:,} sessions are too many for a wall, which has at most {MOST * MOST_SHEETS:,}; choose some by --where"
        )
    # a sample of sessions has hardly a pair
    sort = choices.sort or (_usual_order(tables.sessions) if ids is None else _unpaired_order(tables.sessions))
    sessions = choices.redaction.frame(_sorted(tables.sessions, sort), whole)
    aligned = "user_id" if sort == "user" and _is_paired(tables.sessions) else None
    # on a screen a sheet is as high as its sessions need
    width = choices.size.inner_width
    height = None if width is None else PAGE_HEIGHT - (ABOVE_NARROW if width < NARROW else ABOVE_PANELS)
    n_sheets = len(
        place_sessions(wall_sessions(sessions, aligned), width=width, most_height=height, aligned=aligned).heights
    )
    title = "All sessions" if ids is None else "A sample of the sessions"
    is_shared = aligned is None and share_cells(sessions)
    order = _order_words(sort, aligned, n_groups=1 if is_shared else sessions.get_column("group").n_unique())
    replaced = [] if _is_as_asked(choices, measure) else [f"{measure} in place of {choices.exact}"]
    clicks = tables.clicks
    if "documents" in choices.redaction.kinds:
        clicks = clicks.with_columns(doc_id=pl.lit("document"))
    sheets = []
    for sheet in range(1, n_sheets + 1):
        number = [f"sheet {sheet} of {n_sheets}"] if n_sheets > 1 else []
        sheets.append(
            charts.session_wall(
                sessions,
                *(choices.redaction.frame(frame, whole) for frame in (tables.curves, tables.queries, clicks)),
                measure=str(measure),
                sheet=sheet,
                aligned=aligned,
                limits=choices.limits,
                colors=choices.colors,
                synthetic=choices.synthetic,
                title=title,
                subtitle=capital("; ".join([*number, order, *replaced])),
                width=width,
                most_height=height,
            )
        )
    if is_shared:
        order += "; the name of a session stands behind that of its group"
    caption = _caption(tables, measure, "; ".join([order, *replaced]), n_sheets)
    return Figure("session-wall", title, sheets[0], caption, tuple(sheets[1:]))


def wall_limits(study: Study, choices: Choices) -> Limits:
    """The numbers of slots of all sessions, for walls of some of them to have one horizontal scale."""
    sessions = wall_tables(study, _drawn_measure(choices), choices.by).sessions
    return {"slots": extent(sessions, "slots")}


def _drawn_measure(choices: Choices) -> GainMeasure:
    """The measure asked for, divided by its ideal where it has one."""
    measure = require_curve(choices.exact) if choices.exact is not None else choices.ratio
    measure = measure @ (measure.cutoff or TOP)
    return normalized(measure) if "query_discount" in measure.parameters() and not measure.normalized else measure


def _is_as_asked(choices: Choices, measure: GainMeasure) -> bool:
    """Whether the measure that is drawn is the one asked for, cut at a rank."""
    return choices.exact is None or choices.exact @ (choices.exact.cutoff or TOP) == measure


def _is_paired(sessions: pl.DataFrame) -> bool:
    """Whether any user searched one topic with two groups."""
    pairs = sessions.drop_nulls("user_id").group_by("user_id", "topic_id").agg(pl.col("group").n_unique())
    return bool(pairs.select((pl.col("group") > 1).any()).item())


def _usual_order(sessions: pl.DataFrame) -> str:
    """The order unless one is asked for: pairs stand at one place where there are any."""
    return "user" if _is_paired(sessions) else _unpaired_order(sessions)


def _unpaired_order(sessions: pl.DataFrame) -> str:
    """The order of sessions of which no two are paired."""
    return "score" if sessions.get_column("value").count() else "queries"


def _sorted(sessions: pl.DataFrame, sort: str) -> pl.DataFrame:
    """The sessions in the order of their panels; those without a value last."""
    column = COLUMNS.get(sort, sort)
    if column not in sessions.columns:
        orders = [*ORDERS, *(name for name in sessions.columns if name not in (*ORDERS, *COLUMNS.values()))]
        raise UsageError(
            f"a wall cannot be sorted by {sort!r}{suggestion(sort, orders)}; choose one of {', '.join(orders)}"
        )
    if not sessions.get_column(column).count():
        raise UsageError(f"a wall cannot be sorted by {sort}, which no session has; leave --sort out")
    if sessions.schema[column] == pl.String:
        return natural_sort(natural_sort(sessions, "session_id"), column)
    return natural_sort(sessions, "session_id").sort(
        column, descending=sort in DESCENDING, nulls_last=True, maintain_order=True
    )


def _order_words(sort: str, aligned: str | None, n_groups: int) -> str:
    """In which order the panels of a group stand, and whether neighbors are pairs."""
    if aligned is not None:
        return "the sessions of one user stand at the same place in every group"
    direction = "highest first" if sort in DESCENDING else "in ascending order"
    pairs = "; neighbors in two groups are not pairs" if n_groups > 1 else ""
    return f"sorted by {sort}, {direction}{pairs}"


def _caption(tables: WallTables, measure: GainMeasure, order: str, n_sheets: int) -> str:
    """What the panels show, of how many sessions."""
    sessions = tables.sessions
    n, undefined = sessions.get_column("value").count(), sessions.get_column("value").null_count()
    number = counted(len(sessions), "session") + (f" on {n_sheets} sheets" if n_sheets > 1 else "")
    parts = [f"{number}, {order}."]
    if n:
        parts.append(
            f"A panel shows {measure} after every slot until the searcher stopped, and behind it the ideal session, both as shares of the "
            "final ideal: the last height is the score."
            if measure.normalized and not measure.normalized_by_query
            else f"A panel shows {measure} after every slot, on one scale for each topic."
        )
        parts += [f"{undefined:,} without a value show raw gain."] if undefined else []
        if sessions.get_column("lower").count():
            parts.append(
                "The bar at the end spans the bounds under missing judgments; it is not a confidence interval."
            )
        parts.append("The strip fills with the judged share of each query.")
    else:
        drawn = "the number of clicks" if len(tables.clicks) else "the lengths of sessions"
        parts.append(f"No session has a value of {measure}; the panels show {drawn}.")
    if len(tables.clicks):
        n_below = int(sessions.get_column("clicks_below").sum())
        not_drawn = (
            f"; {counted(n_below, 'click')} on results outside the curves {'is' if n_below == 1 else 'are'} not drawn"
        )
        parts.append(f"Triangles are clicks{not_drawn if n_below else ''}.")
    longest, usual = sessions.select(pl.max("slots"), usual=pl.col("slots").quantile(0.95, "higher")).row(0)
    if longest > 2 * usual > 0:
        parts.append(
            f"95% of sessions have at most {usual:,.0f} of the {longest:,} slots; choose these to see more of them."
        )
    return " ".join(parts)


DRAWN = ("group", "value", "lower", "upper", "judged", "slots", "ideal", "clicks_below")
"""Columns of the sessions of a wall that are its own; those of the log under these names are left out."""
PLACE = ("session_id", "query_position", "rank")


@dataclass(frozen=True, eq=False)
class WallTables:
    """The tables of a wall.

    Parameters
    ----------
    sessions
        One row per session: ``session_id``, ``user_id``, ``topic_id``, ``group``, ``value``, ``lower``, ``upper`` (its bounds
        under missing judgments), ``judged`` (share, 0 to 1), ``slots`` (the slot where its searcher stopped), ``ideal``
        (the gain of its ideal session by which its curve is divided; null where it shows raw gain), ``clicks_below`` (clicks on
        ranks that the curve does not have), and the other columns of `sessionkit.score` with ``wide=True``,
        but for those of the log that have one of these names.
    curves
        ``session_id``, ``slot`` (0 to ``slots``), ``gain`` and ``ideal``, cumulated; shares of the final ideal where the session
        has one, else raw. Without judgments ``gain`` is the number of clicks.
    queries
        ``session_id``, ``query_position``, ``start`` and ``end`` (slots), ``judged`` (share of its results within the cutoff).
    clicks
        ``session_id``, ``query_position``, ``rank``, ``slot``, ``doc_id``.
    """

    sessions: pl.DataFrame
    curves: pl.DataFrame
    queries: pl.DataFrame
    clicks: pl.DataFrame


def wall_tables(
    study: Study, measure: GainMeasure, by: str, ids: pl.Series | None = None, *, is_bounded: bool = True
) -> WallTables:
    """Lay out the sessions of a study for a wall.

    A normalized session is divided by the ideal gain that it could have reached at the end of its curve, so that its last height
    is its score.

    Parameters
    ----------
    measure
        A session measure with a cutoff and a curve, such as ``nsDCG@10``.
    by
        The column that makes the groups.
    ids
        The sessions that are laid out; by default all.
    is_bounded
        Whether the sessions have bounds. Which documents of a topic are not judged is known only of the whole study, which is read
        for them.
    """
    held = study if ids is None else with_sessions(study, ids)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the table of scores warns of the same
        steps = curve_with_stops(held, measure, per="session", normalize="none")
        query_shares = score(held, parse_measure(f"P@{measure.cutoff}"), per="query")
    table = score(study if is_bounded else held, measure, per="session", wide=True)
    if ids is not None:
        table = table.filter(pl.col("session_id").is_in(ids.implode()))
    value, *beside = column_names(measure)
    table = table.drop(DRAWN, strict=False)  # a column of the log may be called "group" or "value"
    table = table.rename({value: "value", **dict(zip(beside, ("lower", "upper", "judged"), strict=True))})
    if not is_bounded:
        table = table.with_columns(pl.lit(None, pl.Float64).alias(name) for name in ("lower", "upper"))
    steps = steps.filter(pl.col("slot").is_not_null())
    extents = steps.group_by("session_id").agg(
        slots=(~pl.col("stopped")).sum().cast(pl.Int64),
        ideal=pl.col("ideal").sort_by("slot").last(),
    )
    is_share = measure.normalized and not measure.normalized_by_query
    divisor = pl.col("ideal") if is_share else pl.lit(None, pl.Float64)
    extents = extents.with_columns(ideal=pl.when(divisor > 0).then(divisor))
    groups = grouped_sessions(held, by).select("session_id", "group")
    sessions = table.join(groups, on="session_id", maintain_order="left").join(
        extents, on="session_id", how="left", maintain_order="left"
    )
    sessions = sessions.with_columns(pl.col("slots").fill_null(0))
    shown = steps.filter(~pl.col("stopped"))
    places = shown.select("session_id", "query_position", "rank", "slot").drop_nulls("query_position")
    clicked = _clicked_results(held)
    clicks = (
        clicked.join(places, on=list(PLACE), how="inner").select(*PLACE, "slot", "doc_id").sort("session_id", "slot")
    )
    below = (
        clicked.join(places, on=list(PLACE), how="anti")
        .group_by("session_id")
        .agg(clicks_below=pl.len().cast(pl.Int64))
    )
    sessions = sessions.join(below, on="session_id", how="left", maintain_order="left").with_columns(
        pl.col("clicks_below").fill_null(0)
    )
    if not held.facts.judgments:
        query_shares = query_shares.with_columns(judged=pl.lit(None, pl.Float64))
    curves = _curves(shown, sessions) if held.facts.judgments else _click_curves(shown, clicks)
    return WallTables(sessions, curves, _queries(places, query_shares), clicks)


def _click_curves(shown: pl.DataFrame, clicks: pl.DataFrame) -> pl.DataFrame:
    """The number of clicks up to every slot, which a wall draws where there are no judgments and so no gain."""
    counts = clicks.group_by("session_id", "slot").agg(count=pl.len())
    steps = pl.concat(
        [shown.select("session_id", slot=pl.lit(0, pl.Int32)).unique(), shown.select("session_id", "slot")]
    )
    steps = steps.sort("session_id", "slot").join(counts, on=["session_id", "slot"], how="left", maintain_order="left")
    gain = pl.col("count").fill_null(0).cum_sum().over("session_id").cast(pl.Float64)
    return steps.select("session_id", "slot", gain=gain, ideal=pl.lit(None, pl.Float64))


def _curves(shown: pl.DataFrame, sessions: pl.DataFrame) -> pl.DataFrame:
    """Gain and ideal of every session from slot 0, as shares of its final ideal where it has one."""
    starts = sessions.filter(pl.col("slots") > 0).select(
        "session_id", slot=pl.lit(0, pl.Int32), value=pl.lit(0.0), level=pl.lit(0.0)
    )
    steps = shown.select("session_id", "slot", "value", level="ideal")
    steps = pl.concat([starts, steps]).join(sessions.select("session_id", "ideal"), on="session_id")
    scale = pl.col("ideal").fill_null(1.0)
    return steps.select("session_id", "slot", gain=pl.col("value") / scale, ideal=pl.col("level") / scale).sort(
        "session_id", "slot"
    )


def _queries(places: pl.DataFrame, query_shares: pl.DataFrame) -> pl.DataFrame:
    """Where each query's list begins and ends along its session, and how much of it is judged."""
    spans = places.group_by("session_id", "query_position").agg(
        start=pl.col("slot").min() - 1, end=pl.col("slot").max()
    )
    shares = query_shares.select("session_id", "query_position", "judged")
    return spans.join(shares, on=["session_id", "query_position"], how="left").sort("session_id", "start")


def _clicked_results(study: Study) -> pl.DataFrame:
    """The results that were clicked; none where clicks were not logged."""
    columns = study.columns("results")
    results = study.results.select(*PLACE, "doc_id", clicked=was_clicked(columns))
    return results.filter(pl.col("clicked")).drop("clicked").collect()
