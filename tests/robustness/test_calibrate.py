"""Calibration as a whole: what it says, what it offers to score with, and the literature's values.

Tables of counts: what is taken apart, and what is refused.
"""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError
from sessionkit.robustness.calibrate import calibrate, counted_table, counts_file
from sessionkit.robustness.calibrate_fits import LIKELIHOOD, fitted, intervals
from sessionkit.robustness.calibrate_models import ALL, model_of, models_of
from sessionkit.statistics.distributions import Resampling
from tests.robustness.drawing_models import counted, drawn_counts
from tests.support.clinic import read_clinic

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COUNTS = DATA / "srbp_observed_counts.tsv"


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def estimates(found, criterion, model=None):
    """The estimates of one criterion, by parameter."""
    rows = (
        found.table.filter(criterion=criterion)
        if model is None
        else found.table.filter(criterion=criterion, model=model)
    )
    return dict(rows.select("parameter", "estimate").rows())


@pytest.mark.slow
def test_the_fitted_measures_score(clinic):
    found = sk.calibrate(clinic, ["nsDCG(like=jiang2016)@10", "sRBP@10", "RBP@10"], draws=200)
    assert [sk.parse_measure(text).name for text in found.measures] == ["nsDCG", "sRBP", "RBP"]
    assert all(str(sk.parse_measure(text)) == text for text in found.measures)
    assert found.measures[0].startswith("nsDCG(gain=exp2,discount=shifted,query_discount=shifted,b=")
    texts = [*found.measures[:2], f"mean({found.measures[2]})"]
    assert sk.score(clinic, texts, by="system_id").get_column("value").null_count() == 0


def test_the_tables_agree_with_each_other(clinic):
    found = sk.calibrate(clinic, "sDCG@10", draws=200)
    assert list(found.tables()) == ["parameters", "fits", "grids"]
    assert found.table["identified"].all()
    assert found.table.filter((pl.col("estimate") < pl.col("low")) | (pl.col("estimate") > pl.col("high"))).is_empty()
    first = found.expected.filter(criterion="likelihood", rank=1, query_position=1)
    assert first.select("observed", "expected").row(0) == (118, 118.0)  # two of 120 first queries returned nothing
    own = found.grids.filter(ranks=found.fits.item(0, "ranks"), queries=found.fits.item(0, "queries"))
    assert own.get_column("estimate").to_list() == found.table.get_column("estimate").to_list()
    assert found.fits["TSE"].arg_min() == 1  # no other fit has less squared error than that by squared error
    assert found.fits["KL"].arg_min() == 2
    assert found.fits["log_likelihood"].arg_max() == 0


@pytest.mark.slow
def test_draws_are_the_same_for_a_seed_and_others_for_another(clinic):
    one, same, other = (sk.calibrate(clinic, "RBP@10", draws=200, seed=seed).table for seed in (1, 1, 2))
    assert one.equals(same)
    assert one["estimate"].equals(other["estimate"])
    assert not one["low"].equals(other["low"])


@pytest.mark.slow
def test_the_order_of_rows_and_partitions_do_not_matter(clinic, tmp_path):
    saved = clinic.save(tmp_path / "study", partition_by="system_id")
    assert sk.calibrate(saved, "sDCG@10", draws=200).table.equals(sk.calibrate(clinic, "sDCG@10", draws=200).table)


@pytest.mark.slow
def test_bootstrap_intervals_cover_where_users_differ():
    # 40 users of 5 lists each, whose persistence differs: the profile takes lists as independent and covers too seldom
    model, studies, covered = model_of("RBP"), 120, np.zeros(2)
    random = np.random.Generator(np.random.PCG64(11))
    truth = None
    for study in range(studies + 1):
        users = 40 if study else 100_000  # the first, large one says where such users lie
        persistence = random.beta(6, 4, users)
        ranks = np.array(random.geometric(1 - persistence[:, None], (users, 5))).ravel().clip(max=10)
        rows = pl.DataFrame(
            {
                "unit": np.repeat(np.arange(users), 5),
                "query_position": 1,
                "rank": ranks,
                "ended": ranks >= 10,
            }
        )
        sessions = rows.select("unit", "query_position", ended=pl.lit(value=False))
        whole = counted(rows, sessions)
        fit = fitted(model, LIKELIHOOD, whole.stops(by_position=False)[0], 1.9207)
        if truth is None:
            truth = float(fit.values[0])
            continue
        (drawn,) = intervals(fit, whole, Resampling(400, study))
        low, high = fit.intervals[0]
        covered += [drawn.low <= truth <= drawn.high, low <= truth <= high]
    assert 0.93 <= covered[0] / studies <= 0.97
    assert covered[1] / studies < 0.85


