"""Format trec_run: the orders of a list, documents that come twice, several runs; the real run of trec_eval's tests.

Runs as files in other forms than TREC's: JSON, three columns, tables of PyTerrier and ranx; the values of pytrec_eval.
"""

import json
import random
import re
from pathlib import Path

import polars as pl
import pytest
import pytrec_eval
import ranx

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

REAL = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "judgments"
RUN = "301\tQ0\tb\t2\t1.5\tbm25\n301 Q0 a 1 0.5 bm25\n302 Q0 c 1 2 bm25\n301  Q0 c 3 1.5e0 bm25 and more\n\n"


def lists(study):
    """The documents of each list, in the order of their ranks."""
    rows = study.results.collect().sort("session_id", "rank")
    return {session: rows.filter(session_id=session)["doc_id"].to_list() for session in rows["session_id"].unique()}


def test_a_run_is_ordered_by_score_and_equal_scores_by_document(write, quiet_read):
    study = quiet_read(write("run", RUN))
    assert study.reader == "trec_run"
    assert lists(study) == {"bm25:301": ["c", "b", "a"], "bm25:302": ["c"]}
    assert study.results.collect().filter(session_id="bm25:301")["score"].to_list() == [1.5, 1.5, 0.5]
    assert study.sessions.collect().select("session_id", "system_id", "topic_id", "judgment_key").rows() == [
        ("bm25:301", "bm25", "301", "301"),
        ("bm25:302", "bm25", "302", "302"),
    ]
    assert study.queries.collect().select("query_position", "query_id").rows() == [(1, "301"), (1, "302")]


@pytest.mark.parametrize(
    ("order", "found", "ranks"),
    [("score", ["c", "b", "a"], [1, 2, 3]), ("rank", ["a", "b", "c"], [1, 2, 3]), ("file", ["b", "a", "c"], [1, 2, 3])],
)
def test_orders(write, quiet_read, order, found, ranks):
    study = quiet_read(write("run", RUN), config={"format": "trec_run", "order": order})
    assert lists(study)["bm25:301"] == found
    assert study.results.filter(session_id="bm25:301").collect()["rank"].to_list() == ranks


def test_ranks_of_the_file_may_count_from_0_and_have_gaps(write, quiet_read):
    text = "1 Q0 a 0 9 t\n1 Q0 b 1 8 t\n1 Q0 c 4 7 t\n2 Q0 a 0 9 t\n"
    study = quiet_read(write("run", text), config={"format": "trec_run", "order": "rank"})
    assert study.results.filter(session_id="t:1").collect()["rank"].to_list() == [1, 2, 5]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_is_that_of_trec_eval(write, quiet_read, seed):
    rng = random.Random(seed)  # noqa: S311
    scores = [1.0, 1.00000001, 0.5, 16_777_216.0, 16_777_217.0, -1e-3, 3]  # two pairs are equal in single precision
    run = {f"d{number}": rng.choice(scores) for number in range(12)}
    lines = [f"q Q0 {document} 0 {score!r} t\n" for document, score in run.items()]
    study = quiet_read(write("run", "".join(lines)))
    ranks = dict(study.results.collect().select("doc_id", "rank").rows())
    for (
        document,
        rank,
    ) in ranks.items():  # the place of a document is told by the reciprocal rank with it alone relevant
        peer = pytrec_eval.RelevanceEvaluator({"q": {document: 1}}, {"recip_rank"}).evaluate({"q": run})
        assert peer["q"]["recip_rank"] == pytest.approx(1 / rank)


