"""What unjudged documents could do to the difference between two groups, and which of them could do most."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from sessionkit.analysis.incomplete.bound_kinds import adds_up, movable
from sessionkit.analysis.incomplete.document_effects import DocumentEffects
from sessionkit.scoring.measures.base import Measure
from sessionkit.study.judgment_index import PAIR

MOST_GROUPS = 20
"""Groups whose pairs are looked at."""
ROUNDING = 1e-12
"""Share of what a number was added up from below which it is 0, but for rounding."""
DIFFERENCES = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), pl.String()),
        **dict.fromkeys(("difference", "lower", "upper"), pl.Float64()),
        "bound": pl.String(),
        "holds": pl.Boolean(),
        **dict.fromkeys(("needed", "overturned_by", "open_documents"), pl.Int64()),
    }
)
WANTED = pl.Schema(
    {
        **dict.fromkeys(("measure", "a", "b"), pl.String()),
        "place": pl.Int64(),
        **dict.fromkeys(PAIR, pl.String()),
        "sessions": pl.Int64(),
        "move": pl.Float64(),
    }
)


def differences(
    measures: Sequence[Measure],
    bounds: pl.DataFrame,
    moves: DocumentEffects | None,
    groups: Sequence[str | None],
    many: int,
    *,
    own_keys: bool = False,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The differences between all pairs of groups with their bounds, and the documents that could move them most.

    Parameters
    ----------
    bounds
        ``group``, ``measure``, ``n``, ``open``, ``value``, ``lower``, ``upper``.
    moves
        What unjudged documents would move; None where nothing is unjudged.
    groups
        The groups to look at, in order; a single one is looked at alone.
    many
        Documents to name of each measure and pair.
    own_keys
        Whether queries have judgment keys of their own.
    """
    pairs: list[tuple[str | None, str | None]] = [*combinations(groups, 2)] if len(groups) > 1 else [(None, groups[0])]
    rows, wanted = [], []
    for measure in measures:
        text = str(measure)
        found = {row["group"]: row for row in bounds.filter(pl.col("measure") == text).iter_rows(named=True)}
        told = movable(measure) and (many or adds_up(measure, own_keys=own_keys))
        for a, b in pairs:
            steps = None
            here: dict[str | None, int] = {group: found[group]["n"] for group in (a, b) if group is not None}
            if told and all(here.values()):
                documents, steps = (
                    moves.between(measure, here, b) if moves else (np.zeros(0, dtype=np.int64), np.zeros(0))
                )
                if moves and many:
                    most = moves.most(measure, here, documents, steps, many)
                    wanted.append(most.with_columns(measure=pl.lit(text), a=pl.lit(a), b=pl.lit(b)))
            if a is not None and b is not None:
                exact = adds_up(measure, own_keys=own_keys)
                rows.append({"measure": text, "a": a, "b": b, **_difference(found[a], found[b], steps, exact=exact)})
    listed = pl.concat([WANTED.to_frame(), *(frame.select(WANTED.names()).cast(dict(WANTED)) for frame in wanted)])  # type: ignore[arg-type]
    return pl.DataFrame(rows, schema=DIFFERENCES), listed


def _difference(
    a: dict[str, float], b: dict[str, float], steps: np.ndarray | None, *, exact: bool
) -> dict[str, object]:
    """A difference, its bounds, whether its sign holds, and how many documents decide it."""
    nothing: dict[str, object] = dict.fromkeys(
        ("difference", "lower", "upper", "bound", "holds", "needed", "overturned_by", "open_documents")
    )
    if a["value"] is None or b["value"] is None:
        return nothing
    found = nothing | {"difference": b["value"] - a["value"]}
    if a["lower"] is None or b["lower"] is None:
        return found
    value = float(nothing_left(b["value"] - a["value"], abs(a["value"]) + abs(b["value"])))
    found["difference"] = value
    if steps is not None:
        found["open_documents"] = int((steps != 0).sum())
    if exact and steps is not None and not a["open"] and not b["open"]:
        steps = np.sort(steps)  # so that their sum hangs on no order
        size = abs(value) + np.abs(steps).sum()
        lower = float(nothing_left(value + steps[steps < 0].sum(), size))
        upper = float(nothing_left(value + steps[steps > 0].sum(), size))
        found |= {"bound": "attained", "needed": needed(value, steps), "overturned_by": overturned_by(value, steps)}
    else:
        size = sum(abs(row[end]) for row in (a, b) for end in ("lower", "upper"))
        lower, upper = nothing_left(b["lower"] - a["upper"], size), nothing_left(b["upper"] - a["lower"], size)
        found["bound"] = "safe"
    found |= {"lower": min(lower, value), "upper": max(upper, value)}
    found["holds"] = bool(lower > 0 or upper < 0)
    return found


def nothing_left(value: float, size: float) -> float:
    """A sum, 0 where rounding alone is left of numbers of this size: a tie that judgments can make is not a difference that holds.

    >>> nothing_left(0.3 - (0.1 + 0.2), 0.6), nothing_left(0.1, 0.6)
    (0.0, 0.1)
    """
    return 0.0 if abs(value) <= ROUNDING * size else value


def overturned_by(difference: float, steps: np.ndarray) -> int | None:
    """The fewest unjudged documents that reverse the sign of a difference, if all of them have the best grade; None if none can.

    Steps add up, so that the largest against the sign do it with the fewest. A tie is no reversal.

    .25 against steps of -.2, -.1 and -.1: -.2 and -.1 reverse it; -.2 alone leaves .05.

    >>> overturned_by(0.25, np.array([-0.1, -0.2, 0.4, -0.1])), overturned_by(0.5, np.array([-0.2])), overturned_by(0.0, np.array([0.1]))
    (2, None, None)
    """
    if difference == 0:
        return None
    against = np.sort(steps[steps * np.sign(difference) < 0] * np.sign(difference))
    left = ROUNDING * (abs(difference) + np.abs(steps).sum())
    enough = np.flatnonzero(abs(difference) + against.cumsum() < -left)
    return int(enough[0]) + 1 if len(enough) else None


def needed(difference: float, steps: np.ndarray) -> int | None:
    """How many documents must be judged at least before the sign of a difference can be certain; None where it is 0.

    Each document could add its step. What can turn the sign are the steps against it; judging a document settles its own
    step, in the best case for the sign, so that the largest steps, in whichever direction, settle it soonest.

    .3, and steps of -.2, -.2, .1, -.1: against it stand .5. One of .2 settled leaves .3, which still makes a tie:

    >>> needed(0.25, np.array([-0.2, -0.2, 0.1, -0.1])), needed(0.3, np.array([-0.2, 0.4])), needed(0.0, np.array([0.1]))
    (2, 0, None)
    """
    if difference == 0:
        return None
    size = np.sort(np.abs(steps))
    against = np.sort(np.abs(steps[steps * np.sign(difference) < 0])).sum()
    settled = np.concatenate([[0.0], size[::-1].cumsum()])
    left = ROUNDING * (abs(difference) + size.sum())
    enough = np.flatnonzero(abs(difference) - against + settled > left)
    return int(enough[0]) if len(enough) else None
