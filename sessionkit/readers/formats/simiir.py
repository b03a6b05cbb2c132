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
- What a run simulated, its topic, system and searcher, is in its .cfg, else in its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

import polars as pl

from sessionkit.display.numbers import counted
from sessionkit.errors import DataError
from sessionkit.readers.events.lists import with_clicks
from sessionkit.readers.events.sessions import MERGE_QUERIES, merged_tables
from sessionkit.readers.format import Glimpse, Option
from sessionkit.readers.format import glimpse as look
from sessionkit.readers.io.delimited import DECODED, whole
from sessionkit.readers.io.files import DAMAGED, PACKED, LogFile, cut_short, unpacked
from sessionkit.readers.raw import Raw
from sessionkit.readers.records import Log, Taken, raw_of, set_aside
from sessionkit.study.checks import CELLS, RECORD, RULE, VALUE, cell

RUN = "run"
QUERY = [RUN, "query_position"]
FIRST_LINES = re.compile(r"\ufeff?\s*(?:INFO [A-Z_][^\n]*\n\s*)*ACTION [A-Z]+ [\d.]+ [\d.]+ ")
ACTION = r"^ACTION ([A-Z_]+) (\S+) (\S+)(?: (.*))?$"
INFO = r"^INFO ([A-Z_]+)(?: (.*))?$"
READABLE = "line_is_action_or_info"
UNDECODED = "undecoded"
DECISION = r"^CONSIDERED_(?:NOT_)?RELEVANT"
UTTERANCE = "UTTERANCE"
"""What a searcher says to a conversational system, taken as a query."""
ONTO = ("SERP", "DOC", "MARK")
"""Actions that go onto queries and results; all but these and QUERY and SNIPPET say nothing for any table."""
TOTALS = {
    "TOTAL_QUERIES_ISSUED": ("queries",),
    "TOTAL_SNIPPETS_EXAMINED": ("snippets",),
    "TOTAL_DOCUMENTS_EXAMINED": ("documents",),
    "TOTAL_DOCUMENTS_MARKED_RELEVANT": ("marked", "considered"),
}
"""Totals, and which of our counts should be equal to them; SimIIR 1 counts documents before they are marked."""


def holds_run(text: str) -> bool:
    """Return whether a text begins like the .log of a run.

    >>> holds_run("ACTION QUERY 1200 10 night train prices")
    True
    """
    return FIRST_LINES.match(text) is not None


def lines_of(files: Mapping[str, LogFile]) -> pl.DataFrame:
    """Return the lines of these runs, taken apart.

    RUN, RECORD (number of the line), RULE and VALUE where it is neither action nor info, ``action`` (``"INFO"`` for
    info), ``limit``, ``time`` and ``ended`` (of the action before) as text, ``payload``, ``type`` (of info),
    ``query_position`` (0 before the first query), ``rank`` (snippets so far in the list), ``is_query``. A line with bytes that are
    no text has no action, but counts for position and rank.

    Raises
    ------
    DataError
        Too much of a file is not UTF-8, or it is damaged.
    """
    names = {str(file.path): name for name, file in files.items()}
    scan = pl.scan_lines(list(names), name="text", include_file_paths="path", glob=False)
    try:
        read = scan.collect()
    except pl.exceptions.ComputeError:
        return lines_of({name: whole(file) for name, file in files.items()})
    except OSError as error:
        raise cut_short(next(iter(files.values())).name, error) from None
    text = pl.col("text").str.strip_prefix("\ufeff").str.strip_suffix("\r")
    numbered = read.select(
        pl.col("path").replace_strict(names).alias(RUN),
        pl.int_range(1, pl.len() + 1).over("path").alias(RECORD),
        text.alias("text"),
    ).filter(pl.col("text").str.strip_chars() != "")
    action, info = pl.col("text").str.extract_groups(ACTION), pl.col("text").str.extract_groups(INFO)
    parted = numbered.with_columns(action=action, info=info).with_columns(
        action=pl.when(pl.col("info").struct[0].is_not_null())
        .then(pl.lit("INFO"))
        .otherwise(pl.col("action").struct[0].replace(UTTERANCE, "QUERY")),
        limit=pl.col("action").struct[1],
        time=pl.col("action").struct[2],
        payload=pl.coalesce(pl.col("action").struct[3], pl.col("info").struct[1]).str.strip_chars(),
        type=pl.col("info").struct[0],
    )
    unread = pl.col("action").is_null()
    bad = [(name, line, those) for name, file in files.items() for line, those in file.undecoded.items()]
    undecoded = pl.DataFrame(bad, schema={RUN: pl.String, RECORD: pl.Int64, UNDECODED: pl.String}, orient="row")
    parted = parted.join(undecoded, on=[RUN, RECORD], how="left", maintain_order="left")
    decoded = pl.col(UNDECODED).is_null()
    asked = (pl.col("action") == "QUERY").fill_null(value=False)
    parted = parted.with_columns(query_position=asked.cum_sum().over(RUN))
    examined = (pl.col("action") == "SNIPPET").fill_null(value=False)
    return parted.select(
        RUN,
        RECORD,
        pl.when(~decoded).then(pl.lit(DECODED)).when(unread).then(pl.lit(READABLE)).alias(RULE),
        pl.when(~decoded).then(UNDECODED).when(unread).then(pl.col("text").str.slice(0, 200)).alias(VALUE),
        pl.when(decoded).then("action").alias("action"),
        "limit",
        "time",
        "payload",
        "type",
        ended=pl.col("time").forward_fill().shift(1).over(RUN),
        query_position="query_position",
        rank=examined.cum_sum().over(QUERY).cast(pl.Int64),
        is_query=asked,
    )


