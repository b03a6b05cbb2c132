"""The columns of all findings: a name means one thing, and groups stand in a column of their own name."""

from functools import partial

import polars as pl
import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic

FINDINGS = {
    "compare": partial(sk.compare, measures=["nsDCG@10", "Queries"], by="skill"),
    "within": partial(sk.compare, measures="nsDCG@10", by="skill", within="system_id"),
    "mixed": partial(sk.compare, measures="nsDCG@10", by="skill", population="users,topics"),
    "sweep": partial(sk.sweep, measure="nsDCG@10", vary={"b": [2, 9]}, by="skill"),
    "persistence": partial(sk.sweep, measure="sRBP(b=0.6,p=0.8)@10", vary={"p": [0.2, 0.9]}, by="skill"),
    "correlate": partial(sk.correlate, measures=["nsDCG@10", "Queries"], with_="satisfaction", draws=200),
    "power": partial(
        sk.power, measure="nsDCG@10", by="skill", difference="20%", users=[30], draws=200, component_draws=50
    ),
    "bounds": partial(sk.bounds, measures="nsDCG@10", by="skill", wanted=3, per="session"),
    "judgment_loss": partial(sk.judgment_loss, measures="nsDCG@10", by="skill", fractions=[0.5, 1], draws=3),
    "judge_noise": partial(sk.judge_noise, measures="nsDCG@10", by="skill", noise=0.1, draws=3),
    "discriminate": partial(sk.discriminate, measures="nsDCG@10", by="skill"),
    "effort": partial(sk.effort, measure="nsDCG@10", by="skill"),
    "breakdown_tests": partial(sk.breakdown_tests, measure="nDCG@10", by="skill", draws=200),
    "calibrate": partial(sk.calibrate, model=["sDCG", "sRBP"], draws=200, ranks=5),
}
GROUPED = {
    "compare": ("groups", "units"),
    "within": ("groups", "units"),
    "sweep": ("means",),
    "persistence": ("means",),
    "bounds": ("bounds", "judged", "units"),
    "effort": ("reach", "plateau", "spent", "searcher"),
    "breakdown_tests": ("tests",),
}
"""Tables with a row, or several, for each group."""
WORDS = {
    "p": ("p_value", "pvalue", "asl", "p_all"),
    "significant": ("rejected", "shown"),
    "statistic": ("t", "z", "f"),
    "effect": ("effect_size",),
    "estimate": ("mean_difference",),
    "raw_difference": ("margin", "difference_raw"),
    "value": ("score",),
    "low": ("lo", "ci_low", "from"),
    "high": ("hi", "ci_high", "to"),
    "the name of the column": ("group", "by", "system"),
}
"""What a column is called, and what it is not."""
FOUND = ("estimate", "value", "mean", "tau", "variance", "sd", "share", "power", "base")
"""What low and high are the ends of: the first of these that a table has."""


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.mark.few(5)
@pytest.mark.parametrize("name", FINDINGS)
def test_a_column_is_called_by_one_name_in_all_tables(name, clinic):
    for table, frame in FINDINGS[name](clinic).tables().items():
        for word, others in WORDS.items():
            assert not {*others} & {*frame.columns}, f"{table} says {word} otherwise"
        grouped = "skill" in frame.columns
        assert grouped == (table in GROUPED.get(name, ())), table
        if grouped and table != "searcher":  # the searcher without end is of no group
            assert {*map(str, frame["skill"])} == set("1234")
        if "estimate" in frame.columns:  # beside it a difference is one of raw means, and says so
            assert "difference" not in frame.columns
        assert ("a" in frame.columns) == ("b" in frame.columns) or "b" in vary(name)
        for column in frame.columns:
            if column in ("p", "p_adjusted", "median_p", "p_independent") and column not in vary(name):
                assert frame[column].is_between(0, 1).all()
        if {"low", "high"} <= {*frame.columns}:
            of = next(each for each in FOUND if each in frame.columns)
            if frame.schema[of].is_numeric():
                inside = frame.filter(pl.col(of).is_between(pl.col("low") - 1e-12, pl.col("high") + 1e-12).not_())
                assert inside.is_empty(), f"{of} outside its interval in {table}"


def vary(name):
    """The parameters that are varied, whose values stand in columns of their names."""
    return FINDINGS[name].keywords.get("vary", {})


AVERAGED = {
    "curve": lambda study, by: sk.curve(study, "nsDCG@3", by),
    "breakdown": lambda study, by: sk.breakdown(study, "nDCG@3", by=by),
    "summary": lambda study, by: sk.summary(study, by=by),
    "precision_recall": lambda study, by: sk.precision_recall(study, by=by),
    "gain_vectors": lambda study, by: sk.gain_vectors(study, "CG@3", by=by),
    "session_survival": sk.session_survival,
}


@pytest.mark.parametrize("name", AVERAGED)
def test_groups_stand_in_natural_order_in_tables_of_means_too(name, clinic):
    group = pl.concat_str(pl.lit("S"), pl.col("topic_id").rank("dense") * 4)
    study = clinic.with_tables(sessions=clinic.sessions.with_columns(group=group))
    groups = AVERAGED[name](study, "group")["group"].unique(maintain_order=True).to_list()
    assert groups == ["S4", "S8", "S12", "S16"]
    pairs = AVERAGED[name](study, "system_id,group").select("system_id", "group").unique(maintain_order=True)
    assert pairs.rows() == sorted(pairs.rows(), key=lambda row: (row[0], int(row[1][1:])))
