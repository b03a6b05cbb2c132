"""What stands beside the marks of several charts: query boundaries, counts below an axis, faded small counts, and common axes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

import altair as alt
import polars as pl

from sessionkit.charts.encodings import guide, is_fitted
from sessionkit.charts.theme import FAINT, INK
from sessionkit.display.labels import in_natural_order

NARROWEST, CHARACTER = 0.07, 0.035
"""Shares of the axis that a query label takes, without and for each of its digits, where the plot is as narrow as on a telephone."""
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Boundaries:
    """The queries along the axis: ``query_position``, ``start`` (the slot before their first), ``end`` (their last)."""

    queries: pl.DataFrame
    slots: int
    cutoff: int | None

    @classmethod
    def of(cls, frame: pl.DataFrame) -> Boundaries:
        """Read them from ``slot``, ``query_position`` and ``rank``; none where groups or short lists disagree."""
        slots = int(frame.get_column("slot").max() or 1)  # type: ignore[arg-type]
        places = frame.select("slot", "query_position", "rank").unique()
        if places.null_count().sum_horizontal().item() or places.get_column("slot").n_unique() != len(places):
            return cls(
                pl.DataFrame(schema={"query_position": pl.Int32, "start": pl.Int32, "end": pl.Int32}), slots, None
            )
        ends = pl.col("slot").min().cast(pl.Int32) - 1, pl.col("slot").max().cast(pl.Int32)
        queries = places.group_by("query_position").agg(start=ends[0], end=ends[1]).sort("query_position")
        return cls(queries, slots, int(places.get_column("rank").max() or 1))  # type: ignore[arg-type]

    @property
    def step(self) -> int:
        """Every how many queries there is room for a label."""
        return next((step for step in STEPS if self._apart(step)), STEPS[-1])

    def _apart(self, step: int) -> bool:
        """Whether the labels of every so many queries do not touch."""
        labeled = self.queries.gather_every(step)
        middles = (labeled.get_column("start") + labeled.get_column("end")) / 2
        room = (NARROWEST + CHARACTER * len(str(labeled.get_column("query_position").max()))) * self.slots
        return len(middles) < 2 or bool(middles.diff().min() >= room)  # type: ignore[operator]  # numbers

    def shown(self) -> pl.DataFrame:
        """The queries that are labeled."""
        return self.queries.gather_every(self.step)

    def axis(self) -> alt.X:
        """The horizontal axis, in slots, with ticks where queries end."""
        lists = f"concatenated Top-{self.cutoff} lists" if self.cutoff else "concatenated lists"
        ticks = self.shown().get_column("end").to_list() if len(self.queries) > 1 else alt.Undefined
        title = f"Slot in the {lists}"
        some = [title, f"{len(self.queries):,} queries, some of them labeled"] if self.step > 1 else title
        axis = alt.Axis(title=some, values=ticks, tickMinStep=1, format="d")
        return alt.X(field="slot", type="quantitative", axis=axis, scale=alt.Scale(domain=[0, self.slots], nice=False))

    def layers(self) -> list[alt.Chart]:
        """Rules where queries end and the labels Q1, Q2, ... above the drawing."""
        if len(self.queries) < 2:
            return []
        inner = self.shown().filter(pl.col("end") < self.slots).select(slot="end")
        label = pl.concat_str(pl.lit("Q"), pl.col("query_position").cast(pl.String))
        middle = (pl.col("start") + pl.col("end")) / 2
        names = self.shown().select(label.alias("label"), middle.alias("slot"))
        rules = alt.Chart(guide(inner)).mark_rule(color=FAINT, opacity=0.45, strokeDash=[2, 3], strokeWidth=1)
        texts = alt.Chart(guide(names)).mark_text(color=FAINT, baseline="bottom", dy=-3, fontSize=11)
        words = texts.encode(x=self.axis(), y=alt.YValue(0), text=alt.Text(field="label", type="nominal"))
        return [rules.encode(x=self.axis()), words]

    def at_ends(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of a frame at the ends of the queries that are labeled, and at its last slot."""
        ends = self.shown().get_column("end").implode()
        return frame.filter(pl.col("slot").is_in(ends) | (pl.col("slot") == self.slots))


MOST_COUNTED = 4
"""Groups whose sessions are counted, a line for each; of more groups all together, or none."""
PADDING, LINE = 12, 12
"""Pixels between the axis and its title, without and for each line of numbers."""
MOST_WIDE = 80
"""Pixels that the name of a group takes beside its numbers."""
BESIDE, HALF = 14, 3
"""Pixels between the axis and that name, at least; and half a character of the number that may stand in the middle of the axis."""
CHARACTERS = 75
"""Characters of numbers, and of the gaps between them, that stand on a line; figures of a column have fewer."""


