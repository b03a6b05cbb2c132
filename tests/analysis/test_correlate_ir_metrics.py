"""The table of Jiang & Allan's CHIIR 2016 study, as their own code prints it, and last against first queries there."""

from pathlib import Path

import pytest

import sessionkit as sk

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"
pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine"),
    pytest.mark.filterwarnings("ignore:.*upper bound"),
]
SDCG, FREE = "(like=jiang2016)@9", "(like=jiang2016,query_discount=none)@9"
# Pearson and Spearman with performance, then with difficulty
PRINTED = {
    "Queries": (-0.256, -0.241, 0.305, 0.301),
    f"sDCG{SDCG}": (0.009, -0.056, 0.065, 0.063),
    f"nsDCG{SDCG}": (0.350, 0.326, -0.324, -0.300),
    f"mean(sDCG{SDCG})": (0.401, 0.349, -0.388, -0.336),
    f"sDCG{FREE}": (-0.020, -0.104, 0.092, 0.118),
    f"nsDCG{FREE}": (0.353, 0.323, -0.332, -0.305),
    f"mean(sDCG{FREE})": (0.399, 0.330, -0.374, -0.315),
    "sum(nDCG_jiang2016@9)": (-0.018, -0.115, 0.094, 0.136),
    "mean(nDCG_jiang2016@9)": (0.352, 0.320, -0.332, -0.302),
    "max(nDCG_jiang2016@9)": (0.269, 0.204, -0.191, -0.177),
    "min(nDCG_jiang2016@9)": (0.348, 0.358, -0.364, -0.379),
    "first(nDCG_jiang2016@9)": (0.259, 0.227, -0.177, -0.156),
    "last(nDCG_jiang2016@9)": (0.371, 0.354, -0.436, -0.419),
}
# its stars: * below .05, ** below .01, *** below .001
STARS = {
    "Queries": "* * ** **",
    f"sDCG{SDCG}": "- - - -",
    f"nsDCG{SDCG}": "** ** ** **",
    f"mean(sDCG{SDCG})": "*** ** *** **",
    f"sDCG{FREE}": "- - - -",
    f"nsDCG{FREE}": "** ** ** **",
    f"mean(sDCG{FREE})": "*** ** *** **",
    "sum(nDCG_jiang2016@9)": "- - - -",
    "mean(nDCG_jiang2016@9)": "** ** ** **",
    "max(nDCG_jiang2016@9)": "* - - -",
    "min(nDCG_jiang2016@9)": "** ** *** ***",
    "first(nDCG_jiang2016@9)": "* * - -",
    "last(nDCG_jiang2016@9)": "*** ** *** ***",
}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    config = tmp_path_factory.mktemp("ir_metrics") / "study.toml"
    rated = 'performance = "Performance", difficulty = "Difficulty"'
    columns = {
        "session": f'session_id = "SessionID", judgment_key = "SessionID", topic_id = "Topic", user_id = "User", {rated}',
        "results": 'session_id = "SessionID", query_position = "Qno", rank = "rank", doc_id = "URL"',
        "qrels": 'judgment_key = "SessionID", doc_id = "URL", grade = "Relevance"',
    }
    tables = {"sessions": "session", "results": "results", "judgments": "qrels"}
    config.write_text(
        'format = "tables"\nmax_grade = 2\n'
        + "".join(
            f'[{table}]\npath = "{DATA / name}"\nseparator = "\\t"\nquote = false\ncolumns = {{ {columns[name]} }}\n'
            + ('empty_list = "no results"\n' if table == "results" else "")
            for table, name in tables.items()
        )
    )
    return sk.read(config)


@pytest.fixture(scope="module")
def found(study):
    return sk.correlate(
        study, list(PRINTED), with_=["performance", "difficulty"], coefficients=["pearson", "spearman"], draws=1000
    )


@pytest.mark.parametrize("measure", PRINTED)
def test_the_printed_table(found, measure):
    rows = found.table.filter(measure=str(sk.parse_measure(measure)))
    assert rows.select("covariate", "coefficient").rows() == [
        (rating, how) for rating in ("performance", "difficulty") for how in ("pearson", "spearman")
    ]
    # printed to three decimals
    assert rows.get_column("value").to_list() == pytest.approx(list(PRINTED[measure]), abs=0.00051)
    stars = ["-" if p >= 0.05 else "*" * sum(p < below for below in (0.05, 0.01, 0.001)) for p in rows["p_independent"]]
    assert " ".join(stars) == STARS[measure]


def test_ratings_with_each_other(study):
    both = sk.correlate(study, "performance", with_="difficulty", draws=200).table
    assert both.get_column("value").to_list()[:2] == pytest.approx([-0.787, -0.788], abs=0.00051)


def test_users_are_the_units(found):
    assert found.units == "users"
    assert found.table.get_column("units").unique().to_list() == [20]
    assert "80 sessions of 20 users. Users have several sessions" in found.reading
    # of 78 pairs of measures with either rating
    assert found.differences.filter(coefficient="pearson").get_column("test").unique().to_list() == [
        "bootstrap over users"
    ]
    assert "Williams" in found.reading


def test_the_last_query_is_not_better_than_the_first(study):
    tested = sk.breakdown_tests(study, "nDCG_jiang2016@9", parts="last-first")
    row = tested.table.filter(test="sessions").row(0, named=True)
    assert (row["sessions"], row["left_out_single_query"] + row["left_out_undefined"], row["df"]) == (67, 13, 66)
    assert row["estimate"] == pytest.approx(-0.0704951612, abs=1e-9)
    assert row["statistic"] == pytest.approx(-1.7398324842, abs=1e-9)
    assert row["p"] == pytest.approx(0.0865498688, abs=1e-9)
    assert row["effect"] == pytest.approx(-0.2125543679, abs=1e-9)
    assert "No difference between the last query and the first query is shown" in tested.reading
    assert "19 users, weighted equally, with 67 sessions" in tested.reading
    assert (tested.table.get_column("low") < 0).all()
    assert (tested.table.get_column("high") > 0).all()
