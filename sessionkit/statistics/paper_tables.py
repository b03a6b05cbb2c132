"""Layouts of papers: means by group, pairs of groups with difference, interval, p and n, and curves side by side.

Significance is marked, and no mean for being larger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import polars as pl

from sessionkit.arguments import error_rate
from sessionkit.display.labels import label
from sessionkit.display.numbers import (
    DECIMALS,
    counted,
    decimals_of,
    interval_cell,
    level_text,
    listed,
    number_texts,
    p_limit_text,
    share_text,
)
from sessionkit.display.tables import DASH, HEADERS, NAMING, TextTable, heading, known, table_of
from sessionkit.errors import MeasureError
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.statistics.bands import BETWEEN
from sessionkit.statistics.corrections import Family
from sessionkit.statistics.verdict import is_shown

COLUMN = 50
"""Characters that columns of values may have in all, so that a table fits a page."""
PAIRED = (
    "pair", "measure", "a", "b", "mean_a", "mean_b", "estimate", "low", "high", "p_adjusted", "n_a", "n_b",
)  # fmt: skip
"""Columns of a table of pairs, which no column that makes groups may be called."""
PAIR_NAME = pl.format("{} \N{MINUS SIGN} {}", "b", "a").alias("pair")
"""What is subtracted from what in a row of a table of pairs, whose differences are b minus a."""
ACROSS = 8
"""The most columns of values."""
LISTED = "Fewer than five values are listed in place of median and quartiles."
BRACKETS = (
    "Brackets: the lowest and the highest value that the session could have, whatever the grades of unjudged documents (no "
    "confidence intervals)."
)
ROUNDING = 1e-12
"""Difference between bounds that is due to rounding."""
NAMED = 4
"""Groups of which a note says what each has; of more it says the range."""


def worded(columns: Sequence[str]) -> str:
    """What columns are called within a sentence.

    >>> worded(["system_id", "topic_id"]), worded(["years_portal"])
    ('system and topic', 'years_portal')
    """
    return listed([heading(name).lower() if name in NAMING else label(name) for name in columns])


def by_words(keys: Sequence[str]) -> str:
    """By which columns, for a caption; nothing of one group.

    >>> by_words(["system_id"]), by_words([])
    (' by system', '')
    """
    return f" by {worded(keys)}" if keys else ""


def score_table(scores: pl.DataFrame) -> TextTable:
    """Means by group as papers print them: groups by measures, or measures by groups where that is narrower.

    Of several columns that make groups, systems stand side by side where they fit.

    Parameters
    ----------
    scores
        The table of `sessionkit.score` by group.
    """
    keys = scores.columns[: scores.columns.index("measure")]
    measures = scores["measure"].unique(maintain_order=True).to_list()
    alike = _constant(scores, keys, "n")
    systems = scores["system_id"].n_unique() if "system_id" in keys else 0
    rows, across = keys, ["measure"]
    if len(keys) > 1 and 1 < systems <= NAMED and systems * len(measures) <= ACROSS:
        rows = [name for name in keys if name != "system_id"]
        across = ["measure", "system_id"] if len(measures) > 1 else ["system_id"]
    elif len(keys) < 2 and _narrower(scores, keys, measures):
        rows, across = ["measure"], keys
    of = "the sessions with a value" if not alike else "sessions"
    caption = f"Means{by_words(keys)} over {of}{'; n sessions' if alike else ''}"
    if "measure" not in (*rows, *across):
        caption = f"{with_unit(measures[0])}: {caption[0].lower()}{caption[1:]}"
    units = pl.col("measure").replace({measure: with_unit(measure) for measure in measures})
    count, n = ("n", pl.col("n")) if alike else ("Sessions", pl.col("n") + pl.col("undefined"))
    return crossed(caption, scores.with_columns(units, n=n), rows, across, count=count, note=_score_note(scores, keys))


def spread_table(scores: pl.DataFrame, columns: Sequence[str] = ()) -> TextTable:
    """Mean (SD) and median [Q1, Q3] of every group as papers print them, the groups of a measure below each other.

    A group of fewer than five values has these values in place of median and quartiles.

    Parameters
    ----------
    scores
        The table of `sessionkit.score` by group, with ``spread=True``.
    columns
        Further columns of it that stand behind these.
    """
    scores = known(scores)
    keys = scores.columns[: scores.columns.index("measure")]
    measures = scores["measure"].unique(maintain_order=True).to_list()
    named = ["measure", *keys] if len(measures) > 1 or not keys else keys
    rows = []
    for measure in measures:
        of_measure = scores.filter(measure=measure)
        decimals = decimals_of(of_measure["max"])
        rows += [
            [
                *(with_unit(row[name]) if name == "measure" else _text(row[name]) for name in named),
                f"{row['n']:,}",
                f"{row['undefined']:,}",
                mean_sd_text(row, decimals),
                median_text(row, decimals),
                *(number_texts(name, [row[name]], decimals)[0] or DASH for name in columns),
            ]
            for row in of_measure.iter_rows(named=True)
        ]
    caption = f"Scores of sessions{by_words(keys)}: mean (SD) and median [Q1, Q3] over the n sessions with a value"
    if "measure" not in named:
        caption = f"{with_unit(measures[0])}: {caption[0].lower()}{caption[1:]}"
    few = LISTED if scores["values"].count() else None
    note = " ".join(filter(None, (few, _judged_note(scores.with_columns(_group=_groups(scores, keys)), keys))))
    return TextTable(
        caption=caption,
        headers=(
            *map(heading, named),
            "n",
            "Undefined",
            "Mean (SD)",
            "Median [Q1, Q3]",
            *(HEADERS[name] for name in columns),
        ),
        rows=tuple(map(tuple, rows)),
        numeric=(*(scores.schema[name].is_numeric() for name in named), *[True] * (4 + len(columns))),
        note=note or None,
        frame=scores,
    )


def mean_sd_text(row: Mapping[str, Any], decimals: int) -> str:
    """Return the mean and SD of a row of `sessionkit.score` with ``spread=True``, and a dash for no SD.

    >>> mean_sd_text({"value": 0.5, "sd": 0.125}, 3)
    '0.500 (0.125)'
    """
    mean, sd = number_texts("value", [row["value"], row["sd"]], decimals)
    return DASH if mean is None else f"{mean} ({sd or DASH})"


def median_text(row: Mapping[str, Any], decimals: int) -> str:
    """Return the median and quartiles of such a row, or its values where they are fewer than five.

    >>> median_text({"values": [0.25, 0.5]}, 2), median_text({"values": None, "median": 0.5, "q1": 0.4, "q3": 0.8}, 1)
    ('0.25, 0.50', '0.5 [0.4, 0.8]')
    """
    if row["values"] is not None:
        return ", ".join(filter(None, number_texts("value", row["values"], decimals)))
    median, q1, q3 = number_texts("value", [row["median"], row["q1"], row["q3"]], decimals)
    return DASH if median is None else f"{median} [{q1}, {q3}]"


def session_rows_table(table: pl.DataFrame, measures: Sequence[str], ratings: Sequence[str]) -> TextTable:
    """Sessions as papers list them: who, with what, on what; score [bounds], judged share, counts and ratings.

    Parameters
    ----------
    table
        The table of `sessionkit.score` with ``wide=True``.
    measures
        The names of its measures.
    ratings
        Further columns of it that stand behind the counts.
    """
    columns: dict[str, Sequence[str | None]] = {}
    numeric = []
    for name in known(table.select("session_id", "user_id", "system_id", "topic_id")).columns:
        columns[heading(name)] = [_text(value) for value in table[name]]
        numeric.append(False)
    judged = [measure for measure in measures if f"{measure} judged" in table.columns]
    bounded = [measure for measure in judged if table[f"{measure} lower"].count()]
    movable = [measure for measure in bounded if table.select(_can_move(measure).any()).item()]
    for measure in measures:
        value = with_unit(measure)
        columns[value] = _bounded_texts(table, measure) if measure in movable else _value_texts(table, measure)
        if measure in judged:
            heading_ = "Judged" if len(judged) == 1 else f"Judged, {measure}"
            columns[heading_] = number_texts("judged", table[f"{measure} judged"].to_list())
    minutes = (table["duration_seconds"] / 60).alias("minutes")
    for name in ("queries", "results", "clicks"):
        columns[name.capitalize()] = number_texts(name, table[name].to_list(), 0)
    columns["Minutes"] = number_texts("minutes", minutes.to_list(), 1)
    for name in ratings:
        header = f"{label(name)} (log)" if label(name) in columns else label(name)
        columns[header] = [None if value is None else _text(value) for value in table[name]]
    shown = {name: texts for name, texts in columns.items() if any(text is not None for text in texts)}
    lower = [measure for measure in measures if MeasureDirection.named(measure).better == "lower"]
    fixed = [measure for measure in bounded if measure not in movable]
    undefined = [f"{measure} {many:,}" for measure in measures if (many := table[measure].null_count())]
    note = [
        f"Lower is better: {listed(lower)}." if lower else "",
        BRACKETS if movable else "",
        f"No further judgment could change a value of {listed(fixed)}." if fixed else "",
        f"Sessions without a value: {', '.join(undefined)} of {len(table):,}." if undefined else "",
    ]
    return TextTable(
        caption=f"Scores and counts of {counted(len(table), 'session')}",
        headers=tuple(shown),
        rows=tuple(zip(*([text or DASH for text in texts] for texts in shown.values()), strict=True)),
        numeric=(*numeric, *[True] * (len(shown) - len(numeric))),
        note=" ".join(filter(None, note)) or None,
        frame=table,
    )


def _can_move(measure: str) -> pl.Expr:
    """Whether the bounds of a session's value differ by more than rounding."""
    return pl.col(f"{measure} upper") - pl.col(f"{measure} lower") > ROUNDING


