"""Rows of a source that keep or break a rule: rejected records, cells set aside, and notes on what was unusual."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Any, TypeVar

import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.errors import DataError, DataWarning, warn
from sessionkit.readers.checks.cells import LOG
from sessionkit.readers.io.delimited import DECODED
from sessionkit.readers.raw import (
    EMPTY,
    LINE,
    MARK,
    NAMED_SOURCES,
    OF_SHEET,
    OWN,
    RAW,
    SOURCE,
    WORDED,
    Raw,
    joined_sources,
    read_through,
)
from sessionkit.study import Settings, Source
from sessionkit.study.checks import (
    CELL,
    CELLS,
    COLUMN,
    RECORD,
    RULE,
    VALUE,
    CheckedRows,
    any_twice,
    as_text,
    check_types,
    check_unique,
    check_values,
)
from sessionkit.study.counts import MissingLists
from sessionkit.study.facts import NO_FACTS, Facts
from sessionkit.study.schema import Table, table

LIST = ["session_id", "query_position"]
KEPT = "__kept"
"""Private column: whether only a cell of the record was set aside."""
LISTED = "__listed"
"""Private column of records left out: whether the list of excluded documents has them."""


def none_excluded() -> pl.DataFrame:
    """Return the records left out of a source from which none was."""
    return pl.DataFrame(schema={RECORD: pl.Int64, LISTED: pl.Boolean})


@dataclass(frozen=True)
class CheckedSource:
    """A source's rows and markers of empty lists, parted into accepted and broken.

    `worded` has the numbers of the records that are results although a column has the text that marks empty lists, `excluded` those of
    accepted rows that were left out with their documents, and LISTED (``readers/exclusions.py``).
    """

    raw: Raw
    rows: CheckedRows
    markers: CheckedRows
    worded: tuple[int, ...] = ()
    excluded: pl.DataFrame = field(default_factory=none_excluded)

    def both(self, check: Callable[[CheckedRows], CheckedRows]) -> CheckedSource:
        """Return the part with a check applied to rows and markers alike."""
        return replace(self, rows=check(self.rows), markers=check(self.markers))

    def seen(self, *columns: str) -> pl.DataFrame:
        """Return every row and marker whose session and query are readable, rejected or not.

        `columns` are those to return beside RECORD and LIST, as far as they are there.
        """
        frames = [
            frame.lazy()
            .select(RECORD, *LIST, *(name for name in dict.fromkeys(columns) if name in frame.columns))
            .filter(pl.col("session_id").is_not_null() & (pl.col("query_position") >= 1))
            for part in (self.rows, self.markers)
            for frame in (part.accepted, part.broken)
            if set(LIST) <= set(frame.columns) and (len(frame) or frame is self.rows.accepted)
        ]
        return pl.concat(frames, how="diagonal_relaxed").collect()

    @property
    def kept_as_results(self) -> int:
        """How many of the accepted rows are results although a column has the text that marks empty lists."""
        return self.rows.accepted.filter(pl.col(RECORD).is_in(self.worded)).height if self.worded else 0

    @property
    def rankless(self) -> Found:
        """How many rows are taken as empty lists for want of a rank that have something in doc_id, and the first such text."""
        if self.raw.empty_list is None or self.raw.empty_list.strip() or "doc_id" not in self.markers.accepted.columns:
            return NONE
        found = self.markers.accepted.sort(RECORD).get_column("doc_id").drop_nulls()
        return (len(found), found[0]) if len(found) else NONE

    @property
    def unplaced(self) -> pl.DataFrame:
        """The sessions of rejected rows that do not say of which query they are."""
        nowhere = ~(pl.col("query_position") >= 1).fill_null(value=False)
        frames = [part.broken for part in (self.rows, self.markers) if set(LIST) <= set(part.broken.columns)]
        return pl.concat([frame.filter(nowhere).select(pl.col("session_id").drop_nulls()) for frame in frames]).unique()

    @property
    def is_whole(self) -> bool:
        """Whether all that was seen are accepted rows: nothing was rejected, and there are no markers."""
        return self.rows.broken.is_empty() and self.markers.accepted.is_empty() and self.markers.broken.is_empty()

    @property
    def broken(self) -> pl.DataFrame:
        """All that was rejected."""
        return pl.concat([self.rows.broken, self.markers.broken], how="diagonal_relaxed")

    @property
    def rejects(self) -> pl.DataFrame:
        """The rejected records, and the cells set aside of others (KEPT): RECORD, COLUMN, RULE, VALUE."""
        none = pl.DataFrame(schema={**dict(CELL), KEPT: pl.Boolean})
        found = [(rows.broken, False) for rows in (self.rows, self.markers)]
        found += [(rows.cells, True) for rows in (self.rows, self.markers)]
        frames = [frame.with_columns(pl.lit(kept).alias(KEPT)) for frame, kept in found if len(frame)]
        there = [frame.select(name for name in none.columns if name in frame.columns) for frame in frames]
        return pl.concat([none, *there], how="diagonal_relaxed")


def typed_part(raw: Raw, schema: Table) -> CheckedSource:
    """Return a source, which is read here, with its columns typed, the markers of empty lists set apart."""
    with read_through(raw.source):
        return _typed(raw, schema)


def _typed(raw: Raw, schema: Table) -> CheckedSource:
    """Return a source with its columns typed, the markers of empty lists set apart."""
    if raw.empty_list is None:
        rows = check_types(raw.frame, schema, timezone=raw.timezone)
        return CheckedSource(raw, rows, CheckedRows(rows.accepted.clear(), rows.broken.clear()))
    empty = pl.col(MARK).eq_missing(EMPTY)
    return CheckedSource(
        raw,
        check_types(raw.frame.filter(~empty).drop(MARK), schema, timezone=raw.timezone),
        check_types(
            _markers(raw.frame.filter(empty).drop(MARK), schema, raw.empty_list),
            schema,
            timezone=raw.timezone,
            required=LIST,
        ),
        tuple(raw.frame.filter(pl.col(MARK) == WORDED).select(RECORD).collect().to_series()),
    )


def _markers(frame: pl.LazyFrame, schema: Table, text: str) -> pl.LazyFrame:
    """Return markers of empty lists without rank, and without the text where a value of another type belongs."""
    types = frame.collect_schema()
    typed = [field.name for field in schema.fields if field.type != "string" and field.name in types]
    said = {name: as_text(name, types[name]).str.strip_chars() for name in typed}
    kept = [pl.when(said[name] != text.strip()).then(name).alias(name) for name in typed if name not in LIST]
    return frame.with_columns(*kept).with_columns(rank=pl.lit(None, dtype=pl.String))


def valued_part(part: CheckedSource, schema: Table, *, shifted: Iterable[str] = ()) -> CheckedSource:
    """Return a typed source with values checked and, where its table has a key, one row per key."""
    checked = part.both(lambda rows: check_values(rows, schema, shifted=shifted))
    return replace(checked, rows=check_unique(checked.rows, schema)) if schema.key else checked


def plain_part(raw: Raw) -> CheckedSource:
    """Return a source of a table that nothing is derived from, with all its own checks done."""
    schema = table(raw.table)
    return valued_part(typed_part(raw, schema), schema)


def together(raws: Sequence[Raw]) -> Raw:
    """Return these sources of one table, which agree in timezone, base and text of empty lists, as one.

    Where two of them have a row of one key, the earlier source has it first.
    """
    if len(raws) == 1:
        return raws[0]
    members: list[tuple[int, Raw]] = []
    frames, start = [], 0
    for raw in raws:
        members += [(start + inner, member) for inner, member in raw.parted]
        frames.append(_further(raw.frame, start))
        start += raw.frame.select(pl.col(RECORD).max()).collect().item() or 0
    names = list(dict.fromkeys(member.source for _, member in members))
    return replace(
        raws[0],
        source=joined_sources(names),
        frame=pl.concat(frames, how="diagonal_relaxed"),
        records=sum(raw.records for raw in raws),
        locate=lambda records: _located(members, records),
        kind="",
        members=tuple(members),
    )


def _further(frame: pl.LazyFrame, start: int) -> pl.LazyFrame:
    """Return records numbered after `start` others."""
    moved = [pl.col(RECORD).cast(pl.Int64) + start]
    if CELLS in frame.collect_schema():
        cell = pl.element().struct
        moved.append(pl.col(CELLS).list.eval(cell.with_fields(cell.field(RECORD) + start)))
    return frame.with_columns(moved)


def twins(raws: Iterable[Raw]) -> list[str]:
    """Return what is to be said of files with the same content, all of which were read: their records count as often."""
    members = {raw.source: raw for one in raws for _, raw in one.parted if raw.is_file}
    sizes = Counter(raw.bytes for raw in members.values())
    alike: dict[str | None, list[str]] = {}
    for source, raw in members.items():
        if sizes[raw.bytes] > 1:
            alike.setdefault(raw.sha256, []).append(source)
    return [
        f"{' and '.join(names)} are identical; their records are read once for each"
        for names in alike.values()
        if len({name.partition(OF_SHEET)[0] for name in names})
        > 1  # sheets of one workbook are no copies of each other
    ]


def _located(members: list[tuple[int, Raw]], records: pl.Series) -> pl.DataFrame:
    """Return where these records stand in their own sources."""
    types = {RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String, SOURCE: pl.String, OWN: pl.Int64}
    found = [pl.DataFrame(schema=types)]
    ends = [start for start, _ in members[1:]] + [None]
    for (start, raw), end in zip(members, ends, strict=True):
        inside = records > start if end is None else (records > start) & (records <= end)
        own = records.filter(inside) - start
        if len(own):
            located = raw.locate(own).with_columns(pl.lit(raw.source).alias(SOURCE), pl.col(RECORD).alias(OWN))
            found.append(located.with_columns(pl.col(RECORD) + start).select(list(types)))
    return pl.concat(found, how="vertical_relaxed")


def refuse_shared(queries: Sequence[Raw]) -> None:
    """Raise DataError where two files have a session of one number, since each file counts its own."""
    if len(queries) < 2:
        return
    own = [raw.frame.select("session_id", source=pl.lit(raw.source)).drop_nulls().unique() for raw in queries]
    sessions = pl.concat(own, how="vertical_relaxed")
    both = sessions.group_by("session_id").agg(pl.col("source").sort()).filter(pl.col("source").list.len() > 1)
    shared = both.sort("session_id").head(1).collect()
    if len(shared):
        session, (first, second, *_) = shared.row(0)
        raise DataError(
            f"{first} and {second} both have a session {session!r}, and number their sessions separately; read one at a time"
        )


@dataclass(frozen=True)
class Aside:
    """Beside the tables of a log.

    Parameters
    ----------
    sources
        Accounts of records that were merged into others or carry nothing for any table.
    notes, warnings
        What was unusual, one sentence each; `warnings` may change a score.
    cells
        Values set aside of records that went into rows of others, as rows of the table of rejected rows.
    """

    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    cells: tuple[pl.DataFrame, ...] = ()

    def noticed(self) -> Notes:
        """Return the notes with which the checks of the tables begin."""
        return Notes([*self.warnings, *self.notes], list(self.warnings))


@dataclass
class Notes:
    """Sentences in the order in which they were noticed."""

    told: list[str] = field(default_factory=list)
    warned: list[str] = field(default_factory=list)
    places: dict[str, str | None] = field(default_factory=dict)

    def tell(self, sentence: str) -> None:
        """Keep a sentence."""
        self.told.append(sentence)

    def warn(self, sentence: str, *, place: str | None = "") -> None:
        """Keep a sentence and warn of it when reading ends; `place` as DataWarning has it."""
        self.told.append(sentence)
        self.warned.append(sentence)
        self.places[sentence] = place

    def take(self, others: Notes) -> None:
        """Keep the sentences of others, and warn of those they would warn of."""
        self.told += others.told
        self.warned += others.warned
        self.places |= others.places

    def give_warnings(self) -> None:
        """Issue what is to be warned of, each sentence as one :class:`~sessionkit.errors.DataWarning`."""
        for sentence in self.warned:
            warn(DataWarning(sentence, place=self.places.get(sentence, "")))


NOTHING = Aside()
"""Nothing beside the tables."""


OTHER_ENCODING = " (bytes that are not text; if the file is not in UTF-8, set encoding in study.toml)"
"""What is said of lines that cannot be decoded."""
COMMA = r"^\s*[+-]?(?:\d*|\d{1,3}(?:\.\d{3})+),\d+\s*$"
"""A number with a comma for a point; points may part its thousands (1.234,5)."""
DECIMAL_COMMA = "; some look like decimal commas: write them as points (3.5, not 3,5) in the source and read it again"
"""What is said of numbers with a comma."""
SHOWN = 40
"""Characters of a value that a note shows."""


def rejected_rows(parts: Iterable[CheckedSource]) -> pl.DataFrame:
    """Return every record that broke a rule and every cell set aside, with line and raw text, in the order of sources and records."""
    found = [(part.raw, part.rejects) for part in parts]
    return pl.concat(
        [none_rejected(), *(described(raw, rejects) for raw, rejects in found if len(rejects))],
        how="vertical_relaxed",
    )


def described(raw: Raw, rejects: pl.DataFrame) -> pl.DataFrame:
    """Return what was rejected or set aside of one source, as rows of the table of rejected rows, in their order."""
    found = raw.locate(rejects[RECORD].unique())
    own = set(found.columns) >= {SOURCE, OWN}
    rows = rejects.join(found, on=RECORD, how="left", maintain_order="left").sort(RECORD, maintain_order=True)
    return rows.select(
        source=SOURCE if own else pl.lit(raw.source),
        record=OWN if own else RECORD,
        line="line",
        table=pl.lit(raw.table),
        rule=RULE,
        value=VALUE,
        raw="raw",
        column=COLUMN,
        row_kept=KEPT,
    )


def beside(rejected: pl.LazyFrame, cells: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return values that a format set aside, but for those of records that were rejected, which are reported once."""
    found = pl.concat([none_rejected(), *cells], how="vertical_relaxed")
    if found.is_empty():
        return found
    own = ["source", "table", "record"]
    lost = rejected.filter(~pl.col("row_kept")).select(own).collect()
    return found.join(lost, on=own, how="anti", maintain_order="left").sort(own, maintain_order=True)


