"""Records of User Behavior Insights as flat rows (``ubi_fields.py``): from bulk NDJSON, plain lines, ``_search`` exports and
other JSON: lists of records, one or several, and objects of lists (``{"events": [...]}``, as Data Prepper writes to S3).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.readers.events.result_lists import AT, as_time
from sessionkit.readers.formats.ubi.ubi_fields import IS_KNOWN, flat
from sessionkit.readers.formats.ubi.ubi_tables import holds_table, table_of
from sessionkit.readers.io.invalid_bytes import UNDECODED, Check, escaped, marked, nothing, refuse_other_encoding, told
from sessionkit.readers.io.json_items import json_items, unrounded
from sessionkit.readers.io.log_files import DAMAGED, LogFile, cut_short, not_utf8, unpacked
from sessionkit.readers.io.record_store import batches, in_files
from sessionkit.readers.raw import LINE, RAW, Locate, as_lines
from sessionkit.study.prefetch import in_turn

QUERY, EVENT, ACTION = "query", "event", "bulk action line"
TEXT, WHAT = "__text", "__what"
BULK = r'^\s*\{\s*"(?:index|create|update|delete)"\s*:\s*\{'
COUNTS_ONLY = r'\\?"size\\?"\s*:\s*0\b'
ANSWER = re.compile(r'"hits"\s*:\s*\{|^\{\s*"(?:events|queries)"\s*:\s*\[')
LISTS = ("queries", "events")
"""Names of lists of records: that which Data Prepper writes to S3 is named events."""
KNOWN = {"action_name", "user_query", "query_id"}
NOTHING = ("", "undefined", "null")
"""Texts that clients write where they have no id."""
BLOCK = 4 << 20
"""Bytes of a block of lines, but for the rest of its last line."""
IDS = ("query_id", "client_id", "user_id", "session_id", "session_of_attributes", "object_id", "application")


def records_of(
    file: LogFile, *, experiment: str | None, timezone: str | None = None, workspace: Path
) -> tuple[pl.LazyFrame, Locate, int]:
    """Return the records of a file as rows of ``ubi_fields.FLAT`` with RECORD, WHAT, AT and ``counts_only``, the way back to
    their text, and how many lines are bulk actions. The rows are in files of the workspace.

    Parameters
    ----------
    experiment
        A key of query_attributes whose value is wanted.
    timezone
        Zone of times that carry none.
    """
    if file.kind == "parquet" or holds_table(file.head.decode("utf-8", errors="replace")):
        return *_table(file, experiment=experiment, timezone=timezone, workspace=workspace), 0
    work = partial(_rows, experiment=experiment, timezone=timezone)
    try:
        with unpacked(file.path) as stream:
            is_document = _is_document(file.head.decode("utf-8", errors="replace"))
            parts = (
                batches(_documents(file), {RECORD: pl.Int64, TEXT: pl.String})
                if is_document
                else lines_in_blocks(stream, TEXT, partial(refuse_other_encoding, file))
            )
            rows = in_files(in_turn(work, parts), workspace)
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    except DAMAGED as error:
        raise cut_short(file.name, error) from None
    is_action = pl.col(WHAT) == ACTION
    actions = rows.filter(is_action).select(pl.len()).collect().item()
    locate = _way_back(file) if is_document else as_lines(str(file.path), 1)
    return rows.filter(is_action.not_().fill_null(value=True)), locate, actions


def lines_in_blocks(stream: IO[bytes], name: str, check: Check = nothing) -> Iterator[pl.DataFrame]:
    """Return the lines of JSON with their numbers (RECORD), in blocks, one block at least; a block with bytes that are
    no text has them in UNDECODED, which is null in all other lines.

    `check` is called where there first are such bytes; it may raise.
    """
    number, first = 1, True
    while (block := stream.read(BLOCK)) or first:
        block += stream.readline()
        undecoded: Mapping[int, str] = {}
        try:
            text = block.decode("utf-8-sig" if first else "utf-8")
        except UnicodeDecodeError:
            check()
            spelled, undecoded = escaped(block, number, doubled=True)
            text, check = spelled.decode("utf-8-sig" if first else "utf-8"), nothing
        lines = text.removesuffix("\n").split("\n")
        frame = pl.DataFrame({name: lines}, schema={name: pl.String})
        frame = frame.with_columns(pl.int_range(number, number + pl.len(), dtype=pl.Int64).alias(RECORD))
        yield frame.with_columns(told(undecoded).alias(UNDECODED)) if undecoded else frame
        number, first = number + len(lines), False


def _table(
    file: LogFile, *, experiment: str | None, timezone: str | None, workspace: Path
) -> tuple[pl.LazyFrame, Locate]:
    """Return the records of a table, and the way back to their text."""
    raw = table_of(file, experiment=experiment, workspace=workspace)
    counts_only = pl.col("query").str.contains(COUNTS_ONLY).fill_null(value=False).alias("counts_only")
    told = raw.frame.with_columns(counts_only).drop("query")
    return _cleaned(told).with_columns(as_time("timestamp", timezone).alias(AT)), raw.locate


def _rows(lines: pl.DataFrame, *, experiment: str | None, timezone: str | None) -> pl.DataFrame:
    """Return the rows of some lines: of bulk actions, no more than that they are some."""
    lines = lines.filter(pl.col(TEXT).str.contains(r"\S")).with_columns(pl.col(TEXT).map_batches(unrounded))
    is_action = pl.col(TEXT).str.contains(BULK)
    records = lines.filter(~is_action)
    fields = flat(records[TEXT], experiment).struct.unnest()
    counts_only, shown = pl.col(TEXT).str.contains(COUNTS_ONLY).alias("counts_only"), pl.col(TEXT).str.slice(0, 200)
    told = pl.concat([records.select(RECORD, counts_only, shown.alias(VALUE)), fields], how="horizontal")
    cleaned = _cleaned(told.lazy()).with_columns(as_time("timestamp", timezone).alias(AT))
    if UNDECODED in lines.columns:
        bad = cleaned.join(records.lazy().select(RECORD, UNDECODED), on=RECORD, how="left", maintain_order="left")
        cleaned = marked(bad.with_columns(pl.when(pl.col(UNDECODED).is_null()).then(WHAT).alias(WHAT)))
    rows = cleaned.collect()
    actions = lines.filter(is_action).select(RECORD, pl.lit(ACTION).alias(WHAT))
    return pl.concat([rows, actions], how="diagonal").sort(RECORD)


def _cleaned(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Return rows without the texts that mean no id, and with what each is."""
    is_query = pl.any_horizontal(pl.col("user_query", "hits", "query_response_id").is_not_null())
    what = pl.when(pl.col("action_name").is_not_null()).then(pl.lit(EVENT)).when(is_query).then(pl.lit(QUERY))
    rule = pl.when(what.is_not_null() | pl.col(RULE).is_not_null()).then(RULE).otherwise(pl.lit(IS_KNOWN))
    without = [pl.when(~pl.col(name).is_in(NOTHING)).then(pl.col(name)).alias(name) for name in IDS]
    said = pl.any_horizontal(pl.col(IDS) == "undefined").fill_null(value=False).alias("undefined")
    value = pl.when(rule.is_not_null()).then(VALUE).alias(VALUE)
    return rows.with_columns(
        pl.when(pl.col(RULE).is_null()).then(what).alias(WHAT), rule.alias(RULE), value, said, *without
    )