def _value_texts(table: pl.DataFrame, measure: str, column: str | None = None) -> list[str | None]:
    """The values of a measure in a list of sessions, or of a column beside them, all with the same decimals."""
    values = table[measure if column is None else column].to_list()
    return number_texts("value", values, decimals_of(table[measure]))


def _bounded_texts(table: pl.DataFrame, measure: str) -> list[str | None]:
    """The values of a measure in a list of sessions, each with its bounds."""
    values = _value_texts(table, measure)
    ends = (_value_texts(table, measure, f"{measure} {side}") for side in ("lower", "upper"))
    return [
        value if interval is None else f"{value or DASH} {interval}"
        for value, interval in zip(values, map(interval_cell, *ends), strict=True)
    ]


def _narrower(scores: pl.DataFrame, keys: Sequence[str], measures: Sequence[str]) -> bool:
    """Whether groups side by side are narrower than measures."""
    groups = [_text(value) for value in scores[keys[0]].unique()] if keys else []
    if len(measures) > len(groups):
        return True
    wide, wider = (sum(max(len(text), 6) + 2 for text in texts) for texts in (groups, measures))
    return wider > COLUMN and wide < wider and len(groups) <= ACROSS


def _constant(frame: pl.DataFrame, within: Sequence[str], column: str) -> bool:
    """Whether rows alike in some columns have one value of another."""
    return frame.select(*within, column).n_unique() == (frame.select(within).n_unique() if within else 1)


