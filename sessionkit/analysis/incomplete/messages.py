"""The finding about unjudged results in plain language."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from sessionkit.analysis.incomplete.pool import Pool
from sessionkit.display.numbers import share_text
from sessionkit.display.words import counted

ALL = "Every document that was shown is judged: no further judgment of them can change a score."
NAMED = 3
"""Documents named in a sentence."""
MOST_TOLD = 12
"""Groups, and pairs of them, that are read out one by one under each measure; the others are in the tables."""


def lines(
    judged: pl.DataFrame,
    bounds: pl.DataFrame,
    differences: pl.DataFrame,
    wanted: pl.DataFrame,
    *,
    pool: Pool,
    top: float | None,
    depth: int | None,
    by: str | None,
) -> list[str]:
    """The sentences, one or more per line."""
    found = [*shares_told(judged, depth)]
    if pool.whole:
        found.append(ALL)
        return [*found, *_without(bounds)]
    found.append(_scope(pool, top))
    found += _scores(bounds)
    found += _differences(differences, wanted, _sizes(bounds))
    if not differences.is_empty():
        found.append("These results hold for these sessions; to generalize a difference, use: sessionkit compare.")
    if differences.is_empty() and bounds["group"].n_unique() > 1:
        found.append(f"{by} has {bounds['group'].n_unique()} values: differences are computed for 2 to 20.")
    return [*found, *_without(bounds)]


def shares_told(judged: pl.DataFrame, depth: int | None) -> Iterator[str]:
    """How much is judged, in all, where it is least, and for whom."""
    every = judged.filter(pl.col("query_position").is_null(), pl.col("rank").is_null())
    shown, known = int(every["results"].sum()), int(every["judged"].sum())
    within = "" if depth is None else f" within rank {depth}"
    if not shown:
        yield f"No result was shown{within}."
        return
    of_groups = "; ".join(f"{row['group']} {_percent(row['share'])}" for row in every.head(6).iter_rows(named=True))
    more = f" ({of_groups}{', ...' if len(every) > 6 else ''})" if len(every) > 1 else ""
    yield f"{known:,} of {shown:,} results shown{within} are judged, {_percent(known / shown)}{more}."
    if known == shown:
        return
    for name, what in (("rank", "rank"), ("query_position", "query position")):
        other = "query_position" if name == "rank" else "rank"
        each = judged.filter(pl.col(name).is_not_null(), pl.col(other).is_null()).group_by(name)
        sums = each.agg(pl.col("results", "judged").sum()).filter(pl.col("results") > 0)
        least = sums.with_columns(share=pl.col("judged") / pl.col("results")).sort("share", name).row(0, named=True)
        yield f"The lowest judged share is at {what} {least[name]}: {_percent(least['share'])} of {least['results']:,} results."


def _scope(pool: Pool, top: float | None) -> str:
    """What may turn out how."""
    grades = "any grade" if top is None else f"any grade from 0 to {top:g}"
    keys = counted(int((pool.unjudged > 0).sum()), "judgment key")
    return (
        f"Each of {counted(int(pool.unjudged.sum()), 'unjudged document')} (of {keys}) may have "
        f"{grades}, the same wherever it was shown, or stay unjudged; documents that no session shows are taken as not relevant."
    )


def _scores(bounds: pl.DataFrame) -> Iterator[str]:
    """Score and bounds of each group under each measure."""
    groups = bounds["group"].unique(maintain_order=True)
    told = bounds.filter(
        pl.col("lower").is_not_null(), pl.col("group").is_in(groups.head(MOST_TOLD).implode(), nulls_equal=True)
    )
    for row in told.iter_rows(named=True):
        score = "has no score" if row["value"] is None else f"scores {_number(row['value'])}"
        gap = "" if row["bound"] == "attained" else " (safe bounds, which may not be reached)"
        more = f" {counted(row['open'], 'session')} without a score could get one." if row["open"] else ""
        yield (
            f"{row['measure']}, {row['group']}: {score} over {counted(row['n'], 'session')}; whatever the unjudged documents are, it lies "
            f"between {_number(row['lower'])} and {_number(row['upper'])}{gap}.{more}"
        )
    if len(groups) > MOST_TOLD:
        yield f"The other {len(groups) - MOST_TOLD:,} of {len(groups):,} groups are in the table bounds."


def _sizes(bounds: pl.DataFrame) -> dict[tuple[str, str], int]:
    """Sessions with a score, by measure and group."""
    return {(measure, group): n for measure, group, n in bounds.select("measure", "group", "n").iter_rows()}


def _differences(differences: pl.DataFrame, wanted: pl.DataFrame, sizes: dict[tuple[str, str], int]) -> Iterator[str]:
    """Whether each difference can turn, and what would tell."""
    bounded = differences.filter(pl.col("lower").is_not_null())
    many = bounded.group_by("measure", maintain_order=True).agg(pl.len(), pl.col("holds").sum())
    for measure, pairs, hold in many.filter(pl.col("len") > MOST_TOLD).iter_rows():
        yield (
            f"{measure}: {hold:,} of {pairs:,} differences between groups keep their sign whatever the unjudged documents are; unjudged "
            f"documents could reverse {pairs - hold:,} (bounds may be wide where the table differences says safe)."
        )
    few = many.filter(pl.col("len") <= MOST_TOLD)["measure"]
    for row in bounded.filter(pl.col("measure").is_in(few.implode())).iter_rows(named=True):
        a, b, value = row["a"], row["b"], row["difference"]
        if value == 0:
            said = f"{row['measure']}: {a} and {b} have the same mean"
        else:
            high, low = (b, a) if value > 0 else (a, b)
            of_each = " and ".join(f"{sizes[row['measure'], group]:,}" for group in (high, low))
            said = f"{row['measure']}: the mean of {high} is higher than that of {low} by {_number(abs(value))}, over {of_each} sessions"
        interval = f"{b} minus {a} lies between {_number(row['lower'])} and {_number(row['upper'])}"
        if row["holds"]:
            yield f"{said}. This conclusion holds whatever the unjudged documents are: {interval}."
            continue
        few = row["overturned_by"]
        fewest = f" The fewest that reverse it, all of the best grade: {counted(few, 'document')}." if few else ""
        least = fewest + (
            f" At least {counted(row['needed'], 'document')} must be judged to make it certain."
            if row["needed"]
            else ""
        )
        safe = "" if row["bound"] == "attained" else "by these bounds, which are safe but may be wide, "
        yield f"{said}; {safe}unjudged documents could reverse this: {interval}.{least}{_most(wanted, row)}"


def _most(wanted: pl.DataFrame, row: dict[str, str]) -> str:
    """The documents whose judgments would tell most."""
    here = wanted.filter(pl.col("measure") == row["measure"], pl.col("a") == row["a"], pl.col("b") == row["b"])
    if here.is_empty():
        return ""
    named = ", ".join(
        f"{found['judgment_key']}/{found['doc_id']} ({found['move']:+.4g})"
        for found in here.head(NAMED).iter_rows(named=True)
    )
    return f" The single documents that would change it most: {named}; more are in the table wanted."


def _without(bounds: pl.DataFrame) -> Iterator[str]:
    """Why measures have no bounds."""
    without = bounds.filter(pl.col("note").is_not_null()).unique("measure", maintain_order=True)
    for measure, reason in without.select("measure", "note").iter_rows():
        yield f"{measure} has no bounds: {reason}."


def _percent(share: float | None) -> str:
    """A judged share, where anything was shown."""
    return "none shown" if share is None else share_text(share, decimals=0 if share in (0, 1) else 1)


def _number(value: float) -> str:
    """A number with four digits."""
    return f"{value:.4g}"