def _is_document(head: str) -> bool:
    """Return whether a file that begins so is other JSON than one record a line."""
    first = head.lstrip().split("\n", 1)[0].rstrip()
    return first.startswith("[") or ANSWER.search(first[:2000]) is not None or not first.endswith("}")


def _documents(file: LogFile) -> Iterator[dict[str, Any]]:
    """Return the records in a file of JSON that is not one record a line, each hit of a ``_search`` answer a record."""
    number = 0
    for item in json_items(file):
        texts = [item.text[:10_000] or "[ is not closed"] if item.broken else map(json.dumps, _unwrapped(item.value))
        for text in texts:
            number += 1
            yield {RECORD: number, LINE: item.line, TEXT: text}


def _unwrapped(value: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """Return the records that a value is or holds: hits of a ``_search`` answer, or lists by name."""
    hits = value.get("hits") if isinstance(value, dict) else None
    if isinstance(hits, dict) and isinstance(hits.get("hits"), list):
        return [hit.get("_source", hit) if isinstance(hit, dict) else hit for hit in hits["hits"]]
    if isinstance(value, dict) and not KNOWN & set(value):
        lists = [value[name] for name in LISTS if isinstance(value.get(name), list)]
        return [one for inside in lists for one in inside] if lists else [value]
    return [value]


def _way_back(file: LogFile) -> Locate:
    """Return the way back to the text of records of such a file."""

    def locate(records: pl.Series) -> pl.DataFrame:
        wanted = set(records)
        found = [tuple(row.values()) for row in _documents(file) if row[RECORD] in wanted]
        return pl.DataFrame(found, schema={RECORD: pl.Int64, LINE: pl.Int64, RAW: pl.String}, orient="row")

    return locate