def _score_note(scores: pl.DataFrame, keys: Sequence[str]) -> str | None:
    """Which sessions have no value, and what share of results is judged."""
    named = scores.with_columns(_group=_groups(scores, keys))
    parts = []
    without = named.filter(pl.col("undefined") > 0)
    if len(without):
        said = [
            f"{counted(many, 'session')}{f' of {group}' if keys else ''} by {measure}"
            for many, group, measure in without.select("undefined", "_group", "measure").iter_rows()
        ]
        parts.append(
            f"Without a value: {listed(said)}."
            if len(said) <= NAMED
            else f"Without a value: {range_text(without['undefined'])} sessions of {len(said)} means."
        )
    return " ".join(filter(None, [*parts, _judged_note(named, keys)])) or None


def _judged_note(named: pl.DataFrame, keys: Sequence[str]) -> str | None:
    """What share of the results of each ``_group`` is judged."""
    judged = named.drop_nulls("judged")
    if len(judged) and _constant(judged, keys, "judged"):
        return f"Judged results: {_judged(judged.unique('_group', maintain_order=True), keys)}."
    if len(judged):
        of_measures = judged.partition_by("measure", maintain_order=True)
        shares = [f"{rows.item(0, 'measure')} {_judged(rows, keys)}" for rows in of_measures]
        return f"Judged results: {'; '.join(shares)}."
    return None