def times_of(lines: pl.DataFrame) -> pl.DataFrame:
    """Return RUN, RECORD and CELLS of actions that make no query, whose times cannot be read."""
    timed = lines.filter(~pl.col("action").is_in(["QUERY", "INFO"]), pl.col("time").is_not_null())
    unread = ~pl.col("time").cast(pl.Float64, strict=False).is_finite().fill_null(value=False)
    aside = pl.concat_list(cell("time", "time_is_a_number", pl.col("time"))).alias(CELLS)
    return timed.filter(unread).select(RUN, RECORD, aside)


def queries_of(lines: pl.DataFrame) -> pl.DataFrame:
    """Return the queries; ``serp`` is what became of the list, ``snippets`` how many of it were examined."""
    end = (pl.col("type") == "SERP_END_REACHED").any()
    lists = lines.group_by(QUERY).agg(
        serp=pl.col("payload").filter(pl.col("action") == "SERP").last(),
        __examined=(pl.col("action") == "SNIPPET").any(),
        __ended=end,
    )
    status = (
        pl.when(pl.col("serp") == "EMPTY_SERP")
        .then(pl.lit("empty"))
        .when(pl.col("__examined") & pl.col("__ended"))
        .then(pl.lit("shown"))
        .when(pl.col("__examined") | pl.col("serp").is_not_null())
        .then(pl.lit("partly_observed"))
        .otherwise(pl.lit("not_logged"))
    )
    asked = lines.filter(pl.col("action") == "QUERY").join(lists, on=QUERY, how="left", maintain_order="left")
    return asked.select(
        *QUERY, RECORD, query_text="payload", elapsed_seconds="time", results_status=status, serp=pl.col("serp")
    )


def snippets_of(lines: pl.DataFrame) -> pl.DataFrame:
    """Return the results: the snippets examined, ranked in their order; ``snippet`` is what was thought of one."""
    examined = lines.filter(pl.col("action") == "SNIPPET")
    first = pl.col("query_position") == 0
    return examined.select(
        RUN,
        RECORD,
        pl.when(first).then(pl.lit("snippet_follows_a_query")).alias(RULE),
        pl.when(first).then("payload").alias(VALUE),
        pl.when(~first).then("query_position").alias("query_position"),
        rank="rank",
        doc_id=pl.col("payload").str.extract(r"^\S+ +(\S+)"),
        examined=pl.lit(value=True),
        seen_before=pl.col("payload").str.starts_with("SEEN_PREVIOUSLY"),
        snippet=pl.col("payload").str.extract(r"^(\S+)"),
    )


def clicks_of(lines: pl.DataFrame) -> pl.DataFrame:
    """Return a row per document opened: when, and for how many seconds."""
    opened = lines.filter(pl.col("action") == "DOC", ~pl.col("payload").str.contains(DECISION))
    started, ended = (pl.col(name).cast(pl.Float64, strict=False) for name in ("ended", "time"))
    return opened.select(*QUERY, doc_id=_document(), click_elapsed_seconds=started, dwell_seconds=ended - started)


def marks_of(lines: pl.DataFrame) -> pl.DataFrame:
    """Return a row per document of a list with whether it was marked; SimIIR 1 marks without a word."""
    marks = lines.filter(pl.col("action") == "MARK").select(*QUERY, doc_id=_document(), saved=_relevant())
    return marks.group_by([*QUERY, "doc_id"]).agg(pl.col("saved").any())


def tallied(lines: pl.DataFrame) -> list[tuple[str, str, int]]:
    """Return run, action and how many lines there are of it, for actions that make no rows."""
    rowless = lines.filter(pl.col(RULE).is_null(), ~pl.col("action").is_in(["QUERY", "SNIPPET"]))
    return rowless.group_by(RUN, "action", maintain_order=True).len().rows()


def unshown(lines: pl.DataFrame) -> list[tuple[str, str, int]]:
    """Return run, action and how many lines there are of it, for those about a document that is not in the list."""
    about = lines.filter(pl.col("action").is_in(["DOC", "MARK"])).select(*QUERY, "action", doc_id=_document())
    outside = about.join(snippets_of(lines), on=[*QUERY, "doc_id"], how="anti")
    return outside.group_by(RUN, "action", maintain_order=True).len().rows()


