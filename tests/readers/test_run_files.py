"""Runs as files in other forms than TREC's: JSON, three columns, tables of PyTerrier and ranx; the values of pytrec_eval."""

import json
import random

import polars as pl
import pytest
import pytrec_eval
import ranx

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning

RNG = random.Random(3)  # noqa: S311
TOPICS, DOCUMENTS = [f"q{number}" for number in range(1, 6)], [f"d#{number}" for number in range(12)]
RUN = {topic: {doc: round(RNG.random(), 6) for doc in RNG.sample(DOCUMENTS, 8)} for topic in TOPICS}
QRELS = {topic: {doc: RNG.choice([0, 0, 1, 3]) for doc in RNG.sample(DOCUMENTS, 8)} for topic in TOPICS}
BY_RANK = {topic: sorted(scores, key=lambda doc: -scores[doc]) for topic, scores in RUN.items()}
PLACES = [(topic, doc, rank) for topic, docs in BY_RANK.items() for rank, doc in enumerate(docs, 1)]
EXPECTED = pytrec_eval.RelevanceEvaluator(QRELS, {"ndcg_cut_5", "recip_rank"}).evaluate(RUN)


def json_run(folder):
    (folder / "bm25.json").write_text(json.dumps(RUN, indent=1), encoding="utf-8")
    return folder / "bm25.json"


def three_columns(folder):
    (folder / "bm25.run").write_text("".join(f"{topic}\t{doc}\t{rank}\n" for topic, doc, rank in PLACES))
    return folder / "bm25.run"


def three_columns_by_rank(folder):
    """The best documents of all topics first, as some programs write them."""
    lines = sorted(PLACES, key=lambda place: place[2])
    (folder / "bm25.run").write_text("# MS MARCO\n" + "".join(f"{topic} {doc} {rank}\n" for topic, doc, rank in lines))
    return folder / "bm25.run"


def pyterrier(folder):
    """docid is a number within the index, docno the document; ranks count from 0."""
    columns = {
        "qid": [topic for topic, _, _ in PLACES],
        "docid": [f"d#{rank}" for _, _, rank in PLACES],
        "docno": [doc for _, doc, _ in PLACES],
        "rank": [rank - 1 for _, _, rank in PLACES],
        "score": [RUN[topic][doc] for topic, doc, _ in PLACES],
        "query": [f"lamp, {topic}" for topic, _, _ in PLACES],
    }
    pl.DataFrame(columns).write_csv(folder / "bm25.csv")
    return folder / "bm25.csv"


def ranx_parquet(folder):
    ranx.Run(RUN).save(str(folder / "bm25.parquet"), kind="parquet")
    return folder / "bm25.parquet"


FORMS = (json_run, three_columns, three_columns_by_rank, pyterrier, ranx_parquet)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("verb", [sk.from_run, lambda run, qrels: sk.read(run, judgments=qrels)])
def test_the_values_are_those_of_pytrec_eval(tmp_path, form, verb):
    (tmp_path / "qrels.json").write_text(json.dumps(QRELS), encoding="utf-8")
    study = verb(form(tmp_path), tmp_path / "qrels.json")
    assert study.rejected.collect().is_empty()
    assert study.sessions.collect()["system_id"].unique().to_list() == ["bm25"]
    scores = sk.score(study, ["mean(nDCG@5)", "mean(RR)"], per="session")
    values = {(row["session_id"].split(":")[-1], row["measure"]): row["value"] for row in scores.to_dicts()}
    for topic, expected in EXPECTED.items():
        assert values[topic, "mean(nDCG@5)"] == pytest.approx(expected["ndcg_cut_5"], abs=1e-9)
        assert values[topic, "mean(RR)"] == pytest.approx(expected["recip_rank"], abs=1e-9)


def test_texts_of_queries_are_kept(tmp_path, quiet_read):
    study = quiet_read(pyterrier(tmp_path))
    assert set(study.queries.collect()["query_text"]) == {f"lamp, {topic}" for topic in TOPICS}


def test_gaps_of_ranks_stay_and_ranks_may_count_from_0(write, quiet_read):
    """The relevant document is third, as its rank says: 1/3."""
    study = quiet_read(
        write("a.run", "q\ta\t1\nq\tb\t2\nr\tc\t1\nr\td\t3\n"), judgments=write("q", "q 0 a 1\nr 0 d 1\n")
    )
    assert study.results.collect().sort("doc_id")["rank"].to_list() == [1, 2, 1, 3]
    with pytest.warns(DataWarning, match="looks deeper than was observed in 1 of 2 queries"):
        scores = sk.score(study, ["mean(RR)"], per="session").sort("session_id")
    assert scores["value"].to_list() == [1, pytest.approx(1 / 3)]
    zero = quiet_read(write("b.run", "q\ta\t0\nq\tb\t1\n"))
    assert zero.results.collect().sort("doc_id")["rank"].to_list() == [1, 2]


def test_a_topic_without_documents_is_an_empty_list(write, quiet_read):
    """AP of q is 1, that of the empty list 0."""
    run, qrels = (
        write("run.json", '{"q": {"a": 0.5}, "none": {}}'),
        write("q.json", '{"q": {"a": 1}, "none": {"b": 1}}'),
    )
    for study in (quiet_read(run, judgments=qrels), sk.from_run(run, qrels)):
        assert study.queries.collect()["results_status"].sort().to_list() == ["empty", "shown"]
        assert sk.score(study, ["mean(AP)"])["value"].to_list() == [0.5]


def test_files_of_several_forms_are_several_systems(tmp_path, write, quiet_read):
    trec = write("t.txt", "".join(f"{topic} Q0 {doc} {rank} {-rank} other\n" for topic, doc, rank in PLACES))
    study = quiet_read([json_run(tmp_path), three_columns(tmp_path), trec])
    assert sorted(study.sessions.collect()["system_id"].unique()) == ["bm25 bm25.json", "bm25 bm25.run", "other"]


def test_json_of_whole_numbers_is_judgments_unless_it_is_said_to_be_a_run(write, quiet_read):
    path = write("run.json", '{"q": {"a": 3, "b": 7}}')
    with pytest.raises(DataError, match=r"run\.json contains judgments \(json_qrels\), not a log.*--from FORMAT"):
        sk.read(path)
    study = quiet_read(path, format="trec_run")
    assert study.results.collect().sort("rank")["doc_id"].to_list() == ["b", "a"]


@pytest.mark.parametrize(
    "text",
    [
        "user,qid,docno,score\nu,q,a,0.5\n",  # a log of one's own
        '{"columns": ["a"], "data": [[1.5]]}',
        '{"a": {"0": 1.5, "1": 2}}',  # of pandas
        "q1\ta\t1\nq2\ta\t1\n",  # no ranks
        "q1\ta\t2\nq1\tb\t2\n",
    ],
)
def test_other_files_are_no_runs(write, text):
    with pytest.raises(DataError):
        sk.read(write("log.txt", text))


def test_a_run_without_tag_is_named_by_its_columns(write):
    with pytest.raises(
        DataError, match=r"five columns, topic, iteration, document, rank and score: a run without its tag"
    ):
        sk.read(write("run.txt", "q1 Q0 a 1 9.5\nq1 Q0 b 2 8.5\n"), format="trec_run")
    with pytest.raises(DataError, match=r'bm25\.json has no ranks to order lists by; leave out order = "rank"'):
        sk.read(write("bm25.json", '{"q": {"a": 0.5}}'), config={"format": "trec_run", "order": "rank"})
