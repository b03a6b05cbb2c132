"""One grade per document: several judgments of one (judgment_key, doc_id) become one by the study's ``merge`` rule.

The raw rows stay in the study. Grades that mean "pooled but not judged" (the setting ``unjudged_grades``) are left
out first.
"""

from __future__ import annotations

import warnings

import polars as pl

from sessionkit.errors import DataWarning
from sessionkit.study import Study

PAIR = ["judgment_key", "doc_id"]


def merged_judgments(study: Study) -> pl.LazyFrame:
    """Grades as scoring uses them: columns ``key``, ``doc_id``, ``grade``, one row per judged document of a key.

    The rules: ``max``, ``sum``, ``median``, ``majority`` (the most frequent grade, the highest of equally frequent
    ones), ``first`` (in the
    order of the file), ``alternate`` (Järvelin & Kekäläinen: where grades differ by one, each judge in turn; where
    they differ by more,
    the highest, and a warning lists them for review).
    """
    judged = study.judgments.filter(
        pl.col("grade").is_not_null() & ~pl.col("grade").is_in(list(study.settings.unjudged_grades))
    )
    grade = pl.col("grade")
    if study.settings.merge == "alternate":
        merged = _alternate(judged)
    else:
        rule = {
            "max": grade.max(),
            "sum": grade.sum(),
            "median": grade.median(),
            "majority": grade.mode().max(),
            "first": grade.first(),
        }[study.settings.merge]
        merged = judged.group_by(PAIR, maintain_order=study.settings.merge == "first").agg(rule)
    return merged.rename({"judgment_key": "key"})


def _alternate(judged: pl.LazyFrame) -> pl.LazyFrame:
    """Each judge in turn where the grades of a document differ by one, the highest grade where they differ by more."""
    grades = judged.group_by(PAIR, maintain_order=True).agg("grade").sort(PAIR).collect()
    spread = pl.col("grade").list.max() - pl.col("grade").list.min()
    turn = ((spread == 1).cast(pl.Int64).cum_sum() - 1).over("judgment_key") % pl.col("grade").list.len().cast(pl.Int64)
    review = grades.filter(spread > 1)
    if len(review):
        listed = ", ".join("/".join(pair) for pair in review.select(PAIR).head(5).iter_rows())
        warnings.warn(
            f"merge=alternate: {len(review)} documents have grades more than 1 apart and take the highest; review them: {listed}",
            DataWarning,
            stacklevel=2,
        )
    chosen = pl.when(spread == 1).then(pl.col("grade").list.get(turn)).otherwise(pl.col("grade").list.max())
    return grades.lazy().with_columns(grade=chosen)
