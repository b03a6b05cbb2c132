"""Topics and sessions of which a run has no line: named, left out or added with empty lists."""

import re
import warnings
from pathlib import Path

import ir_measures
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.readers.read import read
from tests.support.examples import examples

CASES = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "cases" / "public"
PATTERN = r"(?P<session>.+)_(?P<position>\d+)"
JUDGED = {"q1": {"a": 1}, "q2": {"b": 1}}
RUNS = {"A": {"q1": {"a": 1.0}, "q2": {"x": 1.0}}, "B": {"q1": {"a": 1.0}}}
"""B skips its hard topic: AP is 1 for q1, and 0 for q2, which A answers wrongly."""


def means(study):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return dict(sk.score(study, "mean(AP)").select("system_id", "value").rows())


def trec_lines(run, tag):
    return "".join(
        f"{query} Q0 {doc} {rank} {score} {tag}\n"
        for query, docs in run.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    )


def qrels_lines(qrels):
    return "".join(f"{query} 0 {doc} {grade}\n" for query, docs in qrels.items() for doc, grade in docs.items())


@pytest.fixture(params=["frames", "files"])
def study_of(request, write):
    """Make a study of runs by system and judgments, from dictionaries or from files of TREC."""

    def from_files(runs, qrels, **options):
        paths = [write(f"{system}.run", trec_lines(run, system)) for system, run in runs.items()]
        return read(paths, judgments=write("qrels", qrels_lines(qrels)), **options)

    return sk.from_run if request.param == "frames" else from_files


def test_a_run_that_skips_a_topic_is_named_when_it_is_read_and_when_it_is_scored(study_of):
    with pytest.warns(DataWarning, match=r"^runs: B lacks 1 of 2 .*topics \(q2\); .*means, "):
        study = study_of(RUNS, JUDGED)
    assert means(study) == {"A": 0.5, "B": 1.0}
    with pytest.warns(DataWarning, match=r"^B lacks 1 of 2 .*topics \(q2\); .* means$"):
        sk.score(study, "mean(AP)")


def test_missing_topics_can_be_empty_lists(study_of):
    study = study_of(RUNS, JUDGED, missing_topics="zero")
    assert any(re.match(r"runs: B .* 1 of 2 .*\(q2\); .*empty.* missing_topics", note) for note in study.notes)
    assert means(study) == {"A": 0.5, "B": 0.5}
    assert study.queries.collect().filter(session_id="B:q2").select("query_position", "results_status").rows() == [
        (1, "empty")
    ]
    sk.score(study, "mean(AP)")  # nothing is missing, so nothing is warned of
    plain = study_of(RUNS, JUDGED, missing_topics="omit")
    for name in ("sessions", "queries", "results"):
        both, alone = study.table(name).collect(), plain.table(name).collect()
        assert both.columns == alone.columns
        assert both.filter(pl.col("session_id") != "B:q2").equals(alone)


def test_what_was_chosen_is_a_note_and_no_warning(study_of):
    study = study_of(RUNS, JUDGED, missing_topics="omit")
    assert any(re.match(r".*B .* 1 of 2 .*\(q2\); left out.* missing_topics", note) for note in study.notes)
    assert means(study) == {"A": 0.5, "B": 1.0}


def test_judgments_of_other_keys_are_no_missing_topics(study_of):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study_of(RUNS, {"t7": {"a": 1}})
    assert not [one for one in caught if "lacks" in str(one.message)]


def test_a_comment_among_judgments_is_no_judged_topic(write, rejects):
    run, qrels = write("run", "q1 Q0 a 1 1 A\nq2 Q0 b 1 1 A\n"), "q1 0 a 1\n# second topic here\nq2 0 b 1\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study = read(run, judgments=write("qrels", qrels), missing_topics="zero")
    assert rejects(study) == []
    assert not [one for one in caught if "lacks" in str(one.message)]
    assert means(study) == {"A": 1.0}
    words = write("words.csv", "topic_id,doc_id,grade\nq1,a,good\nq2,b,good\nq3,c,good\n")
    with pytest.warns(DataWarning, match=r"A lacks 1 of 3 judged topics \(q3\)"):
        read(run, judgments=words, grade_values={"good": 1})