def refuse_first(rejected: pl.LazyFrame) -> None:
    """Raise DataError for the first rejected record or cell set aside, if there is one."""
    first = rejected.head(1).collect()
    if first.is_empty():
        return
    record = first.row(0, named=True)
    others = rejected.select(pl.len()).collect().item() - 1
    more = f"; {counted(others, 'more record')} broken" if others else ""
    without = (
        "such values are set aside and their rows kept"
        if record["row_kept"]
        else "such records go to the table rejected"
    )
    raise DataError(f"{_broken_rule(record)}{more}. Without strict {without}")


def refuse_all_rejected(rejected: pl.LazyFrame, sources: Sequence[Source]) -> None:
    """Raise DataError for a log of which every record was rejected, with the reason of the first."""
    of_log = [one for one in sources if one.table in LOG]
    number = sum(one.rejected for one in of_log)
    if not number or any(one.rows + one.empty_lists for one in of_log):
        return
    first = rejected.filter(~pl.col("row_kept"), pl.col("table").is_in(LOG)).head(1).collect().row(0, named=True)
    share = "The only record of the log was" if number == 1 else f"All {number:,} records of the log were"
    raise DataError(
        f"{_broken_rule(first)}. {share} rejected, so there is nothing to study: check the format, the separator and the columns"
    )


