"""Sections about sessions: curves along them, last against earlier queries, one session by itself, and the explorer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl

from sessionkit.display.labels import label, natural_sort
from sessionkit.display.numbers import MINUS, counted, listed, p_statistic
from sessionkit.display.tables import TextTable, table_of
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.reports.choices import NAMED, Choices
from sessionkit.reports.explorer.widget import TEXTS, columns_of_sessions, widget
from sessionkit.reports.figures.figure import Figure, figures
from sessionkit.reports.figures.session_curves import QUESTIONS, curves_of_all, difference_of, usual_length
from sessionkit.reports.figures.session_wall import draw_wall
from sessionkit.reports.parts import FigureRow, Part, Widget, Words
from sessionkit.reports.report_data import Material, StudyQuestion
from sessionkit.reports.sample import MOST, fitting, in_memory, only, room_of
from sessionkit.reports.sections.section_kind import section
from sessionkit.scoring.explain import explain
from sessionkit.scoring.measures.describe import measure_interval_text, value_text
from sessionkit.scoring.score import score
from sessionkit.sessions.breakdown_tests import TOLD, BreakdownTests
from sessionkit.statistics.bands import EVERYONE, with_groups
from sessionkit.study import Study
from sessionkit.study.counts import was_clicked

TESTED = (
    "group", "value", "value_against", "estimate", "low", "high", "p", "users", "sessions", "left_out_single_query", "left_out_undefined",
)  # fmt: skip
TEST_HEADINGS = {
    "value": "Last", "value_against": "Earlier", "sessions": "Sessions", "left_out_single_query": "Of one query",
    "left_out_undefined": "Undefined", "low": "95% from", "high": "to", "p": "p", "users": "Users",
}  # fmt: skip
FOLDED = ("session-curve", "topic-curves", "single-sessions")
"""Figures that are folded."""


def parts_of_sessions(of: Material) -> StudyQuestion[BreakdownTests]:
    """Whether the last query of a session differs from those before it."""
    return of.last_queries_question()


def _of_figure(
    question: Callable[[Study, Choices], StudyQuestion[pl.DataFrame]],
) -> Callable[[Material], StudyQuestion[Any]]:
    """What a figure asks, of the sessions that it shows."""
    return lambda of: question(of.shown, of.choices)


@section("last-queries", "Tests of last queries against earlier ones")
def last_queries(of: Material) -> list[Part]:
    """Return the tests of last queries against earlier ones, in full."""
    if of.unjudged is not None or of.study.facts.sessions < 2:
        return []
    return _tested(of)


@section("differences-along", "Difference along the session")
def differences_along(of: Material) -> list[Part]:
    """Return how far one of two groups is ahead after every slot, with intervals."""
    if of.unjudged is not None or of.study.facts.sessions < 2 or of.apart is None:
        return []
    return [difference_of(of.apart, of.choices.ratio, of.study, of.choices)]


@section("further-curves", "Normalized curves, and curves of one topic and of single sessions")
def further_curves(of: Material) -> list[Part]:
    """Return Figures 2 to 4 of ECIR 2008."""
    if of.unjudged is not None or of.study.facts.sessions < 2:
        return []
    return [*figures(of.shown, of.highlighting, FOLDED)]


def curves_of_gain(study: Study, choices: Choices) -> StudyQuestion[pl.DataFrame]:
    """Curves of gain beside its ideal, which is not divided by it."""
    return curves_of_all(study, _of_gain(choices))


def _of_gain(choices: Choices) -> Choices:
    """The choices, for curves of the sum of gains."""
    return replace(choices, exact=choices.measure)


@section(
    "sessions",
    "When in the session?",
    of_shown=[*map(_of_figure, (*QUESTIONS, curves_of_gain)), parts_of_sessions],
    details=(last_queries, differences_along, further_curves),
)
def sessions(of: Material) -> list[Part]:
    """Return whether the last query is the best one, and how gain grows along the session beside that of the ideal session."""
    if of.unjudged is not None or not of.study.facts.sessions:
        return []
    if of.study.facts.sessions == 1:
        return [FigureRow(tuple(gain_over_session(of)))]
    (parts,), (curves,) = (
        figures(of.shown, choices, [kind])
        for kind, choices in (("last-vs-nonlast", of.highlighting), ("session-curve", _of_gain(of.highlighting)))
    )
    ahead = [] if of.apart is None else [of.paragraph(_ahead(of.apart, of))]
    along = _along(of) if curves.chart is not None else []
    last = parts if parts.chart is not None else Words((f"Last and earlier queries. {parts.caption}",))
    return [*of.sampled, *_of_last(of), last, *along, *ahead, curves]


def _ahead(found: pl.DataFrame, of: Material) -> str:
    """How far one of two groups is ahead at the ends of queries, and at which of them surely."""
    means = found.filter(pl.min_horizontal("n_a", "n_b") > 1).drop_nulls("estimate")
    ends = usual_length(means, of.study)[0].group_by("query_position", maintain_order=True).last()
    known = [
        f"{'+' if value > 0 else ''}{value_text(str(of.choices.ratio), value)} after query {query}"
        for value, query in ends.select("estimate", "query_position").rows()
    ]
    along = known[0] if len(known) == 1 else f"from {known[0]} to {known[-1]}"
    told = f"{found.item(0, 'b')} {MINUS} {found.item(0, 'a')} in {of.choices.ratio}: {along}."
    if not ends["low"].count():
        return told
    sure = ends.filter((pl.col("low") > 0) | (pl.col("high") < 0))["query_position"].to_list()
    where = f"after {'query' if len(sure) == 1 else 'queries'} {listed([str(one) for one in sure])}" if sure else ""
    if not where:
        return f"{told} The 95% interval of each query by itself includes 0 after every query."
    return f"{told} The 95% interval of each query by itself excludes 0 {where}."


def _along(of: Material) -> list[Part]:
    """The mean of each group, or between which those of many lie, after the first and the last query that are drawn; and the ideal."""
    question = curves_of_gain(of.shown, of.highlighting)
    means = with_groups(question.answer(), [of.choices.by]).drop_nulls("value")
    if means.is_empty():
        return []
    shown = usual_length(means, of.shown)[0]
    ends = natural_sort(shown.group_by("group", "query_position", maintain_order=True).last(), "group")
    told, measure = [], question.given[0]
    first, *later = ends["query_position"].unique().sort().to_list()
    for query in [first, *later[-1:]]:
        here = ends.filter(query_position=query)
        values = here["value"].sort()
        each = [
            f"{value_text(str(measure), value)}{'' if group == EVERYONE else f' with {of.named(group)}'}"
            for group, value in here.select("group", "value").rows()
        ]
        known = (
            listed(each)
            if len(each) <= NAMED
            else f"{value_text(str(measure), values[0])} to {value_text(str(measure), values[-1])} by group"
        )
        told.append(f"{known} after query {query}")
    ideals = ends.filter(pl.col("query_position") == pl.col("query_position").max())["ideal"].drop_nulls()
    ideal = ""
    if len(ideals):
        low, high = (value_text(str(measure), float(end)) for end in (ideals.min(), ideals.max()))  # type: ignore[arg-type]  # numbers
        ideal = f" The ideal sessions reach {low if low == high else f'{low} to {high} by group'}."
    return [of.paragraph(f"Mean {measure} along the session: {'; '.join(told)}.{ideal}")]


def _of_last(of: Material) -> list[Part]:
    """The difference of last and earlier queries of each group, or in how many of many groups it is known, in a sentence."""
    found = of.last_queries
    if isinstance(found, str):
        return []
    tests = with_groups(found.table, [of.choices.by]).filter(pl.col("test") == TOLD[found.units]).drop_nulls("estimate")
    tests = natural_sort(tests, "group")
    if tests.is_empty():
        return []
    what = f"Last minus earlier queries of a session, by {of.choices.tested}"
    reasons = with_groups(found.no_verdict, [of.choices.by]).select("group", "why")
    tests = tests.join(reasons, on="group", how="left", maintain_order="left")
    if len(tests) > NAMED:
        tested = tests.drop_nulls("low").filter(pl.col("why").is_null())
        if tested.is_empty():
            return [of.paragraph(f"{what}: too few {found.units} of every group have both for a verdict.")]
        higher, lower = int((tested["low"] > 0).sum()), int((tested["high"] < 0).sum())
        sides = f"above 0 in {higher:,} of {counted(len(tested), 'group')}, below 0 in {lower:,}"
        return [of.paragraph(f"{what}: the 95% interval, which is of each group by itself, is {sides}.")]
    told, measure = [], str(of.choices.tested)
    for row in tests.iter_rows(named=True):
        many = counted(row["users"], "user") if found.units == "users" else counted(row["sessions"], "session")
        ends = (
            None if row["low"] is None else measure_interval_text(measure, row["low"], row["high"], of_difference=True)
        )
        interval = "" if ends is None else f"95% CI {ends}, "
        chance = "" if row["p"] is None else f"{p_statistic(row['p'])}, "
        between = f" ({interval}{chance}n = {many})"
        group = "" if row["group"] == EVERYONE else f"{of.named(row['group'])} "
        told.append(f"{group}{'+' if row['estimate'] > 0 else ''}{value_text(measure, row['estimate'])}{between}")
    why = tests.drop_nulls("why").select("group", "why").rows()
    limits = [f" {reason if group == EVERYONE else f'{of.named(group)}: {reason}'}." for group, reason in why]
    if len(tests) > 1:
        what += f", each {of.choices.legend.lower()} by itself"
    return [of.paragraph(f"{what}: {listed(told)}.{''.join(limits)}")]


def _tested(of: Material) -> list[Part]:
    """Whether the last query of a session differs from those before it."""
    measure, found = of.choices.tested, of.last_queries
    if isinstance(found, str):
        return [Words((f"Last and earlier queries were not tested: {of.redaction.note(found)}.",))]
    named = with_groups(found.table, [of.choices.by])
    shown = named.filter((pl.col("test") == TOLD[found.units]) | pl.col("test").is_null()).select(TESTED)
    over = "users, each of whose sessions are averaged first" if found.units == "users" else "sessions"
    headers = {"group": of.choices.legend, "estimate": "Difference", **TEST_HEADINGS}
    note = (
        f"Last and Earlier are means over {over}; sessions of one query and undefined ones are left out. The figure has means over "
        "sessions, at each rank."
    )
    table = table_of(
        f"{measure} of last and earlier queries, within sessions", shown, headers=headers, note=note, decimals=4
    )
    return [of.told(found.statements), table]


QUERY_HEADINGS = {
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
    headers, note = dict(QUERY_HEADINGS), None
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


SNIPPET = TEXTS[1]
PANELS = 120
"""Sessions of which a page shows the panels, at most."""
OPENS = "A click on a session opens it below, with its queries, results and clicks."
NOT_PRINTED = (
    "The wall of sessions is not printed with the page: saved as the chart session-wall, it has sheets for paper."
)


@section("explorer", "Every session, result by result")
def explorer(of: Material) -> list[Part]:
    """Find a session; see its queries, lists, clicks, what each result added, and its curve under the ideal's."""
    return explorer_parts(of, room_of(of.study))


