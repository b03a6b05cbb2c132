"""The finding of a mixed model: its tables, its reading, and what it was made with."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.findings import NUMBER, TEXT, WHOLE, Finding

TRUTH = pl.Boolean()
EFFECTS = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), TEXT),
        **dict.fromkeys(("n_a", "n_b"), WHOLE),
        **dict.fromkeys(
            ("mean_a", "mean_b", "estimate", "low", "high", "se", "se_reml", "t", "df", "p", "p_adjusted"), NUMBER
        ),
        "judged_by": TEXT,
    }
)
COMPONENTS = pl.Schema(
    {
        **dict.fromkeys(("measure", "component"), TEXT),
        "levels": WHOLE,
        **dict.fromkeys(("variance", "low", "high", "sd", "share"), NUMBER),
    }
)
FITS = pl.Schema(
    {
        "measure": TEXT,
        **dict.fromkeys(("sessions", "users", "topics"), WHOLE),
        "log_likelihood": NUMBER,
        **dict.fromkeys(("converged", "singular"), TRUTH),
    }
)


@dataclass(frozen=True, eq=False, repr=False)
class MixedModel(Finding):
    """Groups of sessions compared by a mixed model; made by `sessionkit.mixed`.

    Parameters
    ----------
    table
        A row per measure and pair of groups, differences being b less a: ``measure``, ``a``, ``b``, ``n_a``, ``n_b``
        (sessions), ``mean_a``, ``mean_b`` (the model's), ``estimate`` (their difference) with its interval ``low`` to
        ``high``, ``se`` (by which it is judged), ``se_reml`` (what the components, cut off at 0, would give), ``t``,
        ``df``, ``p``, ``p_adjusted``, and ``judged_by``, the components whose mean squares judge it.
    components
        A row per measure and component, ``residual`` last: ``levels``, ``variance`` with its interval ``low`` to
        ``high`` (null: without end), ``sd``, and ``share`` of the variance of one session.
    fits
        A row per measure: ``sessions``, ``users``, ``topics``, ``log_likelihood`` (restricted), ``converged``
        (whether the maximum was reached), ``singular`` (whether a component is 0).
    reading
        The finding in plain language, a sentence or more per line.
    population
        Whom the claim is about.
    by, random, correction, alpha
        As given; `random` with the names of all factors that were tried.
    interval_rate
        Error rate of each interval of an effect.
    notes
        What was left out, and what could not be fitted.
    """

    table: pl.DataFrame
    components: pl.DataFrame
    fits: pl.DataFrame
    reading: str
    population: str
    by: str
    random: tuple[str, ...]
    correction: str
    alpha: float
    interval_rate: float
    notes: tuple[str, ...]

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        return {"effects": self.table, "components": self.components, "fits": self.fits}
