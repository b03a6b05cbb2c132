"""What a study has, column by column, and which questions it can answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from sessionkit.choices import StudyTable
from sessionkit.contract import TABLES
from sessionkit.display.words import counted, listed
from sessionkit.study import Study
from sessionkit.study.restriction import values_text
from sessionkit.study.session_counts import COUNTS
from sessionkit.study.session_counts import counted as counted_columns

COLUMNS = pl.Schema(
    {
        "in_table": pl.String(), "column": pl.String(), "type": pl.String(), "rows": pl.Int64(), "missing": pl.Int64(),
        "distinct": pl.Int64(), "values": pl.String(),
    }
)  # fmt: skip
QUESTIONS = pl.Schema({"question": pl.String(), "answer": pl.String(), "because": pl.String(), "command": pl.String()})
COVARIATES = ("sessions", "users")
"""Tables whose columns say something of whole sessions; of the others, which may be long, no values are read."""
COUNTED = "counted"
"""In place of a table, of what is counted of every session."""
IDS = ("session_id", "user_id", "topic_id", "system_id", "judgment_key", "session_order", "session_number")
"""Columns that name or number sessions, and what they are of."""
FEWEST, MOST = 2, 20
"""Values of a column whose groups can be compared."""
LOOKS = ("examined", "clicked", "clicks", "dwell_seconds")
"""Columns of results that show how far searchers looked."""


def columns_of(study: Study) -> pl.DataFrame:
    """Return every column of a study, and of those of sessions and users their values.

    Returns
    -------
    polars.DataFrame
        ``in_table``, ``column``, ``type``; of sessions and users also ``rows``, ``missing``, ``distinct`` and ``values``: the
        commonest with their counts, or the range of numbers and times. What can be counted of every session, such as its
        ``queries``, is of the table ``counted``, and ``values`` say what it is.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s", "z"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s", "z"], "satisfaction": [4, 2]},
    ... )
    >>> columns_of(study).filter(column="satisfaction").select("in_table", "type", "missing", "distinct", "values").row(0)
    ('sessions', 'integer', 0, 2, '2 to 4')
    """
    rows = [row for name in TABLES for row in _rows(study, name)]
    for name in counted_columns(study):
        count = COUNTS[name]
        rows.append((COUNTED, name, _type(count.dtype()), None, None, None, count.words))
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def _rows(study: Study, name: StudyTable) -> Iterable[tuple[object, ...]]:
    """The columns of a table."""
    frame = study.table(name)
    if name not in COVARIATES:
        return [
            (name, column, _type(dtype), None, None, None, None) for column, dtype in frame.collect_schema().items()
        ]
    return [
        (
            name,
            column.name,
            _type(column.dtype),
            len(column),
            column.null_count(),
            _distinct(column),
            values_text(column),
        )
        for column in frame.collect()
    ]


def _type(dtype: pl.DataType) -> str:
    """A type in the words of `sessionkit schema`."""
    if dtype.is_numeric():
        return "integer" if dtype.is_integer() else "number"
    return dtype.base_type().__name__.lower()


def _distinct(column: pl.Series) -> int | None:
    """How many values a column has; None of lists."""
    return None if column.dtype.is_nested() else column.drop_nulls().n_unique()


def questions_of(study: Study, columns: pl.DataFrame, lengths: pl.DataFrame, design: str) -> pl.DataFrame:
    """Return which questions a study can answer, why, and by which command.

    Parameters
    ----------
    columns
        As `columns_of` gives them.
    lengths
        ``queries`` (number of logged queries of a session) and ``sessions``.
    design
        The name of the design for a comparison of systems.
    """
    shown = columns.filter(pl.col("in_table").is_in(COVARIATES), ~pl.col("column").is_in(IDS)).sort(
        "in_table", maintain_order=True
    )
    groups = _among(shown.filter(pl.col("distinct").is_between(FEWEST, MOST)))
    numbers = _among(shown.filter(pl.col("type").is_in(["integer", "number"]), pl.col("distinct") >= FEWEST))
    systems = columns.filter(column="system_id", in_table="sessions").item(0, "distinct")
    several = int(lengths.filter(pl.col("queries") > 1).get_column("sessions").sum())
    judged, looks = study.facts.judgments, [name for name in LOOKS if name in study.columns("results")]
    judges = "judge_id" in study.columns("judgments")
    texts = "query_text" in study.columns("queries")
    of_systems = f"{counted(systems, 'system')}, {design}" if systems > 1 else "the log has fewer than two systems"
    rows = [
        ("How good were the sessions?", judged, counted(judged, "judgment"), "score STUDY 'nsDCG@10'"),
        ("Do systems differ?", systems > 1, of_systems, "compare STUDY 'nsDCG@10' --by system_id"),
        (
            "Do other groups differ?",
            groups,
            f"columns of {FEWEST} to {MOST} values: {_some(groups)}",
            f"compare STUDY 'nsDCG@10' --by {groups[0] if groups else 'COLUMN'}",
        ),
        (
            "Are last queries better than earlier ones?",
            several and judged,
            f"{counted(several, 'session')} of two or more queries",
            "breakdown STUDY 'nDCG@10' --significance",
        ),
        (
            "Do measures agree with ratings, or other numbers of sessions and users?",
            numbers,
            f"numbers of sessions or users: {_some(numbers)}",
            f"correlate STUDY 'nsDCG@10' --with {numbers[0] if numbers else 'COLUMN'}",
        ),
        ("How far did searchers look?", looks, f"columns of results: {_some(looks)}", "calibrate STUDY"),
        ("How did queries change?", texts and several, "query_text" if texts else "no query_text", "chart reformulation-flow STUDY"),
        ("Do judges agree?", judges, "judge_id" if judges else "no judge_id", "agreement STUDY"),
        (
            "Would fewer judgments, or other discounts, change the result?",
            (systems > 1 or groups) and judged,
            of_systems if systems > 1 else f"columns of {FEWEST} to {MOST} values: {_some(groups)}",
            "judgment-loss, bounds, sweep",
        ),
    ]  # fmt: skip
    answers = [
        (question, "yes" if can else "no", because, f"sessionkit {command}") for question, can, because, command in rows
    ]
    return pl.DataFrame(answers, schema=QUESTIONS, orient="row")


def _among(columns: pl.DataFrame) -> list[str]:
    """The names of columns, each once."""
    return columns.get_column("column").unique(maintain_order=True).to_list()


def _some(names: Sequence[str], most: int = 6) -> str:
    """The first few names, and how many more there are."""
    if not names:
        return "none"
    more = len(names) - most
    return listed(names) if more <= 0 else f"{', '.join(names[:most])} and {more} more"
