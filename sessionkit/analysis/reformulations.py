"""Reformulations: what became of a query's words in the next query, and what that gained."""

from __future__ import annotations

from os import PathLike

import polars as pl

from sessionkit.display.frames import ResultFrame
from sessionkit.errors import DataError, UsageError
from sessionkit.scoring.measures.base import Measure
from sessionkit.scoring.measures.reformulation import compared, terms_of
from sessionkit.scoring.reduction import Reduction
from sessionkit.scoring.score import score, score_task
from sessionkit.study import Study
from sessionkit.study.restriction import Where
from sessionkit.study.session_subset import restricted
from sessionkit.study.study import guarded_read

STEP = ["session_id", "query_position"]
OF_SESSION = ["system_id", "topic_id", "user_id"]


@guarded_read
def reformulations(
    study: Study,
    measure: str | Measure | None = "nDCG@10",
    *,
    where: Where = None,
    memory: str | int | None = None,
    cache: str | PathLike[str] | None = None,
) -> pl.DataFrame:
    """Classify each reformulation, and measure how much it changes the results.

    Parameters
    ----------
    study
        A study whose queries have a ``query_text``. The queries, though not the results, must fit into memory.
    measure
        A measure with a value per query, such as ``"nDCG@10"`` or ``"P@10"``; None for the wording alone.
    where
        Which sessions take part, such as ``"skill = 'novice' and queries >= 2"``; see `sessionkit.score`.
    memory
        Memory to work within, see `sessionkit.score`.
    cache
        A directory to keep partial results in, see `sessionkit.score`.

    Returns
    -------
    polars.DataFrame
        One row per pair of consecutive logged queries, also those whose list was not logged, by session and position:
        ``session_id``, ``query_position`` and ``previous_position``, ``system_id``, ``topic_id``, ``user_id``,
        ``reformulation``, ``terms`` and ``previous_terms`` (distinct terms of the query and of the one before it),
        ``shared`` (terms in both), ``overlap`` (shared terms as a share of those in either, Jaccard); with a measure also
        ``measure``, ``value``, ``previous_value`` and ``change``, their difference (null where either is undefined). A
        session of one query has no row. The table does not have the texts of queries. Values that need a text that was not
        logged are null.

        ``reformulation`` is ``repeat`` (the same terms), ``specialization`` (terms added), ``generalization`` (terms left
        out), ``substitution`` (some kept, some replaced) or ``new`` (none in common), by the sets of terms alone; see
        `sessionkit.scoring.measures.reformulation` for the normalization and the sources of the rule.

    Raises
    ------
    DataError
        If the queries have no ``query_text``.
    UsageError
        If the measure has no values per query.

    Examples
    --------
    A second query with a term more finds the relevant document:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     queries={"session_id": ["s"] * 2, "query_position": [1, 2], "query_text": ["jaguar", "jaguar speed"]},
    ...     results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": ["a", "b"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["b"], "grade": [2]},
    ... )
    >>> sk.reformulations(study, "DCG@1").select("query_position", "reformulation", "overlap", "change").rows()
    [(2, 'specialization', 0.5, 2.0)]
    """
    study = restricted(study, where)
    if not isinstance(study, Study):
        msg = f"reformulations takes a study, such as sk.open_study returns, not {type(study).__name__}"
        raise UsageError(msg)
    if "query_text" not in study.columns("queries"):
        msg = f"reformulations needs the column 'query_text' in the queries; they have {', '.join(study.columns('queries'))}"
        raise DataError(msg)
    if measure is None:
        return ResultFrame(_steps(study))
    values = score(study, measure, per="query", memory=memory, cache=cache)
    steps = _steps(study)
    values = values.select(*STEP, "measure", "value")
    before = values.select("session_id", previous_position="query_position", previous_value="value")
    both = steps.join(values, on=STEP, how="left", maintain_order="left")
    both = both.join(before, on=["session_id", "previous_position"], how="left", maintain_order="left")
    return ResultFrame(both.with_columns(change=pl.col("value") - pl.col("previous_value")))


def reformulations_task(study: Study, measure: str | Measure = "nDCG@10") -> Reduction:
    """What `reformulations` asks of a study; the parameters and errors are the same."""
    return score_task(study, measure, per="query")


def query_words(queries: pl.DataFrame) -> dict[int, list[tuple[str, str]]]:
    """Return the words of the queries of one session, each with what the reformulation did to it.

    Parameters
    ----------
    queries
        ``query_position`` and ``text`` (null where it was not logged), in order.

    Returns
    -------
    dict
        Of each query with a text its words as typed, each ``added`` (it has a term that the query before does not have)
        or ``kept``; after them the terms of the query before that it no longer has, ``removed``. The first query, and
        one after a query without a text, has only words that are ``kept``. Terms are those of `reformulations`.

    Examples
    --------
    >>> query_words(pl.DataFrame({"query_position": [1, 2], "text": ["Jaguar speed", "jaguar cars"]}))[2]
    [('jaguar', 'kept'), ('cars', 'added'), ('speed', 'removed')]
    """
    words = pl.col("text").str.extract_all(r"\S+")
    rows = queries.select("query_position", "text", terms=terms_of(pl.col("text")), words=words)
    each = rows.select("query_position", word="words").explode("word").drop_nulls("word")
    each = each.with_columns(terms=terms_of(pl.col("word")))
    typed: dict[int, list[tuple[str, list[str]]]] = {}
    for position, word, terms in each.iter_rows():
        typed.setdefault(position, []).append((word, terms))
    changes: dict[int, list[tuple[str, str]]] = {}
    before: list[str] | None = None
    for position, text, terms, _ in rows.iter_rows():
        if text is not None:
            earlier = set(terms if before is None else before)
            removed = [(term, "removed") for term in before or () if term not in terms]
            words_now = [
                (word, "kept" if earlier.issuperset(word_terms) else "added")
                for word, word_terms in typed.get(position, [])
            ]
            changes[position] = words_now + removed
        before = terms
    return changes


def _steps(study: Study) -> pl.DataFrame:
    """The pairs of consecutive logged queries, with what their wordings have in common."""
    queries = (
        study.queries.select(*STEP, "query_text")
        .collect()
        .sort(STEP)
        .with_columns(terms=terms_of(pl.col("query_text")))
        .drop("query_text")
    )
    of_session = study.sessions.select("session_id", *OF_SESSION).collect()
    pairs = queries.with_columns(previous_position=pl.col("query_position").shift(1), before=pl.col("terms").shift(1))
    pairs = pairs.filter(pl.col("session_id") == pl.col("session_id").shift(1))
    found = compared(pairs["before"], pairs["terms"]).rename({"kind": "reformulation"})
    placed = pairs.select(*STEP, "previous_position").join(
        of_session, on="session_id", how="left", maintain_order="left"
    )
    return placed.with_columns(found.select("reformulation", "terms", "previous_terms", "shared", "overlap"))
