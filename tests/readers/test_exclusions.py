"""Excluded documents: every number is that of a study whose lists and judgments were filtered by hand."""

import random
import re
import warnings
from math import log2

import ir_measures
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.reports.sections.method import method
from sessionkit.scoring.measures.grammar import example_of
from tests.reports.one_section import material
from tests.scoring.studies import drawn_for, sessions, study_of
from tests.support.examples import examples

quiet = pytest.mark.filterwarnings("ignore::sessionkit.errors.DataWarning")
DECLARED = {"max_grade": 3, "collection_size": 1000}
FEW = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
LOG = {
    "session_id": ["s"] * 6 + ["u"],
    "query_position": [1, 1, 1, 1, 2, 3, 1],
    "rank": [1, 2, 4, 5, 1, 1, 1],
    "doc_id": ["a", "t", "b", "t", "t", "b", "t"],
    "topic_id": ["t"] * 6 + ["v"],
}
JUDGED = {"judgment_key": list("ttttv"), "doc_id": list("abtyt"), "grade": [1, 2, 3, 1, 1]}
LISTS = {
    "fields": ("exclude.txt", "t b\nv t\n"),
    "header": ("exclude.tsv", "judgment_key\tdoc_id\twhy\nt\tb\tseen\nv\tt\tseen\n"),
    "BEIR": ("exclude.csv", "query-id,corpus-id\nt,b\nv,t\n"),
    "commas": ("exclude.csv", "t,b\nv,t\nt,b\n"),
    "NDJSON": ("exclude.ndjson", '{"doc_id": "b", "judgment_key": "t"}\n{"doc_id": "t", "judgment_key": "v"}\n'),
}


def rows_of(study, name, *columns):
    return study.table(name).select(columns).collect().rows()


@quiet
def test_ranks_close_up_and_lists_can_become_empty():
    """Of topic t, document t leaves ranks 2 and 5 of the first query and all of the second; rank 3 stays unknown."""
    study = sk.from_tables(LOG, JUDGED, exclude_query_doc=True)
    assert rows_of(study, "results", "session_id", "query_position", "rank", "doc_id") == [
        ("s", 1, 1, "a"),
        ("s", 1, 3, "b"),
        ("s", 3, 1, "b"),
        ("u", 1, 1, "t"),
    ]
    assert rows_of(study, "queries", "session_id", "query_position", "results_status") == [
        ("s", 1, "shown"),
        ("s", 2, "empty"),
        ("s", 3, "shown"),
        ("u", 1, "shown"),
    ]
    assert rows_of(study, "judgments", "judgment_key", "doc_id") == [("t", "a"), ("t", "b"), ("t", "y"), ("v", "t")]
    assert any(note.startswith("exclude_query_doc: 3 results and 1 ") for note in study.notes)
    scores = sk.score(study, ["nDCG@2"], per="query")["value"].to_list()
    ideal = 2 + 1 / log2(3)  # grades 2, 1, 1 of t
    assert scores == pytest.approx([1 / ideal, 0, 2 / ideal, 1])


