"""What the judgments say: a grade for every judged pair, what it gains, and the ideal list of every key.

The searchers' own grades have the same shape: then the session is the key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import polars as pl

from sessionkit.scoring.gains import check_grades, gain_expr
from sessionkit.scoring.judgment_merge import columns_merged, merged, merged_judgments
from sessionkit.scoring.subtopics.grades import SUBTOPIC, Subtopics
from sessionkit.study import Settings, Study
from sessionkit.study.judgment_index import JUDGMENT, KEY, JudgmentIndex
from sessionkit.study.row_index import placed
from sessionkit.study.settings import WHOLE_MERGES

MERGED = "the judgments"
"""Whose grades they are where they were merged, for messages."""


class HasGain(Protocol):
    """Something that says what a grade is worth: a measure, or a `GradeWorth`."""

    @property
    def gain(self) -> str:
        """Canonical text of the gain."""

    @property
    def min_grade(self) -> float:
        """Lowest relevant grade, for ``gain=binary``."""


@dataclass(frozen=True)
class GradeWorth:
    """What a grade is worth, of no measure in particular."""

    gain: str
    min_grade: float = 1


def gain_name(measure: HasGain) -> str:
    """Name of the column that holds a measure's gains."""
    return f"gain={measure.gain},min_grade={measure.min_grade}"


@dataclass(frozen=True, eq=False)
class GradedPairs:
    """Numbered judgments; made once for a study and shared by all its batches.

    Parameters
    ----------
    pairs
        The numbered pairs (key, document).
    grade
        Grade of each pair, in the order of their numbers; null where the pair is pooled only.
    lifted
        The same for ``gain=lifted``, where that differs: what is merged by ``sum`` is added up of ratings of at least 1.
    whose
        Where the grades are from, for messages.
    settings
        What was declared of the study.
    rows
        The judgments as they were given, where they name subtopics; stays behind in this process.
    """

    pairs: JudgmentIndex
    grade: pl.Series
    whose: str = MERGED
    settings: Settings = field(default_factory=Settings)
    lifted: pl.Series | None = None
    rows: pl.LazyFrame | None = field(default=None, repr=False)
    _subtopics: dict[bool, Subtopics] = field(default_factory=dict, init=False, repr=False)
    _gains: dict[str, pl.Series] = field(default_factory=dict, init=False, repr=False)
    _ideals: dict[str, pl.DataFrame] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, study: Study) -> GradedPairs:
        """The judgments of a study, merged by its settings."""
        with study.explaining_replacement():
            return study.memo.once("graded pairs", lambda: cls._numbered(study) or cls._read(study))

    @classmethod
    def _numbered(cls, study: Study) -> GradedPairs | None:
        """Judgments by their saved numbers, without a look at their texts; None where the log lacks these numbers."""
        saved, stored = study.storage.numbered_judgments, study.storage.stored
        if saved is None or stored is None or not all(part.numbered for part in stored):
            return None
        read = saved.select(columns_merged(study.settings, saved.collect_schema().names())).collect().lazy()
        pairs = JudgmentIndex.numbered(read)

        def grade(lift: bool) -> pl.Series:
            rows = merged(read, study.settings, [JUDGMENT], KEY, lift=lift).select(JUDGMENT, "grade").collect()
            return placed(rows["grade"], rows[JUDGMENT], len(pairs.pairs))

        return cls._of(study, pairs, grade)

    @classmethod
    def _read(cls, study: Study) -> GradedPairs:
        """Judgments by their texts."""
        pairs = JudgmentIndex.of(study.judgments)

        def grade(lift: bool) -> pl.Series:
            rows = (merged(study.judgments, study.settings, lift=True) if lift else merged_judgments(study)).collect()
            number = pairs.judgment_of(pairs.key_of(rows["judgment_key"]), rows["doc_id"])
            return placed(rows["grade"], number, len(pairs.pairs))

        return cls._of(study, pairs, grade)

    @classmethod
    def _of(cls, study: Study, pairs: JudgmentIndex, grade: Callable[[bool], pl.Series]) -> GradedPairs:
        """Merged judgments with what else the study says of them."""
        rows = study.judgments if SUBTOPIC in study.columns("judgments") else None
        lifted = grade(True) if study.settings.merge == "sum" else None
        return cls(pairs, grade(False), settings=study.settings, lifted=lifted, rows=rows)

    @property
    def keys(self) -> pl.Series:
        """For the number of each key: whether anything is judged for it."""
        if "keys" not in self._gains:
            judged = self.pairs.pairs.filter(self.grade.is_not_null()).get_column("key").unique()
            known = pl.int_range(len(self.pairs.keys), dtype=pl.UInt32, eager=True)
            self._gains["keys"] = known.is_in(judged.implode())
        return self._gains["keys"]

    def subtopics(self, gain: str = "linear") -> Subtopics | None:
        """The grades by subtopic for a gain, made when they are first asked for; None where the judgments name none."""
        lift = gain == "lifted" and self.lifted is not None
        if self.rows is not None and lift not in self._subtopics:
            pairs = self.pairs if self.pairs.documents is not None else JudgmentIndex.of(self.rows)
            self._subtopics[lift] = Subtopics.of(self.rows, self.settings, pairs, lift=lift)
        return self._subtopics.get(lift)

    def grades(self, gain: str) -> pl.Series:
        """Grade of each pair as a gain has it, see `lifted`."""
        return self.lifted if gain == "lifted" and self.lifted is not None else self.grade

    def gain(self, measure: HasGain) -> pl.Series:
        """Gain of each pair under a measure, in the order of their numbers; 0 where it has no grade.

        Raises
        ------
        DataError
            If a grade is not covered by the measure's gain.
        """
        name = gain_name(measure)
        if name not in self._gains:
            grades = self.grades(measure.gain).alias("grade").to_frame()
            advice = "use gain=linear or exp2"
            if self.settings.merge == "mean" and self.whose == MERGED:
                advice = f"{advice}, or {WHOLE_MERGES}"
            check_grades(grades.drop_nulls().unique(), measure.gain, measure.min_grade, self.whose, advice)
            gains = grades.select(
                gain_expr(pl.col("grade"), measure.gain, measure.min_grade).fill_null(0.0).alias(name)
            )
            self._gains[name] = gains.to_series()
        return self._gains[name]

    def relevant(self, measures: Iterable[HasGain]) -> pl.Series:
        """Whether each pair gains something under one of some measures, in the order of their numbers."""
        named = {gain_name(measure): measure for measure in measures}
        name = f"any of {sorted(named)}"
        if name not in self._gains:
            gains = pl.DataFrame([self.gain(measure) for measure in named.values()])
            some = pl.any_horizontal(pl.all() > 0) if named else pl.lit(value=False)
            self._gains[name] = gains.select(some.alias(name)).to_series()
        return self._gains[name]

    def ideal_list(self, measure: HasGain) -> pl.DataFrame:
        """The recall base of every key in the best order: ``key``, ``rank`` (from 1), ``gain`` (above 0, falling)."""
        name = gain_name(measure)
        if name not in self._ideals:
            base = self.pairs.pairs.select("key", self.gain(measure).alias("gain")).filter(pl.col("gain") > 0)
            best = base.sort("key", "gain", descending=[False, True])
            rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("key")
            self._ideals[name] = best.select("key", "gain", rank=rank)
        return self._ideals[name]

    def __getstate__(self) -> dict[str, Any]:
        """Leave what can be worked out again behind when sent to another process, and take the subtopics along."""
        for gain in ("linear", "lifted"):
            self.subtopics(gain)
        return {**self.__dict__, "rows": None, "_gains": {}, "_ideals": {}}