def _judged(rows: pl.DataFrame, keys: Sequence[str]) -> str:
    """The judged share of each group, or of many their range."""
    if not keys:
        return share_text(rows.item(0, "judged"))
    if len(rows) <= NAMED:
        return ", ".join(
            f"{share_text(share)} ({group})" for group, share in rows.select("_group", "judged").iter_rows()
        )
    low, high = map(share_text, rows.select(low=pl.col("judged").min(), high=pl.col("judged").max()).row(0))
    return f"{low} in every group" if low == high else f"{low} to {high} by group"


def _groups(frame: pl.DataFrame, keys: Sequence[str]) -> pl.Series:
    """The text of every row's group."""
    rows = frame.select(keys).rows() if keys else [()] * len(frame)
    return pl.Series([BETWEEN.join(_text(value) for value in row) for row in rows], dtype=pl.String)


def _text(value: object) -> str:
    """A value of a column that makes groups."""
    return DASH if value is None else label(str(value))


def crossed(
    caption: str,
    frame: pl.DataFrame,
    rows: Sequence[str],
    across: Sequence[str],
    *,
    count: str = "n",
    note: str | None = None,
) -> TextTable:
    """A column of values for every value of some columns, and how many each is of: a row or a column where that is enough.

    Parameters
    ----------
    frame
        A row per cell, with the ``value`` and ``n``, of how many it is.
    rows, across
        Columns that make the rows; and those that make the columns, at most two, of which the first stands above.
    count
        What the counts are called.
    """
    downs = frame.select(rows).unique(maintain_order=True).rows()
    overs = frame.select(across).unique(maintain_order=True).rows() if across else [()]
    order = {value: place for place, value in enumerate(dict.fromkeys(over[0] for over in overs))} if across else {}
    overs = sorted(overs, key=lambda over: order[over[0]]) if across else overs
    cells = {row[:2]: row[2:] for row in _keyed(frame, rows, across)}
    named = [*rows, *across]
    of = named.index("measure") if "measure" in named else None
    decimals = {
        key: decimals_of(part["value"])
        for (key,), part in frame.group_by("measure" if of is not None else pl.lit(None), maintain_order=True)
    }
    lines = [[*map(_text, down)] for down in downs]
    for line, down in zip(lines, downs, strict=True):
        for over in overs:
            value = cells.get((down, over), (None,))[0]
            places = decimals[None if of is None else (*down, *over)[of]]
            line.append(number_texts("value", [value], places)[0] or DASH)
    headers = [*map(heading, rows), *(_text(over[-1]) if over else "Mean" for over in overs)]
    numeric = [frame.schema[name].is_numeric() for name in rows] + [True] * len(overs)
    spans = [
        ("", len(rows)),
        *(("".join(map(_text, over)), len([*each])) for over, each in groupby(overs, key=lambda over: over[:1])),
    ]
    counts = _counts(cells, rows, overs)
    if counts == "row":
        for line, down in zip(lines, downs, strict=True):
            line.append(f"{next(number for (at, _), (_, number) in cells.items() if at == down):,}")
        headers, numeric, spans = [*headers, count], [*numeric, True], [*spans, ("", 1)]
    elif counts == "column":
        totals = [next(number for (_, at), (_, number) in cells.items() if at == over) for over in overs]
        lines.append([count, *[""] * (len(rows) - 1), *(f"{number:,}" for number in totals)])
        numeric[0] = False
    elif counts == "inner":
        inner = [*dict.fromkeys(over[-1] for over in overs)]
        for line, down in zip(lines, downs, strict=True):
            found = {over[-1]: number for (at, over), (_, number) in cells.items() if at == down}
            line += [f"{found[value]:,}" if value in found else DASH for value in inner]
        above = len(across) > 1
        headers += [_text(value) if above else f"{count}, {_text(value)}" for value in inner]
        numeric += [True] * len(inner)
        spans.append((count if above else "", len(inner)))
    else:
        numbers = [number for _, number in cells.values()]
        said = f"{count} is {min(numbers):,} to {max(numbers):,}."
        note = f"{said} {note}" if note else said
    return TextTable(
        caption=caption,
        headers=tuple(headers),
        rows=tuple(map(tuple, lines)),
        numeric=tuple(numeric),
        note=note,
        frame=frame,
        spans=tuple(spans) if len(across) > 1 else (),
        has_counts_below=counts == "column",
    )