def counts_below(x: alt.X, counts: pl.DataFrame, what: str) -> list[alt.Chart]:
    """Return the layers of such lines; the title of the axis goes below them, and its ticks stand where numbers do.

    Parameters
    ----------
    x
        The horizontal axis.
    counts
        ``group``, the place on the axis under its own name, ``sessions``.
    what
        What the sessions do, on a line above them.
    """
    names = in_natural_order(counts.get_column("group").unique())
    x["axis"]["titlePadding"] = PADDING + 2 + LINE * (len(names) + 1)
    places = counts.get_column(x["field"]).unique().sort()
    longest = max(len(f"{number:,}") for number in counts["sessions"]) + 1
    places = places.gather_every(-(-len(places) * longest // CHARACTERS))
    counts = counts.filter(pl.col(x["field"]).is_in(places.implode()))
    x["axis"]["values"] = places.to_list()
    layers = [_at_left(what, 0, PADDING + 10, align="left")]
    beside = -max(BESIDE, 2 + HALF * longest)
    for number, group in enumerate(names, 1):
        down = PADDING + 10 + LINE * number
        rows = counts.filter(pl.col("group") == group)
        rows = rows.with_columns(pl.Series("text", [f"{number:,}" for number in rows["sessions"]], dtype=pl.String))
        text = alt.Text(field="text", type="nominal")
        numbers = alt.Chart(guide(rows)).mark_text(color=INK, baseline="top", dy=down, fontSize=10)
        layers += [numbers.encode(x=x, y=alt.YValue("height"), text=text), _at_left(group, beside, down, align="right")]
    return layers


def _at_left(text: str, right: int, down: int, **looks: Any) -> alt.Chart:  # noqa: ANN401 - as Altair has them
    """A text below the left end of the axis."""
    mark = alt.Chart(guide(pl.DataFrame({"text": [text]}))).mark_text(
        color=INK, baseline="top", dx=right, dy=down, fontSize=10, limit=MOST_WIDE if right else alt.Undefined, **looks
    )
    return mark.encode(x=alt.XValue(0), y=alt.YValue("height"), text=alt.Text(field="text", type="nominal"))


FEW = 10
"""Count below which a mean or a share is faded."""
FADED = 0.35
"""Opacity of what is faded."""


def fading(count: str, opacity: float = 1.0) -> alt.OpacityValue:
    """Return the opacity of marks by the field that holds their counts: `FADED` below `FEW`.

    Parameters
    ----------
    count
        A field of the chart that this package names.
    opacity
        That of the other marks.
    """
    # a bare condition is made a channel by comparing it with the schema of every class of Altair, which takes milliseconds
    return alt.OpacityValue(
        **alt.condition(alt.FieldLTPredicate(field=count, lt=FEW), alt.value(FADED), alt.value(opacity))
    )


def few_line(counts: pl.Series, units: str, look: str = "Faded") -> str | None:
    """Return the line below the title that explains what is faded; None where no count is below `FEW`.

    >>> few_line(pl.Series([12, 9]), "sessions")
    'Faded: fewer than 10 sessions'
    >>> few_line(pl.Series([12, 10]), "sessions") is None
    True
    """
    return f"{look}: fewer than {FEW} {units}" if (counts < FEW).any() else None


def count_line(counts: pl.Series, units: str, groups: str) -> str:
    """Return the line below the title that says how many each group has.

    >>> count_line(pl.Series([12, 9]), "sessions", "system")
    '9 to 12 sessions per system'
    >>> count_line(pl.Series([1200, 1200]), "sessions", "system")
    '1,200 sessions per system'
    """
    ends = [f"{end:,}" for end in sorted({int(counts.min()), int(counts.max())})]  # type: ignore[arg-type]
    return f"{' to '.join(ends)} {units} per {groups}"


SHARED = ("x", "y", "color", "fill")
"""Channels whose numeric scales are shared."""
SECONDARY = {"x": ("x2",), "y": ("y2",)}
"""Channels that use the scale of another one."""
CONCATENATIONS = ("hconcat", "vconcat", "concat")


class ScalePlace(NamedTuple):
    """A scale of a specification: the path of its view and its channel."""

    view: tuple[str, ...]
    channel: str


@dataclass
class SharedScale:
    """The channels of one specification that use one scale, and the values that they show."""

    definitions: list[dict[str, Any]]
    values: list[float]
    domain: list[float]
    """The ends of the domains that the specification sets itself."""

    @property
    def extent(self) -> list[float]:
        """All values that the axis has to show: its own domain, or the data."""
        return self.domain or self.values


def share_axes(specs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return specifications of one kind whose numeric axes all run from the least to the greatest value among them.

    A scale that a specification divides by the panels of a facet, and one in pixels, stay as they are.

    Examples
    --------
    >>> views = [{"mark": "point", "data": {"name": "rows"}, "datasets": {"rows": [{"v": most}]},
    ...           "encoding": {"x": {"field": "v", "type": "quantitative"}}} for most in (2, 5)]
    >>> [view["encoding"]["x"]["scale"] for view in share_axes(views)]
    [{'nice': True, 'domain': [0, 5]}, {'nice': True, 'domain': [0, 5]}]
    """
    shared = [_copied(spec) for spec in specs]
    extents: dict[ScalePlace, list[float]] = {}
    scales = [_scales(spec) for spec in shared]
    for places in scales:
        for place, scale in places.items():
            ends = [*extents.get(place, []), *scale.extent]
            extents[place] = [min(ends), max(ends)] if ends else []
    for places in scales:
        for place, scale in places.items():
            if extents[place] and extents[place][0] < extents[place][1]:
                for definition in scale.definitions:
                    # a domain that is set is no longer rounded by default
                    nice = {} if scale.domain else {"nice": True}
                    definition["scale"] = {**nice, **(definition.get("scale") or {}), "domain": extents[place]}
    return shared


def _copied(spec: dict[str, Any]) -> dict[str, Any]:
    """A copy in which no two parts are the same object; the data, which stay as they are, are not copied."""
    parts = {name: part for name, part in spec.items() if name != "datasets"}
    copied: dict[str, Any] = json.loads(json.dumps(parts))
    return {**copied, **({"datasets": spec["datasets"]} if "datasets" in spec else {})}


def _scales(spec: dict[str, Any]) -> dict[ScalePlace, SharedScale]:
    """The numeric scales of a specification."""
    scales: dict[ScalePlace, SharedScale] = {}
    for view, excluded, encoding, rows in _views(spec, spec.get("datasets", {}), [], (), frozenset()):
        for channel in SHARED:
            definition = encoding.get(channel, {})
            in_pixels = channel in ("x", "y") and is_fitted(spec)
            if channel in excluded or in_pixels or not _is_numeric(definition):
                continue
            scale = scales.setdefault(ScalePlace(view, channel), SharedScale([], [], []))
            scale.definitions.append(definition)
            options = definition.get("scale") or {}
            domain = options.get("domain")
            if isinstance(domain, list):
                scale.domain += domain
            for side in (definition, *(encoding.get(name, {}) for name in SECONDARY.get(channel, ()))):
                scale.values += _values(side, rows)
            starts_at_zero = channel in ("x", "y") and definition.get("type") == "quantitative" and domain is None
            if options.get("zero", starts_at_zero):
                scale.values.append(0)
    return scales


def _views(
    spec: dict[str, Any],
    datasets: dict[str, list[dict[str, Any]]],
    rows: list[dict[str, Any]],
    path: tuple[str, ...],
    excluded: frozenset[str],
) -> Iterator[tuple[tuple[str, ...], frozenset[str], dict[str, Any], list[dict[str, Any]]]]:
    """Yield each view that draws: its path, the channels whose scale it does not share, its encoding and its rows."""
    if "data" in spec:
        rows = datasets.get(spec["data"].get("name"), spec["data"].get("values", []))
    separate = {channel for channel, how in spec.get("resolve", {}).get("scale", {}).items() if how == "independent"}
    if "encoding" in spec and "layer" not in spec:
        yield path, excluded, spec["encoding"], rows
    for number, layer in enumerate(spec.get("layer", [])):
        inner = (*path, f"layer {number}") if separate else path
        yield from _views(layer, datasets, rows, inner, excluded)
    for kind in CONCATENATIONS:
        for number, part in enumerate(spec.get(kind, [])):
            yield from _views(part, datasets, rows, (*path, str(part.get("name", number))), excluded)
    if "spec" in spec:
        yield from _views(spec["spec"], datasets, rows, (*path, "panel"), excluded | separate)


def _is_numeric(definition: dict[str, Any]) -> bool:
    """Whether a channel has a scale of numbers."""
    if "scale" in definition and definition["scale"] is None:
        return False
    kind = (definition.get("scale") or {}).get("type")
    if kind in ("band", "point", "ordinal"):
        return False
    return definition.get("type") == "quantitative" or _is_number(definition.get("datum"))


def _is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number; truth values are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _values(definition: dict[str, Any], rows: list[dict[str, Any]]) -> list[float]:
    """The least and greatest number that a channel shows."""
    field = str(definition.get("field", "")).replace("\\", "")  # of dots and brackets in a name
    shown = [definition.get("datum"), *(row.get(field) for row in rows)]
    numbers = [value for value in shown if _is_number(value)]
    return [min(numbers), max(numbers)] if numbers else []
