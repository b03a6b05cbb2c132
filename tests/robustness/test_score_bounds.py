"""Bounds of groups, sessions and lists with their arithmetic; on real judgments with gaps, what the whole ones say.

Bounds of means against every choice of the values that may be missing.

Bounds against every grade that unjudged documents could have: nothing is outside, and where it is said, they are met.
"""

import warnings
from itertools import product
from math import log2
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataWarning
from sessionkit.robustness.score_bounds import mean_bounds
from sessionkit.scoring.measures.grammar import parse_measure
from tests.robustness.short_lists import study
from tests.robustness.worlds import logs, outcomes, study_of
from tests.support.examples import examples
from tests.support.score_way import score_way

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ir_metrics"


def test_a_plain_sum_lies_between_nothing_and_the_best_grade():
    # x and y unjudged at ranks 2, 3, grades up to 2: RBP(p=.5) = .5 (1 + .5 + .25), gain 1 or 1/2 of the top
    made = study({"A1": "axy"}, [("t", "a", 1)])
    bounds = sk.bounds(made, ["mean(RBP(p=0.5))", "mean(RBP(gain=linear,p=0.5))", "sum(DCG@2)"], by=None).bounds
    found = bounds.select("measure", "value", "lower", "upper", "residual", "bound").rows()
    assert found[0] == ("mean(RBP(p=0.5))", 0.5, 0.5, 0.875, 0.375, "attained")
    assert found[1] == ("mean(RBP(gain=linear,p=0.5))", 0.25, 0.25, 0.625, 0.375, "attained")
    assert found[2][:3] == ("sum(DCG@2)", 1.0, 1.0)
    assert found[2][3] == pytest.approx(1 + 2 / log2(3))


def test_documents_of_other_sessions_raise_the_ideal():
    # A1 shows a (grade 2) alone: nDCG@2 = 1; x, which B1 shows, could have grade 2 too: 2 / (2 + 2 / log2 3)
    made = study({"A1": "a", "B1": "x"}, [("t", "a", 2)])
    found = sk.bounds(made, "mean(nDCG@2)", per="query")
    lower, upper = found.units.filter(session_id="A1").select("lower", "upper").row(0)
    assert lower == pytest.approx(2 / (2 + 2 / log2(3)))
    assert upper == 1.0


def test_pooled_documents_that_nobody_saw_count_in_ideals():
    made = study({"A1": "a"}, [("t", "a", 2), ("t", "p", -2)], unjudged_grades=(-2,))
    bounds = sk.bounds(made, "mean(nDCG@2)", by=None).bounds
    assert bounds["lower"].item() == pytest.approx(2 / (2 + 2 / log2(3)))


def test_sessions_that_judgments_could_give_a_score():
    # topic u has no judgment: A2 has no score now; judged, x could make it 0 to 2
    with pytest.warns(DataWarning, match="none for the judgment_key"):
        made = study({"A1": "a", "A2": "x"}, [("t", "a", 1)], topics={"A2": "u"})
    row = sk.bounds(made, "mean(DCG@1)").bounds.row(0, named=True)
    assert (row["n"], row["open"], row["undefined"], row["value"]) == (1, 1, 0, 1.0)
    assert (row["lower"], row["upper"], row["bound"]) == (0.5, 1.5, "safe")


def test_sessions_without_a_topic_cannot_be_judged():
    with pytest.warns(DataWarning, match="judgment_key"):
        made = study({"A1": "ax", "A2": "ay"}, [("t", "a", 1)], topics={"A2": None})
    found = sk.bounds(made, ["mean(DCG@2)", "mean(nDCG@2)", "nsDCG@2", "mean(AP)"], per="session")
    assert found.bounds["undefined"].to_list() == [1] * 4
    assert found.bounds["open"].to_list() == [0] * 4
    assert found.units.filter(session_id="A2").select(pl.col("value", "lower", "upper").null_count()).row(0) == (
        4,
        4,
        4,
    )


