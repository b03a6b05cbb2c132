"""Whether last queries are better than the others: differences within sessions, tested over users, and their reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from sessionkit.arguments import FEWEST_RESAMPLES, DrawnUnits, IntervalKind, PartContrast, names_in
from sessionkit.display.labels import in_natural_order
from sessionkit.display.numbers import capital, counted, ends_text, interval_text, p_text
from sessionkit.display.statements import Kind, Statement, Value
from sessionkit.display.tables import TextTable
from sessionkit.errors import DataError, UsageError, suggestion
from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.direction import MeasureDirection, side_of_zero
from sessionkit.scoring.needs import measure_of
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import By, group_keys, score, score_task
from sessionkit.sessions.breakdown import TWO_PARTS, best_position
from sessionkit.statistics.bands import by_columns, grouped_sessions, require_few_groups
from sessionkit.statistics.distributions import (
    FEWEST,
    Codes,
    Numbers,
    Resampling,
    Units,
    added,
    difference,
    differences,
    t_at,
    t_beyond,
)
from sessionkit.statistics.effects import POWER, detectable
from sessionkit.statistics.findings import NUMBER, SESSIONS, TEXT, WHOLE, Finding, stated, traced
from sessionkit.statistics.paper_tables import PAIRED, by_words, claim_text, left_out_text, pair_table, pair_words
from sessionkit.statistics.verdict import SINGLE_QUERY, Support, verdict_of
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
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

PARTS = {
    "group": "the group of sessions",
    "part": "the part of the sessions",
    "against": "the part that it is compared with",
}
MEANS = {
    **PARTS,
    "value": "mean of the part",
    "value_against": "mean of the other part",
    "estimate": "the first less the second",
    "users": "users in the test; null where sessions are the units",
    "sessions": "sessions in the test",
    "left_out_single_query": "sessions of one query, which have only one part",
    "left_out_undefined": "sessions without a value in one of the parts",
}
INTERVAL = {
    "low": "low end of the interval of the difference",
    "high": "high end of the interval of the difference",
    "confidence": "confidence of the interval",
}
TEST = {"statistic": "t", "df": "its degrees of freedom", "p": "its p-value"}
"""Values of statements, see `sessionkit.Statement`."""


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
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    measure, parts, units, confidence, draws, seed
        As asked; ``units`` is what the tests are over.
    no_verdict
        Comparisons on which no verdict may be given, by the columns that make the groups, ``part`` and ``against``, and
        ``why``: fewer than 6 units, or fewer than half of them, have a value in both parts.
    """

    table: pl.DataFrame
    statements: tuple[Statement, ...]
    measure: str
    parts: tuple[str, ...]
    units: str
    confidence: float
    draws: int
    seed: int
    no_verdict: pl.DataFrame = field(default_factory=NO_VERDICT.to_frame)
    KINDS: ClassVar = {
        **SESSIONS,
        "claim": Kind(
            "What is compared, and what the claim is about",
            {
                "measure": "text of the measure",
                "population": "what the claim is about: users or sessions",
                "reason": "why these are the units",
            },
        ),
        "difference": Kind(
            "The difference of two parts, with its interval and test",
            {
                **MEANS,
                **INTERVAL,
                **TEST,
                "verdict": "what the interval shows: shown or not shown",
                "higher": "the part with the higher values; null where no difference is shown",
                "better": "the better part; null where no difference is shown, and where the measure has no direction",
                "detectable": "the true difference that would be detected with power .8",
            },
        ),
        "no_verdict": Kind(
            "A difference on which there is no verdict, as too few units have a value in both parts",
            {**MEANS, **INTERVAL, **TEST, "n": "units with a value in both parts", "total": "of how many units"},
        ),
        "chosen": Kind(
            "The difference of the best query, which has no test, as it is chosen by its value", {**MEANS, **INTERVAL}
        ),
        "no_interval": Kind("A difference that is the same in all units, so that it has no interval", MEANS),
        "not_tested": Kind(
            "Two parts that are not compared, as too few units have a value in both",
            {**PARTS, "units": "users or sessions", "n": "units with a value in both parts"},
        ),
        "test_dependence": Kind(
            "Another test comes to another verdict",
            {
                **PARTS,
                "test": "the other test",
                "estimate": "its difference",
                **INTERVAL,
                "p": "its p-value",
                "verdict": "what its interval shows: shown or not shown",
            },
        ),
        "not_adjusted": Kind(
            "The p-values are not adjusted for their number", {"tests": "number of comparisons with a p-value"}
        ),
        "caution": Kind("Why a difference by position is not the effect of querying again"),
    }

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
        ``"percentile"`` or ``"bca"``: the kind of bootstrap interval, see `sessionkit.statistics.distributions`.
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
    bases: dict[tuple[str, str, str], Basis] = {}
    for name in in_natural_order(sessions.get_column("group").unique()):
        inside = sessions.filter(group=name)
        for contrast in wanted:
            parts_of = parted(values, contrast, direction)
            pairs = inside.join(parts_of, on="session_id", how="left", maintain_order="left")
            place = dict(zip(("group", "part", "against"), (name, *CONTRASTS[contrast]), strict=True))
            support = support_of(pairs, of)
            bases[name, *CONTRASTS[contrast]] = Basis(support, _n_units(pairs.drop_nulls(PAIRS), of))
            why = support.why_no_verdict
            reasons += [(name, *CONTRASTS[contrast], why)] if why else []
            found = differing(pairs, of, resampling, chosen=contrast == "best", draw=has_draws)
            rows += [place | row for row in found]
    table = pl.DataFrame(rows, schema=TESTS)
    if not table.get_column("estimate").count():
        raise DataError(str(table.item(0, "note")))
    no_verdict = pl.DataFrame(reasons, schema=NO_VERDICT, orient="row")
    statements = statements_of(table, bases, asked, direction=direction, units=of, resampling=resampling)
    table, no_verdict = (by_columns(study, by, frame) for frame in (table, no_verdict))
    statements = stated(statements, study.restriction)
    return BreakdownTests(table, statements, str(asked), wanted, of.name, confidence, draws, seed, no_verdict)


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


