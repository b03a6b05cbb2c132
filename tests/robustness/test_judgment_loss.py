"""judgment_loss, end to end: against the protocol restated with scipy on studies that are read anew for every share.

What is left out before judgments are taken away: keys, runs that returned too little, and all but some pairs.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import DataError, UsageError
from sessionkit.robustness.judgment_draws import Order
from sessionkit.study.batches import watched
from tests.robustness.runs import listed, runs, with_judgments
from tests.statistics import all_arrangements
from tests.support.clinic import read_clinic

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"
MEASURES = ["mean(nDCG@10)", "mean(infAP)"]
SHARES = [Fraction(1, 10), Fraction(2, 5), Fraction(1)]


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def orders(judgments, seeds, pool=None):
    """The random order that these numbers name, of judgments in the order of key and document."""
    key = judgments["judgment_key"].rank("dense").cast(pl.Int64).to_numpy() - 1
    order = Order.of(judgments["grade"].to_numpy(), key, 1, seeds)
    return order if pool is None else order.within(pool)


def values(study, measure):
    """Values of all topics (rows) of every system (columns), and the systems' means."""
    frame = sk.score(study, measure, per="session").pivot(
        on="system_id", index="topic_id", values="value", sort_columns=True
    )
    table = frame.sort("topic_id").drop("topic_id").to_numpy()
    return table, table.mean(axis=0)


def wilcoxon(d):
    """The p-value by the rule of compare: exact of up to 50 differences that are not 0; rounding aside."""
    return all_arrangements.signed_ranks(d.round(13))


@pytest.mark.slow
def test_tau_is_that_of_studies_read_with_fewer_judgments():
    study, results, judgments = runs()
    found = sk.judgment_loss(study, MEASURES, fractions=[float(s) for s in SHARES], draws=3, seed=7, pairs=1)
    for measure in MEASURES:
        whole = values(study, measure)[1]
        for share in SHARES[:-1]:
            taus, winners, means = [], [], []
            for repeat in range(3):
                kept = orders(judgments, (7, 0, repeat)).kept(share)
                some = values(with_judgments(results, judgments, kept), measure)[1]
                taus.append(stats.kendalltau(whole, some).statistic)
                winners.append(some.argmax() == whole.argmax())
                means.append(some.mean())
            row = found.table.row(
                by_predicate=(pl.col("measure") == measure) & (pl.col("fraction") == float(share)), named=True
            )
            assert [row[name] for name in ("tau", "tau_low", "tau_high")] == pytest.approx(
                [np.mean(taus), min(taus), max(taus)]
            )
            assert (row["winner"], row["draws"]) == (pytest.approx(np.mean(winners)), 3)
            assert row["value"] == pytest.approx(np.mean(means))
            assert row["drift"] == pytest.approx(np.mean(means) - whole.mean())
            assert row["judged"] == pytest.approx(kept.mean())


@pytest.mark.slow
@pytest.mark.parametrize("pool", ["pair", "study"])
def test_verdicts_are_those_of_scipys_wilcoxon_on_judgments_read_anew(pool):
    study, results, judgments = runs(systems=3, topics=9)
    measure, share = "mean(nDCG@10)", Fraction(1, 5)
    found = sk.judgment_loss(study, measure, fractions=0.2, draws=2, seed=1, pool=pool, population="topics")
    counts = dict.fromkeys(("kept", "gained", "lost", "found", "turned"), 0)
    for number, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        shown = results.filter(pl.col("system_id").is_in([f"r{i}", f"r{j}"]))["doc_id"].implode()
        mine = judgments["doc_id"].is_in(shown).to_numpy() if pool == "pair" else np.ones(len(judgments), dtype=bool)
        p, d = [], []
        for repeat in (None, 0, 1):
            seeds = (1, 1) if repeat is None else (1, 1, number, repeat) if pool == "pair" else (1, 0, repeat)
            kept = orders(judgments, seeds, mine).kept(Fraction(1) if repeat is None else share)
            table = values(with_judgments(results, judgments, kept), measure)[0]
            apart = table[:, j] - table[:, i]
            p.append(wilcoxon(apart))
            d.append(apart.mean())
        of = found.pairs.filter(pl.col("a") == f"r{i}", pl.col("b") == f"r{j}", pl.col("fraction") == 0.2).row(
            0, named=True
        )
        assert (of["difference"], of["p"]) == pytest.approx((d[0], p[0]))
        assert (of["mean"], of["low"], of["high"]) == pytest.approx((np.mean(d[1:]), min(d[1:]), max(d[1:])))
        assert (of["median_p"], of["significant"]) == pytest.approx(
            (np.median(p[1:]), np.mean(np.array(p[1:]) <= 0.05))
        )
        for one_d, one_p in zip(d[1:], p[1:], strict=True):
            name = {(0, 0): "kept", (0, 1): "gained", (1, 0): "lost", (1, 1): "found"}[p[0] <= 0.05, one_p <= 0.05]
            counts[name] += 1
            counts["turned"] += name == "found" and one_d * d[0] < 0
    row = found.confusion.row(0, named=True)
    assert {name: row[name] for name in counts} == counts
    assert row["accuracy"] == (counts["kept"] + counts["found"]) / 6