@pytest.mark.parametrize(
    ("duplicates", "expected"),
    [
        ("keep", ([("a", 1), ("b", 2), ("a", 3)], (3, 3, 0))),
        ("first", ([("a", 1), ("b", 2)], (2, 2, 0))),
        ("reject", ([("a", 1), ("b", 2)], (3, 2, 1))),
    ],
)
def test_documents_that_come_twice(write, quiet_read, rejects, duplicates, expected):
    rows, account = expected
    path = write("run", "1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n1 Q0 a 3 3 t\n")
    study = quiet_read(path, config={"format": "trec_run", "duplicates": duplicates})
    assert study.results.collect().select("doc_id", "rank").rows() == rows
    source = next(one for one in study.sources if one.table == "results")
    assert (source.records, source.rows, source.rejected) == account
    if duplicates == "first":
        assert [(one.kind, one.merged) for one in study.sources[1:]] == [("documents placed lower again", 1)]
    if duplicates == "reject":
        assert [row[:4] for row in rejects(study)] == [(1, 1, "document_is_unique_in_list", "a")]


def test_ranks_may_be_said_to_count_from_0(write, quiet_read):
    path = write("run", "1 Q0 a 0 1 t\n1 Q0 b 2 2 t\n2 Q0 a 1 1 t\n3 Q0 a 1 1 t\n")
    study = quiet_read(path, config={"format": "trec_run", "order": "rank", "rank_base": 0})
    assert study.results.collect()["rank"].to_list() == [1, 3, 2, 2]
    guessed = quiet_read(path, config={"format": "trec_run", "order": "rank"})  # most lists do not begin with 0
    assert guessed.results.collect()["rank"].to_list() == [2, 1, 1]


def test_several_runs_are_several_systems(write, quiet_read):
    paths = [write("one", "1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n"), write("two", "1 Q0 b 1 1 y\n")]
    study = quiet_read(paths)
    assert study.sessions.collect().select("session_id", "system_id", "topic_id").rows() == [
        ("x:1", "x", "1"),
        ("x:2", "x", "2"),
        ("y:1", "y", "1"),
    ]
    assert [(one.path, one.records) for one in study.sources] == [("one", 2), ("two", 1)]


def test_one_tag_in_several_files_is_told_apart_by_the_file(write, quiet_read):
    study = quiet_read([write(f"run.RL{level}", "1 Q0 a 1 1 x\n") for level in (1, 2)])
    assert study.sessions.collect().select("session_id", "system_id").rows() == [
        ("x run.RL1:1", "x run.RL1"),
        ("x run.RL2:1", "x run.RL2"),
    ]


def test_session_runs_take_their_topics_from_the_map(write, quiet_read):
    run, topics = write("run.RL4", "7 Q0 a 1 1 x\n8 Q0 a 1 1 x\n9 Q0 a 1 1 x\n"), write("map", "7\t40\n8\t40\n")
    study = quiet_read(run, topics=topics, judgments=write("qrels", "40 0 a 1\n"))
    assert study.sessions.collect().select("session_id", "topic_id").rows() == [
        ("x:7", "40"),
        ("x:8", "40"),
        ("x:9", None),
    ]


def test_what_a_program_says_among_the_lines_of_a_run_is_of_no_topic(write, quiet_read, rejects):
    text = (
        "1 Q0 a 1 -9.5 indri\n1 Q0 b 2 -9.6 indri\n1 Q0 c 3 -9.7 indri\n"
        "# EXCEPTION in query 2: Run.cpp(410): Thread::run Exception\n"
        "\t../src/Query.cpp(8): Couldn't understand this query: NoViable\n"
        "3 Q0 a 1 -4.5 indri\nAbout 46% complete. (elapsed time: 102 sec)\n"
    )
    study = quiet_read(write("run", text))
    assert study.sessions.collect()["session_id"].to_list() == ["indri:1", "indri:3"]
    assert study.queries.collect()["results_status"].to_list() == ["shown", "shown"]
    assert sum(one.idle for one in study.sources if one.kind == "comment lines") == 1
    six_fields = [" ".join(line.split()[:6]) for line in text.splitlines()]
    assert [row[1:4] for row in rejects(study)] == [
        (5, "record_fits_the_columns", six_fields[4]),
        (7, "record_fits_the_columns", six_fields[6]),
    ]


