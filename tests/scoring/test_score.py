"""Tables of scores: columns, order, means, judged shares, and what is refused.

Spread of scores: equal to numpy's statistics of the same values, in every group and in every way of scoring.
"""

import math
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataWarning, UsageError
from sessionkit.scoring.score import OF_SPREAD, columns_of, columns_text, score_parts
from tests.support.clinic import read_clinic
from tests.support.examples import examples
from tests.support.random_studies import MEASURES, draw_study
from tests.support.score_way import score_way

pytestmark = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")


@pytest.fixture(scope="module")
def study():
    """Sessions a and b of system S (gains 1 and 3 at rank 1), c of system R (gain 2), z without judgments."""
    return sk.from_tables(
        results={"session_id": list("abcz"), "query_position": [1] * 4, "rank": [1] * 4, "doc_id": list("xyvw")},
        sessions={
            "session_id": list("zcba"),
            "system_id": ["S", "R", "S", "S"],
            "topic_id": ["other", "t", "t", "t"],
            "user_id": ["u", "u", "v", "v"],
            "mood": [1, 2, 2, 1],
        },
        users={"user_id": ["u", "v"], "years": [3, 5]},
        judgments={"judgment_key": ["t"] * 3, "doc_id": list("xyv"), "grade": [1, 3, 2]},
    )


def test_per_session(study):
    table = sk.score(study, ["sDCG@1", "nsDCG@1"], per="session")
    assert table.columns == ["session_id", "system_id", "topic_id", "user_id", "measure", "value", "judged"]
    assert table.select("session_id", "measure", "value", "judged").rows()[:2] == [
        ("a", "sDCG@1", 1.0, 1.0),
        ("a", "nsDCG@1", pytest.approx(1 / 3), 1.0),
    ]
    assert table.filter(session_id="z").select("value", "judged").rows() == [(None, 0.0)] * 2


def test_per_query(study):
    table = sk.score(study, "CG@1", per="query")
    wanted = ["session_id", "query_position", "system_id", "topic_id", "user_id", "measure", "value", "judged"]
    assert table.columns == wanted
    assert table.get_column("value").to_list() == [1, 3, 2, None]


def test_means_by_groups(study):
    table = sk.score(study, "sDCG@1", by="system_id")
    assert table.columns == ["system_id", "measure", "value", "n", "undefined", "judged"]
    assert table.rows() == [("R", "sDCG@1", 2.0, 1, 0, 1.0), ("S", "sDCG@1", 2.0, 2, 1, pytest.approx(2 / 3))]
    assert sk.score(study, "sDCG@1", by="mood").select("mood", "value", "n").rows() == [(1, 1.0, 1), (2, 2.5, 2)]
    assert sk.score(study, "sDCG@1", by="years").select("years", "value", "n").rows() == [(3, 2.0, 1), (5, 2.0, 2)]
    both = sk.score(study, "sDCG@1", by="system_id,mood").select("system_id", "mood", "value")
    assert both.rows() == [("R", 2, 2.0), ("S", 1, 1.0), ("S", 2, 3.0)]
    assert sk.score(study, "sDCG@1", by=["system_id", "mood"]).select("system_id", "mood", "value").equals(both)


def test_mean_of_all_sessions(study):
    assert sk.score(study, "sDCG@1", by=None).rows() == [("sDCG@1", 2.0, 3, 1, 0.75)]


def test_undefined_can_be_zero(study):
    """The session without a value has no judgments: ``undefined``, which is for judged ones, leaves it out."""
    for measure, scored in (("undefined=zero", (2.0, 2, 1)), ("unjudged_topics=zero", (pytest.approx(4 / 3), 3, 0))):
        table = sk.score(study, f"sDCG({measure})@1", by="system_id").filter(system_id="S")
        assert table.select("value", "n", "undefined").rows() == [scored]


