"""What a reader of a number should know about it: an ideal that does not bound it, lists seen less deep than it looks."""

from __future__ import annotations

import warnings

import polars as pl

from sessionkit.errors import DataWarning
from sessionkit.scoring.judging import QUERY, Selection, units
from sessionkit.scoring.measures import GainMeasure
from sessionkit.study import Study


def tell_of_bound(measure: GainMeasure) -> None:
    """Warn where 1 is not an upper bound of a normalised measure."""
    if measure.normalized and measure.highest is None:
        text = f"{measure}: 1 is not an upper bound of this measure; see: sessionkit measures {measure.name}"
        warnings.warn(text, DataWarning, stacklevel=4)


def tell_of_depth(study: Study, measure: GainMeasure) -> None:
    """Warn where lists were observed less deep than the measure looks, with the share of queries concerned."""
    if not study.facts.partly_observed:
        return
    counted = units(study, Selection.of(measure))
    seen = study.results.group_by(QUERY).agg(seen=pl.len().cast(pl.Int64))
    partly = study.queries.filter(pl.col("results_status") == "partly_observed").join(counted, on=QUERY, how="semi")
    deeper = pl.lit(value=True) if measure.cutoff is None else pl.col("seen").fill_null(0) < measure.cutoff
    concerned = partly.join(seen, on=QUERY, how="left").filter(deeper).select(pl.len()).collect().item()
    everything = counted.select(pl.len()).collect().item()
    if concerned:
        warnings.warn(
            f"{measure} looks deeper than was observed in {concerned} of {everything} queries "
            f"({concerned / everything:.0%}); what was not observed counts as nothing gained",
            DataWarning,
            stacklevel=4,
        )
