"""Documents that a study leaves out: those that a file or table lists for a judgment_key, and those whose id is the judgment_key.

An excluded document leaves the lists of the queries with that judgment_key, where lower ranks move up, and the judgments of the
key. All that is worked out later, such as recall bases, ideals and bounds, is of the tables without it. This happens while a log
is read, after its rows were checked: a study that is read without the exclusions has every row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sessionkit.arguments import require_bool
from sessionkit.display.numbers import counted, listed
from sessionkit.errors import DataError
from sessionkit.readers.checks.cells import alias_notes
from sessionkit.readers.checks.completion import keys_of_results
from sessionkit.readers.checks.derived import Assembled
from sessionkit.readers.checks.rows import LIST, LISTED, CheckedSource, Notes
from sessionkit.readers.column_names import USUAL, folded
from sessionkit.readers.config import Config
from sessionkit.readers.io.files import open_log
from sessionkit.readers.io.tables import layout_of, read_table
from sessionkit.readers.raw import in_memory
from sessionkit.study import Source
from sessionkit.study.checks import RECORD, RULE, as_text, begins
from sessionkit.study.numbering import PAIR, Lookup
from sessionkit.study.package import TemporaryFolder
from sessionkit.study.tabular import Frame, columns_of_table

SECTION = "exclude"
BY_KEY = "exclude_query_doc"
"""What study.toml and functions call the two ways to exclude documents."""
NAMES: Mapping[str, Sequence[str]] = {
    "judgment_key": ("judgmentkey", *USUAL["query_id"], *USUAL["topic_id"], *USUAL["session_id"], "query"),
    "doc_id": ("docno", *USUAL["doc_id"], "corpusid"),
}
"""What the columns of such a file are called, folded, the likeliest first."""


@dataclass(frozen=True)
class Exclusions:
    """The documents that a study leaves out.

    Parameters
    ----------
    pairs
        judgment_key and doc_id, each pair once.
    by_key
        Whether a document is left out for the judgment_key that is its own id.
    source
        What became of the records of the list; None where there is no list.
    notes
        What was decided about its columns.
    """

    pairs: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=dict.fromkeys(PAIR, pl.String)))
    by_key: bool = False
    source: Source | None = None
    notes: tuple[str, ...] = ()

    def without_judgments(self, part: CheckedSource) -> CheckedSource:
        """Return a source of judgments without those of excluded documents."""
        rows = part.rows.accepted
        if not self._excludes or rows.is_empty():
            return part
        return _parted(part, rows, *self._marked(rows["judgment_key"], rows["doc_id"]))

    def without_results(self, log: Assembled) -> Assembled:
        """Return tables of a log without the results of excluded documents.

        A rank falls by the number of excluded results above it in its list; gaps in the ranks stay:

        ====  ========  ========
        rank  document  new rank
        ====  ========  ========
        1     a         1
        2     excluded
        4     b         3
        ====  ========  ========
        """
        if not self._excludes or log.results.is_empty():
            return log
        excluded, is_listed = self._marked(keys_of_results(log, log.results), log.results["doc_id"])
        if not excluded.any():
            return log
        above = excluded.cast(pl.Int32).alias("__above")
        ranked = log.results.with_columns(above).with_columns(
            rank=pl.col("rank") - pl.col("__above").cum_sum().over(LIST)
        )
        results = ranked.drop("__above").filter(~excluded)
        emptied = log.results.filter(excluded).select(LIST).unique().join(results, on=LIST, how="anti")
        queries = log.queries.join(
            emptied.with_columns(__emptied=pl.lit(value=True)), on=LIST, how="left", maintain_order="left"
        )
        shown = pl.col("results_status") == "shown"
        status = pl.when(pl.col("__emptied") & shown).then(pl.lit("empty")).otherwise("results_status")
        parts = (
            _parted(part, log.results, excluded, is_listed) if part.raw.table == "results" else part
            for part in log.parts
        )
        return replace(
            log,
            queries=queries.with_columns(results_status=status).drop("__emptied"),
            results=results,
            parts=tuple(parts),
            starts=np.flatnonzero(begins(results, LIST)),
        )

    def notice(self, results: pl.DataFrame, judgments: pl.DataFrame, notes: Notes) -> None:
        """Note how many results and judgments were left out, given as `CheckedSource.excluded`; warn where the list has none."""
        for sentence in self.notes:
            notes.tell(sentence)
        for name, is_listed in (
            (self.source.path if self.source else None, True),
            (BY_KEY if self.by_key else None, False),
        ):
            if name is None:
                continue
            n_results, n_judgments = (int((rows[LISTED] == is_listed).sum()) for rows in (results, judgments))
            if is_listed and not n_results + n_judgments and len(self.pairs):
                key, document = self.pairs.row(0)
                notes.warn(
                    f"{name}: none of its {counted(len(self.pairs), 'document')} was shown or judged for its judgment_key (first: "
                    f"{key!r}, {document!r}); list documents by the keys of the judgments"
                )
            else:
                left_out = f"{counted(n_results, 'result')} and {counted(n_judgments, 'judgment')} left out"
                notes.tell(f"{name}: {left_out}{'; lower ranks move up' if n_results else ''}")

    @property
    def _excludes(self) -> bool:
        """Whether there may be anything to leave out."""
        return self.by_key or not self.pairs.is_empty()

    @cached_property
    def _lookup(self) -> Lookup:
        """The pairs, to be looked up."""
        return Lookup.of(*self.pairs.get_columns())

    def _marked(self, key: pl.Series, doc_id: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Return for each document of a key whether it is excluded, and whether it is listed."""
        nowhere = pl.repeat(value=False, n=len(key), eager=True)
        is_listed = self._lookup.rows(key, doc_id).is_not_null() if len(self.pairs) else nowhere
        is_key = (key == doc_id).fill_null(value=False) if self.by_key else nowhere
        return is_listed | is_key, is_listed


