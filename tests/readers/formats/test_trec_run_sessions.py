r"""Runs whose query ids hold session and position: by a pattern or by a map, with the judgments of each turn.

The run has two sessions. ``31`` has the queries 1, 2 and 4 (3 found nothing), ``32`` has 1 and 2; every list has documents a to c.
"""

import warnings
from pathlib import Path

import ir_measures
import polars as pl
import pytest

import sessionkit as sk
from sessionkit.errors import DataError, DataWarning, UsageError
from sessionkit.readers.read import read
from tests.support.messages import match_parts, messages_with

CAST = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "today" / "cast"
PATTERN = r"(?P<session>.+)_(?P<position>\d+)"
TURNS = ("31_1", "31_2", "31_4", "32_1", "32_2")
RUN = "".join(f"{turn} Q0 {doc} {rank} {4 - rank} bm25\n" for turn in TURNS for rank, doc in enumerate("abc", 1))
MAP = "qid\tsession\tturn\tparticipant\tquery\n" + "".join(
    f"{session}_{turn}\tS{session}\t{turn}\tp{session}\twords {turn}\n"
    for session, last in (("31", 5), ("32", 2), ("33", 1))
    for turn in range(1, last + 1)
)


def queries(study):
    return study.queries.collect().select("session_id", "query_position", "query_id", "results_status").rows()


def test_a_pattern_makes_sessions_and_positions_between_may_be_empty(write, quiet_read):
    study = quiet_read(write("run", RUN), session_from=PATTERN, missing_positions="empty")
    assert queries(study) == [
        ("31", 1, "31_1", "shown"),
        ("31", 2, "31_2", "shown"),
        ("31", 3, None, "empty"),
        ("31", 4, "31_4", "shown"),
        ("32", 1, "32_1", "shown"),
        ("32", 2, "32_2", "shown"),
    ]
    assert study.sessions.collect().rows() == [("31", None, "bm25", "31", "31"), ("32", None, "bm25", "32", "32")]
    assert study.results.collect().columns == ["session_id", "query_position", "rank", "doc_id", "score"]


def turns(study):
    """Return what is known of every query, with the number of its turn."""
    rows = study.queries.collect()
    return rows.select("session_id", "query_position", "turn", "query_id", "results_status").rows()


UNUSED = ("left out, not scored 0", "column turn", 'missing_positions = "empty" (--missing-positions)')
"""What the note on turns without a line says of them."""


def test_no_query_is_made_up_for_a_turn_without_retrieval(write, quiet_read):
    """Turn 3 of 31 is in no run and is not judged, as a farewell is not."""
    qrels = write("qrels", "".join(f"{turn} 0 a 1\n" for turn in TURNS))
    with pytest.warns(DataWarning, match="runs: 1 turn number"):
        in_memory = sk.from_run(write("run", RUN), str(qrels), sessions=PATTERN)
    for study in (quiet_read(write("run", RUN), judgments=qrels, session_from=PATTERN), in_memory):
        assert turns(study) == [
            ("31", 1, 1, "31_1", "shown"),
            ("31", 2, 2, "31_2", "shown"),
            ("31", 3, 4, "31_4", "shown"),
            ("32", 1, 1, "32_1", "shown"),
            ("32", 2, 2, "32_2", "shown"),
        ]
        assert messages_with(study.notes, "runs: 1 turn number", "1 session", "'31'", "no line", *UNUSED)
        assert sk.score(study, "Queries", per="session")["value"].to_list() == [3, 2]
        assert sk.score(study, "mean(RR)", per="session")["value"].to_list() == [1, 1]


def test_turns_that_begin_at_2_stay_in_their_order(write, quiet_read):
    run = "".join(f"c{c}<::>{turn} Q0 a 1 1 tag\n" for c in (1, 2) for turn in (2, 3, 10))
    study = quiet_read(write("run", run), session_from=PATTERN.replace("_", "<::>"))
    assert [row[1:3] for row in turns(study)] == [(1, 2), (2, 3), (3, 10)] * 2
    # 1 and 4 to 9 of both
    assert messages_with(study.notes, "runs: 14 turn numbers", "2 sessions", "'c1'", "no line", *UNUSED)