def explorer_parts(of: Material, room: int) -> list[Part]:
    """Return the explorer of as many sessions as fit into so many bytes, below what is said of them."""
    everyone = of.study.facts.sessions
    if not everyone:
        return []
    made, held, shortened = _made(of, room)
    about = (
        "There are no judgments, so nothing has a gain."
        if of.unjudged is not None
        else f"Gains and curves are those of {of.choices.measure}; where one session is drawn, the gray dashed curve is that of "
        "its own ideal, whose end is the height of the small curves in the table; where two are, the dashed curve is the second session's."
    )
    if held == everyone:
        told = f"All {everyone:,} sessions are here." if everyone > 1 else "The one session is here."
    else:
        told = f"Here are {held:,} of {everyone:,} sessions, drawn at random with a fixed seed, so that the page stays small."
    left = [
        f"{kind.capitalize()} are left out." for kind in ("queries", "documents", "users") if kind in of.redaction.kinds
    ]
    left += ["Snippets are left out, so that the page stays small."] if shortened else []
    return [Words((" ".join([told, about, *left]),)), made]


def _made(of: Material, room: int) -> tuple[Widget, int, bool]:
    """The explorer with as many sessions as it has room for, their number, and whether it has no room for snippets.

    Snippets give way to sessions, since they are most of the text of a log.
    """
    measure = of.choices.measure
    ids = fitting(of.shown, of.drawn(MOST), measure.cutoff or 0, room)
    some = only(of.shown, ids)
    held = some if some is of.shown else in_memory(some)
    primary = next(iter(of.measures), None)
    columns = columns_of_sessions(held, measure, of.redaction, of.study, primary=primary, is_bounded=not of.large)
    order, shortened = ids["session_id"].sort(), False
    while True:
        drawn = len(ids) < of.study.facts.sessions
        made = widget(columns, measure, synthetic=of.choices.synthetic, drawn=drawn)
        size = len(made.data_text.encode())
        if size <= room or len(ids) <= 1:
            return made, len(ids), shortened
        if SNIPPET in columns.texts:
            columns, shortened = columns.without(SNIPPET), True
            continue
        ids = ids.head(max(1, int(0.95 * len(ids) * room / size)))
        chosen = order.is_in(ids["session_id"].implode())
        columns, order = columns.only(chosen), order.filter(chosen)