def test_all_judgments_are_the_study_itself_bit_for_bit(clinic):
    found = sk.judgment_loss(clinic, ["nsDCG@10", "sDCG@10"], fractions=[1], draws=1)
    assert found.table.select("fraction", "judged", "tau", "winner", "drift").unique().rows() == [
        (1.0, 1.0, 1.0, 1.0, 0.0)
    ]
    compared = sk.compare(clinic, ["nsDCG@10", "sDCG@10"], correction="none").table
    assert found.pairs["p"].to_list() == compared["p"].to_list()
    assert found.pairs["difference"].to_list() == compared["estimate"].to_list()
    assert found.confusion["accuracy"].to_list() == [1.0, 1.0]
    assert found.knees["knee"].to_list() == [1.0, 1.0]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits_and_another_does_not(clinic, tmp_path):
    asked = {"fractions": [0.05], "draws": 3}
    one = sk.judgment_loss(clinic, "nsDCG@10", seed=2, **asked)
    saved = clinic.save(tmp_path / "study")
    small = sk.judgment_loss(saved, "nsDCG@10", seed=2, memory="50MB", **asked)
    parted = sk.judgment_loss(clinic.save(tmp_path / "parts", partition_by="system_id"), "nsDCG@10", seed=2, **asked)
    other = sk.judgment_loss(clinic, "nsDCG@10", seed=3, **asked)
    for name, table in one.tables().items():
        assert table.equals(small.tables()[name])
        assert table.equals(parted.tables()[name])
    assert one.reading == small.reading
    assert not one.table.equals(other.table)


@pytest.mark.slow
def test_a_log_in_many_blocks_is_scored_as_one_in_one(monkeypatch):
    study, *_ = runs(systems=4, topics=6)
    asked = {"fractions": [0.2], "draws": 2, "pairs": 4}
    whole = sk.judgment_loss(study, MEASURES, **asked)
    monkeypatch.setattr("sessionkit.robustness.rescore.FEWEST", 40)
    monkeypatch.setattr("sessionkit.robustness.rescore.ROWS", 40)
    parts = sk.judgment_loss(study, MEASURES, **asked)
    for name, table in whole.tables().items():
        assert table.equals(parts.tables()[name])


@pytest.mark.slow
def test_the_reading_says_what_was_done_and_about_what(clinic):
    two = sk.judgment_loss(clinic, "nsDCG@10", fractions=[0.1, 0.5], draws=2, seed=4)
    protocol = two.of_kind("protocol")[0].values
    assert (protocol["judgments"], protocol["draws"], protocol["seed"]) == (655, 2, 4)
    assert (protocol["test"], protocol["population"]) == ("least squares on user + topic + group", "users")
    assert two.of_kind("steps")[0].values["groups"] == 2
    many = sk.judgment_loss(runs(systems=6)[0], "mean(nDCG@10)", draws=2, pairs=3)
    protocol = many.of_kind("protocol")[0].values
    assert (protocol["fraction"], protocol["pool"]) == (0.01, "pair")
    assert protocol["judged"] == many.table["judged"][0] > 1.5 * 0.01
    (verdicts,) = many.of_kind("verdicts")
    assert (verdicts.values["measure"], verdicts.values["confidence"]) == ("mean(nDCG@10)", 0.95)
    assert verdicts.values["shares"][0]["fraction"] == 0.01
    assert many.statements[-1].kind == "scope"


