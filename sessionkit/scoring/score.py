"""Scores: the values of measures per query, per session, or averaged over groups of sessions, in one tidy table.

`score` asks, `ScoreReduction` makes of every batch its rows, or exact sums per group, and of these the table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from os import PathLike
from typing import get_args

import polars as pl

from sessionkit.arguments import RowUnit, require_bool
from sessionkit.display.frames import ResultFrame
from sessionkit.errors import MeasureError, UsageError
from sessionkit.scoring import exact
from sessionkit.scoring.batch import SessionBatch
from sessionkit.scoring.execution import adds_up, of_session, query_values, session_values
from sessionkit.scoring.filter import Selection, counted_rows, defined_sessions, judged_of, judged_shown, results_shown
from sessionkit.scoring.histogram import GainHistogram
from sessionkit.scoring.measures.aggregates import AveragePosition
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.needs import (
    NAMED,
    UNNAMED,
    Undefined,
    columns_read,
    measure_of,
    tell_of_bound,
    tell_of_cutoff,
    tell_of_depth,
    tell_of_missing_topics,
    warn_of_groups_without_lists,
    warn_of_missing_lists,
)
from sessionkit.scoring.reduction import parts_of, run
from sessionkit.study import Study
from sessionkit.study.counts import COUNTS, counted, sessions_with, untold
from sessionkit.study.numbering import placed
from sessionkit.study.restriction import Where
from sessionkit.study.selection import restricted
from sessionkit.study.study import not_a_study

By = str | Sequence[str] | None
"""Columns that make groups: a name, several as a list or joined by commas, where a name with a comma stands in double quotes; None, or
``"all"``, for one group of all sessions."""
EVERY = "all"
"""What makes one group of all sessions, unless a column is called so."""
NAME = re.compile(r'(?:^|,) *(?:"(?P<quoted>(?:[^"]|"")*)" *(?=,|\Z)|(?P<plain>(?! *")[^,]*))')
"""The name of a column, in double quotes or without, and the comma before it."""
UNITS: tuple[RowUnit, ...] = get_args(RowUnit)
OF_SESSION = ["system_id", "topic_id", "user_id"]
OF_GROUP = ["measure", "value", "n", "undefined", "judged"]
OF_SPREAD = ["sd", "median", "q1", "q3", "min", "max", "at_zero", "at_one", "values"]
FEWEST_WITH_QUARTILES = 5
"""Values that a group must have before it has quartiles; fewer are listed."""
WITHOUT_CUTOFF = 1_000
"""Slots that a query is taken to have where ideals have as many as documents are relevant."""


def score(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    *,
    by: By = "system_id",
    where: Where = None,
    per: RowUnit | None = None,
    spread: bool = False,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Score a study; the parameters, columns and errors are those of `sessionkit.score`, whose ``wide`` needs bounds too."""
    if where is not None:
        study = restricted(study, where)
    task = score_task(study, measures, by=by, per=per, spread=spread)
    (scores,) = run(study, [task], memory, cache)
    return told(study, task, scores)


