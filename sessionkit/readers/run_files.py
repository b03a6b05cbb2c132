"""Files of runs, in every form in which they are read.

- Six columns between blanks, as TREC has them: topic, iteration, document, rank, score, tag.
- Three columns, as MS MARCO has them: topic, document, rank.
- JSON of scores by topic and document, as pytrec_eval and ranx write it (``io/score_dicts.py``).
- Tables with names: PyTerrier's ``qid,docid,docno,rank,score,query``, whose document is docno, and ranx's Parquet (``q_id``,
  ``doc_id``, ``score``).

Files that do not name their system are of one system, named after the file. Lists without scores are ordered by rank.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

import polars as pl

from sessionkit.choices import TableName
from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.contract.casts import as_text
from sessionkit.errors import DataError
from sessionkit.readers.checks.columns import alias_notes
from sessionkit.readers.entries import Glimpse
from sessionkit.readers.frames import DOCUMENT, QUERY
from sessionkit.readers.io.blanks import count_idle_lines, fields_of, first_fields, name_fields, read_whitespace
from sessionkit.readers.io.delimited import FITS, header_of, read_delimited
from sessionkit.readers.io.log_files import PACKED, LogFile
from sessionkit.readers.io.ndjson import read_ndjson
from sessionkit.readers.io.parquet import read_parquet
from sessionkit.readers.io.record_store import Keep
from sessionkit.readers.io.score_dicts import BEGIN, holds_scores, read_score_dict
from sessionkit.readers.judgments.trec_qrels import holds_participant_qrels
from sessionkit.readers.propose.column_names import folded
from sessionkit.readers.raw import Locate, Raw
from sessionkit.readers.records import raw_of
from sessionkit.readers.run_sessions import RunLines

FIELDS = ("query_id", "iteration", "doc_id", "rank", "score", "tag")
THREE = ("query_id", "doc_id", "rank")
RUN = {
    "query_id": QUERY,
    "doc_id": DOCUMENT,
    "query_text": ("query",),
    "tag": ("systemid", "system", "runid", "runtag", "run"),
    "rank": ("rank",),
    "score": ("score",),
}
"""What columns of runs are called, folded."""
BESIDE = ("iteration", "iter", "q0", "query0", "text", "title", "url", "body", "features", "")
"""Further columns of a table that is a run and nothing else."""
KINDS = {"results": "lines", "queries": "query ids", "sessions": "sessions of query ids"}
"""What the records of a run are."""


@dataclass(frozen=True)
class RunFile:
    """The records of one file of a run.

    Parameters
    ----------
    file
        The file.
    frame
        RECORD, RULE, VALUE, query_id, doc_id, tag, perhaps rank, score and query_text, and what else a table has.
    locate
        The way back to the text of a record; None where each is a line.
    empty
        Topics without documents, where a file can say that.
    idle
        Lines that carry no record, by what they are.
    notes
        What was decided about the file.
    """

    file: LogFile
    frame: pl.LazyFrame
    locate: Locate | None = None
    empty: Sequence[str] = ()
    idle: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def order(self, chosen: str) -> str:
        """Return what orders the lists: as chosen, but the rank in place of scores that are not there.

        Raises
        ------
        DataError
            What was chosen is not there.
        """
        names = self.frame.collect_schema().names()
        if chosen == "file" or chosen in names:
            return chosen
        if chosen == "score":
            return "rank"
        raise DataError(f'{self.file.name} has no ranks to order lists by; leave out order = "rank"')

    def lines(self, frame: pl.LazyFrame, chosen: str, system: str) -> RunLines:
        """Return a run of these records in their order, which was chosen so; `system` is that of topics without documents."""
        has_ranks = self.order(chosen) == "rank" != chosen  # which then count from 0 or 1, as in the file

        def raw(table: TableName, rows: pl.LazyFrame, base: Mapping[str, int]) -> Raw:
            known = {name: first for name, first in base.items() if name != "rank" or not has_ranks}
            return raw_of(self.file, table, rows, kind=KINDS[table], base=known, locate=self.locate)

        empty = pl.DataFrame({"query_id": self.empty}, schema={"query_id": pl.String})
        empty = empty.select(pl.lit(1, pl.Int64).alias(RECORD), "query_id", system_id=pl.lit(system))
        return RunLines(self.file.name, frame, raw, empty)


def holds_three_columns(text: str) -> bool:
    """Return whether a text begins like a topic, a document and a rank, where the ranks of some topic are 1, 2 (or 0, 1).

    >>> holds_three_columns("q1 d3 1\\nq1 d2 2\\nq2 d2 1\\n"), holds_three_columns("q1 d3 1\\nq1 d2 1\\n")
    (True, False)
    """
    lines = first_fields(text)
    if not lines or any(len(line) != len(THREE) or not line[2].isdecimal() for line in lines):
        return False
    ranks: dict[str, list[int]] = {}
    for topic, _, rank in lines:
        ranks.setdefault(topic, []).append(int(rank))
    *earlier, _ = ranks.values()  # the last list may be cut
    counted = all(sorted(one) == list(range(min(one), min(one) + len(one))) and min(one) <= 1 for one in earlier)
    last = sorted(list(ranks.values())[-1])
    return counted and last[0] <= 1 and len(set(last)) == len(last) and any(len(one) > 1 for one in ranks.values())


def holds_run_table(glimpse: Glimpse) -> bool:
    """Return whether something is a table of a run alone: its columns are a query, a document, and a score or rank."""
    names = glimpse.columns or header_of(glimpse.head)[0]
    usual = {*(name for names in RUN.values() for name in names), *map(folded, RUN), *BESIDE}
    if not is_run_table(names) or not {folded(name) for name in names} <= usual:
        return False
    if not glimpse.columns:
        return True
    columns = run_columns(names)
    # ranx writes judgments with the names of a run: grades are whole numbers, scores are not
    return "rank" in columns or pl.read_parquet_schema(glimpse.path)[columns["score"]].is_float()


def is_run_table(names: Collection[str]) -> bool:
    """Return whether columns name a query, a document, and a score or rank."""
    columns = set(run_columns(names))
    return {"query_id", "doc_id"} <= columns and bool({"rank", "score"} & columns)


def run_columns(names: Collection[str]) -> dict[str, str]:
    """Return our column = the table's, the likeliest of each.

    >>> run_columns(["qid", "docid", "docno", "rank", "score", "query"])
    {'query_id': 'qid', 'doc_id': 'docno', 'query_text': 'query', 'rank': 'rank', 'score': 'score'}
    """
    found = {}
    for ours, usual in RUN.items():
        theirs = [name for name in names if folded(name) in usual]
        if ours in names:
            found[ours] = ours
        elif theirs:
            found[ours] = min(theirs, key=lambda name: usual.index(folded(name)))
    return found


def holds_other_run(glimpse: Glimpse) -> bool:
    """Return whether something is a run in another form than TREC's six columns."""
    return (
        holds_scores(glimpse.head)
        or holds_run_table(glimpse)
        or (not glimpse.columns and holds_three_columns(glimpse.head))
    )


