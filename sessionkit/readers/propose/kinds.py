"""What a file of a private log is, and which of its columns feeds which of ours."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from sessionkit.display.numbers import listed
from sessionkit.errors import DataError
from sessionkit.readers.checks.cells import EXCEL, JOINED, number_queries
from sessionkit.readers.column_names import CONDITIONS, LEVELS_OF_CONDITIONS, LIKELY, TRAITS, USUAL, likeness, words
from sessionkit.readers.config import Config
from sessionkit.readers.format import fitting, glimpse
from sessionkit.readers.judgments.files import judgment_files, read_judgments
from sessionkit.readers.judgments.registry import JUDGMENTS
from sessionkit.readers.propose.contents import (
    SampleColumn,
    action_of,
    columns_of,
    event_column,
    mean_nothing,
    respelled,
)
from sessionkit.readers.propose.proposal import quoted
from sessionkit.readers.propose.sample import Sample, sample_of
from sessionkit.readers.raw import Raw, no_way_back
from sessionkit.study.checks import RECORD
from sessionkit.study.package import TemporaryFolder
from sessionkit.study.schema import Field, table

CLICKS = "clicks"
"""The section of clicks, and the kind of a file or a list with a row per click."""
ROWS = 10_000
"""Rows by which columns are tried."""
TRIED = 6
"""Columns that are tried for each of the three."""
LEAST = 0.6
"""How well a layout must fit to be taken for one, unless all its names are usual."""
RUNNING = 0.95
"""How well it must where the position has no name of one."""


@dataclass(frozen=True)
class ListColumns:
    """Columns that lay out a log: its sessions, the queries in them and, where there are any, ranks.

    Parameters
    ----------
    session, position, rank
        Names of columns; no rank in a table of queries.
    fit
        How well they fit, from 0 to 1.
    gaps
        The share of sessions whose queries are not numbered without gaps from 0 or 1.
    twice
        The share of lists in which a rank comes twice.
    """

    session: str
    position: str
    rank: str | None
    fit: float
    gaps: float = 0.0
    twice: float = 0.0


def layout_of(columns: dict[str, SampleColumn], *, ranked: bool, named: bool) -> ListColumns | None:
    """Return the columns that lay out a log best; None where none do.

    Parameters
    ----------
    ranked
        Whether ranks are looked for.
    named
        Whether the columns have names, which then count as well.
    """
    things = [
        one
        for one in columns.values()
        if likeness(one.heading, "session_id") or ((one.distinct > 1 or len(one.texts) < 3) and not one.is_prose)
    ]
    counting = [one for one in columns.values() if one.counts]
    # a short log may end with one line of totals
    full = [one for one in things if one.filled > 0.9 or (one.texts.null_count() == 1 and len(one.given) > 1)]
    sessions = _likely(full, "session_id", named=named)
    positions = _likely(counting, "query_position", named=named, alone=not ranked)
    ranks: Sequence[str | None] = _likely(counting, "rank", named=named) if ranked else [None]
    tried = [three for three in itertools.product(sessions, positions, ranks) if len(set(three)) == 3]
    likes = {three: _likes(*three) if named else [0.0] for three in tried}
    best: tuple[float, int, ListColumns] | None = None
    for three in sorted(tried, key=lambda three: -sum(likes[three])):
        like = likes[three]
        if best is not None and named and best[0] >= sum(like) + 1:  # no layout fits better than by 1
            break
        if named and ranked and not like[2]:  # what has a name is no rank for its values alone
            continue
        layout = try_layout(columns, *three)
        least = 0.0 if min(like) >= LIKELY else RUNNING if named and not like[1] else LEAST
        value, many = round(layout.fit + sum(like), 9), columns[layout.session].distinct
        if layout.fit >= least and (
            best is None or (value, many) > best[:2]
        ):  # of two that run alike, sessions are more
            best = (value, many, layout)
    return best[2] if best else None


def _likely(columns: Sequence[SampleColumn], ours: str, *, named: bool, alone: bool = False) -> list[str]:
    """Return the names of the columns to try, the likeliest by name first."""
    score = {
        one.name: likeness(one.heading, ours) or (0.2 if alone and likeness(one.heading, "rank") else 0.0)
        for one in columns
    }
    order = sorted(columns, key=lambda one: (-score[one.name] if named else 0, one.place))
    return [one.name for one in order][:TRIED]


def _likes(session: str, position: str, rank: str | None) -> list[float]:
    """Return how much the names of a layout are those of one; a position alone may be called as a rank is."""
    alone = likeness(position, "rank") if rank is None else 0.0
    ranks = [likeness(rank, "rank")] if rank is not None else []
    return [likeness(session, "session_id"), likeness(position, "query_position") or alone, *ranks]


def try_layout(columns: dict[str, SampleColumn], session: str, position: str, rank: str | None) -> ListColumns:
    """Return a layout with how well it fits: sessions numbered without gaps, ranks that come once in a list."""
    frame = pl.DataFrame(
        {
            "s": columns[session].texts.head(ROWS),
            "p": columns[position].integers.head(ROWS),
            "r": columns[rank].integers.head(ROWS) if rank else None,
        }
    ).filter(pl.col("s").is_not_null() & pl.col("p").is_not_null())
    if frame.is_empty():
        return ListColumns(session, position, rank, 0.0)
    numbered = frame.group_by("s").agg(
        pl.col("p").min().alias("low"), pl.col("p").max().alias("high"), pl.col("p").n_unique().alias("n")
    )
    dense = numbered.select(
        (pl.col("low").is_in([0, 1]) & (pl.col("high") - pl.col("low") + 1 == pl.col("n"))).mean()
    ).item()
    if rank is None:
        alone = frame.n_unique(["s", "p"]) / frame.height
        return ListColumns(session, position, None, float(dense * alone), 1 - float(dense))
    ranked = frame.filter(pl.col("r").is_not_null())
    if ranked.is_empty():
        return ListColumns(session, position, rank, 0.0)
    lists = ranked.group_by("s", "p").agg(
        pl.col("r").n_unique().alias("n"),
        pl.len().alias("rows"),
        (pl.col("r").max() - pl.col("r").min() + 1).alias("span"),
        pl.col("r").min().alias("low"),
    )
    once, run, start = lists.select(
        (pl.col("n") == pl.col("rows")).mean(),
        (pl.col("span") == pl.col("n")).mean(),
        (pl.col("low").is_in([0, 1])).mean().alias("start"),
    ).row(0)
    many = min(1.0, ranked.height / lists.height / 1.5)
    # in most logs the rows of a list stand together: of two columns that count, the rank runs faster
    together = ranked.select((pl.struct("s", "p") == pl.struct("s", "p").shift()).mean()).item() or 0.0
    fit = once * (0.6 + 0.4 * dense) * (0.7 + 0.1 * run + 0.1 * start + 0.05 * many + 0.05 * together)
    return ListColumns(session, position, rank, float(fit), 1 - float(dense), 1 - float(once))


FILLED = 0.9
"""The share of rows with a rank above which a file is lists, whatever else it says."""
RANKS_FIT = 0.97
"""How well ranks must fit for a file to be taken for lists that looks like qrels, or whose names say nothing."""


@dataclass(frozen=True, eq=False)
class LogFileKind:
    """One file of a log, and what it is taken for.

    Parameters
    ----------
    sample
        Its first rows.
    columns
        Its columns, by name.
    kind
        A table of a study, ``events``, or nothing where it is like none.
    layout
        Of results and queries the columns that count.
    format
        Of judgments the format they are in; empty for a table.
    query_key
        The column that is the id of a query, by which rows of other files are joined to it; empty where none is.
    """

    sample: Sample
    columns: dict[str, SampleColumn]
    kind: str
    layout: ListColumns | None = None
    format: str = ""
    query_key: str = ""

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.sample.name


TOGETHER = (("user_id", "topic_id"), ("user_id", "system_id"), ("user_id", "topic_id", "system_id"))
"""Columns that together may be a session, where none is."""


def with_sessions(sample: Sample) -> Sample:
    """Return a sample with a session made of the participant and the task, where no column is one for itself.

    Of several ways the first is taken by which queries are numbered without gaps, and ranks come once in a list. Where sessions
    are numbered for each participant, both together are a session.
    """
    columns = columns_of(sample)
    if not sample.named:
        return sample
    user, session = called(columns, "user_id"), called(columns, "session_id")
    if session:
        return _several(sample, [user, session]) if user and is_numbered_for_each(columns, session, user) else sample
    if any(likeness(name, "session_id") >= LIKELY for name in columns):
        return sample
    found = {ours: called(columns, ours) for ours in ("user_id", "topic_id", "system_id")}
    names = [[found[each] for each in ours] for ours in TOGETHER]
    ways = [_several(sample, parts) for parts in names if all(parts)]
    if not ways:
        return sample
    layouts = [layout_of(columns_of(way), ranked=bool(called(columns, "rank")), named=True) for way in ways]
    sound = (
        way
        for way, layout in zip(ways, layouts, strict=True)
        if layout and layout.session == "session_id" and not layout.twice and not layout.gaps
    )
    keys = (way for way in ways if columns_of(way)["session_id"].is_key)
    return next(sound, None) or next(keys, ways[0])


def is_numbered_for_each(columns: dict[str, SampleColumn], session: str, user: str) -> bool:
    """Return whether most sessions have numbers that several participants have."""
    pairs = pl.DataFrame({"s": columns[session].texts, "u": columns[user].texts}).drop_nulls().unique()
    several = pairs.group_by("s").len().select((pl.col("len") > 1).mean()).item() or 0
    return columns[session].counts and several > 0.5


def called(columns: dict[str, SampleColumn], ours: str) -> str:
    """Return the column with the likeliest name of one of ours, empty where none is usual."""
    best = max(columns.values(), key=lambda one: likeness(one.heading, ours), default=None)
    if best is None or not best.distinct or likeness(best.heading, ours) < LIKELY:
        return ""
    nearer = any(likeness(best.heading, one) > likeness(best.heading, ours) for one in USUAL)
    return "" if nearer else best.name


def _is_like(column: SampleColumn, ours: str) -> bool:
    """Return whether the name of a column is like one of ours, and is no usual name of another: "Anzahl Treffer" is no document."""
    like = likeness(column.heading, ours)
    return like > 0 and (like >= LIKELY or not any(likeness(column.heading, other) >= LIKELY for other in USUAL))


def _several(sample: Sample, names: Sequence[str]) -> Sample:
    """Return a sample with a session made of several columns, under a name that none of them has."""
    own = next(name for name in ("session_id", "session id", "sessionid", "session-id") if name not in sample.columns)
    texts = sample.texts.with_columns(pl.concat_str(names, separator=JOINED).alias(own))
    frame = sample.frame.with_columns(texts[own])
    return replace(sample, frame=frame, texts=texts, made={**sample.made, own: tuple(names)})


def with_numbers(sample: Sample) -> Sample:
    """Return a sample with numbers of its queries, where no column counts them, as ``number_queries`` does."""
    columns = columns_of(sample)
    session = next(iter(sample.made), "") or called(columns, "session_id")
    others = {ours: name for ours in ("query_id", "query_text", "rank") if (name := called(columns, ours))}
    position = called(columns, "query_position")
    if not sample.named or not session or not others or "query_position" in columns:
        return sample
    if position and not runs_on(columns, session, position):
        return sample
    rows = sample.texts.select(
        pl.col(session).alias("session_id"), *[pl.col(name).alias(ours) for ours, name in others.items()]
    )
    records = rows.lazy().select(pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias(RECORD), pl.all())
    counted = number_queries(Raw("results", sample.name, records, rows.height, no_way_back))
    numbers = counted.frame.collect()["query_position"]
    return replace(
        sample,
        frame=sample.frame.with_columns(numbers),
        texts=sample.texts.with_columns(numbers),
        made={**sample.made, "query_position": ()},
    )


def runs_on(columns: dict[str, SampleColumn], session: str, position: str) -> bool:
    """Return whether a column counts rows on from session to session, each once, and is thus an id and no position in a session."""
    rows = pl.DataFrame({"s": columns[session].texts, "p": columns[position].integers}).drop_nulls()
    starts = rows.group_by("s").agg(pl.col("p").min())
    return (
        starts.height > 1 and rows["p"].n_unique() == rows.height and 2 * int((starts["p"] > 1).sum()) > starts.height
    )


def _within_lists(sample: Sample, layout: ListColumns) -> Sample:
    """Return a sample without rows that name neither a session nor a rank, such as totals, where they are few."""
    outside = sample.texts[layout.session].is_null() & sample.texts[layout.rank or layout.session].is_null()
    many = int(outside.sum())
    if not 0 < many <= max(1, sample.texts.height // 50):
        return sample
    return replace(
        sample, frame=sample.frame.filter(~outside), texts=sample.texts.filter(~outside), outside=sample.outside + many
    )


def part_of(sample: Sample) -> LogFileKind:
    """Return a file with what it is taken for."""
    given, sample = sample, with_sessions(sample)
    columns = columns_of(sample)
    ranked = layout_of(columns, ranked=True, named=sample.named)
    if ranked is None and (numbered := with_numbers(sample)) is not sample:
        again = layout_of(columns_of(numbered), ranked=True, named=True)
        if again is not None and again.position == "query_position":
            sample, columns, ranked = numbered, columns_of(numbered), again
    if ranked is not None and (within := _within_lists(sample, ranked)) is not sample:
        sample, columns = within, columns_of(within)
    formats = formats_of_judgments(sample.path)
    if formats and not (
        ranked and (sample.named or (ranked.fit >= RANKS_FIT and columns[ranked.position].distinct > 1))
    ):
        return LogFileKind(sample, columns, "judgments", format=formats[0])
    lists = ranked is not None and ranked.twice == 0 and columns[ranked.rank or ""].filled > FILLED
    if event_column(columns) is not None and not lists and (sample.named or not ranked):
        return LogFileKind(given, columns_of(given), "events")
    if ranked and len(columns) > 3:
        return LogFileKind(sample, columns, "results", ranked)
    is_called = {ours: [one for one in columns.values() if _is_like(one, ours)] for ours in ("grade", "doc_id", "rank")}
    if is_called["grade"] and is_called["doc_id"] and not is_called["rank"] and len(columns) > 2:
        return LogFileKind(sample, columns, "judgments")
    asked = any(
        likeness(one.heading, ours) >= LIKELY for one in columns.values() for ours in ("query_position", "query_text")
    )
    has_key = is_key(columns, "session_id")
    queries = layout_of(columns, ranked=False, named=True) if sample.named and (asked or not has_key) else None
    key = queries.position if queries and runs_on(columns, queries.session, queries.position) else ""
    if (
        (queries is None or key)
        and asked
        and not is_called["doc_id"]
        and (numbered := with_numbers(sample)) is not sample
    ):
        sample, columns = numbered, columns_of(numbered)
        queries = layout_of(columns, ranked=False, named=True)
    if queries and not is_called["doc_id"] and (asked or likeness(queries.session, "session_id")):
        return LogFileKind(sample, columns, "queries", queries, query_key=key if key != queries.position else "")
    if sample.named and has_key:
        return LogFileKind(sample, columns, "sessions")
    if sample.named and is_key(columns, "user_id"):
        return LogFileKind(sample, columns, "users")
    return LogFileKind(sample, columns, "")


def by_values(parts: Sequence[LogFileKind]) -> list[LogFileKind]:
    """Return the files; where none is a log, those like no table whose rows run like lists are, whatever columns are called."""
    if any(part.kind in ("results", "queries", "events") for part in parts):
        return list(parts)
    return [_lists(part) if not part.kind else part for part in parts]


def _lists(part: LogFileKind) -> LogFileKind:
    """Return a file as results, where its values alone say so."""
    layout = layout_of(part.columns, ranked=True, named=False)
    sure = layout is not None and layout.fit >= RANKS_FIT and part.columns[layout.position].distinct > 1
    return replace(part, kind="results", layout=layout) if sure and len(part.columns) > 3 else part


def formats_of_judgments(path: Path) -> list[str]:
    """Return the formats of judgments that a file looks like."""
    known = {name: entry for name, entry in JUDGMENTS.items() if name != "tables"}
    return fitting([glimpse(path)], known)


def judgments_in(path: Path, format: str) -> pl.DataFrame:
    """Return what a file of judgments in a format of their own says, as text: judgment_key, doc_id, grade."""
    with TemporaryFolder() as folder:
        said = {"judgments": {"path": path.name, "format": format}}
        read = read_judgments(judgment_files(Config(path.name, path.parent, tables=said), (), folder))
        grades = [raw.frame.select(pl.col("judgment_key", "doc_id", "grade").cast(pl.String)) for raw in read.raws]
        return pl.concat(pl.collect_all(grades))


def is_log_of_events(path: Path, workspace: Path) -> bool:
    """Return whether the records of a file are events of several kinds; the results of a query may be a list in these too."""
    try:
        columns = columns_of(sample_of(path, workspace))
    except DataError:  # its records are no table
        return False
    event = event_column(columns)
    return event is not None and len({action_of(text) for text in columns[event].given.unique()} - {None}) > 1


def is_key(columns: dict[str, SampleColumn], ours: str) -> bool:
    """Return whether a column of this name has another value in every row."""
    return any(one.is_key and likeness(one.heading, ours) for one in columns.values())


NAME_FITS = 0.95
"""How likely by its name a column of small numbers must be to be taken for seconds without asking."""
LONG = 600
"""Seconds on a document that half of them do not exceed, else the unit is asked about."""
OTHER_UNITS = {"us", "ns", "days", "tage"}
"""Words of a name that say that it is in a unit that no study.toml names."""
ODD = 0.05
"""The share of values that may be mistyped in a column with a usual name."""
COUNTS = ("clicks", "click_elapsed_seconds")
"""Columns of numbers that have names in common with columns of something else."""
MOST_CONDITIONS = 20
"""Values of a column that may be the condition of a session."""
LEVELS_SHOWN = 4
"""Values of a condition that a question shows."""
STEADY = 0.95
"""The share of sessions, or lists, in which a column must say one thing to belong to them."""


MISSING = {
    "session_id": "no column names sessions. Which is it?",
    "query_position": "no column counts the queries of a session (1, 2, 3, ...). Which is it? If none does, say number_queries = "
    "true above",
    "rank": "no column is the rank of a result in its list (1, 2, 3, ...). Which is it?",
    "doc_id": "no column is the document that was shown. Which is it?",
}
"""What is asked where a column is missing that every row must have."""


@dataclass
class Match:
    """A file, the table it is, and which of its columns feed which of ours; filled in as it is found out.

    Options that are `supposed` stand as comments. A table `is_shared` that another one of the log is made of as well.
    """

    part: LogFileKind
    table: str
    fields: Mapping[str, Field]
    columns: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    questions: dict[str, list[str]] = field(default_factory=dict)
    remarks: dict[str, list[str]] = field(default_factory=dict)
    supposed: dict[str, Any] = field(default_factory=dict)
    is_shared: bool = False

    def ask(self, key: str, text: str) -> None:
        """Ask something at a line."""
        self.questions.setdefault(key, []).append(text)

    def remark(self, key: str, text: str) -> None:
        """Say something at a line."""
        self.remarks.setdefault(key, []).append(text)

    def column(self, ours: str) -> SampleColumn | None:
        """Return the column that feeds one of ours."""
        return self.part.columns[self.columns[ours]] if ours in self.columns else None

    def called(self, column: SampleColumn) -> str:
        """Return what a sentence calls a column: by its name, or its number."""
        return quoted(column.name) if self.part.sample.named else f"column {column.name}"

    @property
    def unused(self) -> list[SampleColumn]:
        """The columns of the file that feed none of ours."""
        columns = self.part.columns.values()
        return [one for one in columns if one.name not in self.columns.values() and one.made_of is None]


def match_by_name(match: Match, skipped: Iterable[str] = ()) -> None:
    """Let columns feed ours by their names, the likeliest first, as far as what is in them fits."""
    left = [one for one in match.fields if one not in match.columns and one not in skipped]
    pairs = sorted(
        ((likeness(one.heading, ours), -place, one, ours) for place, ours in enumerate(left) for one in match.unused),
        key=lambda pair: (-pair[0], -pair[1], pair[2].place),
    )
    for like, _, one, ours in pairs if match.part.sample.named else ():
        if not like or ours in match.columns or not fits(match, one, ours):
            continue
        if one.name not in match.columns.values():
            match.columns[ours] = one.name
            _ask_of_doubts(match, ours, like)
    for ours in left:
        if ours in match.columns and match.fields[ours].type == "string":
            _ask_of_rivals(match, ours)


def condition_columns(columns: Iterable[SampleColumn], sessions: pl.Series) -> list[SampleColumn]:
    """Return the columns that may be the condition of a session, likeliest first; `sessions` has the session of each row.

    Each has 2 to 20 values that several sessions have, one in a session, and is called as conditions are, or its values are.
    """
    plausible = []
    for column in columns:
        if not 2 <= column.distinct <= MOST_CONDITIONS:
            continue
        of_name = set(words(column.heading))
        is_called = bool(of_name & CONDITIONS) and not of_name & TRAITS
        is_level = {text.strip().casefold() for text in column.given.unique()} <= LEVELS_OF_CONDITIONS
        if not (is_called or is_level):
            continue
        pairs = pl.DataFrame({"session": sessions, "value": column.texts}).drop_nulls().unique()
        n_sessions = pairs["session"].n_unique()
        if pairs.height == n_sessions and 2 * column.distinct <= n_sessions:
            plausible.append((is_called + is_level, column))
    return [column for _, column in sorted(plausible, key=lambda pair: -pair[0])]


def question_of_condition(columns: Sequence[SampleColumn]) -> str:
    """Return the question whether the first of these columns is the condition."""
    first, *others = columns
    levels = [quoted(text) for text in first.given.unique(maintain_order=True)[:LEVELS_SHOWN]]
    more = f" and {first.distinct - LEVELS_SHOWN} more" if first.distinct > LEVELS_SHOWN else ""
    rivals = f"; {listed([quoted(other.name) for other in others])} could be it as well" if others else ""
    return (
        f"no column is taken for the condition of a session, which comparisons are by. Is it {quoted(first.name)} "
        f"({', '.join(levels)}{more}){rivals}? Then remove the '#', else this line"
    )


def _ask_of_doubts(match: Match, ours: str, like: float) -> None:
    """Ask about a column whose name is not a usual one, or whose unit is not sure."""
    column = match.part.columns[match.columns[ours]]
    if like < LIKELY:
        match.ask(ours, f"{quoted(column.name)} is taken for {ours}, such as {quoted(column.given[0])}. Is it?")
    nearer = max(match.fields, key=lambda one: likeness(column.heading, one))
    if LIKELY <= like < likeness(column.heading, nearer) and ours in COUNTS:
        match.ask(
            ours,
            f"{quoted(column.name)} is taken for {ours}, because its values ({_range(column)}) cannot be {nearer}. Is it?",
        )
    if ours.endswith("_seconds"):
        seconds = respelled(column.given, column.spelling(match.fields[ours]), match.fields[ours])
        middle = seconds.cast(pl.Float64, strict=False).median()
        if ours == "elapsed_seconds" and like < NAME_FITS:
            match.ask(
                ours,
                f"{quoted(column.name)} is taken for seconds since the session began ({_range(column)}). Is it?",
            )
        elif isinstance(middle, float) and middle > LONG:
            match.ask(
                ours, f"half of {quoted(column.name)} are over {middle:,.0f}. Is that seconds? If not, remove this line"
            )


def _range(column: SampleColumn) -> str:
    """Return the least and the greatest number in a column."""
    numbers = column.given.cast(pl.Float64, strict=False).drop_nulls().sort()
    return f"{numbers[0]:,g} to {numbers[-1]:,g}"


def _ask_of_rivals(match: Match, ours: str) -> None:
    """Ask which column it is where others have as good a name."""
    others = [one.name for one in match.unused if likeness(one.heading, ours) >= LIKELY and fits(match, one, ours)]
    if others and match.columns[ours] != ours:
        named = listed([quoted(name) for name in others])
        match.ask(ours, f"{quoted(match.columns[ours])} is taken for {ours}; {named} could be it as well. Which is it?")


def fits(match: Match, one: SampleColumn, ours: str) -> bool:
    """Return whether what is in a column can be one of ours: all values are of its type, it is steady where it must be."""
    if not len(one.given):
        return False
    declared = match.fields[ours]
    if declared.type == "string" and ours.endswith("_id") and not one.may_be_an_id:
        return False
    if ours.endswith("_seconds") and OTHER_UNITS & set(words(one.name)):
        return False
    if is_day(one, ours, declared):
        return False
    bad = one.misfits(declared)
    if len(bad) and not (len(bad) < one.distinct and (mean_nothing(bad) or is_mistyped(one, bad, ours, declared))):
        return False
    if ours == "session_order":
        return _counts_sessions(match, one)
    return is_steady(match, one, ours)


def is_day(one: SampleColumn, ours: str, declared: Field) -> bool:
    """Return whether a column has days alone, which are no times of queries or clicks."""
    times = one.spelling(declared).times if ours in ("issued_at", "clicked_at") else None
    return times is not None and "%M" not in times and times != EXCEL


def is_mistyped(one: SampleColumn, bad: pl.Series, ours: str, declared: Field) -> bool:
    """Return whether few values of a column with a usual name are mistyped, which are then set aside one by one.

    Numbers beside 0 and 1 count something, such as clicks, however rare they are.
    """
    if declared.type == "boolean" and one.counts and bad.str.contains(r"^\s*\d+(\.0+)?\s*$").any():
        return False
    strange = bad.filter([not mean_nothing([text]) for text in bad])
    usual = likeness(one.heading, ours) >= LIKELY and not declared.required and declared.type != "string"
    return usual and one.share_of(strange) <= ODD


def is_steady(match: Match, one: SampleColumn, ours: str) -> bool:
    """Return whether a column of a session says one thing in it, one of a query one in its rows."""
    key = within(match, ours)
    if not key:
        return True
    frame = pl.DataFrame({f"k{place}": match.part.columns[name].texts for place, name in enumerate(key)})
    frame = frame.with_columns(v=one.texts).drop_nulls()
    counts = frame.group_by(pl.exclude("v")).agg(pl.col("v").n_unique())
    return bool(counts.height) and int((counts["v"] == 1).sum()) >= STEADY * counts.height


def within(match: Match, ours: str) -> list[str]:
    """Return the columns of what one of ours belongs to, where that has several rows in this table."""
    keys = {"results": ("session_id", "query_position"), "queries": ("session_id",)}.get(match.table, ())
    if not keys or ours in table(match.table).names:
        return []
    of = keys if ours in table("queries").names and match.table == "results" else keys[:1]
    return [match.columns[name] for name in of if name in match.columns]


def _counts_sessions(match: Match, one: SampleColumn) -> bool:
    """Return whether a column numbers the sessions of each user, from 1."""
    user = match.column("user_id") or next(
        (each for each in match.unused if likeness(each.heading, "user_id") > LIKELY), None
    )
    if match.table != "sessions" or user is None or not one.counts:
        return False
    frame = pl.DataFrame({"u": user.texts, "n": one.integers}).drop_nulls()
    counts = frame.group_by("u").agg(
        pl.col("n").min().alias("low"), pl.col("n").n_unique().alias("n"), pl.len().alias("rows")
    )
    rising = ((counts["low"] >= 1) & (counts["n"] == counts["rows"])).all()
    return bool(rising) and 2 * int((counts["low"] == 1).sum()) > counts.height