def _broken_rule(record: Mapping[str, Any]) -> str:
    """Return where a rejected record or cell stands and which rule it breaks, with the value."""
    place = f"line {record['line']}" if record["line"] is not None else f"record {record['record']}"
    value = f" (value {record['value'][:80]!r})" if record["value"] is not None else ""
    return f"{record['source']}, {place}: {record['rule']} does not hold{value}"


def note_rejected(rejected: pl.LazyFrame, notes: Notes) -> None:
    """Note how many records of each source broke which rule, and how many values were set aside."""
    groups = (
        rejected.with_row_index("place")
        .group_by("source", "table", "row_kept", "rule")
        .agg(
            pl.col("place").min(),
            pl.col("value", "record").first(),
            number=pl.len(),
            commas=pl.col("value").str.contains(COMMA).any() & pl.col("rule").first().str.ends_with("_is_a_number"),
        )
        .sort("place")
        .collect()
    )
    groups = (
        _with_joined_sources(groups)
        .group_by("source", "table", "row_kept", "rule", maintain_order=True)
        .agg(pl.col("value", "record").first(), pl.col("number").sum(), pl.col("commas").any())
        .group_by("source", "table", "row_kept", maintain_order=True)
        .agg(pl.struct("rule", "number", "value", "record", "commas"))
    )
    for source, name, row_kept, rules in groups.rows():
        total = sum(rule["number"] for rule in rules)
        ordered = sorted(rules, key=lambda rule: (-rule["number"], rule["rule"]))
        if row_kept:
            listed = ", ".join(f"{rule['rule']} {rule['number']:,}{_first(rule)}" for rule in ordered)
            said = f"{counted(total, 'value')} set aside, {'its row' if total == 1 else 'their rows'} kept"
            hint = DECIMAL_COMMA if any(rule["commas"] for rule in rules) else ""
        else:
            listed = ", ".join(f"{rule['rule']} {rule['number']:,}" for rule in ordered)
            said = f"{counted(total, 'record')} rejected"
            hint = OTHER_ENCODING if any(rule["rule"] == DECODED for rule in rules) else ""
        notes.warn(f"{source} ({name}): {said}: {listed}{hint}", place=None)