def read_run(file: LogFile, keep: Keep) -> RunFile:
    """Return the records of a file of a run.

    Raises
    ------
    DataError
        The lines are none of a run, which the message names where they are known.
    """
    head = "" if file.kind == "parquet" else file.head.decode("utf-8", errors="replace")
    if file.kind == "parquet" or is_run_table(_names(file, head)):
        return _read_table(file, head, keep)
    if BEGIN.match(head):
        return _read_dict(file)
    lines = first_fields(head)
    if 2 * sum(len(fields) == len(THREE) for fields in lines) > len(lines):
        return _read_three(file, keep)
    if (named := name_fields(head)) is not None:
        raise DataError(f"{file.name}: {named}")
    if holds_participant_qrels(head):
        raise DataError(
            f"{file.name} holds judgments of a participant, as TREC RAG has them (topic, Q0, document, grade, confidence, run), not a "
            "run; give it as judgments (--judgments)"
        )
    return RunFile(file, _lines(file, keep), idle=count_idle_lines(file))


def _lines(file: LogFile, keep: Keep) -> pl.LazyFrame:
    """Return the lines of TREC's columns; one with neither rank nor score is what a program said, and of no topic."""
    frame = fields_of(file, FIELDS, least=len(FIELDS), keep=keep)
    numbers = pl.col("rank").str.contains(r"^-?\d+$") | pl.col("score").cast(pl.Float64, strict=False).is_not_null()
    is_message = pl.col(RULE).is_null() & ~numbers
    return frame.with_columns(
        pl.when(is_message).then(pl.lit(FITS)).otherwise(RULE).alias(RULE),
        pl.when(is_message).then(pl.concat_str(FIELDS, separator=" ")).otherwise(VALUE).alias(VALUE),
        *(pl.when(~is_message).then(name).alias(name) for name in FIELDS),
    ).drop("iteration")