CONTRASTS = {**TWO_PARTS, "last-first": ("last", "first")}
"""The two parts of a session that are compared, by what the comparison is called."""
CHOSEN = "the best query is chosen by its value, so the sign of the difference follows by construction: only its size is informative"
PAIRS = ["of_part", "of_other"]


def parted(values: pl.DataFrame, contrast: str, direction: MeasureDirection) -> pl.DataFrame:
    """Mean value of both parts of every session, null where undefined and where it has no other query; its ``queries``."""
    value, position = pl.col("value"), pl.col("query_position")
    if contrast == "best":
        inside = position == best_position(direction)
    else:
        inside = position == (position.min() if contrast == "first" else position.max())
    other = position == position.min() if contrast == "last-first" else ~inside
    several = pl.len() > 1
    return values.group_by("session_id", maintain_order=True).agg(
        of_part=pl.when(several).then(exact.mean(value.filter(inside))),
        of_other=pl.when(several).then(exact.mean(value.filter(other))),
        queries=pl.len(),
    )


def support_of(pairs: pl.DataFrame, of: Units) -> Support:
    """How many of a group's users, or sessions, have a value in both parts."""
    key = "user_id" if of.name == "users" else "session_id"
    complete = pairs.drop_nulls(PAIRS)
    n, total = (rows.get_column(key).drop_nulls().n_unique() for rows in (complete, pairs))
    has = "a session with a value in both parts" if of.name == "users" else "a value in both parts"
    return Support(of.name.removesuffix("s"), n, total, has, paired=True)


class Basis(NamedTuple):
    """What a comparison rests on: what verdicts ask for, and the units of its tests, sessions of unknown users included."""

    support: Support
    units: int


