"""What the figures of one report have in common: measure, topic, system, colors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from sessionkit.analysis.groups import grouped_sessions
from sessionkit.charts import colors_of
from sessionkit.charts.canvas import Limits
from sessionkit.charts.encodings import LEGENDS, MOST_COLORED
from sessionkit.charts.print_layout import PrintLayout
from sessionkit.charts.theme import CONTEXT
from sessionkit.choices import CurveNormalization, EffortUnit
from sessionkit.display.natural_order import in_natural_order
from sessionkit.reports.redaction import Redaction
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.measures.cumulated_gain import nsDCG, sDCG
from sessionkit.scoring.measures.grammar import parse_measure
from sessionkit.study import Study
from sessionkit.study.query_counts import logged_lists

TOP = 10
"""Ranks of each query in the concatenated lists, unless the measure says otherwise."""
LONG = 4
"""Queries from which on a session is long."""


@dataclass(frozen=True)
class Choices:
    """What the figures of one report have in common; made by `choices_of`.

    ``measure`` is what figures of gain show, ``ratio`` what those of normalized gain do; ``source`` and ``ratio_source``
    the measures asked for that these come from, None where none of that family was. ``asked`` tells whether any was.
    ``exact``, if given, is what the figure shows in place of both. Figures that are drawn apart have ``measures``, all that
    were asked for, what a sweep is to ``vary``, the ``session`` or ``sessions`` that are shown, what is correlated ``with_``, the system
    that is subtracted, ``against``, the ``difference`` that power is planned for and the ``gain`` that sessions come to ``along`` what
    they spend; ``average`` is how parts of sessions are averaged, ``normalize`` how curves are
    normalized, ``sort`` the order of the sessions of a wall, ``limits`` what the scales of a figure laid out in pixels have to hold,
    ``size`` what a figure is laid out for that has several sheets, ``labels`` what columns are called.
    """

    measure: GainMeasure
    source: GainMeasure | None
    ratio_source: GainMeasure | None
    asked: bool
    colors: Mapping[str, str]
    topic: str | None
    topic_told: str
    system: str
    long: int
    by: str
    synthetic: bool
    redaction: Redaction
    exact: Measure | None = None
    vary: Mapping[str, object] = field(default_factory=dict)
    measures: tuple[Measure, ...] = ()
    session: str | None = None
    sessions: tuple[str, ...] = ()
    with_: tuple[str, ...] = ()
    against: str | None = None
    difference: float | str | None = None
    average: str = "sessions"
    normalize: CurveNormalization | None = None
    gain: float | None = None
    along: EffortUnit | None = None
    sort: str | None = None
    limits: Limits | None = None
    size: PrintLayout = field(default_factory=PrintLayout)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def tested(self) -> Measure:
        """The measure of queries by which parts of sessions are drawn, averaged and tested."""
        return parse_measure("nDCG") @ (self.measure.cutoff or TOP)

    @property
    def ratio(self) -> GainMeasure:
        """What figures of normalized gain show; refused where its measure cannot be normalized."""
        ratio = normalized(self.ratio_source or sDCG)
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
    def curve_colors(self) -> Mapping[str, str] | None:
        """The colors of curves; None where groups are many and none is context yet: the chart then chooses whom it shows."""
        return self.colors if len(self.colors) <= MOST_COLORED or CONTEXT in self.colors.values() else None

    @property
    def legend(self) -> str:
        """What the groups are called."""
        return self.labels.get(self.by) or LEGENDS.get(self.by, self.by)


def choices_of(
    study: Study,
    measures: list[Measure] | None = None,
    *,
    long: int = LONG,
    by: str = "system_id",
    redaction: Redaction | None = None,
) -> Choices:
    """Settle what the figures show.

    Parameters
    ----------
    study
        The study.
    measures
        Figures of gain show the first sDCG among them, those of normalized gain the first nsDCG, also inside an
        aggregator; each the parameters of the other where it is missing, else the defaults.
    long
        Queries from which on a session counts as long in the third figure.
    by
        Column to group sessions by.
    redaction
        What to leave out.

    Raises
    ------
    UsageError
        There is no such column.
    """
    groups = grouped_sessions(study, by)
    topic, told = _busiest_topic(study)
    present = groups
    if topic is not None:
        of_topic = study.sessions.filter(pl.col("topic_id") == topic).select("session_id").collect()
        present = groups.join(of_topic, on="session_id", how="semi")
    family = _family(measures or [])
    source = next((measure for measure in family if not measure.normalized), None) or next(iter(family), None)
    ratio_source = next((measure for measure in family if measure.normalized), None) or source
    plain = unnormalized(source or sDCG)
    return Choices(
        measure=plain @ (plain.cutoff or TOP),
        source=source,
        ratio_source=ratio_source,
        asked=bool(measures),
        colors=colors_of(groups.get_column("group").to_list()),
        topic=topic,
        topic_told=told,
        system=next(iter(in_natural_order(present.get_column("group"))), "None"),
        long=long,
        by=by,
        synthetic=study.settings.synthetic,
        redaction=redaction or Redaction(),
        labels=study.settings.labels,
    )


def normalized(measure: GainMeasure) -> GainMeasure:
    """Return nsDCG with the parameters of a measure, divided by whole sessions, as curves are."""
    if measure.normalized:
        return measure(normalize="session")
    return nsDCG(**measure.parameters())


def unnormalized(measure: GainMeasure) -> GainMeasure:
    """Return sDCG with the parameters of a measure."""
    known = sDCG.parameters()
    return sDCG(**{name: value for name, value in measure.parameters().items() if name in known})


def _family(measures: list[Measure]) -> list[GainMeasure]:
    """The measures of the sDCG family, also those inside aggregators."""
    gained = [parse_measure(measure).inner.gain_measure for measure in measures]
    return [measure for measure in gained if measure is not None and "query_discount" in measure.parameters()]


def _busiest_topic(study: Study) -> tuple[str | None, str]:
    """The topic with the most sessions that logged a list, and what captions call it.

    Of equals the one with the most logged lists, and of these the first by name.
    """
    topics = logged_lists(study, ["topic_id"]).drop_nulls("topic_id").filter(pl.col("many") > 0)
    counts = topics.group_by("topic_id").agg(sessions=pl.len(), queries=pl.col("many").sum())
    order = counts.sort("sessions", "queries", "topic_id", descending=[True, True, False])
    if order.is_empty():
        return None, "all topics together, since the log names none"
    name, sessions = order.row(0)[:2]
    if len(order) == 1:
        return str(name), f"topic {name}"
    equal = order.item(1, "sessions") == sessions
    return str(
        name
    ), f"topic {name}, the one with the most {'queries among those with the most ' if equal else ''}sessions"
