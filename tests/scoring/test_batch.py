"""Blocks: what a log calls its columns, whose keys and grades count, and cuts through studies of every kind.

Numbered subtopics and nuggets: merged by the study's rule, apart by key, rows without a subtopic left out.

Several judgments of one document become one grade, by the rule that the study declares.
"""

import pickle
import random
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, MeasureError, UsageError
from sessionkit.scoring.batch import GradedPairs, Subtopics, batches, merged_judgments
from sessionkit.scoring.execution import session_values
from sessionkit.scoring.histogram import GainHistogram
from sessionkit.scoring.measures.grammar import example_of
from sessionkit.scoring.needs import columns_read
from sessionkit.scoring.score import score_task
from sessionkit.sessions.breakdown import BreakdownReduction
from sessionkit.statistics.bands import Grouping
from sessionkit.study import Settings
from sessionkit.study.numbering import JudgmentIndex
from tests.scoring.studies import sessions, study_of
from tests.support.examples import examples
from tests.support.net.answers import tables
from tests.support.score_way import score_way

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
FEW = settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
OWN = [
    "sDCG(grades=user)@3",
    "sDCG(duplicates=first)@3",
    "sum(DCG(grades=user,duplicates=first)@2)",
    "nsDCG(ideal=once)@2",
]
PARTS = [("last", "queries"), ("position", "sessions"), ("best", "queries"), ("first", "sessions")]


def cut(task, study, rows):
    """The whole of a task from batches of about so many results."""
    return task.whole([task.part(batch) for batch in batches(study, task.columns(), rows)])


@pytest.mark.slow
@quiet
@FEW
@given(drawn=sessions(keys_per_query=True), rows=st.integers(1, 9), how=st.sampled_from(PARTS))
def test_cuts_through_keys_of_queries_and_grades_of_searchers(drawn, rows, how):
    study = study_of(*drawn)
    tasks = [score_task(study, OWN, **score_way(per)) for per in ("session", "system_id")]
    for text in ("nDCG@3", "sDCG(duplicates=first)@2"):
        measure = sk.parse_measure(text)
        tasks.append(BreakdownReduction(measure, Grouping.of(study, "system_id"), *how, columns_read(study, [measure])))
    for task in tasks:
        assert_frame_equal(cut(task, study, rows), cut(task, study, 10**9), check_exact=True)