def test_what_cannot_be_told_comes_first_and_is_not_offered():
    single = sk.calibrate(pl.DataFrame({"rank": [1, 2, 3], "query": [1, 1, 1], "count": [40, 20, 9]}), "sDCG@10")
    first = single.statements[0]
    assert (first.kind, first.values["parameter"], first.values["criterion"]) == ("not_identified", "bq", "likelihood")
    assert first.values["one_query"]
    assert single.measures == ()
    assert single.of_kind("measures")[0].values["measures"] == []
    notes = single.table.filter(parameter="bq")
    assert not notes["identified"].any()


def test_a_base_that_cancels_is_said_to(clinic):
    found = sk.calibrate(clinic, "sDCG(like=srbp2019)@10", draws=200)
    first = found.statements[0]
    assert (first.kind, first.values["parameter"], first.values["reason"]) == ("not_identified", "b", "canceled")
    assert found.warnings[0] == first.text
    assert found.table.filter(parameter="b")["estimate"].null_count() == 3
    assert "b=" not in found.measures[0]


@pytest.mark.slow
def test_a_grid_dependence_is_said_and_a_model_that_holds_is_not_accused():
    whole = drawn_counts("sRBP", (0.7, 0.8), 60_000, seed=4)
    looked = whole.looked()
    cells = [(r + 1, q + 1, int(n)) for (r, q), n in np.ndenumerate(looked) if n]
    counts = pl.DataFrame(cells, schema=["rank", "query", "count"], orient="row")
    found = sk.calibrate(counts, ["sRBP", "sDCG"])
    depending = [(each.values["model"], each.values["criterion"]) for each in found.of_kind("depends_on_grid")]
    assert "sRBP" not in {model for model, _ in depending}
    assert ("sDCG", "TSE") in depending
    assert estimates(found, "likelihood", "sRBP") == pytest.approx({"b": 0.7, "p": 0.8}, abs=0.01)
    assert estimates(found, "TSE", "sRBP") == pytest.approx({"b": 0.7, "p": 0.8}, abs=0.01)
    assert found.of_kind("best_model")[0].values["model"] == "sRBP"
    assert "sRBP" not in {each.values["model"] for each in found.of_kind("misfit")}


def test_all_names_every_form_once():
    assert [model.form for model in models_of("all")][:2] == ["log x log", "shifted x shifted"]
    assert len(models_of(["all", "sDCG@10"])) == len(ALL)


@pytest.fixture(scope="module")
def lipani():
    return pl.read_csv(COUNTS, separator="\t")


@pytest.mark.realdata
@pytest.mark.skipif(not COUNTS.is_file(), reason="the real logs are not on this machine")
class TestLiterature:
    """The counts of the TREC 2014 Session log: FORMULAS section 4, CLASSIC section 6."""

    @pytest.mark.slow
    def test_srbp(self, lipani):
        found = sk.calibrate(lipani, "sRBP")
        # closed form 1 - S / T and (T - Q) / (T - S) of T = 7834, Q = 3408, S = 1252; continuous optimum of TSE
        assert estimates(found, "likelihood") == pytest.approx({"b": 4426 / 6582, "p": 1 - 1252 / 7834}, abs=1e-5)
        assert estimates(found, "TSE") == pytest.approx({"b": 0.63592, "p": 0.85575}, abs=2e-5)
        assert found.fits.filter(criterion="TSE").item(0, "TSE") == pytest.approx(0.00460594, abs=1e-8)
        assert found.measures == ("sRBP(b=0.672,p=0.84)",)

    def test_sdcg_by_stopping_likelihood(self, lipani):
        found = sk.calibrate(lipani, "sDCG@10", queries=8)
        assert estimates(found, "likelihood") == pytest.approx({"b": 1.2534, "bq": 1.966}, abs=5e-4)
        assert found.measures == ("sDCG(b=1.253,bq=1.966)@10",)
        assert found.fits.item(0, "reach_rank_2") == pytest.approx(0.246, abs=5e-4)
        assert found.of_kind("observed")[0].values["reach_rank_2"] == pytest.approx(0.247, abs=5e-4)

    @pytest.mark.slow
    def test_sdcg_by_squared_error_depends_on_the_grid(self, lipani):
        found = sk.calibrate(lipani, ["sDCG", "sDCG(like=jiang2016)", "sDCG(like=srbp2019)", "RBP"])
        row = found.fits.filter(model="sDCG", criterion="TSE").row(0, named=True)
        assert [round(row[name], 4) for name in ("TSE", "TAE", "KL", "reach_rank_2")] == [
            0.0117,
            0.9812,
            1.2317,
            0.0703,
        ]
        grids = found.grids.filter(model="sDCG", criterion="TSE").pivot(
            "parameter", index=["ranks", "queries"], values="estimate"
        )
        rounded = {row[:2]: (round(row[2], 3), round(row[3], 3)) for row in grids.rows()}
        assert rounded[61, 15] == (1.054, 1.330)
        assert rounded[31, 10] == (1.100, 1.444)
        assert rounded[20, 8] == (1.142, 1.551)
        assert rounded[10, 6] == (1.230, 1.770)
        depending = [(each.values["model"], each.values["criterion"]) for each in found.of_kind("depends_on_grid")]
        assert ("sDCG", "TSE") in depending
        assert estimates(found, "TSE", "sDCG(gain=exp2,discount=shifted,query_discount=shifted)") == pytest.approx(
            {"b": 1.0512, "bq": 1.2973}, abs=1e-4
        )
        assert estimates(found, "TSE", "sDCG(gain=binary,discount=burges)")["bq"] == pytest.approx(1.0678, abs=1e-4)
        first = found.statements[0]
        assert (first.kind, first.values["parameter"], first.values["reason"]) == ("not_identified", "b", "canceled")
        assert round(estimates(found, "TSE", "RBP")["p"], 2) == 0.59
        assert found.fits.filter(model="RBP", criterion="TSE").item(0, "TSE") == pytest.approx(0.0252, abs=5e-5)


