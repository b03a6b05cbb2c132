"""Tables made text once: rows and columns, with a caption, a note and marks, from a frame; for papers, pages and files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from sessionkit.display.labels import label
from sessionkit.display.numbers import (
    SHARES,
    bounded_cells,
    counted,
    interval_cell,
    number_texts,
    share_text,
    whole_text,
)

HEADERS = {
    # ids and places
    "system_id": "System",
    "topic_id": "Topic",
    "user_id": "User",
    "session_id": "Session",
    "judgment_key": "Judgment key",
    "doc_id": "Document",
    "judge_id": "Judge",
    "query_position": "Query position",
    "rank": "Rank",
    "slot": "Slot",
    "place": "Place",
    "group": "Group",
    "unit": "Unit",
    "part": "Part",
    "pair": "Pair",
    "against": "Against",
    "first": "First",
    "second": "Second",
    "other": "Other",
    "who": "Who",
    "setting": "Setting",
    "component": "Component",
    "parameter": "Parameter",
    "model": "Model",
    "criterion": "Criterion",
    "form": "Form",
    "direction": "Direction",
    "along": "Along",
    "amount": "Amount",
    "horizon": "Horizon",
    "name": "Name",
    "population": "Population",
    "coefficient": "Coefficient",
    "covariate": "With",
    "test": "Test",
    "check": "Check",
    "what": "What",
    "note": "Note",
    # counts
    "n": "n",
    "n_a": "n of first",
    "n_b": "n of second",
    "count": "Count",
    "sessions": "Sessions",
    "users": "Users",
    "topics": "Topics",
    "queries": "Queries",
    "documents": "Documents",
    "results": "Results",
    "retrieved": "Retrieved",
    "relevant": "Relevant",
    "relevant_retrieved": "Relevant retrieved",
    "relevant_documents": "Relevant documents",
    "lists": "Lists",
    "units": "Units",
    "levels": "Levels",
    "pairs": "Pairs",
    "tested": "Tested",
    "draws": "Draws",
    "ranks": "Ranks",
    "looks": "Looks",
    "settings": "Settings",
    "known": "Known",
    "n_queries": "Queries",
    "n_sessions": "Sessions",
    "single_query_sessions": "Sessions of one query",
    "left_out_single_query": "Left out: one query",
    "left_out_undefined": "Left out: undefined",
    "undefined": "Undefined",
    "dropped": "Dropped",
    "open": "Open",
    "moving": "Could change",
    "pooled": "Pooled",
    "searching": "Searching",
    "searching_a": "Searching, first",
    "searching_b": "Searching, second",
    "reached": "Reached",
    "beyond": "Beyond cutoff",
    "wins": "Wins",
    "ties": "Ties",
    "losses": "Losses",
    "needed": "Needed",
    "open_documents": "Open documents",
    "overturned_by": "Overturned by",
    "more_users": "More users",
    "more_topics": "More topics",
    "users_sure": "Users, sure",
    "topics_sure": "Topics, sure",
    "sessions_sure": "Sessions, sure",
    "most": "Most",
    "least": "Least",
    "mean_queries": "Queries per session",
    # values
    "measure": "Measure",
    "value": "Value",
    "values": "Values",
    "value_against": "Value against",
    "value_first": "Value of first",
    "value_second": "Value of second",
    "judged": "Judged",
    "share": "Share",
    "feature": "Feature",
    "mean": "Mean",
    "mean_a": "Mean of first",
    "mean_b": "Mean of second",
    "median": "Median",
    "sd": "SD",
    "q1": "Q1",
    "q3": "Q3",
    "min": "Minimum",
    "max": "Maximum",
    "at_zero": "At 0",
    "at_one": "At 1",
    "variance": "Variance",
    "ideal": "Ideal",
    "below_ideal": "Below ideal",
    "share_below": "Share below",
    "score": "Score",
    "lower": "Lower bound",
    "upper": "Upper bound",
    "residual": "Residual",
    "bound": "Bound",
    "move": "Move",
    "gained": "Gained",
    "cost": "Cost",
    "documents_per_query": "Documents per query",
    "mean_documents": "Mean documents",
    "mean_curve": "Mean curve",
    "seen": "Seen",
    "goes_on": "Goes on",
    "stops": "Stops",
    "grade": "Grade",
    "other_grade": "Other grade",
    "share_of_grade": "Share of grade",
    "share_of_other_grade": "Share of other grade",
    "share_of_relevant": "Share of relevant",
    "becomes": "Becomes",
    "adjusted": "Adjusted",
    "mark": "Mark",
    "relative": "Relative difference",
    "raw_difference": "Raw difference",
    "fraction": "Fraction",
    "tau": "Kendall tau-b",
    "tau_low": "Lowest tau-b",
    "tau_high": "Highest tau-b",
    "winner": "Same winner",
    "drift": "Drift",
    "knee": "Knee",
    "knee_judged": "Judged at knee",
    "knee_low": "Knee from",
    "knee_high": "Knee to",
    "first_above": "First above",
    "accuracy_knee": "Knee of accuracy",
    "kept": "Kept",
    "lost": "Lost",
    "found": "Found",
    "turned": "Turned",
    "accuracy": "Accuracy",
    "true_positive": "True positives",
    "false_positive_rate": "False positives",
    "precision": "Precision",
    "g_mean": "Geometric mean",
    "median_p": "Median p",
    "same_sign": "Same sign",
    "winner_changes": "Winner changes",
    "verdict_changes": "Verdict changes",
    "observed": "Observed",
    "expected": "Expected",
    "identified": "Identified",
    "log_likelihood": "Log-likelihood",
    "aic": "AIC",
    "TSE": "TSE",
    "TAE": "TAE",
    "KL": "KL",
    "reach_rank_2": "Reach rank 2",
    "reach_query_2": "Reach query 2",
    "depends_on_grid": "Depends on grid",
    "converged": "Converged",
    "singular": "Singular",
    # tests
    "difference": "Difference",
    "estimate": "Difference",
    "low": "from",
    "high": "to",
    "interval": "Interval",
    "profile_low": "Profile from",
    "profile_high": "Profile to",
    "se": "SE",
    "se_reml": "SE by REML",
    "statistic": "Statistic",
    "df": "df",
    "df_error": "df of error",
    "p": "p",
    "p_adjusted": "Adjusted p",
    "p_independent": "p if independent",
    "p_is_bound": "p is a bound",
    "effect": "Effect size",
    "effect_low": "Effect from",
    "effect_high": "Effect to",
    "detectable": "Detectable",
    "error_term": "Error term",
    "holds": "Holds",
    "power": "Power",
    "error": "Monte Carlo error",
    "at_estimate": "Power at estimates",
    "reaches": "Reaches target",
    "limit": "Limit",
    "significant": "Significant",
    "spread": "Largest difference",
    # sweep
    "outcome": "Outcome",
    "leader": "Leader",
    "following": "Following",
    "conclusion": "Conclusion",
    "statement": "Statement",
    "connected": "Connected",
    "connected_share": "Connected share",
    "base": "Base",
    "ends_below": "Ends below",
    "ends_above": "Ends above",
    "holds_at": "Holds at",
    "fails_at": "Fails at",
    "changes": "Changes",
    "distance": "Distance",
    "at": "At",
    "still_at": "Still at",
    "still": "Still",
    "added": "Added",
    "meaning": "Meaning",
    # of a study
    "shown": "Shown",
    "short": "Short",
    "empty": "Empty",
    "partly_observed": "Partly observed",
    "not_logged": "Not logged",
    "repeats": "Repeated documents",
}
"""Column headings in the words of the field, by name; columns of a study, such as those of its users, keep their own."""
NAMING = (
    "system_id", "topic_id", "user_id", "session_id", "judgment_key", "doc_id", "judge_id", "query_position", "rank", "slot", "place",
    "measure", "part", "pair", "covariate", "coefficient", "test", "setting", "parameter", "component", "model", "criterion",
)  # fmt: skip
"""Columns that name rows, as the contract and the tables call them; any other that does is a study's own."""
UNLABELED = ("session_id", "user_id", "judgment_key", "doc_id", "measure", "part")
"""Columns whose values are never labeled."""
PAIR = {"a": "First", "b": "Second"}
"""Headings of a table of pairs; alone, ``b`` is a parameter of measures."""
LIMIT = 60
"""Rows a table shows at most; more are counted below it."""
DASH = "\u2013"
"""Stands for what is not there."""