def _with_joined_sources(groups: pl.DataFrame) -> pl.DataFrame:
    """Return counts of rejects, those of many files or sheets of one table under one name: a note each would drown all others."""
    kind = ["table", "row_kept"]
    sources = groups.group_by(kind, maintain_order=True).agg(pl.col("source").unique(maintain_order=True))
    joined = [joined_sources(names) if len(names) > NAMED_SOURCES else None for names in sources["source"]]
    names = sources.select(*kind, joined=pl.Series(joined, dtype=pl.String))
    together = groups.join(names, on=kind, how="left", maintain_order="left")
    return together.with_columns(pl.coalesce("joined", "source").alias("source")).drop("joined")


def _first(rule: Mapping[str, Any]) -> str:
    """Return the first value that broke a rule, and where it stands."""
    if rule["value"] is None:
        return f" (first: record {rule['record']})"
    text = rule["value"] if len(rule["value"]) <= SHOWN else f"{rule['value'][:SHOWN]}..."
    return f" (first: {text!r} in record {rule['record']})"


def none_rejected() -> pl.DataFrame:
    """Return the table of rejected rows without rows."""
    schema = table("rejected")
    return schema.empty(schema.names)


FINER = ("subtopic_id", "passage_id", "judge_id")
JUDGMENT = ["judgment_key", "doc_id"]
AT_THE_TOP = "at the top of a study.toml"
"""Where settings go; a log that was read without a study.toml has none, so that a message which names one says it."""