def test_lines_that_do_not_fit_are_rejected(write, quiet_read, rejects):
    text = "1 Q0 a 1 1 t\n1 Q0 b 2\n1 Q0 c 3 high t\n1 Q0 d 4 nan t\n1 Q0 e 5 0.5 t\n" + "2 Q0 a 1 1 t\n2 Q0 b 1 0 t\n"
    study = quiet_read(write("run", text))
    assert rejects(study) == [
        (2, 2, "record_fits_the_columns", "1 Q0 b 2", "1 Q0 b 2"),
        (3, 3, "score_is_a_number", "high", "1 Q0 c 3 high t"),
        (4, 4, "score_is_finite", "nan", "1 Q0 d 4 nan t"),
    ]
    assert study.results.filter(session_id="t:1").collect().select("doc_id", "rank").rows() == [("a", 1), ("e", 2)]
    with pytest.raises(DataError, match=match_parts("run, line 2:", "record_fits_the_columns")):
        read(write("run", text), strict=True)


def test_what_is_no_text(write):
    with pytest.raises(DataError, match="run is not UTF-8"):
        read(write("run", b"1 Q0 a 1 1 t\n1 Q0 \xff 1 1 t\n"), format="trec_run")
    with pytest.raises(DataError, match="run contains only blank lines"):
        read(write("run", "\n \n"), format="trec_run")


@pytest.mark.slow
def test_the_same_study_part_by_part(write, quiet_read, in_batches, same_study):
    rng = random.Random(1)  # noqa: S311
    lines = [f"{topic} Q0 d{n} 1 {rng.random():.3f} t\n" for topic in range(1, 9) for n in range(6)]
    rng.shuffle(lines)
    path = write("run", "".join([*lines, "1 Q0 x\n"]))
    whole = quiet_read(path)
    in_batches()
    same_study(whole, quiet_read(path))


@pytest.mark.realdata
def test_the_real_run_of_trec_eval(quiet_read):
    if not REAL.is_dir():
        pytest.skip("no real data")
    study = quiet_read(REAL / "trec_eval_results.test", judgments=REAL / "trec_eval_qrels.test")
    assert (study.facts.sessions, study.facts.results, study.rejected.collect().height) == (3, 1500, 0)
    with (REAL / "trec_eval_qrels.test").open() as qrels, (REAL / "trec_eval_results.test").open() as run:
        peer = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"ndcg", "ndcg_cut.10", "map"}).evaluate(
            pytrec_eval.parse_run(run)
        )
    for measure, theirs in (("nDCG@10", "ndcg_cut_10"), ("nDCG@1000", "ndcg")):
        scores = sk.score(study, measure, per="query")
        ours = {session.partition(":")[2]: value for session, value in scores.select("session_id", "value").rows()}
        assert ours == {topic: pytest.approx(values[theirs], abs=1e-12) for topic, values in peer.items()}
    # the average precision of each list, restated: precision at every relevant rank over all relevant documents
    relevant = {
        key: set(study.judgments.filter(pl.col("grade") > 0, judgment_key=key).collect()["doc_id"]) for key in peer
    }
    for session, documents in lists(study).items():
        key = session.partition(":")[2]
        hits = [rank for rank, document in enumerate(documents, 1) if document in relevant[key]]
        average = sum(place / rank for place, rank in enumerate(hits, 1)) / len(relevant[key])
        assert average == pytest.approx(peer[key]["map"])