def test_a_turn_that_another_run_has_or_that_is_judged_is_a_query(write, quiet_read):
    """Run b lacks 31_2, which a has, and 31_3, which is judged; 31_4 is of nobody."""
    lines = lambda tag, *numbers: "".join(f"31_{n} Q0 a 1 1 {tag}\n" for n in numbers)  # noqa: E731
    paths = [write("a", lines("a", 1, 2, 5)), write("b", lines("b", 1, 5))]
    study = quiet_read(paths, judgments=write("qrels", "31_1 0 a 1\n31_3 0 a 1\n"), session_from=PATTERN)
    positions = [(1, 1), (2, 2), (3, 3), (4, 5)]
    assert [row[1:3] for row in turns(study)] == positions * 2
    assert [row[4] for row in turns(study)] == ["shown", "shown", "empty", "shown", "shown", "empty", "empty", "shown"]


def test_a_map_with_gaps_makes_up_no_query(write, quiet_read):
    write("map.tsv", "qid\tsession\tturn\n31_1\tS\t2\n31_2\tS\t3\n31_4\tS\t5\n32_1\tR\t1\n32_2\tR\t2\n")
    study = quiet_read(write("run", RUN), config={"format": "trec_run", "query_map": "map.tsv"})
    assert [row[:3] for row in turns(study)] == [("R", 1, 1), ("R", 2, 2), ("S", 1, 2), ("S", 2, 3), ("S", 3, 5)]
    assert study.results.filter(session_id="S").collect()["query_position"].unique().to_list() == [1, 2, 3]
    assert messages_with(study.notes, "runs: 2 turn numbers", "1 session", "'S'", "no line", *UNUSED)


def test_missing_positions_may_be_said_to_be_unknown(write, quiet_read):
    study = quiet_read(write("run", RUN), session_from=PATTERN, missing_positions="not_logged")
    assert queries(study)[2] == ("31", 3, None, "not_logged")


def test_other_groups_are_user_system_and_topic(write, quiet_read):
    run = "u1.A.t7-1 Q0 a 1 1 tag\nu1.A.t7-2 Q0 a 1 1 tag\nu2.B.t7-1 Q0 a 1 1 tag\n"
    pattern = r"(?P<session>(?P<user>\w+)\.(?P<system>\w+)\.(?P<topic>\w+))-(?P<position>\d+)"
    study = quiet_read(write("run", run), session_from=pattern)
    assert study.sessions.collect().select("session_id", "user_id", "system_id", "topic_id").rows() == [
        ("u1.A.t7", "u1", "A", "t7"),
        ("u2.B.t7", "u2", "B", "t7"),
    ]


def test_positions_from_0_are_shifted(write, quiet_read):
    study = quiet_read(write("run", "s-0 Q0 a 1 1 t\ns-1 Q0 a 1 1 t\n"), session_from=PATTERN.replace("_", "-"))
    assert queries(study) == [("s", 1, "s-0", "shown"), ("s", 2, "s-1", "shown")]


def test_positions_are_numbers(write, quiet_read):
    study = quiet_read(write("run", "".join(f"s_{n} Q0 a 1 1 t\n" for n in range(1, 12))), session_from=PATTERN)
    assert [row[2] for row in queries(study)][-3:] == ["s_9", "s_10", "s_11"]


