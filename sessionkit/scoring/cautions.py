"""What a reader of a number should know about it: an ideal that does not bound it, lists seen less deep than it looks."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import polars as pl

from sessionkit.errors import DataWarning
from sessionkit.scoring.measures import GainMeasure
from sessionkit.scoring.score_task import NAMED, ScoreTask
from sessionkit.study import Study

QUERY = ["session_id", "query_position"]


@dataclass
class Undefined:
    """The sessions (or queries) without a value, counted by measure over as many tables of scores as there are."""

    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By measure: how many have no value, and how many there are."""
    names: dict[str, list[str]] = field(default_factory=dict)
    """By measure: the first of them."""

    def see(self, task: ScoreTask, scores: pl.DataFrame) -> None:
        """Count the ones in a table of scores, of groups or of single units."""
        if task.level == "group":
            nulls, total = pl.col("undefined").sum(), (pl.col("undefined") + pl.col("n")).sum()
            named = pl.col("unnamed").explode(empty_as_null=False).sort().head(NAMED)
        else:
            missing = pl.col("value").is_null()
            unit = pl.col("session_id")
            if task.level == "query":
                unit = pl.format("{} query {}", "session_id", "query_position")
            nulls, total, named = missing.sum(), pl.len(), unit.filter(missing).head(NAMED)
        counted = scores.group_by("measure").agg(nulls=nulls, total=total, named=named)
        for measure, missing_here, here, names in counted.select("measure", "nulls", "total", "named").iter_rows():
            before = self.counts.get(measure, (0, 0))
            self.counts[measure] = (before[0] + missing_here, before[1] + here)
            self.names[measure] = [*self.names.get(measure, []), *names][:NAMED]

    def tell(self) -> None:
        """Warn once, naming measures and units."""
        alike: dict[tuple[int, int, str], list[str]] = {}
        for measure, (missing, total) in self.counts.items():
            if missing:
                names = ", ".join(self.names[measure])
                more = missing - len(self.names[measure])
                listed = f"{names} and {more} more" if more else names
                alike.setdefault((missing, total, listed), []).append(measure)
        clauses = [
            f"{', '.join(sorted(measures))} undefined for {missing} of {total}: {listed}"
            for (missing, total, listed), measures in alike.items()
        ]
        if clauses:
            text = (
                f"{'; '.join(clauses)}; no judgments for their key, nothing relevant or, for nonlast, a single query; "
                "left out of means"
            )
            warnings.warn(text, DataWarning, stacklevel=4)


def tell_of_bound(measure: GainMeasure) -> None:
    """Warn where 1 is not an upper bound of a normalised measure."""
    if measure.normalized and measure.highest is None:
        text = f"{measure}: 1 is not an upper bound of this measure; see: sessionkit measures {measure.name}"
        warnings.warn(text, DataWarning, stacklevel=4)


def tell_of_depth(study: Study, measure: GainMeasure) -> None:
    """Warn where lists were observed less deep than the measure looks, with the share of queries concerned."""
    if not study.facts.partly_observed:
        return
    counted = study.queries.filter(pl.col("results_status") != "not_logged")
    if measure.queries is not None:
        counted = counted.filter(pl.col("query_position") <= measure.queries)
    partly = counted.filter(pl.col("results_status") == "partly_observed")
    shown = study.results.join(partly.select(QUERY), on=QUERY, how="semi")
    seen = shown.group_by(QUERY).agg(seen=pl.len().cast(pl.Int64))
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
