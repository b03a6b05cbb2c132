"""Are last queries better than the others, or than the first: differences within sessions, tested over users.

Queries of a session are compared with each other, so that what differs between users, topics and systems drops out. One
difference for every session of two or more queries; sessions of one user are not independent of each other, so users
are the units of the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike

import polars as pl

from sessionkit.analysis.bootstrap import Resampling, Units
from sessionkit.analysis.breakdown.messages import said
from sessionkit.analysis.breakdown.pairs import CONTRASTS, differing, parted, support_of
from sessionkit.analysis.findings import NUMBER, TEXT, WHOLE, Finding, traced
from sessionkit.analysis.groups import by_columns, grouped_sessions, require_few_groups
from sessionkit.analysis.paper_tables import PAIRED, by_words, claim_text, left_out_text, pair_table, pair_words
from sessionkit.analysis.phrases import reading_of
from sessionkit.arguments import names_in
from sessionkit.choices import DrawnUnits, IntervalKind, PartContrast
from sessionkit.display.natural_order import in_natural_order
from sessionkit.display.tables import TextTable
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.scoring.columns import measure_of
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import By, group_keys, score, score_task
from sessionkit.study import Study
from sessionkit.study.inference_options import FEWEST_RESAMPLES
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

TESTS = pl.Schema(
    {"group": TEXT, "part": TEXT, "against": TEXT, "test": TEXT, "sessions": WHOLE, "users": WHOLE}
    | {"left_out_single_query": WHOLE, "left_out_undefined": WHOLE}
    | {"value": NUMBER, "value_against": NUMBER, "estimate": NUMBER, "low": NUMBER, "high": NUMBER}
    | {"statistic": NUMBER, "df": WHOLE, "p": NUMBER, "effect": NUMBER, "interval": TEXT, "note": TEXT}
)

NO_VERDICT = pl.Schema(dict.fromkeys(("group", "part", "against", "why"), TEXT))

HOW = {
    "user means": "User means: paired t over the means of users.",
    "users drawn": "Users drawn: bootstrap of users, sessions weighted equally.",
    "sessions drawn": "Sessions drawn: bootstrap of sessions.",
    "sessions": "Sessions: paired t, as if all were independent.",
}
"""The tests, for a note."""


@dataclass(frozen=True, eq=False, repr=False)
class BreakdownTests(Finding):
    """What `breakdown_tests` found.

    Parameters
    ----------
    table
        The columns that make the groups; ``part`` and ``against``; ``test``; ``sessions`` and ``users`` that are in it;
        ``left_out_single_query`` (sessions of one query) and ``left_out_undefined`` (sessions without a value in one of
        the parts); ``value`` and ``value_against`` (means of the parts, over sessions those of `sessionkit.breakdown`)
        and ``estimate``, their difference, with ``low`` and ``high``; ``statistic``, ``df``, ``p``; ``effect`` (d_z, the mean difference
        over the standard deviation of the differences); ``interval`` and ``note``.
    reading
        What that means, in plain language.
    measure, parts, units, confidence, draws, seed
        As asked; ``units`` is what the tests are over.
    no_verdict
        Comparisons on which no verdict may be given, by the columns that make the groups, ``part`` and ``against``, and
        ``why``: fewer than 6 units, or fewer than half of them, have a value in both parts.
    """

    table: pl.DataFrame
    reading: str
    measure: str
    parts: tuple[str, ...]
    units: str
    confidence: float
    draws: int
    seed: int
    no_verdict: pl.DataFrame = field(default_factory=NO_VERDICT.to_frame)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The table by name."""
        return {"tests": self.table}

    def paper_table(self) -> TextTable:
        """The differences as papers print them, a row per group, parts and test."""
        keys = self.table.columns[: self.table.columns.index("part")]
        over_users = pl.col("test").is_in(["user means", "users drawn"])
        n = pl.when(over_users).then("users").otherwise("sessions")
        reasons = self.table.join(
            self.no_verdict, on=[*keys, "part", "against"], how="left", nulls_equal=True, maintain_order="left"
        )
        table = reasons.select(
            *keys,
            "test",
            measure=pl.lit(self.measure),
            a="against",
            b="part",
            estimate="estimate",
            low="low",
            high="high",
            p_adjusted="p",
            n_a=n,
            n_b=n,
            why="why",
        )
        tested = self.table.drop_nulls("p").select(*keys, "part", "against").n_unique()
        corrected = "; p not corrected" if tested > 1 else ""
        pairs = table.select("a", "b").n_unique()
        caption = (
            f"{self.measure}, {pair_words(table)} queries of a session{by_words(keys)}"
            if pairs == 1
            else f"{pair_words(table)} of parts of a session{by_words(keys)}"
        )
        told = [HOW[name] for name in HOW if name in self.table["test"].to_list()]
        missing = self.table.filter(pl.col("estimate").is_null()).drop_nulls("note")["note"].unique(maintain_order=True)
        told += [f"{note[:1].upper()}{note[1:]}." for note in missing]
        told += [f"{why}." for why in self.no_verdict["why"].unique(maintain_order=True)]
        left_out = left_out_text(self.table, keys)
        told += [left_out] if left_out else []
        note = " ".join([*told, claim_text(f"{self.units} like these")])
        return pair_table(
            table, f"{caption}{corrected}, n users or sessions", note, self.confidence, [*keys, "test"], means=False
        )