def test_sessions_of_several_systems_are_told_apart_by_system(write, quiet_read):
    paths = [write(tag, RUN.replace("bm25", tag)) for tag in ("one", "two")]
    study = quiet_read(paths, session_from=PATTERN)
    assert study.sessions.collect().select("session_id", "system_id", "topic_id").rows() == [
        ("one:31", "one", "31"),
        ("one:32", "one", "32"),
        ("two:31", "two", "31"),
        ("two:32", "two", "32"),
    ]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("31_1", "31_2", "31_4", "32_1", "32_2"), "query ids"),
        (("31", "32"), "topics"),
    ],
)
def test_judgments_keep_the_key_that_they_have(write, quiet_read, keys, said):
    qrels = "".join(f"{key} 0 {doc} {int(doc == 'a')}\n" for key in keys for doc in "ab")
    run = write("run", RUN)
    study = quiet_read(run, judgments=write("qrels", qrels), session_from=PATTERN, missing_positions="empty")
    assert messages_with(study.notes, "judgments: their keys", f"{said} of the run")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # nobody judged 31_3
        values = sk.score(study, "RR", per="query").select("session_id", "query_position", "value")
    of_3 = None if said == "query ids" else 0
    assert values.rows() == [("31", 1, 1), ("31", 2, 1), ("31", 3, of_3), ("31", 4, 1), ("32", 1, 1), ("32", 2, 1)]


def test_judgments_of_sessions_whose_topic_is_another(write, quiet_read):
    run, topics = write("run", RUN), write("topics", "31\t7\n32\t7\n")
    qrels = write("qrels", "31 0 a 1\n32 0 a 1\n")
    study = quiet_read(run, judgments=qrels, topics=topics, session_from=PATTERN, missing_positions="empty")
    assert messages_with(study.notes, "judgments: their keys", "sessions of the run")
    assert study.sessions.collect()["topic_id"].to_list() == ["7", "7"]
    assert sk.score(study, "mean(RR)", per="session")["value"].to_list() == [0.75, 1]


def test_a_turn_that_is_judged_but_has_no_line_returned_nothing(write, quiet_read):
    """As trec_eval -c has it, within the sessions of the run."""
    qrels = "".join(f"{turn} 0 a 1\n" for turn in (*TURNS, "31_3", "31_5", "40_1"))
    study = quiet_read(write("run", RUN), judgments=write("qrels", qrels), session_from=PATTERN)
    assert [row for row in queries(study) if row[3] == "empty"] == [
        ("31", 3, "31_3", "empty"),
        ("31", 5, "31_5", "empty"),
    ]
    assert sk.score(study, "mean(RR)", per="session")["value"].to_list() == [pytest.approx(3 / 5), 1]
    assert messages_with(study.notes, "judgments: 2 queries", "judged without a line", "taken as empty")
    unlogged = quiet_read(
        write("run", RUN), judgments=write("qrels", qrels), session_from=PATTERN, missing_positions="not_logged"
    )
    assert sk.score(unlogged, "mean(RR)", per="session")["value"].to_list() == [1, 1]


def test_a_judged_turn_that_one_of_two_systems_lacks_returned_nothing_there(write, quiet_read):
    qrels = write("qrels", "".join(f"32_{turn} 0 a 1\n" for turn in (1, 2)))
    paths = [write("one", RUN), write("two", RUN.replace("bm25", "other").replace("32_2", "31_3"))]
    study = quiet_read(paths, judgments=qrels, session_from=PATTERN)
    assert [row for row in queries(study) if row[0] == "other:32"] == [
        ("other:32", 1, "32_1", "shown"),
        ("other:32", 2, "32_2", "empty"),
    ]


def test_texts_of_queries_may_be_the_keys(write, quiet_read):
    judged = write(
        "judged.csv", "query,docid,rating\nwords 1,a,1\nwords 2,a,1\nwords 3,a,1\nwords 4,a,1\nwords 5,a,1\n"
    )
    write("map.tsv", MAP)
    study = quiet_read(write("run", RUN), judgments=judged, config={"format": "trec_run", "query_map": "map.tsv"})
    assert sk.score(study, "RR", per="query").filter(session_id="S32")["value"].to_list() == [1, 1]


