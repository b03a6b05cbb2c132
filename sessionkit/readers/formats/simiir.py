"""Format ``simiir``: runs of the SimIIR framework, versions 1 to 3, of simulated searchers.

Every run writes ``BASE.log``, where lines are ``ACTION <action> <time limit> <seconds> <payload>`` or ``INFO <type> <value>``,
beside ``BASE.cfg`` (what was simulated), ``BASE.queries``, ``BASE.rels`` and others. A folder holds any number of runs; a lone
.log is a run too. A run is a session, named BASE.

- Only the snippets that the searcher examined are logged: they are the results, in the order examined, and the list is
  ``partly_observed``; ``INFO SERP_END_REACHED`` (SimIIR 1) says that it was examined to its end, so that it is ``shown``.
  ``SEEN_PREVIOUSLY`` keeps its rank. ``EMPTY_SERP`` is an empty list; of an ``IGNORE_SERP`` no snippet was examined:
  ``partly_observed`` without rows. A query without any SERP line (time was up) is ``not_logged``.
- ``UTTERANCE`` of a conversational run (SimIIR 3) is a query whose answer is no list: ``not_logged``.
- ``DOC`` is a click, made when the action before it ended; the time since then is the dwell time. ``MARK`` saves a document.
- ``.rels`` are documents that were saved, not judgments; they and ``.queries`` repeat what the .log says. Judgments come
  from qrels of the topics.
- Every ``QUERY`` is a query of its own; with ``merge_queries = ["same"]`` one with the text of the query before goes into that.
- The totals that a .log ends with are held against what was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.display.words import counted
from sessionkit.errors import DataError
from sessionkit.readers.entries import Glimpse, Option
from sessionkit.readers.events.clicks import with_clicks
from sessionkit.readers.events.requeries import MERGE_QUERIES
from sessionkit.readers.events.requery_tables import merged_tables
from sessionkit.readers.formats.simiir_lines import (
    ONTO,
    QUERY,
    RUN,
    clicks_of,
    holds_run,
    lines_of,
    marks_of,
    queries_of,
    snippets_of,
    tallied,
    times_of,
    totals_amiss,
    unshown,
)
from sessionkit.readers.formats.simiir_runs import run_of
from sessionkit.readers.io.log_files import PACKED, LogFile, unpacked
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import Log, Taken, raw_of, set_aside
from sessionkit.readers.sniffer import glimpse as look

TRIED = (
    "four runs of SimIIR 3 in Sim4IA-Bench and one in DIS22_Sim4IA_Prototype (with DOC and MARK lines), .rels and "
    "parts of .cfg of SimIIR 1 and of simiir_subtopics; ignored and empty lists, the .log of other versions and "
    "conversational runs never on real files, built from the source of the framework"
)
OPTIONS: dict[str, Option] = {
    "merge_queries": replace(
        MERGE_QUERIES,
        meaning="Which queries are merged into one: same (with the text of the query before). An empty list: none.",
        default=[],
        allowed=("same",),
    )
}
BATCH = 200
"""Runs that are taken apart together."""
SIDE = {
    ".cfg": "lines of configuration",
    ".queries": "queries, which the .log has too",
    ".rels": "saved documents, which the .log has too",
    ".out": "lines of trec_eval",
}
"""What else a run writes, and what its lines are."""


def fits(glimpse: Glimpse) -> bool:
    """Return whether a text begins like the .log of a run or lies beside one, or a folder holds one."""
    if glimpse.is_folder:
        logs = [name for name in glimpse.names if _parted(name)[1] == ".log"]
        return bool(logs) and holds_run(look(glimpse.path / logs[0]).head)
    if holds_run(glimpse.head):
        return True
    base, suffix = _parted(str(glimpse.path))
    return suffix in SIDE and holds_run(look(Path(f"{base}.log")).head)


def take(log: Log) -> Taken:
    """Take the files apart."""
    runs = [file for file in log.files if holds_run(file.head.decode("utf-8", errors="replace"))]
    if not runs:
        raise DataError(
            f"{log.files[0].name} does not begin like the .log of a SimIIR run, such as 'ACTION QUERY 1200 10 text'"
        )
    names = _names(runs)
    raws: dict[str, list[Raw]] = {"sessions": [], "queries": [], "results": []}
    merged: dict[tuple[str, str], int] = {}
    others = [file for file in log.files if file not in runs]
    idle = {(file.name, SIDE.get(_parted(file.name)[1], "lines of no run")): _lines_in(file) for file in others}
    amiss: list[str] = []
    cells: list[pl.DataFrame] = []
    for start in range(0, len(runs), BATCH):
        files = dict(zip(names[start : start + BATCH], runs[start : start + BATCH], strict=True))
        lines = lines_of(files)
        results, _ = with_clicks(snippets_of(lines).lazy(), clicks_of(lines).lazy(), [*QUERY, "doc_id"])
        results = results.join(marks_of(lines).lazy(), on=[*QUERY, "doc_id"], how="left", maintain_order="left")
        first = pl.struct(*QUERY, "doc_id").is_first_distinct()
        results = results.with_columns(pl.col("saved").fill_null(value=False) & first)
        asked, shown, gone = _merged(lines, results.collect(), log.option("merge_queries"))
        for words, by_run in gone.items():
            merged |= {(files[name].name, words): many for name, many in by_run}
        tables = {
            "QUERY lines": ("queries", asked.filter(pl.col(RULE).is_null()).drop(RULE, VALUE)),
            "lines that cannot be read": (
                "queries",
                asked.filter(pl.col(RULE).is_not_null()).select(RUN, RECORD, RULE, VALUE, "query_position"),
            ),
            "SNIPPET lines": ("results", shown),
        }
        for kind, (table, frame) in tables.items():
            for (name,), part in frame.partition_by(RUN, as_dict=True, maintain_order=True).items():
                taken = part.rename({RUN: "session_id"}).lazy()
                base = {"query_position": 1, "rank": 1}
                raws[table].append(raw_of(files[str(name)], table, log.keep(taken), kind=kind, base=base))
        late = times_of(lines)
        cells += [
            set_aside(file, "results", late.filter(pl.col(RUN) == name).lazy())
            for name, file in files.items()
            if name in late[RUN]
        ]
        raws["sessions"] += [
            raw_of(file, "sessions", run_of(file.path, name, lines), kind="runs") for name, file in files.items()
        ]
        for name, action, many in tallied(lines):
            (merged if action in ONTO else idle)[files[name].name, f"{action} lines"] = many
        for name, action, many in unshown(lines):
            merged[files[name].name, f"{action} lines"] -= many
            idle[files[name].name, f"{action} lines on no result"] = many
        amiss += totals_amiss(lines)
    totals = f"SimIIR runs end with {counted(len(amiss), 'total')} other than what was read"
    warnings = [f"{totals} (first: {amiss[0]})"] if amiss else []
    taken_raws = {name: given for name, given in raws.items() if given}
    return Taken(taken_raws, merged, idle, warnings=warnings, cells=cells)


def _merged(
    lines: pl.DataFrame, results: pl.DataFrame, rules: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, list[tuple[str, int]]]]:
    """Return queries, those that cannot be read among them, and results, merged, and how many of each run went where."""
    unread = lines.filter(pl.col(RULE).is_not_null()).select(
        RUN, RECORD, RULE, VALUE, query_position=pl.when("is_query").then("query_position")
    )
    asked = pl.concat([queries_of(lines), unread], how="diagonal_relaxed")
    if not rules:
        return asked, results, {}
    position = pl.col("query_position").cast(pl.Int64)
    queries, lists = (frame.rename({RUN: "session_id"}).with_columns(position) for frame in (asked, results))
    made = merged_tables(queries, lists, rules)
    gone = {words: rows.group_by("session_id").len().rows() for words, rows in made.gone.items()}
    return made.queries.rename({"session_id": RUN}), made.results.rename({"session_id": RUN}), gone


def _parted(name: str) -> tuple[str, str]:
    """Return the path of a file without its ending, and its ending, that of packing apart."""
    path = PurePath(name)
    path = path.with_suffix("") if path.suffix in PACKED else path
    return str(path.with_suffix("")) if path.suffix else str(path), path.suffix


def _names(runs: list[LogFile]) -> list[str]:
    """Return the names of runs: those of their files or, where two have one, their paths."""
    paths = [_parted(file.name)[0] for file in runs]
    bare = [PurePath(path).name for path in paths]
    names = bare if len(set(bare)) == len(bare) else paths
    return names if len(set(names)) == len(names) else [file.name for file in runs]


def _lines_in(file: LogFile) -> int:
    """Return the number of lines of a file."""
    with unpacked(file.path) as stream:
        return sum(1 for line in stream if line.strip())