# four sessions, three of them looked at rank 2 of their first query, one asked again and looked at ranks 1 and 2
TABLE = {"rank": [1, 2, 1, 2], "query": [1, 1, 2, 2], "count": [4, 3, 1, 1]}


def test_counts_are_taken_apart_into_stops():
    found = counted_table(pl.DataFrame(TABLE))
    lists = found.lists.select("query_position", "rank", "many").sort("query_position", "rank").rows()
    assert lists == [(1, 1, 1), (1, 2, 3), (2, 2, 1)]
    assert found.sessions.select("query_position", "many").sort("query_position").rows() == [(1, 3), (2, 1)]
    assert found.looked().tolist() == [[4.0, 1.0], [3.0, 1.0]]
    assert not found.lists["ended"].any()


def test_limits_end_what_comes_to_them():
    cut = counted_table(pl.DataFrame(TABLE)).limited(2, 2)
    assert cut.lists.filter("ended").select("rank", "many").sum().row(0) == (4, 4)
    assert cut.sessions.filter("ended").select("query_position", "many").rows() == [(2, 1)]
    shorter = counted_table(pl.DataFrame(TABLE)).limited(1, 1)
    assert shorter.lists["many"].sum() == 5  # lists of later queries still say how deep lists are looked at
    assert shorter.looked().tolist() == [[4.0]]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"count": [4, 5, 1, 1]}, {"query_position": 1, "rank": 2, "count": 5, "before": 4}),
        ({"count": [4, 3, 6, 1]}, {"query_position": 2, "rank": 1, "count": 6, "before": 4}),
        ({"rank": [1, 3, 1, 2]}, {"query_position": 1, "rank": 3, "count": 3, "before": 0}),
    ],
)
def test_counts_that_rise_have_no_stopping_likelihood(change, place):
    found = calibrate(pl.DataFrame({**TABLE, **change}), "sDCG")
    (rising,) = found.of_kind("rising_counts")
    assert {name: rising.values[name] for name in place} == place
    assert found.fits["criterion"].to_list() == ["TSE", "KL"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": [4, 3, 1, 0.5]}, r"count is 0\.5 in row 4.*shares"),
        ({"count": [4, 3, None, 1]}, "count is None in row 3"),
        ({"count": [4, -3, 1, 1]}, "count is -3 in row 2"),
        ({"rank": [0, 2, 1, 2]}, "rank is 0 in row 1"),
        ({"count": [1e30, 3, 1, 1]}, r"count is 1e\+30 in row 1"),
        ({"rank": ["one", "2", "1", "2"]}, "rank is 'one' in row 1"),
        ({"rank": [1, 1, 1, 2]}, "rank 1 of query 1 appears twice"),
        ({"count": [0, 0, 0, 0]}, "every count is 0"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(change, words):
    with pytest.raises(DataError, match=words):
        counted_table(pl.DataFrame({**TABLE, **change}, strict=False))


def test_a_missing_column_is_named():
    with pytest.raises(DataError, match=r"count is missing.*: rank, query"):
        counted_table(pl.DataFrame(TABLE).drop("count"))


@pytest.mark.parametrize("separator", ["\t", ","])
def test_files_of_both_kinds_are_read(tmp_path, separator):
    path = tmp_path / "counts"
    pl.DataFrame(TABLE).write_csv(path, separator=separator)
    assert counted_table(counts_file(path)).looked().tolist() == [[4.0, 1.0], [3.0, 1.0]]
    with pytest.raises(DataError, match="there is no such file"):
        counts_file(tmp_path / "none.tsv")