@pytest.mark.few(3, slow=2)
@quiet
@pytest.mark.parametrize("kind", LISTS)
def test_lists_of_documents(kind, write, quiet_read):
    path = write(*LISTS[kind])
    pl.DataFrame(LOG).write_csv(path.parent / "log.csv")
    pl.DataFrame(JUDGED).write_csv(path.parent / "judged.csv")
    toml = f'exclude = "{path.name}"\n[results]\npath = "log.csv"\n[judgments]\npath = "judged.csv"\n'
    study = quiet_read(write("study.toml", toml))
    assert rows_of(study, "results", "rank", "doc_id") == [(1, "a"), (2, "t"), (4, "t"), (1, "t")]
    assert rows_of(study, "judgments", "judgment_key", "doc_id") == [("t", "a"), ("t", "t"), ("t", "y")]
    assert any(note.startswith(f"{path.name}: 3 results and 2 judgments ") for note in study.notes)
    idle = {source.kind: source.idle for source in study.sources if source.idle}
    listed = 3 if kind == "commas" else 2
    assert idle == {
        "results of excluded documents": 3,
        "judgments of excluded documents": 2,
        "excluded documents": listed,
    }
    assert study.fingerprint is not None
    for table in ("results", "queries", "judgments"):
        columns = study.columns(table)
        for other in (
            sk.from_tables(LOG, JUDGED, exclude=path),
            sk.from_tables(LOG, JUDGED, exclude={"qid": ["t", "v"], "docno": ["b", "t"], "docid": [7, 8]}),
            sk.read({"results": LOG, "judgments": JUDGED}, exclude=path),
            quiet_read(path.parent / "log.csv", judgments=path.parent / "judged.csv", exclude=path),
        ):
            assert_frame_equal(other.table(table).select(columns).collect(), study.table(table).collect())


@pytest.mark.slow
@quiet
@pytest.mark.parametrize("scatter", [float("inf"), -1])
def test_batches_leave_out_the_same(write, quiet_read, in_batches, scatter):
    chance = random.Random(3)  # noqa: S311
    rows = [(f"s{n:02}", q, r, chance.choice("abct")) for n in range(20) for q in (1, 2) for r in range(1, 5)]
    log = pl.DataFrame(rows, ["session_id", "query_position", "rank", "doc_id"], orient="row")
    log.with_columns(topic_id=pl.lit("t")).write_csv(write("log.csv", "").parent / "log.csv")
    toml = write("study.toml", 'exclude = "list"\nexclude_query_doc = true\n[results]\npath = "log.csv"\n')
    write("list", "t a\n")
    in_memory = quiet_read(toml)
    in_batches(scatter=scatter)
    batched = quiet_read(toml)
    assert batched.notes == in_memory.notes
    assert batched.sources == in_memory.sources
    for table in ("sessions", "queries", "results"):
        known = in_memory.table(table).collect()
        assert_frame_equal(batched.table(table).select(known.columns).collect(), known)
    assert {document for _, _, _, document in rows} - {*in_memory.results.collect()["doc_id"]} == {"a", "t"}


@quiet
def test_records_left_out_are_counted_for_each_file(write, quiet_read):
    """Of the first file a of t, of the second a twice and b, of the third nothing."""
    for number, documents in enumerate(("ac", "aab", "cd"), 1):
        rows = [(f"s{number}{rank}", 1, rank, document, "t") for rank, document in enumerate(documents, 1)]
        names = ["session_id", "query_position", "rank", "doc_id", "topic_id"]
        pl.DataFrame(rows, names, orient="row").write_csv(write(f"log-{number}.csv", ""))
    write("list", "t a\nt b\n")
    study = quiet_read(write("study.toml", 'exclude = "list"\n[results]\npath = "log-*.csv"\n'))
    idle = [(source.path, source.idle) for source in study.sources if source.kind == "results of excluded documents"]
    assert idle == [("log-1.csv", 1), ("log-2.csv", 3)]
    kept = {source.path: source.records for source in study.sources if source.table == "results"}
    assert kept == {"log-1.csv": 1, "log-2.csv": 0, "log-3.csv": 2}


def filtered(made, judgments, excluded):
    """Sessions and judgments, as `sessions` draws them, without excluded documents."""
    graded = {key: {doc: g for doc, g in docs.items() if (key, doc) not in excluded} for key, docs in judgments.items()}
    rest = {}
    for name, session in made.items():
        queries = []
        for query in session["queries"]:
            key = query["key"] or session["topic"]
            gone = [one["rank"] for one in query["results"] if (key, one["doc"]) in excluded]
            results = [
                {**one, "rank": one["rank"] - sum(rank < one["rank"] for rank in gone)}
                for one in query["results"]
                if (key, one["doc"]) not in excluded
            ]
            status = "empty" if query["results"] and not results else query["status"]
            queries.append({**query, "results": results, "status": status})
        rest[name] = {**session, "queries": queries}
    return rest, graded


