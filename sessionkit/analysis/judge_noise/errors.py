"""What a judge may say in place of a grade: a confusion matrix, estimated from several judges, or declared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import polars as pl

from sessionkit.analysis.agreement import UNIT
from sessionkit.analysis.judge_noise.searchers import own_grades
from sessionkit.choices import ErrorSpread
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.readers.tabular import Frame, as_polars
from sessionkit.study import Study

JUDGES, SEARCHERS, DECLARED, GIVEN = "judges", "searchers", "declared", "given"
SPREADS: tuple[ErrorSpread, ...] = get_args(ErrorSpread)
COMBINED: dict[str, dict[str, str]] = {
    "sum": {
        JUDGES: "errors of one judge are not errors of sums over several judges",
        SEARCHERS: "a searcher gives one grade, and the judgments are sums of those of several judges",
    },
    "mean": {JUDGES: "errors of one judge are not errors of means over several judges"},
}
"""For each ``merge`` that combines grades: the sources from which errors cannot be estimated, and why."""
TABLE = {"grade": pl.Float64, "becomes": pl.Float64, "share": pl.Float64, "n": pl.Float64}


@dataclass(frozen=True, eq=False)
class Errors:
    """A confusion matrix of grades.

    Parameters
    ----------
    source
        ``"judges"``, ``"searchers"``, ``"declared"`` or ``"given"``.
    levels
        The grades, rising.
    share
        By grade (a row) the share of judgments that become each grade (a column); rows add up to 1.
    counted
        What the shares were estimated from: by grade how often each other one stood beside it; None where they were not.
    unknown
        Grades in use of which nobody said anything twice: they stay as they are.
    """

    source: str
    levels: np.ndarray
    share: np.ndarray
    counted: np.ndarray | None = None
    unknown: tuple[float, ...] = ()

    def changed(self, grades: np.ndarray) -> float:
        """Share of these judgments that is expected to become another grade."""
        at = np.searchsorted(self.levels, grades)
        return float(1 - np.diag(self.share)[at].mean()) if len(grades) else 0.0

    @property
    def table(self) -> pl.DataFrame:
        """``grade``, ``becomes``, ``share`` and ``n``, how often that was seen (null where declared)."""
        i, j = np.meshgrid(range(len(self.levels)), range(len(self.levels)), indexing="ij")
        counted = None if self.counted is None else self.counted.ravel().tolist()
        columns = {"grade": self.levels[i.ravel()], "becomes": self.levels[j.ravel()], "share": self.share.ravel()}
        rows = pl.DataFrame({**columns, "n": counted or [None] * i.size}, schema=TABLE)
        return rows.filter((pl.col("share") > 0) | (pl.col("n") > 0))


def errors_of(study: Study, grades: np.ndarray, noise: str | float | Frame | None, spread: str) -> Errors:
    """Settle what a judge may say in place of each grade.

    Parameters
    ----------
    grades
        The grades in use.
    noise
        ``"judges"``: what another judge said of the same document; ``"searchers"``: what the searchers said of it; a
        number: the share of judgments that err; a table with ``grade``, ``becomes``, ``share``. None: judges where there
        are any with documents in common and their grades are not combined (merge=sum or mean), else .1.
    spread
        Where the errors of a declared share go: ``"adjacent"`` grades or ``"any"`` other, each as often.

    Raises
    ------
    UsageError
        The noise is none of these, or its errors are not those of combined grades (see `COMBINED`).
    DataError
        Nobody graded a document twice, where that is asked for; or all judgments have the same grade.
    """
    levels = np.unique(grades)
    if spread not in SPREADS:
        msg = f"spread must be one of {', '.join(SPREADS)}, not {spread!r}{suggestion(str(spread), SPREADS)}"
        raise UsageError(msg)
    merge = study.settings.merge
    combined = COMBINED.get(merge, {})
    if isinstance(noise, str) and noise in combined:
        msg = (
            f"noise={noise}: {combined[noise]} (merge={merge}), so errors of {merge}s cannot be estimated; "
            f"merge by another rule, or declare a share of wrong {merge}s, such as noise=0.1"
        )
        raise UsageError(msg)
    if (noise is None and not combined) or (isinstance(noise, str) and noise in (JUDGES, SEARCHERS)):
        counted = _counted(study, levels, str(noise or JUDGES))
        if counted is not None:
            return _estimated(str(noise or JUDGES), *counted, used=levels)
        if noise is not None:
            whose = "two judges (judge_id)" if noise == JUDGES else "a searcher (user_grade) and the judgments"
            msg = f"noise={noise}: no document was graded by {whose}, so errors cannot be estimated; declare a share, such as noise=0.1"
            raise DataError(msg)
    noise = 0.1 if noise is None else noise
    if isinstance(noise, (str, int, float)) and not isinstance(noise, bool):
        rate = _rate(noise)
        if rate and len(levels) == 1:
            msg = f"all judgments have the grade {levels[0]:g}; there is no other grade to change to, so noise={rate:g} has no effect"
            raise DataError(msg)
        return Errors(DECLARED, levels, _declared(len(levels), rate, spread))
    return _given(noise, levels)


def _rate(noise: str | float) -> float:
    """A declared share of errors."""
    try:
        rate = float(noise)
    except ValueError:
        rate = np.nan
    if not 0 <= rate <= 1:
        known = (JUDGES, SEARCHERS)
        msg = f"noise must be {' or '.join(known)}, or a share of judgments from 0 to 1, not {noise!r}{suggestion(str(noise), known)}"
        raise UsageError(msg)
    return rate


def _declared(many: int, rate: float, spread: str) -> np.ndarray:
    """The matrix of a declared share of errors; a grade that has no other stays."""
    i, j = np.indices((many, many))
    others = np.abs(i - j) == 1 if spread == "adjacent" else i != j
    ways = others.sum(axis=1, keepdims=True)
    share = np.divide(rate * others, ways, out=np.zeros((many, many)), where=ways > 0)
    share[np.diag_indices(many)] = 1 - share.sum(axis=1)
    return share


def _counted(study: Study, levels: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray] | None:
    """All levels, and how often each stood beside each other; None where none did."""
    pairs = _of_searchers(study) if source == SEARCHERS else _of_judges(study)
    if pairs.is_empty():
        return None
    every = np.unique(np.concatenate([levels, pairs["grade"].to_numpy(), pairs["becomes"].to_numpy()]))
    counted = np.zeros((len(every), len(every)))
    at = [np.searchsorted(every, pairs[name].to_numpy()) for name in ("grade", "becomes")]
    np.add.at(counted, tuple(at), pairs["n"].to_numpy())
    return every, counted


def _of_judges(study: Study) -> pl.DataFrame:
    """Ordered pairs of grades that two judges gave to one document; the m judges of a document count m in all."""
    columns = study.columns("judgments")
    if "judge_id" not in columns:
        return pl.DataFrame(schema={"grade": pl.Float64, "becomes": pl.Float64, "n": pl.Float64})
    unit = [name for name in UNIT if name in columns]
    pooled = pl.col("grade").is_in(list(study.settings.unjudged_grades or ()))
    rows = study.judgments.filter(pl.col("judge_id").is_not_null(), pl.col("grade").is_not_null() & ~pooled)
    grades = rows.select(*unit, "judge_id", pl.col("grade").cast(pl.Float64)).collect()
    grades = grades.unique([*unit, "judge_id"], keep="first", maintain_order=True)
    grades = grades.with_columns(unit=pl.struct(unit).rank("dense"), many=pl.len().over(unit).cast(pl.Int64))
    shared = grades.filter(pl.col("many") > 1).select("unit", "judge_id", "grade", "many")
    both = shared.join(shared.select("unit", other="judge_id", becomes="grade"), on="unit")
    both = both.filter(pl.col("judge_id") != pl.col("other"))
    counted = both.group_by("grade", "becomes", "many").len("ways").sort("grade", "becomes", "many")
    weighed = counted.with_columns(n=pl.col("ways").cast(pl.Float64) / (pl.col("many") - 1))
    return weighed.group_by("grade", "becomes", maintain_order=True).agg(pl.col("n").sum()).sort("grade", "becomes")


def _of_searchers(study: Study) -> pl.DataFrame:
    """How often searchers gave each grade where the judgments have another."""
    both = own_grades(study).drop_nulls("grade")
    counted = both.group_by("grade", becomes="user_grade").len("n").sort("grade", "becomes")
    return counted.with_columns(pl.col("n").cast(pl.Float64))


def _estimated(source: str, levels: np.ndarray, counted: np.ndarray, *, used: np.ndarray) -> Errors:
    """The matrix that counts say; a grade of which nothing was counted stays as it is."""
    total = counted.sum(axis=1, keepdims=True)
    share = np.divide(counted, total, out=np.eye(len(levels)), where=total > 0)
    unknown = levels[(total[:, 0] == 0) & np.isin(levels, used)]
    return Errors(source, levels, share, counted, tuple(unknown.tolist()))


def _given(noise: Frame, levels: np.ndarray) -> Errors:
    """The matrix of a table."""
    table = as_polars(noise, "noise").collect()
    missing = [name for name in ("grade", "becomes", "share") if name not in table.columns]
    if missing:
        msg = f"a table of errors has the columns grade, becomes and share; this one has no {missing[0]}"
        raise UsageError(msg)
    table = table.select(pl.col("grade", "becomes", "share").cast(pl.Float64))
    sums = table.group_by("grade").agg(pl.col("share").sum()).sort("grade")
    if table["share"].min() is None or not (table["share"] >= 0).all() or not ((sums["share"] - 1).abs() < 1e-9).all():
        msg = "a table of errors has shares of 0 or more that add up to 1 for each grade"
        raise UsageError(msg)
    every = np.unique(np.concatenate([levels, table["grade"].to_numpy(), table["becomes"].to_numpy()]))
    counted = np.zeros((len(every), len(every)))
    np.add.at(
        counted,
        tuple(np.searchsorted(every, table[name].to_numpy()) for name in ("grade", "becomes")),
        table["share"].to_numpy(),
    )
    return replace(_estimated(GIVEN, every, counted, used=levels), counted=None)
