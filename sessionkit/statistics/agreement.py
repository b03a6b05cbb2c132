"""How far judges agree: each pair of them by Cohen's kappa, all of them by Krippendorff's alpha.

What is compared are the grades that judges gave to the same document for the same judgment_key (and subtopic and passage, where
judgments have them), as they stand in the study, before they are merged.

Cohen's kappa is 1 - D_o / D_e, with D_o the mean disagreement of the two grades of a document and D_e that of all pairs of a
grade of one judge and a grade of the other; disagreement is 1 for unequal grades, or |a - b| (linear), or (a - b)^2 (quadratic)
in grades. Krippendorff's alpha is 1 - (n - 1) D_o / D_e over the n grades of documents with two or more of them: D_o sums, over
documents, the disagreement of all ordered pairs of their m grades divided by m - 1, D_e that of all ordered pairs of all grades.
Disagreement is 1 for unequal grades (nominal), (a - b)^2 (interval) or (r(a) - r(b))^2 (ordinal), r being the mean rank of a grade
among all grades, which is the sum of frequencies between two grades in the usual definition.

The cross-table of grades says for every two judges which grades the one gave where the other gave which, as Järvelin & Kekäläinen do
for documents that were judged again (TOIS 2002, Table 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import polars as pl

from sessionkit.display.numbers import counted, defined_text, share_text
from sessionkit.display.statements import Kind, Statement
from sessionkit.scoring.batch import merged_judgments
from sessionkit.statistics.findings import Finding, stated, traced
from sessionkit.study import Study
from sessionkit.study.numbering import PAIR as PAIR_OF_JUDGMENT
from sessionkit.study.study import guarded_read

UNIT = ("judgment_key", "doc_id", "subtopic_id", "passage_id")
PAIR = ["judge_id", "other"]
NEW, OLD = "new", "old"
"""The judges in place of those who judged, where the study's judgments are held against others."""
SCHEMA = {"judge_id": pl.String, "other": pl.String, "measure": pl.String, "value": pl.Float64, "n": pl.Int64}
GRADES = {
    "judge_id": pl.String, "other": pl.String, "grade": pl.Float64, "other_grade": pl.Float64, "documents": pl.Int64,
    "share": pl.Float64, "share_of_grade": pl.Float64, "share_of_other_grade": pl.Float64,
}  # fmt: skip
OF_PAIRS = ("agreement", "kappa", "kappa_linear", "kappa_quadratic")
OF_ALL = ("agreement", "alpha_nominal", "alpha_ordinal", "alpha_interval")
A, B = pl.col("grade"), pl.col("grade_other")
APART = {"kappa": (A != B).cast(pl.Float64), "kappa_linear": (A - B).abs(), "kappa_quadratic": (A - B) ** 2}
"""What disagreement means for each kappa."""


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Finding):
    """How far judges agree; made by `sessionkit.agreement`.

    Parameters
    ----------
    table
        A row for each measure of every two judges, and of all.
    grades
        The cross-table of grades: a row for each grade of one judge and grade of another.
    statements
        What it says, see `sessionkit.Statement`; ``reading`` is their text, a line each.
    """

    table: pl.DataFrame
    grades: pl.DataFrame
    statements: tuple[Statement, ...]
    KINDS: ClassVar = {
        "agreement": Kind(
            "How far all judges agree",
            {
                "n": "documents with grades of two judges or more",
                "judges": "who judged: two sets of judgments, or the judges of one",
                "agreement": "share of the pairs of grades that are equal",
                **{name: f"Krippendorff's alpha, grades taken as {name.removeprefix('alpha_')}" for name in OF_ALL[1:]},
            },
        ),
        "least_agreement": Kind(
            "The two judges who agree least, of three judges or more",
            {
                "judge_id": "the one",
                "other": "the other",
                "kappa_linear": "their linear kappa",
                "n": "documents that both judged",
                "pairs": "pairs of judges with a kappa",
            },
        ),
        "no_agreement": Kind(
            "No document has two grades, so that there is no agreement",
            {"judges": "who judged: two sets of judgments, or the judges of one"},
        ),
    }

    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables by name."""
        return {"agreement": self.table, "grades": self.grades, "crossed": crossed(self.grades)}


@traced
@guarded_read
def agreement(study: Study, *, old: Any = None) -> Agreement:  # noqa: ANN401 - as from_run takes judgments
    """Measure how far the judges of a study agree, and which grades they gave where others gave which.

    Parameters
    ----------
    study
        The study; its judgments say who judged in ``judge_id``. Judgments without it are left out. Of several grades of one
        judge for one document the first counts.
    old
        Judgments of the same documents from before a rejudgment, or of somebody else: a study, a file, or what else
        `sessionkit.from_run` takes for qrels. They and the study's are merged as the study says, and are then two judges,
        ``old`` and ``new``.

    Returns
    -------
    Agreement
        Its table: ``judge_id``, ``other``: two judges, both null in the rows about all of them; ``measure``; ``value``; ``n``: documents
        that both judges, or at least two of all, judged. Measures of pairs: ``agreement`` (share of equal grades),
        ``kappa``, ``kappa_linear``, ``kappa_quadratic``; of all: ``agreement`` (of the pairs of grades of a document),
        ``alpha_nominal``, ``alpha_ordinal``, ``alpha_interval``. 1 is perfect agreement, 0 is agreement by chance, negative
        is worse; null where all grades are the same. Pairs without a document in common have no row; with fewer than two
        judges the table is empty. Its ``grades``: ``judge_id``, ``other``, ``grade`` of the first, ``other_grade`` of the second,
        ``documents`` (0 where no document has the two; of more than 50 grades such rows are left out). They are also given as a
        ``share`` of the documents that both judged. ``share_of_grade`` is that of those among them that the first gave this grade,
        ``share_of_other_grade`` of those that the second gave the other. ``crossed`` is the same as papers print it: a row for each
        grade of the first judge, a column for each of the second, with the number of documents and its share of the column.

    Notes
    -----
    Cohen 1960 and 1968; Krippendorff 2011, "Computing Krippendorff's alpha-reliability". On whole grades without gaps the
    kappas are those of scikit-learn's ``cohen_kappa_score``, which weighs by the places of grades in their order.

    Examples
    --------
    Two judges on four documents: three grades of four are equal; by chance 2/4 x 3/4 + 2/4 x 1/4 = 0.5 would be; kappa is
    (0.75 - 0.5) / (1 - 0.5).

    >>> import sessionkit as sk
    >>> study = sk.from_tables(
    ...     results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
    ...     judgments={
    ...         "judgment_key": ["t"] * 8, "doc_id": list("abcd") * 2, "judge_id": ["ada"] * 4 + ["bob"] * 4,
    ...         "grade": [0, 0, 1, 1, 0, 0, 0, 1],
    ...     },
    ... )
    >>> sk.agreement(study).table.filter(measure="kappa").rows()
    [('ada', 'bob', 'kappa', 0.5, 4)]
    >>> sk.agreement(study).grades.select("grade", "other_grade", "documents", "share_of_grade").rows()
    [(0.0, 0.0, 2, 1.0), (0.0, 1.0, 0, 0.0), (1.0, 0.0, 1, 0.5), (1.0, 1.0, 1, 0.5)]
    """
    shared = judges_of(study) if old is None else _rejudged(study, old)
    table = agreement_table(shared)
    return Agreement(table, grades_table(shared), stated(_statements(table, two_sets=old is not None)))


LEVELS = 50
"""Grades of a judge up to which the cross-table has a place for every pair of them."""


def judges_of(study: Study) -> pl.DataFrame:
    """What several judges of a study judged: ``unit`` (the number of a document), ``judge_id``, ``grade``."""
    return shared_grades(study.judgments)


def agreement_table(shared: pl.DataFrame) -> pl.DataFrame:
    """How far judges agree, of what `judges_of` returns: the table of `agreement`."""
    if shared.is_empty():
        return pl.DataFrame(schema=SCHEMA)
    return pl.concat([_of_pairs(shared), of_all(shared)], how="diagonal").select(
        pl.col(name).cast(dtype) for name, dtype in SCHEMA.items()
    )


def grades_table(shared: pl.DataFrame) -> pl.DataFrame:
    """The cross-table of grades, of what `judges_of` returns: the table ``grades`` of `agreement`."""
    both = _pairs(shared).rename({"grade_other": "other_grade"})
    seen = both.group_by(*PAIR, "grade", "other_grade").agg(documents=pl.len().cast(pl.Int64))
    grades = [both.select(*PAIR, name).unique() for name in ("grade", "other_grade")]
    if max(both[name].n_unique() for name in ("grade", "other_grade")) <= LEVELS:
        every = grades[0].join(grades[1], on=PAIR).join(seen, on=[*PAIR, "grade", "other_grade"], how="left")
        seen = every.with_columns(pl.col("documents").fill_null(0))
    counts = seen.sort(*PAIR, "grade", "other_grade")
    shares = {
        "share": PAIR,
        "share_of_grade": [*PAIR, "grade"],
        "share_of_other_grade": [*PAIR, "other_grade"],
    }
    documents = pl.col("documents")
    found = counts.with_columns((documents / documents.sum().over(of)).alias(name) for name, of in shares.items())
    return found.select(pl.col(name).cast(dtype) for name, dtype in GRADES.items())


def crossed(grades: pl.DataFrame) -> pl.DataFrame:
    """The cross-table as papers print it: a row for each grade of the first judge, a column for each of the second.

    Cells are numbers of documents, with the share of those that the second judge gave the grade of the column. Of more than
    :data:`LEVELS` grades, as scores are, it has no rows.
    """
    if max(grades[name].n_unique() for name in ("grade", "other_grade")) > LEVELS:
        grades = grades.clear()
    keys = [*PAIR, "grade"]
    order = grades.get_column("other_grade").unique().sort()
    columns = [f"other grade {repr(grade).removesuffix('.0')}" for grade in order]
    cells = grades.with_columns(
        cell=_documents("share_of_other_grade"),
        column=pl.col("other_grade").replace_strict(order, columns, return_dtype=pl.String),
    )
    wide = cells.pivot(on="column", on_columns=columns, index=keys, values="cell", maintain_order=True)
    total = grades.group_by(keys, maintain_order=True).agg(pl.col("documents", "share").sum())
    shown = total.select(*keys, total=_documents("share"))
    return wide.join(shown, on=keys, maintain_order="left")


def _documents(share: str) -> pl.Expr:
    """Return a number of documents with a share in parentheses."""
    return pl.format("{} ({})", "documents", pl.col(share).map_elements(share_text, pl.String))


def shared_grades(judgments: pl.LazyFrame, by: Sequence[str] = UNIT) -> pl.DataFrame:
    """The grades of documents, which agree in some columns, that several judges judged: ``unit``, ``judge_id``, ``grade``."""
    columns = judgments.collect_schema().names()
    if "judge_id" not in columns:
        return pl.DataFrame(schema={"unit": pl.UInt32, "judge_id": pl.String, "grade": pl.Float64})
    unit = [name for name in by if name in columns]
    judged = judgments.filter(pl.col("judge_id").is_not_null()).select(*unit, "judge_id", "grade")
    grades = judged.collect().unique([*unit, "judge_id"], keep="first", maintain_order=True)
    grades = grades.with_columns(unit=pl.struct(unit).rank("dense")).select("unit", "judge_id", "grade")
    return grades.filter(pl.len().over("unit") > 1).sort("unit", "judge_id")


def _rejudged(study: Study, old: Any) -> pl.DataFrame:  # noqa: ANN401 - as from_run takes judgments
    """The merged grades of two sets of judgments."""
    from sessionkit.readers.runs import judged_alone  # pages need no reader

    before = replace(old if isinstance(old, Study) else judged_alone(old), settings=study.settings)
    sets = [merged_judgments(one).with_columns(judge_id=pl.lit(name)) for name, one in ((OLD, before), (NEW, study))]
    return shared_grades(pl.concat(sets), PAIR_OF_JUDGMENT)


def _statements(table: pl.DataFrame, *, two_sets: bool = False) -> list[Statement]:
    """Say how far all judges agree, and which two agree least by linear kappa."""
    judges = "two sets" if two_sets else "judges"
    if table.is_empty():
        text = (
            "No document is judged in both sets of judgments."
            if two_sets
            else "No document has grades of two judges; a column judge_id of the judgments tells judges apart."
        )
        return [Statement("no_agreement", text, {"judges": judges})]
    of_all_judges = table.filter(pl.col("judge_id").is_null())
    n = of_all_judges["n"][0]
    coefficients = dict(of_all_judges.select("measure", "value").rows())
    alphas = [f"{defined_text(coefficients[name], 3)} ({name.removeprefix('alpha_')})" for name in OF_ALL[1:]]
    graded = f"{counted(n, 'document')} graded {'in both sets' if two_sets else 'by two judges or more'}"
    equal = f"{share_text(coefficients['agreement'], 0)} of the pairs of grades are equal"
    text = f"{graded}: {equal}; Krippendorff's alpha is {', '.join(alphas)}."
    statements = [Statement("agreement", text, {"n": n, "judges": judges, **coefficients})]
    pairs = table.filter(measure="kappa_linear").drop_nulls("value").sort("value", maintain_order=True)
    return [*statements, _least_agreement(pairs)] if len(pairs) > 1 else statements


def _least_agreement(pairs: pl.DataFrame) -> Statement:
    """Say which two judges agree least, of rows with linear kappas, the smallest first."""
    judge, other, _, kappa, n = pairs.row(0)
    least = f"{judge} and {other} agree least: linear kappa {defined_text(kappa, 3)} on {counted(n, 'document')}"
    return Statement(
        "least_agreement",
        f"Of {len(pairs)} pairs of judges {least}.",
        {"judge_id": judge, "other": other, "kappa_linear": kappa, "n": n, "pairs": len(pairs)},
    )


def _of_pairs(shared: pl.DataFrame) -> pl.DataFrame:
    """Return agreement and kappas for every two judges with documents in common."""
    both = _pairs(shared)
    pairs = both.group_by(PAIR, maintain_order=True)
    seen = pairs.agg(
        n=pl.len().cast(pl.Int64), agreement=(A == B).mean(), **{name: apart.mean() for name, apart in APART.items()}
    )
    one, other = (
        both.group_by([*PAIR, name]).agg(pl.len().cast(pl.Int64).alias(f"n_{name}"))
        for name in ("grade", "grade_other")
    )
    met = one.join(other, on=PAIR).sort(*PAIR, "grade", "grade_other")
    ways = pl.col("n_grade") * pl.col("n_grade_other")
    chance = met.group_by(PAIR, maintain_order=True).agg(
        ((ways * apart).sum() / ways.sum()).alias(f"{name}_chance") for name, apart in APART.items()
    )
    joined = seen.join(chance, on=PAIR, maintain_order="left")
    kappas = joined.with_columns(
        pl.when(pl.col(f"{name}_chance") > 0).then(1 - pl.col(name) / pl.col(f"{name}_chance")).alias(name)
        for name in APART
    )
    places = {name: place for place, name in enumerate(OF_PAIRS)}
    long = kappas.unpivot(OF_PAIRS, index=[*PAIR, "n"], variable_name="measure", value_name="value")
    return long.sort(*PAIR, pl.col("measure").replace_strict(places))


def _pairs(shared: pl.DataFrame) -> pl.DataFrame:
    """The grades of every two judges of a document: `PAIR`, ``unit``, ``grade``, ``grade_other``."""
    both = shared.join(shared, on="unit", suffix="_other", maintain_order="left_right")
    return both.rename({"judge_id_other": "other"}).filter(pl.col("judge_id") < pl.col("other")).sort(*PAIR, "unit")


def of_all(shared: pl.DataFrame) -> pl.DataFrame:
    """Return agreement and alphas over all judges: ``unit``, ``judge_id``, ``grade`` of units that several judged."""
    count = len(shared)
    units = shared["unit"].n_unique()
    told = shared.with_columns(
        alpha_interval=A - A.mean(),
        alpha_ordinal=A.rank("average") - (count + 1) / 2,
        many=pl.len().over("unit").cast(pl.Int64),
    )
    equal = told.group_by("unit", "grade").agg(alike=pl.len().cast(pl.Int64), many=pl.col("many").first())
    alike = pl.col("alike") * (pl.col("alike") - 1) / (pl.col("many") - 1)
    shared_share = equal.sort("unit", "grade").select(alike.sum()).item() / count
    frequencies = shared.group_by("grade").len()["len"].cast(pl.Int64)
    different = {"alpha_nominal": ((1 - shared_share) * count, float(count**2 - (frequencies**2).sum()))}
    for name in ("alpha_ordinal", "alpha_interval"):
        value = pl.col(name)
        apart = 2 * (pl.len() * (value**2).sum() - value.sum() ** 2)
        within = told.group_by("unit", maintain_order=True).agg(apart=apart, many=pl.col("many").first())
        seen = within.select((pl.col("apart") / (pl.col("many") - 1)).sum()).item()
        different[name] = (seen, told.select(apart).item())
    several = len(frequencies) > 1
    alphas = {name: 1 - (count - 1) * seen / chance if several else None for name, (seen, chance) in different.items()}
    values = {"agreement": shared_share, **alphas}
    return pl.DataFrame(
        {"measure": list(OF_ALL), "value": [values[name] for name in OF_ALL], "n": [units] * len(OF_ALL)},
        schema={"measure": pl.String, "value": pl.Float64, "n": pl.Int64},
    )
