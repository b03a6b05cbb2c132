"""Live discounts: what would the means and curves be with other discounts, another gain?"""

from __future__ import annotations

import polars as pl

from sessionkit.reports.live.counts import LiveCounts, counts_of, sessions_of
from sessionkit.reports.live.measures import Varied
from sessionkit.reports.live.widget import widget
from sessionkit.reports.material import Material
from sessionkit.reports.parts import Part, Words
from sessionkit.reports.questions import StudyQuestion, ask
from sessionkit.reports.sample import only
from sessionkit.reports.sections.section_kind import section

SESSIONS = 1_000
"""Sessions that the page holds for the mean of nsDCG, at most."""
RESULTS = 60_000
"""Results that can gain that it holds of them, at most, and places of groups."""


def counts_by_gain(of: Material) -> StudyQuestion[LiveCounts]:
    """How many results of each group gain the same."""
    return ask(counts_of, of.study, Varied.of(of.choices), of.choices.by)


@section("discounts", "Live discounts", of_all=[counts_by_gain])
def discounts(of: Material) -> list[Part]:
    """Sliders for b and bq and a choice of gain, with the means and curves that follow."""
    varied, by, everyone = Varied.of(of.choices), of.choices.by, of.study.facts.sessions
    if of.unjudged is not None:
        return []
    counts = counts_by_gain(of).answer()
    if everyone and not counts.groups["n"].sum():
        return [Words((f"{varied.total} has no value in any session.",))]
    if len(counts.cells) > RESULTS or not everyone:
        why = "The lists are too long and varied for this page to hold what it would have to count."
        return [Words((why,))]
    ids = of.drawn(SESSIONS).with_row_index("nth")
    size = pl.col("rank").le(varied.total.cutoff).sum().cast(pl.Int64)
    sizes = only(of.shown, ids).results.group_by("session_id").agg(size).collect()
    reach = ids.join(sizes, on="session_id", how="left").sort("nth").with_columns(pl.col("rank").fill_null(0).cum_sum())
    held = reach.filter(pl.col("rank") <= RESULTS).select("session_id")
    sessions = sessions_of(only(of.shown, held), varied, by)
    told = [
        f"Move b and bq, or choose another gain, and the page works out {varied.total} and {varied.share} anew: a small b "
        "is a searcher who soon stops reading a list, a small bq one who seldom asks again. Ideals change with them.",
        *([varied.told] if varied.told else []),
    ]
    if len(held) < everyone:
        told.append(
            f"Means of {varied.total.name} and the curves are of all {everyone:,} sessions; means and curves of {varied.share.name} "
            f"here are of {len(held):,}, drawn at random with a fixed seed, so that the page stays small."
        )
    look = of.colored
    made = widget(varied, counts, sessions, look.colors, legend=look.legend, synthetic=look.synthetic)
    return [Words(tuple(told)), made]