QUERIES = [f"q{number}" for number in range(1, 6)]
DOCUMENTS = list("abcd")
run_dictionaries = st.dictionaries(
    st.sampled_from(QUERIES),
    st.permutations(DOCUMENTS).map(lambda docs: {doc: float(9 - rank) for rank, doc in enumerate(docs[:3])}),
    min_size=1,
)
qrels_dictionaries = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=1), min_size=1
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
@settings(max_examples=examples(60), deadline=None)
@given(run=run_dictionaries, qrels=qrels_dictionaries)
def test_means_are_those_of_trec_eval_with_and_without_c_and_of_ir_measures(run, qrels):
    """pytrec_eval has a value for each topic of run and qrels: trec_eval averages these or, with -c, all topics of the qrels."""
    of_topics = pytrec_eval.RelevanceEvaluator(qrels, {"map", "P_5"}).evaluate(run)
    both = of_topics.keys() & run.keys()
    for missing_topics in ("omit", "zero"):
        n_topics = len(both) if missing_topics == "omit" else len(qrels)
        study = sk.from_run(run, qrels, missing_topics=missing_topics if both else None)
        if not both:  # the keys of the judgments are other ids, as far as anyone can tell
            return
        scores = sk.score(study, ["mean(AP(undefined=zero))", "mean(P(undefined=zero)@5)"], by=None)
        for name, value, n in zip(("map", "P_5"), scores["value"], scores["n"], strict=True):
            total = sum(of_topics[query][name] for query in both)
            assert n == n_topics
            assert value == pytest.approx(total / n_topics, abs=1e-12)
    peer = ir_measures.calc_aggregate([ir_measures.AP, ir_measures.P @ 5], qrels, run)
    assert scores["value"].to_list() == [
        pytest.approx(peer[measure], abs=1e-12) for measure in (ir_measures.AP, ir_measures.P @ 5)
    ]


SESSIONS = {"s1_1": {"a": 1}, "s1_2": {"b": 1}, "s2_1": {"c": 1}, "s2_2": {"d": 1}}
MAP = pl.DataFrame({"query_id": [*SESSIONS], "session_id": ["s1", "s1", "s2", "s2"], "query_position": [1, 2, 1, 2]})
PERFECT = {query: dict.fromkeys(docs, 3.0) for query, docs in SESSIONS.items()}
TWO = {"A": PERFECT, "B": {"s1_1": {"a": 3.0}}}
"""B has a line of the first query of the first session alone, so that its mean is (1 + 0) / 2 there, and 0 in the second session."""


def test_a_map_is_the_list_of_sessions():
    with pytest.warns(DataWarning, match=r"^runs: B lacks 3 of 4 .*\(s1_2, s2_1, s2_2\); .*empty"):
        study = sk.from_run(TWO, SESSIONS, sessions=MAP)
    assert means(study) == {"A": 1.0, "B": 0.25}
    chosen = sk.from_run(TWO, SESSIONS, sessions=MAP, missing_topics="zero")
    assert means(chosen) == {"A": 1.0, "B": 0.25}
    left_out = sk.from_run(TWO, SESSIONS, sessions=MAP, missing_topics="omit")
    assert means(left_out) == {"A": 1.0, "B": 0.5}
    assert any(re.match(r".*B .* 1 of 2 sessions .*\(s2\); left.* missing_topics", note) for note in left_out.notes)


def test_a_map_whose_missing_lines_were_not_logged():
    with pytest.warns(DataWarning, match="lists that were not logged"):
        study = sk.from_run(TWO, SESSIONS, sessions=MAP, missing_positions="not_logged")
    assert means(study) == {"A": 1.0, "B": 1.0}
    counts = study.queries.collect().filter(results_status="not_logged").group_by("session_id").len().sort("session_id")
    assert counts.rows() == [("B:s1", 1), ("B:s2", 2)]


def test_a_map_that_names_systems_expects_a_query_of_its_system_alone():
    with_systems = MAP.with_columns(system_id=pl.Series(["A", "A", "B", "B"]))
    runs = {"A": {"s1_1": {"a": 1.0}, "s1_2": {"b": 1.0}}, "B": {"s2_1": {"c": 1.0}}}
    with pytest.warns(DataWarning, match=r"^runs: B lacks 1 of 2 queries .*\(s2_2\)"):
        study = sk.from_run(runs, SESSIONS, sessions=with_systems)
    assert means(study) == {"A": 1.0, "B": 0.5}


