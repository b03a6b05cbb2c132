"""What is left out before judgments are taken away: keys, runs that returned too little, and all but some pairs."""

import polars as pl
import pytest

import sessionkit as sk
from tests.support.clinic import read_clinic

from .runs import runs


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.mark.slow
def test_bpref_counts_keys_with_a_relevant_document_and_ten_others():
    _, results, judgments = runs(topics=4)
    # topic t0 keeps nine documents that are not relevant, t1 has no relevant one; bpref is of t2 and t3
    first = judgments.filter(pl.col("judgment_key") == "t0", pl.col("grade") == 0)["doc_id"].head(9)
    thin = judgments.filter(
        (pl.col("judgment_key") != "t0") | (pl.col("grade") > 0) | pl.col("doc_id").is_in(first.implode())
    ).with_columns(grade=pl.when(pl.col("judgment_key") == "t1").then(0.0).otherwise("grade"))
    thinned = sk.from_tables(results=results, judgments=thin)
    found = sk.judgment_loss(thinned, ["mean(bpref)", "mean(AP)"], fractions=[0.5], draws=1)
    assert dict(found.left_out.rows()) == {"judgment keys without a relevant document and ten others, for bpref": 2}
    with pytest.warns(sk.DataWarning, match="undefined"):
        table = sk.score(thinned, ["mean(bpref)", "mean(AP)"], per="session")
    for measure, topics in (("mean(bpref)", ["t2", "t3"]), ("mean(AP)", ["t0", "t2", "t3"])):
        mine = table.filter(pl.col("measure") == measure, pl.col("topic_id").is_in(topics))
        means = mine.group_by("system_id").agg(pl.col("value").mean())["value"]
        assert found.table.filter(pl.col("measure") == measure, pl.col("fraction") == 1)[
            "value"
        ].item() == pytest.approx(means.mean())


@pytest.mark.slow
def test_runs_that_returned_too_little_are_left_out_and_searchers_are_not(clinic):
    _, results, judgments = runs(systems=4, topics=10)
    # r3 returns 94% of what it could, r2 95%: 120 documents each
    lost = {"r3": 8, "r2": 6}
    deep = results.with_columns(row=pl.int_range(pl.len()).over("system_id", "rank"))
    gone = (pl.col("rank") == 12) & (pl.col("row") < pl.col("system_id").replace_strict(lost, default=0))
    short = sk.from_tables(results=deep.filter(~gone).drop("row"), judgments=judgments)
    found = sk.judgment_loss(short, "mean(nDCG@10)", fractions=[0.5], draws=1)
    assert found.left_out["what"].to_list() == ["run r3, which returned less than 95% of what it could"]
    assert set(found.pairs["b"]) == {"r1", "r2"}
    assert sk.judgment_loss(short, "mean(nDCG@10)", fractions=[0.5], draws=1, full=0).left_out.is_empty()
    assert sk.judgment_loss(clinic, "nsDCG@10", fractions=[0.5], draws=1).left_out.is_empty()


@pytest.mark.slow
def test_pairs_are_drawn_where_there_are_many():
    study, *_ = runs(systems=6)
    asked = {"fractions": [0.5], "draws": 4}
    some = sk.judgment_loss(study, "mean(nDCG@10)", pairs=8, **asked)
    assert some.pairs.filter(pl.col("fraction") == 1).height == 8
    assert some.times == 1  # eight pairs are all that was asked for
    every = sk.judgment_loss(study, "mean(nDCG@10)", pairs=45, **asked)
    assert (every.pairs.filter(pl.col("fraction") == 1).height, every.times) == (15, 3)
    row = every.confusion.row(0, named=True)
    assert row["kept"] + row["gained"] + row["lost"] + row["found"] == 45