def test_no_judgments_and_options_that_make_no_sense(clinic):
    bare = sk.from_tables(results=listed(np.zeros((2, 20))), judgments=None)
    with pytest.raises(DataError, match="no judgments to remove"):
        sk.judgment_loss(bare, "sDCG@10")
    for options, names in (
        ({"pool": "pairs"}, "did you mean 'pair'"),
        ({"draws": 0}, "draws must be a whole number of at least 1"),
        ({"seed": -1}, "seed must be"),
        ({"confidence": 0.3}, "confidence must be a number above .5 and below 1"),
        ({"threshold": 0}, "threshold must be"),
        ({"by": "sistem_id"}, "did you mean 'system_id'"),
        ({"test": "wilcoxon"}, "would work with population=topics"),
        ({"full": 2.0}, "full must be a share from 0 to 1, not 2"),
        ({"full": 1.0}, "no group once those that returned less than 100% are left out"),
    ):
        with pytest.raises(UsageError, match=names):
            sk.judgment_loss(clinic, "nsDCG@10", fractions=[0.5], **{"draws": 1, **options})


def test_scorings_are_counted_for_whoever_watches(clinic):
    with watched() as progress:
        sk.judgment_loss(clinic, "nsDCG@10", fractions=[0.5], draws=3)
    assert (progress.done["scorings"], progress.of["scorings"], progress.share) == (4, 4, 1)
    assert "4 of 4 scorings" in str(progress)


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
@pytest.mark.filterwarnings("ignore:.*upper bound")
def test_real_sessions_of_two_halves_of_the_users(tmp_path):
    """80 sessions with their own 9 to 242 judgments, by whether the user's number is odd: two groups of other users."""
    columns = {
        "session": 'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User"',
        "results": 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"',
        "qrels": 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"',
    }
    text = 'format = "tables"\nmax_grade = 2\n'
    for table, name in {"sessions": "session", "results": "results", "judgments": "qrels"}.items():
        text += (
            f'[{table}]\npath = "{DATA / name}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns[name]} }}\n'
        )
        text += 'empty_list = "no results"\n' if table == "results" else ""
    (tmp_path / "study.toml").write_text(text)
    study = sk.read(tmp_path / "study.toml")
    half = (pl.col("user_id").str.slice(1).cast(pl.Int64) % 2).replace_strict({0: "even", 1: "odd"})
    study = study.with_tables(sessions=study.sessions.with_columns(half=half))
    found = sk.judgment_loss(study, ["mean(nDCG@9)", "nsDCG@9"], "half", fractions="0.1:1:4", draws=3)
    assert found.test == "Welch's t"
    assert found.table["judged"][0] > 0.15  # eleven or more stay of every key
    for measure in ("mean(nDCG@9)", "nsDCG@9"):
        mine = found.table.filter(pl.col("measure") == measure)
        assert mine["judged"].is_sorted()
        assert mine["value"][-1] == pytest.approx(sk.score(study, measure, by="half")["value"].mean())
    compared = sk.compare(study, ["mean(nDCG@9)", "nsDCG@9"], "half", correction="none").table
    assert found.pairs.filter(pl.col("fraction") == 1)["p"].to_list() == compared["p"].to_list()


@pytest.mark.parametrize("find", [sk.judgment_loss, sk.judge_noise, sk.discriminate])
def test_sessions_of_no_group_are_refused(find):
    study = sk.from_tables(
        results={"session_id": ["a", "b"], "query_position": 1, "rank": 1, "doc_id": ["x", "y"], "topic_id": "t"},
        judgments={"judgment_key": ["t"] * 2, "doc_id": ["x", "y"], "grade": [1, 0]},
    )
    with pytest.raises(sk.UsageError, match=r"system_id: .* have no group"):
        find(study, "sDCG@1")


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
