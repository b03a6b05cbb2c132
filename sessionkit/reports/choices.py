"""What the figures of one report have in common: measure, topic, system, colours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from sessionkit.analysis.groups import group_names
from sessionkit.charts import colours_of
from sessionkit.errors import UsageError, suggestion
from sessionkit.reports.redaction import Redaction
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.measures.cumulated_gain import nsDCG, sDCG
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.study import Study
from sessionkit.study.query_counts import logged_queries

TOP = 10
"""Ranks of each query in the concatenated lists, unless the measure says otherwise."""
LEGENDS = {"system_id": "System", "topic_id": "Topic", "user_id": "User"}


@dataclass(frozen=True)
class Choices:
    """What the figures of one report have in common; made by `choices_of`.

    ``measure`` is what figures of gain show, ``ratio`` what those of normalised gain do; ``source`` and ``ratio_source``
    the measures asked for that these come from, None where none of that family was. ``asked`` tells whether any was.
    ``exact``, if given, is what the figure shows in place of both. Figures that are drawn apart have ``measures``, all that
    were asked for, what a sweep is to ``vary``, the ``session`` that is shown, what is correlated ``with_``, the ``pair``
    of systems compared and the ``difference`` that power is planned for; ``average`` is how parts of sessions are averaged.
    """

    measure: GainMeasure
    source: GainMeasure | None
    ratio_source: GainMeasure | None
    asked: bool
    colours: Mapping[str, str]
    topic: str | None
    topic_told: str
    system: str
    min_queries: int
    by: str
    synthetic: bool
    redaction: Redaction
    exact: Measure | None = None
    vary: Mapping[str, object] = field(default_factory=dict)
    measures: tuple[Measure, ...] = ()
    session: str | None = None
    with_: tuple[str, ...] = ()
    pair: tuple[str | None, str | None] = (None, None)
    difference: float | str | None = None
    average: str = "sessions"

    @property
    def tested(self) -> Measure:
        """The measure of queries by which parts of sessions are drawn, averaged and tested."""
        return parse_measure("nDCG") @ (self.measure.cutoff or TOP)

    @property
    def ratio(self) -> GainMeasure:
        """What figures of normalised gain show; refused where its measure cannot be normalised."""
        ratio = normalised(self.ratio_source or sDCG)
        return ratio @ (ratio.cutoff or TOP)

    def told(self, measure: Measure, *, ratio: bool = False) -> str:
        """A sentence for the caption where a figure shows another measure than was asked for, else nothing."""
        source = self.ratio_source if ratio else self.source
        if self.exact is not None or not self.asked or str(measure) == str(source):
            return ""
        if source is None:
            return f" No measure asked for can be drawn here; {measure} is shown instead."
        return f" {measure} is shown with the parameters of {source}."

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
        Figures of gain show the first sDCG among them, those of normalised gain the first nsDCG, also inside an
        aggregator; each the parameters of the other where it is missing, else the defaults.
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
    groups = group_names(study, by)
    told = "" if topic is not None else ", the one with the most queries"
    topic = _busiest_topic(study) if topic is None else topic
    present = group_names(study, by, topic)
    if system is not None and system not in present:
        msg = f"there is no group {system!r} among {by}: {', '.join(present[:20])}{suggestion(system, present)}"
        raise UsageError(msg)
    family = _family(measures or [])
    source = next((measure for measure in family if not measure.normalized), None) or next(iter(family), None)
    ratio_source = next((measure for measure in family if measure.normalized), None) or source
    plain = unnormalised(source or sDCG)
    return Choices(
        measure=plain @ (plain.cutoff or TOP),
        source=source,
        ratio_source=ratio_source,
        asked=bool(measures),
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


def _family(measures: list[Measure]) -> list[GainMeasure]:
    """The measures of the sDCG family, also those inside aggregators."""
    gained = [parse_measure(measure).inner.gain_measure for measure in measures]
    return [measure for measure in gained if measure is not None and "query_discount" in measure.parameters()]


def _busiest_topic(study: Study) -> str | None:
    """The topic whose sessions have the most logged queries; the first by name of equals."""
    topics = logged_queries(study, ["topic_id"]).drop_nulls("topic_id").filter(pl.col("many") > 0)
    counts = topics.group_by("topic_id").agg(pl.col("many").sum())
    names = counts.sort("many", "topic_id", descending=[True, False]).get_column("topic_id")
    return str(names[0]) if len(names) else None
