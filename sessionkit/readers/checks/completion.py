"""The last checks of assembled tables: order and types of columns, facts, and values that are unusual though no rule is broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.readers.checks.derived import Assembled
from sessionkit.readers.checks.rows import LIST, NONE, AnomalyCounts, CheckedSource, Found, Notes
from sessionkit.readers.raw import Raw
from sessionkit.study import Source
from sessionkit.study.checks import CELLS, RECORD, changes, distinct
from sessionkit.study.facts import facts_in_order
from sessionkit.study.numbering import Lookup
from sessionkit.study.schema import Table, table
from sessionkit.study.study import EXCLUDED

INTEGER = r"^(?:0|-?[1-9]\d{0,17})$"
NUMBER = r"^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$"
FIRST_LOOK = 1000


@dataclass(frozen=True)
class ColumnTexts:
    """What the texts of a column say about its type; that of parts of it adds up to that of all.

    Parameters
    ----------
    filled
        Whether there are any.
    integers, numbers
        Whether all are integers, or numbers.
    """

    filled: bool = False
    integers: bool = True
    numbers: bool = True

    @classmethod
    def of(cls, column: pl.Series) -> ColumnTexts:
        """Look at the texts of a column; a few are tried first, as most columns differ at once."""
        return cls(column.null_count() < len(column), _all(column, INTEGER), _all(column, NUMBER))

    def __add__(self, other: ColumnTexts) -> ColumnTexts:
        """Return what the texts of both parts say."""
        return ColumnTexts(
            self.filled or other.filled, self.integers and other.integers, self.numbers and other.numbers
        )

    @property
    def open(self) -> bool:
        """Whether more texts can still make a difference."""
        return self.integers or self.numbers

    @property
    def dtype(self) -> pl.DataType:
        """The narrowest type that loses nothing."""
        if self.filled and self.integers:
            return pl.Int64()
        return pl.Float64() if self.filled and self.numbers else pl.String()


def typed_extras(frame: pl.DataFrame, table: Table, *, texts: bool = True) -> pl.DataFrame:
    """Return the frame with undeclared columns typed; types that Parquet or JSON cannot keep become text.

    `texts` says whether columns of text are looked at too.
    """
    declared = set(table.names)
    extras = [name for name in frame.columns if name not in declared and not name.startswith("__")]
    dtypes = frame.schema
    words = [name for name in extras if texts and dtypes[name] == pl.String]
    integers = _matching(frame.select(words), INTEGER)
    numbers = _matching(frame.select(words).drop(integers), NUMBER)
    types: dict[str, pl.DataType] = {**dict.fromkeys(integers, pl.Int64()), **dict.fromkeys(numbers, pl.Float64())}
    others = [_typed(frame[name]) for name in extras if dtypes[name] != pl.String]
    return frame.with_columns(*(pl.col(name).cast(dtype) for name, dtype in types.items()), *others)


def _matching(frame: pl.DataFrame, pattern: str) -> list[str]:
    """Return the columns of text, not empty, all of whose texts match; all are looked at in one go, as there may be many."""
    for some in (frame.head(FIRST_LOOK), frame):
        if not frame.width:
            break
        match = some.select(pl.all().str.contains(pattern).all())
        frame = frame.select(column.name for column in match if column[0])
        if some.height == frame.height:
            break
    filled = frame.select(pl.all().is_not_null().any())
    return [column.name for column in filled if column[0]]


def _typed(column: pl.Series) -> pl.Series:
    """Return a column that is no text with a type that Parquet and JSON can keep."""
    dtype = column.dtype
    if isinstance(dtype, pl.Datetime):
        return column.dt.cast_time_unit("us")
    if dtype == pl.Time:  # kept in nanoseconds, of which Python and pandas know nothing
        return (column.cast(pl.Int64) // 1000 * 1000).cast(pl.Time)
    if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null) or dtype.is_decimal() or dtype in (pl.Int128, pl.UInt128):
        return column.cast(pl.String)
    return column


def _all(column: pl.Series, pattern: str) -> bool:
    """Return whether all texts that are there match; a few are tried first, as most columns differ at once."""
    looks = (column.head(FIRST_LOOK), column) if len(column) > FIRST_LOOK else (column,)
    return all(bool(part.str.contains(pattern).all()) for part in looks)


def finished(name: str, *frames: pl.DataFrame, types: Mapping[str, pl.DataType] | None = None) -> pl.DataFrame:
    """Return a table with declared columns first, extras typed, private columns gone.

    `types` are those of extras that are text in the source; by default what their texts allow.
    """
    schema = table(name)
    always = (*schema.required, *(("user_id", "system_id", "topic_id", "judgment_key") if name == "sessions" else ()))
    frame = pl.concat([schema.empty(always), *frames], how="diagonal_relaxed").drop(RECORD, CELLS, strict=False)
    if types is not None:
        frame = frame.with_columns(pl.col(column).cast(dtype, strict=False) for column, dtype in types.items())
    frame = typed_extras(frame, schema, texts=types is None)
    declared = [field for field in schema.fields if field.name in frame.columns]
    extras = [column for column in frame.columns if column not in schema.names]
    return frame.select(*(pl.col(field.name).cast(field.dtype) for field in declared), *extras)


def judged_keys(judgments: pl.DataFrame) -> pl.DataFrame:
    """Return every judgment_key for which there is a judgment."""
    return judgments.select(key=pl.col("judgment_key").unique())


def judged_pairs(judgments: pl.DataFrame) -> Lookup:
    """Return where to look up whether a document is judged for a key."""
    pairs = judgments.select("judgment_key", "doc_id").unique()
    return Lookup.of(*pairs.get_columns())


def counts_of(made: Assembled, judged: pl.DataFrame, pairs: Lookup | None = None) -> AnomalyCounts:
    """Return all that is counted in the tables of some sessions; judgments, which are no part's, are not counted.

    `judged` are the keys for which there are any, as :func:`judged_keys` has them; `pairs`, as :func:`judged_pairs` has them, are
    given where it is not yet known whether any result is judged.
    """
    asked_in = distinct(made.queries, ["session_id"]).height
    facts = facts_in_order(made.sessions.height, made.queries, made.results, 0, made.starts)
    gapped = gaps(made.queries, made.results) if facts.lists_with_gaps else {}
    return replace(
        made.counts,
        lonely=made.sessions.height - asked_in,
        unjudged=_unjudged(made, judged) if judged.height else NONE,
        met=int(pairs is not None and judged.height > 0 and _is_any_judged(made, pairs)),
        facts=facts,
        unusual={**unusual(made.queries, made.results), **gapped},
    )


def sources_of(part: CheckedSource) -> tuple[Source, ...]:
    """Return what became of the records of a source, or of each that it was put together from."""
    starts = [start for start, _ in part.raw.parted]
    rows = _by_start(part.rows.accepted, starts)
    rejected = _by_start(part.broken, starts)
    empty = _by_start(part.markers.accepted, starts)
    return tuple(
        Source(
            path=raw.source,
            table=raw.table,
            records=raw.records,
            rows=rows[place],
            rejected=rejected[place],
            empty_lists=empty[place],
            bytes=raw.bytes,
            sha256=raw.sha256,
            kind=raw.kind,
            merged=raw.merged,
            idle=raw.idle,
        )
        for place, (_, raw) in enumerate(part.raw.parted)
    )


def without_excluded(
    sources: Sequence[Source], members: Sequence[tuple[int, Raw]], excluded: pl.DataFrame
) -> tuple[Source, ...]:
    """Return the accounts of a source, one for each member; records that were left out have accounts of their own.

    `excluded` is that of :class:`~sessionkit.readers.checks.rows.CheckedSource`.
    """
    numbers = _by_start(excluded, [start for start, _ in members])
    both = list(zip(sources, numbers, strict=True))
    rest = [replace(source, records=source.records - number) for source, number in both]
    left_out = [
        Source(
            source.path,
            "",
            number,
            0,
            bytes=source.bytes,
            sha256=source.sha256,
            kind=f"{source.table}{EXCLUDED}",
            idle=number,
        )
        for source, number in both
        if number
    ]
    return (*rest, *left_out)


def _by_start(records: pl.DataFrame, starts: list[int]) -> list[int]:
    """Return how many of these records are numbered after each start, up to the next."""
    if len(starts) == 1 or records.is_empty():
        return [records.height, *[0] * (len(starts) - 1)]
    above = [int((records[RECORD] > start).sum()) for start in starts]
    return [here - beyond for here, beyond in zip(above, [*above[1:], 0], strict=True)]


def keys_of_results(log: Assembled, results: pl.DataFrame) -> pl.Series:
    """Return the judgment_key of every one of these results: that of its query, else of its session."""
    keys = log.sessions.select("session_id", key="judgment_key")
    shown = results.select(LIST).join(keys, on="session_id", how="left", maintain_order="left")
    if "judgment_key" in log.queries.columns:
        of_queries = log.queries.select(*LIST, key_of_query="judgment_key")
        shown = shown.join(of_queries, on=LIST, how="left", maintain_order="left")
        shown = shown.with_columns(key=pl.coalesce("key_of_query", "key"))
    return shown["key"]


def _unjudged(made: Assembled, judged: pl.DataFrame) -> Found:
    """Return how many sessions have a query for whose judgment_key there is no judgment, and the first of them."""
    sessions = made.sessions.select("session_id", key="judgment_key")
    if "judgment_key" in made.queries.columns:
        keys = made.queries.select("session_id", own="judgment_key").join(sessions, on="session_id")
        without = keys.with_columns(key=pl.coalesce("own", "key")).join(judged, on="key", how="anti")
    else:
        without = sessions.join(judged, on="key", how="anti")
        without = without.join(made.queries, on="session_id", how="semi") if without.height else without
    found = without["session_id"].unique().sort()
    return (len(found), found[0]) if len(found) else NONE


def _is_any_judged(made: Assembled, pairs: Lookup) -> bool:
    """Return whether any result is judged for its key; the first of them mostly say so."""
    return any(
        pairs.rows(keys_of_results(made, results), results["doc_id"]).count()
        for results in (made.results.head(FIRST_LOOK), made.results)
    )


SESSION = "session_id"
TIMES = {"issued_at": "clicked_at", "elapsed_seconds": "click_elapsed_seconds"}
"""A time of queries, and that of clicks to hold against it."""


DAY = 86_400
"""Seconds between two queries beyond which they hardly are of one session."""
MANY = 100
"""Queries beyond which a session hardly is of a person."""
STEADY, SPREAD, QUICK = 10, 0.05, 1.0
"""Queries from which a rhythm shows; the spread of half of the pauses, as a share of their median, below which they are even; and
seconds below which their median is too short for a person."""


@dataclass(frozen=True)
class Check:
    """One thing to look for.

    Parameters
    ----------
    noun
        What is counted, such as ``"query"``.
    sentence
        What is said of so many of them.
    """

    noun: str
    sentence: str


CHECKS = {
    "backwards": Check("query", "issued earlier than the query before; sessions keep the order of their positions"),
    "repeated id": Check("query", "with a query_id that an earlier query of the session has"),
    "same text": Check(
        "query", "with the text of the query before; merge_queries merges them, in formats that have it"
    ),
    "early click": Check("clicked result", "clicked before its query was issued"),
    "late click": Check("clicked result", "clicked after the next query of the session was issued"),
    "no dwell": Check("clicked result", "without dwell_seconds, where others have them"),
    "long": Check(
        "session",
        "with more than a day between two queries; all are kept. cut_sessions cuts sessions at pauses, in tables and formats that have it",
    ),
    "many": Check("session", f'of more than {MANY} queries; --where "queries <= {MANY}" leaves them out'),
    "rhythm": Check(
        "session",
        f"of at least {STEADY} queries as a program sends them, at even times or less than a second apart; all are kept",
    ),
    "gaps": Check(
        "list",
        "shown with gaps in the ranks; the missing results are unknown and gain 0; measures that look beyond a gap are "
        "flagged",
    ),
}
"""What is looked for, in the order in which it is told."""
OF_RESULTS = ("clicked result", "list")


def unusual(queries: pl.DataFrame, results: pl.DataFrame) -> dict[str, Found]:
    """Return how often each of :data:`CHECKS` holds in the tables of some whole sessions, and the first session.

    Both are in the order of their keys.

    Examples
    --------
    >>> queries = pl.DataFrame({"session_id": ["s", "s"], "query_position": [1, 2], "query_text": ["cat", "cat"]})
    >>> unusual(queries, pl.DataFrame())
    {'same text': (1, 's')}
    """
    found = {**_queries(queries), **_sessions(queries), **_clicks(queries, results), **_dwell(results)}
    return {name: found[name] for name in CHECKS if name in found and found[name][0]}


def gaps(queries: pl.DataFrame, results: pl.DataFrame) -> dict[str, Found]:
    """Return how many lists said to be shown have gaps in their ranks, and the first session; both tables as above.

    Examples
    --------
    >>> queries = pl.DataFrame({"session_id": ["s"], "query_position": [1], "results_status": ["shown"]})
    >>> gaps(queries, pl.DataFrame({"session_id": ["s"] * 3, "query_position": [1] * 3, "rank": [1, 2, 4]}))
    {'gaps': (1, 's')}
    """
    shown = queries.filter(pl.col("results_status") == "shown").select(LIST)
    if shown.is_empty():
        return {}
    before = pl.when(changes(LIST)).then(0).otherwise(pl.col("rank").shift(1))
    gapped = results.lazy().filter(pl.col("rank") > before + 1).select(LIST).unique(maintain_order=True)
    found = _found(gapped.join(shown.lazy(), on=LIST, how="semi", maintain_order="left"), pl.lit(value=True))
    return {"gaps": found} if found[0] else {}


def notice_unusual(found: Mapping[str, Found], notes: Notes) -> None:
    """Note what was found."""
    for name, check in CHECKS.items():
        many, first = found.get(name, NONE)
        if many:
            table = "results" if check.noun in OF_RESULTS else "sessions" if check.noun == "session" else "queries"
            notes.tell(f"{table}: {counted(many, check.noun)} {check.sentence} (first: session {first!r})")


def _queries(queries: pl.DataFrame) -> dict[str, Found]:
    """Return what is unusual in queries."""
    names = queries.columns
    same = pl.col(SESSION) == pl.col(SESSION).shift(1)
    looks: dict[str, pl.Expr] = {}
    time = next((name for name in TIMES if name in names), None)
    if time is not None:
        looks["backwards"] = same & (pl.col(time) < pl.col(time).shift(1))
    if "query_id" in names:
        looks["repeated id"] = pl.col("query_id").is_not_null() & ~pl.struct(SESSION, "query_id").is_first_distinct()
    if "query_text" in names:
        queries = queries.with_columns(pl.col("query_text").str.strip_chars())
        text = pl.col("query_text")
        looks["same text"] = same & (text == text.shift(1)) & (text != "")
    seen = queries.lazy().select(look.fill_null(value=False).alias(name) for name, look in looks.items()).collect()
    found = {name: seen[name].arg_true() for name in looks}
    return {name: (len(rows), queries[SESSION][rows[0]]) if len(rows) else NONE for name, rows in found.items()}


def _sessions(queries: pl.DataFrame) -> dict[str, Found]:
    """Return what is unusual in whole sessions: how long they pause, how many queries they have and at what rhythm."""
    names, position = queries.columns, queries["query_position"]
    found: dict[str, Found] = {}
    if (position > MANY).any():
        logged = pl.col("results_status") != "not_logged" if "results_status" in names else pl.lit(value=True)
        of_many = queries.lazy().filter(logged).group_by(SESSION, maintain_order=True).len()
        found["many"] = _found(of_many, pl.col("len") > MANY)
    time = next((name for name in TIMES if name in names), None)
    if time is None:
        return found
    at = pl.col(time).dt.epoch("us") / 1e6 if time == "issued_at" else pl.col(time)
    pauses = queries.lazy().select(SESSION, "query_position", at.alias("at"))
    before = pl.when(pl.col(SESSION) == pl.col(SESSION).shift(1)).then(pl.col("at").shift(1))
    pauses = pauses.select(SESSION, "query_position", pause=pl.col("at") - before)
    found["long"] = _found(
        pauses.filter(pl.col("pause") > DAY).unique(SESSION, maintain_order=True), pl.lit(value=True)
    )
    if (position >= STEADY).any():
        steady = pauses.filter(pl.col("query_position") >= STEADY).select(SESSION).unique()
        of_sessions = pauses.join(steady, on=SESSION, how="semi", maintain_order="left")
        found["rhythm"] = _found(
            of_sessions.group_by(SESSION, maintain_order=True).agg(rhythm=_rhythm()), pl.col("rhythm")
        )
    return found


def _rhythm() -> pl.Expr:
    """Return whether the pauses of a session are those of a program."""
    pause = pl.col("pause")
    median, spread = pause.median(), pause.quantile(0.75) - pause.quantile(0.25)
    enough = (pause.count() >= STEADY - 1) & (median > 0)
    return enough & ((spread <= SPREAD * median) | (median < QUICK))


def _clicks(queries: pl.DataFrame, results: pl.DataFrame) -> dict[str, Found]:
    """Return what is unusual in the times of clicks."""
    for asked, clicked in TIMES.items():
        if asked in queries.columns and clicked in results.columns:
            following = pl.col(asked).shift(-1).over(SESSION).alias("__next")
            times = queries.lazy().select(*LIST, asked, following)
            made = results.lazy().filter(pl.col(clicked).is_not_null()).select(*LIST, clicked)
            joined = made.join(times, on=LIST, maintain_order="left").collect().lazy()
            return {
                "early click": _found(joined, pl.col(clicked) < pl.col(asked)),
                "late click": _found(joined, pl.col(clicked) > pl.col("__next")),
            }
    return {}


def _dwell(results: pl.DataFrame) -> dict[str, Found]:
    """Return the clicked results without dwell time, where the log has such times."""
    if not {"clicked", "dwell_seconds"} <= set(results.columns):
        return {}
    return {"no dwell": _found(results.lazy(), pl.col("clicked") & pl.col("dwell_seconds").is_null())}


def _found(rows: pl.LazyFrame, look: pl.Expr) -> Found:
    """Return how many rows there are that look so, and the session of the first."""
    hits = rows.filter(look.fill_null(value=False)).select(pl.len(), pl.col(SESSION).first())
    many, first = hits.collect().row(0)
    return (many, first) if many else NONE