def test_lists_have_a_score_where_their_measure_has_no_bounds():
    lists = {"A1": "abx", "B1": "xa", "B2": "b"}
    made = study(lists, [("t", "a", 1), ("t", "b", 0)])
    units = sk.bounds(made, ["mean(bpref)", "mean(P@1)"], per="query").units
    # of the two judged documents a is relevant; nothing judged stands above it; B2 does not show it
    assert units.filter(measure="bpref").select("session_id", "value", "lower", "upper").rows() == [
        ("A1", 1.0, None, None),
        ("B1", 1.0, None, None),
        ("B2", 0.0, None, None),
    ]
    assert units.filter(measure="P@1").select("value", "lower", "upper").rows() == [(1, 1, 1), (0, 0, 1), (0, 0, 0)]


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.skipif(not DATA.is_dir(), reason="the real logs are not on this machine")
def test_the_full_scores_of_ir_metrics_lie_within_the_bounds_of_judgments_with_gaps():
    read = {
        name: pl.read_csv(DATA / name, separator="\t", quote_char=None, infer_schema=False)
        for name in ("session", "results", "qrels")
    }
    results = (
        read["results"]
        .filter(pl.col("rank") != "no results")
        .select(
            session_id="SessionID",
            query_position=pl.col("Qno").cast(pl.Int32),
            rank=pl.col("rank").cast(pl.Int32),
            doc_id="URL",
        )
    )
    sessions = read["session"].select(session_id="SessionID", topic_id="SessionID")
    judgments = read["qrels"].select(judgment_key="SessionID", doc_id="URL", grade=pl.col("Relevance").cast(pl.Float64))
    frames = {"results": results, "sessions": sessions, "max_grade": 2}
    measures = ["sDCG@9", "nsDCG@9", "mean(nDCG@9)", "mean(AP@9)", "mean(RBP(p=0.8)@9)", "mean(RR@9)", "mean(F@9)"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        full = sk.score(sk.from_tables(**frames, judgments=judgments), measures, per="session")
        # every fifth of what somebody was shown; what nobody was shown stays judged, as the bounds take it to be
        shown = judgments.join(
            results, left_on=["judgment_key", "doc_id"], right_on=["session_id", "doc_id"], how="semi"
        )
        kept = judgments.join(shown.gather_every(5), on=["judgment_key", "doc_id"], how="anti")
        found = sk.bounds(sk.from_tables(**frames, judgments=kept), measures, by=None, per="session")
    both = found.units.join(full.rename({"value": "full"}), on=["session_id", "measure"])
    assert len(both) == len(full) == 80 * len(measures)
    outside = both.filter((pl.col("full") < pl.col("lower") - 1e-9) | (pl.col("full") > pl.col("upper") + 1e-9))
    assert outside.is_empty()
    assert both.filter(pl.col("full") != pl.col("value")).height > 100


VALUES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5]), st.sampled_from([0.0, 0.25, 0.5]), st.booleans()),
    min_size=1,
    max_size=6,
)


@settings(max_examples=examples(150), deadline=None)
@given(VALUES)
def test_every_choice_of_what_is_missing(values):
    frame = pl.DataFrame(
        {
            "g": ["a"] * len(values),
            "lower": [low for low, _, _ in values],
            "upper": [low + more for low, more, _ in values],
            "open": [is_open for _, _, is_open in values],
        }
    )
    lower, upper = [], []
    for kept in product([True, False], repeat=len(values)):
        there = [
            (low, low + more) for (low, more, is_open), keep in zip(values, kept, strict=True) if keep or not is_open
        ]
        if there:
            lower.append(sum(low for low, _ in there) / len(there))
            upper.append(sum(high for _, high in there) / len(there))
    assert mean_bounds(frame, ["g"]).row(0)[1:] == pytest.approx((min(lower), max(upper)))


def test_a_row_can_stand_for_many_values():
    # 3 sure ones of 1, and open ones of 0 twice: (3 + 0) / 5
    frame = pl.DataFrame(
        {"g": ["a"] * 2, "lower": [1.0, 0.0], "upper": [1.0, 0.0], "open": [False, True], "many": [3, 2]}
    )
    assert mean_bounds(frame, ["g"]).row(0) == ("a", 0.6, 1.0)