@pytest.mark.parametrize(
    ("measure", "per", "says"),
    [
        ("sDCG@10", "query", "no value per query"),
        ("mean(nDCG@10)", "query", "nDCG@10"),
        ("sDCG@10", "sistem_id", "did you mean 'system_id'"),
        ("sDCG@10", "query,system_id", "per=query gives a row"),
        ("sDCG(rank_origin=session)", "session", "needs a cutoff"),
        ("avgpos(sDCG)", "session", "needs a cutoff"),
    ],
)
def test_what_is_wrong_is_said(study, measure, per, says):
    with pytest.raises(sk.UsageError) as error:
        sk.score(study, measure, **score_way(per))
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("measures", "per"), [(None, "session"), (["sDCG@1", 3], "session"), ("sDCG@1", [3]), ("sDCG@1", 5)]
)
def test_what_is_no_text_is_refused(study, measures, per):
    with pytest.raises(sk.UsageError):
        sk.score(study, measures, **score_way(per))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"per": "system"}, "session or query"),
        ({"per": "session", "by": "topic_id"}, "drop one of them"),
        ({"per": "query", "by": None}, "drop one of them"),
    ],
)
def test_per_is_a_unit_and_by_makes_groups(study, options, says):
    with pytest.raises(sk.UsageError, match=says):
        sk.score(study, "CG@1", **options)


def test_columns_of_the_log_do_not_meet_those_of_the_table():
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        sessions={
            "session_id": ["s"],
            "topic_id": ["t"],
            "results": ["x"],
            "_unit": ["y"],
            "judged": ["z"],
            "total": [1],
        },
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    for column, value in (("results", "x"), ("_unit", "y"), ("total", 1)):
        assert sk.score(study, "sDCG@1", **score_way(column)).select(column, "value").rows() == [(value, 1.0)]
    assert sk.score(study, "sDCG@1", by="results,results").columns[0] == "results"
    with pytest.raises(sk.UsageError, match="rename"):
        sk.score(study, "sDCG@1", by="judged")


def test_no_measure_is_refused(study):
    with pytest.raises(sk.MeasureError, match="name a measure"):
        sk.score(study, [], per="session")


def test_missing_columns_are_named(study):
    with pytest.raises(sk.DataError, match="clicked"):
        sk.score(study, "sDCG(depth=last_click)@3", per="session")
    with pytest.raises(sk.DataError, match="user_grade"):
        sk.score(study, "sDCG(grades=user)@3", per="session")


