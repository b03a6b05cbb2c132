"""How much what a path is worth varies from path to path: the searchers of a session do not all see the same."""

from __future__ import annotations

import polars as pl

from sessionkit.errors import MeasureError
from sessionkit.scoring.batch import batches
from sessionkit.scoring.columns import columns_read, measure_of
from sessionkit.scoring.lists import Lists
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.expected_gain import ExpectedMeasure
from sessionkit.scoring.results_filter import logged_sessions, sessions_with_judgments, with_zeros
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read


@guarded_read
def path_variance(study: Study, measure: str | Measure, *, where: Where = None) -> pl.DataFrame:
    """Expectation and variance of an expected session measure over all paths of a searcher.

    Both are exact. The square root of the variance is the standard deviation among searchers who walk through the same
    session; divided by the root of N it is the error of an estimate from N sampled paths.

    Parameters
    ----------
    study
        The study.
    measure
        ``esDCG``, ``esnDCG``, ``esnCG``, ``esP`` or ``esAP`` with its parameters, or its text.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        ``session_id``, ``measure``, ``value`` (the expectation, as `sessionkit.score` gives it) and ``variance``, in the
        order of session_id; null where the measure is undefined, and 0 there with ``undefined=zero`` if a list was logged.

    Raises
    ------
    MeasureError
        If the measure is none of these, or has ``duplicates=first``.

    Examples
    --------
    Half of the paths read one relevant document, half two:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 1], "rank": [1, 2], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 1]},
    ... )
    >>> sk.path_variance(study, "esDCG(discount=none,pdown=0.5,pref=0.9)").rows()
    [('s', 'esDCG(discount=none,pdown=0.5,pref=0.9)', 1.5, 0.25)]
    """
    study = restricted(study, where)
    asked = measure_of(study, measure)
    if not isinstance(asked, ExpectedMeasure):
        msg = f"{asked} has no variance over paths; ask for a measure of expected sessions, such as esnDCG(pdown=0.7,pref=0.9)@10"
        raise MeasureError(msg)
    read = columns_read(study, [asked])
    schema = {"session_id": pl.String, "measure": pl.String, "value": pl.Float64, "variance": pl.Float64}
    parts = [pl.DataFrame(schema=schema)]
    for batch in batches(study, read):
        found = asked.variances(Lists(batch, asked.selection))
        judged = pl.lit(sessions_with_judgments(batch, asked.selection))
        logged = pl.lit(logged_sessions(batch, asked.selection))
        filled = [with_zeros(pl.col(name), asked, judged).alias(name) for name in ("value", "variance")]
        found = found.select(filled).select(pl.when(logged).then(pl.all()))
        ids = batch.sessions["session_id"]
        parts.append(found.select(ids, measure=pl.lit(str(asked)), value="value", variance="variance"))
    return pl.concat(parts).sort("session_id")
