"""Figures 1 to 4 of ECIR 2008: last and other queries, sessions of all topics and of one, and one by one."""

from __future__ import annotations

from typing import Any

import polars as pl

from sessionkit import charts
from sessionkit.charts.kinds.single_sessions import MOST
from sessionkit.display.labels import in_natural_order, natural_sort
from sessionkit.display.numbers import counted
from sessionkit.errors import UsageError
from sessionkit.reports.choices import NAMED, TOP, Choices, first_of
from sessionkit.reports.figures.figure import BANDED, DRAWS, Figure, alone_told, band_told, bands_of, by_group
from sessionkit.reports.report_data import StudyQuestion, ask
from sessionkit.reports.sample import only
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.sessions.breakdown import breakdown
from sessionkit.sessions.curve import curve, curve_differences, curve_with_stops
from sessionkit.statistics.bands import EVERYONE, grouped_sessions, with_groups
from sessionkit.study import Study
from sessionkit.study.counts import MANY, last_queries, logged_lists
from sessionkit.study.selection import with_sessions

USUAL = 0.95
"""Share of sessions as far as which curves are drawn."""
DEEPEST = 100
"""The rank to which Figure 1 of ECIR 2008 looks, unless no list goes so deep."""


def depth_of(study: Study, choices: Choices) -> int:
    """The rank to which Figure 1 of ECIR 2008 looks."""
    if choices.source is not None and choices.source.cutoff:
        return choices.source.cutoff
    return min(DEEPEST, study.results.select(pl.col("rank").max()).collect().item() or 1)


def _measure_of_parts(study: Study, choices: Choices) -> Measure:
    """What Figure 1 draws: the measure asked for, that which is tested, or where queries are pooled that of ECIR 2008."""
    if choices.exact is None and choices.average != "queries":
        return choices.tested
    depth = depth_of(study, choices)
    return _exact(choices, depth) or choices.measure @ depth


def values_by_part(study: Study, choices: Choices) -> StudyQuestion[pl.DataFrame]:
    """The values of last and other queries by rank."""
    options = {"average": choices.average, "by": choices.by, **bands_of(study, choices)}
    return ask(breakdown, study, _measure_of_parts(study, choices), **options)


def curves_of_all(study: Study, choices: Choices) -> StudyQuestion[pl.DataFrame]:
    """Curves of all sessions."""
    return ask(curve, study, _exact(choices) or choices.ratio, choices.by, **_curve_options(study, choices))


def _curve_options(study: Study, choices: Choices) -> dict[str, Any]:
    """How curves are normalized, where that is asked for, and whether they have bands, which ratios of means have not."""
    if choices.normalize is None:
        return bands_of(study, choices)
    return {"normalize": choices.normalize} | ({} if choices.normalize == "averages" else bands_of(study, choices))


def _share(measure: Measure, choices: Choices) -> bool:
    """Whether curves are shares of an ideal."""
    return measure.normalized if choices.normalize is None else choices.normalize != "none"


QUESTIONS = (values_by_part, curves_of_all)
"""What the figures ask of a study before anything else is known."""


