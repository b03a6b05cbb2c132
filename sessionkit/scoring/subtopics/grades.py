"""What the judgments say of subtopics: the grade of every judged document for each subtopic that it was judged for, and its
nuggets.

`Judged` merges these rows into one grade per document; the measures of diversity and of instances read them here. A
subtopic belongs to its judgment_key: two keys may use the same name for different things.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.scoring.judgment_merge import merged
from sessionkit.study import Settings
from sessionkit.study.judgment_index import PAIR, JudgmentIndex

SUBTOPIC, PASSAGE, NUGGET = "subtopic_id", "passage_id", "nugget_id"


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Grades by subtopic, in numbers.

    Parameters
    ----------
    grades
        ``key``, ``judgment`` (number of the pair), ``subtopic`` (its number in the study) and ``grade``, merged by the
        study's rule.
    nuggets
        ``key``, ``judgment``, ``nugget`` (its number in the study), ``rating``, the highest that any document has for it,
        and ``times``, how many passages of the document say it. A nugget is what passages of a subtopic with the same
        nugget_id say, without one the passage, either of which several documents may have in common; judgments without
        a passage_id, too, make each document's part of a subtopic a nugget of its own.
    """

    grades: pl.DataFrame
    nuggets: pl.DataFrame

    @classmethod
    def of(cls, judgments: pl.LazyFrame, settings: Settings, pairs: JudgmentIndex, *, lift: bool = False) -> Subtopics:
        """Number the subtopics and nuggets of a table of judgments; rows without a subtopic are left out.

        With `lift`, ratings of 0 count as 1 before they are merged.

        >>> judgments = pl.LazyFrame(
        ...     {"judgment_key": ["t"] * 3, "doc_id": ["a", "a", "b"], "subtopic_id": ["1", "2", "2"], "grade": [2.0, 1.0, 1.0]}
        ... )
        >>> made = Subtopics.of(judgments, Settings(), JudgmentIndex.of(judgments))
        >>> made.grades.select("judgment", "subtopic", "grade").rows()
        [(0, 0, 2.0), (0, 1, 1.0), (1, 1, 1.0)]
        """
        rows = judgments.filter(pl.all_horizontal(pl.col(*PAIR, SUBTOPIC).is_not_null())).collect()
        grades = _numbered(merged(rows.lazy(), settings, [*PAIR, SUBTOPIC], lift=lift).collect(), pairs)
        grades = grades.with_columns(subtopic=_number("key", SUBTOPIC))
        own = [*PAIR, SUBTOPIC, PASSAGE, NUGGET]
        rows = rows.with_columns(pl.lit(None, pl.String).alias(name) for name in own if name not in rows.columns)
        nuggets = _numbered(merged(rows.lazy(), settings, own, lift=lift).collect(), pairs)
        nuggets = nuggets.with_columns(said=pl.coalesce(NUGGET, PASSAGE))
        alone = pl.when(pl.col("said").is_null()).then(pl.col("judgment"))
        nuggets = nuggets.with_columns(alone=alone).with_columns(nugget=_number("key", SUBTOPIC, "said", "alone"))
        nuggets = nuggets.with_columns(rating=pl.col("grade").max().over("nugget"))
        nuggets = nuggets.group_by("key", "judgment", "nugget", "rating").agg(times=pl.len().cast(pl.Float64))
        return cls(
            grades.select("key", "judgment", "subtopic", "grade").sort("judgment", "subtopic"),
            nuggets.select("key", "judgment", "nugget", "rating", "times").sort("judgment", "nugget"),
        )


def _numbered(grades: pl.DataFrame, pairs: JudgmentIndex) -> pl.DataFrame:
    """Merged judgments with the numbers of their keys and pairs."""
    key = pairs.key_of(grades["judgment_key"]).alias("key")
    return grades.with_columns(key, pairs.judgment_of(key, grades["doc_id"]).alias("judgment"))


def _number(*of: str) -> pl.Expr:
    """Number from 0 of each distinct combination of some columns, in their order."""
    return (pl.struct(of).rank("dense") - 1).cast(pl.UInt32)