@pytest.mark.few(1)
@quiet
@pytest.mark.parametrize("own_keys", [False, True])
@FEW
@given(data=st.data())
def test_every_measure_scores_as_without_the_documents(own_keys, data):
    measures = [example_of(measure) for measure in sk.MEASURES.values()]
    columns = drawn_for([measure.inner for measure in measures])
    made, judgments = data.draw(sessions(keys_per_query=own_keys, columns=columns))
    pairs = [(key, f"d{number}") for key in ("t1", "t2", "t3") for number in range(8)]
    excluded = data.draw(st.sets(st.sampled_from(pairs), min_size=1))
    exclude = pl.DataFrame(sorted(excluded), ["judgment_key", "doc_id"], orient="row")
    given = {"keys_per_query": own_keys, "columns": columns, **DECLARED}
    study = study_of(made, judgments, exclude=exclude, **given)
    by_hand = study_of(*filtered(made, judgments, excluded), **given)
    for level in ("query", "session"):
        asked = [measure for measure in measures if measure.level == level]
        assert_frame_equal(*(sk.score(one, asked, per=level) for one in (study, by_hand)), check_exact=True)
    assert study.facts == by_hand.facts
    for name in ("results", "judgments"):
        assert_frame_equal(study.table(name).collect(), by_hand.table(name).collect())


CHANCE = random.Random(11)  # noqa: S311
IDS = [f"d{number}" for number in range(30)]
RUN = {query: {doc: CHANCE.random() for doc in CHANCE.sample(IDS, 20)} for query in IDS[:12]}
QRELS = {query: {doc: CHANCE.choice([0, 1, 2, 3]) for doc in CHANCE.sample(IDS, 15)} for query in IDS[:12]}
PEERS = {
    "nDCG@10": ir_measures.nDCG @ 10,
    "AP": ir_measures.AP,
    "R@10": ir_measures.R @ 10,
    "Rprec": ir_measures.Rprec,
    "RR": ir_measures.RR,
    "bpref": ir_measures.Bpref,
}


@quiet
@pytest.mark.parametrize("listed", [True, False])
def test_scores_are_those_of_ir_measures_on_filtered_runs(listed):
    """Queries are documents of the collection, as in BEIR; half of them were judged for themselves."""
    seen = {(query, doc) for query in RUN for doc in CHANCE.sample(IDS, 4)}
    out = seen if listed else {(query, query) for query in RUN}
    run, qrels = (
        {query: {doc: value for doc, value in docs.items() if (query, doc) not in out} for query, docs in one.items()}
        for one in (RUN, QRELS)
    )
    exclude = pl.DataFrame(sorted(out), ["judgment_key", "doc_id"], orient="row") if listed else None
    study = sk.from_run(RUN, QRELS, exclude=exclude, exclude_query_doc=not listed)
    scores = sk.score(study, [*PEERS], per="query").select("measure", "session_id", "value").rows()
    names = {str(peer): ours for ours, peer in PEERS.items()}
    peers = {
        (names[str(one.measure)], one.query_id): one.value for one in ir_measures.iter_calc(PEERS.values(), qrels, run)
    }
    assert {(measure, query): value for measure, query, value in scores} == pytest.approx(peers, abs=1e-12)
    plain = sk.score(sk.from_run(RUN, QRELS), [*PEERS], per="query")["value"]
    assert not plain.equals(sk.score(study, [*PEERS], per="query")["value"])