def score_parts(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    *,
    by: By = "system_id",
    where: Where = None,
    per: RowUnit | None = None,
    spread: bool = False,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> Iterator[pl.DataFrame]:
    """The table of `score` part by part, in its order, for whom the whole is too large; the parameters are the same.

    Per session and per query every part holds whole sessions; means come in one part. Warnings come at the end.
    """
    if where is not None:
        study = restricted(study, where)
    task = score_task(study, measures, by=by, per=per, spread=spread)
    # means need all parts, and so does the order across partitions
    if task.level == "group" or study.storage.partitioned is not None or cache is not None:
        (scores,) = run(study, [task], memory, cache)
        yield told(study, task, scores)
        return
    undefined = Undefined()
    for (part,) in parts_of(study, [task], memory):
        undefined.see(task.measures, task.level, part)
        yield part
    undefined.tell(study)
    tell_of_measures(study, task)


def score_task(
    study: Study,
    measures: str | Measure | Sequence[str | Measure],
    *,
    by: By = "system_id",
    per: RowUnit | None = None,
    spread: bool = False,
) -> ScoreReduction:
    """What `score` asks of a study, for whoever makes its parts elsewhere; the parameters and errors are the same."""
    asked = _asked(study, measures)
    if per not in (None, *UNITS):
        raise UsageError(f"per must be {' or '.join(UNITS)}, not {per!r}; columns that make groups go to by")
    if per is not None and by != "system_id":
        raise UsageError(f"per={per} gives a row for every {per}, by={by} one for every group; drop one of them")
    if spread:
        require_bool("spread", spread)
        if per is not None:
            raise UsageError(f"spread describes the values of a group, per={per} lists the values; drop one of them")
    if per == "query":
        for measure in asked:
            _require_query(measure)
        return ScoreReduction(asked, "query", reads=_reads(study, asked, OF_SESSION))
    asked = tuple(dict.fromkeys(map(of_session, asked)))
    if per == "session":
        return ScoreReduction(asked, "session", reads=_reads(study, asked, OF_SESSION))
    keys = group_keys(study, by, [*OF_GROUP, *OF_SPREAD] if spread else OF_GROUP)
    return ScoreReduction(asked, "group", keys, _reads(study, asked, [*keys]), spread)


def session_measures(study: Study, measures: str | Measure | Sequence[str | Measure]) -> tuple[Measure, ...]:
    """The measures, for whoever asks for values of sessions: in the order asked for, each once, those of queries as means."""
    return tuple(dict.fromkeys(map(of_session, _asked(study, measures))))


def told(study: Study, task: ScoreReduction, scores: pl.DataFrame) -> pl.DataFrame:
    """Warn of what a reader of these scores should know, and return them."""
    undefined = Undefined()
    undefined.see(task.measures, task.level, scores)
    undefined.tell(study)
    tell_of_measures(study, task)
    warn_of_missing_lists(study, task.measures)
    if task.level == "group" and len(task.keys) == 1:
        (name,) = task.keys
        warn_of_groups_without_lists(study, task.measures, name, lambda: _named_groups(study, name))
    if "system_id" in task.keys and "topic_id" not in task.keys:  # means of single topics leave out no topic
        tell_of_missing_topics(study)
    return ResultFrame(scores.drop(UNNAMED) if task.level == "group" else scores)


def _named_groups(study: Study, by: str) -> pl.LazyFrame:
    """Return ``session_id`` and ``group``, the value of this column of the session, or of its user."""
    return sessions_with(study, [by]).select("session_id", group=pl.col(by).cast(pl.String))


def tell_of_measures(study: Study, task: ScoreReduction) -> None:
    """Warn of measures that have no bound or no cutoff, or look deeper than was observed."""
    for measure in task.measures:
        tell_of_bound(measure.inner)
        tell_of_cutoff(measure.inner)
        tell_of_depth(study, measure.inner)


def _asked(study: Study, measures: str | Measure | Sequence[str | Measure]) -> tuple[Measure, ...]:
    """The measures in the order asked for, each once."""
    if isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable):
        measures = [measures]
    asked = tuple(dict.fromkeys(measure_of(study, measure) for measure in measures))
    if len(set(map(str, asked))) < len(asked):
        texts = [str(measure) for measure in asked]
        twice = next(text for text in texts if texts.count(text) > 1)
        raise UsageError(f"two different measures are called {twice}; give one of them another name")
    if not asked:
        msg = "name a measure; for example: nsDCG@10"
        raise MeasureError(msg)
    return asked


def _require_query(measure: Measure) -> None:
    """Refuse a measure that has no value per query."""
    if measure.level != "query":
        better = measure.inner if measure.inner.level == "query" else "DCG@10"
        msg = f"{measure} is a measure of whole sessions and has no value per query; ask for one of queries, for example {better}"
        raise MeasureError(msg)


def _reads(study: Study, measures: Sequence[Measure], columns: Sequence[str]) -> dict[str, list[str]]:
    """Columns to read, by table, for these columns of sessions or users."""
    if not isinstance(study, Study):
        raise not_a_study(study)
    read, of_sessions = columns_read(study, measures), study.columns("sessions")
    of_users = [column for column in columns if column in study.columns("users") and column not in of_sessions]
    read["sessions"] = [*dict.fromkeys([*(name for name in columns if name not in of_users), *read["sessions"]])]
    read["users"] += [column for column in of_users if column not in read["users"]]
    return read