def _n_units(complete: pl.DataFrame, of: Units) -> int:
    """How many units of a test have a value in both parts; a session of an unknown user is a unit."""
    users = complete.get_column("user_id")
    return int(of.codes(users).max()) + 1 if len(users) else 0


def differing(
    pairs: pl.DataFrame, of: Units, resampling: Resampling, *, chosen: bool, draw: bool = True
) -> list[dict[str, object]]:
    """The tests of one comparison in one group."""
    complete = pairs.drop_nulls(PAIRS)
    users = complete.get_column("user_id")
    n_units = _n_units(complete, of)
    known = users.drop_nulls().n_unique()
    single = int((pairs.get_column("queries") == 1).sum())
    row: dict[str, object] = {"sessions": len(complete), "users": known, "left_out_single_query": single}
    row["left_out_undefined"] = len(pairs) - len(complete) - single
    if n_units < FEWEST:
        unit = of.name[:-1]
        have = f"only {counted(n_units, unit)} {'has' if n_units == 1 else 'have'}" if n_units else f"no {unit} has"
        have += f"{' a session with' if of.name == 'users' else ''} a value in both parts; at least {FEWEST} are needed"
        return [row | {"note": f"{have}, and sessions of one query have only one part"}]
    codes = of.codes(users)
    both = complete.select(PAIRS).to_numpy().astype(np.float64)
    found = []
    if of.name == "users":
        sums = added(np.concatenate([both, np.ones((len(both), 1))], axis=1), codes)
        found.append(row | {"test": "user means"} | _paired_t(sums[:, :2] / sums[:, 2:], resampling))
    if draw:
        found.append(row | {"test": f"{of.name} drawn"} | _drawn(both, codes, resampling))
    found.append(row | {"test": "sessions"} | _paired_t(both, resampling))
    if chosen:
        found = [each | {"statistic": None, "df": None, "p": None, "note": CHOSEN} for each in found]
    return found


def _means(both: Numbers) -> dict[str, object]:
    """Means of the parts and of their difference."""
    of_part, of_other = both.mean(axis=0)
    away = float((both[:, 0] - both[:, 1]).mean()) if difference(of_other, of_part) else 0.0
    return {"value": float(of_part), "value_against": float(of_other), "estimate": away}


def _paired_t(both: Numbers, resampling: Resampling) -> dict[str, object]:
    """Paired t over rows."""
    away = differences(both[:, 1], both[:, 0])
    many, mean, spread = len(away), float(away.mean()), float(away.std(ddof=1))
    if not np.ptp(away):
        return _means(both) | {
            "note": f"the difference is the same in all {many}: no variance is left to test it against"
        }
    error = spread / np.sqrt(many)
    half = t_at(0.5 - resampling.confidence / 2, many - 1) * error
    t = mean / error
    tested = {"low": mean - half, "high": mean + half, "statistic": float(t), "df": many - 1, "interval": "t"}
    return _means(both) | tested | {"p": 2 * t_beyond(abs(float(t)), many - 1), "effect": mean / spread}


def _drawn(both: Numbers, codes: Codes, resampling: Resampling) -> dict[str, object]:
    """Mean difference over sessions, units drawn with replacement."""
    away = differences(both[:, 1], both[:, 0])
    sums = added(np.stack([away, np.ones(len(away))], axis=1), codes)
    totals = np.concatenate([weights @ sums for weights in resampling.weights(len(sums))])
    without = sums.sum(axis=0) - sums
    mean = float(away.mean())
    found = resampling.says(totals[:, 0] / totals[:, 1], mean, without[:, 0] / without[:, 1])
    if found is None or np.ptp(away) == 0:
        return _means(both) | {"note": f"{len(sums)} units are too few, or too similar, for a bootstrap interval"}
    return _means(both) | {"low": found.low, "high": found.high, "p": found.p, "interval": str(resampling)}


