"""What a gain costs: documents, queries and time to reach it, and how far searchers go."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import polars as pl

from sessionkit.arguments import StudyTable
from sessionkit.display.labels import in_natural_order, natural_sort
from sessionkit.display.numbers import counted, share_text
from sessionkit.display.statements import Kind, Statement, Value
from sessionkit.display.tables import TextTable
from sessionkit.errors import MeasureError, UsageError, suggestion
from sessionkit.scoring import exact
from sessionkit.scoring.gains import gain_expr
from sessionkit.scoring.ideals import require_curve
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.needs import columns_read, measure_of
from sessionkit.scoring.reduction import run
from sessionkit.sessions.curve import curve_task
from sessionkit.sessions.effort_counts import (
    AGAINST,
    ALONG,
    CHANCES,
    PLATEAU,
    REACH,
    SEARCHER,
    SPENT,
    EffortReduction,
    against_table,
    chances_table,
    plateau_table,
    reach_table,
    searcher_table,
    spent_table,
)
from sessionkit.statistics.bands import Grouping, by_columns
from sessionkit.statistics.findings import MORE, SESSIONS, Finding, stated, traced
from sessionkit.statistics.paper_tables import by_words, chosen_columns
from sessionkit.study import Study
from sessionkit.study.counts import QUERY_TIMES, TIMES
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import guarded_read


@traced
@guarded_read
def effort(
    study: Study,
    measure: str | Measure,
    by: str | None = "system_id",
    *,
    where: Where = None,
    against: str | None = None,
    gain: float | None = None,
    document_cost: float = 1.0,
    query_cost: float = 0.0,
    memory: str | int | None = None,
) -> Effort:
    """Read curves horizontally, and a measure's discounts as a searcher.

    How many documents, and queries, does it take to gain what the ideal has gained at rank r? Each session's curve is read
    (each list's, of a measure of queries), and the group's mean curve beside it. Where does the ideal stop rising (Järvelin
    & Kekäläinen's rule for when to stop)? How many results does the searcher look at whom the discounts describe?

    Parameters
    ----------
    study
        The study.
    measure
        A measure that adds up gains, with a cutoff, such as ``"sDCG@10"`` or ``"CG@10"``. Of others with discounts (RBP,
        esDCG) or a clock (TBG, U) only the searcher is told.
    by
        Column of the sessions or users to group by; None, or ``"all"``, all together.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    against
        A group whose mean curve the others are read against: after how many results they have the gain that it has at rank r (TOIS
        2002, section 4); by default curves are read against ideals alone. Mean curves of lists leave out queries with nothing relevant.
    gain
        The gain that the table ``spent`` tells of, above 0; by default that of one document of the highest grade that was given
        or, if nobody comes to it, the lowest of the groups' mean gains in the end, which some do.
    document_cost, query_cost
        What looking at a result costs, and asking a query, in any unit, such as seconds; 0 or more.
    memory
        Memory to work within, see `sessionkit.score`.

    Returns
    -------
    Effort
        With ``reach``, ``against``, ``plateau``, ``spent``, ``searcher``, ``chances`` and ``reading``.

    Raises
    ------
    UsageError
        A column or group does not exist, a cost is below 0, or a gain not above it.
    MeasureError
        The measure does not exist, has neither curves nor a searcher, or lacks a cutoff.

    Notes
    -----
    Discounts that are 1 at rank 1 and never rise are the chances to look that far; their sum is the expected number of
    results. Geometric ones have one without end: RBP looks at 1 / (1 - p) results; sRBP at 1 / (1 - p) of
    (1 - bp) / (1 - p) queries. Logarithmic and reciprocal ones have none: as stopping models they hang on the cutoff.
    ``rn2002`` with b > 2 rises, and is no stopping model.

    Sources: Järvelin & Kekäläinen, TOIS 2002; Moffat & Zobel, TOIS 2008; Lipani, Carterette & Yilmaz, ICTIR 2019.

    Examples
    --------
    Gains 3, 2, 3, 0, 0, 1 of a recall base 3, 3, 3, 2: the ideal has 9 after three documents, the list after six:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 6, "query_position": [1] * 6, "rank": range(1, 7), "doc_id": list("abcxyd")},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"] * 5, "doc_id": list("abcde"), "grade": [3, 2, 3, 1, 3]},
    ... )
    >>> sk.effort(study, "CG@6", by=None).reach.select("rank", "reached", "documents").head(3).rows()
    [(1, 1, 1), (2, 1, 3), (3, 1, 6)]
    """
    study = restricted(study, where)
    asked = _asked(study, measure)
    _require_numbers(gain, document_cost, query_cost)
    who, described = asked.searcher()
    timed = asked.clock()
    grouping = Grouping.of(study, by, {*REACH, *AGAINST, *PLATEAU, *SPENT, *SEARCHER} - {"group"}, several=False)
    wanted = gain if gain is not None or asked.gain_measure is None else _best(study, asked.gain_measure)
    has_times = bool({*QUERY_TIMES} & {*study.columns("queries")})
    task = EffortReduction(asked, grouping, who, _reads(study, asked, timed=has_times), wanted, has_times)
    why_not = _no_curve(asked)
    if why_not is not None and who is None and timed is None:
        msg = (
            f"{asked} has neither curves nor a searcher: {described}; ask for one such as sDCG@10, CG@10 or RBP(p=0.8)"
        )
        raise MeasureError(msg)
    reach, plateau, spent = REACH.to_frame(), PLATEAU.to_frame(), SPENT.to_frame()
    if task.curved is not None and asked.level == "session":
        if require_curve(asked).normalized_by_query:
            msg = f"{asked} divides each query by its own ideal, and sums no gain along the session; leave out normalize=query"
            raise MeasureError(msg)
        found, means = run(study, [task, curve_task(study, asked, by, normalize="none")], memory)
        means = grouping.named(means)
        place = pl.col("slot").cast(pl.Int64)
        curves = means.select("group", "ideal", rank=place, total="value").drop_nulls()
    else:
        (found,) = run(study, [task], memory)
        means = found.filter(pl.col("what") == "curve").select(
            "group", slot="rank", value=exact.unfixed(pl.col("total")) / pl.col("many")
        )
        totals = pl.col("total", "ideal").cast(pl.Int128)
        curves = found.filter(pl.col("what") == "curve").select("group", "rank", totals)
    source = None if gain is not None else BEST
    if gain is None and task.curved is not None and not _had(found):
        lowest = _lowest_end(means)
        if lowest is not None:
            wanted, source = lowest
            (again,) = run(study, [replace(task, gain=wanted)], memory)
            found = pl.concat([found.filter(~pl.col("what").is_in(ALONG)), again.filter(pl.col("what").is_in(ALONG))])
    read_against = AGAINST.to_frame()
    if against is not None:
        read_against = _read_against(asked, means if task.curved is not None else None, against)
    if task.curved is not None:
        reach = reach_table(found.filter(pl.col("what") == "reach"), curves)
        plateau = plateau_table(found.filter(pl.col("what") == "plateau"))
        spent = spent_table(found.filter(pl.col("what").is_in(ALONG)), 0.95)
    table, chances = SEARCHER.to_frame(), CHANCES.to_frame()
    if who is not None:
        table = searcher_table(who, found, asked.cutoff, document_cost, query_cost)
        chances = chances_table(who, asked.cutoff)
    statements = statements_of(
        asked,
        reach,
        plateau,
        spent,
        table,
        against=read_against,
        gain=wanted,
        searcher=described,
        timed=timed,
        why_no_curve=why_not,
    )
    return Effort(
        reach=by_columns(study, by, reach),
        against=by_columns(study, by, read_against),
        plateau=by_columns(study, by, plateau),
        spent=by_columns(study, by, spent),
        searcher=by_columns(study, by, table),
        chances=chances,
        statements=stated(statements, study.restriction),
        gain=wanted,
        gain_source=source if wanted is not None else None,
        measure=str(asked),
        by=next(iter(grouping.keys), None),
        document_cost=float(document_cost),
        query_cost=float(query_cost),
    )


def _require_numbers(gain: float | None, document_cost: float, query_cost: float) -> None:
    """Refuse a gain that is not above 0, and costs below 0."""
    for name, cost in (("document_cost", document_cost), ("query_cost", query_cost)):
        if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < math.inf:
            raise UsageError(f"{name} must be a number of at least 0, not {cost!r}")
    if gain is not None and (isinstance(gain, bool) or not isinstance(gain, int | float) or not 0 < gain < math.inf):
        raise UsageError(f"gain must be a number above 0, not {gain!r}")


def _read_against(measure: Measure, means: pl.DataFrame | None, against: str) -> pl.DataFrame:
    """Return the mean curves of groups (``group``, ``slot``, ``value``) as read against that of one of them."""
    if means is None:
        raise UsageError(f"against={against}: {_no_curve(measure)}")
    curves = means.select("group", "value", rank=pl.col("slot").cast(pl.Int64)).drop_nulls()
    groups = in_natural_order(curves.get_column("group").unique())
    if against not in groups:
        raise UsageError(
            f"there is no group {against!r} to read against{suggestion(against, groups)}; groups: {', '.join(groups[:20])}"
        )
    if len(groups) < 2:
        raise UsageError(f"against={against}: there is no other group; group by another column")
    return against_table(curves, against)


def _reads(study: Study, asked: Measure, *, timed: bool) -> dict[str, list[str]]:
    """Columns to read, by table: those of the measure and, of queries with times, those that say when a session began."""
    reads = {name: [*columns] for name, columns in columns_read(study, [asked]).items()}
    tables: tuple[StudyTable, ...] = ("sessions", "queries", "results")
    for name in tables if timed else ():
        times = [one for one in TIMES[name] if one in study.columns(name)]
        reads[name] = [*dict.fromkeys([*reads.get(name, ()), *times])]
    return reads


def _best(study: Study, measure: GainMeasure) -> float | None:
    """The gain of one document of the highest grade that was given; None where that gains nothing."""
    best = gain_expr(pl.col("grade").cast(pl.Float64), measure.gain, measure.min_grade).max()
    found = study.judgments.select(best).collect().item()
    return float(found) if found else None


def _had(found: pl.DataFrame) -> bool:
    """Whether anybody comes to the gain."""
    return bool(found.filter(pl.col("what").is_in(ALONG), pl.col("rank").is_not_null()).height)


def _lowest_end(means: pl.DataFrame) -> tuple[float, str] | None:
    """The lowest mean that a group ends with, above 0 and rounded down to two digits, and whose it is; None where there is none."""
    ends = means.drop_nulls("value").sort("slot").group_by("group", maintain_order=True).agg(pl.col("value").last())
    ends = natural_sort(ends.filter(pl.col("value") > 0), "group").sort("value", maintain_order=True)
    if ends.is_empty():
        return None
    group, mean = ends.row(0)
    step = 10.0 ** (math.floor(math.log10(mean)) - 1)
    down = float(f"{math.floor(mean / step) * step:.2g}")
    return down, ALONE if len(ends) == 1 else f"the mean that {group} ends with, the lowest of {len(ends)} groups"


BEST, ALONE = "that of one document of the highest grade given", "the mean gain in the end"
"""What a gain is that was not asked for."""


def _asked(study: Study, measure: str | Measure) -> Measure:
    """The measure, which must be no aggregate of others."""
    asked = measure_of(study, measure)
    if asked.wraps:
        msg = f"{asked} has no curve of its own; ask for {_readable(asked)}"
        raise MeasureError(msg)
    asked.require_parameters()
    if asked.gain_measure is not None and asked.cutoff is None:
        msg = f"{asked} needs a cutoff here, the depth of its curves and ideals; for example {asked @ 10}"
        raise MeasureError(msg)
    return asked.inner


def _readable(measure: Measure) -> str:
    """What to ask for in place of an aggregate: the measure inside, if there is anything to read of it."""
    inside = measure.inner
    inside.require_parameters()
    if inside.gain_measure is not None:
        return f"the measure inside: {inside @ (inside.cutoff or 10)}"
    if inside.searcher()[0] is not None or inside.clock() is not None:
        return f"the measure inside: {inside}"
    return "one such as sDCG@10, CG@10 or RBP(p=0.8)"


def _no_curve(measure: Measure) -> str | None:
    """Why a measure has no curves to read; None where it has."""
    if measure.gain_measure is not None:
        return None
    return f"{measure} does not sum gains along a list; for curves ask for CG@10, DCG@10 or sDCG@10."


TOLD = (1, 3, 5, 10, 20)
"""Ranks of the ideal that the text speaks of, where the measure has them."""
MOST_GROUPS = 12
"""Groups that are read out."""


def statements_of(
    measure: Measure,
    reach: pl.DataFrame,
    plateau: pl.DataFrame,
    spent: pl.DataFrame,
    table: pl.DataFrame,
    *,
    against: pl.DataFrame,
    gain: float | None,
    searcher: str,
    timed: str | None,
    why_no_curve: str | None,
) -> list[Statement]:
    """Put the tables of `sessionkit.effort` into words."""
    unit = "session" if measure.inner.level == "session" else "list"
    groups = pl.concat([reach["group"], plateau["group"], table["group"].drop_nulls()]).unique(maintain_order=True)
    named = groups.head(MOST_GROUPS)
    reach, against, plateau, spent = (
        frame.filter(pl.col("group").is_in(named.implode(), nulls_equal=True))
        for frame in (reach, against, plateau, spent)
    )
    table = table.filter(pl.col("horizon").ne("as shown") | pl.col("group").is_in(named.implode()))
    statements = [*_reach(reach, unit), *_against(against), *_plateau(plateau, unit), *_spent(spent, unit, gain)]
    if why_no_curve is not None:
        statements.append(Statement("no_curve", why_no_curve, {"measure": str(measure)}))
    elif reach.is_empty():
        text = f"{measure}: no judged document gains anything for any of these {unit}s, so no ideal can be reached."
        statements.append(Statement("no_gain", text, {"measure": str(measure), "unit": unit}))
    stops = not table.is_empty() or bool(timed)
    description = timed or searcher
    text = (
        f"{measure}: the searcher that its discounts describe {description}."
        if stops
        else f"{measure}: its discounts describe no searcher who stops; {description}."
    )
    values: dict[str, Value] = {"measure": str(measure), "stops": stops, "description": description}
    statements += [Statement("searcher", text, values), *_searcher(table)]
    if len(groups) > MOST_GROUPS:
        more = len(groups) - MOST_GROUPS
        text = f"The other {more:,} of {len(groups):,} groups are in the tables of sessionkit effort."
        values = {"count": more, "what": "group", "verb": "effort", "total": len(groups)}
        statements.append(Statement("more", text, values))
    return statements


def _reach(reach: pl.DataFrame, unit: str) -> Iterator[Statement]:
    """What it takes to have what an ideal has."""
    for row in reach.filter(pl.col("rank").is_in([*TOLD])).iter_rows(named=True):
        values = {name: row[name] for name in REACHED} | {"unit": unit}
        yield Statement("reach", _reach_text(row, unit), values)


def _reach_text(row: dict[str, Any], unit: str) -> str:
    """Say how many come to the gain of the ideal, and after how much."""
    first = "the first document" if row["rank"] == 1 else f"{row['rank']} documents"
    gain = f"{counted(row['units'], unit)} {'reaches' if row['units'] == 1 else 'reach'}"
    text = f"{row['group']}: {row['reached']:,} of {gain} the gain of the ideal after {first}"
    if row["documents"] is None:
        return f"{text}{'; more than half never do' if row['reached'] else ''}."
    queries = f" and {counted(row['queries'], 'query')}" if unit == "session" else ""
    have = "it does" if row["units"] == 1 else f"half of all {unit}s do"
    return f"{text}; {have} so within {counted(row['documents'], 'result')}{queries}."


def _against(against: pl.DataFrame) -> Iterator[Statement]:
    """After how many results the mean curves of groups have the gain of another group's."""
    for (group,), rows in against.filter(pl.col("rank").is_in([*TOLD])).group_by("group", maintain_order=True):
        values: dict[str, Value] = {"group": group, "against": rows["against"][0]}
        values |= {name: rows[name].to_list() for name in ("rank", "mean_curve")}
        yield Statement("against", _against_text(group, rows), values)


