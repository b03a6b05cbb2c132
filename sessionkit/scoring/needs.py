"""What measures need of a log: the columns they read, and cautions where lists, judgments or ideals do not support a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from sessionkit.display.labels import first_systems, name_missing
from sessionkit.display.numbers import counted as counted_words
from sessionkit.display.numbers import share_text
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError, warn
from sessionkit.scoring.filter import SEEN
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.measures.custom import column
from sessionkit.scoring.measures.grammar import SAME, example_of, parse_measure
from sessionkit.scoring.measures.registry import MEASURES
from sessionkit.study import Study
from sessionkit.study.counts import (
    MANY,
    MissingLists,
    cut_short,
    logged_lists,
    session_columns,
    shares_by_group,
    untold,
    warning_of_groups,
)


def measure_of(study: Study, measure: str | Measure) -> Measure:
    """Read a measure from its text, for a study; a measure is returned as it is.

    Raises
    ------
    MeasureError
        The text cannot be read, or is the bare name of a measure and of a column of the study too.

    >>> import sessionkit as sk
    >>> lists = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]}
    >>> study = sk.from_tables(lists, sessions={"session_id": ["s"], "Clicks": [4]})
    >>> measure_of(study, "column(Clicks)"), measure_of(study, "Clicks()")
    (column(Clicks), Clicks)
    >>> measure_of(study, "Clicks")
    Traceback (most recent call last):
    ...
    sessionkit.errors.MeasureError: 'Clicks' is a measure and a column of this study: write Clicks() or column(Clicks)
    """
    if isinstance(measure, str) and is_ambiguous(study, name := measure.strip()):
        meant = MEASURES[SAME.get(name, name)]
        spelled = str(example_of(meant)) if meant.required else f"{meant.name}()"
        raise MeasureError(f"{name!r} is a measure and a column of this study: write {spelled} or {column(name)}")
    return parse_measure(measure)


def is_ambiguous(study: Study, name: str) -> bool:
    """Whether a name is that of a measure, and of a column of the study's sessions or users."""
    # the registry last: it may look for measures of installed packages
    return isinstance(study, Study) and name in session_columns(study) and SAME.get(name, name) in MEASURES


def columns_read(study: Study, measures: Iterable[Measure]) -> dict[str, list[str]]:
    """What measures read of each table of a study beside what every batch is made of.

    Raises
    ------
    DataError
        If a measure needs a column that is not there.
    UsageError
        If there is no column of the name that a measure is of.
    MeasureError
        If a measure lacks a parameter that it cannot do without.
    """
    have = {name: study.columns(name) for name in ("sessions", "queries", "results", "judgments", "users")}
    read: dict[str, None] = {}
    own: dict[str, dict[str, None]] = {name: {} for name in ("sessions", "queries", "users")}
    for measure in measures:
        measure.require_parameters()
        for table, columns in measure.needs().items():
            missing = [name for name in columns if name not in have.get(table, ())]
            if missing:
                msg = f"{measure} needs the column {missing[0]!r} in the {table}; they have {', '.join(have.get(table, ()))}"
                raise DataError(msg)
        for name in measure.of_sessions:
            own[_table_of_column(study, measure, name)][name] = None
        one_of = measure.one_of()
        if one_of and not any(name in have.get(table, ()) for table, names in one_of.items() for name in names):
            msg = f"{measure} needs {_wanted(one_of)}"
            raise DataError(msg)
        for table, columns in (*measure.needs().items(), *measure.may_read.items()):
            there = [name for name in columns if name in have.get(table, ())]
            (read if table == "results" else own.setdefault(table, {})).update(dict.fromkeys(there))
        selection = measure.selection
        wants = {f"depth={selection.depth}": SEEN[selection.depth]}
        if selection.grades == "user":
            wants["grades=user"] = "user_grade"
        for wanted_by, flag in wants.items():
            if flag is not None and flag not in have["results"]:
                msg = f"{wanted_by} needs the column {flag!r} in the results; they have {', '.join(have['results'])}"
                raise DataError(msg)
            if flag is not None:
                read[flag] = None
        if selection.grades == "user" or (selection.duplicates == "first" and "judgment_key" in have["queries"]):
            read["doc_id"] = None
    return {**{table: [*columns] for table, columns in own.items()}, "results": [*read]}


def _table_of_column(study: Study, measure: Measure, column: str) -> str:
    """The table, sessions or users, that has the column that a measure is of."""
    names = session_columns(study)
    if column not in names:
        near = untold(column, names)
        msg = f"{measure}: there is no column {column!r} in sessions or users{near}; columns: {', '.join(names)}"
        raise UsageError(msg)
    is_of_users = column in study.columns("users") and column not in study.columns("sessions")
    return "users" if is_of_users else "sessions"


def columns_beside(measures: Iterable[Measure]) -> dict[str, tuple[str, ...]]:
    """Columns of the log that some measures read, by table."""
    columns: dict[str, dict[str, None]] = {}
    for measure in measures:
        for table, names in (*measure.needs().items(), *measure.may_read.items()):
            columns.setdefault(table, {}).update(dict.fromkeys(names))
    return {table: (*names,) for table, names in columns.items()}


