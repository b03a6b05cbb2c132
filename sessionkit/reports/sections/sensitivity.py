"""Sensitivity: does the conclusion depend on the discounts that the measure was given?"""

from __future__ import annotations

from sessionkit.analysis.groups import EVERYONE
from sessionkit.charts import sweep_map
from sessionkit.display.tables import table_of
from sessionkit.display.words import counted
from sessionkit.reports.figures.figure import Figure, without_condition
from sessionkit.reports.figures.robustness import SWEPT
from sessionkit.reports.material import LARGE, Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.sections.section_kind import section
from sessionkit.scoring.measures.words import value_text

NEAREST = {
    "conclusion": "Conclusion",
    "changes": "Parameters changed",
    "distance": "Distance",
    "at": "Setting",
    "leader": "Leader there",
    "raw_difference": "Difference",
    "p_adjusted": "p",
    "still_at": "Still holds at",
}


@section("sensitivity", "Other discounts")
def sensitivity(of: Material) -> list[Part]:
    """The map of where the conclusion holds, the reading of the sweep, the nearest setting that overturns it."""
    if of.unjudged is not None or of.study.facts.sessions == 1:
        return []
    found = of.swept
    if isinstance(found, str):
        if set(of.choices.colors) == {EVERYONE}:
            found = "the log names no system, so there is no conclusion that could depend on the discounts"
        return [Words((f"Not swept: {of.redaction.note(found)}.",))]
    if found.table["outcome"].is_in(["undefined", "refused"]).all():
        return [of.told(found.reading)]  # no group leads anywhere
    drawn = swept_figure(of)
    parts: list[Part] = [*([] if drawn is None else [drawn]), of.told(found.reading)]
    if len(found.nearest):
        nearest = found.nearest.select(*NEAREST)
        parts.append(table_of("Nearest settings that overturn a conclusion", nearest, headers=NEAREST, decimals=4))
    return parts


def swept_figure(of: Material) -> Figure | None:
    """The map of where the conclusion holds; None where nothing was swept."""
    found = of.swept
    if isinstance(found, str) or found.table["outcome"].is_in(["undefined", "refused"]).all():
        return None
    colors = of.colored.colors if found.by == of.choices.by else None
    chart = sweep_map(without_condition(found), colors=colors, synthetic=of.choices.synthetic, title=SWEPT)
    none = f"; none is tested, with more than {LARGE:,} sessions" if of.large else " and tested alone"
    caption = (
        f"The bases of both discounts of {found.measure} are varied, all else as it is; every setting is scored{none}."
    )
    return Figure("sweep-map", SWEPT, chart, caption)


def swept_words(of: Material) -> list[str]:
    """Whether what was found depends on the discounts, in a sentence for each conclusion."""
    found = of.swept
    if isinstance(found, str):
        if of.comparison is not None or of.study.facts.sessions == 1:
            return []
        why = "the log names no system" if set(of.choices.colors) == {EVERYONE} else "the groups are not compared"
        return [f"Other discounts were not tried, since {why}."]
    means = found.means.drop_nulls("value")["value"]
    if len(found.groups) == 1 and len(means):
        low, high = (value_text(found.measure, float(end)) for end in (means.min(), means.max()))  # type: ignore[arg-type]
        return [
            f"Under other discounts (b and bq of {found.measure}) the mean runs from {low} to {high} in {counted(len(means), 'setting')}."
        ]
    told = [line for line in found.reading.split("\n") if " holds in " in line]
    if not told:
        return []
    first, *others = [line.replace("; no setting of this grid changes it.", ".") for line in told]
    said = " ".join([first[:1].lower() + first[1:], *others])
    differs = "" if found.measure == str(of.primary) else f"{of.primary} does not have both discounts. "
    return [of.redaction.note(f"{differs}Under other discounts (b and bq of {found.measure}): {said}")]
