"""Scores: the values of measures per query, per session, or averaged over groups of sessions, in one tidy table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from sessionkit.errors import DataWarning, MeasureError, UsageError, suggestion
from sessionkit.scoring import fixed
from sessionkit.scoring.cautions import tell_of_bound, tell_of_depth
from sessionkit.scoring.judging import QUERY, SESSION, Selection, judged_share, results_shown
from sessionkit.scoring.measures import GainMeasure, Measure, parse_measure
from sessionkit.scoring.measures.aggregates import Wrapper
from sessionkit.scoring.values import query_values, session_values
from sessionkit.study import Study

PER = {"system": "system_id", "topic": "topic_id", "user": "user_id"}
OF_SESSION = ["system_id", "topic_id", "user_id"]
OF_GROUP = ["measure", "value", "n", "undefined", "judged"]
NAMED = 5


def score(
    study: Study, measures: str | Measure | Sequence[str | Measure], per: str | Sequence[str] = "session"
) -> pl.DataFrame:
    """Score a study.

    Parameters
    ----------
    study
        The study, see `sessionkit.read` and `sessionkit.open_study`.
    measures
        Measures or their texts, such as ``"nsDCG@10"`` or ``"mean(nDCG@10)"``.
    per
        ``"query"``, ``"session"``, ``"all"``, or what to average sessions by: ``"system"``, ``"topic"``, ``"user"`` or any
        column of the sessions or users; several as a list or joined by commas.

    Returns
    -------
    polars.DataFrame
        Ordered by the keys, within a key by measure in the order asked for. Per session: ``session_id``,
        ``system_id``, ``topic_id``, ``user_id``, ``measure``, ``value`` (null where undefined), ``judged`` (share of
        the results shown within the cutoff that are judged, 0 to 1; null where none was shown). Per query also
        ``query_position``. Per group: the group's columns, ``measure``, ``value`` (mean over the sessions where it is
        defined), ``n`` (those sessions), ``undefined`` (the others) and ``judged`` (over all results).

    Raises
    ------
    MeasureError
        If a text names no measure, or a measure does not exist at this level.
    UsageError
        If ``per`` names no column.

    Examples
    --------
    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"], "topic_id": ["t"] * 2},
    ...     judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 2]},
    ... )
    >>> scores = sk.score(study, ["sDCG@10", "nsDCG@10"])  # 1 + 2 / 1.5; divided by (2 + 1 / 2) x (1 + 1 / 1.5)
    >>> scores.select("session_id", "measure", scores["value"].round(4), "judged").rows()
    [('s', 'sDCG@10', 2.3333, 1.0), ('s', 'nsDCG@10', 0.56, 1.0)]
    """
    asked = _asked(measures)
    levels = _levels(per)
    if levels == ["query"]:
        scores = _per_query(study, asked)
    elif "query" in levels or ("session" in levels and len(levels) > 1):
        msg = f"per={','.join(levels)}: query and session stand alone; group by columns of the sessions instead"
        raise UsageError(msg)
    elif levels == ["session"]:
        own = {name: name for name in OF_SESSION}
        scores = _per_session(study, asked, own).select("session_id", *OF_SESSION, "measure", "value", _share())
    else:
        columns = [] if levels == ["all"] else [PER.get(level, level) for level in levels]
        scores = _per_group(study, asked, columns)
    for measure in asked:
        tell_of_bound(measure.inner)
        tell_of_depth(study, measure.inner)
    return scores


def _levels(per: str | Sequence[str]) -> list[str]:
    """The levels asked for, each once."""
    texts = [per] if isinstance(per, str) else per
    if not isinstance(texts, Sequence) or not texts or not all(isinstance(text, str) for text in texts):
        msg = f"per must be query, session, system, topic, user or names of columns, not {per!r}"
        raise UsageError(msg)
    return list(dict.fromkeys(level.strip() for text in texts for level in text.split(",")))


def _asked(measures: str | Measure | Sequence[str | Measure]) -> list[Measure]:
    """The measures in the order asked for, each once."""
    if isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable):
        measures = [measures]
    asked = list(dict.fromkeys(parse_measure(measure) for measure in measures))
    if not asked:
        msg = "no measure was named; for example: nsDCG@10"
        raise MeasureError(msg)
    return asked


def _per_query(study: Study, measures: list[Measure]) -> pl.DataFrame:
    """One row per logged query and measure."""
    asked: list[GainMeasure] = []
    for measure in measures:
        if not isinstance(measure, GainMeasure) or measure.level != "query":
            better = "DCG@10" if not isinstance(measure, Wrapper) else str(measure.inner)
            msg = f"{measure} is a measure of whole sessions and has no value per query; ask for one of queries, for example {better}"
            raise MeasureError(msg)
        asked.append(measure)
    sessions = study.sessions.select("session_id", *OF_SESSION)
    queries = study.queries.select(QUERY).join(sessions, on="session_id", how="left")
    scores = _listed(study, queries, query_values(study, asked), QUERY)
    _warn_undefined(scores, QUERY)
    return scores.select(*QUERY, *OF_SESSION, "measure", "value", _share())


def _per_session(study: Study, measures: list[Measure], columns: Mapping[str, str]) -> pl.DataFrame:
    """One row per session and measure, with some columns of the session or its user, by the names to give them."""
    sessions = study.sessions
    of_user = [column for column in columns.values() if column not in study.columns("sessions")]
    if of_user:
        sessions = sessions.join(study.users.select("user_id", *of_user), on="user_id", how="left")
    chosen = sessions.select("session_id", **{name: pl.col(column) for name, column in columns.items()})
    scores = _listed(study, chosen, session_values(study, measures), SESSION)
    _warn_undefined(scores, SESSION)
    return scores


def _listed(
    study: Study,
    units: pl.LazyFrame,
    values: Mapping[GainMeasure, pl.LazyFrame] | Mapping[Measure, pl.LazyFrame],
    by: list[str],
) -> pl.DataFrame:
    """List the values of all measures, with the counts of shown and judged results, in the order of the units."""
    frame = units.collect()
    if not frame.select(pl.struct(by).is_sorted() if len(by) > 1 else pl.col(by[0]).is_sorted()).item():
        frame = frame.sort(by)
    frame = frame.with_row_index("_unit")
    counts: dict[object, pl.DataFrame] = {}
    tables = []
    for measure, value in values.items():
        selection = replace(Selection.of(measure.inner), duplicates="all")
        counted = selection.unjudged == "zero" and "judged" in value.collect_schema()
        if (selection, counted) not in counts:
            count = results_shown if counted else judged_share
            counts[selection, counted] = count(study, selection, by).collect()
        known = value if counted else value.drop("judged", strict=False)
        found = frame.lazy().join(
            known, on=by, how="inner" if "query_position" in by else "left", maintain_order="left"
        )
        found = found.join(counts[selection, counted].lazy(), on=by, how="left", maintain_order="left")
        shares = [pl.col(name).fill_null(0) for name in ("results", "judged")]
        columns = pl.exclude("value", "results", "judged")
        tables.append(found.select(columns, "value", *shares, measure=pl.lit(str(measure))).collect())
    return pl.concat(tables).sort("_unit", maintain_order=True) if len(tables) > 1 else tables[0]


def _per_group(study: Study, measures: list[Measure], columns: list[str]) -> pl.DataFrame:
    """Means over sessions."""
    both = dict.fromkeys((*study.columns("sessions"), *study.columns("users")))
    known = [name for name in both if name != "session_id"]
    for column in columns:
        if column not in known:
            levels = ["query", "session", *PER, *known]
            msg = f"per={column}: no such column in sessions or users; choose from {', '.join(levels)}{suggestion(column, levels)}"
            raise UsageError(msg)
        if column in OF_GROUP:
            msg = f"per={column}: the table of scores has a column of that name itself; rename the log's in study.toml"
            raise UsageError(msg)
    keys = {f"_group {number}": column for number, column in enumerate(columns)}
    scores = _per_session(study, measures, keys)
    groups = scores.group_by(*keys, "measure").agg(
        value=fixed.mean(pl.col("value")),
        n=pl.col("value").count().cast(pl.Int64),
        undefined=pl.col("value").null_count().cast(pl.Int64),
        judged=pl.col("judged").sum(),
        results=pl.col("results").sum(),
    )
    order = pl.col("measure").replace_strict([str(measure) for measure in measures], range(len(measures)))
    named = [pl.col(key).alias(column) for key, column in keys.items()]
    return groups.sort(*keys, order).select(*named, *OF_GROUP[:-1], _share())


def _share() -> pl.Expr:
    """Judged share of the results shown; null where nothing was shown."""
    return (pl.col("judged") / pl.col("results").replace(0, None)).alias("judged")


def _warn_undefined(scores: pl.DataFrame, by: list[str]) -> None:
    """Name, once, the units without a value."""
    undefined = scores.filter(pl.col("value").is_null())
    if not len(undefined):
        return
    unit = pl.format("{} query {}", *by) if len(by) > 1 else pl.col("session_id")
    names = undefined.select(unit.alias("unit").unique(maintain_order=True)).to_series()
    concerned = undefined.get_column("measure").unique(maintain_order=True)
    listed = ", ".join(names.head(NAMED)) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    text = (
        f"{', '.join(concerned)} undefined for {len(names)} of {scores.select(by).n_unique()}: {listed}; "
        "no judgments for their key, nothing relevant or, for nonlast, a single query; left out of means"
    )
    warnings.warn(text, DataWarning, stacklevel=3)