def _against_text(group: object, rows: pl.DataFrame) -> str:
    """Say at which ranks a mean curve has the gain of another, and after how many results."""
    reached = rows.drop_nulls("mean_curve")
    missed = rows.filter(pl.col("mean_curve").is_null())
    curve, gain = f"{group}: its mean curve", f"the gain that the mean curve of {rows['against'][0]} has"
    if reached.is_empty():
        return f"{curve} never reaches {gain} after {_listed(missed, 'rank')} results."
    never = "" if missed.is_empty() else f"; it never reaches that after {_listed(missed, 'rank')}"
    return f"{curve} needs {_listed(reached, 'mean_curve')} results for {gain} after {_listed(reached, 'rank')}{never}."


def _listed(rows: pl.DataFrame, column: str) -> str:
    """Numbers of a column, joined by commas."""
    return ", ".join(f"{number:,}" for number in rows[column])


def _plateau(plateau: pl.DataFrame, unit: str) -> Iterator[Statement]:
    """Where the ideal stops rising."""
    for row in plateau.iter_rows(named=True):
        beyond = f"; beyond the cutoff for {row['beyond']:,} of {counted(row['units'], unit)}" if row["beyond"] else ""
        stop = "there or at the cutoff" if row["beyond"] else "there"
        text = (
            f"{row['group']}: the ideal stops rising after {_about(row['mean'], 'document')} on average ({row['least']} to {row['most']}"
            f"{beyond}); a searcher who stops {stop} has {share_text(row['gained'], 0)} of the ideal's gain."
        )
        yield Statement("plateau", text, {name: row[name] for name in LEVEL} | {"unit": unit})