@pytest.mark.few(8, slow=4)
@pytest.mark.parametrize(
    ("topics", "counted"),
    [
        (["31_1", "31_2"], (2, 1, "('31_1', '31_2', ...)")),
        (["32_1", "31_3", "31_1", "32_2", "33_1"], (4, 2, "('31_1', '31_3', ...)")),
        (["s12-1", "s12-2", "s12-3"], (3, 1, "('s12-1', 's12-2', ...)")),
        (["a.1", "a.2", "b.1", "b.2"], (4, 2, "('a.1', 'a.2', ...)")),
        (["c1::1", "c1::2", "d::9"], (3, 2, "('c1::1', 'c1::2', ...)")),
        (["c<::>2", "c<::>7", "d<::>30"], (3, 2, "('c<::>2', 'c<::>7', ...)")),
        (["c_2", "c_3", "d_2", "d_4"], (4, 2, "('c_2', 'c_3', ...)")),
        (["9-1_1", "9-1_2", "9-2_1", "9-2_2"], (4, 2, "('9-1_1', '9-1_2', ...)")),
        (["132_1-1", "132_1-3", "132_2-1", "132_2-3"], None),  # branches of trees
        (["1-1", "1-3", "2-1", "2-3"], None),
        (["c::1", "d::1"], None),  # one turn each
        (["51", "52", "53"], None),
        (["MB-101", "MB-102", "MB-103"], None),
        (["MB-1", "MB-2", "MB-3"], None),  # no number of a session before that of a turn
        ([f"2014-{number}" for number in range(1, 51)], None),  # more than turns of one session
        (["q_1", "r_1", "s_1"], None),
        (["31_1", "31_9", "32_1", "32_8"], None),  # most numbers in between are missing
        (["51", "52", "53", "54", "31_1", "31_2"], None),  # not most of them
    ],
)
def test_topics_that_look_like_turns_are_warned_of(write, recwarn, topics, counted):
    study = read(write("run", "".join(f"{topic} Q0 d 1 1 bm25\n" for topic in topics)))
    assert study.facts.sessions == len(topics)
    warned = [str(warning.message) for warning in recwarn]
    assert len(warned) == (counted is not None)
    if counted is not None:
        n_turns, n_sessions, examples = counted
        sessions = "1 session" if n_sessions == 1 else f"{n_sessions} sessions"
        counts = (f"{n_turns} topics", f"{sessions} {examples}")
        assert messages_with(warned, *counts, "session_from = ", "study.toml (--session-from)")
        pattern = re.search(r"session_from = '(.+?)' ", warned[0])[1]
        assert re.fullmatch(pattern, topics[-1])["position"] == re.search(r"\d+$", topics[-1])[0]
        assert warned[0] in study.notes
        recwarn.clear()
        sk.from_run({topic: {"d": 1.0} for topic in topics}, sessions=pattern, missing_positions="empty")
        assert not [one for one in recwarn.list if "look like" in str(one.message)]


@pytest.mark.few(3)
@pytest.mark.parametrize("separator", ["_", "::", "<::>", ".", ":", "/"])
def test_ids_of_turns_are_noted_alike_in_a_file_and_in_memory(write, separator):
    topics = [f"{session}{separator}{turn}" for session in ("c1", "c2") for turn in (1, 2, 3)]
    path = write("run", "".join(f"{topic} Q0 d 1 1 bm25\n" for topic in topics))
    with pytest.warns(DataWarning) as of_file:
        study = read(path)
    with pytest.warns(DataWarning) as in_memory:
        in_both = [sk.from_run(path), sk.from_run({topic: {"d": 1.0} for topic in topics})]
    texts = [warning.message for warning in (*of_file, *in_memory)]
    counted = ("6 topics", f"2 sessions ('c1{separator}1', 'c1{separator}2', ...)", "one query")
    assert len(messages_with(texts, *counted)) == len(texts) == 3
    assert [one.facts.sessions for one in (study, *in_both)] == [6, 6, 6]
    pattern = rf"(?P<session>.+){re.escape(separator)}(?P<position>\d+)"
    places = [
        one.queries.collect().select("session_id", "query_position", "query_id").rows()
        for one in (read(path, session_from=pattern), sk.from_run(path, sessions=pattern))
    ]
    assert places[0] == places[1] == [(f"c{c}", turn, f"c{c}{separator}{turn}") for c in (1, 2) for turn in (1, 2, 3)]