def totals_amiss(lines: pl.DataFrame) -> list[str]:
    """Return, as text, the totals at the end of runs that are not what was read."""
    action, payload = pl.col("action"), pl.col("payload")
    decided = action.is_in(["DOC", "MARK"]) & payload.str.contains(DECISION)
    counts = lines.group_by(RUN, maintain_order=True).agg(
        queries=(action == "QUERY").sum(),
        snippets=(action == "SNIPPET").sum(),
        documents=((action == "DOC") & ~decided).sum(),
        marked=((action == "MARK") & _relevant()).sum(),
        considered=((action == "DOC") & decided & _relevant()).sum(),
    )
    totals = lines.filter(pl.col("type").is_in(list(TOTALS))).select(RUN, "type", said="payload")
    held = totals.join(counts, on=RUN, how="left", maintain_order="left")
    return [
        f"{row[RUN]}: {row['type']} {row['said']}, read {row[TOTALS[row['type']][0]]}"
        for row in held.iter_rows(named=True)
        if row["said"] not in [str(row[name]) for name in TOTALS[row["type"]]]
    ]


def _document() -> pl.Expr:
    """Return the document that a payload ends with."""
    return pl.col("payload").str.extract(r"(\S+)$")


def _relevant() -> pl.Expr:
    """Return whether a payload does not say that a document was considered not relevant."""
    return ~pl.col("payload").str.starts_with("CONSIDERED_NOT_RELEVANT")


NAME = re.compile(r"(?P<system_id>.+?)-(?P<topic_id>\d+)-(?P<user_id>.+)")
"""A run is named after its simulation, its topic and its searcher."""
SAID = {
    "simulation": re.compile(r"^\s*SIMULATION '([^'\n]*)'", re.MULTILINE),
    "topic_id": re.compile(r"\bTopic: *(\S+)"),
    "user_id": re.compile(r"^\s*User Configuration \(([^)\n]*)\)", re.MULTILINE),
    "search_interface": re.compile(r"^\s*Search Interface: *(\S+)", re.MULTILINE),
    "wmodel": re.compile(r"^\s*wmodel: *(\S+)", re.MULTILINE),
    "stopping_decision_maker": re.compile(r"^\s*Stopping Decision Maker: *(\S+)", re.MULTILINE),
}
"""What is taken from a .cfg; the last three are kept as they are."""


def run_of(path: Path, name: str, lines: pl.DataFrame) -> pl.DataFrame:
    """Return the session that a run is, one row.

    Parameters
    ----------
    path
        Of the .log; the .cfg is looked for beside it.
    name
        Of the run.
    lines
        Those of runs, of which this is one.
    """
    said = configured(_text(path))
    limit = lines.filter(pl.col(RUN) == name)["limit"].drop_nulls().head(1)
    row = {RECORD: 1, "session_id": name, **named(name.rsplit("/", 1)[-1]), **said}
    row["time_limit"] = limit[0] if len(limit) else None
    return pl.DataFrame([row], schema={key: pl.Int64 if key == RECORD else pl.String for key in row})


def named(name: str) -> dict[str, str | None]:
    """Return system, topic and searcher from the name of a run.

    >>> named("bm25-303-patient")
    {'system_id': 'bm25', 'topic_id': '303', 'user_id': 'patient'}
    """
    match = NAME.fullmatch(name)
    return match.groupdict() if match else dict.fromkeys(("system_id", "topic_id", "user_id"))


def configured(text: str) -> dict[str, str]:
    """Return what a .cfg says of a run; the system is the simulation without topic and searcher.

    >>> configured("SIMULATION 'bm25-7-eager'\\n Topic: 7\\n User Configuration (eager):\\n wmodel: BM25")
    {'topic_id': '7', 'user_id': 'eager', 'wmodel': 'BM25', 'system_id': 'bm25'}
    """
    said = {key: match[1] for key, pattern in SAID.items() if (match := pattern.search(text)) and match[1]}
    simulation = said.pop("simulation", "")
    ending = f"-{said.get('topic_id')}-{said.get('user_id')}"
    if simulation.endswith(ending) and simulation != ending:
        said["system_id"] = simulation.removesuffix(ending)
    return said


def _text(log: Path) -> str:
    """Return the text of the .cfg beside a .log; nothing where there is none."""
    bare = log.with_suffix("") if log.suffix in PACKED else log
    for path in (bare.with_suffix(".cfg"), *(bare.with_suffix(f".cfg{packed}") for packed in PACKED)):
        if not path.is_file():
            continue
        try:
            with unpacked(path) as stream:
                return stream.read().decode("utf-8", errors="replace")
        except DAMAGED as error:
            raise cut_short(path.name, error) from None
    return ""


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
