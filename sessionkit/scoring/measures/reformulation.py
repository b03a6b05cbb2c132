"""How searchers word their queries: the terms of a query, and what became of them in the next one.

The rule is ours, in the manner of the rule-based classifications of Jansen, Booth & Spink (JASIST 2009), Huang &
Efthimiadis (CIKM 2009) and Boldi et al. (WI 2009) [MEMORY]: it compares sets of terms and nothing else, so that anyone
can repeat it, in any language, without a dictionary or a stemmer.

A query's terms are its runs of letters, marks and digits, after Unicode normalization (NFKC), in lower case, without
invisible format characters such as directional marks, each once. Order, case, punctuation and repetition so make no
difference; a text written without spaces is one term.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from sessionkit.scoring import exact
from sessionkit.scoring.measures.base import Columns, SessionMeasure

if TYPE_CHECKING:
    from sessionkit.scoring.lists import Lists

KINDS = ("repeat", "specialization", "generalization", "substitution", "new")
"""What a query can be to the one before it."""
WORDING = ("min_grade", "depth", "duplicates", "unjudged", "grades", "unjudged_topics", "cutoff")
"""Parameters of measures of results and judgments, which a measure of query texts does not have."""


KNOWN = pl.when(pl.col("query_text") != "").then(pl.col("query_text"))
"""The text of a query; an empty one is unknown, as where a log is read."""


def terms_of(query_text: pl.Expr) -> pl.Expr:
    """The distinct terms of a query's text, in their order (list of strings); null where the text is.

    >>> pl.select(terms_of(pl.lit("Oslo to  OSLO-airport?"))).item().to_list()
    ['oslo', 'to', 'airport']
    """
    plain = query_text.str.normalize("NFKC").str.to_lowercase().str.replace_all(r"\p{Cf}", "")
    return plain.str.extract_all(r"[\p{L}\p{M}\p{N}]+").list.unique(maintain_order=True)


def compared(before: pl.Series, terms: pl.Series) -> pl.DataFrame:
    """What queries have in common with those before them, from the terms of both.

    Returns
    -------
    polars.DataFrame
        ``terms``, ``previous_terms`` and ``shared`` (how many the query has, the one before, both), ``overlap`` (Jaccard: shared
        terms as a share of those in either; 1 where there are none) and ``kind``, one of `KINDS`; null where the terms of
        either are. ``repeat``: the same terms; ``new``: none in common; ``specialization``: all that were there and
        others; ``generalization``: only terms that were there, not all; ``substitution``: some kept, some replaced.

    >>> before, terms = pl.Series([["jaguar"], ["jaguar"]]), pl.Series([["jaguar", "speed"], ["panther"]])
    >>> compared(before, terms).select("shared", "overlap", "kind").rows()
    [(1, 0.5, 'specialization'), (0, 0.0, 'new')]
    """
    steps = pl.DataFrame({"before": before, "terms": terms}).with_row_index("step")
    # joined term by term: polars 2.1 can go out of bounds where it intersects lists of a part of a column
    each = [steps.select("step", term=name).explode("term").drop_nulls() for name in ("before", "terms")]
    both = each[0].join(each[1], on=["step", "term"]).group_by("step").agg(shared=pl.len().cast(pl.Int64))
    known = pl.col("before").is_not_null() & pl.col("terms").is_not_null()
    found = steps.join(both, on="step", how="left", maintain_order="left").select(
        terms=pl.col("terms").list.len().cast(pl.Int64),
        previous_terms=pl.col("before").list.len().cast(pl.Int64),
        shared=pl.when(known).then(pl.col("shared").fill_null(0)),
    )
    had, has, shared = pl.col("previous_terms"), pl.col("terms"), pl.col("shared")
    either = had + has - shared
    all_kept, none_added = shared == had, shared == has
    kind = (
        pl.when(all_kept & none_added)
        .then(pl.lit("repeat"))
        .when(shared == 0)
        .then(pl.lit("new"))
        .when(all_kept)
        .then(pl.lit("specialization"))
        .when(none_added)
        .then(pl.lit("generalization"))
        .when(shared > 0)
        .then(pl.lit("substitution"))
    )
    overlap = pl.when(either == 0).then(1.0).otherwise(exact.quotient(shared, either))
    return found.with_columns(overlap=overlap, kind=kind)


@dataclass(frozen=True, repr=False, kw_only=True)
class MeanQueryTerms(SessionMeasure):
    """QueryTerms: the mean number of distinct terms in a session's logged queries.

    Unit: terms per query. Range [0, no bound); it describes and does not rate, so no direction is better.
    A query that is logged without its text is left out; null where none has one. Needs ``query_text``. What a term is:
    runs of letters, marks and digits, in lower case [OURS].

    "oslo" has one term, "oslo airport" two:

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     queries={"session_id": ["s", "s"], "query_position": [1, 2], "query_text": ["oslo", "Oslo airport"]},
    ...     results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
    ...     sessions={"session_id": ["s"], "topic_id": ["t"]},
    ...     judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    ... )
    >>> sk.score(study, ["QueryTerms", "QueryOverlap"]).get_column("value").to_list()
    [1.5, 0.5]
    """

    name = "QueryTerms"
    direction = "unknown"
    bounds = "fixed"
    formula = "distinct terms of all logged queries, each query's counted apart / number of these queries"
    meaning = "distinct terms per query"
    source = "OURS; query length as in Jansen, Booth & Spink, JASIST 2009 [MEMORY]"
    without = WORDING
    reads: ClassVar[Columns] = {"queries": ("query_text",)}
    of_lists = False
    every_query = True
    undefined_where = "no logged query with a text"

    def values(self, lists: Lists) -> pl.Series:
        """Mean number of terms of every session."""
        return _mean(lists, lists.queries.select("session", value=terms_of(KNOWN).list.len()))


@dataclass(frozen=True, repr=False, kw_only=True)
class MeanQueryOverlap(SessionMeasure):
    """QueryOverlap: the mean Jaccard coefficient of the terms of consecutive logged queries of a session.

    Unit: share. Range [0, 1]; it describes and does not rate: 1 repeats, 0 starts anew each time. Queries without a text
    are taken out first; null where fewer than two remain. Two queries without any term overlap by 1. Needs ``query_text``.
    See `QueryTerms` for an example.
    """

    name = "QueryOverlap"
    direction = "unknown"
    needs_several_queries = True
    bounds = "fixed"
    formula = "mean over consecutive queries of |terms in both| / |terms in either|"
    meaning = "share of terms that consecutive queries have in common"
    source = "OURS; the Jaccard coefficient"
    without = WORDING
    reads: ClassVar[Columns] = {"queries": ("query_text",)}
    of_lists = False
    every_query = True
    undefined_where = "fewer than two logged queries with a text"

    @property
    def highest(self) -> float | None:
        """The same terms every time."""
        return 1.0

    def values(self, lists: Lists) -> pl.Series:
        """Mean overlap of every session."""
        texts = lists.queries.filter(KNOWN.is_not_null())
        terms = texts.select("session", terms=terms_of(KNOWN))
        pairs = terms.with_columns(before=pl.col("terms").shift(1)).filter(
            pl.col("session") == pl.col("session").shift(1)
        )
        overlap = compared(pairs["before"], pairs["terms"]).get_column("overlap")
        return _mean(lists, pairs.select("session", value=overlap))


def _mean(lists: Lists, values: pl.DataFrame) -> pl.Series:
    """Exact mean of the values of every session, null where it has none."""
    means = values.drop_nulls().group_by("session").agg(exact.mean(pl.col("value").cast(pl.Float64)))
    sessions = lists.batch.sessions.select("session")
    return sessions.join(means, on="session", how="left", maintain_order="left").get_column("value")


QueryTerms = MeanQueryTerms()
QueryOverlap = MeanQueryOverlap()
FAMILY = (QueryTerms, QueryOverlap)