def _keyed(frame: pl.DataFrame, rows: Sequence[str], across: Sequence[str]) -> list[tuple[Any, ...]]:
    """Row, column, value and count of every cell."""
    parts = [frame.select(names).rows() if names else [()] * len(frame) for names in (rows, across)]
    return [*zip(*parts, frame["value"].to_list(), frame["n"].to_list(), strict=True)]


def _counts(cells: Mapping[Any, Any], rows: Sequence[str], overs: Sequence[Any]) -> str:
    """By what alone the counts differ: the row, the column, or the row and the inner of two columns; else nothing."""
    kinds: dict[str, Callable[[Any, Any], Any]] = {
        "row": lambda down, _: down,
        "column": lambda _, over: over,
        "inner": lambda down, over: (down, over[-1]),
    }
    for name in ("column", "row", "inner") if [*rows] == ["measure"] and overs != [()] else kinds:
        found: dict[Any, set[int]] = {}
        for (down, over), (_, number) in cells.items():
            found.setdefault(kinds[name](down, over), set()).add(number)
        if all(len(numbers) == 1 for numbers in found.values()) and (name != "inner" or len(overs) <= ACROSS):
            return name
    return ""


def curve_table(frame: pl.DataFrame, what: str, confidence: float) -> TextTable:
    """Curves side by side, a row per slot; with intervals below each other.

    Parameters
    ----------
    frame
        The table of `sessionkit.curve`.
    what
        What is averaged, for the caption.
    """
    keys = frame.columns[: frame.columns.index("slot")]
    places = _places(frame)
    caption = f"{what} after each result of a session, mean over sessions{_by(keys)}"
    if "low" in frame.columns:
        return interval_columns(f"{caption}; n sessions", frame, [*keys, *places], confidence, count="n")
    if frame.select(keys).n_unique() > ACROSS if keys else False:
        return chosen_columns(
            f"{caption}; n sessions", frame, [*keys, *places, "value", "n"], headers={**_own(keys), "value": "Mean"}
        )
    grouped = frame.with_columns(_group=_groups(frame, keys))
    return crossed(f"{caption}; n sessions", grouped, places, ["_group"] if keys else [])


def _by(keys: Sequence[str]) -> str:
    """By which columns, at the end of a caption."""
    return f",{by_words(keys)}" if keys else ""


