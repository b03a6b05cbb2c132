"""What the sections of one report are made from, worked out once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from sessionkit.analysis.compare import compare
from sessionkit.analysis.comparing.comparison import Comparison
from sessionkit.analysis.sweep import sweep
from sessionkit.analysis.sweeping.finding import Sweep
from sessionkit.errors import DataError, MeasureError, UsageError
from sessionkit.report.also import Also
from sessionkit.report.choices import Choices, choices_of
from sessionkit.report.redaction import Redaction
from sessionkit.scoring.measures import Measure
from sessionkit.scoring.scores import score
from sessionkit.study import Study

LARGE = 20_000
"""Sessions above which a report leaves out what takes many times as long as scoring, and says so."""
VARIED = {"b": "1.5:10.5:10", "bq": "1.5:10.5:10"}
"""Bases of the discounts by rank and by query position that a report tries."""


@dataclass(frozen=True, eq=False)
class Material:
    """A study and what was found in it.

    Parameters
    ----------
    study
        The study.
    measures
        What is reported, in the order asked for.
    per
        What scores are averaged by.
    choices
        What the figures have in common.
    redaction
        What is left out.
    scores
        Means by `per`, see `sessionkit.score`.
    comparison
        The groups compared by all measures; None where they cannot be.
    refusal
        Why they cannot be compared.
    asked, topic, system
        Whether the measures were asked for, and the topic and system that were.
    also
        The parts that were asked for beside those that are always there.
    notes
        What was unusual, in reading and until now.
    """

    study: Study
    measures: tuple[Measure, ...]
    per: str
    choices: Choices
    redaction: Redaction
    scores: pl.DataFrame
    comparison: Comparison | None
    refusal: str | None
    asked: bool = False
    topic: str | None = None
    system: str | None = None
    also: Also = field(default_factory=Also)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        study: Study,
        measures: list[Measure],
        *,
        asked: bool,
        topic: str | None,
        system: str | None,
        min_queries: int,
        per: str,
        redaction: Redaction,
        also: Also,
    ) -> Material:
        """Work everything out; arguments are those of `sessionkit.report.report`."""
        choices = choices_of(
            study,
            measures if asked else None,
            topic=topic,
            system=system,
            min_queries=min_queries,
            redaction=redaction,
        )
        scores = score(study, measures, per=per)
        comparison, refusal = _compared(study, measures, per)
        known = (asked, topic, system, also)
        return cls(study, tuple(measures), per, choices, redaction, scores, comparison, refusal, *known)

    @property
    def by(self) -> str:
        """The column whose groups are compared."""
        return self.comparison.by if self.comparison is not None else self.choices.by

    @property
    def large(self) -> bool:
        """Whether the study is too large for all that a report can say."""
        return self.study.facts.sessions > LARGE

    @cached_property
    def swept(self) -> Sweep | str:
        """The first measure that has both discounts under others; or why it was not tried."""
        choices = self.choices
        measure = choices.measure if choices.source is not None or not choices.asked else choices.ratio
        try:
            return sweep(self.study, measure, VARIED, choices.by, test="none" if self.large else None)
        except (DataError, MeasureError, UsageError) as error:
            return str(error)


def _compared(study: Study, measures: list[Measure], per: str) -> tuple[Comparison | None, str | None]:
    """The groups compared, or the reason why they are not; systems, where scores are by user or by several columns."""
    by = {"system": "system_id", "topic": "topic_id"}.get(per, per)
    if by in ("user", "user_id", "session_id") or by not in {*study.columns("sessions"), *study.columns("users")}:
        by = "system_id"
    try:
        return compare(study, measures, by), None
    except (DataError, UsageError) as error:
        return None, str(error)
