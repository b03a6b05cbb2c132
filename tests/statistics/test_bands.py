"""Bands around mean curves: the means are those of curve, the bands those of a bootstrap over users done by hand.

Intervals of means by topic and of their differences, against scipy on the sessions themselves.
"""

import numpy as np
import polars as pl
import pytest
from scipy import stats

import sessionkit as sk
from sessionkit.errors import UsageError
from sessionkit.reports.single_figures import single_figure
from sessionkit.scoring import reduction
from sessionkit.statistics import bands as module
from sessionkit.statistics.bands import difference_intervals, drawn_means, ends, mean_intervals, met
from sessionkit.statistics.distributions import Resampling
from tests.support.clinic import read_clinic


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_the_curves_are_those_of_curve_and_searching_counts_sessions(clinic):
    bands, plain = sk.curve(clinic, "nsDCG@10", bands=True), sk.curve(clinic, "nsDCG@10")
    assert bands.select(plain.columns).equals(plain)
    assert (bands["low"] <= bands["value"]).all()
    assert (bands["value"] <= bands["high"]).all()
    queries = clinic.queries.group_by("session_id").agg(many=pl.col("query_position").max()).collect()
    known = queries.join(clinic.sessions.select("session_id", "system_id").collect(), on="session_id")
    for system, position in (("S1", 1), ("S1", 3), ("S2", 5)):
        longer = known.filter(pl.col("system_id") == system, pl.col("many") >= position).height
        row = bands.filter(pl.col("system_id") == system, pl.col("query_position") == position)
        assert row["searching"].unique().to_list() == [longer]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_users_are_drawn_with_all_their_sessions(clinic):
    """The same draws, each made by writing out every drawn user's sessions, session after session."""
    bands = sk.curve(clinic, "sDCG@10", bands=True, draws=200, seed=3).filter(pl.col("system_id") == "S1")
    each = sk.curve(clinic, "sDCG@10", per="session")
    users = dict(clinic.sessions.filter(pl.col("system_id") == "S1").select("session_id", "user_id").collect().rows())
    last = each.filter(pl.col("slot") == 30, pl.col("session_id").is_in([*users])).sort("session_id")
    values = dict(last.select("session_id", "value").rows())
    names = sorted(set(users.values()))
    own = [[values[session] for session, user in users.items() if user == name] for name in names]
    means = []
    for weights in np.concatenate([*Resampling(200, 3).weights(len(names))]):
        drawn = [value for many, group in zip(weights, own, strict=True) for value in group * int(many)]
        means.append(np.mean(drawn))
    n = len(names)
    reach = stats.norm.cdf(np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    row = bands.row(by_predicate=pl.col("slot") == 30, named=True)
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(means, [1 - reach, reach])))
    assert row["units"] == n == 30


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_few_units_have_no_band_and_ratios_of_means_are_refused(clinic):
    rows = {"session_id": list("abc"), "query_position": 1, "rank": 1, "doc_id": list("xyx"), "topic_id": "t"}
    study = sk.from_tables(rows, {"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]})
    assert sk.curve(study, "sDCG@1", by=None, bands=True).select("value", "low", "high", "units").row(0) == (
        2 / 3,
        None,
        None,
        3,
    )
    with pytest.raises(UsageError, match="divides mean curves"):
        sk.curve(study, "nsDCG@1", normalize="averages", bands=True)
    with pytest.raises(UsageError, match=r"draws .* at least 200"):
        sk.curve(study, "nsDCG@1", bands=True, draws=10)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_band_has_about_the_width_of_students_interval():
    rng = np.random.default_rng(4)
    names = [f"s{number:02}" for number in range(60)]
    docs = [f"d{rng.integers(2)}" for _ in names]
    study = sk.from_tables(
        {"session_id": names, "query_position": 1, "rank": 1, "doc_id": docs, "topic_id": "t"},
        {"judgment_key": ["t"], "doc_id": ["d1"], "grade": [1]},
    )
    row = sk.curve(study, "sDCG@1", by=None, bands=True, draws=4000).row(0, named=True)
    gains = np.array([float(doc == "d1") for doc in docs])
    low, high = stats.t.interval(0.95, 59, gains.mean(), stats.sem(gains))
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=0.02)


def by_hand(rows, draws=200, seed=3):
    """The interval of the mean of values: (unit, value) pairs, each drawn unit's values written out again."""
    own = {}
    for unit, value in rows:
        own.setdefault(unit, []).append(value)
    n, names = len(own), sorted(own)
    means = []
    for weights in np.concatenate([*Resampling(draws, seed).weights(n)]):
        drawn = [value for many, name in zip(weights, names, strict=True) for value in own[name] * int(many)]
        means.append(np.mean(drawn))
    reach = stats.norm.cdf(np.sqrt(n / (n - 1)) * stats.t.ppf(0.975, n - 1))
    return tuple(np.quantile(means, [1 - reach, reach])), n


def users_of(study, system):
    known = study.sessions.filter(pl.col("system_id") == system).select("session_id", "user_id").collect()
    return dict(known.rows())


def values_of_queries(study, measure):
    return (
        sk.score(study, measure, per="query").drop_nulls("value").select("session_id", "query_position", "value").rows()
    )


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_breakdown_has_bands_over_users(clinic):
    bands = sk.breakdown(clinic, "DCG@5", bands=True, draws=200, seed=3)
    plain = sk.breakdown(clinic, "DCG@5")
    assert bands.select(plain.columns).equals(plain)
    users = users_of(clinic, "S1")
    queries = {}
    for session, position, value in values_of_queries(clinic, "DCG@5"):
        if session in users:
            queries.setdefault(session, {})[position] = value
    several = {session: found for session, found in queries.items() if len(found) > 1}
    before = {session: [v for p, v in found.items() if p < max(found)] for session, found in several.items()}
    (low, high), n = by_hand((users[session], np.mean(found)) for session, found in before.items())
    row = bands.row(
        by_predicate=(pl.col("system_id") == "S1") & (pl.col("part") == "non-last") & (pl.col("rank") == 5), named=True
    )
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    assert row["units"] == n


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_gain_vectors_have_bands_over_all_queries_of_users(clinic):
    bands = sk.gain_vectors(clinic, "DCG@5", bands=True, draws=200, seed=3)
    plain = sk.gain_vectors(clinic, "DCG@5")
    assert bands.select(plain.columns).equals(plain)
    users = users_of(clinic, "S2")
    rows = [(users[session], value) for session, _, value in values_of_queries(clinic, "DCG@5") if session in users]
    (low, high), n = by_hand(rows)
    row = bands.row(by_predicate=(pl.col("system_id") == "S2") & (pl.col("rank") == 5), named=True)
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    assert row["units"] == n


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("average", ["queries", "topics"])
def test_precision_by_recall_has_bands_over_users_or_topics(clinic, average):
    bands = sk.precision_recall(clinic, average=average, bands=True, draws=200, seed=3)
    plain = sk.precision_recall(clinic, average=average)
    assert bands.select(plain.columns).equals(plain)
    each = sk.precision_recall(clinic, per="query").filter(pl.col("system_id") == "S1", pl.col("recall") == 0.3)
    unit = {"queries": "user_id", "topics": "topic_id"}[average]
    rows = each.drop_nulls("precision").select(unit, "precision")
    rows = rows if average == "queries" else rows.group_by(unit).agg(pl.col("precision").mean())
    (low, high), n = by_hand(rows.rows())
    row = bands.row(by_predicate=(pl.col("system_id") == "S1") & (pl.col("recall") == 0.3), named=True)
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    assert row["units"] == n


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
def test_bands_are_the_same_in_any_batches_and_for_several_columns(clinic, tmp_path, monkeypatch):
    bands = sk.curve(clinic, "nsDCG@10", ["system_id", "topic_id"], bands=True)
    saved = clinic.save(tmp_path / "study")
    monkeypatch.setattr(reduction, "ROWS", 200)
    assert sk.curve(saved, "nsDCG@10", ["system_id", "topic_id"], bands=True).equals(bands)
    one = sk.curve(clinic, "nsDCG@10", where="topic_id = 'A'", bands=True)
    of_topic = bands.filter(pl.col("topic_id") == "A").drop("topic_id")
    common = of_topic.join(one, on=["system_id", "slot"], suffix=" alone", how="inner")
    assert len(common) == len(one) > 0
    assert common["low"].to_list() == common["low alone"].to_list()
    assert common["searching"].to_list() == common["searching alone"].to_list()


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_undefined_sessions_are_not_drawn_and_sessions_of_unknown_users_stand_alone():
    names = list("abcdefg")
    study = sk.from_tables(
        {"session_id": names, "query_position": 1, "rank": 1, "doc_id": list("xyxyxyx")},
        sessions={
            "session_id": names,
            "topic_id": ["t"] * 6 + ["unjudged"],
            "user_id": ["u", "u", "v", "v", None, None, "w"],
        },
        judgments={"judgment_key": ["t"], "doc_id": ["x"], "grade": [1]},
    )
    row = sk.curve(study, "sDCG@1", by=None, bands=True, draws=200, seed=3).row(0, named=True)
    # unknown users stand behind the known, as their sessions do: s-e, s-f, u-u, u-v
    (low, high), n = by_hand([("u", 1), ("u", 0), ("v", 1), ("v", 0), ("session e", 1), ("session f", 0)])
    assert (row["n"], row["units"], n) == (6, 4, 4)
    assert (row["low"], row["high"]) == pytest.approx((low, high))


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_too_many_units_and_bands_of_single_sessions_are_refused(clinic, monkeypatch):
    monkeypatch.setattr(module, "MOST_UNITS", 10)
    with pytest.raises(UsageError, match=r"at most 10 users, not 30"):
        sk.breakdown(clinic, "DCG@5", bands=True)
    with pytest.raises(UsageError, match=r"every session, .* no band"):
        sk.curve(clinic, "sDCG@5", per="session", bands=True)
    with pytest.raises(UsageError, match=r"every query, .* no band"):
        sk.precision_recall(clinic, per="query", bands=True)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_a_band_is_near_that_of_scipy():
    """Of many units the points taken further out are those of the plain percentile bootstrap."""
    rng = np.random.default_rng(8)
    many = 400
    names, docs = [f"s{n:03}" for n in range(many)], [f"d{n}" for n in rng.integers(4, size=many)]
    study = sk.from_tables(
        {"session_id": names, "query_position": 1, "rank": 1, "doc_id": docs, "topic_id": "t"},
        {"judgment_key": "t", "doc_id": ["d1", "d2", "d3"], "grade": [1, 2, 3]},
    )
    row = sk.curve(study, "sDCG@1", by=None, bands=True, draws=9000).row(0, named=True)
    gains = np.array([int(doc[1]) for doc in docs])
    plain = stats.bootstrap((gains,), np.mean, method="percentile", n_resamples=9000, rng=1).confidence_interval
    assert (row["low"], row["high"]) == pytest.approx(tuple(plain), abs=0.01)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.slow
@pytest.mark.parametrize(("users", "sessions"), [(12, 4), (40, 1)])
def test_bands_cover_the_mean_as_often_as_they_say(users, sessions):
    """Users differ, and so do their sessions: the true mean is 1.5. Student's interval of the users' means covers it as often."""
    rng, trials, inside, of_student = np.random.default_rng(6), 2000, 0, 0
    counts = np.full((users, 1), float(sessions))
    for _ in range(trials):
        chance = np.repeat(rng.beta(2, 2, size=users), sessions)
        totals = rng.binomial(3, chance).reshape(users, sessions).sum(axis=1, keepdims=True).astype(float)
        (drawn,) = drawn_means([(totals, counts)], Resampling(1000))
        (low,), (high,) = ends(drawn, met(counts), 0.95)
        inside += low <= 1.5 <= high
        means = (totals / counts)[:, 0]
        low, high = stats.t.interval(0.95, users - 1, means.mean(), stats.sem(means))
        of_student += low <= 1.5 <= high
    assert 0.94 <= inside / trials <= 0.965
    assert inside / trials == pytest.approx(of_student / trials, abs=0.012)


def test_intervals_are_those_of_the_sessions():
    study = read_clinic()
    scores = sk.score(study, "nsDCG@10", per="session").select("system_id", "topic_id", "value")
    (table, *_) = sk.charts.data(single_figure(study, "topic-means").chart)
    assert len(table) == 8
    for row in table.iter_rows(named=True):
        values = scores.filter(system_id=row["group"], topic_id=row["topic"])["value"].to_numpy()
        found = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert (row["low"], row["high"], row["n"]) == (pytest.approx(found.low), pytest.approx(found.high), len(values))


def test_intervals_of_differences_are_those_of_welch():
    a, b = [0.1, 0.4, 0.9], [0.2, 0.3, 0.8, 1.0]
    sd_a, sd_b = pl.Series(a).std(), pl.Series(b).std()
    rows = [
        (sum(b) / 4 - sum(a) / 3, 3, 4, sd_a, sd_b),
        (0.5, 1, 4, None, sd_b),
        (0.5, 3, None, sd_a, None),
        (0.5, 2, 2, 0.0, 0.0),
    ]
    frame = pl.DataFrame(rows, schema=["difference", "n_a", "n_b", "sd_a", "sd_b"], orient="row")
    found = stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.95)
    assert difference_intervals(frame).select("low", "high").rows() == [
        (pytest.approx(found.low), pytest.approx(found.high)), *[(None, None)] * 3,
    ]  # fmt: skip


def test_a_mean_of_one_session_has_no_interval():
    frame = pl.DataFrame({"value": [0.5, None], "n": [1, 0], "sd": [None, None]}, schema_overrides={"sd": pl.Float64})
    assert mean_intervals(frame).select("low", "high").rows() == [(None, None)] * 2