PARTICIPANT = "1 Q0 a#1_2 3 1 me\n1 Q0 b#1_2 2 1 me\n1 Q0 c#1_2 3 0.5 me\n2 Q0 a#1_2 0 1 me\n"


def test_judgments_of_a_participant_are_no_run(write, quiet_read):
    path = write("participant.tsv", PARTICIPANT)
    with pytest.raises(DataError, match=match_parts("participant.tsv", "judgments (participant_qrels)", "not a log")):
        read(path)
    for read_as_run in (lambda: read(path, format="trec_run"), lambda: sk.from_run(path)):
        with pytest.raises(DataError, match=match_parts("participant.tsv", "judgments of a participant", "TREC RAG")):
            read_as_run()
    with pytest.raises(DataError, match=match_parts("participant.tsv", "only judgments, no log")):
        sk.propose(path)
    run = write("run", "1 Q0 a#1_2 1 0.6 bm25\n1 Q0 z 2 0.5 bm25\n2 Q0 b#1_2 1 0.4 bm25\n")
    study = quiet_read(run, judgments=path)
    assert study.judgments.collect().select("judgment_key", "doc_id", "grade", "judge_id", "confidence").rows() == [
        ("1", "a#1_2", 3, "me", 1),
        ("1", "b#1_2", 2, "me", 1),
        ("1", "c#1_2", 3, "me", 0.5),
        ("2", "a#1_2", 0, "me", 1),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        "1 Q0 a 0 0.9 x\n1 Q0 b 0 0.8 x\n2 Q0 a 0 0.9 x\n2 Q0 b 0 0.7 x\n",  # ranks that mean nothing
        "1 Q0 a 1 0.9 x\n1 Q0 b 2 0.9 x\n2 Q0 a 1 0.9 x\n2 Q0 b 2 0.9 x\n",  # equal scores
        "1 Q0 a 2 0.9 x\n1 Q0 b 4 0.8 x\n",  # some of its lines
        "1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n3 Q0 a 1 1 x\n",
        "1 Q0 a 1 0.9 x\n1 Q0 a 1 0.9 y\n1 Q0 b 2 0.8 x\n1 Q0 b 2 0.8 y\n",  # two systems in a file
    ],
)
def test_runs_with_few_or_odd_ranks_stay_runs(write, quiet_read, lines):
    assert quiet_read(write("run", lines)).facts.results == lines.count("\n")


def test_turns_of_several_runs_are_counted_once_and_may_be_judged_by_turn(write, quiet_read):
    runs = [write(name, "".join(f"31_{turn} Q0 d 1 1 {name}\n" for turn in (1, 2))) for name in ("one", "two")]
    study = quiet_read(runs, judgments=write("qrels", "31_1 0 d 1\n31_2 0 d 0\n"))
    assert messages_with(study.notes[:1], "2 topics", "1 session ('31_1', '31_2', ...)")
    scores = sk.score(study, "mean(P@1)", per="session")
    assert dict(scores.select("session_id", "value").rows()) == {
        "one:31_1": 1,
        "one:31_2": 0,
        "two:31_1": 1,
        "two:31_2": 0,
    }


def test_what_ranks_count_from_is_refused_where_they_order_nothing(write, quiet_read):
    path = write("run.txt", "1 Q0 A 0 2.5 tag\n1 Q0 B 1 1.5 tag\n")
    ranked = quiet_read(path, config={"format": "trec_run", "order": "rank", "rank_base": 0})
    assert ranked.results.collect()["rank"].to_list() == [1, 2]
    with pytest.raises(DataError, match=match_parts("rank_base = 0", 'order = "rank"', "leave rank_base")):
        quiet_read(path, config={"format": "trec_run", "rank_base": 0})