def _wanted(one_of: Mapping[str, Sequence[str]]) -> str:
    """Return the columns, by table, of which a measure needs one, and that the log has none of them."""
    names = {name for several in one_of.values() for name in several}
    if len(names) == 1:
        return f"the column {names.pop()}, in the {' or the '.join(one_of)}; the log has it in none of them"
    wanted = "; ".join(f"{', '.join(several)} in the {table}" for table, several in one_of.items())
    return f"one of the columns {wanted}; the log has none of them"


NAMED = 5
"""Units without a value that a group's part names."""
UNNAMED = "__unnamed"
"""Column of groups: the first of their sessions without a value; no column of a log is called so."""


@dataclass
class Undefined:
    """The sessions (or queries) without a value, counted by measure over as many tables of scores as there are.

    And whether any result that measures of lists score is judged.
    """

    missing: dict[str, int] = field(default_factory=dict)
    """By measure: how many have no value."""
    totals: dict[str, int] = field(default_factory=dict)
    """By measure: how many there are."""
    names: dict[str, list[str]] = field(default_factory=dict)
    """By measure: the first of them."""
    reasons: dict[str, str] = field(default_factory=dict)
    """By measure: why that can be."""
    every_query: set[str] = field(default_factory=set)
    """The measures that count queries whose list was not logged too."""
    sessions: bool = True
    """Whether sessions are counted, not queries."""
    most_judged: float | None = None
    """The highest judged share beside a value of a measure of lists; None where there is none."""

    def see(self, measures: Sequence[Measure], level: str, scores: pl.DataFrame) -> None:
        """Count the ones in a table of scores, of groups (level ``group``) or of single units (``session``, ``query``)."""
        if level == "group":
            without = scores.filter(pl.col("undefined") > 0)
            named = pl.col(UNNAMED).explode(empty_as_null=False).sort().head(NAMED)
            counted = without.group_by("measure", maintain_order=True).agg(
                missing=pl.col("undefined").sum(), named=named
            )
        else:
            without = scores.filter(pl.col("value").is_null())
            unit = pl.col("session_id")
            if level == "query":
                unit = pl.format("{} query {}", "session_id", "query_position")
            counted = without.group_by("measure", maintain_order=True).agg(missing=pl.len(), named=unit.head(NAMED))
        for measure, missing, names in counted.select("measure", "missing", "named").iter_rows():
            self.missing[measure] = self.missing.get(measure, 0) + missing
            self.names[measure] = [*self.names.get(measure, []), *names][:NAMED]
        self.sessions = level != "query"
        of_lists = [str(measure) for measure in measures if measure.inner.of_lists]
        scored = pl.col("measure").is_in(of_lists) & pl.col("value").is_not_null()
        share = scores.lazy().select(pl.col("judged").filter(scored).max()).collect().item()
        seen = [one for one in (self.most_judged, share) if one is not None]
        self.most_judged = max(seen, default=None)
        units = (pl.col("n") + pl.col("undefined")).sum() if level == "group" else pl.len()
        for measure in measures:
            name = str(measure)
            if level == "session":
                many = len(scores) // len(measures)
            else:
                many = int(scores.filter(pl.col("measure") == name).select(units).item())
            self.reasons[name] = measure.why_undefined
            if measure.inner.every_query:
                self.every_query.add(name)
            self.totals[name] = self.totals.get(name, 0) + many

    def tell(self, study: Study) -> None:
        """Warn once, naming measures and units, and the reasons: that of sessions of which no list was logged, and others.

        Warn too where judgments are there, but none of what was shown.
        """
        if self.most_judged == 0 and study.facts.judgments:
            said = "no result that is scored is judged, so no score says anything; check the keys and document ids of the judgments"
            warn(said)
        alike: dict[tuple[str, str], list[str]] = {}
        for measure in [measure for measure in self.totals if measure in self.missing]:
            missing = self.missing[measure]
            names = ", ".join(self.names[measure])
            more = missing - len(self.names[measure])
            listed = f"{names} and {more} more" if more else names
            alike.setdefault((f"undefined for {missing} of {self.totals[measure]}", listed), []).append(measure)
        if alike:
            counted = [f"{', '.join(measures)} {many}" for (many, _), measures in alike.items()]
            named = [f"{many}: {listed}" for many, (_, listed) in zip(counted, alike, strict=True)]
            needs_list = {*self.missing} - self.every_query
            unlogged = _without_list(study) if self.sessions and needs_list else 0
            others = [
                self.reasons[measure]
                for measure in self.totals
                if self.missing.get(measure, 0) > (unlogged if measure in needs_list else 0)
            ]
            # one that another goes on from is said by it
            why = "; or ".join(
                one for one in dict.fromkeys(others) if not any(other.startswith(f"{one},") for other in others)
            )
            if unlogged:
                why = "; ".join(
                    [f"no list of {counted_words(unlogged, 'session')} was logged", *([why] if why else [])]
                )
            told, nameless = (f"{'; '.join(clauses)}; {why}; left out of means" for clauses in (named, counted))
            warn(DataWarning(told, nameless))


