"""Sessions, queries and results as the explorer shows them, in the order of their ids."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from sessionkit.analysis.session_table import SESSION_COUNTS, column_names, score
from sessionkit.privacy.options import extras_of
from sessionkit.reports.redaction import Redaction
from sessionkit.scoring import exact
from sessionkit.scoring.batch import batches
from sessionkit.scoring.columns import columns_read
from sessionkit.scoring.curves import session_vectors
from sessionkit.scoring.explain import explain
from sessionkit.scoring.measures.base import GainMeasure, Measure
from sessionkit.scoring.results_filter import defined_sessions
from sessionkit.study import Study

QUERY = ["session_id", "query_position"]
RESULT = [*QUERY, "doc_id", "_again"]
TEXTS = ("title", "snippet")
"""What a log can have of results to be read: columns of these names."""
LEVELS = 100
"""Different texts that a column of the table may have; free text is not in the table."""
MOST_COLUMNS = 30
"""Columns of the log that the table has at most."""


@dataclass(frozen=True, eq=False)
class Columns:
    """What the explorer shows.

    Parameters
    ----------
    sessions
        ``session_id``, ``user_id``, ``system_id``, ``topic_id``, ``defined`` (whether it has a value), ``lead``
        (what the ideal adds in slots before any query).
    queries
        `QUERY`, ``query_text`` (null where not logged or left out), ``results_status``, ``many`` (results held),
        ``deeper`` and ``deeper_clicks`` (results beyond, and clicks on them), ``ideal`` (what the ideal adds in each
        slot of the query; null where it has none) and ``gap`` (the same of slots after it that are no query's).
    results
        `QUERY`, ``rank``, ``doc_id`` (null where left out), ``document`` (number of the document), ``clicked``,
        ``grade``, ``contribution`` (null where the result does not count) and ``counted`` (the rank that counts); those of
        `TEXTS` that the log has, unless they are left out.
    table
        ``session_id`` and what else the table of sessions shows, see `table_columns`.
    primary
        The measure of the table's scores.
    """

    sessions: pl.DataFrame
    queries: pl.DataFrame
    results: pl.DataFrame
    table: pl.DataFrame
    primary: str

    @property
    def texts(self) -> list[str]:
        """Those of `TEXTS` that results have here."""
        return [name for name in TEXTS if name in self.results.columns]

    def without(self, text: str) -> Columns:
        """The same without one of `TEXTS`."""
        return replace(self, results=self.results.drop(text))

    def only(self, chosen: pl.Series) -> Columns:
        """The same of some of the sessions: whether each is, in order."""
        sessions = self.sessions.filter(chosen)
        those = pl.col("session_id").is_in(sessions["session_id"].implode())
        results = self.results.filter(those)
        return Columns(
            sessions,
            self.queries.filter(those),
            results.with_columns(_numbered(results, "document")),
            self.table.filter(those),
            self.primary,
        )


def columns_of_sessions(
    study: Study,
    measure: GainMeasure,
    redaction: Redaction,
    whole: Study,
    *,
    primary: Measure | None = None,
    is_bounded: bool = True,
) -> Columns:
    """Lay some sessions out for the explorer.

    Parameters
    ----------
    study
        The study with the sessions alone that are held.
    measure
        A session measure with a cutoff, whose contributions and curves are shown.
    redaction
        What is left out; ids are numbered as in the `whole` study.
    primary
        The measure whose score the table of sessions shows with its bounds; by default `measure`.
    is_bounded
        Whether the table has bounds, for which the whole study is read.
    """
    left_out = {
        *(TEXTS if "documents" in redaction.kinds else ()),
        *(TEXTS[1:] if "queries" in redaction.kinds else ()),
    }
    texts = [name for name in TEXTS if name in study.columns("results") and name not in left_out]
    results, queries = results_shown(study, measure, texts), _queries(study)
    # where unjudged results are removed, results from below the cutoff come to count
    within = (pl.col("rank") <= measure.cutoff) | pl.col("counted").is_not_null()
    shown, beyond = results.filter(within), results.filter(~within).group_by(QUERY)
    queries = queries.join(shown.group_by(QUERY).agg(many=pl.len()), on=QUERY, how="left")
    clicks = pl.col("clicked").fill_null(value=False).sum()
    queries = queries.join(beyond.agg(deeper=pl.len(), deeper_clicks=clicks), on=QUERY, how="left")
    runs, defined = _curves(study, measure)
    own, gaps = runs.filter("own").drop("own"), runs.filter(~pl.col("own")).drop("own").rename({"ideal": "gap"})
    queries = queries.join(own, on=QUERY, how="left").join(gaps, on=QUERY, how="left").sort(QUERY)
    counts = ["many", "deeper", "deeper_clicks"]
    sessions = study.sessions.select("session_id", "user_id", "system_id", "topic_id").sort("session_id").collect()
    lead = gaps.filter(pl.col("query_position") == 0).select("session_id", lead="gap")
    sessions = sessions.join(lead, on="session_id", how="left", maintain_order="left")
    sessions = sessions.join(defined, on="session_id", how="left", maintain_order="left")
    if "documents" in redaction.kinds:
        shown = shown.with_columns(doc_id=pl.lit(None, pl.String))
    if "queries" in redaction.kinds:
        queries = queries.with_columns(query_text=pl.lit(None, pl.String))
    table = table_columns(whole, study, primary or measure, has_extras=not redaction.kinds, is_bounded=is_bounded)
    return Columns(
        redaction.frame(sessions, whole),
        redaction.frame(queries.with_columns(pl.col(counts).fill_null(0)), whole),
        redaction.frame(shown, whole),
        redaction.frame(table, whole),
        str(primary or measure),
    )


def table_columns(whole: Study, held: Study, measure: Measure, *, has_extras: bool, is_bounded: bool) -> pl.DataFrame:
    """Return what the table of sessions shows beside their names, a row for each session in the order of their ids.

    Parameters
    ----------
    whole
        The study.
    held
        The study with the sessions alone that are shown.
    measure
        The measure of the scores and of their bounds under missing judgments.
    has_extras
        Whether ratings and covariates, the further columns of sessions and users, may be shown.
    is_bounded
        Whether there are bounds. Which documents of a topic are not judged is known only of the whole study, which is read for them.

    Returns
    -------
    polars.DataFrame
        ``session_id``, then columns of ``sessionkit.score(wide=True)``: those of the measure if there are judgments; counts
        that the log tells; numbers and texts of few values among the further columns.
    """
    extras = [name for table in ("sessions", "users") for name in extras_of(whole)[table]]
    names = column_names(measure)
    study = whole if is_bounded else held
    if {*names} & {*study.columns("sessions"), *study.columns("users")}:  # which score refuses
        tables = {name: study.table(name).drop(names, strict=False) for name in ("sessions", "users")}
        study = study.with_tables(**tables)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = score(study, measure, per="session", wide=True)
    table = table.join(held.sessions.select("session_id").collect(), on="session_id", how="semi", maintain_order="left")
    shown = [*names, *SESSION_COUNTS[1:]]
    shown += [name for name in table.columns if has_extras and name in extras and _is_short(table[name])][:MOST_COLUMNS]
    is_told = table.select(pl.all().is_not_null().any()).row(0, named=True)
    unknown = () if is_bounded else names[1:3]
    return table.select("session_id", *(name for name in dict.fromkeys(shown) if is_told[name] and name not in unknown))


def _is_short(values: pl.Series) -> bool:
    """Whether values are numbers, yes or no, or texts of which there are few."""
    if values.dtype == pl.String:
        return values.n_unique() <= LEVELS
    return values.dtype.is_numeric() or values.dtype == pl.Boolean


def results_shown(study: Study, measure: Measure, texts: Sequence[str] = ()) -> pl.DataFrame:
    """Every result of the lists with what it adds, in the order shown, and these of its texts."""
    known = study.columns("results")
    read = study.results.select(
        *QUERY,
        "rank",
        "doc_id",
        "clicked" if "clicked" in known else pl.lit(None).alias("clicked"),
        *(pl.col(name).cast(pl.String).replace("", None) for name in texts),
    )
    nth = pl.int_range(pl.len()).over(*QUERY, "doc_id") if study.facts.repeats_in_lists else pl.lit(0, pl.Int64)
    again = nth.alias("_again")
    rows = read.collect().sort(*QUERY, "rank").with_columns(again)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        explained = explain(study, measure).rename({"rank": "counted"}).sort(*QUERY, "counted")
    added = explained.with_columns(again).select(*RESULT, "grade", "contribution", "counted")
    rows = rows.join(added, on=RESULT, how="left", maintain_order="left").drop("_again")
    return rows.with_columns(_numbered(rows, "doc_id"))


def _numbered(rows: pl.DataFrame, by: str) -> pl.Series:
    """The number of every result's document, in the order in which documents are first shown."""
    documents = rows.select(pl.col(by).alias("shown"))
    known = documents.unique(maintain_order=True).with_row_index("document")
    return documents.join(known, on="shown", how="left", maintain_order="left")["document"]


def _queries(study: Study) -> pl.DataFrame:
    """The queries with their texts, if the log has any."""
    text = pl.col("query_text") if "query_text" in study.columns("queries") else pl.lit(None, pl.String)
    return study.queries.select(*QUERY, "results_status", query_text=text.cast(pl.String)).collect()


def _curves(study: Study, measure: GainMeasure) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What the ideal adds in each slot of a query: `QUERY`, ``own``, ``ideal`` (a list); and which sessions are ``defined``.

    Slots of no query of the session (``own`` is false) stand with the query before them, those before any with query 0.
    """
    known = []
    empty = pl.DataFrame(
        schema={"session_id": pl.String, "query_position": pl.Int32, "own": pl.Boolean, "ideal": pl.List(pl.Float64)}
    )
    found = [empty]
    for batch in batches(study, columns_read(study, [measure])):
        vectors = session_vectors(batch, measure)
        before = pl.col("ideal").shift(1).over("session").fill_null(0)
        position = pl.col("query_position").forward_fill().over("session").fill_null(0)
        known.append(batch.sessions.select("session_id", defined=defined_sessions(batch, measure)))
        slots = vectors.select(
            session_id=batch.sessions["session_id"].gather(vectors["session"]),
            query_position=position,
            own=pl.col("query_position").is_not_null(),
            ideal=exact.unfixed(pl.col("ideal") - before),
        )
        found.append(slots.group_by(*QUERY, "own", maintain_order=True).agg("ideal"))
    return pl.concat(found), pl.concat(known)