def _spent(spent: pl.DataFrame, unit: str, gain: float | None) -> Iterator[Statement]:
    """How many units come to a gain, and after how much."""
    for (group,), rows in spent.group_by("group", maintain_order=True):
        last = rows.filter(pl.col("along") == "results").row(-1, named=True)
        half = _half(rows)
        text = (
            f"{group}: {last['reached']:,} of {counted(last['units'], unit)} gain {gain:g} or more in all"
            f"{_half_text(half, unit)}."
        )
        values: dict[str, Value] = {"group": group, "unit": unit, "gain": gain, "half": half}
        yield Statement("spent", text, values | {name: last[name] for name in ("units", "reached")})


def _half(rows: pl.DataFrame) -> dict[str, int]:
    """Within how much half of all units have the gain, as far as they do; no minutes where the first query at once brought it."""
    half = rows.filter(pl.col("share") >= 0.5).group_by("along", maintain_order=True).agg(pl.col("amount").min())
    return dict(half.filter(pl.col("amount") > 0).iter_rows())


def _half_text(half: dict[str, int], unit: str) -> str:
    """Say within how much half of all units have the gain."""
    within = [counted(amount, {"queries": "query"}.get(along, along[:-1])) for along, amount in half.items()]
    if not within:
        return ""
    several = f"{', '.join(within[:-1])} and {within[-1]}" if len(within) > 1 else within[0]
    return f"; half of all {unit}s do so within {several}"