def test_lines_beside_the_records_of_a_run_are_counted_and_skipped(write, quiet_read):
    """AP: the relevant document of q1 is second, 1/2; that of q2 is first, 1."""
    text = (
        "<SYSDESC>BM25, k1 = 0.9</SYSDESC>\n# two topics, tool x\nqid Q0 docno rank score tag\n"
        "q1 Q0 a 1 3.0 r\nq1 Q0 b 2 2.0 r\n # second topic\nq2\tQ0\tc#1\t1\t3.0\tr\n"
    )
    study = quiet_read(write("run", text), judgments=write("qrels", "# spring\nq1 0 b 1\nq2 0 c#1 1\n"))
    assert sk.score(study, ["mean(AP)"], per="session").sort("session_id")["value"].to_list() == [0.5, 1.0]
    skipped = {one.kind: one.idle for one in study.sources if one.idle and one.path == "run"}
    assert skipped == {"comment lines": 2, "system descriptions": 1, "header lines": 1}
    assert study.rejected.collect().is_empty()


def test_a_log_of_which_every_record_is_rejected_is_refused(write):
    with pytest.raises(DataError, match=match_parts("run, line 1:", "score_is_finite", "'nan'", "All 2 records")):
        read(write("run", "q1 Q0 a 1 nan r\nq1 Q0 b 2 -inf r\n"), format="trec_run")
    with pytest.raises(DataError, match=match_parts("'q1,a,1'", "only record", "rejected")):
        read(write("run", "q1,a,1\n"), format="trec_run")


RNG = random.Random(3)  # noqa: S311
TOPICS, DOCUMENTS = [f"q{number}" for number in range(1, 6)], [f"d#{number}" for number in range(12)]
SAVED_RUN = {topic: {doc: round(RNG.random(), 6) for doc in RNG.sample(DOCUMENTS, 8)} for topic in TOPICS}
QRELS = {topic: {doc: RNG.choice([0, 0, 1, 3]) for doc in RNG.sample(DOCUMENTS, 8)} for topic in TOPICS}
BY_RANK = {topic: sorted(scores, key=lambda doc: -scores[doc]) for topic, scores in SAVED_RUN.items()}
PLACES = [(topic, doc, rank) for topic, docs in BY_RANK.items() for rank, doc in enumerate(docs, 1)]
EXPECTED = pytrec_eval.RelevanceEvaluator(QRELS, {"ndcg_cut_5", "recip_rank"}).evaluate(SAVED_RUN)


def json_run(folder):
    (folder / "bm25.json").write_text(json.dumps(SAVED_RUN, indent=1), encoding="utf-8")
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
        "score": [SAVED_RUN[topic][doc] for topic, doc, _ in PLACES],
        "query": [f"lamp, {topic}" for topic, _, _ in PLACES],
    }
    pl.DataFrame(columns).write_csv(folder / "bm25.csv")
    return folder / "bm25.csv"


def ranx_parquet(folder):
    ranx.Run(SAVED_RUN).save(str(folder / "bm25.parquet"), kind="parquet")
    return folder / "bm25.parquet"


FORMS = (json_run, three_columns, three_columns_by_rank, pyterrier, ranx_parquet)


@pytest.mark.few(5)
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
    with pytest.warns(DataWarning, match=match_parts("deeper", "1 of 2 queries")):
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
    with pytest.raises(
        DataError, match=match_parts("run.json", "judgments (json_qrels)", "not a log", "--from FORMAT")
    ):
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
        DataError, match=match_parts("five columns", "topic, iteration, document, rank and", "run without its tag")
    ):
        sk.read(write("run.txt", "q1 Q0 a 1 9.5\nq1 Q0 b 2 8.5\n"), format="trec_run")
    with pytest.raises(DataError, match=match_parts("bm25.json has no ranks", 'leave out order = "rank"')):
        sk.read(write("bm25.json", '{"q": {"a": 0.5}}'), config={"format": "trec_run", "order": "rank"})