def columns_of(by: By, known: Collection[str]) -> list[str]:
    """Return the names of columns that make groups, as they are asked for; none for one group of all sessions.

    Parameters
    ----------
    by
        As `By` has it. A text that is itself the name of a column names that one.
    known
        The columns that there are.

    Raises
    ------
    UsageError
        It is no name, or a quote has no end.

    >>> columns_of('system_id, "years, web"', []), columns_of("years, web", ["years, web"]), columns_of("all", ["system_id"])
    (['system_id', 'years, web'], ['years, web'], [])
    >>> columns_of('"a ""b"" d", c ', []), columns_of("a,", [])
    (['a "b" d', 'c'], ['a', ''])
    """
    if by is None or (by == EVERY and EVERY not in known):
        return []
    if not isinstance(by, str):
        if not isinstance(by, Sequence) or not all(isinstance(name, str) for name in by):
            raise UsageError(f"by must be names of columns of sessions or users, not {by!r}")
        return [*by]
    if by in known:
        return [by]
    found = [*NAME.finditer(by)]
    if "".join(one[0] for one in found) != by:
        raise UsageError(f"by={by}: names are joined by commas, and a name with a comma stands whole in double quotes")
    names = [one["plain"] if one["quoted"] is None else one["quoted"].replace('""', '"') for one in found]
    return [name if name in known else name.strip() for name in names]


def columns_text(columns: Sequence[str]) -> str:
    """Return the names of columns as the text that `columns_of` reads.

    >>> columns_text(["system_id", "years, web"]), columns_text(["years, web"]), columns_text([])
    ('system_id,"years, web"', 'years, web', 'all')
    """
    if len(columns) < 2:
        return columns[0] if columns else EVERY
    plain = [not {*',"\r\n'} & {*name} and name == name.strip() for name in columns]
    quoted = [name if bare else '"' + name.replace('"', '""') + '"' for name, bare in zip(columns, plain, strict=True)]
    return ",".join(quoted)


def group_keys(study: Study, by: By, taken: Collection[str] = OF_GROUP) -> dict[str, pl.DataType]:
    """The columns of sessions or users that make groups, each once, with their types; none for one group of all.

    `taken` are the columns that the table of results has itself.

    Raises
    ------
    UsageError
        There is no such column, or the table of scores has one of that name.
    """
    if not isinstance(study, Study):
        raise not_a_study(study)
    own = study.columns("sessions")
    known = [column for column in dict.fromkeys((*own, *study.columns("users"))) if column != "session_id"]
    keys: dict[str, pl.DataType] = {}
    for column in [by] if isinstance(by, str) and by in known else columns_of(by, known):
        made = [] if column in known else counted(study)
        if column not in (*known, *made):
            advice = f"; per={column} gives a row for each" if column in UNITS else untold(column, [*known, *made])
            msg = f"by={column}: no such column in sessions or users; choose from {', '.join([*known, *made])}{advice}"
            raise UsageError(msg)
        if column in taken:
            advice = "group by another one" if made else "rename the log's column in study.toml"
            raise UsageError(f"by={column}: the output already has a column of that name; {advice}")
        if made:
            keys[column] = COUNTS[column].dtype()
            continue
        dtype = (study.sessions if column in own else study.users).collect_schema()[column]
        if dtype.is_nested():
            raise UsageError(
                f"by={column}: the column holds lists, which make no groups; name a column of single values"
            )
        keys[column] = dtype
    return keys