DOUBTFUL = 0.1
"""The share of sessions without queries, or of repeated documents, above which `init` asks whether their columns are the right ones."""
RUN_ON = "if positions continue from session to session, number queries from 1 in each"
"""What is said where sessions begin far above 1."""


def notice_parts(counts: AnomalyCounts, settings: Settings, notes: Notes, *, frames: bool) -> None:
    """Note what had to be decided while the tables of a log were put together, which came as `frames` or as files."""
    if counts.missing:
        _notice_missing(counts, settings, notes, frames=frames)
    if counts.far[0]:
        many, first = counts.far
        notes.warn(
            f"sessions: {counted(many, 'session')} with every query position out of range (first: session {first!r}); the records are "
            f"rejected, the {'session stays' if many == 1 else 'sessions stay'} without queries; {RUN_ON}",
            place="queries.query_position",
        )
    if counts.rankless[0]:
        many, first = counts.rankless
        notes.tell(
            f"results: {counted(many, 'row')} with an empty rank but a doc_id (first: {first!r}) "
            f'{"is taken as an empty list" if many == 1 else "are taken as empty lists"}, as empty_list = "" says'
        )
    if counts.worded:
        notes.tell(
            f"results: {counted(counts.worded, 'row')} with a rank, a document and, in another column, the text of "
            "empty_list; kept as results"
        )
    if counts.bare:
        notes.tell(
            f"queries: {counted(counts.bare, 'query')} rejected and kept as not logged, so that later positions stay as they are"
        )
    for name, noun in (("queries", "query"), ("sessions", "session")):
        for column in table(name).names:
            several, first = counts.differing.get((name, column), NONE)
            if several:
                notes.warn(
                    f"{column}: different values within {counted(several, noun)} (first: session {first!r}); the "
                    "first value is kept",
                    place=f"{name}.{column}",
                )
    for (rule, column), (several, first) in counts.disordered.items():
        notes.warn(
            f"sessions: {column} set aside in {counted(several, 'session')} (first: session {first!r}), as its values and those it "
            f"is held against come from different tables: {rule} does not hold"
        )
    if counts.silent:
        notes.tell(
            f"queries: {counted(counts.silent, 'query')} without result rows, assumed to have returned nothing "
            "unless results_status says otherwise"
        )
    if counts.lost:
        notes.warn(
            f"queries: {counted(counts.lost, 'query')} with every result row or click rejected, assumed not logged",
            place=None,
        )


