"""One grade per document: several judgments of one (judgment_key, doc_id) become one by the study's ``merge`` rule.

The raw rows stay in the study. Grades that mean "pooled but not judged" (the setting ``unjudged_grades``) are left
out first.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sessionkit.errors import DataError, DataWarning, warn
from sessionkit.scoring import exact
from sessionkit.study import Settings, Study
from sessionkit.study.judgment_index import JUDGMENT, KEY, PAIR


def merged_judgments(study: Study) -> pl.LazyFrame:
    """Grades as scoring uses them: columns ``judgment_key``, ``doc_id``, ``grade``, one row per judged document of a key.

    The rules: ``max``, ``sum``, ``mean`` (see `_mean`), ``median``, ``majority`` (the most frequent grade, the highest of
    equally frequent ones), ``first`` (in the order of the file), ``alternate`` (Järvelin & Kekäläinen: where grades differ by one, each
    judge in turn, in the order of ``judge_id`` where it is given and of the file where not; where they differ by more,
    the highest, and a warning lists them for review).
    """

    def rows() -> pl.DataFrame:
        return merged(study.judgments, study.settings).select(*PAIR, "grade").collect()

    return study.memo.once("merged judgments", rows).lazy()  # it may warn, which is done once


def columns_merged(settings: Settings, columns: Sequence[str]) -> list[str]:
    """Of the columns of saved judgments those that `merged` reads, and the texts of their keys."""
    wanted = ["judgment_key", KEY, JUDGMENT, "grade"]
    if settings.merge == "alternate":
        wanted += ["doc_id", "judge_id"]
    return [name for name in wanted if name in columns]


def merged(
    judgments: pl.LazyFrame,
    settings: Settings,
    by: Sequence[str] = PAIR,
    key: str = "judgment_key",
    *,
    lift: bool = False,
) -> pl.LazyFrame:
    """One grade for all judgments that agree in some columns, by the rule of the settings.

    Parameters
    ----------
    by
        The columns, whose order begins with that of (judgment_key, doc_id).
    key
        The column of the judgment_key, or of its number.
    lift
        Whether grades from 0 to 1 count as 1 before they are merged, as ``gain=lifted`` has it.
    """
    unjudged = pl.col("grade").is_in(list(settings.unjudged_grades or ()))
    judged = judgments.filter(pl.col("grade").is_not_null() & ~unjudged)
    grade = pl.col("grade")
    if settings.merge in ("sum", "mean"):
        _require_addable(judged, settings.merge)
    if lift:
        judged = judged.with_columns(pl.when(grade.is_between(0, 1)).then(1.0).otherwise(grade).alias("grade"))
    if settings.merge == "alternate":
        by_judge = "judge_id" in judgments.collect_schema().names()
        return _alternate(judged.sort("judge_id") if by_judge else judged, by, key)
    if settings.merge == "mean":
        return _mean(judged, by)
    rule = {
        "max": grade.max(),
        "sum": exact.unfixed(exact.fixed(grade).sum()),
        "median": grade.median(),
        "majority": grade.mode().max(),
        "first": grade.first(),
    }[settings.merge]
    return judged.group_by(by, maintain_order=settings.merge == "first").agg(rule)


def _require_addable(judged: pl.LazyFrame, merge: str) -> None:
    """Raise DataError where a grade is too large to be added exactly."""
    largest = judged.select(pl.col("grade").abs().max()).collect().item()
    if largest is not None and not largest < exact.LARGEST_GAIN:
        raise DataError(
            f"merge={merge}: the judgments have grade {largest:g} (or its negative); grades must stay below 2^30 to be added exactly"
        )


def _mean(judged: pl.LazyFrame, by: Sequence[str]) -> pl.LazyFrame:
    """Average the grades of 0 and above; where all are negative, the highest stands for them, which gains nothing.

    Negative grades say in which way a document is not relevant (-2 is junk in TREC Web qrels), not by how much: grades
    3, 1 and -2 have the mean 2. The sum is exact, so the mean is the same in any order of the rows.
    """
    grade = pl.col("grade")
    scaled = grade.filter(grade >= 0)
    sums = judged.group_by(by).agg(total=exact.fixed(scaled).sum(), n_scaled=scaled.count(), highest=grade.max())
    mean = exact.quotient(exact.unfixed(pl.col("total")), pl.col("n_scaled"))
    return sums.select(*by, grade=pl.when(pl.col("n_scaled") > 0).then(mean).otherwise(pl.col("highest")))


def _alternate(judged: pl.LazyFrame, by: Sequence[str], key: str) -> pl.LazyFrame:
    """Each judge in turn where the grades of a document differ by one, the highest grade where they differ by more."""
    texts = [pl.col(name).first() for name in (key, *PAIR) if name not in by]
    grades = judged.group_by(by, maintain_order=True).agg("grade", *texts).sort(by).collect()
    spread = pl.col("grade").list.max() - pl.col("grade").list.min()
    turn = ((spread == 1).cast(pl.Int64).cum_sum() - 1).over(key) % pl.col("grade").list.len().cast(pl.Int64)
    review = grades.filter(spread > 1)
    if len(review):
        finer = [name for name in by if name not in (*PAIR, JUDGMENT)]
        first = review.select(*PAIR, *finer).head(5).iter_rows()
        listed = ", ".join("/".join(text for text in row if text is not None) for row in first)
        text = (
            f"merge=alternate: documents whose grades differ by more than 1 get the highest; review all {len(review)}"
        )
        warn(DataWarning(f"{text}: {listed}", text))
    chosen = pl.when(spread == 1).then(pl.col("grade").list.get(turn)).otherwise(pl.col("grade").list.max())
    return grades.lazy().with_columns(grade=chosen)