def test_a_map_says_sessions_users_and_texts_and_has_empty_lists_at_the_end(write, quiet_read):
    write("map.tsv", MAP)
    study = quiet_read(write("run", RUN), config={"format": "trec_run", "query_map": "map.tsv"})
    assert queries(study) == [
        ("S31", 1, "31_1", "shown"),
        ("S31", 2, "31_2", "shown"),
        ("S31", 3, "31_3", "empty"),
        ("S31", 4, "31_4", "shown"),
        ("S31", 5, "31_5", "empty"),
        ("S32", 1, "32_1", "shown"),
        ("S32", 2, "32_2", "shown"),
        ("S33", 1, "33_1", "empty"),
    ]
    assert study.sessions.collect().select("session_id", "user_id", "system_id").rows() == [
        ("S31", "p31", "bm25"),
        ("S32", "p32", "bm25"),
        ("S33", "p33", "bm25"),
    ]
    assert study.queries.collect()["query_text"].to_list() == [f"words {n}" for n in (1, 2, 3, 4, 5, 1, 2, 1)]
    lacking = ("runs: bm25 lacks 3 of 8 queries", "(31_3, 31_5, 33_1)", "taken as empty")
    options = ('missing_topics = "zero" (--missing-topics zero)', '"omit"')
    assert messages_with(study.notes[:1], *lacking, *options)
    users = ("user_id is 'participant'", "query_text is 'query'")
    turns_of_sessions = ("query_id is 'qid'", "session_id is 'session'", "query_position is 'turn'")
    assert messages_with(study.notes[1:2], "map.tsv", *turns_of_sessions, *users)


def test_a_map_of_two_systems_and_unlogged_queries(write, quiet_read):
    """A session that two runs have is two sessions, each with the queries of the map."""
    write("map.csv", MAP.replace("\t", ","))
    paths = [write(tag, RUN.replace("bm25", tag)) for tag in ("one", "two")]
    study = quiet_read(paths, config={"format": "trec_run", "query_map": "map.csv", "missing_positions": "not_logged"})
    assert [row[:2] for row in queries(study) if row[3] == "not_logged"] == [
        ("one:S31", 3),
        ("one:S31", 5),
        ("one:S33", 1),
        ("two:S31", 3),
        ("two:S31", 5),
        ("two:S33", 1),
    ]


def test_a_map_may_name_the_system_of_a_session(write, quiet_read):
    """Both have a session 1: of one system each."""
    write("map.tsv", "query_id\tsession_id\tquery_position\tsystem_id\nx\t1\t1\tA\ny\t1\t2\tA\nz\t1\t1\tB\n")
    run = write("run", "x Q0 a 1 1 tag\ny Q0 a 1 1 tag\nz Q0 b 1 1 tag\n")
    study = quiet_read(run, config={"format": "trec_run", "query_map": "map.tsv"})
    assert study.results.collect().select("session_id", "query_position", "doc_id").rows() == [
        ("A:1", 1, "a"),
        ("A:1", 2, "a"),
        ("B:1", 1, "b"),
    ]
    assert not [note for note in study.notes if "lacks" in note]


def test_rows_of_a_map_that_say_no_session_are_counted_rejects(write, quiet_read, rejects):
    write("map", "qid session turn\n31_1 S 1\n31_2 S\n31_2 S 2\n")
    write("map.csv", "qid,session,turn\n31_1,S,1\n31_2,,1\n31_4,S,2\n")
    run = write("run", "".join(line for line in RUN.splitlines(keepends=True) if line[:4] in {"31_1", "31_4"}))
    study = quiet_read(run, config={"format": "trec_run", "query_map": "map.csv"})
    assert rejects(study) == [(2, 3, "session_id_is_given", None, "31_2,,1")]
    run = write("run", "31_1 Q0 a 1 1 t\n31_2 Q0 a 1 1 t\n")
    study = quiet_read(run, config={"format": "trec_run", "query_map": "map"})
    assert rejects(study) == [(2, 3, "record_fits_the_columns", "31_2 S", "31_2 S")]
    assert study.facts.results == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("map", "31_1 S31 1\n31_2 S31 2\n31_4 S31 4\n32_1 S32 1\n32_2 S32 2\n"),
        ("map", "qid session_id query_position\n31_1 S31 1\n31_2 S31 2\n31_4 S31 4\n32_1 S32 1\n32_2 S32 2\n"),
        ("map.csv", "31_1,S31,1\n31_2,S31,2\n31_4,S31,4\n32_1,S32,1\n32_2,S32,2\n"),
        (
            "map.jsonl",
            "".join(
                f'{{"qid": "{s}_{n}", "session": "S{s}", "turn": {n}}}\n'
                for s, n in (("31", 1), ("31", 2), ("31", 4), ("32", 1), ("32", 2))
            ),
        ),
    ],
)
def test_maps_are_tables_of_many_kinds(write, quiet_read, name, content):
    write(name, content)
    study = quiet_read(
        write("run", RUN), config={"format": "trec_run", "query_map": name, "missing_positions": "empty"}
    )
    assert [row[:2] for row in queries(study)] == [
        ("S31", 1),
        ("S31", 2),
        ("S31", 3),
        ("S31", 4),
        ("S32", 1),
        ("S32", 2),
    ]