def _notice_missing(counts: AnomalyCounts, settings: Settings, notes: Notes, *, frames: bool) -> None:
    """Note positions that no record has; warn where nobody said what became of their lists."""
    sessions, first = counts.gapped
    status = settings.missing_positions
    said = (
        f"queries: {counted(counts.missing, 'position')} missing in {counted(sessions, 'session')} (first: session {first!r}); "
        f"their lists are taken as {'empty' if status == 'empty' else 'not logged'}"
    )
    if counts.doubtful:
        said += f"; rejected records may belong to {counts.doubtful:,} of them"
        said += ", assumed not logged" if status == "empty" else ""
    if status is None and 2 * counts.late > max(2, sessions):
        said += f"; {counts.late:,} of the sessions begin above 1: {RUN_ON}"
    if status is None:
        said += "; if they returned nothing, "
        said += (
            'say missing_positions="empty", as from_tables takes it'
            if frames
            else 'set missing_positions = "empty" in study.toml (--missing-positions)'
        )
        notes.warn(said, place="queries.query_position")
    else:
        notes.tell(said)


def notice(counts: AnomalyCounts, judgments: pl.DataFrame, settings: Settings, notes: Notes) -> None:
    """Note what is unusual in the tables that have come of it."""
    facts = counts.facts
    if facts.not_logged and not facts.results:
        notes.warn(
            f"queries: none of the {counted(facts.queries, 'query')} has a result, so that no measure of results says anything; where "
            "results stand as lists inside records, see: sessionkit help own-logs, under Lists inside records",
            place="queries",
        )
    missing_lists = MissingLists.of(facts)
    if missing_lists.are_frequent:
        notes.warn(missing_lists.warning, place=None)
    usual = {
        "empty": "empty lists; they count and gain 0",
        "not_logged": "lists that were not logged; measures of relevance leave them out",
    }
    for status, meaning in (
        *(() if missing_lists.are_frequent else usual.items()),
        ("partly_observed", "lists observed in part; measures that look deeper are flagged"),
    ):
        if count := getattr(facts, status):
            notes.tell(f"{count:,} of {facts.queries:,} queries with {meaning}")
    if facts.repeats_in_lists:
        notes.warn(
            f"results: {counted(facts.repeats_in_lists, 'row')} with a document shown earlier in the list; it keeps "
            "its rank and gains once",
            place="results.doc_id" if DOUBTFUL * facts.results < facts.repeats_in_lists else None,
        )
    of_shown, _ = counts.unusual.get("gaps", NONE)  # which are told of with the first of them
    if in_part := facts.lists_with_gaps - of_shown:
        notes.tell(f"results: {counted(in_part, 'list')} observed in part with gaps in the ranks")
    if counts.lonely:
        notes.warn(
            f"sessions: {counted(counts.lonely, 'session')} without any query",
            place="sessions" if DOUBTFUL * facts.sessions < counts.lonely else None,
        )
    if counts.hollow:
        notes.warn(
            f"queries: {counted(counts.hollow, 'query')} marked as shown, but without a row in results; they count "
            "and gain 0"
        )
    _notice_judgments(judgments, settings, notes)
    without, first = counts.unjudged
    if without:
        notes.warn(
            f"judgments: none for the judgment_key of {counted(without, 'session')} (first: {first!r}); "
            "scores that need them are undefined there",
            place="judgments.judgment_key" if 2 * without > facts.sessions else None,
        )
    if facts.results and not judgments.is_empty() and not counts.met and without + counts.lonely < facts.sessions:
        key, doc = judgments.select(JUDGMENT).row(0)
        many = judgments.n_unique(JUDGMENT)
        notes.warn(
            f"judgments: none of the {counted(many, 'judged document')} was shown for its key (first: {key!r}, {doc!r}); check how "
            "document ids are written",
            place="judgments.doc_id",
        )