def test_looking_deeper_than_was_observed_is_flagged(tmp_path):
    partly = sk.from_tables(
        queries={"session_id": ["s", "s"], "query_position": [1, 2], "results_status": ["partly_observed", "shown"]},
        results={"session_id": ["s"] * 2, "query_position": [1, 2], "rank": [1, 1], "doc_id": list("ab")},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    with pytest.warns(sk.DataWarning, match=r"deeper than .* 1 of 2 queries \(50%\)"):
        sk.score(partly, "sDCG@10", per="session")
    saved = partly.save(tmp_path / "study")
    with pytest.warns(sk.DataWarning, match=r"deeper than .* 1 of 2 queries \(50%\)"):
        sk.score(saved, "sDCG@10", per="session")
    with pytest.warns(sk.DataWarning, match=r"deeper than .* 1 of 1 queries"):
        sk.score(saved, "sDCG(queries=1)@2", per="session")
    sk.score(saved, "sDCG@1", per="session")  # no deeper than the one result that was observed


def test_clicks_known_at_two_ranks_only_are_not_a_list_seen_to_the_second():
    clicks = sk.from_tables(
        queries={"session_id": ["s"], "query_position": [1], "results_status": ["partly_observed"]},
        results={"session_id": ["s"] * 2, "query_position": [1, 1], "rank": [2, 9], "doc_id": list("ab")},
        sessions={"session_id": ["s"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    for depth in (1, 2, 9):
        with pytest.warns(sk.DataWarning, match="1 of 1 queries"):
            sk.score(clicks, f"sDCG@{depth}", per="session")


def test_looking_beyond_a_gap_of_a_list_is_flagged(tmp_path):
    lists = {
        "session_id": ["s"] * 5,
        "query_position": [1, 1, 1, 2, 2],
        "rank": [1, 2, 4, 1, 2],
        "doc_id": list("abcab"),
    }
    gapped = sk.from_tables({**lists, "topic_id": ["t"] * 5}, {"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]})
    for study in (gapped, gapped.save(tmp_path / "study")):
        with pytest.warns(sk.DataWarning, match=r"sDCG@3 .*deeper .* 1 of 2 queries \(50%\)"):
            sk.score(study, "sDCG@3", per="session")
        sk.score(study, "sDCG@2", per="session")  # the second list is known to its end, which is at 2


def test_saved_studies_score_the_same(study, tmp_path):
    asked = ["sDCG@1", "sDCG(unjudged=skip)@1", "mean(nDCG@1)", "avgpos(sDCG@1)"]
    saved = study.save(tmp_path / "study")
    for per in ("session", "system_id"):
        assert sk.score(saved, asked, **score_way(per)).equals(sk.score(study, asked, **score_way(per)))
    assert isinstance(sk.score(saved, asked, per="session"), pl.DataFrame)


def test_every_value_stands_beside_its_measure_in_whatever_order_they_are_asked_for():
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 2,
            "query_position": [1] * 2,
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "topic_id": ["t"] * 2,
        },
        judgments={"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [1, 2]},
    )
    # DCG@2 = 1 + 2 / log2(3); the cutoffs take turns, and so do the kinds of measures
    expected = {"CG@1": 1.0, "CG@2": 3.0, "P@1": 1.0, "DCG@1": 1.0, "R@1": 0.5, "DCG@2": 2.261859507142915, "R@2": 1.0}
    found = sk.score(study, [*expected], per="query")
    assert dict(found.select("measure", "value").rows()) == pytest.approx(expected)
    means = sk.score(study, [f"mean({measure})" for measure in expected], per="session")
    assert means.get_column("value").to_list() == pytest.approx([*expected.values()])


def test_wide_is_a_row_per_session_with_every_column_of_session_and_user():
    study = read_clinic()
    long = sk.score(study, ["nsDCG@10", "Queries"], per="session")
    wide = sk.score(study, ["nsDCG@10", "Queries"], per="session", wide=True)
    of_measures = ["nsDCG@10", "nsDCG@10 lower", "nsDCG@10 upper", "nsDCG@10 judged", "Queries"]
    counts = ["queries", "results", "clicks", "duration_seconds"]
    assert wide.columns[:4] == ["session_id", "user_id", "system_id", "topic_id"]
    assert wide.columns[4:13] == [*of_measures, *counts]
    assert {*study.columns("sessions"), *study.columns("users")} == {*wide.columns} - {*of_measures, *counts}
    assert wide["session_id"].to_list() == long["session_id"].unique().sort().to_list()
    for measure in ("nsDCG@10", "Queries"):
        assert wide[measure].to_list() == long.filter(measure=measure).sort("session_id")["value"].to_list()
    with pytest.raises(UsageError, match="add per=session"):
        sk.score(study, "nsDCG@10", wide=True)
    named = study.with_tables(sessions=study.sessions.rename({"satisfaction": "nsDCG@10"}))
    with pytest.raises(UsageError, match="already have a column 'nsDCG@10'"):
        sk.score(named, "nsDCG@10", per="session", wide=True)


def test_names_with_commas_and_all_sessions_are_named_in_text_too(study):
    named = study.with_tables(sessions=study.sessions.with_columns(pl.lit("x").alias("mood, now")))
    both = sk.score(named, "sDCG@1", by=["system_id", "mood, now"])
    assert both.columns[:2] == ["system_id", "mood, now"]
    for by in ('system_id,"mood, now"', ' system_id , "mood, now"'):
        assert sk.score(named, "sDCG@1", by=by).equals(both)
    assert sk.score(named, "sDCG@1", by="mood, now").columns[0] == "mood, now"
    assert sk.score(named, "sDCG@1", by="all").equals(sk.score(named, "sDCG@1", by=None))
    called = study.with_tables(sessions=study.sessions.with_columns(all=pl.lit("x")))
    assert sk.score(called, "sDCG@1", by="all").columns[0] == "all"
    with pytest.raises(sk.UsageError, match=r"comma .* double quotes"):
        sk.score(named, "sDCG@1", by='system_id,"mood, now')


@given(st.lists(st.text(min_size=1), min_size=2))
@example([" lead", "trail "])
@example(["two\nlines", 'a "quote", and\r'])
def test_names_of_columns_as_text_are_read_as_they_were(names):
    text = columns_text(names)
    assume(text not in names)  # which names that column
    assert columns_of(text, names) == names


def test_a_forgotten_cutoff_is_named():
    """Of a session that shows d1 alone, the ideal without a cutoff lists d1 and d2; with one of 1 it lists one of them."""
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["d1"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"] * 2, "doc_id": ["d1", "d2"], "grade": [1, 1]},
    )
    with pytest.warns(sk.DataWarning, match=r"nsDCG has no cutoff: .*; nsDCG@10 "):
        whole = sk.score(study, "nsDCG", by=None)
    # the second document of the ideal is discounted by 1 + log2 2
    assert whole["value"].to_list() == [pytest.approx(1 / (1 + 1 / 2))]
    with pytest.warns(sk.DataWarning, match=r"nsDCG\(b=3\) has no cutoff: .*; nsDCG\(b=3\)@10 "):
        sk.score(study, "mean(nsDCG(b=3))", by=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sk.score(study, ["nsDCG@1", "sDCG", "mean(nDCG)", "mean(AP)"], by=None)["value"][0] == 1


@pytest.fixture(scope="module")
def clinic():
    return read_clinic()


def study_of(gains):
    """A study of one system in which CG@1 of each session is its gain; None is a session whose topic nobody judged."""
    names = [f"s{number}" for number in range(len(gains))]
    judged = [(name, gain) for name, gain in zip(names, gains, strict=True) if gain is not None]
    return sk.from_tables(
        results={
            "session_id": names,
            "query_position": [1] * len(gains),
            "rank": [1] * len(gains),
            "doc_id": names,
            "topic_id": names,
        },
        judgments={
            "judgment_key": [name for name, _ in judged] or ["other"],
            "doc_id": [name for name, _ in judged] or ["other"],
            "grade": [gain for _, gain in judged] or [1],
        },
    )


def restated(values):
    """The statistics of `OF_SPREAD` by numpy."""
    n = len(values)
    quartiles = np.quantile(values, [0.25, 0.75]) if n > 4 else [None, None]
    return [
        np.std(values, ddof=1) if n > 1 else None,
        np.median(values) if n else None,
        *quartiles,
        min(values, default=None),
        max(values, default=None),
        values.count(0) / n if n else None,
        values.count(1) / n if n else None,
        sorted(values) if 0 < n < 5 else None,
    ]


def assert_close(computed, expected):
    """Compare numbers, lists of numbers and None to 1e-12 of their size."""
    for name, number, other in zip(OF_SPREAD, computed, expected, strict=True):
        assert number == (None if other is None else pytest.approx(other, rel=1e-12, abs=1e-12)), name


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(100), derandomize=True)
@example([10**9, 10**9 + 1, 10**9 + 3])  # far from 0, where a sum of squares loses the digits of the deviation
@given(st.lists(st.none() | st.integers(0, 3) | st.integers(0, 1000), min_size=1, max_size=12))
def test_statistics_of_one_group_are_those_of_numpy(gains):
    row = sk.score(study_of(gains), "CG@1", by="all", spread=True).row(0, named=True)
    values = [float(gain) for gain in gains if gain is not None]
    assert (row["n"], row["undefined"]) == (len(values), len(gains) - len(values))
    assert_close([row[name] for name in OF_SPREAD], restated(values))
    assert row["value"] == (math.fsum(values) / len(values) if values else None)


@pytest.mark.few(4)
@pytest.mark.parametrize("seed", [1, 2, 3, 4, 6, 7, 8, 12])
def test_every_group_has_the_statistics_of_its_sessions_and_the_mean_of_score(seed):
    study = draw_study(seed).study
    sessions = sk.score(study, MEASURES, per="session")
    spread = sk.score(study, MEASURES, spread=True)
    means = sk.score(study, MEASURES)
    assert spread.drop(OF_SPREAD).equals(means)  # to the bit
    for row in spread.iter_rows(named=True):
        of_group = sessions.filter(
            pl.col("system_id").eq_missing(pl.lit(row["system_id"])), pl.col("measure") == row["measure"]
        )
        assert_close([row[name] for name in OF_SPREAD], restated(of_group["value"].drop_nulls().to_list()))


def test_four_values_are_listed_and_five_have_quartiles():
    four, five = (sk.score(study_of(gains), "CG@1", by="all", spread=True) for gains in ([4, 1, 3, 2], [5, 4, 1, 3, 2]))
    assert four.select("median", "q1", "q3", "values").row(0) == (2.5, None, None, [1, 2, 3, 4])
    assert five.select("median", "q1", "q3", "values").row(0) == (3, 2, 4, None)


def test_equal_values_have_no_deviation():
    assert np.std([0.1] * 3, ddof=1) != 0  # the trap: the mean of three 0.1 is rounded
    study = study_of([1] * 3).with_tables(sessions=study_of([1] * 3).sessions.with_columns(part=pl.lit(0.1)))
    assert sk.score(study, "column(part)", by="all", spread=True)["sd"].item() == 0


@pytest.mark.few(3, slow=2)
@pytest.mark.parametrize("by", ["system_id", "all", "system_id,topic_id", "user_id", "queries"])
def test_the_same_bits_in_every_way_of_scoring(clinic, tmp_path, by):
    measures = ["nsDCG@10", "nDCG@10", "column(satisfaction)"]
    wanted = sk.score(clinic, measures, by=by, spread=True)
    saved = clinic.save(tmp_path / "study", partition_by="topic_id")
    assert sk.score(saved, measures, by=by, spread=True).equals(wanted)
    assert sk.score(saved, measures, by=by, spread=True, memory="50MB").equals(wanted)
    for _ in range(2):  # computed, then read back
        assert sk.score(saved, measures, by=by, spread=True, cache=tmp_path / "cache").equals(wanted)
    (part,) = score_parts(saved, measures, by=by, spread=True)
    assert part.equals(wanted)


def test_sessions_are_chosen_as_ever(clinic):
    chosen = sk.score(clinic, "nsDCG@10", where="skill <= 2", spread=True)
    sessions = sk.score(clinic, "nsDCG@10", per="session", where="skill <= 2")
    assert chosen["n"].sum() == len(sessions) < clinic.facts.sessions
    assert chosen["median"].to_list() == [
        np.median(sessions.filter(system_id=system)["value"]) for system in chosen["system_id"]
    ]


def test_what_is_refused(clinic):
    for per in ("session", "query"):
        with pytest.raises(UsageError, match=f"spread .* group, per={per} "):
            sk.score(clinic, "nDCG@10", per=per, spread=True)
    with pytest.raises(UsageError, match=r"spread .*True or False, .*'yes'"):
        sk.score(clinic, "nDCG@10", spread="yes")
    named = clinic.with_tables(sessions=clinic.sessions.with_columns(median=pl.lit("x")))
    assert sk.score(named, "nsDCG@10", by="median")["n"].item() == clinic.facts.sessions
    with pytest.raises(UsageError, match="already has a column"):
        sk.score(named, "nsDCG@10", by="median", spread=True)


def test_warnings_are_those_of_the_means(clinic):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        sk.score(clinic, "nDCG@10", spread=True)
    assert any("has a value per query" in str(one.message) for one in caught)