@traced
@guarded_read
def breakdown_tests(
    study: Study,
    measure: str | Measure,
    parts: str | Sequence[PartContrast] = "last",
    *,
    by: By = "system_id",
    where: Where = None,
    units: DrawnUnits = "auto",
    interval: IntervalKind = "percentile",
    confidence: float = 0.95,
    draws: int = 5000,
    seed: int = 0,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> BreakdownTests:
    """Test whether parts of sessions differ: the companion of `sessionkit.breakdown`.

    Parameters
    ----------
    study
        The study.
    measure
        A measure with a value per query, such as ``"nDCG@10"``; of a session measure the part that each query adds.
    parts
        ``"last"``: last and non-last queries; ``"first"``: first and later; ``"best"``: each session's best query (the
        earliest of equals) and the rest; ``"last-first"``: the last and the first. Several as a list or joined by commas. Which
        query is best, and whether a difference is one for the better, goes by the measure's direction.
    by
        Columns of sessions or users, several as a list or joined by commas; every group is tested by itself. None,
        or ``"all"``, all together.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
        Sessions of one query are never in a test.
    units
        ``"users"``, ``"sessions"``, or ``"auto"``: users where any has several sessions.
    interval
        ``"percentile"`` or ``"bca"``: the kind of bootstrap interval, see `sessionkit.analysis.bootstrap`.
    confidence
        Confidence of intervals, as a share.
    draws, seed
        Number of draws, and their seed; 0 leaves out the tests by drawing, which takes long with very many users.
    memory, cache
        As `sessionkit.score` has them.

    Returns
    -------
    BreakdownTests
        For every group and comparison up to three tests, each of a difference within sessions (for a part of several
        queries, their mean). ``user means``: paired t over users, the differences of a user's sessions averaged first,
        users weighted equally. ``users drawn``: users drawn with replacement, sessions weighted equally.
        ``sessions``: paired t over sessions, as if they were independent, which publications print. Where sessions are
        the units, the last and ``sessions drawn``.

    Raises
    ------
    UsageError
        If an option or column does not exist, or the measure has no value per query.
    DataError
        If no group has enough sessions with several queries.

    Examples
    --------
    Five sessions of two queries; the second finds the document, but once:

    >>> import sessionkit as sk
    >>> results = {"session_id": list("aabbccddee"), "query_position": [1, 2] * 5, "rank": [1] * 10, "doc_id": list("xyxyxyxyyx")}
    >>> study = sk.from_tables(
    ...     results=results | {"topic_id": ["t"] * 10}, judgments={"judgment_key": ["t"], "doc_id": ["y"], "grade": [1]}
    ... )
    >>> tests = breakdown_tests(study, "P@1").table  # differences 1, 1, 1, 1, -1: mean .6, sd .894, t = .6 / (.894 / sqrt(5))
    >>> tests.filter(test="sessions").select("estimate", pl.col("statistic").round(4), "df").row(0)
    (0.6, 1.5, 4)
    """
    study = restricted(study, where)
    asked, wanted = measure_of(study, measure), _contrasts(parts)
    direction = MeasureDirection.of(asked, study.settings.better)
    if "best" in wanted:
        direction.require(asked, "parts=best")
    has_draws = draws != 0 or isinstance(draws, bool)
    resampling = Resampling(draws if has_draws else FEWEST_RESAMPLES, seed, interval, confidence)
    group_keys(study, by, {*TESTS, *PAIRED} - {"group"})
    sessions = grouped_sessions(study, by)
    require_few_groups(by, sessions.get_column("group").n_unique())
    users = study.sessions.select("session_id", "user_id").collect()
    sessions = sessions.join(users, on="session_id", maintain_order="left")
    values = score(study, [asked], per="query", memory=memory, cache=cache)
    values = values.select("session_id", "query_position", "value").sort("session_id", "query_position")
    of = Units.of(sessions.get_column("user_id"), units)
    rows: list[dict[str, object]] = []
    reasons: list[tuple[str, str, str, str]] = []
    for name in in_natural_order(sessions.get_column("group").unique()):
        inside = sessions.filter(group=name)
        for contrast in wanted:
            parts_of = parted(values, contrast, direction)
            pairs = inside.join(parts_of, on="session_id", how="left", maintain_order="left")
            place = dict(zip(("group", "part", "against"), (name, *CONTRASTS[contrast]), strict=True))
            why = support_of(pairs, of).why_no_verdict
            reasons += [(name, *CONTRASTS[contrast], why)] if why else []
            found = differing(pairs, of, resampling, chosen=contrast == "best", draw=has_draws)
            rows += [place | row for row in found]
    table = pl.DataFrame(rows, schema=TESTS)
    if not table.get_column("estimate").count():
        raise DataError(str(table.item(0, "note")))
    no_verdict = pl.DataFrame(reasons, schema=NO_VERDICT, orient="row")
    reading = reading_of(
        said(table, no_verdict, asked, direction=direction, units=of, resampling=resampling), study.restriction
    )
    table, no_verdict = (by_columns(study, by, frame) for frame in (table, no_verdict))
    return BreakdownTests(table, reading, str(asked), wanted, of.name, confidence, draws, seed, no_verdict)


def breakdown_tests_task(study: Study, measure: str | Measure, *, by: By = "system_id") -> Reduction:  # noqa: ARG001
    """What `breakdown_tests` asks of a study, whatever its groups; the parameters and errors are the same."""
    return score_task(study, measure, per="query")


def _contrasts(parts: str | Sequence[str]) -> tuple[str, ...]:
    """Check which comparisons are asked for."""
    each = names_in("parts", parts)
    for name in each or [""]:
        if name == "position":
            msg = "parts=position has no test, because it does not make two parts; compare parts=last-first, or parts=last, first or best"
            raise UsageError(msg)
        if name not in CONTRASTS:
            msg = f"parts must be of {', '.join(CONTRASTS)}, not {name!r}{suggestion(str(name), CONTRASTS)}"
            raise UsageError(msg)
    return tuple(dict.fromkeys(each))