def test_a_map_in_parquet_beside_a_toml_elsewhere(tmp_path, quiet_read):
    for folder in ("log", "said"):
        (tmp_path / folder).mkdir()
    (tmp_path / "log" / "run").write_text(RUN)
    (tmp_path / "said" / "study.toml").write_text('format = "trec_run"\nquery_map = "map.parquet"\n')
    frame = pl.DataFrame({"qid": list(TURNS), "session": "s", "turn": [1, 2, 3, 4, 5]})
    frame.write_parquet(tmp_path / "said" / "map.parquet")
    study = quiet_read(tmp_path / "log" / "run", config=tmp_path / "said" / "study.toml")
    assert [row[:2] for row in queries(study)] == [("s", place) for place in range(1, 6)]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"session_from": PATTERN}, ("query_id_fits_session_from", "session_from = '(?P<session>.+)_")),
        ({"query_map": "map.tsv"}, ("query_id_is_in_the_map", "not stand in map.tsv")),
    ],
)
def test_query_ids_of_no_session_are_counted_rejects(write, quiet_read, rejects, options, told):
    rule, said = told
    write("map.tsv", MAP)
    run = write("run", f"{RUN}odd Q0 a 1 1 bm25\nodd Q0 b 2 1 bm25\nodder Q0 a 1 1 bm25\n")
    study = quiet_read(run, config={"format": "trec_run", **options})
    assert rejects(study) == [
        (16, 16, rule, "odd", "odd Q0 a 1 1 bm25"),
        (17, 17, rule, "odd", "odd Q0 b 2 1 bm25"),
        (18, 18, rule, "odder", "odder Q0 a 1 1 bm25"),
    ]
    assert any(said in note and "('odd', 'odder')" in note for note in study.notes)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"session_from": "(?P<session>.+)_("}, ("not a regular expression",)),
        ({"session_from": r"(?P<sesion>.+)_(?P<position>\d+)"}, ("group 'sesion'", "mean 'session'")),
        ({"session_from": r"(.+)_(?P<position>\d+)"}, ("no group 'session'",)),
        ({"session_from": r"(?P<session>.+)_\d+"}, ("no group 'position'",)),
        ({"session_from": r"(?P<session>x)(?P<position>\d)"}, ("run: no query id fits", "first is '31_1'")),
        ({"session_from": PATTERN, "query_map": "map.tsv"}, ("session_from and query_map",)),
        ({"query_map": "mop.tsv"}, ("mop.tsv: no such file", "mean 'map.tsv'")),
        ({"query_map": "few.tsv"}, ("few.tsv has no column", "query_position", "found qid, session")),
        ({"query_map": "twice.tsv"}, ("twice.tsv has query id 'x'", "rows 1 and 3")),
        ({"query_map": "other.tsv"}, ("run: no query id", "in other.tsv", "first is '31_1'")),
        ({"query_map": "clash.tsv"}, ("'31_1' and '31_2'", "query 1 of session 's'", "system 'bm25'")),
    ],
)
def test_mistakes(write, options, parts):
    write("map.tsv", MAP)
    write("few.tsv", "qid\tsession\n31_1\t1\n")
    write("twice.tsv", "qid\tsession\tturn\nx\ts\t1\ny\ts\t2\nx\ts\t3\n")
    write("other.tsv", "qid\tsession\tturn\nx\ts\t1\n")
    write("clash.tsv", "qid\tsession\tturn\n31_1\ts\t1\n31_2\ts\t01\n")
    with pytest.raises(DataError, match=match_parts(*parts)):
        read(write("run", RUN), config={"format": "trec_run", **options})


