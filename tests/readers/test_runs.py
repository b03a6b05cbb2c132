r"""Runs as they come from other libraries: one study whatever holds them, and the scores of ir_measures on the same objects."""

import random
import re
import warnings
from collections import namedtuple

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
import ranx
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, UsageError

PATTERN = r"(?P<session>.+)_(?P<position>\d+)"
TrecQrel = namedtuple("TrecQrel", "query_id doc_id relevance iteration")
GenericScoredDoc = namedtuple("GenericScoredDoc", "query_id doc_id score")
"""As ir_datasets names them."""
RNG = random.Random(7)  # noqa: S311
DOCUMENTS = [f"d{number}" for number in range(40)]
RUN = {
    f"{session}_{position}": {doc: RNG.choice([3.5, 2.25, 1.0, RNG.random()]) for doc in RNG.sample(DOCUMENTS, 25)}
    for session in ("31", "32", "s7")
    for position in (1, 2, 3)
}
QRELS = {query: {doc: RNG.choice([0, 0, 1, 2, 3]) for doc in RNG.sample(DOCUMENTS, 20)} for query in RUN}
ROWS = [(query, doc, score) for query, documents in RUN.items() for doc, score in documents.items()]
JUDGED = [(query, doc, grade) for query, documents in QRELS.items() for doc, grade in documents.items()]
PEERS = {
    "nDCG@10": ir_measures.nDCG @ 10,
    "AP": ir_measures.AP,
    "P@5": ir_measures.P @ 5,
    "RR": ir_measures.RR,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Both as TREC files."""
    folder = tmp_path_factory.mktemp("trec")
    (folder / "run").write_text("".join(f"{query} Q0 {doc} 0 {score!r} bm25\n" for query, doc, score in ROWS))
    (folder / "qrels").write_text("".join(f"{query} 0 {doc} {grade}\n" for query, doc, grade in JUDGED))
    return folder


def columns(rows, *names):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def pyterrier():
    """With the number of each document in the index, ranks from 0, and the query in words."""
    frame = pd.DataFrame(columns(ROWS, "qid", "docno", "score"))
    frame["docid"] = range(len(frame))
    frame["rank"] = frame.groupby("qid")["score"].rank(ascending=False, method="first").astype(int) - 1
    return frame.assign(query="words of it")


OBJECTS = {
    "pytrec_eval": lambda: (RUN, QRELS),
    "numpy": lambda: (
        {query: {doc: np.float64(score) for doc, score in own.items()} for query, own in RUN.items()},
        QRELS,
    ),
    "PyTerrier": lambda: (pyterrier(), pd.DataFrame(columns(JUDGED, "qid", "docno", "label"))),
    "ir_datasets frame": lambda: (
        pl.DataFrame(columns(ROWS, "query_id", "doc_id", "score")),
        pd.DataFrame(columns(JUDGED, "query_id", "doc_id", "relevance")).assign(iteration="0"),
    ),
    "ir_datasets": lambda: (
        (GenericScoredDoc(*row) for row in ROWS),
        (TrecQrel(*row, "0") for row in JUDGED),
    ),
    "ir_measures": lambda: (
        [ir_measures.ScoredDoc(*row) for row in ROWS],
        [ir_measures.Qrel(*row) for row in JUDGED],
    ),
    "ranx": lambda: (ranx.Run(RUN), ranx.Qrels(QRELS)),
    "columns": lambda: (
        columns(ROWS, "qid", "docno", "score"),
        pl.LazyFrame(columns(JUDGED, "query-id", "corpus-id", "score")),
    ),
    "records": lambda: (
        [{"qid": query, "docno": doc, "score": score} for query, doc, score in ROWS],
        pl.DataFrame(columns(JUDGED, "qid", "docno", "grade")),
    ),
}


@pytest.mark.few(5)
@pytest.mark.parametrize("kind", OBJECTS)
def test_one_study_whatever_holds_the_run(kind):
    study, usual = sk.from_run(*OBJECTS[kind](), sessions=PATTERN), sk.from_run(RUN, QRELS, sessions=PATTERN)
    for name in ("sessions", "queries", "results"):
        known = usual.table(name).collect()
        assert_frame_equal(study.table(name).collect().select(known.columns), known)
    assert_frame_equal(study.judgments.collect().sort(pl.all()), usual.judgments.collect().sort(pl.all()))


def test_files_are_the_same_with_a_system(files):
    study, usual = (
        sk.from_run(run, qrels, sessions=PATTERN)
        for run, qrels in [(files / "run", str(files / "qrels")), (RUN, QRELS)]
    )
    assert_frame_equal(study.results.collect(), usual.results.collect())
    assert study.sessions.collect()["system_id"].unique().to_list() == ["bm25"]
    assert usual.sessions.collect()["system_id"].unique().to_list() == [None]
    mixed = sk.from_run(files / "run", pd.DataFrame(columns(JUDGED, "qid", "docno", "label")), sessions=PATTERN)
    assert_frame_equal(mixed.results.collect(), usual.results.collect())


@pytest.mark.parametrize("kind", ["pytrec_eval", "PyTerrier", "ir_datasets frame", "ir_measures", "ranx"])
def test_scores_equal_those_of_ir_measures_on_the_same_objects(kind):
    run, qrels = OBJECTS[kind]()
    theirs, judged = run, qrels
    if kind == "PyTerrier":
        theirs = run.rename(columns={"qid": "query_id", "docno": "doc_id"})
        judged = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    if kind == "ir_datasets frame":
        theirs = run.to_pandas()
    if kind == "ranx":
        theirs, judged = RUN, QRELS
    by_name = {str(peer): ours for ours, peer in PEERS.items()}
    peers = {
        (by_name[str(one.measure)], one.query_id): one.value
        for one in ir_measures.iter_calc(PEERS.values(), judged, theirs)
    }
    means = {
        by_name[str(peer)]: value for peer, value in ir_measures.calc_aggregate(PEERS.values(), judged, theirs).items()
    }
    turns = sk.from_run(run, qrels, sessions=PATTERN)
    with pytest.warns(DataWarning, match="look like turns"):
        flat = sk.from_run(run, qrels)
    scores = sk.score(flat, [*PEERS], per="query")
    ours = {
        (measure, session): value for measure, session, value in scores.select("measure", "session_id", "value").rows()
    }
    assert ours == {key: pytest.approx(value, abs=1e-12) for key, value in peers.items()}
    scores = sk.score(turns, [*PEERS], per="query").select("measure", "session_id", "query_position", "value").rows()
    assert {(measure, f"{session}_{position}"): value for measure, session, position, value in scores} == ours
    for study in (flat, turns):  # sessions have three queries each, so that the mean of their means is that of all
        mean = sk.score(study, [f"mean({name})" for name in PEERS]).select("measure", "value").rows()
        assert {measure[5:-1]: value for measure, value in mean} == {
            name: pytest.approx(value, abs=1e-12) for name, value in means.items()
        }


def test_some_scores_equal_those_of_ranx():
    """Where no scores are equal, as ranx leaves these as they come."""
    run = {
        query: {doc: score + place / 1000 for place, (doc, score) in enumerate(own.items())}
        for query, own in RUN.items()
    }
    peers = ranx.evaluate(ranx.Qrels(QRELS), ranx.Run(run), ["ndcg@10", "map", "precision@5", "mrr"])
    scores = sk.score(
        sk.from_run(ranx.Run(run), ranx.Qrels(QRELS), sessions=PATTERN), [f"mean({name})" for name in PEERS]
    )["value"]
    assert scores.to_list() == pytest.approx([float(value) for value in peers.values()], abs=1e-12)


def test_systems_by_name_and_by_tag():
    half = {query: dict(list(own.items())[:12]) for query, own in RUN.items()}
    named = sk.from_run({"full": RUN, "half": half}, QRELS, sessions=PATTERN)
    assert sorted(named.sessions.collect()["session_id"]) == sorted(
        f"{s}:{n}" for s in ("full", "half") for n in ("31", "32", "s7")
    )
    assert named.sessions.collect().filter(session_id="half:31").row(0, named=True)["topic_id"] == "31"
    rows = [(*row, "full") for row in ROWS] + [(q, d, s, "half") for q, own in half.items() for d, s in own.items()]
    tagged = sk.from_run(pd.DataFrame(columns(rows, "qid", "docno", "score", "tag")), QRELS, sessions=PATTERN)
    assert_frame_equal(tagged.results.collect(), named.results.collect())
    frames = {"full": pl.DataFrame(columns(ROWS, "qid", "docno", "score")), "half": ranx.Run(half)}
    assert_frame_equal(sk.from_run(frames, QRELS, sessions=PATTERN).results.collect(), named.results.collect())
    assert sk.from_run(ranx.Run(RUN, name="bm25"), sessions=PATTERN).sessions.collect()[
        "system_id"
    ].unique().to_list() == ["bm25"]


def test_files_of_several_systems(files, tmp_path):
    other = tmp_path / "other"
    other.write_text((files / "run").read_text().replace("bm25", "dense"))
    study = sk.from_run([files / "run", other], files / "qrels", sessions=PATTERN)
    assert study.sessions.collect()["system_id"].unique().sort().to_list() == ["bm25", "dense"]
    study = sk.from_run({"A": files / "run", "B": other}, sessions=PATTERN)
    assert study.sessions.collect()["system_id"].unique().sort().to_list() == ["A", "B"]


def test_a_query_without_documents_is_an_empty_list():
    study = sk.from_run({"31_1": {"a": 1.0}, "31_2": {}}, {"31_1": {"a": 1}, "31_2": {"a": 1}}, sessions=PATTERN)
    assert study.queries.collect()["results_status"].to_list() == ["shown", "empty"]
    assert sk.score(study, "mean(RR)", per="session")["value"].to_list() == [0.5]
    options = {"sessions": PATTERN, "missing_positions": "not_logged"}
    known = sk.from_run({"31_1": {"a": 1.0}, "31_2": {}, "31_4": {"a": 1.0}}, **options)
    assert known.queries.collect()["results_status"].to_list() == ["shown", "empty", "not_logged", "shown"]
    with pytest.warns(DataWarning, match="no lines in it"):
        study = sk.from_run({"31_1": {}}, sessions=PATTERN)
    assert study.queries.collect()["results_status"].to_list() == ["empty"]
    flat = sk.from_run({"x": {"a": 1.0}, "y": {}}, {"x": {"a": 1}, "y": {"a": 1}})
    assert sk.score(flat, "RR", per="query").select("session_id", "value").rows() == [("x", 1), ("y", 0)]


def test_order_and_duplicates():
    frame = pl.DataFrame({"qid": "q", "docno": ["a", "b", "a"], "rank": [1, 0, 2], "score": [1.0, 0.5, 3.0]})

    def documents(**options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            study = sk.from_run(frame, **options)
        return study.results.collect().select("doc_id", "rank").rows()

    assert documents() == [("a", 1), ("a", 2), ("b", 3)]
    assert documents(order="rank") == [("b", 1), ("a", 2), ("a", 3)]
    assert documents(order="file") == [("a", 1), ("b", 2), ("a", 3)]
    assert documents(duplicates="first") == [("a", 1), ("b", 2)]
    assert documents(duplicates="reject", order="file") == [("a", 1), ("b", 2)]


def test_texts_tags_and_other_columns_stay():
    frame = pyterrier().assign(title="a title")
    study = sk.from_run(frame, sessions=PATTERN)
    assert study.queries.collect()["query_text"].unique().to_list() == ["words of it"]
    assert {"docid", "title"} <= {*study.results.collect().columns}
    qrels = pd.DataFrame(columns(JUDGED, "qid", "docno", "label")).assign(iteration="0")
    notes = sk.from_run(frame, qrels, sessions=PATTERN).notes
    names = [("judgment_key", "qid"), ("doc_id", "docno"), ("grade", "label")]
    assert re.findall(r"(\w+) is '(\w+)'", notes[1]) == names
    assert notes[1].startswith("qrels: ")
    names = [("query_id", "qid"), ("doc_id", "docno"), ("query_text", "query")]
    assert re.findall(r"(\w+) is '(\w+)'", study.notes[0]) == names
    assert study.notes[0].startswith("run: ")


def test_a_map_makes_sessions(tmp_path):
    table = pd.DataFrame({"qid": list(RUN), "session": ["s"] * 9, "turn": range(1, 10), "user": "u"})
    table.to_csv(tmp_path / "map.csv", index=False)
    for sessions in (table, pl.from_pandas(table), str(tmp_path / "map.csv"), tmp_path / "map.csv"):
        study = sk.from_run(RUN, QRELS, sessions=sessions)
        assert study.sessions.collect().select("session_id", "user_id").rows() == [("s", "u")]
        assert study.queries.collect()["query_id"].to_list() == list(RUN)


def test_subtopics_and_grades_that_are_negative_are_kept():
    qrels = [TrecQrel("q", "a", -1, "0"), TrecQrel("q", "a", 2, "3")]
    study = sk.from_run({"q": {"a": 1.0}}, qrels)
    assert study.judgments.collect().select("grade", "subtopic_id").rows() == [(-1, None), (2, "3")]


def test_rows_that_break_a_rule_are_counted():
    frame = pl.DataFrame({"qid": ["q", "q", None], "docno": ["a", None, "b"], "score": [1.0, 2.0, 1.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        study = sk.from_run(frame)
    assert study.rejected.collect().select("source", "record", "rule").rows() == [
        ("run", 2, "doc_id_is_given"),
        ("run", 3, "query_id_is_given"),
    ]


def test_turns_without_sessions_are_warned_of():
    with pytest.warns(DataWarning, match=r"like turns of .* = r'\(\?P<session>\.\+\)_"):
        sk.from_run({f"31_{turn}": {"a": 1.0} for turn in (1, 2, 3)})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: sk.from_run({"q": {"a": "high"}}),
            "^run: .*document 'a' .*query 'q' .*'high'",
        ),
        (lambda: sk.from_run(RUN, {"q": {"a": "good"}}), "qrels: .*document 'a' .*query 'q' .*'good'"),
        (
            lambda: sk.from_run(pl.DataFrame({"qid": ["q"], "score": [1.0]})),
            "doc_id; .*query_id, score",
        ),
        (
            lambda: sk.from_run(pl.DataFrame({"qid": ["q"], "docno": ["a"], "rank": [1]})),
            "column score; .*, rank; order='rank'",
        ),
        (lambda: sk.from_run(RUN, pl.DataFrame({"qid": ["q"], "docno": ["a"]})), "qrels .* no column grade"),
        (lambda: sk.from_run(pl.DataFrame({"qid": ["q"], "docno": ["a"], "score": [[1]]})), "score holds List"),
        (lambda: sk.from_run([]), "run is empty"),
        (lambda: sk.from_run({}), "run is empty"),
        (lambda: sk.from_run(3), "run: a int is not"),
        (lambda: sk.from_run("no such run"), "no such file"),
        (lambda: sk.from_run(RUN, sessions="(?P<session>"), "not a regular expression"),
        (lambda: sk.from_run(RUN, sessions=r"(?P<conversation>.+)_(?P<position>\d+)"), "group 'conversation'"),
        (lambda: sk.from_run(RUN, sessions="map.tsv"), "sessions is 'map.tsv', .*expression"),
        (
            lambda: sk.from_run(RUN, sessions={"qid": ["31_1"]}),
            "sessions .*session_id .*query_position",
        ),
        (
            lambda: sk.from_run(RUN, sessions={"qid": ["31_1"] * 2, "session_id": ["s"] * 2, "query_position": [1, 2]}),
            "sessions .*'31_1' more than once",
        ),
        (lambda: sk.from_run({"q": {"a": 1}, "r": 3}), "dictionary of documents"),
    ],
)
def test_mistakes_in_data(call, said):
    with pytest.raises(DataError, match=said):
        call()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sk.from_run(RUN, order="scores"), "order is 'scores'; .*'score'"),
        (lambda: sk.from_run(RUN, duplicates="drop"), "duplicates is 'drop'"),
        (lambda: sk.from_run(RUN, max_grades=3), "did you mean 'max_grade'"),
    ],
)
def test_mistakes_in_words(call, said):
    with pytest.raises(UsageError, match=said):
        call()