SOME = settings(
    max_examples=examples(8, least=2),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# units do not depend on each other, so that several logs are looked at in one study: the first time four of the simplest, then 8
FOURS = settings(SOME, max_examples=examples(3, least=1))
OF_QUERIES = [
    "CG@3", "DCG@3", "DCG(gain=0-1-3,discount=log,b=4)", "DCG(gain=0-3-1)@2", "RBP(p=0.8)",
    "RBP(gain=linear,p=0.6)@2", "P@3", "P", "P(level=1)@2", "gP@3", "AvgP(cutoffs=1-3,weights=1-2)",
    "DCG_jiang2016@3", "P_jiang2016", "RBP_jiang2016(p=0.5)", "RR", "Success@2", "RelativeRecall@2", "ERR@3", "nCG@2", "nDCG@1", "nDCG@2",
    "nDCG", "nDCG(gain=exp2)@3", "nDCG(discount=jk2002,b=3)@4", "nDCG(gain=binary,min_grade=2)@3",
    "nDCG(duplicates=first)@3", "nDCG(undefined=zero)@2", "nDCG(gain=0-3-1)@3", "R@2", "R(level=2)", "F@3",
    "F(beta=2)", "E@2", "MaxF", "AP", "AP@2", "AP(duplicates=first,min_grade=2)", "AP(undefined=zero)", "nDCG(unjudged_topics=zero)@2",
    "R(undefined=zero,unjudged_topics=zero)@2", "P(unjudged_topics=zero)@2",
]  # fmt: skip
OF_SESSIONS = [
    "sDCG@3", "sDCG(duplicates=first)@2", "sDCG(gain=exp2,discount=shifted,query_discount=shifted,rank_origin=session,slots=shown)@3",
    "sRBP(b=0.5,p=0.8)", "RSDCG(lambda=0.5)@3", "RSRBP(b=0.6,p=0.9,lambda=0.2)", "esDCG(pdown=0.7,pref=0.6)@3", "esP(pdown=0.7,pref=0.6)",
    "RelevantSeen@3", "avgpos(sDCG@2)", "nsDCG@1", "nsDCG@2", "nsDCG@3", "nsDCG(gain=exp2,duplicates=first)@3", "nsDCG(ideal=once)@2",
    "nsDCG(undefined=zero)@2", "nsDCG(unjudged_topics=zero)@3", "sDCG(unjudged_topics=zero)@2", "sDCG(undefined=zero)@2",
    "nsDCG(duplicates=first,ideal=spread)@2", "nsDCG(rank_origin=session)@2", "nsDCG(ideal_queries=4)@2", "nsDCG(queries=2)@2",
    "Queries", "Repeats",
]  # fmt: skip
OTHER_KEYS = ("nsDCG(ideal=once)@2", "nsDCG(ideal_queries=4)@2")
"""Measures that have bounds only where queries have no judgment keys of their own."""
OVER = ["mean", "sum", "max", "min", "first", "last", "nonlast"]
AGGREGATES = [f"{name}({inside})" for name in OVER for inside in ("nDCG@2", "P@2", "AP", "sDCG@2")]


def scored(study, measures, per):
    """Scores without the warnings of what has no value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return sk.score(study, measures, **score_way(per))


def side_by_side(several):
    """Logs in one study, and in another with every way in which they could turn out: copies, whose marks tell them apart."""
    given = [(f"/{number}", *log[:2]) for number, log in enumerate(several)]
    ways = [(f"/{number}{mark}", *rest) for number, log in enumerate(several) for mark, *rest in outcomes(*log)]
    return given, ways


def ranges(scores, unit):
    """Least and greatest value of each unit over all outcomes; the unit's name ends in # and the outcome's number."""
    named = scores.with_columns(pl.col(unit[0]).str.split("#").list.first())
    return named.group_by(*unit, "measure").agg(
        pl.col("value").min().alias("least"), pl.col("value").max().alias("most")
    )


def check(bounds, found, unit, *, without=()):
    """Every value is within its bounds; what has a value in some outcome has bounds."""
    assert bounds.filter(pl.col("measure").is_in([*without]), pl.col("lower").is_not_null()).is_empty()
    bounds = bounds.filter(~pl.col("measure").is_in([*without]))
    both = bounds.join(found, on=[*unit, "measure"], how="left")
    assert len(both) == len(bounds)
    outside = both.filter(
        (pl.col("least") < pl.col("lower") - 1e-9)
        | (pl.col("most") > pl.col("upper") + 1e-9)
        | (pl.col("least").is_not_null() & pl.col("lower").is_null())
        | (pl.col("lower").is_not_null() & pl.col("least").is_null())
        | (pl.col("value") < pl.col("lower"))
        | (pl.col("value") > pl.col("upper"))
    )
    assert outside.is_empty(), outside
    return both.with_columns(
        met=((pl.col("least") - pl.col("lower")).abs() < 1e-9) & ((pl.col("most") - pl.col("upper")).abs() < 1e-9)
    )


def bounded(study, measures, **more):
    """What incomplete finds, and it says nothing on stderr."""
    return sk.bounds(study, measures, **more)


@pytest.mark.few(1)
@pytest.mark.parametrize("keys_per_query", [False, True])
def test_every_query_is_within_its_bounds_and_they_are_met(keys_per_query):
    @FOURS
    @given(st.lists(logs(keys_per_query=keys_per_query), min_size=4, max_size=4))
    def test(several):
        alone, ways = side_by_side(several)
        found = bounded(study_of(alone, keys_per_query=keys_per_query), [f"mean({m})" for m in OF_QUERIES], per="query")
        many = study_of(ways, keys_per_query=keys_per_query)
        unit = ["session_id", "query_position"]
        both = check(found.units, ranges(scored(many, OF_QUERIES, "query"), unit), unit)
        # weights that fall with the grade, and results removed or repeated in the list, are the only ones that need not be met
        missed = both.filter(~pl.col("met"), pl.col("measure") != "nDCG(gain=0-3-1)@3")
        assert missed.is_empty(), missed

    test()


@pytest.mark.few(1)
@pytest.mark.parametrize("keys_per_query", [False, True])
def test_every_session_is_within_its_bounds(keys_per_query):
    without = OTHER_KEYS if keys_per_query else ()
    measures = [*OF_SESSIONS, *AGGREGATES]

    @FOURS
    @given(st.lists(logs(keys_per_query=keys_per_query), min_size=4, max_size=4))
    def test(several):
        alone, ways = side_by_side(several)
        found = bounded(study_of(alone, keys_per_query=keys_per_query), measures, per="session")
        many = study_of(ways, keys_per_query=keys_per_query)
        both = check(
            found.units, ranges(scored(many, measures, "session"), ["session_id"]), ["session_id"], without=without
        )
        kinds = {str(parse_measure(text)): parse_measure(text).bound_kind() for text in OF_SESSIONS}
        missed = both.filter(~pl.col("met"), pl.col("measure").is_in([*kinds]))
        assert missed.is_empty(), missed

    test()


@pytest.mark.slow
@pytest.mark.parametrize("keys_per_query", [False, True])
def test_means_and_differences_are_within_their_bounds(keys_per_query):
    without = OTHER_KEYS if keys_per_query else ()
    measures = [
        *OF_SESSIONS,
        *AGGREGATES,
        "mean(R@2)",
        "mean(E@3)",
        "mean(RBP(p=0.8))",
        "mean(gP@2)",
        "sum(AvgP(cutoffs=1-2,weights=1-1))",
    ]

    @SOME
    @given(logs(keys_per_query=keys_per_query))
    def test(log):
        found = bounded(study_of([("", *log[:2])], keys_per_query=keys_per_query), measures)
        many = scored(study_of(outcomes(*log), keys_per_query=keys_per_query), measures, "system_id")
        bounds = found.bounds
        both = check(bounds, ranges(many, ["system_id"]), ["system_id"], without=without)
        missed = both.filter(pl.col("bound") == "attained", ~pl.col("met"))
        assert missed.is_empty(), missed
        sides = many.with_columns(
            pl.col("system_id").str.split("#").list.to_struct(fields=["group", "outcome"])
        ).unnest("system_id")
        a, b = (sides.filter(pl.col("group") == name).select("outcome", "measure", "value") for name in "AB")
        values = (
            a.join(b, on=["outcome", "measure"])
            .group_by("measure")
            .agg(
                least=(pl.col("value_right") - pl.col("value")).min(),
                most=(pl.col("value_right") - pl.col("value")).max(),
            )
        )
        between = found.differences.filter(pl.col("lower").is_not_null()).join(values, on="measure", how="left")
        close = 1e-9
        wrong = between.filter((pl.col("least") < pl.col("lower") - close) | (pl.col("most") > pl.col("upper") + close))
        assert wrong.is_empty(), wrong
        loose = between.filter(
            pl.col("bound") == "attained",
            (pl.col("least") > pl.col("lower") + close) | (pl.col("most") < pl.col("upper") - close),
        )
        assert loose.is_empty(), loose
        turned = between.filter("holds", (pl.col("least") * pl.col("most")) <= 0)
        assert turned.is_empty(), turned

    test()


@pytest.mark.slow
@SOME
@given(logs())
def test_a_document_moves_a_mean_as_it_does_alone(log):
    made, judgments, open_pairs = log
    measures = [
        "sDCG@3",
        "nsDCG@2",
        "mean(nDCG@2)",
        "last(nDCG(gain=exp2)@3)",
        "mean(RBP(gain=linear,p=0.6)@2)",
        "nsDCG(ideal=once)@2",
    ]
    found = bounded(study_of([("", made, judgments)]), measures, by=None, wanted=50).wanted
    now = scored(study_of([("", made, judgments)]), measures, "all")
    for topic, doc in open_pairs:
        better = {key: dict(docs) for key, docs in judgments.items()}
        better[topic][doc] = 2.0
        then = scored(study_of([("", made, better)]), measures, "all")
        both = now.join(then, on="measure").filter(pl.col("n") == pl.col("n_right"), pl.col("value").is_not_null())
        moved = dict(
            found.filter(pl.col("judgment_key") == topic, pl.col("doc_id") == doc).select("measure", "move").iter_rows()
        )
        for measure, before, after in both.select("measure", "value", "value_right").iter_rows():
            cutoff = parse_measure(measure).inner.cutoff
            shown = any(
                doc in docs[:cutoff]
                for session in made
                for key, docs in session["queries"][-1 if measure.startswith("last") else 0 :]
                if key == topic
            )
            if shown:  # others that raise the ideal are not named
                assert abs(moved.get(measure, 0.0) - (after - before)) < 1e-9, (measure, topic, doc)


@pytest.mark.filterwarnings("ignore:judgments. 1 document judged more than once")
def test_ratings_of_0_that_are_added_up_count_as_1_where_the_gain_says_so():
    """List a, b, z: a is rated 0 twice, which makes 2 lifted, b 1; z unjudged. With z at 3 the ideal is 3 + 2 / 2 + 1 / 2.585."""
    rows = {"session_id": ["s"] * 3, "query_position": [1] * 3, "rank": [1, 2, 3], "doc_id": ["a", "b", "z"]}
    given = {"judgment_key": ["t"] * 3, "doc_id": ["a", "a", "b"], "grade": [0.0, 0.0, 1.0]}
    study = sk.from_tables({**rows, "topic_id": ["t"] * 3}, given, merge="sum", max_grade=3)
    found = sk.bounds(study, "nsDCG(gain=lifted)@10", by=None).bounds.row(0, named=True)
    third = 1 + 1.5849625007211562
    assert found["lower"] == pytest.approx((2 + 1 / 2 + 3 / third) / (3 + 2 / 2 + 1 / third), abs=1e-12)
    assert found["upper"] == 1.0