@dataclass(frozen=True)
class TextTable:
    """A table as text.

    Parameters
    ----------
    caption
        Its title.
    headers
        One heading per column.
    rows
        The cells.
    numeric
        Which columns hold numbers, set flush right.
    note
        A sentence below it.
    frame
        The values behind the cells, unrounded, all rows.
    strong
        Cells (row, column) that stand out, such as the best of a measure.
    marks
        What stands behind a cell, raised, such as a mark of significance that the note explains.
    spans
        What stands above the headings, from the left, and over how many columns each; empty text over those that stand alone.
    has_counts_below
        Whether the last row counts what the values above it are of.
    n_left_out
        How many rows are not shown.
    way_to_all
        Where all rows are, for a table that leaves some out.
    """

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    note: str | None = None
    frame: pl.DataFrame = field(default_factory=pl.DataFrame, repr=False)
    strong: frozenset[tuple[int, int]] = frozenset()
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)
    spans: tuple[tuple[str, int], ...] = ()
    has_counts_below: bool = False
    n_left_out: int = 0
    way_to_all: str = ""

    @property
    def full_note(self) -> str | None:
        """The note, and how many rows are not shown."""
        if not self.n_left_out:
            return self.note
        are, way = "is" if self.n_left_out == 1 else "are", f"; {self.way_to_all}" if self.way_to_all else ""
        left_out = f"{counted(self.n_left_out, 'more row')} {are} not shown{way}."
        return f"{self.note} {left_out}" if self.note else left_out

    def limited(self, limit: int) -> TextTable:
        """Return the table with so many rows at most."""
        return replace(self, rows=self.rows[:limit], n_left_out=max(0, len(self.rows) - limit))

    @property
    def full_headers(self) -> tuple[str, ...]:
        """The headings, each with what stands above it: for forms that have one line of them."""
        above = [text for text, columns in self.spans for _ in range(columns)] or [""] * len(self.headers)
        return tuple(", ".join(filter(None, pair)) for pair in zip(above, self.headers, strict=True))