def _choices_of_panels(of: Material) -> Choices:
    """Return what figures of single sessions have in common: they are of the primary measure, where that is a sum over results."""
    is_sum = of.unjudged is None and of.primary.level == "session" and of.primary.gain_measure is not None
    return of.choices_of_primary if is_sum else of.colored


def _has_clicks(of: Material) -> bool:
    """Whether any result was clicked."""
    clicked = was_clicked(of.shown.columns("results"))
    return bool(of.shown.results.select(clicked.any()).collect().item())


@section("exemplar", lambda of: "Two sessions side by side" if of.unjudged is None else "The longest session in time")
def exemplar(of: Material) -> list[Part]:
    """Return two sessions of one topic, which differ much; where nothing is judged a session in time."""
    if of.large or of.study.facts.sessions < 2:
        return []
    kind = "session-timeline" if of.unjudged is not None else "session-pair"
    return [figure for figure in figures(of.study, _choices_of_panels(of), [kind]) if figure.chart is not None]


@section("every-session", "Browse sessions", details=(exemplar, explorer))
def every_session(of: Material) -> list[Part]:
    """Return the wall of all sessions, or of a sample; of one session its card."""
    n_sessions = of.study.facts.sessions
    if not n_sessions:
        return []
    choices = _choices_of_panels(of)
    if n_sessions == 1:
        (card,) = figures(of.study, choices, ["session-card"])
        return [card] if card.chart is not None else []
    if of.unjudged is not None and not _has_clicks(of):
        none = f"The log has neither judgments nor clicks, so {n_sessions:,} sessions have no curve to draw; they are listed below."
        return [of.paragraph(none)]
    if n_sessions <= PANELS:
        drawn = figures(of.study, choices, ["session-wall"])
        return [Words((OPENS,), medium="screen"), Words((NOT_PRINTED,), medium="paper"), *drawn]
    ids = of.drawn(PANELS)["session_id"]
    sampled = f"{PANELS} of {n_sessions:,} sessions are here, drawn at random with a fixed seed. The chart session-wall draws all. {OPENS}"
    wall = draw_wall(of.shown, choices, ids, is_bounded=not of.large, whole=of.study)
    return [Words((sampled,), medium="screen"), Words((NOT_PRINTED,), medium="paper"), wall]
