"""Would it change: what other judgments, other discounts, judges' noise or a larger study could make of it."""

from __future__ import annotations

from sessionkit.display.numbers import compact
from sessionkit.display.words import counted
from sessionkit.reports.material import LARGE, Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.sections.discounts import discounts
from sessionkit.reports.sections.judgments import judgments
from sessionkit.reports.sections.section_kind import section
from sessionkit.reports.sections.sensitivity import sensitivity, swept_figure, swept_words, tipping_point


@section("robustness", "Would it change?", details=(judgments, sensitivity, discounts))
def robustness(of: Material) -> list[Part]:
    """What unjudged documents and other discounts could turn, and how large a difference would be seen."""
    if of.valueless is not None:
        return []
    told = [*_judgments(of), *swept_words(of), *_power(of)]
    drawn = tipping_point(of) or swept_figure(of)
    return [*([Words(tuple(told))] if told else []), *([] if drawn is None else [drawn])]


def _judgments(of: Material) -> list[str]:
    """Between which bounds the primary difference lies, whatever the unjudged documents are."""
    if of.large:
        left = f"What unjudged documents could change is not worked out for more than {LARGE:,} sessions"
        return [f"{left}; sessionkit bounds says it."]
    found, bounded = of.comparison, of.incompleteness
    if of.judged is not None and (of.judged[0]["share"] == 1).all():
        return ["Every result shown is judged: no unjudged result could change what was found."]
    if isinstance(bounded, Exception):
        return [of.redaction.note(f"What unjudged documents could change is not known: {bounded}.")]
    if found is None:
        return []
    rows = bounded.differences.filter(measure=str(of.primary)).drop_nulls("lower")
    if rows.is_empty():
        return [f"No bounds of {of.primary} are known."]
    if len(rows) > 1:
        turned = f"{int((~rows['holds']).sum()):,} of {counted(len(rows), 'pair')}"
        return [f"Unjudged documents could reverse the order of raw means by {of.primary} of {turned}."]
    row = rows.row(0, named=True)
    told = (
        f"Whatever the unjudged documents are, the raw difference {row['b']} minus {row['a']} in {of.primary} lies between "
        f"{compact(row['lower'])} and {compact(row['upper'])}{' (safe bounds, which may be wide)' if row['bound'] == 'safe' else ''}: its "
        f"sign {'holds' if row['holds'] else 'could turn'}."
    )
    return [of.redaction.note(told)]


def _power(of: Material) -> list[str]:
    """The difference that a study like this would find."""
    found = of.comparison
    if found is None or len(found.table) != 1 or found.table.item(0, "detectable") is None:
        return []
    size = found.table.item(0, "detectable")
    return [f"A study like this one finds a true difference of {compact(size)} in {of.primary} with power 0.8."]