def _notice_judgments(judgments: pl.DataFrame, settings: Settings, notes: Notes) -> None:
    """Note repeated judgments, and grades above the scale or below 0."""
    if judgments.is_empty():
        notes.tell("there are no judgments; measures of relevance are undefined")
        return
    finer = [name for name in FINER if name in judgments.columns]
    hashes = judgments.select(JUDGMENT + finer).hash_rows()
    if any_twice(hashes.to_numpy()):
        repeated = judgments.lazy().group_by(JUDGMENT + finer).len().filter(pl.col("len") > 1).collect()
    else:
        repeated = judgments.clear()
    if repeated.height:
        key, doc = repeated.sort(JUDGMENT).select(JUDGMENT).row(0)
        notes.warn(
            f"judgments: {counted(repeated.height, 'document')} judged more than once for one key (first: {key!r}, "
            f"{doc!r}); merged by merge = {settings.merge!r} when scored, "
            f"which can be set {AT_THE_TOP}",
            place=None,
        )
    top = inf if settings.max_grade is None else settings.max_grade
    above = judgments.filter(pl.col("grade") > top)
    if above.height:
        (highest,) = above.select(pl.col("grade").max()).row(0)
        notes.warn(
            f"judgments: {counted(above.height, 'grade')} above max_grade = {top:g}, the highest {highest:g}; measures "
            f"that need the top of the scale refuse a merged grade above it: correct max_grade {AT_THE_TOP}, or the grades"
        )
    negative = judgments.filter(pl.col("grade") < 0)
    if negative.height and settings.unjudged_grades is None:
        (lowest,) = negative.select(pl.col("grade").min()).row(0)
        notes.tell(
            f"judgments: {counted(negative.height, 'grade')} below 0, assumed judged with gain 0; set "
            f"unjudged_grades = [{lowest:g}] {AT_THE_TOP} if they mean unjudged, or unjudged_grades = [] if they are judged"
        )