TOLD = {"users": "user means", "sessions": "sessions"}
"""The test that is told, by what the units are."""
NAMES = {
    "last": "the last query",
    "first": "the first query",
    "non-last": "the earlier ones",
    "later": "the later ones",
    "best": "the best query",
    "rest": "the rest",
}


def statements_of(
    table: pl.DataFrame,
    bases: Mapping[tuple[str, str, str], Basis],
    measure: Measure,
    *,
    direction: MeasureDirection,
    units: Units,
    resampling: Resampling,
) -> Sequence[Statement]:
    """Put the table of `sessionkit.breakdown_tests` into words.

    Parameters
    ----------
    table
        As `sessionkit.sessions.breakdown_tests.BreakdownTests` has it.
    bases
        What each comparison rests on, by group, part and the part that it is compared with.
    measure, direction
        The measure, and which of its values are better.
    units
        What the tests are over, and why.
    resampling
        How units were drawn.
    """
    statements = [_claim(measure, units)]
    several = table.get_column("group").n_unique() > 1
    for (group, part, against), rows in table.group_by(["group", "part", "against"], maintain_order=True):
        names = PartNames(str(group), str(part), str(against), several)
        statements += _of_group(names, rows, bases[names.key], direction=direction, units=units, resampling=resampling)
    tests = table.drop_nulls(["estimate", "p"]).select("group", "part", "against").n_unique()
    if tests > 1:
        text = f"The p-values of these {tests} comparisons are not adjusted for their number."
        statements.append(Statement("not_adjusted", text, {"tests": tests}))
    return [*statements, Statement("caution", CAUTION)]


CAUTION = (
    "Searchers choose when to stop, so later queries come only from those who went on: a difference by position is not the "
    "effect of querying again."
)


def _claim(measure: Measure, units: Units) -> Statement:
    """Say what is compared, and what the claim is about."""
    return Statement(
        "claim",
        f"Differences in {measure} within sessions of two queries or more, averaged per session. {capital(units.reason)}; the claim "
        f"is about {units.name} like these.",
        {"measure": str(measure), "population": units.name, "reason": units.why},
    )


@dataclass(frozen=True)
class PartNames:
    """A comparison of two parts in a group; the group is named where there are several."""

    group: str
    part: str
    against: str
    names_group: bool

    @property
    def key(self) -> tuple[str, str, str]:
        """The group and the parts."""
        return self.group, self.part, self.against

    @property
    def start(self) -> str:
        """The start of a sentence."""
        return f"{self.group}: " if self.names_group else ""

    @property
    def words(self) -> tuple[str, str]:
        """The parts in words."""
        return NAMES.get(self.part, self.part), NAMES.get(self.against, self.against)

    @property
    def values(self) -> dict[str, Value]:
        """The values of a statement."""
        return {"group": self.group, "part": self.part, "against": self.against}


