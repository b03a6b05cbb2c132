"""Lines of SimIIR logs, of several runs at once, as queries, results, clicks and marks."""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

from sessionkit.contract import CELLS, RECORD, RULE, VALUE
from sessionkit.contract.checks import cell
from sessionkit.readers.io.invalid_bytes import DECODED, whole
from sessionkit.readers.io.log_files import LogFile, cut_short

RUN = "run"
QUERY = [RUN, "query_position"]
FIRST_LINES = re.compile(r"\ufeff?\s*(?:INFO [A-Z_]+[^\n]*\n\s*)*ACTION [A-Z]+ [\d.]+ [\d.]+ ")
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
