"""Lines of fields between blanks (any run of spaces or tabs), as TREC's runs and judgments are, as unchecked records.

Qrels have four: judgment_key, iteration, document, grade.
The second is the subtopic in diversity and novelty tracks and a constant ``0`` or ``Q0`` elsewhere.

Some lines of runs and qrels carry no record (`IDLE_LINES`): comments, which trec_eval skips since version 10, the description of a system
in runs of NTCIR, and a header. They are counted and skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sessionkit.contract import RECORD, RULE, VALUE
from sessionkit.errors import DataError
from sessionkit.readers.io.delimited import FITS
from sessionkit.readers.io.invalid_bytes import mended, with_undecoded
from sessionkit.readers.io.log_files import LogFile, cut_short, not_utf8
from sessionkit.readers.io.record_store import Keep, in_memory
from sessionkit.readers.raw import Raw, as_lines, read_through

QRELS = ("judgment_key", "subtopic_id", "doc_id", "grade")
NO_SUBTOPIC = ("0", "Q0")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)")
TEXT, PARTS = "__text", "__parts"
IDLE_LINES = {
    "comment lines": r"^#",
    "system descriptions": r"(?i:^</?sysdesc\b)",
    "header lines": (
        r"(?i:^(?:\S+\s+){3}(?:rank|pos|position)\s+(?:score|sim|similarity|rsv)\s+\S+$"
        r"|^\S+ +\S+ +\S+ +(?:rel|relevance|relevancy|label|grade|judg\w+)$)"
    ),
}
"""Lines of runs and qrels that carry no record, stripped, by what they are. A header of qrels between tabs is that of a table."""
WHOLE, ANY = r"-?\d+", r"\S+"
SHAPES = {
    "untagged": (ANY, "(?i:0|Q0)", ANY, r"\d+", r"\S*\d\S*"),
    "untagged_by_score": (ANY, r"[A-Za-z]*\d{0,3}", ANY, r"\d+", r"-?\d*\.\d+(?:[eE][-+]?\d+)?"),
    "stratified": (ANY, "(?i:0|Q0)", ANY, r"\d{1,2}", "-?[0-4]"),
    "prels": (ANY, ANY, "-?[0-4]", "[0-3]", r"0?\.\d+(?:[eE]-?\d+)?|1(?:\.0*)?|0"),
    "scored": (ANY, ANY, r"\d+", r"-?\d*\.\d+"),
    "three": (ANY, ANY, WHOLE),
}
"""What each field of a line is like, of files that are like runs and qrels."""
UNTAGGED_SHAPES = ("untagged", "untagged_by_score")
"""Those that are runs without a tag."""
SAMPLES = ("prels", "stratified")
"""Those that are judgments of a sample."""
NEEDS_GRADES = "which only estimators such as statAP and xinfAP use; give qrels: topic, 0, document, grade"
UNTAGGED = (
    "five columns, topic, iteration, document, rank and score: a run without its tag; add the name of the system to each line as sixth "
    "column"
)
NAMED = {
    "prels": f"five columns, topic, document, grade, method and probability: prels, judgments of a sample, {NEEDS_GRADES}",
    "stratified": f"five columns, topic, 0, document, stratum and grade: judgments of a sample, {NEEDS_GRADES}",
    "untagged": UNTAGGED,
    "untagged_by_score": UNTAGGED,
    "scored": (
        "four columns, topic, document, rank and score; a run has topic, iteration, document, rank, score and tag, or topic, document "
        "and rank"
    ),
    "three": (
        "three columns, topic, document and a number; qrels have topic, 0, document and grade, a run of three columns has topic, document "
        "and rank (give it as a log, --from trec_run)"
    ),
}
"""What such files are, by the shape of their lines, the first that fits."""
IDLE_LINE = "|".join(f"(?:{pattern})" for pattern in IDLE_LINES.values())
FIRST_LINES = 20
"""Lines by which a format is recognized."""


def holds_qrels(text: str) -> bool:
    """Return whether a text begins like qrels.

    >>> holds_qrels("# judged in spring\\nq1 0 d1 1\\n"), holds_qrels("q1 d1 1\\n")
    (True, False)
    """
    fields = first_fields(text)
    fit = [len(parts) == 4 and NUMBER.fullmatch(parts[3]) is not None for parts in fields]
    return bool(fit) and fit[0] and 2 * sum(fit) > len(fit) and not _fit(fields, SHAPES["scored"])


def shape_of(text: str) -> str | None:
    """Return which of `NAMED` the first lines of a text are; None where they are none.

    >>> shape_of("q1 Q0 d1 1 9.5\\n"), shape_of("q1 d1 1 0 0.25\\n"), shape_of("q1 s d1 4 2\\n")
    ('untagged', 'prels', None)
    """
    fields = first_fields(text)
    shape = next((shape for shape in NAMED if _fit(fields, SHAPES[shape])), None)
    ranks = [line[3] for line in fields if line[0] == fields[0][0]] if shape == "stratified" else []
    return "untagged" if ranks[:2] in (["1", "2"], ["0", "1"]) else shape


def _fit(lines: Sequence[Sequence[str]], shape: Sequence[str]) -> bool:
    """Return whether all lines have just these fields."""
    return bool(lines) and all(len(line) == len(shape) and all(map(re.fullmatch, shape, line)) for line in lines)


def name_fields(text: str) -> str | None:
    """Return what the lines of a text are that are like a run or qrels and are neither, with their columns, in words."""
    shape = shape_of(text)
    return None if shape is None else NAMED[shape]


def read_whitespace(
    file: LogFile, table: str, *, header: bool = False, skips_idle: bool = False, keep: Keep = in_memory
) -> Raw:
    """Return the records of a file whose fields stand between runs of blanks.

    Without header the columns of a judgments file are those of qrels, of another table ``column_1``, ``column_2``, ...
    Of qrels, and with `skips_idle`, lines that carry no record (`IDLE_LINES`) are left out; ``idle`` of the source counts them.

    Raises
    ------
    DataError
        Too much of the file is not UTF-8, or it ends early.
    """
    lines = pl.scan_lines(str(file.path), name=TEXT, row_index_name=RECORD, row_index_offset=1, glob=False)
    lines = lines.with_columns(pl.col(RECORD).cast(pl.Int64), pl.col(TEXT).str.strip_prefix("\ufeff").str.strip_chars())
    qrels = table == "judgments" and not header
    lines = lines.filter(pl.col(TEXT) != "")
    try:
        records = lines.select(pl.len()).collect().item()
        if qrels or skips_idle:
            lines = lines.filter(~pl.col(TEXT).str.contains(IDLE_LINE))
        idle = records - lines.select(pl.len()).collect().item()
        if idle == records:
            raise DataError(f"{file.name} contains only blank lines and comments")
        first = lines.head(1).collect().row(0, named=True)
    except pl.exceptions.ComputeError:
        return read_whitespace(mended(file), table, header=header, skips_idle=skips_idle, keep=keep)
    except OSError as error:
        raise cut_short(file.name, error) from None
    if header and first[RECORD] in file.undecoded:
        raise not_utf8(file)
    given = first[TEXT].split()
    names = list(QRELS) if qrels else given if header else [f"column_{number}" for number in range(1, len(given) + 1)]
    if len(set(names)) < len(names):
        raise DataError(
            f"{file.name}: a column is named twice in the header {' '.join(names)!r}; rename one of the two"
        )
    skip = first[RECORD] if header else 0
    lines = lines.filter(pl.col(RECORD) > skip).with_columns(pl.col(RECORD) - skip)
    parts = lines.with_columns(pl.col(TEXT).str.replace_all(r"\s+", " ").str.split(" ").alias(PARTS))
    fits = pl.col(PARTS).list.len() == len(names)
    frame = parts.with_columns(
        **{RULE: pl.when(~fits).then(pl.lit(FITS)), VALUE: pl.when(~fits).then(pl.col(TEXT).str.slice(0, 200))},
        **{name: pl.col(PARTS).list.get(place, null_on_oob=True) for place, name in enumerate(names)},
    ).drop(TEXT, PARTS)
    if qrels:
        subtopic = pl.col("subtopic_id")
        frame = frame.with_columns(pl.when(~subtopic.is_in(NO_SUBTOPIC)).then(subtopic))
    with read_through(file.name):
        frame = keep(with_undecoded(frame, {line - skip: bad for line, bad in file.undecoded.items() if line > skip}))
    locate = as_lines(str(file.path), skip + 1)
    return Raw(table, file.name, frame, records - bool(header), locate, file.bytes, file.digest, idle=idle)


def without_idle_subtopic(raw: Raw) -> Raw:
    """Return judgments without ``subtopic_id`` where it is never filled, as in qrels whose second field is constant."""
    if raw.table != "judgments" or "subtopic_id" not in raw.frame.collect_schema():
        return raw
    if raw.frame.select(pl.col("subtopic_id").is_not_null().any()).collect().item():
        return raw
    return replace(raw, frame=raw.frame.drop("subtopic_id"))


def fields_of(file: LogFile, names: Sequence[str], *, least: int, most: int | None = None, keep: Keep) -> pl.LazyFrame:
    """Return the lines of a file as records of these fields; blank lines and `IDLE_LINES` are none, RECORD is the line's number.

    Parameters
    ----------
    least, most
        How many fields a line must have, and may have (None: any number; those beyond `names` are left out). Lines with
        fewer or more break the rule that a record fits the columns.

    Raises
    ------
    DataError
        Too much of the file is not UTF-8, it ends early, or has no line that is not blank.
    """
    lines = pl.scan_lines(str(file.path), name=TEXT, row_index_name=RECORD, row_index_offset=1, glob=False)
    lines = lines.with_columns(pl.col(RECORD).cast(pl.Int64), pl.col(TEXT).str.strip_prefix("\ufeff").str.strip_chars())
    parts = lines.filter(pl.col(TEXT) != "", ~pl.col(TEXT).str.contains(IDLE_LINE)).with_columns(
        pl.col(TEXT).str.replace_all(r"\s+", " ").str.split(" ").alias(PARTS)
    )
    count = pl.col(PARTS).list.len()
    fit = (count >= least) if most is None else count.is_between(least, most)
    if file.undecoded:
        fit &= ~pl.col(RECORD).is_in(list(file.undecoded))
    frame = parts.with_columns(
        **{RULE: pl.when(~fit).then(pl.lit(FITS)), VALUE: pl.when(~fit).then(pl.col(TEXT).str.slice(0, 200))},
        **{name: pl.when(fit).then(pl.col(PARTS).list.get(at, null_on_oob=True)) for at, name in enumerate(names)},
    ).drop(TEXT, PARTS)
    try:
        kept = keep(with_undecoded(frame, file.undecoded))
        if kept.head(1).collect().is_empty():
            raise DataError(f"{file.name} contains only blank lines and comments")
    except pl.exceptions.ComputeError:
        return fields_of(mended(file), names, least=least, most=most, keep=keep)
    except OSError as error:
        raise cut_short(file.name, error) from None
    return kept


def count_idle_lines(file: LogFile) -> dict[str, int]:
    """Return how many lines of a file carry no record, by what they are.

    Raises
    ------
    DataError
        The file ends early.
    """
    lines = pl.scan_lines(str(file.path), name=TEXT, glob=False)
    text = pl.col(TEXT).str.strip_prefix("\ufeff").str.strip_chars()
    try:
        counts = lines.select(text.str.contains(pattern).sum().alias(kind) for kind, pattern in IDLE_LINES.items())
        return counts.collect().row(0, named=True)
    except pl.exceptions.ComputeError:
        return count_idle_lines(mended(file))
    except OSError as error:
        raise cut_short(file.name, error) from None


def first_fields(text: str) -> list[list[str]]:
    """Return the fields of the first lines that carry a record; the last, which may be cut, is left out of long texts.

    >>> first_fields("# a run\\na b\\n\\nc  d")
    [['a', 'b'], ['c', 'd']]
    """
    lines = [line.removeprefix("\ufeff").strip() for line in text.splitlines()]
    return [line.split() for line in lines if line and not re.search(IDLE_LINE, line)][:FIRST_LINES]