def _searcher(table: pl.DataFrame) -> Iterator[Statement]:
    """What the searcher looks at."""
    for row in table.iter_rows(named=True):
        amounts = {name: row[name] for name in ("documents", "queries")}
        if row["horizon"] == "endless":
            text = (
                "In endless lists it looks at infinitely many results on average: only the cutoff, or the end of the lists, stops it."
                if row["documents"] is None
                else f"In endless lists it looks at {_about(row['documents'], 'result')}{_of(row['queries'])} on average."
            )
            yield Statement("endless_lists", text, amounts)
        elif row["group"] is not None:
            text = (
                f"{row['group']}: in the lists as shown it looks at {_about(row['documents'], 'result')}{_of(row['queries'])} on "
                f"average, at a cost of {row['cost']:.4g}."
            )
            yield Statement("shown_lists", text, {"group": row["group"], **amounts, "cost": row["cost"]})


def _of(queries: float) -> str:
    """Of how many queries results are."""
    number = f"{queries:.3g}"
    return "" if number == "1" else f" of {number} queries"


def _about(number: float, noun: str) -> str:
    """A mean number of things."""
    text = f"{number:.3g}"
    return f"{text} {noun}{'' if text == '1' else 's'}"


GROUP = {"group": "the group of sessions"}
UNITS = {"unit": "what is counted: session or list", "units": "how many of these there are that have an ideal"}
REACHED = {
    **GROUP,
    "rank": "rank of the ideal",
    "units": UNITS["units"],
    "reached": "how many of these come to the ideal's gain at the rank",
    "documents": "results within which half of them do; null where fewer do",
    "queries": "queries within which half of them do; null where fewer do",
}
LEVEL = {
    **GROUP,
    "units": UNITS["units"],
    "mean": "mean number of documents after which the ideal stops rising",
    "least": "the smallest of these numbers",
    "most": "the largest of these numbers",
    "beyond": "how many units have it beyond the cutoff",
    "gained": "share of the ideal's gain of one who stops there, or at the cutoff",
}
MEASURE = {"measure": "text of the measure"}
AMOUNTS = {"documents": "mean number of results; null where it has no end", "queries": "mean number of queries"}
"""Values of statements, see `sessionkit.Statement`."""


