"""The searchers' own grades (``user_grade``) against the judgments, and against each other."""

from __future__ import annotations

import polars as pl

from sessionkit.analysis.agreement import SCHEMA, agreement_table, judges_of, of_all, shared_grades
from sessionkit.scoring.judgment_merge import merged_judgments
from sessionkit.study import Study
from sessionkit.study.judgment_index import PAIR

TABLE = {"who": pl.String, **SCHEMA}
ASSESSORS, SEARCHERS, BOTH = "assessors", "searchers", "searchers and judgments"
JUDGED, OWN = "judgments", "searchers"


def graders_agreement(study: Study) -> pl.DataFrame:
    """Say how far those who graded documents agree, by the measures of `sessionkit.agreement`.

    Returns
    -------
    polars.DataFrame
        ``who``: ``"assessors"`` (the judges of the judgments), ``"searchers"`` (of different sessions, on the same
        document of a key; only all of them together) or ``"searchers and judgments"``; ``judge_id`` and ``other``, null
        in rows about all; ``measure``, ``value``, ``n`` as `sessionkit.agreement` has them. Grades are compared as the
        numbers that they are: searchers and assessors must have used one scale. Where judgments are summed (merge=sum),
        searchers are not compared with them.
    """
    parts = [agreement_table(judges_of(study)).with_columns(who=pl.lit(ASSESSORS))]
    own = own_grades(study)
    if len(own):
        both = own.drop_nulls("grade")
        unit = pl.concat_str("session_id", "judgment_key", separator="\t").alias("judgment_key")
        sides = [
            both.select(unit, "doc_id", grade=name, judge_id=pl.lit(side))
            for side, name in ((JUDGED, "grade"), (OWN, "user_grade"))
        ]
        pair = agreement_table(shared_grades(pl.concat(sides).lazy())).filter(pl.col("judge_id").is_not_null())
        graded = own.with_columns(unit=pl.struct(PAIR).rank("dense"))
        shared = graded.filter(pl.len().over("unit") > 1).select("unit", judge_id="session_id", grade="user_grade")
        if len(shared):
            nobody = [pl.lit(None, pl.String).alias(name) for name in ("judge_id", "other")]
            parts.append(of_all(shared.sort("unit", "judge_id")).with_columns(*nobody, who=pl.lit(SEARCHERS)))
        if study.settings.merge != "sum":  # else one grade would stand beside a sum of several
            parts.append(pair.with_columns(who=pl.lit(BOTH)))
    return pl.concat([pl.DataFrame(schema=TABLE), *(part.select(list(TABLE)) for part in parts)])


def own_grades(study: Study) -> pl.DataFrame:
    """Each searcher's grade of each document, the highest of a session, beside the judgment: ``session_id``,
    ``judgment_key``, ``doc_id``, ``user_grade`` and ``grade`` (null where unjudged).
    """
    if "user_grade" not in study.columns("results"):
        none = {"session_id": pl.String, "judgment_key": pl.String, "doc_id": pl.String}
        return pl.DataFrame(schema={**none, "user_grade": pl.Float64, "grade": pl.Float64})
    rows = study.results.filter(pl.col("user_grade").is_not_null())
    rows = rows.select("session_id", "query_position", "doc_id", pl.col("user_grade").cast(pl.Float64))
    keyed = rows.join(study.sessions.select("session_id", "judgment_key"), on="session_id", how="left")
    if "judgment_key" in study.columns("queries"):
        of_query = study.queries.select("session_id", "query_position", own="judgment_key")
        keyed = keyed.join(of_query, on=["session_id", "query_position"], how="left")
        keyed = keyed.with_columns(judgment_key=pl.coalesce("own", "judgment_key"))
    best = keyed.drop_nulls("judgment_key").group_by("session_id", *PAIR).agg(pl.col("user_grade").max())
    found = best.join(merged_judgments(study), on=PAIR, how="left").sort("session_id", *PAIR)
    return found.select("session_id", *PAIR, "user_grade", "grade").collect()
