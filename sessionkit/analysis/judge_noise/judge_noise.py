"""What would other judges have made of it? The front of judge noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sessionkit.analysis.compare.options import require_level, require_whole
from sessionkit.analysis.compare.procedures import Options
from sessionkit.analysis.findings import reading_of
from sessionkit.analysis.groups import NAMES
from sessionkit.analysis.judge_noise.errors import errors_of
from sessionkit.analysis.judge_noise.finding import JudgeNoise
from sessionkit.analysis.judge_noise.messages import NoiseSetup, lines
from sessionkit.analysis.judge_noise.random_judgments import drawn
from sessionkit.analysis.judge_noise.searchers import agreement
from sessionkit.analysis.judge_noise.tables import order_table, pairs_table
from sessionkit.analysis.judgment_loss.verdicts import drawn_pairs
from sessionkit.analysis.rescore.groups import groups_of
from sessionkit.analysis.rescore.log import RescoredLog
from sessionkit.analysis.rescore.pairs import ChosenTest, RescoredPairs
from sessionkit.errors import DataError, UsageError
from sessionkit.readers.tabular import Frame
from sessionkit.scoring.alternative_judgments import reads_subtopics
from sessionkit.scoring.measures.base import Measure
from sessionkit.study import Study
from sessionkit.study.study import guarded_read


@guarded_read
def judge_noise(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    by: str = "system_id",
    *,
    noise: str | float | Frame | None = None,
    spread: str = "adjacent",
    draws: int = 200,
    seed: int = 0,
    pairs: int = 300,
    test: str | None = None,
    generalise: str | None = None,
    alpha: float = 0.05,
    full: float | None = None,
    memory: str | int | None = None,
) -> JudgeNoise:
    """Draw the judgments anew with a judge's errors, score again, and say how far a comparison moves.

    Parameters
    ----------
    study
        The study.
    measures
        Measures of sessions; not those that read grades by subtopic.
    by
        Column of the sessions or users that names the groups.
    noise
        Where the errors are from: ``"judges"``, what another judge said of the same document (the judgments' judge_id);
        ``"searchers"``, what searchers said of it (user_grade); a share of judgments that err, 0 to 1; or a table with
        ``grade``, ``becomes`` and ``share``, which add up to 1 for each grade. Not given: judges where two of them have a
        document in common, else .1, which is then a supposition. Judges and searchers give single grades, so that neither
        says how sums err: with merge=sum declare a share, .1 if not given.
    spread
        Where errors of a declared share go: to ``"adjacent"`` grades (of the study's own), or to ``"any"`` other, each as
        often.
    draws
        At least 1. A share of draws is known to within about its standard error, sqrt(s (1 - s) / draws).
    seed
        Seed of the draws: the same seed, the same numbers.
    pairs, test, generalise, alpha, full, memory
        As `sessionkit.judgment_loss` has them.

    Returns
    -------
    JudgeNoise
        With ``table``, ``order``, ``errors``, ``agreement``, ``reading``, and what they were made with.

    Raises
    ------
    UsageError
        An option or column does not exist, or the design does not support what is asked.
    MeasureError
        A measure does not exist, or has no value per session.
    DataError
        There are no judgments, or none from which errors can be estimated.

    Notes
    -----
    Errors come on top of those that the judgments have already, so that differences mostly shrink: this says how much
    another round of judging could move a finding, not what judges without errors would find. All errors are independent;
    a judge who is strict throughout is another thing.

    Examples
    --------
    Two judges who say 0 and 1 the same way in three documents of four: 1 becomes 0 with a chance of 1/3.

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={
    ...         "session_id": list("aabb"), "query_position": [1] * 4, "rank": [1, 2] * 2, "doc_id": ["w", "x", "y", "z"],
    ...         "topic_id": ["t"] * 4, "system_id": list("AABB"),
    ...     },
    ...     judgments={
    ...         "judgment_key": ["t"] * 8, "doc_id": list("wxyz") * 2, "judge_id": ["ada"] * 4 + ["bob"] * 4,
    ...         "grade": [1, 1, 0, 0, 1, 0, 0, 0],
    ...     },
    ... )
    >>> found = judge_noise(study, "sDCG@2", draws=50, generalise="sessions")
    >>> found.errors.select("grade", "becomes", pl.col("share").round(4)).rows()
    [(0.0, 0.0, 0.8), (0.0, 1.0, 0.2), (1.0, 0.0, 0.3333), (1.0, 1.0, 0.6667)]
    >>> found.table.select("a", "b", "difference").row(0)
    ('A', 'B', -1.5)
    """
    for name, value, least in (("draws", draws, 1), ("seed", seed, 0), ("pairs", pairs, 1)):
        require_whole(name, value, least)
    require_level(alpha)
    by = NAMES.get(by, by)
    log = RescoredLog.of(study, measures, by, memory)
    for measure in log.measures:
        if reads_subtopics(measure):
            msg = f"{measure} reads grades by subtopic, and errors are of the grade of a document; name another measure"
            raise UsageError(msg)
    there = log.rejudging.grades[np.isfinite(log.rejudging.grades)]
    if not len(there):
        msg = "the study has no judgments that judges could have erred in; add them when it is read"
        raise DataError(msg)
    errors = errors_of(study, there, noise, spread)
    groups = groups_of(log, full)
    chosen = ChosenTest.of(groups.design, groups.many, test, generalise)
    kept = drawn_pairs(groups.pairs, pairs, seed)
    inside = groups.number >= 0
    sessions = log.sessions.filter(pl.Series(inside))
    tested = RescoredPairs.of(
        chosen, sessions, groups.number[inside], groups.names, kept, options=Options(alpha=alpha, seed=seed)
    )
    found = drawn(log, groups.number, tested, errors, draws=draws, seed=seed)
    texts = [str(measure) for measure in log.measures]
    table, order = pairs_table(texts, groups.names, kept, found, alpha), order_table(texts, found)
    agreed = agreement(study)
    settled = NoiseSetup(
        names=groups.names,
        word=groups.word,
        test=chosen.title,
        claim=chosen.claim,
        alpha=alpha,
        draws=draws,
        seed=seed,
        errors=errors,
        spread=spread,
        changed=errors.changed(there),
        judgments=len(there),
        sessions=int(inside.sum()),
        untouched=tuple(text for text, same in zip(texts, found.untouched, strict=True) if same),
        left_out=groups.left_out,
    )
    return JudgeNoise(
        table=table,
        order=order,
        errors=errors.table,
        agreement=agreed,
        left_out=pl.DataFrame([*groups.left_out.items()], schema={"what": pl.String, "count": pl.Int64}, orient="row"),
        reading=reading_of(lines(table, order, agreed, settled)),
        source=errors.source,
        changed=errors.changed(there),
        design=groups.design.described,
        claim=chosen.claim,
        test=chosen.title,
        by=by,
        alpha=alpha,
        draws=draws,
        seed=seed,
    )
