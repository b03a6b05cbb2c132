"""What captions say of the bands of figures, and when figures have them."""

from __future__ import annotations

from typing import Any

import polars as pl

from sessionkit.analysis.bands import units_of
from sessionkit.reports.choices import Choices
from sessionkit.reports.phrases import NAMED, first_of
from sessionkit.study import Study

BANDED, MOST_DRAWN = 6, 5_000
"""Groups, and sessions, up to which figures have bands."""
DRAWS = 1_000
"""Draws of units for a figure."""


def bands_of(study: Study, choices: Choices) -> dict[str, Any]:
    """The options by which a figure asks for bands: none where sessions or groups are too many."""
    few = study.facts.sessions <= MOST_DRAWN and len(choices.colors) <= BANDED
    return {"bands": True, "draws": DRAWS} if few else {}


def band_told(frame: pl.DataFrame, study: Study, places: str) -> str:
    """A sentence of a caption: what the bands are, or why there are none."""
    if "low" not in frame.columns:
        return f" Bands are drawn for at most {BANDED} groups and {MOST_DRAWN:,} sessions."
    if not frame.get_column("low").count():
        return ""
    return f" Bands are 95% bootstrap intervals over {units_of(study).name}, {places}."


def alone_told(frame: pl.DataFrame, count: str, what: str = "session") -> str:
    """A sentence of a caption: which groups have no mean, since it would be one of a single session."""
    most = frame.group_by("group").agg(pl.col(count).max())
    if not (most.get_column(count) > 1).any():
        return ""
    alone = sorted(most.filter(pl.col(count) == 1).get_column("group"))
    return f" Of one {what}, which is no mean, and not drawn: {first_of(alone, NAMED)}." if alone else ""