@pytest.mark.slow
@quiet
def test_a_saved_study_and_its_run_are_without_them(tmp_path):
    study = sk.from_run(RUN, QRELS, exclude_query_doc=True, max_grade=3)
    saved = study.save(tmp_path / "study")
    assert sk.check(saved, verify=True)["hashes"].is_empty()
    assert saved.sources == study.sources
    assert not any(query.startswith(f"{doc}_") for query, doc in study.to_run().select("query_id", "doc_id").rows())
    assert not any(query.startswith(f"{doc}_") for query, doc in study.to_qrels().select("query_id", "doc_id").rows())
    copy = sk.pseudonymize(study).study
    kinds = [source.kind for source in copy.sources if source.idle]
    assert kinds == ["results of excluded documents", "judgments of excluded documents"]
    for verb in (sk.describe, sk.bounds):
        measures = [] if verb is sk.describe else ["nDCG@5"]
        assert verb(saved, *measures).text == verb(study, *measures).text


def test_excluded_documents_are_named_in_the_methods_of_a_report():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        study = sk.from_run(RUN, QRELS, exclude_query_doc=True, max_grade=3)
        words = method(material(study, ["mean(nDCG@5)"])).parts[0]
    out = sum(query in docs for query, docs in RUN.items()), sum(query in docs for query, docs in QRELS.items())
    sentence = f"{out[0]} results and {out[1]} judgments of excluded documents were left out"
    assert sentence in words.paragraphs[0].replace("\xa0", " ")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("t 0 b 1\n", r"exclude.txt .*doc_id; .*: t, 0, b, 1\."),
        ("judgment_key url why\nt b seen\n", None),
        ("judgment_key why\nt seen\n", "doc_id; .*: judgment_key, why"),
        ('{"k": "t", "d": "b"}\n', "judgment_key .*doc_id; .*: k, d"),
        ("t b\nv\n", "record 2 .*judgment_key .*doc_id"),
        ("judgment_key,doc_id\nt,\n", "record 1 .*judgment_key .*doc_id"),
    ],
)
@quiet
def test_lists_that_cannot_be_read(text, says, write):
    path = write("exclude.txt", text)
    if says is None:
        assert sk.from_tables(LOG, JUDGED, exclude=path).results.collect().height == 5
        return
    with pytest.raises(DataError) as error:
        sk.from_tables(LOG, JUDGED, exclude=path)
    assert re.search(says, str(error.value))


@quiet
def test_mistakes(write, tmp_path):
    study = sk.from_tables(LOG, JUDGED, exclude={"judgment_key": ["x"], "doc_id": ["b"]})
    sentence = "exclude: none of its 1 document was shown or judged for its judgment_key (first: 'x', 'b')"
    assert any(note.startswith(sentence) for note in study.notes)
    with pytest.warns(DataWarning, match="none of its 1 document"):
        sk.from_tables(LOG, exclude={"judgment_key": ["x"], "doc_id": ["b"]})
    with pytest.raises(DataError, match=r"nowhere.tsv: no such file"):
        sk.from_tables(LOG, JUDGED, exclude="nowhere.tsv")
    with pytest.raises(DataError, match="a set is not a table"):
        sk.from_tables(LOG, JUDGED, exclude={("t", "b")})
    toml = write("study.toml", 'exclude_query_doc = "yes"\n[results]\npath = "log.csv"\n')
    with pytest.raises(DataError, match="exclude_query_doc = 'yes'"):
        sk.read(toml)
    for read in (
        lambda: sk.from_tables(LOG, JUDGED, exclude_query_doc="no"),
        lambda: sk.from_run(RUN, QRELS, exclude_query_doc="no"),
        lambda: sk.read(toml, exclude_query_doc="no"),
    ):
        with pytest.raises(UsageError, match=r"exclude_query_doc .* or .*'no'"):
            read()
    with pytest.raises(UsageError, match="exclude must be a path, not 5"):
        sk.read(toml, exclude=5)
    saved = study.save(tmp_path / "study")
    with pytest.raises(UsageError, match="exclude and missing_positions are"):
        sk.read(saved.path, exclude_query_doc=True)