def _places(frame: pl.DataFrame) -> list[str]:
    """The columns that name a slot: query position and rank where all groups agree."""
    places = frame.select("slot", "query_position", "rank").unique()
    agree = not places.null_count().pipe(lambda none: sum(none.row(0))) and len(places) == places["slot"].n_unique()
    return ["query_position", "rank"] if agree else ["slot"]


def curve_difference_table(frame: pl.DataFrame, what: str, confidence: float) -> TextTable:
    """Differences of curves as papers print them: a row per pair and slot.

    Parameters
    ----------
    frame
        The table of `sessionkit.curve_differences`.
    what
        What is averaged, for the caption.
    """
    pairs = frame.select("a", "b").unique(maintain_order=True)
    places = _places(frame)
    lead = [] if len(pairs) == 1 else ["pair"]
    named = frame.with_columns(PAIR_NAME)
    headers = dict(zip(("mean_a", "mean_b"), map(label, pairs.row(0)), strict=True)) if not lead else {}
    title = f"{label(pairs.item(0, 'b'))} minus {label(pairs.item(0, 'a'))}" if not lead else "Differences of pairs"
    headers |= {"units": "n"}
    means = [] if lead else ["mean_a", "mean_b"]
    return chosen_columns(
        f"{title}: {what[0].lower()}{what[1:]} after each result of a session, means over sessions; n units drawn",
        named,
        [*lead, *places, *means, "estimate", "low", "high", "units"],
        headers=headers,
        interval=interval_heading(confidence),
        decimals=decimals_of([*frame["mean_a"], *frame["mean_b"]]),
    )


def breakdown_table(frame: pl.DataFrame, measure: str, average: str, confidence: float) -> TextTable:
    """Means by part of sessions and rank, the parts of every group side by side where they fit.

    Parameters
    ----------
    frame
        The table of `sessionkit.breakdown`.
    average
        What is averaged, sessions or queries.
    """
    keys = frame.columns[: frame.columns.index("part")]
    caption = f"{measure} to each rank by part of the session, mean over {average}{_by(keys)}; n {average}"
    count = f"n_{average}"
    grouped = frame.with_columns(_group=_groups(frame, keys)).rename({"n": "_n"} if "n" in keys else {})
    note = left_out_text(frame, keys)
    if "low" in frame.columns:
        table = interval_columns(caption, frame, [*keys, "part", "rank"], confidence, count=count)
    elif frame.select(*keys, "part").n_unique() > ACROSS:
        headers = {**_own(keys), "value": "Mean", count: "n"}
        table = chosen_columns(caption, frame, [*keys, "part", "rank", "value", count], headers=headers)
    else:
        across = ["_group", "part"] if keys else ["part"]
        table = crossed(caption, grouped.rename({count: "n"}), ["rank"], across)
    return replace(table, note=note)


def left_out_text(frame: pl.DataFrame, keys: Sequence[str]) -> str | None:
    """Sessions of each group that have no value in one of the parts, as a sentence; None where there are none."""
    kinds = {"left_out_single_query": "of one query", "left_out_undefined": "without a value"}
    rows = frame.with_columns(_group=_groups(frame, keys)).group_by("_group", maintain_order=True)
    said = [
        f"{counted(many, 'session')} {kind}{f' ({group})' if keys else ''}"
        for group, *counts in rows.agg(pl.col(*kinds).max()).iter_rows()
        for many, kind in zip(counts, kinds.values(), strict=True)
        if many
    ]
    return f"Left out: {listed(said)}." if said else None


def interval_columns(
    caption: str, frame: pl.DataFrame, lead: Sequence[str], confidence: float, *, count: str
) -> TextTable:
    """Means with their intervals and numbers."""
    headers = {**_own(lead), "value": "Mean", count: "n"}
    columns = [*lead, "value", "low", "high", count]
    interval, decimals = interval_heading(confidence), decimals_of(frame["value"])
    return chosen_columns(caption, frame, columns, headers=headers, interval=interval, decimals=decimals)