def test_other_formats_take_no_pattern(write):
    with pytest.raises(UsageError, match=match_parts("format tables", "no session_from", "(--session-from)")):
        read(write("log.csv", "session_id,query_position,rank,doc_id\n"), session_from=PATTERN)


@pytest.mark.realdata
def test_a_real_run_of_cast_2021_scores_as_ir_measures_scores_it(quiet_read):
    if not CAST.is_dir():
        pytest.skip("no real data")
    files = [str(CAST / name) for name in ("2021_run_docs_org_convdr.run", "2021_qrels_docs.txt")]
    study = quiet_read(files[0], judgments=files[1], session_from=PATTERN)
    assert (study.facts.sessions, study.facts.queries) == (2, 18)
    names = {"nDCG@10": ir_measures.nDCG @ 10, "AP": ir_measures.AP, "P@5": ir_measures.P @ 5, "RR": ir_measures.RR}
    run, qrels = ir_measures.read_trec_run(files[0]), list(ir_measures.read_trec_qrels(files[1]))
    peers = {(str(one.measure), one.query_id): one.value for one in ir_measures.iter_calc(names.values(), qrels, run)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # one turn is not judged
        scores = sk.score(study, [*names], per="query").drop_nulls("value")
    ours = {
        (measure, f"{session}_{position}"): value
        for measure, session, position, value in scores.select(
            "measure", "session_id", "query_position", "value"
        ).rows()
    }
    assert ours == {key: pytest.approx(value, abs=1e-12) for key, value in peers.items()}


@pytest.mark.slow
def test_the_same_study_part_by_part(write, quiet_read, in_batches, same_study):
    write("map.tsv", MAP)
    qrels = write("qrels", "".join(f"{turn} 0 a 1\n" for turn in (*TURNS, "31_5")))
    ways = [{"format": "trec_run", "session_from": PATTERN}, {"format": "trec_run", "query_map": "map.tsv"}]
    run = write("run", RUN + "odd Q0 a 1 1 t\n")
    whole = [quiet_read(run, judgments=qrels, config=way) for way in ways]
    in_batches()
    for study, way in zip(whole, ways, strict=True):
        same_study(study, quiet_read(run, judgments=qrels, config=way))


def test_turns_at_the_end_that_only_another_run_has_are_named(write):
    """Run b lacks the last turn of 31 and of 32: nothing tells whether it returned nothing or the searcher stopped."""
    paths = [write("a", RUN), write("b", "".join(f"{turn} Q0 x 1 1 b\n" for turn in ("31_1", "31_2", "32_1")))]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        study = read(paths, session_from=PATTERN)
    texts = [str(each.message) for each in caught]
    assert messages_with(texts, "2 sessions end", "2 turns", "another run", "first: '31_4' in"), texts
    of_b = study.queries.collect().filter(pl.col("session_id").str.starts_with("b:"))
    assert of_b["query_id"].to_list() == ["31_1", "31_2", "32_1"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        filled = read(paths, session_from=PATTERN, missing_positions="empty")
    of_b = filled.queries.collect().filter(pl.col("session_id").str.starts_with("b:"))
    assert of_b.select("query_position", "results_status").rows() == [
        (1, "shown"),
        (2, "shown"),
        (3, "empty"),
        (4, "empty"),
        (1, "shown"),
        (2, "empty"),
    ]