def last_vs_nonlast(study: Study, choices: Choices) -> Figure:
    """Figure 1: within sessions, in the measure that is tested; or pooled, as in ECIR 2008."""
    question = values_by_part(study, choices)
    pooled, (measure,) = choices.average == "queries", question.given
    frame = with_groups(question.answer(), [choices.by])
    if not frame.get_column("value").count():
        which = "no query" if pooled else "no session of two queries or more"
        raise UsageError(f"{which} has a value of {measure}")
    title = "Last and non-last queries"
    gained = measure.gain_measure is not None and not measure.normalized
    chart = charts.last_vs_nonlast(
        frame.drop_nulls("value"),
        axis="Mean cumulated gain per query" if gained else "Mean per query, cut at each rank",
        measure=str(measure),
        colors=choices.curve_colors,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    ends = frame.filter(pl.col("rank") == pl.col("rank").max()).to_dicts()
    what = f"gain of one query, {measure} cumulated to" if gained else f"{measure} of one query, cut at"
    told = choices.told(measure) if pooled else ""
    how = _pooled(ends) if pooled else _within(ends)
    how += band_told(frame, study, "rank by rank") + alone_told(frame, "n_sessions")
    return Figure("last-vs-nonlast", title, chart, f"Mean {what} each rank{_discounted(measure)}. {how}{told}")


def _within(ends: list[dict[str, Any]]) -> str:
    """What was averaged within sessions, by group: the sessions in it, and those left out."""
    counts = []
    for row in [row for row in ends if row["part"] == "last"]:
        n_left_out = row["left_out_single_query"] + row["left_out_undefined"]
        counts.append(f"{row['group']} {row['n_sessions']:,}{f' ({n_left_out:,} left out)' if n_left_out else ''}")
    valued = " and with a value in both" if any(row["left_out_undefined"] for row in ends) else ""
    return (
        "Queries before the last are averaged within their session; both lines are over the same sessions, of two queries or "
        f"more{valued}: {first_of(counts, NAMED)}."
    )


def _pooled(ends: list[dict[str, Any]]) -> str:
    """What was pooled, by group and part, and that the parts are of different sessions."""
    counts = [f"{row['group']} {row['part']}: {row['n_queries']} in {row['n_sessions']}" for row in ends]
    single = [f"{row['group']} {row['single_query_sessions']:,}" for row in ends if row["part"] == "last"]
    return (
        "Queries are pooled, after ECIR 2008: every query counts the same, and the only query of a session is a last one. Queries "
        f"and the sessions they are from: {first_of(counts, 2 * NAMED)}; sessions of one query, in last alone: "
        f"{first_of(single, NAMED)}."
    )


def session_curve(study: Study, choices: Choices) -> Figure:
    """Figure 2, with bands where the sessions and groups are not too many."""
    question = curves_of_all(study, choices)
    measure = question.given[0]
    share = _share(measure, choices)
    frame = question.answer()
    shown, cut = usual_length(with_groups(frame, [choices.by]), study)
    title = "Normalized session curves" if share else "Session curves"
    chart = charts.session_curve(
        shown,
        normalized=share,
        measure=str(measure),
        colors=choices.curve_colors,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    how = _normalized_how(measure, choices)
    band = "" if choices.normalize == "averages" else band_told(shown, study, "slot by slot")
    if "searching" in shown.columns:
        band += " Below the axis: sessions still searching."
    if not share and shown.get_column("ideal").count():
        band += f" {_ideal_told(shown)}"
    caption = (
        f"{_averaged(shown)} of {measure} after every slot of the concatenated lists. {how}{band}{cut}{alone_told(shown, 'n')} Sessions: "
        f"{_sessions(shown)}.{choices.told(measure, ratio=True)}"
    )
    return Figure("session-curve", title, chart, caption)


def _ideal_told(shown: pl.DataFrame) -> str:
    """What the ideals above curves of gain are."""
    per_slot = shown.drop_nulls("ideal").group_by("slot").agg(low=pl.col("ideal").min(), high=pl.col("ideal").max())
    if (per_slot["low"] == per_slot["high"]).all():
        return "Gray dashes: mean gain of the ideal sessions."
    return "Gray dashes: mean gain of the ideal sessions, the lowest and the highest of the groups."


def _normalized_how(measure: Measure, choices: Choices) -> str:
    """How curves are normalized, in words."""
    if not _share(measure, choices):
        return "Sessions that have stopped keep their gain."
    if choices.normalize == "averages":
        return "The mean gain is divided by the mean ideal at that slot; a session that has stopped keeps its gain and its ideal."
    if measure.normalized_by_query and choices.normalize is None:
        return "Each query is divided by its own ideal at that rank, and weighs by its query discount."
    return (
        "Each session is divided by its own ideal at that slot and the quotients are averaged; a session that has "
        "stopped keeps its gain and its ideal."
    )


def difference_curve(study: Study, choices: Choices) -> Figure:
    """How far groups are ahead along the session."""
    measure = _exact(choices) or choices.ratio
    found = curve_differences(study, measure, choices.by, against=choices.against, draws=DRAWS)
    return difference_of(found, measure, study, choices)


def difference_of(found: pl.DataFrame, measure: Measure, study: Study, choices: Choices) -> Figure:
    """How far groups are ahead along the session, from the differences of their curves by this measure."""
    pairs = in_natural_order(found.get_column("b").unique())
    if len(pairs) > BANDED:
        raise UsageError(
            f"difference-curve draws {BANDED} groups beside the one that is subtracted, not {len(pairs)}; choose two or "
            f"more, such as --where \"{choices.by} in ('A', 'B')\""
        )
    shown, cut = usual_length(found, study)
    title, first = "Differences along the session", found.item(0, "a")
    chart = charts.difference_curve(
        shown,
        measure=str(measure),
        colors=choices.curve_colors,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    counts = {name: n for side in "ab" for name, n in found.group_by(side).agg(pl.col(f"n_{side}").max()).rows()}
    n = first_of([f"{name} {counts[name]:,}" for name in [first, *pairs]], NAMED + 1)
    ends = (
        " A filled point marks the end of a query at which the interval excludes zero." if shown["low"].count() else ""
    )
    ahead = f"{_ahead(measure, study)} {pairs[0] if len(pairs) == 1 else 'a group'} is ahead"
    caption = (
        f"Mean of {measure} after every slot of the concatenated lists, {first_of(pairs, NAMED)} minus {first}: {ahead}. "
        f"The difference is not adjusted for users or topics. Sessions that have stopped keep their gain"
        f"{' and their ideal' if measure.normalized else ''}."
        f"{band_told(shown, study, 'slot by slot')}{ends} Below the axis: sessions still searching.{cut} Sessions: {n}."
    )
    return Figure("difference-curve", title, chart, caption)


def _ahead(measure: Measure, study: Study) -> str:
    """Where in a figure of differences a group is ahead: measures whose gain cumulates all have a direction."""
    direction = MeasureDirection.of(measure, study.settings.better)
    return "above zero" if direction.first_side == "higher" else "below zero"


def _averaged(frame: pl.DataFrame) -> str:
    """What stands before the measure: a mean, unless every curve is of one session."""
    return "Mean" if frame.select((pl.col("n") > 1).any()).item() else "Value"


def usual_length(frame: pl.DataFrame, study: Study) -> tuple[pl.DataFrame, str]:
    """Cut curves of relevance at the usual number of queries of a session, up to its last list; see `cut_at_usual`."""
    return cut_at_usual(frame, last_queries(study, ["session_id"]).get_column("last").drop_nulls())


def cut_at_usual(frame: pl.DataFrame, lengths: pl.Series) -> tuple[pl.DataFrame, str]:
    """Cut curves at the number of queries that at least 95% of sessions do not exceed; a sentence says so where that is not all.

    `lengths` are the numbers of queries of the sessions.
    """
    usual = lengths.quantile(USUAL, "higher")
    last = frame.get_column("query_position").max()
    usual = None if usual is None else max(2, int(usual))  # a curve needs two
    if usual is None or last is None or usual >= float(last):  # type: ignore[arg-type]
        return frame, ""
    return frame.filter(
        pl.col("query_position") <= usual
    ), f" Drawn to query {usual}; at least 95% of sessions end by then."


def topic_curves(study: Study, choices: Choices) -> Figure:
    """Figure 3."""
    measure = _exact(choices) or choices.measure
    share = _share(measure, choices)
    of_topic, of_long = (_sessions_of_topic(study, choices, queries) for queries in (0, choices.long))
    shown = with_sessions(study, of_topic)
    every = with_groups(curve(shown, measure, choices.by, **_curve_options(shown, choices)), [choices.by])
    every, cut = usual_length(every, shown)
    long = None
    if 0 < len(of_long) < len(of_topic):
        long = with_groups(
            curve(with_sessions(study, of_long), measure, choices.by, normalize=choices.normalize), [choices.by]
        )
        long = long.filter(pl.col("slot") <= every.get_column("slot").max())
    title = "Sessions of one topic" if choices.topic is not None else "Sessions of all topics"
    chart = charts.topic_curves(
        every,
        long,
        choices.long,
        normalized=share,
        subtitle=f"topic {choices.topic}" if choices.topic is not None else None,
        measure=str(measure),
        colors=choices.curve_colors,
        synthetic=choices.synthetic,
        title=title,
        legend=choices.legend,
    )
    if long is not None:
        which = f"all sessions ({_sessions(every)}) and those with at least {choices.long} queries ({_sessions(long)})"
    else:
        many = "none" if not len(of_long) else "all"
        which = f"all sessions ({_sessions(every)}); {many} of them have at least {choices.long} queries"
    band = band_told(every, shown, "slot by slot, of all sessions" if long is not None else "slot by slot")
    band = "" if choices.normalize == "averages" else band
    caption = (
        f"{_averaged(every)} of {measure} after every slot{'' if share else ', not normalized'}, for {choices.topic_told}: {which}. "
        f"Sessions that have stopped keep their gain{' and their ideal' if share else ''}.{band}{cut}{alone_told(every, 'n')}"
        f"{_few_long(every, long)}{choices.told(measure)}"
    )
    return Figure("topic-curves", title, chart, caption)


def _few_long(every: pl.DataFrame, long: pl.DataFrame | None) -> str:
    """Of which groups the long sessions have no curve of their own: one is no mean, all are drawn already."""
    if long is None or _averaged(every) != "Mean":
        return ""
    counts = {
        name: dict(frame.group_by("group").agg(pl.col("n").max()).rows())
        for name, frame in (("all", every), ("long", long))
    }
    one = sorted(group for group, n in counts["long"].items() if n == 1)
    same = sorted(group for group, n in counts["long"].items() if n > 1 and n == counts["all"].get(group))
    told = f" One long session is no mean and is not drawn: {first_of(one, NAMED)}." if one else ""
    return told + (f" All are long, in one curve: {first_of(same, NAMED)}." if same else "")


def single_sessions(study: Study, choices: Choices) -> Figure:
    """Figure 4: all sessions of one group and topic, which are named."""
    measure = _exact(choices) or choices.measure
    groups = grouped_sessions(study, choices.by)
    of_topic = _sessions_of_topic(study, choices).to_frame()
    of_group = groups.filter(pl.col("group") == choices.system).select("session_id")
    sessions = of_group.join(of_topic, on="session_id", how="semi").sort("session_id")
    n_groups = groups.get_column("group").n_unique()
    columns = "systems" if choices.by == "system_id" else f"values of {choices.by}"
    whose = "" if choices.system == EVERYONE else f" of {choices.system}"
    if len(sessions) > MOST:
        raise UsageError(
            f"single-sessions draws at most {MOST} sessions, and there are {len(sessions):,}{whose} for {choices.topic_told}; "
            "choose some by --where, or draw all small: sessionkit chart session-wall"
        )
    frame = curve_with_stops(only(study, sessions), measure, per="session")
    title = "Single sessions and where they stopped"
    names = [] if choices.system == EVERYONE else [f"{choices.system}{_one_of(n_groups, columns)}"]
    if choices.topic is not None:
        n_topics = study.sessions.select(pl.col("topic_id").drop_nulls().n_unique()).collect().item()
        names.append(f"topic {choices.topic}{_one_of(n_topics, 'topics')}")
    chart = charts.single_sessions(
        choices.redaction.frame(frame, study),
        color=choices.colors[choices.system],
        normalized=measure.normalized,
        subtitle=", ".join(names) or None,
        measure=str(measure),
        synthetic=choices.synthetic,
        title=title,
    )
    why = f", the first of {n_groups} {columns}," if n_groups > 1 else ""
    caption = (
        f"Every session{whose}{why} for {choices.topic_told}: {measure} after every slot; {counted(len(sessions), 'session')}. "
        f"A point marks where the searcher stopped{_number_told(frame)}; dashes hold the gain to the end of the longest session."
        f"{choices.told(measure)}"
    )
    return Figure("single-sessions", title, chart, caption)


def _number_told(curves: pl.DataFrame) -> str:
    """What a number beside a point is; nothing where no two sessions stopped at one place with one gain."""
    stops = curves.filter(~pl.col("stopped")).group_by("session_id").agg(pl.col("slot", "value").sort_by("slot").last())
    places = stops.drop_nulls("value").group_by("slot", "value").len()
    return ", a number beside it how many stopped there with the same gain" if (places["len"] > 1).any() else ""


def _one_of(number: int, things: str) -> str:
    """That there are others of which one is shown."""
    return f" (1 of {number:,} {things})" if number > 1 else ""


def _sessions_of_topic(study: Study, choices: Choices, queries: int = 0) -> pl.Series:
    """The sessions of the topic that is shown, all where there is none, with at least so many logged lists."""
    sessions = logged_lists(study, ["session_id", "topic_id"]).filter(pl.col(MANY) >= queries)
    if choices.topic is not None:
        sessions = sessions.filter(pl.col("topic_id") == choices.topic)
    return sessions.get_column("session_id")


def _exact(choices: Choices, cutoff: int = TOP) -> Measure | None:
    """The one measure asked for, cut at its own or the usual rank; what cannot be drawn is refused where it is used."""
    exact = choices.exact
    return exact @ (exact.cutoff or cutoff) if exact is not None and exact.has_ranks else exact


def _discounted(measure: Measure) -> str:
    """That later queries of a session count less, where the measure discounts queries."""
    applied = measure.gain_measure is not None and measure.parameters().get("query_discount", "none") != "none"
    return ", each discounted by its position in the session" if applied else ""


def _sessions(frame: pl.DataFrame) -> str:
    """The number of sessions of every group."""
    return by_group(natural_sort(frame.group_by("group").agg(pl.col("n").max()), "group").rows())