@dataclass(frozen=True, eq=False)
class ScoreReduction:
    """Values of measures per query, per session, or as means over groups of sessions.

    Parameters
    ----------
    measures
        In the order of the rows.
    level
        ``"query"``, ``"session"`` or ``"group"``.
    keys
        Columns of the sessions or users that make the groups, with their types.
    reads
        Columns to read, by table.
    spread
        Whether the means of groups stand with statistics of their values, all of which are then kept.
    """

    measures: tuple[Measure, ...]
    level: str
    keys: Mapping[str, pl.DataType] = field(default_factory=dict)
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    spread: bool = False

    def columns(self) -> Mapping[str, Sequence[str]]:
        """What is read beside what every batch is made of."""
        return self.reads

    @property
    def schema(self) -> pl.Schema:
        """Columns of a part."""
        if self.level == "group":
            counted = dict.fromkeys(("n", "undefined", "judged", "results"), pl.Int64())
            kept = {"measure": pl.String(), "total": pl.Decimal(38, 0), UNNAMED: pl.List(pl.String())}
            keys = dict(zip(self._groups, self.keys.values(), strict=True))
            values = {"values": pl.List(pl.Float64())} if self.spread else {}
            return pl.Schema({**keys, **kept, **counted, **values})
        place = {"query_position": pl.Int32()} if self.level == "query" else {}
        texts = dict.fromkeys([*OF_SESSION, "measure"], pl.String())
        return pl.Schema({"session_id": pl.String(), **place, **texts, "value": pl.Float64(), "judged": pl.Float64()})

    @property
    def slots(self) -> int:
        """As how many results each query counts: measures that lay out slots or best documents make as many rows."""
        most = 0
        for measure in self.measures:
            inner = measure.inner
            laid_out = (
                any(isinstance(one, AveragePosition) for one in (measure, inner)) or inner.session_ideal == "spread"
            )
            cutoff = inner.selection.cutoff
            most = max(most, (cutoff or WITHOUT_CUTOFF) if laid_out else (inner.ideal_length or 0))
        return most

    @property
    def columns_made(self) -> int:
        """A column for each measure, but for those whose sums over groups need none."""
        return max(1, sum(self.level != "group" or self.spread or not adds_up(measure) for measure in self.measures))

    @property
    def _groups(self) -> list[str]:
        """Names of the group columns in a part, which no column of the log has."""
        return [f"group {number}" for number in range(len(self.keys))]

    def part(self, batch: SessionBatch) -> pl.DataFrame:
        """Rows of the batch's sessions or queries in order, or its sums per group."""
        if self.level == "query":
            return self._rows(batch, *self._queries(batch))
        if self.level == "session":
            return self._rows(batch, batch.sessions, self._sessions(batch))
        return self._sums(batch)

    def whole(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Scores as `sessionkit.score` returns them."""
        added = self.added([*parts])
        return self._means(added) if self.level == "group" else added

    def added(self, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Several parts as one: rows in the order of their sessions, sums of groups added up."""
        kept = [part for part in parts if len(part)]
        together = pl.concat([self.schema.to_frame(), *kept])
        if self.level == "group":
            return self._added_up(together)
        # each part is in order; so is the whole where each begins after the one before it
        ends = [(part.item(0, "session_id"), part.item(-1, "session_id")) for part in kept]
        if any(last >= first for (_, last), (first, _) in pairwise(ends)):
            by = ["session_id", "query_position"] if self.level == "query" else ["session_id"]
            together = together.sort(by, maintain_order=True)
        return together

    def _sessions(self, batch: SessionBatch) -> list[pl.DataFrame]:
        """For each measure ``value``, ``total``, ``judged`` and ``results`` of every session, in order."""
        counts = ResultCounts(batch, "session")
        return [counts.beside(measure, found) for measure, found in session_values(batch, self.measures).items()]

    def _queries(self, batch: SessionBatch) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
        """The logged queries; for each measure their ``value``, ``judged``, ``results``, and whether they ``count``."""
        logged = batch.queries.select("query", "session", "query_position", "logged")
        found, counts = [], ResultCounts(batch, "query")
        for measure, values in query_values(batch, self.measures).items():
            every = [
                placed(values[name], values["query"], len(logged)) for name in ("value", "judged") if name in values
            ]
            counted = pl.Series("count", [True]).new_from_index(0, len(values))
            every.append(placed(counted, values["query"], len(logged)).fill_null(value=False))
            found.append(counts.beside(measure, pl.DataFrame(every)).filter(logged["logged"]))
        return logged.filter("logged"), found

    def _rows(self, batch: SessionBatch, units: pl.DataFrame, values: list[pl.DataFrame]) -> pl.DataFrame:
        """One row per unit and measure."""
        of_unit = [batch.features[name].gather(units["session"]) for name in ("session_id", *OF_SESSION)]
        if self.level == "query":
            of_unit.insert(1, units["query_position"])
        columns = {
            "value": [frame["value"] for frame in values],
            "judged": [frame.select(_share()).to_series() for frame in values],
        }
        texts = pl.DataFrame({"measure": [str(measure) for measure in self.measures]})
        rows = pl.DataFrame(of_unit).join(texts, how="cross", maintain_order="left_right")
        rows = rows.with_columns(_interleaved(series).alias(name) for name, series in columns.items())
        if self.level == "query" and any(measure.selection.queries for measure in self.measures):
            rows = rows.filter(_interleaved([frame["count"] for frame in values]))
        return rows.select(self.schema.names())

    def _sums(self, batch: SessionBatch) -> pl.DataFrame:
        """One row per group and measure: exact sums over its sessions."""
        # what was worked out for sessions needs no second look at their results
        known = batch.memo.find(session_values) or {}
        added = [one for one in self.measures if adds_up(one) and one not in known and not self.spread]
        rest = [measure for measure in self.measures if measure not in added]
        keys, number = self._numbered_groups(batch)
        counts = ResultCounts(batch, "session")
        sums = self._added(batch, added, number, counts)
        for measure, found in session_values(batch, rest).items():
            value = pl.col("value")
            beside = counts.beside(measure, found).with_columns(number, batch.sessions["session_id"])
            per_group = beside.group_by("group").agg(
                pl.col("total").filter(value.is_not_null()).sum(),
                *_of_sessions(value.is_not_null()),
                *([value.drop_nulls().alias("values")] if self.spread else []),
            )
            sums.append(per_group.with_columns(measure=pl.lit(str(measure))))
        together = pl.concat(sums, how="diagonal").with_columns(pl.col("total").cast(pl.Decimal(38, 0)))
        return together.join(keys, on="group").select(self.schema.names())

    def _numbered_groups(self, batch: SessionBatch) -> tuple[pl.DataFrame, pl.Series]:
        """The groups of the batch's sessions with their numbers (``group``), and the number of every session's group."""
        named = {name: pl.col(key) for name, key in zip(self._groups, self.keys, strict=True)}
        keys = batch.features.with_columns(everyone=0, **named).select("everyone", *self._groups)
        names = keys.columns
        distinct = keys.unique(maintain_order=True).with_row_index("group")
        number = keys.join(distinct, on=names, how="left", nulls_equal=True, maintain_order="left")
        return distinct, number.get_column("group")

    def _added(
        self, batch: SessionBatch, measures: list[Measure], number: pl.Series, counts: ResultCounts
    ) -> list[pl.DataFrame]:
        """Sums of measures that add up over results: from how many results of a group gain the same."""
        alike: dict[tuple[Selection, str], list[GainMeasure]] = {}
        for measure in measures:
            if isinstance(measure, GainMeasure):
                alike.setdefault((measure.selection, measure.unjudged_topics), []).append(measure)
        sums = []
        for (selection, _), group in alike.items():
            rows = counted_rows(batch, selection)
            defined = defined_sessions(batch, group[0])
            cells = GainHistogram.of(batch, selection, group, rows)
            counted = pl.select(pl.when(defined).then(number)).to_series().alias("group")
            totals = cells.sums_of_groups(counted, group)
            units = counts.beside(group[0], judged_of(batch, selection, rows, "session").to_frame())
            units = units.with_columns(number, batch.sessions["session_id"], defined=defined)
            per_group = units.group_by("group").agg(*_of_sessions(pl.col("defined")))
            totals = per_group.select("group").join(totals, on="group", how="left").fill_null(0)
            listed = totals.unpivot(index="group", variable_name="measure", value_name="total")
            sums.append(per_group.join(listed, on="group"))
        return sums

    def _added_up(self, sums: pl.DataFrame) -> pl.DataFrame:
        """One row per group and measure of those of several parts."""
        added = sums.with_columns(pl.col("total").cast(pl.Int128)).group_by(*self._groups, "measure")
        once = added.agg(
            pl.col("total", "n", "undefined", "judged", "results").sum(),
            pl.col(UNNAMED).explode(empty_as_null=False).sort().head(NAMED),
            *([pl.col("values").explode(empty_as_null=False)] if self.spread else []),
        )
        return once.select(self.schema.names()).cast(dict(self.schema))  # type: ignore[arg-type]

    def _means(self, added: pl.DataFrame) -> pl.DataFrame:
        """Means over sessions from the sums of all parts, with `UNNAMED`: some of those that have no value."""
        value = exact.quotient(exact.unfixed(pl.col("total").cast(pl.Int128)), pl.col("n"))
        texts = [str(measure) for measure in self.measures]
        order = pl.col("measure").replace_strict(texts, range(len(texts)), return_dtype=pl.Int32)
        means = added.sort(*self._groups, order).with_columns(value=value)
        named = dict(zip(self._groups, self.keys, strict=True))
        spread = _spread(pl.col("values").list.sort()) if self.spread else []
        return means.select(*self._groups, *OF_GROUP[:-1], _share(), *spread, UNNAMED).rename(named)


@dataclass(frozen=True, eq=False)
class ResultCounts:
    """Results shown within a measure's cutoff and judged, of every unit of a batch, counted once for measures that look as deep."""

    batch: SessionBatch
    by: str
    shown: dict[Selection, pl.Series] = field(default_factory=dict)
    judged: dict[Selection, pl.Series] = field(default_factory=dict)

    def beside(self, measure: Measure, found: pl.DataFrame) -> pl.DataFrame:
        """Put beside a measure's values ``results``, shown within the cutoff, and ``judged``, those that are judged.

        Where the measure has counted the judged ones itself, in the places where they were shown, they are not counted
        again.
        """
        selection = replace(measure.selection, duplicates="all", every_query=False)
        if selection not in self.shown:
            self.shown[selection] = results_shown(self.batch, selection, self.by).alias("results")
        if selection.unjudged == "zero" and "judged" in found.columns:
            return found.with_columns(self.shown[selection], pl.col("judged").fill_null(0))
        if selection not in self.judged:
            self.judged[selection] = judged_shown(self.batch, selection, self.by).alias("judged")
        return found.with_columns(self.shown[selection], self.judged[selection])


def _spread(values: pl.Expr) -> list[pl.Expr]:
    """Return the statistics of `OF_SPREAD` for lists of values in ascending order, in which the order of the sessions is lost.

    So they are the same bits however the sessions were cut into batches.
    """
    n, least, most = values.list.len(), values.list.first(), values.list.last()
    has_quartiles = n >= FEWEST_WITH_QUARTILES
    # list.std loses half of the digits of values far from 0; equal values would deviate by the rounding of their mean
    squares = values.list.agg((pl.element() - pl.element().mean()).pow(2).sum())
    sd = pl.when(n > 1).then(pl.when(least < most).then((squares / (n - 1)).sqrt()).otherwise(0.0))
    quartiles = (values.list.agg(pl.element().quantile(share, interpolation="linear")) for share in (0.25, 0.75))
    q1, q3 = (pl.when(has_quartiles).then(quartile) for quartile in quartiles)
    at_zero, at_one = (exact.quotient(values.list.count_matches(level), n) for level in (0.0, 1.0))
    listed = pl.when(n > 0, ~has_quartiles).then(values)
    statistics = [sd, values.list.median(), q1, q3, least, most, at_zero, at_one, listed]
    return [statistic.alias(name) for statistic, name in zip(statistics, OF_SPREAD, strict=True)]


def _of_sessions(defined: pl.Expr) -> list[pl.Expr]:
    """Counts of the sessions of a group, of its results, and the first sessions without a value."""
    return [
        pl.col("session_id").filter(~defined).head(NAMED).alias(UNNAMED),
        defined.sum().cast(pl.Int64).alias("n"),
        (~defined).sum().cast(pl.Int64).alias("undefined"),
        pl.col("judged", "results").sum(),
    ]


def _interleaved(columns: list[pl.Series]) -> pl.Series:
    """Several columns as one: the first value of each, then the second of each."""
    if len(columns) == 1:
        return columns[0]
    wide = pl.DataFrame([column.alias(str(number)) for number, column in enumerate(columns)])
    return wide.select(pl.concat_arr(pl.all()).explode()).to_series()


def _share() -> pl.Expr:
    """Judged share of the results shown; null where nothing was shown."""
    return exact.quotient(pl.col("judged"), pl.col("results")).alias("judged")
