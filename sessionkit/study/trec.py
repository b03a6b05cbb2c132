"""A study as a TREC run and qrels: tables with the names of their fields, and their text."""

from __future__ import annotations

import polars as pl

from sessionkit.arguments import Merge
from sessionkit.errors import DataError, visible
from sessionkit.study.settings import WHOLE_MERGES

LIST = ["session_id", "query_position"]
NO_SYSTEM = "sessionkit"
"""The tag of sessions without a system."""
BLANK = r"^$|\s"


def run_table(sessions: pl.LazyFrame, results: pl.LazyFrame) -> pl.DataFrame:
    """Return results as a run: query_id, iteration, doc_id, rank, score, tag, in the order of sessions, queries and ranks."""
    scored = "score" in results.collect_schema()
    rows = results.select(*LIST, "rank", "doc_id", *(["score"] if scored else []))
    rows = rows.join(sessions.select("session_id", "system_id"), on="session_id")
    found = rows.sort(*LIST, "rank").collect()
    by_rank = -pl.col("rank").cast(pl.Float64)
    return found.select(
        query_id=_query_id(),
        iteration=pl.lit("Q0"),
        doc_id="doc_id",
        rank="rank",
        score=pl.col("score") if scored and _orders(found) else by_rank,
        tag=pl.col("system_id").fill_null(NO_SYSTEM),
    )


def qrels_table(
    sessions: pl.LazyFrame, queries: pl.LazyFrame, judgments: pl.LazyFrame, merge: Merge = "max"
) -> pl.DataFrame:
    """Return the judgments of every logged query as qrels: query_id, iteration, doc_id, grade.

    Raises
    ------
    DataError
        Grades are whole, but a mean of them (``merge = "mean"``) is not, which integer qrels cannot say.
    """
    keyed = "judgment_key" in queries.collect_schema()
    logged = queries.filter(pl.col("results_status") != "not_logged")
    rows = logged.select(*LIST, *(["judgment_key"] if keyed else []))
    rows = rows.join(sessions.select("session_id", of_session="judgment_key"), on="session_id")
    own = pl.coalesce("judgment_key", "of_session") if keyed else pl.col("of_session")
    judged = judgments.with_row_index("place")
    told = [name for name in ("subtopic_id", "judge_id") if name in judgments.collect_schema()]
    found = rows.with_columns(judgment_key=own).join(judged, on="judgment_key").sort(*LIST, "place").collect()
    whole = bool((found["grade"] == found["grade"].round()).all())
    if whole and merge == "mean":
        _require_whole_means(found)
    return found.select(
        query_id=_query_id(),
        iteration=pl.coalesce(*told, pl.lit("0")),
        doc_id="doc_id",
        grade=pl.col("grade").cast(pl.Int64) if whole else pl.col("grade"),
    )


def _require_whole_means(judgments: pl.DataFrame) -> None:
    """Raise DataError where the whole grades of a document, those of 0 and above, have a mean that is a fraction."""
    scaled = judgments.filter(pl.col("grade") >= 0).group_by("judgment_key", "doc_id")
    means = scaled.agg(pl.col("grade").mean(), remainder=pl.col("grade").sum() % pl.len())
    fractional = means.filter(pl.col("remainder") != 0).sort("judgment_key", "doc_id")
    if len(fractional):
        key, document, mean, _ = fractional.row(0)
        raise DataError(
            f'merge = "mean": document {visible(document)!r} of {visible(key)!r} has the mean grade {mean:g}, which integer qrels '
            f"cannot say; {WHOLE_MERGES}"
        )


def trec_text(table: pl.DataFrame) -> str:
    """Return a run or qrels as the text of a TREC file, a line for each row.

    Blanks in tags, which only name systems, become ``_``.

    Raises
    ------
    DataError
        An id is empty or has a blank in it, which separates the fields of such files.
    """
    if "tag" in table.columns:
        table = table.with_columns(pl.col("tag").str.replace_all(r"\s", "_"))
    for name in table.columns:
        if table.schema[name] == pl.String:
            unfit = table.filter(pl.col(name).str.contains(BLANK))
            if len(unfit):
                raise DataError(
                    f"{name} {visible(unfit[name][0])!r} is empty or has a blank in it, which separates the fields of TREC files; "
                    "study.to_run() and study.to_qrels() have such ids in a table"
                )
    return table.write_csv(include_header=False, separator=" ", quote_style="never")


def _query_id() -> pl.Expr:
    """Return the id of a query of a study: its session and its position."""
    return pl.format("{}_{}", *LIST)


def _orders(rows: pl.DataFrame) -> bool:
    """Return whether the scores order every list as its ranks do: in single precision, as trec_eval reads them."""
    score = pl.col("score").cast(pl.Float32)
    again = pl.struct(LIST) == pl.struct(LIST).shift()
    unfit = ~score.is_finite().fill_null(value=False) | (again & ~(score < score.shift()))
    return not rows.select(unfit.fill_null(value=False).any()).item()