def _own(keys: Sequence[str]) -> dict[str, str]:
    """The headings of columns that make groups, which keep their names where a table's own column has the same."""
    return {name: heading(name) for name in keys}


def interval_heading(confidence: float, family: Family | None = None) -> str:
    """Return the heading of a column of intervals, which says where p-values are corrected and intervals are not.

    >>> interval_heading(0.95), interval_heading(0.95, Family(3, "holm"))
    ('95% interval', 'Unadjusted 95% interval')
    """
    unadjusted = family is not None and family.has_unadjusted_intervals
    return f"{'Unadjusted ' if unadjusted else ''}{level_text(1 - confidence)} interval"


def with_unit(measure: str) -> str:
    """A measure's text with the unit that its values have, where they have one.

    >>> with_unit("Duration"), with_unit("nsDCG@10"), with_unit("another's")
    ('Duration, s', 'nsDCG@10', "another's")
    """
    try:
        unit = parse_measure(measure).unit
    except MeasureError:
        return measure
    return f"{measure}, {unit}" if unit else measure


def pair_table(
    table: pl.DataFrame,
    caption: str,
    note: str,
    confidence: float,
    lead: Sequence[str] = ("measure",),
    *,
    means: bool = True,
    difference: str = "Difference",
    family: Family | None = None,
) -> TextTable:
    """Pairs compared, as papers print them: difference with its interval, p and n, and of one pair the means.

    The numbers of each measure have as many decimals as give its largest mean or difference four significant digits. The caption names
    the measure of a table of one pair and one measure. An n that all rows share has no column: the
    caption says it, or the note.

    Parameters
    ----------
    table
        ``a``, ``b``, ``mean_a``, ``mean_b``, ``estimate`` (b minus a), ``low``, ``high``, ``p_adjusted``, ``n_a``, ``n_b``, what
        leads, and ``why`` no verdict may be given on a row, which then has no mark; null, or no such column, where one may.
    note
        Whom the claim is about, and what else a reader should know.
    lead
        The columns that name a row, beside the pair.
    means
        Whether means stand beside the difference of a single pair.
    difference
        The heading of the estimate.
    family
        The p-values that were corrected together.
    """
    pairs = table.select("a", "b").unique(maintain_order=True)
    one = len(pairs) == 1
    measures = table["measure"].unique(maintain_order=True)
    if one and len(measures) == 1 and "measure" in lead:
        caption = f"{with_unit(measures[0])}: {caption}"
    lead = [name for name in lead if name != "measure" or len(measures) > 1]
    between = ["pair"] if not one else ["mean_a", "mean_b"] if means else []
    shown = [*lead, *between, "estimate", "low", "high", "p_adjusted"]
    equal = are_paired(table) and (table["n_a"] == table["n_b"]).all()
    # of several pairs, written "b minus a", the n of b stands first too
    counts = ["n_a"] if equal else ["n_a", "n_b"] if one else ["n_b", "n_a"]
    if table.select("n_a", "n_b").n_unique() == 1 and one:
        many = f"n = {table.item(0, 'n_a'):,}"
        told = "" if f"{many} " in caption else f"{many}. "
        if not equal and f"{many} and {table.item(0, 'n_b'):,} " not in caption:
            told = f"{many} ({label(pairs.item(0, 'a'))}) and {table.item(0, 'n_b'):,} ({label(pairs.item(0, 'b'))}). "
        counts, note = [], f"{told}{note}"
    sized = [name for name in ("mean_a", "mean_b", "estimate") if name in table.columns]
    decimals = {
        measure: decimals_of(value for row in rows.select(sized).rows() for value in row)
        for (measure,), rows in table.partition_by("measure", as_dict=True).items()
    }
    units = pl.col("measure").replace({measure: with_unit(measure) for measure in measures})
    rows = table.with_columns(PAIR_NAME, units).select(*shown, *counts)
    first, second = map(label, pairs.row(0) if len(pairs) else ("", ""))
    headers = HEADERS | _own(lead) | {
        "mean_a": first, "mean_b": second, "pair": "Pair", "estimate": difference, "p_adjusted": "p",
    }  # fmt: skip
    of = ["n"] if equal else [f"n, {first}", f"n, {second}"] if one else ["n, first of pair", "n, second of pair"]
    headers |= dict(zip(counts, of, strict=False))
    alpha = error_rate(confidence)
    reasons = table if "why" in table.columns else table.with_columns(why=pl.lit(None, pl.String))
    marked = reasons.select(is_shown(alpha)).to_series().arg_true()
    marks = dict.fromkeys([(row, shown.index("estimate")) for row in marked], "*")
    note = significance_note("*:" if marks else "", alpha, note)
    return table_of(
        caption,
        rows,
        headers=headers,
        note=note,
        marks=marks,
        decimals=[decimals[measure] for measure in table["measure"]],
        limit=len(rows),
        interval=interval_heading(confidence, family),
    )