@dataclass(frozen=True, eq=False, repr=False)
class Effort(Finding):
    """What searchers do for a gain; made by `sessionkit.effort`.

    Parameters
    ----------
    reach
        Curves read horizontally, by the columns that make the groups and ``rank`` of the ideal: ``units`` (sessions, or
        lists of a measure of queries, that have an ideal), ``reached`` (those that come to gain what their ideal has
        gained at the rank) and their ``share``; ``documents`` and ``queries``: after how many results read, and queries
        asked, half of all units have it (null: fewer than half ever do); ``mean_documents`` and ``mean_queries`` of those
        that reach it, which grow fewer with the rank; ``mean_curve``: the place where the group's mean curve reaches the
        mean ideal's gain.
    plateau
        Where the ideal stops rising, which is J&K's rule for when to stop: all that is relevant would be found. By
        group: ``units``, ``mean``, ``median``, ``least`` and ``most`` (documents), ``beyond`` (units whose plateau
        lies beyond the cutoff) and ``gained``: the share of the ideal's gain that units have on average who stop there,
        or at the cutoff.
    searcher
        What the searcher looks at whom the discounts describe: ``horizon`` (``endless``: lists and sessions without end,
        null where the sum has none; a full list; ``as shown``: the study's own lists, by group), ``documents``,
        ``queries``, ``documents_per_query`` and ``cost``.
    against
        Curves read against that of one group, which ``against`` names, if that was asked for: after how many results
        (``mean_curve``, a place as in ``reach``; null: never) the group's mean curve has the ``gain`` that the mean curve of the other has
        at ``rank``, and how many ``more`` that are, as a share of the rank.
    spent
        By the columns that make the groups: ``along`` (results looked at, queries asked, minutes until the query that brought it was
        asked) and ``amount``, how many ``units`` had by then ``reached`` the `gain` in all, their ``share`` and its interval ``low`` to
        ``high`` (95%, Wilson's, which takes units to be independent of each other). Rows where a share rises. Of a measure of
        queries along results only; along minutes those sessions whose queries all have a time.
    chances
        By ``direction`` (rank, query) and ``place``: the chance to have ``seen`` it, that of one who has to go on
        (``goes_on``), and to stop there (``stops``).
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    gain
        The gain of ``spent``; None where nothing gains anything.
    gain_source
        What this gain is, if it was not asked for, in words.
    measure, by, document_cost, query_cost
        As asked for.
    """

    reach: pl.DataFrame
    against: pl.DataFrame
    plateau: pl.DataFrame
    searcher: pl.DataFrame
    spent: pl.DataFrame
    chances: pl.DataFrame
    statements: tuple[Statement, ...]
    gain: float | None
    gain_source: str | None
    measure: str
    by: str | None
    document_cost: float
    query_cost: float
    KINDS: ClassVar = {
        **SESSIONS,
        "reach": Kind("What it takes to gain what the ideal has gained at a rank", {**REACHED, "unit": UNITS["unit"]}),
        "against": Kind(
            "After how many results a group's mean curve has the gain that another's has at some ranks",
            {
                **GROUP,
                "against": "the other group",
                "rank": "the ranks, a list",
                "mean_curve": "after how many results, for each rank; null: never",
            },
        ),
        "plateau": Kind("Where the ideal stops rising", {**LEVEL, "unit": UNITS["unit"]}),
        "spent": Kind(
            "How many come to a gain in all, and after how much",
            {
                **GROUP,
                "unit": UNITS["unit"],
                "units": "how many of these there are",
                "reached": "how many of these come to the gain",
                "gain": "the gain",
                "half": "within how many results, queries, minutes half of all do, by these names; without those that are 0 or unknown",
            },
        ),
        "no_curve": Kind("The measure has no curves to read", MEASURE),
        "no_gain": Kind("Nothing gains anything, so there is no ideal to reach", {**MEASURE, "unit": UNITS["unit"]}),
        "searcher": Kind(
            "The searcher whom the discounts describe",
            {
                **MEASURE,
                "stops": "whether the discounts describe one who stops",
                "description": "what this searcher does, or why there is none, in words",
            },
        ),
        "endless_lists": Kind("How far the searcher looks in lists without end", AMOUNTS),
        "shown_lists": Kind(
            "How far the searcher looks in the lists as shown", {**GROUP, **AMOUNTS, "cost": "mean cost"}
        ),
        "more": Kind(MORE["more"].meaning, {**MORE["more"].values, "total": "of how many"}),
    }

    @property
    def table(self) -> pl.DataFrame:
        """The curves read horizontally."""
        return self.reach

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``reach``, ``against`` if asked for, ``plateau``, ``spent``, ``searcher``, ``chances``."""
        return {
            "reach": self.reach,
            **({"against": self.against} if len(self.against) else {}),
            "plateau": self.plateau,
            "spent": self.spent,
            "searcher": self.searcher,
            "chances": self.chances,
        }

    def paper_table(self) -> TextTable:
        """Effort by rank of the ideal as papers print it: how many come there, and after how many results and queries."""
        keys = self.reach.columns[: self.reach.columns.index("rank")]
        caption = (
            f"{self.measure}: results and queries until sessions have the gain of their ideal at a rank{by_words(keys)}; medians, "
            "of all n with an ideal"
        )
        headers = {"rank": "Ideal rank", "share": "Reached", "documents": "Results", "units": "n"}
        columns = [*keys, "rank", "share", "documents", "queries", "units"]
        return chosen_columns(caption, self.reach, columns, headers=headers)
