"""What a reader of a sweep's numbers should know: sessions left out, scales, bounds, means and tests that disagree."""

from __future__ import annotations

from sessionkit.analysis.sweep.tables import SweepResults
from sessionkit.display.words import counted
from sessionkit.scoring.measures.base import Measure


def notes_of(swept: SweepResults, without: int, column: str) -> list[str]:
    """What a reader of the numbers should know."""
    notes = [f"left out sessions without {column} ({without:,})"] if without else []
    there = [look for look in swept.looks if look is not None and look.means is not None]
    undefined = [int(look.means.undefined.sum()) for look in there if look.means is not None]
    if any(undefined):
        many = f"{min(undefined):,}" + (f" to {max(undefined):,} by setting" if max(undefined) > min(undefined) else "")
        notes.append(f"sessions without a value, which are left out of means: {many}")
    rescaled = [axis.name for axis in swept.grid.axes if axis.name in ("gain", "b", "bq", "discount", "query_discount")]
    if rescaled and not _share(swept.grid.measure):
        notes.append(
            f"{', '.join(rescaled)} change the scale of {swept.grid.measure}: compare settings by relative margins, not by margins"
        )
    unbounded = [one for one in swept.grid.settings if one.measure is not None and _unbounded(one.measure)]
    if unbounded:
        notes.append(f"1 is not an upper bound in {counted(len(unbounded), 'setting')}, such as {unbounded[0].measure}")
    against = sum(look.against for look in there)
    if against:
        notes.append(
            f"in {counted(against, 'setting')} the means of all sessions and the comparison of what is paired point in different "
            "directions; nothing counts as shown there"
        )
    return notes


def _share(measure: Measure) -> bool:
    """Whether values are shares of an ideal."""
    return measure.inner.normalized


def _unbounded(measure: Measure) -> bool:
    """Whether values are shares that can exceed 1."""
    return _share(measure) and measure.inner.highest is None