Found = tuple[int, str | None]
"""How many sessions (or queries, or rows) something holds for, and the first session (or value)."""
NONE: Found = (0, None)
Key = TypeVar("Key")


@dataclass(frozen=True)
class AnomalyCounts:
    """Counts of one part of a log.

    Parameters
    ----------
    bare
        Rejected queries that are kept as not logged, for their place.
    missing, gapped, late, doubtful
        Positions of queries that no record has, the sessions they are missing in, how many of these lack the first, and how many
        of the positions rejected records may be of.
    far
        Sessions of which every position is beyond reach, so that they stay without a query.
    worded
        Accepted rows that are results although a column has the text that marks empty lists.
    rankless
        Rows taken as empty lists for want of a rank that have something in doc_id, and the first such text.
    differing
        For each column of a derived table, ``(table, column)``, the rows whose source says different things.
    disordered
        For each rule between columns of sessions, ``(rule, column)``, the sessions that break it by values of different tables; that
        of the column is set aside.
    silent, lost
        Queries without result rows, and those with every result row rejected.
    lonely
        Sessions without any query.
    hollow
        Queries said to be shown that have no result rows.
    unusual
        What is unusual without breaking a rule, by its name (``completion.py``).
    unjudged
        Sessions with a query for whose judgment_key there is no judgment.
    met
        Parts in which a result is judged for its key, of those that were looked at until one was found.
    facts
        Those of the tables.
    """

    bare: int = 0
    missing: int = 0
    gapped: Found = NONE
    late: int = 0
    doubtful: int = 0
    far: Found = NONE
    worded: int = 0
    rankless: Found = NONE
    differing: Mapping[tuple[str, str], Found] = field(default_factory=dict)
    disordered: Mapping[tuple[str, str], Found] = field(default_factory=dict)
    silent: int = 0
    lost: int = 0
    lonely: int = 0
    hollow: int = 0
    unusual: Mapping[str, Found] = field(default_factory=dict)
    unjudged: Found = NONE
    met: int = 0
    facts: Facts = NO_FACTS

    def __add__(self, later: AnomalyCounts) -> AnomalyCounts:
        """Return the counts of both parts, the other of sessions that come later."""
        return AnomalyCounts(
            differing=_added(self.differing, later.differing),
            disordered=_added(self.disordered, later.disordered),
            unusual=_added(self.unusual, later.unusual),
            gapped=both(self.gapped, later.gapped),
            far=both(self.far, later.far),
            rankless=both(self.rankless, later.rankless),
            unjudged=both(self.unjudged, later.unjudged),
            **{
                name: getattr(self, name) + getattr(later, name)
                for name in (entry.name for entry in fields(self))
                if name not in ("differing", "disordered", "unusual", "gapped", "far", "rankless", "unjudged")
            },
        )


def _added(earlier: Mapping[Key, Found], later: Mapping[Key, Found]) -> dict[Key, Found]:
    """Return what was found in two parts, by name."""
    return {key: both(earlier.get(key, NONE), later.get(key, NONE)) for key in {**earlier, **later}}


def both(earlier: Found, later: Found) -> Found:
    """Return the count of both and the first session of the earlier, where it has one."""
    return earlier[0] + later[0], earlier[1] if earlier[0] else later[1]
