"""What the figures of one report have in common: measure, topic, system, colours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.groups import grouped_sessions
from sessionkit.charts import colours_of
from sessionkit.errors import UsageError, suggestion
from sessionkit.report.redaction import Redaction
from sessionkit.scoring.measures import GainMeasure, Measure, nsDCG, parse_measure, sDCG
from sessionkit.scoring.measures.aggregates import Wrapper
from sessionkit.scoring.measures.cumulated_gain import SessionGain
from sessionkit.study import Study

TOP = 10
"""Ranks of each query in the concatenated lists, unless the measure says otherwise."""
LEGENDS = {"system_id": "System", "topic_id": "Topic", "user_id": "User"}


@dataclass(frozen=True)
class Choices:
    """What the figures of one report have in common; made by `choices_of`."""

    measure: GainMeasure
    colours: Mapping[str, str]
    topic: str | None
    topic_told: str
    system: str
    min_queries: int
    by: str
    synthetic: bool
    redaction: Redaction

    @property
    def legend(self) -> str:
        """What the groups are called."""
        return LEGENDS.get(self.by, self.by)


def choices_of(
    study: Study,
    measures: list[Measure] | None = None,
    *,
    topic: str | None = None,
    system: str | None = None,
    min_queries: int = 4,
    by: str = "system_id",
    redaction: Redaction | None = None,
) -> Choices:
    """Settle what the figures show.

    Parameters
    ----------
    study
        The study.
    measures
        The figures use the parameters of the first sDCG or nsDCG among them, also inside an aggregator; else the
        defaults.
    topic
        The topic of the third and fourth figure; by default the one with the most queries.
    system
        The group of the fourth; by default the first, by name, that has sessions of the topic.
    min_queries
        Queries from which on a session counts as long in the third.
    by
        Column to group sessions by.
    redaction
        What to leave out.

    Raises
    ------
    UsageError
        There is no such topic, system or column.
    """
    groups = sorted(set(grouped_sessions(study, by).collect().get_column("group")))
    told = "" if topic is not None else ", the one with the most queries"
    topic = _busiest_topic(study) if topic is None else topic
    present = sorted(set(grouped_sessions(study, by, topic=topic).collect().get_column("group")))
    if system is not None and system not in present:
        msg = f"there is no group {system!r} among {by}: {', '.join(present[:20])}{suggestion(system, present)}"
        raise UsageError(msg)
    return Choices(
        measure=_session_measure(measures or []),
        colours=colours_of(groups),
        topic=topic,
        topic_told=f"topic {topic}{told}" if topic is not None else "all topics together, since the log names none",
        system=system or present[0],
        min_queries=min_queries,
        by=by,
        synthetic=study.settings.synthetic,
        redaction=redaction or Redaction(),
    )


def normalised(measure: GainMeasure) -> GainMeasure:
    """Return nsDCG with the parameters of a measure, divided by whole sessions, as curves are."""
    if measure.normalized:
        return measure(normalize="session")
    return nsDCG(**measure.parameters())


def unnormalised(measure: GainMeasure) -> GainMeasure:
    """Return sDCG with the parameters of a measure."""
    known = sDCG.parameters()
    return sDCG(**{name: value for name, value in measure.parameters().items() if name in known})


def _session_measure(measures: list[Measure]) -> GainMeasure:
    """The first measure of the sDCG family, cut at its own or the usual rank."""
    inner = [parse_measure(measure) for measure in measures]
    inner = [measure.inner if isinstance(measure, Wrapper) else measure for measure in inner]
    chosen = next((measure for measure in inner if isinstance(measure, SessionGain)), sDCG)
    return chosen @ (chosen.cutoff or TOP)


def _busiest_topic(study: Study) -> str | None:
    """The topic whose sessions have the most logged queries; the first by name of equals."""
    logged = study.queries.filter(pl.col("results_status") != "not_logged").select("session_id")
    topics = study.sessions.select("session_id", "topic_id").drop_nulls("topic_id").join(logged, on="session_id")
    counts = topics.group_by("topic_id").agg(many=pl.len().cast(pl.Int64)).collect()
    names = counts.sort("many", "topic_id", descending=[True, False]).get_column("topic_id")
    return str(names[0]) if len(names) else None