def _of_group(
    names: PartNames,
    rows: pl.DataFrame,
    basis: Basis,
    *,
    direction: MeasureDirection,
    units: Units,
    resampling: Resampling,
) -> list[Statement]:
    """Put one comparison in one group into words."""
    tested = rows.drop_nulls("estimate")
    if tested.is_empty():
        text = f"{names.start}{names.part} against {names.against}: {rows.item(0, 'note')}."
        return [Statement("not_tested", text, {**names.values, "units": units.name, "n": basis.units})]
    row = tested.filter(test=TOLD[units.name]).row(0, named=True)
    part, against = names.words
    over = f"{counted(row['users'], 'user')}, weighted equally, with " if units.name == "users" else ""
    sizes = f"{row['value']:.3f} against {row['value_against']:.3f}, means over {over}{_sessions(row)}"
    text = f"The difference is {row['estimate']:+.3f}"
    values: dict[str, Value] = {name: row[name] for name in MEANS if name not in PARTS}
    values = {**names.values, **values, "users": row["users"] if units.name == "users" else None}
    start = f"{names.start}{capital(part)} and {against}: {sizes}"
    if row["low"] is None:
        return [Statement("no_interval", f"{start}. {text}. No interval: {row['note']}.", values)]
    text += f", {interval_text(row['low'], row['high'], 1 - resampling.confidence, digits=3)}"
    values |= {"low": row["low"], "high": row["high"], "confidence": resampling.confidence}
    if row["part"] == "best":
        text = f"{start}. {text}; no p-value, because the best query is chosen by its value."
        return [Statement("chosen", text, values)]
    text += f", t({row['df']}) = {row['statistic']:.2f}, {p_text(row['p'])}"
    values |= {name: row[name] for name in TEST}
    if basis.support.why_no_verdict:
        left = f" {capital(SINGLE_QUERY)}." if row["left_out_single_query"] else ""
        text = f"{start}. {text}. {basis.support.why_no_verdict}.{left}"
        return [Statement("no_verdict", text, {**values, "n": basis.support.n, "total": basis.support.total})]
    verdict, conclusion = _verdict(row, part, against, direction)
    detectable = _detectable(row, resampling.confidence)
    power = f"A true difference of about {detectable:.3f} would be detected with power {POWER:g}."
    text = f"{names.start}{conclusion}: {sizes}. {text}. {power}"
    first = Statement("difference", text, {**values, **verdict, "detectable": detectable})
    others = tested.filter(pl.col("test") != row["test"])
    return [first, *_other_verdicts(others, row, names, resampling.confidence)]


def _verdict(
    row: Mapping[str, Any], part: str, against: str, direction: MeasureDirection
) -> tuple[dict[str, Value], str]:
    """Return what the interval shows, and its words: better or worse where the measure has a direction, else higher or lower."""
    if verdict_of(row["low"], row["high"]) == "not shown":
        values: dict[str, Value] = {"verdict": "not shown", "higher": None, "better": None}
        return values, f"No difference between {part} and {against} is shown"
    higher = row["part"] if row["low"] > 0 else row["against"]
    verdict = direction.verdict(row["estimate"])
    better = {"better": row["part"], "worse": row["against"], None: None}[verdict]
    words = f"has {side_of_zero(row['low'])} values" if verdict is None else f"is {verdict}"
    return {"verdict": "shown", "higher": higher, "better": better}, f"{capital(part)} {words} than {against}"


def _sessions(row: Mapping[str, Any]) -> str:
    """The sessions that were compared, and those left out."""
    single, undefined = row["left_out_single_query"], row["left_out_undefined"]
    left = [
        *([f"{single:,} of one query"] if single else []),
        *([f"{undefined:,} without a value in both parts"] if undefined else []),
    ]
    left_out = f" ({' and '.join(left)} left out)" if left else ""
    return f"{counted(row['sessions'], 'session')}{left_out}"


def _detectable(row: Mapping[str, Any], confidence: float) -> float:
    """The difference that would have been detected with a power of .8."""
    half = row["high"] - row["estimate"]
    return float(detectable(half, half / t_at(0.5 - confidence / 2, row["df"]), row["df"]))


def _other_verdicts(
    rows: pl.DataFrame, first: Mapping[str, Any], names: PartNames, confidence: float
) -> list[Statement]:
    """What the other tests say, where they say something else."""
    verdict = verdict_of(first["low"], first["high"])
    statements = []
    for row in rows.drop_nulls(["low", "p"]).rows(named=True):
        other_verdict = verdict_of(row["low"], row["high"])
        if other_verdict == verdict:
            continue
        how = (
            "treating sessions as independent"
            if row["test"] == "sessions"
            else f"with {row['test']}, sessions weighted equally"
        )
        text = (
            f"{names.start}The conclusion depends on the test: {how}, the difference is {row['estimate']:.3f} "
            f"({ends_text(row['low'], row['high'], digits=3)}), {p_text(row['p'])}."
        )
        values = {name: row[name] for name in ("test", "estimate", "low", "high", "p")}
        values |= {**names.values, "confidence": confidence, "verdict": other_verdict}
        statements.append(Statement("test_dependence", text, values))
    return statements
