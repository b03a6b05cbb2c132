"""Instances of an answer: how many of them the documents that a searcher saved cover (TREC interactive track)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.scoring.measures.base import Columns, SessionMeasure
from sessionkit.scoring.per_session import per_session, share, with_session
from sessionkit.scoring.subtopics.cubes import Cubes

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists


@dataclass(frozen=True, repr=False, kw_only=True)
class InstanceMeasure(SessionMeasure):
    """A measure of the instances in the documents that a searcher saved; a subtopic is an instance."""

    no_bounds = "which subtopics an unjudged document would cover is unknown too"
    source = "TREC interactive track, instance recall task [MEMORY]; Chen's slides"
    without = ("duplicates", "unjudged", "grades", "depth")
    reads: ClassVar[Columns] = {"results": ("saved", "doc_id"), "judgments": ("subtopic_id",)}
    higher_grade_can_lower = True

    @property
    def highest(self) -> float | None:
        """All instances; nothing else saved."""
        return 1.0

    def instances(self, lists: Lists) -> tuple[Cubes, pl.DataFrame]:
        """The instances that exist, and the saved documents with those that they have: ``session``, ``doc_id``, ``subtopic``
        (null where it has none).
        """
        cubes = Cubes(lists, "linear", self.min_grade, 0.5, 1)
        saved = with_session(lists, lists.every.filter(pl.col("saved")).select("list", "doc_id", "judgment"))
        return cubes, saved.join(cubes.grades.select("judgment", "subtopic"), on="judgment", how="left")


@dataclass(frozen=True, repr=False, kw_only=True)
class SavedInstanceRecall(InstanceMeasure):
    """InstanceRecall: the share of a topic's instances that the documents saved in a session cover.

    Instances are the subtopics for which a document has at least ``min_grade``. Documents saved, not shown, count; those
    saved at ranks down to the cutoff. Unit: share. Range [0, 1]; higher is better; 0 for a session that saved nothing.
    Null where no instance is defined, or no query was logged. Needs ``saved`` in the results and ``subtopic_id`` in the
    judgments.

    Of three instances, the one saved document has two:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": ["s"] * 2, "query_position": [1] * 2, "rank": [1, 2], "doc_id": ["a", "b"],
    ...         "saved": [True, False], "topic_id": ["t"] * 2,
    ...     },
    ...     judgments={"judgment_key": ["t"] * 3, "doc_id": ["a", "a", "b"], "subtopic_id": ["1", "2", "3"], "grade": [1] * 3},
    ... )
    >>> [round(value, 4) for value in sk.score(study, ["InstanceRecall", "InstancePrecision"]).get_column("value")]
    [0.6667, 1.0]
    """

    name = "InstanceRecall"
    formula = "instances in saved documents / all instances of the topic"
    meaning = "share of the topic's instances that saved documents cover"
    undefined_where = "no instance of their topic, or no logged query"

    def values(self, lists: Lists) -> pl.Series:
        """Share of the instances that every session saved."""
        cubes, saved = self.instances(lists)
        covered = per_session(lists, saved, pl.col("subtopic").drop_nulls().n_unique()).fill_null(0)
        return share(covered, cubes.subtopics)


@dataclass(frozen=True, repr=False, kw_only=True)
class SavedInstancePrecision(InstanceMeasure):
    """InstancePrecision: the share of the documents saved in a session that have an instance.

    A document saved twice counts once. Unit: share. Range [0, 1]; higher is better. Null where no instance is defined,
    nothing was saved, or no query was logged. Needs and instances as of `InstanceRecall`, which has an example.
    """

    name = "InstancePrecision"
    formula = "saved documents with an instance / saved documents"
    meaning = "share of the saved documents that cover an instance"
    undefined_where = "no instance of their topic, or nothing saved"

    def values(self, lists: Lists) -> pl.Series:
        """Share of what every session saved that has an instance."""
        cubes, saved = self.instances(lists)
        useful = saved.filter(pl.col("subtopic").is_not_null())
        found = pl.DataFrame(
            {
                "useful": per_session(lists, useful, pl.col("doc_id").n_unique()).fill_null(0),
                "saved": per_session(lists, saved, pl.col("doc_id").n_unique()),
                "subtopics": cubes.subtopics,
            }
        )
        return pl.select(
            pl.when(found["subtopics"].fill_null(0) > 0).then(share(found["useful"], found["saved"]))
        ).to_series()


InstanceRecall = SavedInstanceRecall()
InstancePrecision = SavedInstancePrecision()
FAMILY = (InstanceRecall, InstancePrecision)