def test_a_grade_beyond_the_weights_is_refused_however_documents_are_told_apart():
    study = sk.from_tables(
        results={"session_id": ["s"] * 2, "query_position": [1, 1], "rank": [1, 2], "doc_id": ["a", "b"]},
        queries={"session_id": ["s"], "query_position": [1], "judgment_key": ["t"]},
        judgments={"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [7, 1]},
    )
    for ask in (sk.score, sk.breakdown):
        with pytest.raises(DataError, match=r"gain=0-1-3 .*grades 0 to 2, .* grade 7"):
            ask(study, "sDCG(gain=0-1-3,duplicates=first)@5")


@pytest.mark.few(5)
@pytest.mark.parametrize(
    "column", ["key", "session", "query", "unnamed", "everyone", "group", "results", "total", "slot"]
)
def test_a_log_s_columns_may_have_the_names_of_ours(column):
    # session s1 finds grade 2 at rank 1, session s2 nothing
    study = sk.from_tables(
        results={"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "z"]},
        sessions={"session_id": ["s1", "s2"], "topic_id": ["t", "t"], column: ["x", "y"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [2]},
    )
    means = sk.score(study, "sDCG@2", by=column)
    assert means.select(column, "value", "n").rows() == [("x", 2.0, 1), ("y", 0.0, 1)]
    parts = sk.breakdown(study, "DCG@1", parts="position", by=column)
    assert parts.select(column, "value").rows() == [("x", 2.0), ("y", 0.0)]
    if column == "slot":
        with pytest.raises(UsageError, match="already has a column"):
            sk.curve(study, "sDCG@1", by=column)
        return
    curves = sk.curve(study, "sDCG@1", by=column)
    assert curves.select(column, "value").rows() == [("x", 2.0), ("y", 0.0)]


@quiet
def test_groups_are_named_by_all_their_sessions():
    # s1, of no known system, has a query, s2 of system B has none: B is a group
    study = sk.from_tables(
        results={"session_id": ["s1"], "query_position": [1], "rank": [1], "doc_id": ["a"]},
        queries={"session_id": ["s1"], "query_position": [1]},
        sessions={"session_id": ["s1", "s2"], "system_id": [None, "B"], "topic_id": ["t", "t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [2]},
    )
    assert set(sk.breakdown(study, "DCG@1", average="queries")["system_id"]) == {None}
    assert set(sk.breakdown(study, "DCG@1")["system_id"]) == {None, "B"}  # where s2 is left out, and counted
    assert set(sk.curve(study, "sDCG@1")["system_id"]) == {None, "B"}


@pytest.fixture
def unlogged():
    return sk.from_tables(
        queries={"session_id": ["s1"], "query_position": [1], "results_status": ["not_logged"]},
        sessions={"session_id": ["s1"], "system_id": ["A"], "topic_id": ["t"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [2]},
    )


@quiet
def test_sessions_without_a_query_that_counts_are_not_no_sessions(unlogged):
    assert sk.breakdown(unlogged, "DCG@1", average="queries").is_empty()
    found = sk.breakdown(unlogged, "DCG@1").select("part", "value", "n_sessions", "left_out_undefined").rows()
    assert found == [("last", None, 0, 1), ("non-last", None, 0, 1)]


@quiet
def test_no_session_is_left_is_said_before_anything_is_scored(unlogged):
    for ask in (sk.curve, sk.breakdown):
        with pytest.raises(UsageError, match="queries ranges from 1 to 1"):
            ask(unlogged, "sDCG(gain=0-1)@1", where="queries >= 2")  # grade 2 is beyond these weights


@quiet
def test_the_note_on_undefined_values_has_the_measures_in_the_order_asked_for():
    study = sk.from_tables(
        results={"session_id": ["s1", "s2"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "a"]},
        sessions={"session_id": ["s1", "s2"], "topic_id": ["t", "none"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [0]},
    )
    for per in ("session", "all"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sk.score(study, ["sDCG@2", "nsDCG@2", "mean(DCG@1)", "mean(nDCG@1)"], **score_way(per))
        (text,) = [str(warning.message) for warning in caught if "undefined for" in str(warning.message)]
        reasons = ["sDCG@2, mean(DCG@1) undefined for 1 of 2: s2", "nsDCG@2, mean(nDCG@1) undefined for 2 of 2: s1, s2"]
        assert text.split("; ")[:2] == reasons
        assert "no judgments" in text


def test_a_caution_names_the_line_that_asked(tmp_path):
    study = sk.from_tables(
        results={"session_id": ["s", "r"], "query_position": 1, "rank": 1, "doc_id": "a"},
        sessions={"session_id": ["s", "r"], "topic_id": "t", "system_id": ["A", "B"]},
        judgments={"judgment_key": ["t"], "doc_id": ["a"], "grade": [1]},
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sk.score(study, "nsDCG(normalize=query)@2", per="session")
        sk.curve(study, "nsDCG(ideal_queries=3)@2")
        sk.curve_differences(study, "nsDCG(ideal_queries=3)@2", draws=200)
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name] * 3
    assert pl.Series([str(warning.message) for warning in caught]).str.contains("1 is not an upper bound").all()


@quiet
def test_a_block_that_reads_less_shares_what_is_kept_of_it():
    study = sk.from_tables(
        {
            "session_id": ["s"] * 2,
            "query_position": [1, 1],
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "topic_id": ["t"] * 2,
        },
        {"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [2, 0]},
    )
    task = score_task(study, "sDCG@3", per="session")
    (batch,) = batches(study, {**task.columns(), "results": ["doc_id"]})
    narrow = batch.reading(task.columns())
    assert set(narrow.results.columns) == {"query", "rank", "judgment"}
    assert {"query_position", "logged", "length"} <= set(narrow.queries.columns) <= set(batch.queries.columns)
    assert batch.reading({"queries": ["session_id"], "results": ["doc_id"]}) is batch
    task.part(narrow)
    assert [*batch.memo.find(session_values)] == [sk.parse_measure("sDCG@3")]
    assert batch.memo is narrow.memo


def test_other_rows_have_other_values():
    study = sk.from_tables(
        results={
            "session_id": ["s"] * 2,
            "query_position": [1, 1],
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "topic_id": ["t"] * 2,
        },
        judgments={"judgment_key": ["t", "t"], "doc_id": ["a", "b"], "grade": [1, 2]},
    )
    measure = sk.parse_measure("sDCG@2")
    (batch,) = batches(study, score_task(study, [measure], per="session").columns())
    # b is 2: rank 2 is discounted by 1 + log2(2) = 2, so 1 + 2 / 2
    assert session_values(batch, [measure])[measure]["value"].to_list() == [2.0]
    first = replace(batch, results=batch.results.filter(pl.col("rank") == 1))
    assert session_values(first, [measure])[measure]["value"].to_list() == [1.0]


def test_a_wrapper_says_of_itself_what_is_so_inside():
    inside = sk.parse_measure("DCG(min_grade=2,undefined=zero,grades=user,duplicates=first)@5")
    for wrapped in (sk.mean(inside), pickle.loads(pickle.dumps(sk.mean(inside))), sk.last(sk.DCG @ 3)(inside)):  # noqa: S301
        for name in ("min_grade", "undefined", "grades", "duplicates", "depth", "unjudged", "queries"):
            assert getattr(wrapped, name) == getattr(inside, name)
        assert "min_grade" not in wrapped.parameters()
    assert sk.mean(sk.TBG).may_read == sk.TBG.may_read != {}
    assert sk.mean(inside) == sk.mean(inside) != sk.mean(sk.DCG @ 5)
    with pytest.raises(MeasureError, match=r"mean .* parameter 'min_grade'"):
        sk.mean(inside, min_grade=1)


@quiet
@pytest.mark.parametrize(("grade", "shared"), [(2, True), (0.5, False)])
def test_cells_serve_other_gains_where_the_same_documents_gain(grade, shared):
    study = sk.from_tables(
        {
            "session_id": ["s"] * 2,
            "query_position": [1, 1],
            "rank": [1, 2],
            "doc_id": ["a", "b"],
            "topic_id": ["t"] * 2,
        },
        {"judgment_key": ["t"] * 2, "doc_id": ["a", "b"], "grade": [grade, 1]},
    )
    (batch,) = batches(study, {})
    linear, binary = (sk.parse_measure(f"sDCG(gain={gain})@3") for gain in ("linear", "binary"))
    selection = linear.selection
    first, second = (GainHistogram.of(batch, selection, [measure]) for measure in (linear, binary))
    assert (first is second) == shared
    # a grade of 0.5 gains nothing as binary
    assert len(second.rows) == (2 if shared else 1)
    both = GainHistogram.of(batch, selection, [linear, binary])
    assert both.sums("session", [linear]).row(0)[1] == first.sums("session", [linear]).row(0)[1]


ROWS = pl.DataFrame(
    [
        ("t", "a", "1", "p", "j1", 1.0),
        ("t", "a", "1", "p", "j2", 2.0),
        ("t", "a", "1", "q", "j1", 1.0),
        ("t", "b", "1", "p", "j1", 3.0),
        ("t", "b", "2", None, "j1", 1.0),
        ("t", "c", "2", None, "j1", 1.0),
        ("t", "c", None, None, "j1", 9.0),
        ("u", "a", "1", "p", "j1", 1.0),
    ],
    schema=["judgment_key", "doc_id", "subtopic_id", "passage_id", "judge_id", "grade"],
    orient="row",
)
# pairs in order: 0 t/a, 1 t/b, 2 t/c, 3 u/a; subtopics: 0 t/1, 1 t/2, 2 u/1


@pytest.mark.parametrize(
    ("merge", "first"), [("max", 2.0), ("sum", 4.0), ("median", 1.0), ("first", 1.0), ("majority", 1.0)]
)
def test_grades_are_merged_by_subtopic(merge, first):
    made = Subtopics.of(ROWS.lazy(), Settings(merge=merge), JudgmentIndex.of(ROWS.lazy()))
    wanted = [(0, 0, 0, first), (0, 1, 0, 3.0), (0, 1, 1, 1.0), (0, 2, 1, 1.0), (1, 3, 2, 1.0)]
    assert made.grades.rows() == wanted


def test_a_nugget_is_a_passage_or_what_a_document_says():
    made = Subtopics.of(ROWS.lazy(), Settings(), JudgmentIndex.of(ROWS.lazy()))
    nuggets = made.nuggets.select("judgment", "nugget", "rating").rows()
    names = dict(zip([(0, "p"), (0, "q"), (1, "p"), (1, "b"), (2, "c"), (3, "p")], nuggets, strict=True))
    # passage p of subtopic 1 is in a and b, and has the highest of their ratings; that of another key is another
    assert names[0, "p"][1:] == names[1, "p"][1:]
    assert names[0, "p"][2] == 3.0
    assert len({nugget for _, nugget, _ in nuggets}) == 5
    assert [rating for *_, rating in nuggets] == [3.0, 1.0, 3.0, 1.0, 1.0, 1.0]


def test_passages_with_one_nugget_id_say_the_same():
    """p, said by a and in other words (q) by a and b; r is another; without nugget_id the passage is the nugget."""
    rows = pl.DataFrame(
        [
            ("a", "p", "p", 2.0),
            ("a", "q", "p", 2.0),
            ("b", "q2", "p", 2.0),
            ("b", "r", None, 1.0),
            ("c", "p", None, 2.0),
        ],
        schema=["doc_id", "passage_id", "nugget_id", "grade"],
        orient="row",
    ).with_columns(judgment_key=pl.lit("t"), subtopic_id=pl.lit("1"))
    for merge in ("max", "sum"):
        made = Subtopics.of(rows.lazy(), Settings(merge=merge), JudgmentIndex.of(rows.lazy()))
        assert made.nuggets.select("judgment", "nugget", "rating", "times").rows() == [
            (0, 0, 2.0, 2.0),
            (1, 0, 2.0, 1.0),
            (1, 1, 1.0, 1.0),
            (2, 0, 2.0, 1.0),
        ]


def test_alternating_judges_are_listed_for_review_by_all_names():
    rows = pl.DataFrame(
        {
            "judgment_key": ["t"] * 2,
            "doc_id": ["a"] * 2,
            "subtopic_id": ["1"] * 2,
            "judge_id": ["j1", "j2"],
            "grade": [0.0, 3.0],
        }
    )
    with pytest.warns(DataWarning, match="t/a/1"):
        made = Subtopics.of(rows.lazy(), Settings(merge="alternate"), JudgmentIndex.of(rows.lazy()))
    assert made.grades["grade"].to_list() == [3.0]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_made_once_and_only_where_there_are_any():
    frame = ROWS.drop("judge_id")
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]}
    judged = GradedPairs.of(sk.from_tables(results=results, judgments=frame))
    assert judged.subtopics() is judged.subtopics() is not None
    plain = frame.drop("subtopic_id", "passage_id").unique(["judgment_key", "doc_id"])
    assert GradedPairs.of(sk.from_tables(results=results, judgments=plain)).subtopics() is None


DECLARED = {"max_grade": 3, "collection_size": 1000}


def judged(grades, rule, **settings):
    """A study of one query that shows a, whose documents were judged several times in this order."""
    rows = [(doc, grade) for doc, several in grades.items() for grade in several]
    return sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={
            "judgment_key": ["t"] * len(rows),
            "doc_id": [doc for doc, _ in rows],
            "grade": [float(grade) for _, grade in rows],
            "judge_id": [f"j{number}" for number in range(len(rows))],
        },
        merge=rule,
        **settings,
    )


def merged(grades, rule, **settings):
    """Merged grades by document, of documents judged several times in this order."""
    study = judged(grades, rule, **settings)
    return dict(merged_judgments(study).collect().select("doc_id", "grade").rows())


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ("max", {"a": 3, "b": 2}),
        ("sum", {"a": 5, "b": 3}),
        ("mean", {"a": 5 / 3, "b": 1.5}),
        ("median", {"a": 1, "b": 1.5}),
        ("majority", {"a": 1, "b": 2}),  # 1 twice; 1 and 2 are equally frequent
        ("first", {"a": 1, "b": 2}),
    ],
)
def test_rules(rule, wanted):
    assert merged({"a": [1, 3, 1], "b": [2, 1]}, rule) == wanted


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_mean_is_that_of_grades_from_0_up():
    grades = {"a": [3, 1, -2], "b": [-1, -2], "c": [-9, 0, 1], "d": [-9]}
    # a: (3 + 1) / 2; b: judged, gains nothing; c: -9 means unjudged, (0 + 1) / 2; d: unjudged
    assert merged(grades, "mean", unjudged_grades=[-9]) == {"a": 2, "b": -1, "c": 0.5}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@given(
    whole=st.lists(st.integers(-3, 100), min_size=1, max_size=9),
    decimal=st.lists(st.decimals(0, 9, places=2), min_size=1, max_size=9),
    order=st.randoms(),
)
def test_means_are_exact_and_do_not_depend_on_the_order(whole, decimal, order):
    own = [grade for grade in whole if grade >= 0]
    expected = float(Fraction(sum(own), len(own))) if own else max(whole)
    decimals = [float(grade) for grade in decimal]
    means = merged({"a": whole, "b": decimals}, "mean")
    assert means["a"] == expected
    assert means["b"] == pytest.approx(float(sum(map(Fraction, decimal)) / len(decimal)), rel=1e-15)
    for grades in (whole, decimals):
        order.shuffle(grades)
    assert merged({"a": whole, "b": decimals}, "mean") == means


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_gains_are_those_of_the_mean():
    """Document a has the mean 1.5, b 2; on a scale to 3."""
    study = judged({"a": [3, 0], "b": [2, 2]}, "mean", max_grade=3)
    expected = {
        "DCG@1": 1.5,
        "DCG(gain=exp2)@1": 2**1.5 - 1,  # not (7 + 0) / 2
        "DCG(gain=lifted)@1": 1.5,
        "P@1": 1.0,
        "P(min_grade=2)@1": 0.0,
        "nDCG@1": 1.5 / 2,
        "ERR@1": (2**1.5 - 1) / 2**3,
        "RBP(gain=linear,p=0.8)@1": 0.2 * 1.5 / 3,
        "gP@1": 1.5 / 3,
    }
    scores = sk.score(study, [*expected], per="query")
    assert dict(scores.select("measure", "value").rows()) == pytest.approx(expected, abs=1e-15)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("level", ["query", "session"])
def test_every_measure_takes_means_as_it_takes_such_grades(level):
    """Three judges of 20 sessions, and one judge whose grades are the means, by the definition in rational numbers."""
    given = tables(20, 4)
    given["sessions"] = given["sessions"].with_columns(expected=pl.lit(2.0))
    rows = given["judgments"]
    judges = [rows.with_columns(grade=(rows["grade"] * 7 + shift) % 4 - shift % 2) for shift in range(3)]
    unit = [name for name in rows.columns if name not in ("grade", "judge_id")]
    several = pl.concat([one.with_columns(judge_id=pl.lit(f"j{n}")) for n, one in enumerate(judges)])
    means = several.group_by(unit).agg("grade").with_columns(grade=pl.col("grade").map_elements(mean_of, pl.Float64))
    assert (means["grade"] != means["grade"].round()).any()
    measures = [measure for measure in map(example_of, sk.MEASURES.values()) if measure.level == level]
    needs = [str(measure) for measure in measures if "gain=0-" not in str(measure)]
    values = [
        sk.score(sk.from_tables(**given | {"judgments": judgments}, merge=merge, **DECLARED), needs, per=level)
        for judgments, merge in ((several, "mean"), (means, "max"))
    ]
    assert_frame_equal(*values, check_exact=True)
    assert values[0]["value"].count() > len(values[0]) / 2


def mean_of(grades):
    """The mean of the grades of 0 and above; the highest where there is none."""
    own = [Fraction(grade) for grade in grades if grade >= 0]
    return float(sum(own) / len(own)) if own else max(grades)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_weights_and_integer_qrels_refuse_means_that_are_fractions():
    study = judged({"a": [1, 2], "b": [1, 3]}, "mean")
    remedy = '"median" or "majority"'
    with pytest.raises(sk.DataError, match=rf"grade 1.5; .*=linear or exp2, .*{remedy}"):
        sk.score(study, ["DCG(gain=0-1-10-100)@3"], per="query")
    with pytest.raises(sk.DataError, match=f"document 'a' of 't' .* mean grade 1.5.*{remedy}"):
        study.to_qrels()
    whole = judged({"a": [1, 3]}, "mean")
    assert sk.score(whole, ["DCG(gain=0-1-10-100)@3"], per="query")["value"].item() == 10
    assert whole.to_qrels()["grade"].to_list() == [1, 3]  # as they were judged
    assert judged({"a": [1, 2]}, "median").to_qrels()["grade"].to_list() == [1, 2]
    fractional = judged({"a": [0.5, 2]}, "mean")
    assert fractional.to_qrels()["grade"].to_list() == [0.5, 2]


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("rule", ["sum", "mean"])
@pytest.mark.parametrize("grade", [2.0**30, -1e30])
def test_grades_too_large_to_be_added_are_refused(rule, grade):
    with pytest.raises(sk.DataError, match=f"merge={rule}: .* below 2\\^30"):
        merged({"a": [grade, 1]}, rule)


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_errors_of_one_judge_are_not_those_of_means():
    study = judged({"a": [1, 2], "b": [1, 3], "c": [0, 0]}, "mean")
    with pytest.raises(sk.UsageError, match="means over several judges"):
        sk.judge_noise(study, "nDCG@3", noise="judges", population="sessions")


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_alternate_takes_each_judge_in_turn_and_names_the_rest():
    # a, b, d differ by one: judge 1, judge 2, judge 1; c is agreed on; e is 2 apart
    grades = {"a": [1, 2], "b": [1, 2], "c": [3, 3], "d": [2, 1], "e": [0, 2]}
    with pytest.warns(sk.DataWarning, match="t/e"):
        assert merged(grades, "alternate") == {"a": 1, "b": 2, "c": 3, "d": 2, "e": 2}


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_grades_that_mean_unjudged_are_left_out_first():
    assert merged({"a": [-1, 0], "b": [-1], "c": [-2]}, "max", unjudged_grades=(-1,)) == {"a": 0, "c": -2}


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
def test_alternate_follows_the_judges_not_the_rows():
    results = {"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]}
    rows = [("a", 1.0, "j1"), ("a", 2.0, "j2"), ("b", 1.0, "j1"), ("b", 2.0, "j2")]
    for order in ([0, 1, 2, 3], [1, 0, 3, 2], [3, 1, 2, 0]):
        docs, grades, judges = zip(*(rows[place] for place in order), strict=True)
        judged = {"judgment_key": ["t"] * 4, "doc_id": list(docs), "grade": list(grades), "judge_id": list(judges)}
        study = sk.from_tables(results=results, judgments=judged, merge="alternate")
        assert dict(merged_judgments(study).collect().select("doc_id", "grade").rows()) == {"a": 1, "b": 2}


@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("seed", range(5))
def test_sums_of_grades_do_not_depend_on_the_order(seed):
    grades = [0.1, 0.7, 0.2, 1e-9, 0.3, 0.4]
    random.Random(seed).shuffle(grades)  # noqa: S311
    assert merged({"a": grades}, "sum") == {"a": 1.700000001}


@pytest.mark.few(7, slow=4)
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@pytest.mark.parametrize("rule", sk.study.MERGES)
@pytest.mark.parametrize("judges", [True, False])
def test_saved_numbers_merge_as_texts_do(tmp_path, rule, judges):
    """Of 300 judgments of 60 pairs by several judges, some of them pooled only, read from texts and from numbers."""
    draw = random.Random(rule)  # noqa: S311
    rows = [(draw.choice("tuvw"), draw.choice("abcdefghijklmno"), draw.choice([-2, 0, 1, 2, 0.1])) for _ in range(300)]
    study = sk.from_tables(
        results={"session_id": ["s"], "query_position": [1], "rank": [1], "doc_id": ["a"], "topic_id": ["t"]},
        judgments={
            "judgment_key": [key for key, _, _ in rows],
            "doc_id": [doc for _, doc, _ in rows],
            "grade": [grade for _, _, grade in rows],
            **({"judge_id": [f"j{draw.randrange(4)}" for _ in rows]} if judges else {}),
        },
        merge=rule,
        unjudged_grades=[-2],
    )
    saved = study.save(tmp_path / "study")
    assert saved.storage.numbered_judgments is not None
    by_text, by_number = GradedPairs.of(study), GradedPairs.of(saved)
    assert by_number.pairs.documents is None  # no text of a document was read
    assert by_number.grade.equals(by_text.grade, null_equal=True)
    assert by_number.grade.null_count() < len(by_number.grade)
    assert by_number.keys.to_list() == by_text.keys.to_list()