def are_paired(table: pl.DataFrame) -> bool:
    """Whether the groups of a table of pairs have the same units, so that they have one n."""
    return "wins" not in table.columns or table["wins"].null_count() < len(table)


def pair_words(table: pl.DataFrame) -> str:
    """What is subtracted from what, for a caption: the names of one pair; of several the measure, where there is one."""
    pairs = table.select("a", "b").unique(maintain_order=True).rows()
    if len(pairs) == 1:
        return f"{label(pairs[0][1])} minus {label(pairs[0][0])}"
    measures = table["measure"].unique()
    return f"{measures[0]}, differences of pairs" if len(measures) == 1 else "Differences of pairs"


def pairs_named(table: pl.DataFrame) -> tuple[list[str], pl.DataFrame]:
    """The columns that name a row of a table of pairs, and the table with them; a single pair is named by the caption."""
    several = table.select("a", "b").n_unique() > 1
    lead = ["measure"] if not several or table["measure"].n_unique() > 1 else []
    named = table.with_columns(PAIR_NAME)
    return [*lead, *(["pair"] if several else [])], named


def corrected_text(family: Family) -> str:
    """How p-values were corrected, for a caption; nothing where one stands alone."""
    return f", p{family.told}" if family.told else ""


def claim_text(claim: str) -> str:
    """Whom the claim is about, as a sentence."""
    return f"The claim is about {claim}."


def significance_note(mark: str, alpha: float, note: str) -> str:
    """What a mark means, where there is one, and what else a reader should know."""
    found = f"{mark} {p_limit_text(alpha)}. " if mark else ""
    return f"{found}{note}"


def range_text(numbers: pl.Series, decimals: int = 0) -> str:
    """A count, or the least and the most.

    >>> range_text(pl.Series([12, 15])), range_text(pl.Series([1200]))
    ('12 to 15', '1,200')
    """
    found = numbers.drop_nulls().unique().sort().to_list()
    texts = [f"{number:,.{decimals}f}" for number in ([found[0], found[-1]] if len(found) > 1 else found)]
    return " to ".join(texts) or "0"


def chosen_columns(
    caption: str,
    frame: pl.DataFrame,
    columns: Sequence[str],
    *,
    headers: Mapping[str, str] | None = None,
    note: str | None = None,
    decimals: int = DECIMALS,
    interval: str | None = None,
    p_is_bound: pl.Series | None = None,
) -> TextTable:
    """The columns of a table that papers print; those that have no value are left out. `interval` and `p_is_bound` as in `table_of`."""
    empty = {name for name in columns if frame[name].null_count() == len(frame) > 0}
    ends = {"low", "high"}
    if interval is not None and not ends <= empty:
        empty -= ends
    kept = [name for name in columns if name not in empty]
    return table_of(
        caption,
        frame.select(kept),
        headers={**HEADERS, **(headers or {})},
        note=note,
        decimals=decimals,
        limit=len(frame),
        interval=interval,
        p_is_bound=p_is_bound if "p" in kept else None,
    )