@pytest.mark.parametrize(
    ("qrels", "lacking", "omitted", "empty"),
    [
        (SESSIONS, r"B lacks 1 of 2 judged sessions \(s2\)", {"A": 1.0, "B": 0.5}, {"A": 1.0, "B": 0.25}),
        # topics: of A's sessions s1 shows a first, then b; s2 shows c first, then d
        (
            {"s1": {"a": 1}, "s2": {"c": 1}, "s3": {"e": 1}},
            r"A lacks 1 of 3 .*\(s3\); B lacks 2 of 3 .*topics \(s2, s3\)",
            {"A": 0.5, "B": 1.0},
            {"A": 1 / 3, "B": 1 / 3},
        ),
    ],
)
def test_sessions_by_a_pattern_are_known_by_their_judgments(qrels, lacking, omitted, empty):
    study, texts = with_warnings(qrels)
    assert any(re.match(f"runs: {lacking}; left out of means", text) for text in texts)
    assert means(study) == omitted
    filled, texts_of_filled = with_warnings(qrels, missing_topics="zero")
    assert means(filled) == pytest.approx(empty)
    # judgments by topic do not tell that B was asked s1_2 as well
    for each in (texts, texts_of_filled):
        assert any("1 session ends before 1 turn" in text and "'s1_2'" in text for text in each) == (
            "topics" in lacking
        )


def with_warnings(qrels, **options):
    """Return the study of two runs by a pattern, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        study = sk.from_run(TWO, qrels, sessions=PATTERN, **options)
    return study, [str(each.message) for each in caught]


def test_sessions_of_a_topics_file_whose_topic_is_judged(write, quiet_read):
    """Session 2 has the judged topic 8 and no line; session 3 has a topic without judgments."""
    topics, qrels = write("topics", "1\t7\n2\t8\n3\t9\n"), write("qrels", "7 0 a 1\n8 0 b 1\n")
    run = write("run", "1 Q0 a 1 1 A\n")
    study = quiet_read(run, judgments=qrels, topics=topics, missing_topics="zero")
    assert study.sessions.collect().select("session_id", "topic_id").rows() == [("A:1", "7"), ("A:2", "8")]
    assert means(study) == {"A": 0.5}
    with pytest.warns(DataWarning, match=r"A lacks 1 of 2 judged topics \(2\)"):
        read(run, judgments=qrels, topics=topics)


def test_a_run_without_a_name_and_many_missing_topics():
    qrels = {f"q{number}": {"a": 1} for number in range(1, 13)}
    with pytest.warns(DataWarning, match=r"lacks 11 of 12 .*\(q2, q3, q4, q5, q6 and 6 more\)"):
        sk.from_run({"q1": {"a": 1.0}}, qrels)
    runs = {f"S{number}": {"q1": {"a": 1.0}} for number in range(1, 8)}
    more = r"S5 lacks 1 of 2 judged topics \(q2\); so do 2 more systems; left out"
    with pytest.warns(DataWarning, match=more):
        study = sk.from_run(runs, {"q1": {"a": 1}, "q2": {"a": 1}})
    for _ in range(2):
        with pytest.warns(DataWarning, match=more):
            sk.score(study, "mean(AP)")


def test_sessions_of_users_are_no_runs():
    """Users search what they like: that a system was not used for a topic is no fault of it."""
    study = sk.from_tables(
        sessions={"session_id": ["s", "t"], "user_id": ["u", "v"], "system_id": ["A", "B"], "topic_id": ["q1", "q2"]},
        results={"session_id": ["s", "t"], "query_position": [1, 1], "rank": [1, 1], "doc_id": ["a", "b"]},
        judgments={"judgment_key": ["q1", "q2"], "doc_id": ["a", "b"], "grade": [1, 1]},
    )
    sk.score(study, "mean(AP)")


def test_mistakes(write):
    with pytest.raises(UsageError, match=r"missing_topics .*'zeros'; .*'zero'\?"):
        sk.from_run(RUNS, JUDGED, missing_topics="zeros")
    run = write("run", trec_lines(RUNS["A"], "A"))
    with pytest.raises(UsageError, match=r"missing_topics .* or zero, .*'null'"):
        read(run, missing_topics="null")
    with pytest.raises(DataError, match="missing_topics"):
        read(run, config={"format": "trec_run", "missing_topics": "drop"})
    with pytest.raises(UsageError, match=r"format tables .*missing_topics \(--"):
        read(write("log.csv", "session_id,query_position,rank,doc_id\n"), missing_topics="zero")


@pytest.mark.realdata
def test_the_case_of_the_missing_session():
    if not CASES.is_dir():
        pytest.skip("no cases")
    with pytest.warns(DataWarning, match=r"B lacks 3 of 4 queries"):
        study = sk.read(CASES / "missing_session.toml", judgments=CASES / "missing_session.qrels")
    assert means(study) == {"A": 1.0, "B": 0.25}