def _without_list(study: Study) -> int:
    """How many sessions have no list that was logged."""
    return logged_lists(study, []).filter(pl.col(MANY) == 0).height


def tell_of_bound(measure: Measure) -> None:
    """Warn where 1 is not an upper bound of a normalized measure."""
    if isinstance(measure, GainMeasure) and measure.normalized and measure.highest is None:
        text = f"{measure}: 1 is not an upper bound of this measure; see: sessionkit measures {measure.name}"
        warn(text)


def tell_of_cutoff(measure: Measure) -> None:
    """Warn where each query of a session is divided by an ideal list of every relevant document, as no cutoff ends it."""
    gained = measure.gain_measure
    if gained is None or gained.session_ideal is None or not gained.repeats_ideal or gained.cutoff is not None:
        return
    warn(
        f"{measure} has no cutoff: every logged rank counts, and the ideal lists all relevant documents; {measure @ 10} counts the first "
        "10 ranks of each list"
    )


def tell_of_missing_topics(study: Study) -> None:
    """Warn where a system without users, as a run is, lacks judged topics that its mean is compared over.

    These are the topics of the other systems and, of runs with one query a session, all topics with judgments. They are looked
    for once in each study.
    """
    lacking = study.memo.once("missing topics", lambda: _missing_topics(study))
    if lacking is not None:
        warn(f"{lacking}; left out of means")


def _missing_topics(study: Study) -> str | None:
    """Return which systems lack which judged topics; None where no system does."""
    if not study.facts.judgments or study.users.select(pl.len()).collect().item():
        return None
    sessions = study.sessions.select("system_id", "judgment_key", topic_id=pl.coalesce("topic_id", "judgment_key"))
    judged = study.judgments.select("judgment_key").unique()
    has_own_keys = "judgment_key" in study.columns("queries")
    if not has_own_keys:
        sessions = sessions.join(judged, on="judgment_key", how="semi")
    scored = sessions.drop_nulls("topic_id").unique().collect()
    topics = scored.select("topic_id")
    if study.facts.queries <= study.facts.sessions and study.restriction is None and not has_own_keys:
        unscored = judged.collect().join(scored, on="judgment_key", how="anti")
        topics = pl.concat([topics, unscored.rename({"judgment_key": "topic_id"})])
    topics = topics.unique()
    n_scored = scored.group_by("system_id").agg(pl.col("topic_id").n_unique())
    lacking = n_scored.filter(pl.col("topic_id") < len(topics))["system_id"]
    if lacking.is_empty():
        return None
    systems = first_systems(lacking)
    # a row for each topic of the named systems only: a log can have very many topics and systems
    expected = pl.DataFrame({"system_id": systems}, schema={"system_id": pl.String}).join(topics, how="cross")
    missing = expected.join(scored, on=["system_id", "topic_id"], how="anti", nulls_equal=True)
    return name_missing(missing, expected, "topic_id", "judged topics", n_more=len(lacking) - len(systems))


def warn_of_missing_lists(study: Study, measures: Sequence[Measure]) -> None:
    """Warn where many queries have no result rows and a measure looks at result lists."""
    missing_lists = MissingLists.of(study.facts)
    if missing_lists.are_frequent and any(measure.inner.of_lists for measure in measures):
        warn(missing_lists.warning)


def warn_of_groups_without_lists(
    study: Study, measures: Sequence[Measure], by: str, groups: Callable[[], pl.LazyFrame]
) -> None:
    """Warn where groups differ in their share of queries without result rows, and one has many.

    Parameters
    ----------
    by
        What makes the groups.
    groups
        Makes ``session_id`` and ``group`` of the sessions, where they are needed.
    """
    missing_lists = MissingLists.of(study.facts)
    if missing_lists.results and missing_lists.missing and any(measure.inner.of_lists for measure in measures):
        text = warning_of_groups(by, shares_by_group(study, groups()))
        if text is not None:
            warn(DataWarning(text, f"queries without result rows differ in share by {by}"))


def tell_of_depth(study: Study, measure: Measure) -> None:
    """Warn where lists were observed less deep than the measure looks, with the share of queries concerned."""
    if not (measure.of_lists and (study.facts.partly_observed or study.facts.lists_with_gaps)):
        return
    counted = study.depths.lazy().filter(pl.col("results_status") != "not_logged")
    if measure.queries is not None:
        counted = counted.filter(pl.col("query_position") <= measure.queries)
    deeper = pl.lit(value=True) if measure.cutoff is None else pl.col("known") < measure.cutoff
    partly = pl.col("n").filter(cut_short() & deeper)
    concerned, everything = counted.select(partly.sum(), all=pl.col("n").sum()).collect().row(0)
    if concerned:
        warn(
            f"{measure} looks deeper than was observed in {concerned} of {everything} queries "
            f"({share_text(concerned / everything, 0)}); what was not observed gains 0"
        )
