"""The finding about unjudged results: what is judged, how far scores could move, and which documents would tell most."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sessionkit.analysis.findings import Finding
from sessionkit.analysis.paper_tables import by_words, chosen_columns, range_text
from sessionkit.display.tables import TextTable
from sessionkit.display.words import listed


@dataclass(frozen=True, eq=False, repr=False)
class Incompleteness(Finding):
    """How far unjudged results could move scores; made by `sessionkit.bounds`.

    Parameters
    ----------
    judged
        By the columns that make the groups, ``query_position`` and ``rank`` (null: all of them): ``lists``, ``results``
        shown, ``judged`` ones,
        ``pooled`` ones (pooled but unjudged, by the study's unjudged_grades) and the judged ``share``.
    bounds
        By group and ``measure``: ``n`` (sessions with a score), ``open`` (sessions without one, to which further
        judgments could give one), ``undefined`` (other sessions), ``moving`` (sessions whose score could change),
        ``value``, ``lower``, ``upper`` and ``residual`` (upper - lower); ``bound``: ``attained`` where some grades make
        each of both come true, ``safe`` where the score cannot leave them but may not reach them, null with a ``note``
        where there are none.
    differences
        By ``measure`` and pair of groups, b minus a: ``difference``, ``lower``, ``upper``, ``bound``; ``holds``: whether
        its sign is the same whatever the unjudged results are; ``needed``: documents that must be judged at least before
        it can be certain (0: none; null: not known); ``overturned_by``: the fewest unjudged documents that reverse its
        sign if all of them have the best grade (null: none can, or what documents add is not a sum);
        ``open_documents``: unjudged ones that could move it.
    wanted
        Unjudged documents that would move a difference most if they alone turned out to gain the most (of a single group,
        its mean; ``a`` is null): ``measure``, ``a``, ``b``, ``place``, ``judgment_key``, ``doc_id``, ``sessions`` (of
        these groups, that show it within the cutoff) and ``move`` (of b less a).
    units
        Score and bounds of every session or query, if asked for: ``session_id``, ``query_position``, those that
        make the groups, ``measure``, ``value``, ``lower``, ``upper``, ``residual``; null bounds where no judgment can give a score.
    reading
        The finding in plain language.
    by, max_grade, per
        As asked for; ``max_grade`` is the best grade that an unjudged document could have.
    """

    judged: pl.DataFrame
    bounds: pl.DataFrame
    differences: pl.DataFrame
    wanted: pl.DataFrame
    reading: str
    by: str | None
    max_grade: float | None
    per: str | None = None
    units: pl.DataFrame | None = None

    @property
    def table(self) -> pl.DataFrame:
        """The bounds by group and measure."""
        return self.bounds

    def tables(self) -> dict[str, pl.DataFrame]:
        """Every table by name: ``bounds``, ``differences``, ``wanted``, ``judged``, and ``units`` if asked for."""
        found = {"bounds": self.bounds, "differences": self.differences, "wanted": self.wanted, "judged": self.judged}
        return found if self.units is None else {**found, "units": self.units}

    def paper_table(self) -> TextTable:
        """The bounds as papers print them: score, lower and upper bound, sessions that could change, n."""
        keys = self.bounds.columns[: self.bounds.columns.index("measure")]
        measures = self.bounds["measure"].unique()
        lead = keys if keys and len(measures) == 1 else [*keys, "measure"]
        whose = f"{measures[0]}: mean" if len(measures) == 1 else "Means"
        caption = f"{whose} and bounds{by_words(keys)}, whatever the grades of unjudged documents (no confidence intervals); n sessions"
        kinds = self.bounds["bound"].unique(maintain_order=True).to_list()
        of = {
            kind: listed(self.bounds.filter(bound=kind)["measure"].unique(maintain_order=True).to_list())
            for kind in kinds
            if kind
        }
        notes = [f"{BOUNDS[kind]}{f' ({whose})' if len(of) > 1 else ''}." for kind, whose in of.items()]
        notes += [
            f"{reason[:1].upper()}{reason[1:]}."
            for reason in self.bounds["note"].drop_nulls().unique(maintain_order=True)
        ]
        without = {"open": "could have one", "undefined": "cannot have one"}
        notes += [
            f"Sessions without a value that {says}: {range_text(self.bounds[name])} by row."
            for name, says in without.items()
            if self.bounds[name].sum()
        ]
        columns = [*lead, "value", "lower", "upper", "moving", "n"]
        headers = {"value": "Mean", "lower": "Lower", "upper": "Upper"}
        return chosen_columns(caption, self.bounds, columns, headers=headers, note=" ".join(notes) or None)


BOUNDS = {
    "attained": "Some grades make each bound come true",
    "safe": "Means cannot leave the bounds, but may not reach them",
}
"""What kinds of bounds say, for a note."""