NO_EXCLUSIONS = Exclusions()
"""Nothing is left out."""


def exclusions_of(config: Config, exclude: str | PathLike[str] | Frame | None = None) -> Exclusions:
    """Return what a study leaves out.

    Parameters
    ----------
    config
        What study.toml says.
    exclude
        The list as a function was given it, a file or a table; by default the file that study.toml names.

    Raises
    ------
    UsageError
        `exclude_query_doc` is neither True nor False.
    DataError
        The list cannot be read, lacks a column, or has a row without a judgment_key or a document.
    """
    by_key = config.exclude_query_doc
    require_bool(BY_KEY, by_key)
    if exclude is None and config.exclude is not None:
        exclude = config.folder / config.exclude
    if exclude is None:
        return Exclusions(by_key=by_key)
    if isinstance(exclude, str | PathLike):
        return replace(_of_file(Path(exclude), config), by_key=by_key)
    given = columns_of_table(exclude, SECTION).collect()
    columns = _columns(given.columns, SECTION)
    rows = given.select(pl.col(theirs).alias(ours) for ours, theirs in columns.items())
    source = Source(SECTION, "", len(rows), 0)
    return replace(_of_rows(rows.with_row_index(RECORD, offset=1), source, columns), by_key=by_key)


def _of_file(path: Path, config: Config) -> Exclusions:
    """Read a list from a file: a table with a header, or two fields a line, the judgment_key and the document."""
    with TemporaryFolder() as copies:
        file = open_log(path.name, path.parent, copies, memory=config.memory)
        names, options = layout_of(file)
        usual = {name for several in NAMES.values() for name in several}
        has_header = not options or len(names) != len(PAIR) or bool({*map(folded, names)} & usual)
        if has_header:
            columns = _columns(names, file.name)
        else:
            columns = {ours: place for place, ours in enumerate(PAIR, 1)}
            options = {**options, "header": False}
        raw = read_table(file, SECTION, {**options, "columns": columns}, config=config, keep=in_memory)
        source = Source(raw.source, "", raw.records, 0, bytes=raw.bytes, sha256=raw.sha256)
        return _of_rows(raw.frame.collect(), source, columns if has_header else {})


def _columns(names: Sequence[str], source: str) -> dict[str, Any]:
    """Return which columns of a list ours are, by our name or a usual one."""
    columns: dict[str, Any] = {ours: ours for ours in PAIR if ours in names}
    for ours in PAIR:
        free = [name for name in names if name not in columns.values() and folded(name) in NAMES[ours]]
        if ours not in columns and free:
            columns[ours] = min(free, key=lambda name: NAMES[ours].index(folded(name)))
    missing = [ours for ours in PAIR if ours not in columns]
    if missing:
        raise DataError(
            f"{source} has no column {' and no '.join(missing)}; columns: {', '.join(names)}. A list of excluded documents has the columns "
            f"{listed(PAIR)}; without a header it has these two fields alone"
        )
    return {ours: columns[ours] for ours in PAIR}


def _of_rows(rows: pl.DataFrame, source: Source, columns: Mapping[str, str | int]) -> Exclusions:
    """Return the exclusions of a list under our names, with RECORD."""
    texts = rows.with_columns(as_text(name, rows.schema[name]).str.strip_chars() for name in PAIR)
    lacking = pl.any_horizontal(pl.col(PAIR).is_null() | (pl.col(PAIR) == ""))
    broken = texts.filter(lacking | pl.col(RULE).is_not_null() if RULE in texts.columns else lacking)
    if len(broken):
        raise DataError(
            f"{source.path}: record {broken[RECORD][0]} has no judgment_key or no doc_id, or too many fields; each record excludes one "
            "document for one judgment_key"
        )
    source = replace(source, idle=source.records, kind="excluded documents")
    return Exclusions(
        texts.select(PAIR).unique(maintain_order=True), source=source, notes=alias_notes(source.path, columns)
    )


def _parted(part: CheckedSource, rows: pl.DataFrame, excluded: pl.Series, is_listed: pl.Series) -> CheckedSource:
    """Return a source without its excluded rows, whose numbers stand in `CheckedSource.excluded`."""
    left = rows.select(RECORD, is_listed.alias(LISTED)).filter(excluded)
    return replace(part, rows=replace(part.rows, accepted=rows.filter(~excluded)), excluded=left)
