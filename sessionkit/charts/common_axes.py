"""The same numeric axes in several figures of one kind, so that a reader can compare them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

from sessionkit.charts.encodings import is_fitted

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