def _read_three(file: LogFile, keep: Keep) -> RunFile:
    """Return the lines of three columns."""
    frame = fields_of(file, THREE, least=len(THREE), most=len(THREE), keep=keep)
    system = system_named(file)
    note = f"{file.name}: three columns, read as topic, document and rank; its system is {system!r}"
    return RunFile(file, frame.with_columns(tag=pl.lit(system)), idle=count_idle_lines(file), notes=(note,))


def _read_dict(file: LogFile) -> RunFile:
    """Return the scores of JSON."""
    frame, empty, locate = read_score_dict(file, "query_id", "score")
    system = system_named(file)
    rows = frame.lazy().with_columns(_null(RULE), _null(VALUE), tag=pl.lit(system))
    return RunFile(file, rows, locate, empty, notes=(f"{file.name}: its system is {system!r}",))


def _read_table(file: LogFile, head: str, keep: Keep) -> RunFile:
    """Return the rows of a table."""
    names, separator = header_of(head)
    if file.kind == "parquet":
        raw = read_parquet(file, "results", keep=keep)
    elif file.kind == "ndjson":
        raw = read_ndjson(file, "results", keep=keep)
    elif len(names) > 1:
        raw = read_delimited(file, "results", separator=separator, keep=keep)
    else:
        raw = read_whitespace(file, "results", header=True, keep=keep)
    types = raw.frame.collect_schema()
    columns = run_columns(types.names())
    if not is_run_table(types.names()):
        raise DataError(
            f"{file.name} has the columns {', '.join(name for name in types.names() if name not in (RECORD, RULE, VALUE))}; a table of a "
            "run names a query (qid, query_id), a document (docno, docid, doc_id) and a score or a rank"
        )
    frame = raw.frame.rename({theirs: ours for ours, theirs in columns.items()})
    texts = [
        as_text(ours, types[theirs]).alias(ours) for ours, theirs in columns.items() if ours not in ("rank", "score")
    ]
    marks = [_null(name) for name in (RULE, VALUE) if name not in types]
    notes = alias_notes(file.name, columns)
    if "tag" not in columns:
        system = system_named(file)
        marks.append(pl.lit(system).alias("tag"))
        notes = (*notes, f"{file.name}: its system is {system!r}")
    frame = frame.drop("iteration", strict=False).with_columns(*texts, *marks)
    return RunFile(file, frame, raw.locate, notes=notes)


def _names(file: LogFile, head: str) -> Sequence[str]:
    """Return the names of the columns of a text, if it has such."""
    if file.kind == "ndjson":
        return re.findall(r'"([^"]*)"\s*:', head.strip().split("\n", 1)[0])
    names, _ = header_of(head)
    return names if len(names) > 1 else names[0].split() if names else ()


def _null(name: str) -> pl.Expr:
    """Return a column of text without values."""
    return pl.lit(None, dtype=pl.String).alias(name)


def system_named(file: LogFile) -> str:
    """Return the name of a file without its endings, for its system."""
    path = PurePath(file.name)
    return PurePath(path.stem).stem if path.suffix in PACKED else path.stem
