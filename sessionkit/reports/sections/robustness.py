"""Would it change: what other judgments, other discounts, judges' noise or a larger study could make of it."""

from __future__ import annotations

from sessionkit.analysis.groups import with_groups
from sessionkit.analysis.incomplete.finding import Incompleteness
from sessionkit.display.natural_order import natural_sort
from sessionkit.display.numbers import compact
from sessionkit.display.words import counted, listed
from sessionkit.reports.material import LARGE, Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.phrases import NAMED
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
        return [f"What unjudged documents could change is not computed for more than {LARGE:,} sessions."]
    found, bounded = of.comparison, of.incompleteness
    if of.judged is not None and (of.judged[0]["share"] == 1).all():
        return ["Every result shown is judged: no unjudged result could change what was found."]
    if isinstance(bounded, Exception):
        return [of.redaction.note(f"What unjudged documents could change is not known: {bounded}.")]
    if found is None:
        return _bounds_of_means(of, bounded)
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


def _bounds_of_means(of: Material, bounded: Incompleteness) -> list[str]:
    """How much is judged, and between which bounds the primary mean of each group lies, where no groups are compared."""
    judged = f"{of.judged[1].split(chr(10))[0]} " if of.judged is not None else ""
    rows = with_groups(bounded.bounds, [of.by]).filter(measure=str(of.primary)).drop_nulls("lower")
    if rows.is_empty():
        return [of.redaction.note(f"{judged}No bounds of {of.primary} are known.")]
    ends = [
        (named, f"{compact(low)} and {compact(high)}")
        for named, low, high in natural_sort(rows, "group").select("group", "lower", "upper").rows()
    ]
    safe = " (safe bounds, which may be wide)" if rows.item(0, "bound") == "safe" else ""
    if len(ends) == 1:
        told = f"the mean of {of.primary} lies between {ends[0][1]}{safe}."
    elif len(ends) <= NAMED:
        told = f"the mean of {of.primary} lies between {listed([f'{between} with {of.named(named)}' for named, between in ends])}{safe}."
    else:
        widest = compact(float((rows["upper"] - rows["lower"]).max()))  # type: ignore[arg-type]
        told = f"no group's mean of {of.primary} can move by more than {widest}{safe}."
    return [of.redaction.note(f"{judged}Whatever the unjudged documents are, {told}")]


def _power(of: Material) -> list[str]:
    """The difference that a study like this would find."""
    found = of.comparison
    if found is None or len(found.table) != 1 or found.table.item(0, "detectable") is None:
        return []
    size = found.table.item(0, "detectable")
    return [f"A study like this one finds a true difference of {compact(size)} in {of.primary} with power 0.8."]