def table_of(
    caption: str,
    frame: pl.DataFrame,
    *,
    headers: Mapping[str, str] = HEADERS,
    note: str | None = None,
    limit: int = LIMIT,
    strong: frozenset[tuple[int, int]] = frozenset(),
    marks: Mapping[tuple[int, int], str] | None = None,
    decimals: int | Sequence[int] | None = None,
    interval: str | None = None,
    shares: Collection[str] = SHARES,
    p_is_bound: pl.Series | None = None,
    way_to_all: str = "",
) -> TextTable:
    """Return a frame as a table, numbers at a fixed number of decimals, null as a dash.

    Parameters
    ----------
    caption, note, strong, marks, way_to_all
        See `TextTable`.
    frame
        The values.
    headers
        Headings by column; others keep their names.
    limit
        Rows that are shown; the full note counts the others.
    decimals
        Decimals of numbers, or those of each row, see `sessionkit.display.numbers.number_texts`, which rounds those of a terminal too.
    interval
        Heading of one column for ``low`` and ``high``, which stand beside each other; by default each has its own. Places of `strong`
        and `marks` are those of the columns as they are shown.
    shares
        Columns of shares, which are shown as percentages.
    p_is_bound
        For each row, whether ``p`` is an upper bound, which has ``<`` before it.

    Examples
    --------
    >>> table_of("Scores", pl.DataFrame({"system_id": ["S1"], "value": [0.5], "judged": [0.25]})).rows
    (('S1', '0.5000', '25.0%'),)
    """
    kept = frame.head(limit)
    if headers is HEADERS and PAIR.keys() <= {*frame.columns}:
        headers = {**HEADERS, **PAIR}
    columns = [_cells(kept.get_column(name), decimals, shares) for name in kept.columns]
    if p_is_bound is not None:
        place = kept.columns.index("p")
        columns[place] = bounded_cells(columns[place], kept.get_column("p"), p_is_bound)
    headings = [headers.get(name, label(name)) for name in kept.columns]
    numeric = [dtype.is_numeric() for dtype in kept.dtypes]
    if interval is not None and "low" in kept.columns:
        place = kept.columns.index("low")
        ends = [[None if text == DASH else text for text in texts] for texts in columns[place : place + 2]]
        both = slice(place, place + 2)
        columns[both] = [[interval_cell(*pair) or DASH for pair in zip(*ends, strict=True)]]
        headings[both], numeric[both] = [interval], [True]
    return TextTable(
        caption=caption,
        headers=tuple(headings),
        rows=tuple(zip(*columns, strict=True)),
        numeric=tuple(numeric),
        note=note,
        frame=frame,
        strong=strong,
        marks=marks or {},
        n_left_out=max(0, frame.height - limit),
        way_to_all=way_to_all,
    )


def known(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a frame without the ids that no row has, such as the systems of a log that names none.

    >>> known(pl.DataFrame({"system_id": [None], "n": [3]})).columns
    ['n']
    """
    none = [name for name in frame.columns if name.endswith("_id") and frame[name].null_count() == len(frame)]
    return frame.drop(none) if len(frame) else frame


def heading(column: str) -> str:
    """The heading of a column that names rows; those of a study keep their names, also where a table's own has the same.

    >>> heading("system_id"), heading("years_portal"), heading("low")
    ('System', 'years_portal', 'low')
    """
    return HEADERS[column] if column in NAMING else label(column)


def with_labels(frame: pl.DataFrame, labels: Mapping[str, str], columns: Iterable[str]) -> pl.DataFrame:
    """Return a frame with the labels of a study in place of the names that some of its columns hold; ids keep theirs.

    >>> with_labels(pl.DataFrame({"system_id": ["S1"], "user_id": ["S1"]}), {"S1": "Old"}, ["system_id", "user_id"]).row(0)
    ('Old', 'S1')
    """
    texts = {name for name in columns if name not in UNLABELED and frame.schema.get(name) == pl.String}
    return frame.with_columns(pl.col(sorted(texts)).replace(labels)) if labels and texts else frame


def _cells(column: pl.Series, decimals: int | Sequence[int] | None, shares: Collection[str]) -> list[str]:
    """The values of a column as text."""
    values = column.to_list()
    if column.dtype.is_float() and column.name in shares:
        return [DASH if value is None else share_text(value) for value in values]
    if column.dtype.is_float():
        if isinstance(decimals, Sequence):
            each = zip(values, decimals, strict=False)
            texts = [text for value, places in each for text in number_texts(column.name, [value], places)]
        else:
            texts = number_texts(column.name, values, decimals)
        return [DASH if text is None else text for text in texts]
    if column.dtype.is_integer():
        return [DASH if value is None else whole_text(column.name, value) for value in values]
    words = {None: DASH, True: "yes", False: "no"} if column.dtype == pl.Boolean else {None: DASH}
    return [words[value] if value in words else label(str(value)) for value in values]
